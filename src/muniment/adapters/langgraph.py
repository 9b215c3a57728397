"""`MunimentStore`: LangGraph's `BaseStore`, so that graphs, LangMem and deepagents keep what they remember here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta

from langchain_core.runnables.config import var_child_runnable_config
from langgraph.store.base import (
    BaseStore,
    GetOp,
    IndexConfig,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    ensure_embeddings,
    get_text_at_path,
    tokenize_path,
    validate_op_namespace,
)

from muniment.adapters.core import AdapterMemory, Given, Labels, OnDecision, Stored, matches
from muniment.config import AS_SET
from muniment.model.actor import Actor

USER = "{user}"
_RESERVED = "_muniment"


class MunimentStore(BaseStore):
    """A governed LangGraph store. `memory` is a vault folder, a database or server address, or an open memory.

    With `user` everything is one user's. `users` is a namespace with the label `{user}`, such as
    `("memories", "{user}")`: what is put below it belongs to the user who is named there, and is found by nobody who
    does not name them. A search above it finds no user's items.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: Given,
        *,
        actor: str | Actor | None = None,
        user: str | None = None,
        users: Sequence[str] | None = None,
        index: IndexConfig | None = None,
        ttl: TTLConfig | None = None,
        tenant: str = "default",
        key: str | None = None,
        include_receipts: bool = False,
        on_decision: OnDecision | None = None,
    ) -> None:
        self.index_config = index
        self.ttl_config = ttl
        self.include_receipts = include_receipts
        self._users = _template(users)
        self._fields = [] if index is None else list(index.get("fields") or ["$"])
        self._memory = AdapterMemory(
            memory,
            adapter="langgraph",
            actor=actor,
            user=user,
            tenant=tenant,
            key=key,
            embedder=AS_SET if index is None else _embedder(index),
            on_decision=on_decision,
        )

    def close(self) -> None:
        self._memory.close()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do the operations. As in LangGraph's own stores all reads see what was there before; of several puts on one
        key the last counts."""
        wanted = list(ops)
        for op in wanted:
            validate_op_namespace(op)
        results: list[Result] = [self._read(op) for op in wanted]
        puts = {(op.namespace, op.key): op for op in wanted if isinstance(op, PutOp)}
        for op in puts.values():
            self._put(op)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            return self._get(op)
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        if isinstance(op, PutOp):
            return None
        raise ValueError(f"Unknown operation type: {type(op)}")

    def _get(self, op: GetOp) -> Item | None:
        found = self._of(op.namespace).get(op.namespace, op.key)
        if found is None:
            return None
        self._refresh([found], op.refresh_ttl)
        return Item(
            value=self._value(found),
            key=found.key,
            namespace=found.path,
            created_at=found.created_at,
            updated_at=found.updated_at,
        )

    def _put(self, op: PutOp) -> None:
        memory, (thread, node) = self._of(op.namespace), _run()
        if op.value is None:
            memory.delete(op.namespace, op.key)
            return
        value = dict(op.value)
        value.pop(_RESERVED, None)
        memory.put(
            op.namespace,
            op.key,
            value,
            text=self._text(op),
            source=node,
            session=thread,
            lasts=None if op.ttl is None else timedelta(minutes=op.ttl),
        )

    def _text(self, op: PutOp) -> str | None:
        """What is searched of a value: all of it, the fields it is indexed by, or nothing but its key."""
        if op.index is False:
            return op.key
        fields = op.index if op.index is not None else self._fields
        if not fields or "$" in fields:
            return None
        texts = [text for field in fields for text in get_text_at_path(op.value, tokenize_path(field))]
        return "\n".join(texts)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        memory, wanted = self._of(op.namespace_prefix), op.filter or {}
        last = op.offset + op.limit
        if not op.query:
            found = [one for one in memory.below(op.namespace_prefix) if matches(one.value, wanted)]
            chosen: list[tuple[float | None, Stored]] = [(None, one) for one in _grouped(found)]
        else:
            ranked = memory.search(op.namespace_prefix, op.query, limit=200 if wanted else last, floor=self._floor())
            chosen = [(one.disclosure.score, one) for one in ranked if matches(one.value, wanted)]
            if self.index_config is not None and len(chosen) < last:
                told = {one.id for _, one in chosen}
                rest = (one for one in memory.below(op.namespace_prefix) if one.id not in told)
                chosen += [(None, one) for one in rest if matches(one.value, wanted)]
        page = chosen[op.offset : last]
        self._refresh([one for _, one in page], op.refresh_ttl)
        return [
            SearchItem(
                namespace=one.path,
                key=one.key,
                value=self._value(one),
                created_at=one.created_at,
                updated_at=one.updated_at,
                score=score,
            )
            for score, one in page
        ]

    def _floor(self) -> float | None:
        """A store with an index answers with the nearest there is; one without, with what fits."""
        if self.index_config is None:
            return None
        self._memory.settle()
        return 0.0

    def _namespaces(self, op: ListNamespacesOp) -> list[Labels]:
        conditions = op.match_conditions or ()
        first = next((one.path for one in conditions if one.match_type == "prefix"), ())
        memory = self._of(tuple(first))
        found = {one.path for one in memory.below() if all(_fits(one.path, condition) for condition in conditions)}
        if op.max_depth is not None:
            found = {path[: op.max_depth] for path in found}
        return sorted(found)[op.offset : op.offset + op.limit]

    def _value(self, found: Stored) -> dict[str, object]:
        value = dict(found.value) if isinstance(found.value, dict) else {}
        return {**value, _RESERVED: found.flags} if self.include_receipts else {**value}

    def _refresh(self, found: Iterable[Stored], wanted: bool) -> None:
        """Let what was read live on as long as it was given when it was put."""
        if not wanted:
            return
        for one in found:
            if one.expires is not None and one.lasts is not None:
                self._of(one.path).renew(one)

    def _of(self, namespace: Labels) -> AdapterMemory:
        """The memory of the user whom a namespace names, else the shared one."""
        if self._users is None or len(namespace) < len(self._users):
            return self._memory
        pairs = list(zip(self._users, namespace, strict=False))
        if any(own not in (USER, label) for own, label in pairs):
            return self._memory
        name = next(label for own, label in pairs if own == USER)
        return self._memory if name == "*" else self._memory.for_user(name)


def _template(users: Sequence[str] | None) -> Labels | None:
    if users is None:
        return None
    if isinstance(users, str) or list(users).count(USER) != 1:
        raise ValueError(f"users: a namespace in which one label is {USER}, such as ('memories', '{USER}')")
    return tuple(users)


def _grouped(found: list[Stored]) -> list[Stored]:
    """Items by namespace, the namespaces and the items of each in the order they came."""
    order: dict[Labels, list[Stored]] = {}
    for one in found:
        order.setdefault(one.path, []).append(one)
    return [one for group in order.values() for one in group]


def _fits(path: Labels, condition: MatchCondition) -> bool:
    wanted = tuple(condition.path)
    if len(path) < len(wanted):
        return False
    if condition.match_type == "prefix":
        pairs = zip(path, wanted, strict=False)
    elif condition.match_type == "suffix":
        pairs = zip(reversed(path), reversed(wanted), strict=False)
    else:
        raise ValueError(f"Unsupported match type: {condition.match_type}")
    return all(own in ("*", label) for label, own in pairs)


def _embedder(index: IndexConfig) -> Callable[[list[str]], list[list[float]]]:
    embeddings = ensure_embeddings(index["embed"])
    return lambda texts: [list(one) for one in embeddings.embed_documents(texts)]


def _run() -> tuple[str | None, str | None]:
    """The thread and the node that are running, if a graph is."""
    config = var_child_runnable_config.get() or {}
    thread = (config.get("configurable") or {}).get("thread_id")
    node = (config.get("metadata") or {}).get("langgraph_node")
    return None if thread is None else str(thread), None if node is None else f"node:{node}"
