"""The talk with the server in one transaction: statements go out together, and only a question waits.

It speaks libpq's pipeline mode itself. The driver's own does the same with a cursor, a generator and a queue of calls
for each statement, which take longer than most of our statements. Every exchange ends with a mark that the server
answers whatever went wrong before it, so after an error the talk can go on: with an undoing, as always.
"""

from __future__ import annotations

import select
from collections import OrderedDict
from collections.abc import Sequence
from itertools import count
from types import TracebackType
from typing import Any, Self
from weakref import WeakKeyDictionary

import psycopg
from psycopg import pq
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import Diagnostic, error_from_result

Row = tuple[Any, ...]
PREPARED_MAX = 400
"""So many statements a connection keeps ready, those used last."""

_Spelling = tuple[bytes, tuple[int, ...]]
"""A statement, and the types of its values."""

_BINARY = pq.Format.BINARY
_OVER = (pq.ExecStatus.FATAL_ERROR, pq.ExecStatus.BAD_RESPONSE)
_LOST = "the connection was lost"


class _Ready:
    """The statements that one connection has ready, by their names there."""

    def __init__(self) -> None:
        self.names: OrderedDict[_Spelling, bytes] = OrderedDict()
        self.parted = False
        """Whether what was said last has not been heard of yet: the connection is still in pipeline mode."""
        self._made = 0

    def name(self) -> bytes:
        self._made += 1
        return b"m%d" % self._made


_ready: WeakKeyDictionary[psycopg.Connection[Row], _Ready] = WeakKeyDictionary()


def parted(connection: psycopg.Connection[Row]) -> bool:
    """Whether something was said on a connection last whose answer nobody has heard."""
    known = _ready.get(connection)
    return known is not None and known.parted


def settled(connection: psycopg.Connection[Row], *, within_ms: int | None = None) -> bool:
    """Hear that answer, if there is one to hear: mostly it has been here for long. False if it was a goodbye."""
    known = _ready.get(connection)
    if known is None or not known.parted:
        return True
    known.parted = False
    server, waiting, well = connection.pgconn, select.poll(), True
    waiting.register(connection.fileno(), select.POLLIN)
    try:
        while True:
            while server.is_busy():
                if not waiting.poll(within_ms):
                    return False
                server.consume_input()
            result = server.get_result()
            if result is None and server.status != pq.ConnStatus.OK:
                return False
            if result is not None and result.status == pq.ExecStatus.PIPELINE_SYNC:
                break
            well = well and (result is None or result.status not in _OVER)
        server.exit_pipeline_mode()
    except psycopg.Error:
        return False
    return well


class Pipeline:
    """A connection in pipeline mode for a block. One on which the block was interrupted is closed: nobody knows what it
    is at."""

    def __init__(self, connection: psycopg.Connection[Row]) -> None:
        self._connection = connection
        self._server = connection.pgconn
        self._forms = Transformer(connection)
        self._ready = _ready.setdefault(connection, _Ready())
        self._unsure: list[_Spelling] = []
        self._socket = select.poll()
        self._socket.register(connection.fileno(), select.POLLIN)
        self._unheard = False
        self._said = 0
        self._ahead: dict[int, int] = {}
        self._answers: dict[int, list[Row]] = {}
        self._tickets = count()
        self._noted = False
        self.warned = False
        """Whether the server warned of what was said last. Of a commit it does so when it stopped waiting for the copy
        that was to have it too."""

    def __enter__(self) -> Self:
        self._connection.add_notice_handler(self._note)
        self._server.enter_pipeline_mode()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._connection.remove_notice_handler(self._note)
        if kind is None or issubclass(kind, Exception):
            self._close()
        else:
            self._connection.close()

    def tell(self, statement: bytes, values: Sequence[object] = ()) -> None:
        """Say something that nobody waits for an answer to."""
        self._unheard = True
        if not values:
            self._server.send_query_params(statement, None, result_format=_BINARY)
            self._said += 1
            return
        written = self._forms.dump_sequence(values, [PyFormat.AUTO] * len(values))
        name = self._name(statement, self._forms.types or ())
        self._server.send_query_prepared(name, written, self._forms.formats, _BINARY)
        self._said += 1

    def ask_ahead(self, statement: bytes, values: Sequence[object]) -> int:
        """Say a question whose answer is kept until somebody comes for it with this ticket."""
        self.tell(statement, values)
        ticket = self._ahead[self._said - 1] = next(self._tickets)
        return ticket

    def answer(self, ticket: int) -> list[Row]:
        """The answer to a question that was asked ahead, once."""
        if ticket not in self._answers:
            self._exchange()
        found = self._answers.pop(ticket, None)
        if found is None:
            raise psycopg.OperationalError("what was said before it had failed")
        return found

    def once(self, statement: bytes, values: Sequence[object]) -> None:
        """The same for a statement that will not come again."""
        self._unheard = True
        written = self._forms.dump_sequence(values, [PyFormat.AUTO] * len(values))
        self._server.send_query_params(statement, written, self._forms.types, self._forms.formats, _BINARY)
        self._said += 1

    def push(self) -> None:
        """Send what can be sent without waiting: the server goes to work while more is being said."""
        self._server.flush()

    def hear(self) -> list[Row]:
        """Wait until everything that was said is done; the rows of the last answer."""
        results = self._exchange()
        return self._rows(results[-1]) if results and results[-1].status == pq.ExecStatus.TUPLES_OK else []

    def hear_each(self, questions: int) -> list[list[Row]]:
        """The same for several questions that were the last things said: the rows of each."""
        results = self._exchange()
        answers = [result for result in results if result.status == pq.ExecStatus.TUPLES_OK][-questions:]
        assert len(answers) == questions, "every question has one answer"
        return [self._rows(answer) for answer in answers]

    def _rows(self, result: pq.abc.PGresult) -> list[Row]:
        self._forms.set_pgresult(result)
        return self._forms.load_rows(0, result.ntuples, tuple)

    def finish(self, statement: bytes) -> str:
        """Say the last thing and wait until all is done; what the server says that it did."""
        self.tell(statement)
        results = self._exchange()
        return (results[-1].command_status or b"").decode() if results else ""

    def part(self, statement: bytes) -> None:
        """Say the last thing, whose answer is nobody's concern, and leave without waiting for it: whoever uses the
        connection next hears it (`settled`). Where something else was not heard of yet, that is waited for."""
        if self._said:
            self.finish(statement)
            return
        self.tell(statement)
        self._server.pipeline_sync()
        self._said, self._unheard = 0, False
        self._send()
        self._ready.parted = True

    def _close(self) -> None:
        """Leave pipeline mode. What was said and not heard of yet is heard first, and whether it went well or not is
        no longer anybody's concern; a connection that is in no state for it is of no use to anybody."""
        if self._server.status != pq.ConnStatus.OK or self._ready.parted:
            return
        try:
            if self._unheard:
                self._exchange()
        except psycopg.Error:
            if self._server.status != pq.ConnStatus.OK:
                return
        self._server.exit_pipeline_mode()

    def _note(self, said: Diagnostic) -> None:
        self._noted = self._noted or said.severity_nonlocalized == "WARNING"

    def _name(self, statement: bytes, types: tuple[int, ...]) -> bytes:
        """The name of a statement on this connection, where it is made ready if it is not."""
        spelling, names = (statement, types), self._ready.names
        known = names.get(spelling)
        if known is not None:
            names.move_to_end(spelling)
            return known
        name = names[spelling] = self._ready.name()
        self._unsure.append(spelling)
        self._server.send_prepare(name, statement, types)
        self._said += 1
        if len(names) > PREPARED_MAX:
            _, oldest = names.popitem(last=False)
            self._server.send_query_params(b"DEALLOCATE " + oldest, None)
            self._said += 1
        return name

    def _exchange(self) -> list[pq.abc.PGresult]:
        """Send all that is here, and the mark; read all answers up to that."""
        self._server.pipeline_sync()
        ahead, self._ahead, self._said, self._unheard = self._ahead, {}, 0, False
        self._send()
        results: list[pq.abc.PGresult] = []
        trouble: psycopg.Error | None = None
        while (result := self._answer(trouble)).status != pq.ExecStatus.PIPELINE_SYNC:
            if trouble is None and result.status in _OVER:
                trouble = error_from_result(result)
            results.append(result)
            self.warned, self._noted = self._noted, False
        if trouble is not None:
            for spelling in self._unsure:  # it may not have come to that; a name is never given twice
                self._ready.names.pop(spelling, None)
        self._unsure.clear()
        if trouble is not None:
            raise trouble
        self._answers.update((ticket, self._rows(results[place])) for place, ticket in ahead.items())
        return results

    def _answer(self, trouble: psycopg.Error | None) -> pq.abc.PGresult:
        """The next answer. Between the answers of two statements there is nothing once. What a server says before it
        hangs up is why it does."""
        for _ in range(2):
            try:
                while self._server.is_busy():
                    self._socket.poll()
                    self._server.consume_input()
            except psycopg.OperationalError as error:
                raise trouble or error from None
            result = self._server.get_result()
            if result is not None:
                return result
        raise trouble or psycopg.OperationalError(_LOST)

    def _send(self) -> None:
        """Send what is here; what the server says meanwhile is taken in, or it would stop listening."""
        while self._server.flush():
            self._socket.modify(self._connection.fileno(), select.POLLIN | select.POLLOUT)
            ready = self._socket.poll()
            self._socket.modify(self._connection.fileno(), select.POLLIN)
            if any(event & ~select.POLLOUT for _, event in ready):
                self._server.consume_input()
