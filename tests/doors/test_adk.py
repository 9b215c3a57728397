"""Google ADK: a runner with a stub model, sessions and memories of each user of each app apart."""

import pytest
from google.adk.agents import LlmAgent
from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.tools import load_memory
from google.genai import types

from muniment import Memory
from muniment.adapters.adk import MunimentMemoryService, MunimentSessionService


def content(text: str, role: str = "user") -> types.Content:
    return types.Content(role=role, parts=[types.Part(text=text)])


class Stub(BaseLlm):
    """Asks memory once, then answers with what it was told."""

    async def generate_content_async(self, llm_request, stream=False):
        last = llm_request.contents[-1].parts[-1]
        if last.function_response is None and "?" in (last.text or ""):
            call = types.FunctionCall(name="load_memory", args={"query": last.text})
            yield LlmResponse(content=types.Content(role="model", parts=[types.Part(function_call=call)]))
        else:
            told = last.function_response.response if last.function_response is not None else "noted"
            yield LlmResponse(content=content(f"I found: {told}", "model"))


async def say(runner: Runner, session: str, user: str, text: str) -> str:
    told = [
        part.text
        async for event in runner.run_async(user_id=user, session_id=session, new_message=content(text))
        for part in (event.content.parts if event.content else [])
        if part.text
    ]
    return told[-1]


async def test_a_runner_remembers_from_one_session_to_another_and_no_user_hears_another(vault: Memory) -> None:
    sessions, memories = (
        MunimentSessionService(vault, actor="assistant"),
        MunimentMemoryService(vault, actor="assistant"),
    )
    agent = LlmAgent(name="helper", model=Stub(model="stub"), tools=[load_memory])
    runner = Runner(agent=agent, app_name="app", session_service=sessions, memory_service=memories)
    for user, said in (("ada", "My favourite colour is teal."), ("bob", "My favourite colour is ochre.")):
        session = await sessions.create_session(app_name="app", user_id=user, session_id="first")
        await say(runner, session.id, user, said)
        session = await sessions.get_session(app_name="app", user_id=user, session_id="first")
        assert [event.author for event in session.events] == ["user", "helper"]
        await memories.add_session_to_memory(session)
        await memories.add_session_to_memory(session)
    await sessions.create_session(app_name="app", user_id="ada", session_id="second")
    told = await say(runner, "second", "ada", "Which colour is my favourite?")
    assert "teal" in told
    assert "ochre" not in told
    for app, user in (("app", "nobody"), ("ap", "ada"), ("App", "ada"), ("other", "ada"), ("app", "*")):
        found = await memories.search_memory(app_name=app, user_id=user, query="favourite colour")
        assert found.memories == []
        assert await sessions.get_session(app_name=app, user_id=user, session_id="first") is None
    assert (await sessions.list_sessions(app_name="app")).sessions == []
    assert (await MunimentSessionService(vault, actor="owner").list_sessions(app_name="app")).sessions == []


async def test_state_and_events_come_back_as_from_adks_own_service(vault: Memory) -> None:
    ours, theirs = MunimentSessionService(vault, actor="assistant"), InMemorySessionService()
    seen = []
    for service in (theirs, ours):
        first = await service.create_session(
            app_name="a",
            user_id="u",
            state={"app:x": 1, "user:y": [2], "z": {"n": None}, "temp:t": 3},
            session_id=" s ",
        )
        with pytest.raises(AlreadyExistsError):
            await service.create_session(app_name="a", user_id="u", session_id="s")
        for number in range(3):
            actions = EventActions(state_delta={"z": number, "user:y": number, "app:w": number, "temp:t": 4})
            event = Event(
                id=f"e{number}",
                author="user",
                content=content(f"message {number}"),
                timestamp=10.0 + number,
                actions=actions,
            )
            await service.append_event(first, event)
            await service.append_event(first, event)
        await service.create_session(app_name="a", user_id="other", session_id="s2")
        whole = await service.get_session(app_name="a", user_id="u", session_id="s")
        other = await service.get_session(app_name="a", user_id="other", session_id="s2")
        listed = (await service.list_sessions(app_name="a", user_id="u")).sessions
        seen.append(
            (
                whole.state,
                [event.model_dump(mode="json", exclude_none=True) for event in whole.events],
                other.state,
                [(one.id, one.state, one.events) for one in listed],
                await service.get_user_state(app_name="a", user_id="u"),
            )
        )
        await service.delete_session(app_name="a", user_id="u", session_id="s")
        assert await service.get_session(app_name="a", user_id="u", session_id="s") is None
    assert seen[0] == seen[1]


async def test_a_memory_that_was_deleted_does_not_come_back_with_its_session(vault: Memory) -> None:
    memories = MunimentMemoryService(vault, actor="assistant")
    events = [Event(id="e1", author="user", content=content("I moved to Bern"), timestamp=1.0)]
    await memories.add_events_to_memory(app_name="a", user_id="u", events=events, session_id="s")
    found = (await memories.search_memory(app_name="a", user_id="u", query="moved to Bern")).memories
    assert (found[0].author, found[0].content.parts[0].text) == ("user", "I moved to Bern")
    await memories.delete_memory(app_name="a", user_id="u", memory_id=found[0].id)
    await memories.add_events_to_memory(app_name="a", user_id="u", events=events, session_id="s")
    assert (await memories.search_memory(app_name="a", user_id="u", query="moved to Bern")).memories == []


def test_it_is_opened_by_a_uri_as_in_services_yaml(tmp_path) -> None:
    service = MunimentMemoryService(uri=f"muniment:{tmp_path}/vault?actor=assistant", agents_dir=".")
    assert service._memory.memory.actor.id == "assistant"
    service.close()
