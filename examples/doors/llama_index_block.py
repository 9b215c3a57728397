"""LlamaIndex: a memory block that tells its user what fits, as data."""

import asyncio
import sys
from tempfile import TemporaryDirectory

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import Memory

from muniment.adapters.llama_index import MunimentMemoryBlock


async def main(vault: str) -> None:
    block = MunimentMemoryBlock(memory=vault, actor="helper", user="ada")
    await block.aput([ChatMessage(role="user", content="I am allergic to walnuts")])
    chat = Memory.from_defaults(session_id="s-1", memory_blocks=[block], insert_method="user", token_limit=2000)
    await chat.aput(ChatMessage(role="user", content="What am I allergic to?"))
    for message in await chat.aget():
        print(message.role.value, message.content)
    block.close()


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else folder))
