"""Strands Agents: a memory manager over a governed store."""

import asyncio
import sys
from tempfile import TemporaryDirectory

from strands.memory import MemoryManager

from muniment.adapters.strands import MunimentMemoryStore


async def main(vault: str) -> None:
    store = MunimentMemoryStore(vault, actor="helper", user="ada")
    manager = MemoryManager(stores=[store])
    await manager.add("Ada takes the 7:40 train")
    for entry in await manager.search("which train?"):
        print(entry.store_name, entry.content, entry.metadata["origin"])
    store.close()


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else folder))
