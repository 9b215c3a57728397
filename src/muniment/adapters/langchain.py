"""LangChain: a retriever over everything an actor may see, and a chat message history."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.documents import Document
from langchain_core.messages import BaseMessage, message_to_dict, messages_from_dict
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field, PrivateAttr

from muniment.adapters.core import AdapterMemory, Given, OnDecision, readable, without_thought
from muniment.model.actor import Actor
from muniment.model.query import Disclosure


class MunimentRetriever(BaseRetriever):
    """`MunimentRetriever(memory="./vault", actor="helper", user="ada", k=5).invoke("which train?")`.

    `k` may be given with each call too. `options` are further bounds of `recall`, such as `kinds` or `trust_min`.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: object = Field(exclude=True, repr=False)
    actor: object = None
    user: str | None = None
    tenant: str = "default"
    key: str | None = Field(default=None, exclude=True, repr=False)
    k: int = 10
    options: dict[str, object] = Field(default_factory=dict)
    _opened: AdapterMemory = PrivateAttr()

    def model_post_init(self, context: object, /) -> None:
        super().model_post_init(context)
        self._opened = AdapterMemory(
            self.memory,  # type: ignore[arg-type]  # what is no memory is refused by name
            adapter="langchain",
            actor=self.actor,  # type: ignore[arg-type]  # the same
            user=self.user,
            tenant=self.tenant,
            key=self.key,
        )

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None, **options: object
    ) -> list[Document]:
        told = self._opened.recall(query, limit=self.k if k is None else k, **{**self.options, **options})
        return [_document(one, told.receipt_id) for one in told.records]

    def close(self) -> None:
        self._opened.close()


class MunimentChatMessageHistory(BaseChatMessageHistory):
    """The messages of one session, for `RunnableWithMessageHistory` and by themselves."""

    def __init__(
        self,
        session_id: str,
        memory: Given,
        *,
        actor: str | Actor | None = None,
        user: str | None = None,
        tenant: str = "default",
        key: str | None = None,
        on_decision: OnDecision | None = None,
    ) -> None:
        if not session_id:
            raise ValueError("session_id: a text that is not empty")
        self.session_id = session_id
        self._path = ("sessions", session_id)
        self._memory = AdapterMemory(
            memory,
            adapter="langchain",
            actor=actor,
            user=user,
            tenant=tenant,
            key=key,
            on_decision=on_decision,
            private=True,
        )

    @property
    def messages(self) -> list[BaseMessage]:
        found = [one.value for one in self._memory.below(self._path)]
        return messages_from_dict([one for one in found if isinstance(one, dict)])

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        for message in messages:
            self._memory.append(
                self._path,
                without_thought(message_to_dict(message)),
                text=readable(message.content),
                role=message.type if message.type != "chat" else getattr(message, "role", "unknown"),
                source=message.name,
                session=self.session_id,
            )

    def clear(self) -> None:
        self._memory.clear(self._path)

    def close(self) -> None:
        self._memory.close()


def _document(found: Disclosure, receipt: str) -> Document:
    record, standing = found.record, found.standing
    return Document(
        id=record.id,
        page_content=found.text,
        metadata={
            "record_id": record.id,
            "revision": record.revision,
            "actor": record.actor,
            "origin": standing.footing.label.value,
            "confidence": standing.footing.effective,
            "gate": found.gate.value,
            "presented": found.presented.value,
            "notices": list(found.notices),
            "score": found.score,
            "source": record.claim.origin.source,
            "receipt_id": receipt,
        },
    )
