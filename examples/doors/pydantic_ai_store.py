"""Pydantic AI harness: of two writers one wins, and the other learns it."""

import asyncio
import sys
from tempfile import TemporaryDirectory

from pydantic_ai_harness.memory import MemoryConflictError

from muniment.adapters.pydantic_ai import MunimentMemoryStore


async def main(vault: str) -> None:
    store = MunimentMemoryStore(vault, actor="assistant", user="ada")
    first = await store.write("notes/trip.md", "Bern on Friday", expected_version=None)
    await store.write("notes/trip.md", "Bern on Monday", expected_version=first.version)
    try:
        await store.write("notes/trip.md", "Basel on Friday", expected_version=first.version)
    except MemoryConflictError as error:
        print(error)
    print((await store.read("notes/trip.md", max_chars=100)).content)
    store.close()


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else folder))
