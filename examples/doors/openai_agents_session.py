"""An OpenAI agent with a session and two memory tools, on a model that answers by rule."""

import asyncio
import sys
from tempfile import TemporaryDirectory

from agents import Agent, ModelResponse, Runner, Usage, set_tracing_disabled
from agents.models.interface import Model
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from muniment.adapters.openai_agents import MunimentSession, memory_tools


class ByRule(Model):
    async def get_response(self, system_instructions, input, *_, **__):
        last = input[-1] if isinstance(input, list) else {"content": input}
        if last.get("type") == "function_call_output":
            said = ResponseOutputText(text=last["output"], type="output_text", annotations=[])
            answer = ResponseOutputMessage(id="m", content=[said], role="assistant", status="completed", type="message")
        else:
            name = "recall" if "?" in last["content"] else "remember"
            field = "query" if name == "recall" else "statement"
            answer = ResponseFunctionToolCall(
                name=name, arguments=f'{{"{field}": "{last["content"]}"}}', call_id="c", type="function_call"
            )
        return ModelResponse(output=[answer], usage=Usage(), response_id=None)

    def stream_response(self, *_, **__):
        raise NotImplementedError


async def main(vault: str) -> None:
    set_tracing_disabled(True)
    session = MunimentSession("thread-1", vault, actor="helper", user="ada")
    agent = Agent(name="helper", model=ByRule(), tools=memory_tools(vault, actor="helper", user="ada"))
    print((await Runner.run(agent, "I take the 7:40 train", session=session)).final_output)
    print((await Runner.run(agent, "Which train do I take?", session=session)).final_output)
    print(len(await session.get_items()), "items in the session")
    session.close()


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else folder))
