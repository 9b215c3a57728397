"""ATTUNE: what an agent should know, from a bounded pool of candidates, or everything since an epoch in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby, islice

import msgspec

from muniment.compat.akashik.context import FieldContext, MessageContext
from muniment.compat.akashik.gated_view import GatedView, VisibleConflict
from muniment.compat.akashik.open_conflicts import OpenConflicts, relevant
from muniment.compat.akashik.record import troubled
from muniment.contracts.akashik.commands import AttuneCommand
from muniment.contracts.akashik.decode import DRAFT, TASK, decode_attune, name
from muniment.contracts.akashik.encode import EncodeContext, attune_response, attuned, fit
from muniment.contracts.akashik.relevance import shared, weigh
from muniment.contracts.strict.values import JsonObject
from muniment.model.filter import matches
from muniment.model.query import LIMIT_MAX, Disclosure
from muniment.model.status import CURRENT, Status
from muniment.model.value import Value

POOL_LEAST, POOL_SPARE = 40, 20
"""So many candidates are asked for at least, and so many more than are to be told."""
LISTED_MAX = 10_000
"""So many are looked through for an agent that wants to be told more than a pool holds."""
TASK_UNITS, NEIGHBOURS = 100, 50
"""So many units of the task at hand, and so many that are linked to them, are candidates whatever they say."""
WALKED, COUNTED = 5_000, 500
"""So many changes are looked at for one answer to an agent that follows the Field, and so many more are counted."""


def attune(room: FieldContext, desk: MessageContext, quarrels: OpenConflicts) -> JsonObject:
    clock = room.keep_up(desk.letter, desk.state)
    command = decode_attune(desk.letter.payload, desk.caller)
    if command.since is not None:
        return _followed(room, desk, quarrels, command, clock.first(command.since))
    with room.looking(desk) as look:
        head = look.snapshot.ledger.head()
        found, left_out = candidates(look, command)
        disputes = relevant(look, quarrels, _disputed(look, found))
    epoch = clock.at(head.seq if head is not None else 0)
    return attune_response(
        found, disputes, command, desk.caller, epoch=epoch, telling=telling(room, desk), left_out=left_out
    )


def telling(room: FieldContext, desk: MessageContext) -> EncodeContext:
    """How units are told: with the clock, and which of them still lack their vectors because none can be made."""
    reached = None
    if troubled(room):
        reached = room.reach()
    return EncodeContext(roles=desk.state.roles, reached=reached, clock=room.state().epochs.at)


def candidates(look: GatedView, command: AttuneCommand) -> tuple[list[Disclosure], int]:
    """What may matter to an agent: what fits its role and interests, what is new, what belongs to its task; and how
    many more were found than are looked at closely, where everything that is found may be seen."""
    about, seat = command.about, look.seat
    pool = min(LIMIT_MAX, max(POOL_LEAST, command.limit + POOL_SPARE))
    recall = seat.attune(role=about.role, interests=about.interests, limit=pool, floor=0.0, others=not command.own)
    more: list[Disclosure] = []
    if command.limit + POOL_SPARE > LIMIT_MAX:
        more += seat.insight.browse(limit=min(command.limit, LISTED_MAX))
    if command.archived:
        more += seat.insight.browse(statuses=[Status.ARCHIVED.value], limit=LISTED_MAX)
    if command.own:
        more += _drafts(look)
    known = {one.record.id: one for one in recall.records}
    for one in (*more, *_of_task(look, command, known)):
        known.setdefault(one.record.id, _scored(one, command))
    counted = look.sight.plain and command.limit <= pool and not command.threshold
    left_out = max(0, recall.considered - len(recall.records)) if counted else 0
    return [one for one in known.values() if look.sight.unit(one)], left_out


def _drafts(look: GatedView) -> Iterator[Disclosure]:
    """The caller's own drafts, as long as they are drafts."""
    for card in look.about(name(DRAFT, look.seat.actor.id), keep=LIMIT_MAX):
        found = look.unit(card.id) if card.status == Status.DRAFT else None
        if found is not None and found.record.actor == look.seat.actor.id:
            yield found


def _of_task(look: GatedView, command: AttuneCommand, known: dict[str, Disclosure]) -> Iterator[Disclosure]:
    """The units of the task at hand, and those that are linked to them."""
    if command.task is None:
        return
    cards = [card for card in look.about(name(TASK, command.task), keep=TASK_UNITS) if card.status in CURRENT]
    names = [card.id for card in cards]
    back = look.snapshot.catalogue.cards(row.rid for row in look.snapshot.links.to(names)).values()
    there = (row.target for row in look.snapshot.links.of(card.rid for card in cards))
    linked = dict.fromkeys([*(card.id for card in back if card.status in CURRENT), *there])
    for unit in (*names, *islice(linked, NEIGHBOURS)):
        found = look.unit(unit) if unit not in known else None
        if found is not None and found.standing.status in CURRENT:
            yield found


def _scored(found: Disclosure, command: AttuneCommand) -> Disclosure:
    """A unit that no search has weighed, weighed by its words."""
    parts = (
        ("topic", shared(found.record.content, command.about.topics)),
        ("confidence", 0.1 * found.standing.footing.effective),
    )
    return msgspec.structs.replace(found, parts=parts)


class _Page(Value):
    """The oldest changes that fit into one answer: from which position to which, how many the engine will list for
    them, how many there are as far as was looked, and where the rest begins."""

    last: int
    listed: int
    available: int
    rest: int | None


def _disputed(look: GatedView, units: Iterable[Disclosure]) -> list[VisibleConflict]:
    """The open conflicts that these units are in."""
    return look.open_of(one for one in units if one.standing.status is Status.CONTESTED)


def _followed(
    room: FieldContext, desk: MessageContext, quarrels: OpenConflicts, command: AttuneCommand, first: int
) -> JsonObject:
    """Everything written or changed from a position on, the oldest first, as much as the caller's bounds hold. The
    epoch of the answer claims no more than was told: what did not fit begins there."""
    with room.looking(desk) as look:
        head = look.snapshot.ledger.head()
        last = head.seq if head is not None else 0
        page = _page(look, command, first, last)
        listed = look.seat.insight.browse(
            statuses=_statuses(command), changed_after=max(0, first - 1), limit=max(1, page.listed)
        )
        shown = [one for one in listed if _wanted(look, command, one) and one.standing.since <= page.last]
        disputes = relevant(look, quarrels, _disputed(look, shown))
    ranked = {one.found.record.id: one for one in weigh([_scored(one, command) for one in shown], command)}
    chosen = [ranked[one.record.id] for one in shown if ranked[one.record.id].score >= command.threshold]
    writer = telling(room, desk)
    told: list[tuple[float, JsonObject]] = []
    used, rest = 0, page.rest
    for one in chosen[: command.limit]:
        fitted = fit(one, command, writer.unit, used=used)
        if fitted is None and told:
            rest = one.found.standing.since
            break
        if fitted is not None:
            told.append((one.score, fitted[0]))
            used += fitted[1]
    told.sort(key=lambda pair: -pair[0])
    epoch = writer.clock(last if rest is None else rest)
    return attuned(
        [document for _, document in told],
        disputes,
        command,
        used=used,
        available=page.available,
        epoch=epoch,
        clock=writer.clock,
    )


def _page(look: GatedView, command: AttuneCommand, first: int, head: int) -> _Page:
    """Which changes are told now. Those of one entry are told together, unless they alone are too many."""
    statuses, visible = set(_statuses(command)), look.visible()
    changed = islice(look.snapshot.catalogue.changed(first - 1), WALKED)
    units, listed, available, last = 0, 0, 0, first - 1
    rest: int | None = None
    walked = counted = 0
    for position, group in groupby(changed, key=lambda card: card.since):
        cards = list(group)
        walked += len(cards)
        passing = [card for card in cards if card.status in statuses and matches(visible, card)]
        shown = sum(
            1 for card in passing if look.sight.card(card) and (command.own or card.actor != look.seat.actor.id)
        )
        available += shown
        if rest is not None:
            counted += len(cards)
            if counted > COUNTED:
                break
            continue
        full = units + shown > command.limit or listed + len(passing) > LIMIT_MAX
        if full and units + listed:
            rest = position
            continue
        units, listed, last = units + shown, listed + len(passing), position
        rest = position if full else None
    if walked == WALKED and rest is None:
        rest = last  # the entry may have changed more than was looked at
    return _Page(last=head if rest is None else last, listed=min(listed, LIMIT_MAX), available=available, rest=rest)


def _statuses(command: AttuneCommand) -> list[str]:
    words = [status.value for status in CURRENT]
    words += [Status.ARCHIVED.value] if command.archived else []
    return [*words, Status.DRAFT.value] if command.own else words


def _wanted(look: GatedView, command: AttuneCommand, one: Disclosure) -> bool:
    return look.sight.unit(one) and (command.own or one.record.actor != look.seat.actor.id)
