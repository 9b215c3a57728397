"""Carrying frames to a reader: one at a time, within bounds of time, until either side ends it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine

from starlette.types import Receive

GOODBYE_SECONDS = 10.0
"""How long a last word waits for a reader that does not read. Nothing but that word is kept for it."""


class Stalled(Exception):
    """The reader took nothing for too long."""


async def within(seconds: float, sending: Awaitable[None]) -> None:
    """Send, or give up on a reader that does not read. A send that is given up has written nothing."""
    try:
        async with asyncio.timeout(seconds):
            await sending
    except TimeoutError:
        raise Stalled from None


async def either(first: Coroutine[None, None, None], second: Coroutine[None, None, None]) -> None:
    """Run both until one ends; the other is called off. What the ended one raised is raised."""
    tasks = (asyncio.ensure_future(first), asyncio.ensure_future(second))
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
    for outcome in ended:
        if isinstance(outcome, Exception):
            raise outcome


async def gone(receive: Receive) -> None:
    """Until the reader hangs up."""
    while (await receive())["type"] != "http.disconnect":
        continue
