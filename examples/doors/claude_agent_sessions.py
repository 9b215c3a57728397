"""Claude Agent SDK: a transcript is mirrored into a memory and read back."""

import asyncio
import sys
from tempfile import TemporaryDirectory

from muniment.adapters.claude_agent import MunimentSessionStore


async def main(vault: str) -> None:
    store = MunimentSessionStore(vault, actor="claude", user="ada")
    key = {"project_key": "app", "session_id": "s-1"}
    asked = {"type": "user", "uuid": "1", "message": {"role": "user", "content": "Which train?"}}
    answered = {"type": "assistant", "uuid": "2", "message": {"role": "assistant", "content": "The 7:40."}}
    await store.append(key, [asked, answered])
    await store.append(key, [answered])
    print(len(await store.load(key) or []), "entries")
    print([one["session_id"] for one in await store.list_sessions("app")])
    store.close()


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else folder))
