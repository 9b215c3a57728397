"""`muniment.Memory` for async callers. The methods come from the embedded classes; `memory.pyi` lists them."""

from __future__ import annotations

from functools import wraps

from muniment import engine
from muniment.aio.twins import awaited, run
from muniment.engine.audit import LedgerFace
from muniment.model.actor import Actor
from muniment.model.arguments import checked


@awaited(engine.Review)
class AsyncReview:
    """`memory.review`, awaited."""

    def __init__(self, inner: engine.Review) -> None:
        self._inner = inner


@awaited(engine.Erasure)
class AsyncErasure:
    """`memory.erasure`, awaited."""

    def __init__(self, inner: engine.Erasure) -> None:
        self._inner = inner


@awaited(engine.Imports)
class AsyncImports:
    """`memory.imports`, awaited."""

    def __init__(self, inner: engine.Imports) -> None:
        self._inner = inner


@awaited(engine.Insight)
class AsyncInsight:
    """`memory.insight`, awaited."""

    def __init__(self, inner: engine.Insight) -> None:
        self._inner = inner


@awaited(LedgerFace)
class AsyncLedger:
    """`memory.ledger`, awaited."""

    def __init__(self, inner: LedgerFace) -> None:
        self._inner = inner


@awaited(engine.Memory)
@checked
class Memory:
    """`muniment.Memory` with the same methods and parts, awaited.

    >>> import asyncio
    >>> from tempfile import TemporaryDirectory
    >>> async def three_lines(folder: str) -> list[str]:
    ...     async with await Memory.open(folder) as memory:
    ...         await memory.remember("The build is green on main", kind="observation")
    ...         return [found.record.content for found in (await memory.recall("is the build green?")).records]
    >>> with TemporaryDirectory() as folder:
    ...     asyncio.run(three_lines(folder))
    ['The build is green on main']
    """

    def __init__(self, inner: engine.Memory) -> None:
        self._inner = inner
        self.review = AsyncReview(inner.review)
        self.erasure = AsyncErasure(inner.erasure)
        self.imports = AsyncImports(inner.imports)
        self.insight = AsyncInsight(inner.insight)
        self.ledger = AsyncLedger(inner.ledger)

    @classmethod
    @wraps(vars(engine.Memory)["open"].__func__)
    async def open(cls, *args: object, **options: object) -> Memory:
        """What `muniment.Memory.open` says."""
        return cls(await run(engine.Memory.open, *args, **options))

    def as_actor(self, actor: str | Actor, *, session: str | None = None) -> Memory:
        return Memory(self._inner.as_actor(actor, session=session))

    def for_user(self, user: str) -> Memory:
        return Memory(self._inner.for_user(user))

    async def __aenter__(self) -> Memory:
        return self

    async def __aexit__(self, *_: object) -> None:
        await run(self._inner.close)
