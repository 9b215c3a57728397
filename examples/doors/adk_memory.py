"""Google ADK: a runner that remembers from one session to the next, on a model that answers by rule."""

import asyncio
import sys
from tempfile import TemporaryDirectory

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.tools import load_memory
from google.genai import types

from muniment import Memory
from muniment.adapters.adk import MunimentMemoryService, MunimentSessionService


class ByRule(BaseLlm):
    async def generate_content_async(self, llm_request, stream=False):
        last = llm_request.contents[-1].parts[-1]
        if last.function_response is None and "?" in (last.text or ""):
            part = types.Part(function_call=types.FunctionCall(name="load_memory", args={"query": last.text}))
        else:
            found = last.function_response.response if last.function_response else "noted"
            part = types.Part(text=f"{found}")
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


async def main(vault: str) -> None:
    with Memory.open(vault, actor="assistant") as memory:
        sessions, memories = MunimentSessionService(memory), MunimentMemoryService(memory)
        agent = LlmAgent(name="helper", model=ByRule(model="rule"), tools=[load_memory])
        runner = Runner(agent=agent, app_name="app", session_service=sessions, memory_service=memories)
        for name, said in (("first", "My favourite colour is teal."), ("second", "Which colour is my favourite?")):
            await sessions.create_session(app_name="app", user_id="ada", session_id=name)
            message = types.Content(role="user", parts=[types.Part(text=said)])
            async for event in runner.run_async(user_id="ada", session_id=name, new_message=message):
                for part in event.content.parts:
                    print(name, part.text or "…")
            await memories.add_session_to_memory(
                await sessions.get_session(app_name="app", user_id="ada", session_id=name)
            )


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else folder))
