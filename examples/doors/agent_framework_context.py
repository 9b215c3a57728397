"""Microsoft Agent Framework: a context provider that recalls before a run and keeps what was said after it."""

import asyncio
import sys
from tempfile import TemporaryDirectory

from agent_framework import Agent, BaseChatClient, ChatResponse, Message

from muniment.adapters.agent_framework import MunimentContextProvider


class ByRule(BaseChatClient):
    def _inner_get_response(self, *, messages, stream, options, **_):
        async def answer():
            told = [one.text for one in messages if "7:40" in one.text]
            words = "You take the 7:40." if told and "?" in messages[-1].text else "Noted."
            return ChatResponse(messages=[Message(role="assistant", contents=[words])])

        return answer()


async def main(vault: str) -> None:
    provider = MunimentContextProvider(vault, actor="helper", user="ada")
    agent = Agent(ByRule(), instructions="Be brief.", context_providers=[provider])
    print((await agent.run("I take the 7:40 train", session=agent.create_session())).text)
    print((await agent.run("Which train do I take?", session=agent.create_session())).text)
    provider.close()


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else folder))
