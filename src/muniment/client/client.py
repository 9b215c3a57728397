"""`muniment.Client` and `muniment.AsyncClient`. Their methods come from the table of operations; `client.pyi` lists
them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from muniment import engine
from muniment.client.methods import operations_of
from muniment.client.parts import ASYNC, SYNC
from muniment.client.sending import TIMEOUT_S, AsyncSender, Sender
from muniment.model.actor import Actor
from muniment.model.arguments import checked
from muniment.model.errors import Malformed
from muniment.model.user import user_id
from muniment.model.value import Value
from muniment.operations import answers

_T = TypeVar("_T", "Client", "AsyncClient")


def _of_user(client: _T, user: str) -> _T:
    """The same client over the same connections, for one user."""
    named = user_id(user)
    if client._user is not None and user_id(client._user) != named:
        raise Malformed("user", "the user the client was made for", hint="Ask the client it was made from instead.")
    seen = object.__new__(type(client))
    seen._begin(client._sender, user)
    seen._caller = client._caller
    return seen


@operations_of("", engine.Memory)
@checked
class Client:
    """A governed memory behind a server, seen by whoever the key belongs to.

    `Client("http://127.0.0.1:8765", key="mnk_…")` has the methods and parts of `muniment.Memory`, with the same
    arguments, answers and errors. Without an address or a key the settings MUNIMENT_URL and MUNIMENT_KEY are taken.
    May be used by many threads at once.
    """

    def __init__(self, url: str | None = None, *, key: str | None = None, timeout: float = TIMEOUT_S) -> None:
        self._begin(Sender(url, key, timeout), None)

    def _begin(self, sender: Sender, user: str | None) -> None:
        self._sender, self._user = sender, user
        self._caller: answers.Caller | None = None
        for name, kind in SYNC.items():
            setattr(self, name, kind(self))

    def __repr__(self) -> str:
        return f"Client({self._sender.address.url!r})"

    def _call(self, name: str, arguments: Mapping[str, object]) -> Value:
        return self._sender.call(name, arguments, user=self._user)

    def caller(self) -> answers.Caller:
        """Who the server takes us for, and what the key is good for."""
        if self._caller is None:
            found = self._call("caller", {})
            assert isinstance(found, answers.Caller)
            self._caller = found
        return self._caller

    def for_user(self, user: str) -> Client:
        """The memory of one user, over the same connections. Close the original only."""
        return _of_user(self, user)

    @property
    def actor(self) -> Actor:
        return self.caller().actor

    @property
    def tenant(self) -> str:
        return self.caller().tenant

    def close(self) -> None:
        """Let go of the connections."""
        self._sender.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@operations_of("", engine.Memory, awaited=True)
@checked
class AsyncClient:
    """The same for async callers: every method is awaited, and `browse` is iterated with `async for`.

    `async with AsyncClient("http://127.0.0.1:8765", key="mnk_…") as memory:` belongs to one event loop.
    """

    def __init__(self, url: str | None = None, *, key: str | None = None, timeout: float = TIMEOUT_S) -> None:
        self._begin(AsyncSender(url, key, timeout), None)

    def _begin(self, sender: AsyncSender, user: str | None) -> None:
        self._sender, self._user = sender, user
        self._caller: answers.Caller | None = None
        for name, kind in ASYNC.items():
            setattr(self, name, kind(self))

    def __repr__(self) -> str:
        return f"AsyncClient({self._sender.address.url!r})"

    async def _call(self, name: str, arguments: Mapping[str, object]) -> Value:
        return await self._sender.call(name, arguments, user=self._user)

    async def caller(self) -> answers.Caller:
        """Who the server takes us for, and what the key is good for."""
        if self._caller is None:
            found = await self._call("caller", {})
            assert isinstance(found, answers.Caller)
            self._caller = found
        return self._caller

    def for_user(self, user: str) -> AsyncClient:
        """The memory of one user, over the same connections. Close the original only."""
        return _of_user(self, user)

    async def actor(self) -> Actor:
        return (await self.caller()).actor

    async def tenant(self) -> str:
        return (await self.caller()).tenant

    async def close(self) -> None:
        """Let go of the connections."""
        await self._sender.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
