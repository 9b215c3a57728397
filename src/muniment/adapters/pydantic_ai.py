"""Pydantic AI harness: a `MemoryStore` whose compare-and-set and replay protection are those of the ledger."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping

from pydantic_ai import ModelRetry
from pydantic_ai_harness.memory import (
    MemoryConflictError,
    MemoryFile,
    MemoryMutation,
    MemoryOperation,
    MemoryOperationConflictError,
    MemorySearchMatch,
    MemorySearchResult,
)
from pydantic_ai_harness.memory._store import (
    decode_metadata,
    encode_metadata,
    is_direct_child,
    validate_store_path,
    validate_store_prefix,
)

from muniment.adapters.core import AdapterMemory, ChangedMeanwhile, Expected, Given, Labels, OnDecision, Stored, Written
from muniment.model.actor import Actor

_FILES, _DELETED = "files", "deleted"


class MunimentMemoryStore:
    """`Memory(store=MunimentMemoryStore("./vault", actor="assistant", user="ada"))`. Without a user the files are the
    actor's own. What the policy holds or refuses is a `ModelRetry` that says so."""

    def __init__(
        self,
        memory: Given,
        *,
        actor: str | Actor | None = None,
        user: str | None = None,
        tenant: str = "default",
        key: str | None = None,
        on_decision: OnDecision | None = None,
    ) -> None:
        self._memory = AdapterMemory(
            memory,
            adapter="pydantic_ai",
            actor=actor,
            user=user,
            tenant=tenant,
            key=key,
            on_decision=on_decision,
            private=True,
        )

    async def read(self, path: str, *, max_chars: int) -> MemoryFile | None:
        validate_store_path(path)
        if max_chars <= 0:
            raise ValueError("max_chars must be positive")
        found = await asyncio.to_thread(self._memory.get, *_place(path))
        if found is None:
            return None
        content = _field(found, "content") or ""
        return MemoryFile(
            content=content[:max_chars],
            version=_version(found.id, found.revision),
            operation_id=_field(found, "operation"),
            truncated=len(content) > max_chars,
            metadata=decode_metadata(_field(found, "metadata")),
        )

    async def get_operation(self, operation: MemoryOperation) -> MemoryMutation | None:
        return await asyncio.to_thread(self._done, operation)

    async def write(
        self,
        path: str,
        content: str,
        *,
        expected_version: str | None,
        operation: MemoryOperation | None = None,
    ) -> MemoryMutation:
        return await self.write_with_metadata(
            path, content, expected_version=expected_version, metadata=None, operation=operation
        )

    async def write_with_metadata(
        self,
        path: str,
        content: str,
        *,
        expected_version: str | None,
        metadata: Mapping[str, str] | None,
        operation: MemoryOperation | None = None,
    ) -> MemoryMutation:
        validate_store_path(path)
        encoded = encode_metadata(metadata)
        return await asyncio.to_thread(self._write, path, content, expected_version, encoded, operation)

    async def delete(
        self, path: str, *, expected_version: str | None, operation: MemoryOperation | None = None
    ) -> MemoryMutation:
        validate_store_path(path)
        return await asyncio.to_thread(self._delete, path, expected_version, operation)

    async def list_paths(self, prefix: str = "", *, limit: int) -> list[str]:
        validate_store_prefix(prefix)
        if limit <= 0:
            raise ValueError("limit must be positive")
        found = await asyncio.to_thread(self._memory.below, _above(prefix))
        return sorted(name for one in found if (name := _name(one)).startswith(prefix))[:limit]

    async def search(
        self, prefix: str, query: str, *, limit: int, max_files: int, max_chars: int, max_file_chars: int
    ) -> MemorySearchResult:
        """The files directly below a prefix that answer the query, by words and by meaning."""
        validate_store_prefix(prefix)
        if not query.split() or min(limit, max_files, max_chars, max_file_chars) <= 0:
            return MemorySearchResult(matches=[], scanned=0, truncated=False)
        found = await asyncio.to_thread(
            lambda: self._memory.search(_above(prefix), query, limit=max(max_files, limit), floor=None)
        )
        matches: list[MemorySearchMatch] = []
        left = max_chars
        fitting = [one for one in found if _name(one).startswith(prefix) and is_direct_child(prefix, _name(one))]
        for one in fitting[:limit]:
            shown = _name(one).removeprefix(prefix)
            snippet = one.disclosure.text[: max(0, min(max_file_chars, left - len(shown)))]
            if not snippet:
                break
            matches.append(MemorySearchMatch(path=_name(one), snippet=snippet, score=one.disclosure.score))
            left -= len(shown) + len(snippet)
        return MemorySearchResult(matches=matches, scanned=len(found), truncated=len(matches) < len(fitting))

    def close(self) -> None:
        self._memory.close()

    def _write(
        self, path: str, content: str, expected: str | None, metadata: str | None, operation: MemoryOperation | None
    ) -> MemoryMutation:
        done = self._done(operation)
        if done is not None:
            return done
        present = self._expected(path, expected, "written")
        value = {
            "content": content,
            "metadata": metadata,
            "operation": operation.id if operation is not None else None,
            "fingerprint": operation.fingerprint if operation is not None else None,
            "existed": present is not None,
        }
        try:
            written = self._memory.put(
                *_place(path),
                value,
                text=content,
                detect=False,
                expected=Expected.NOTHING if present is None else present.revision,
                proposal_id=_proposal(operation),
            )
        except ChangedMeanwhile:
            done = self._done(operation)
            if done is not None:
                return done
            raise MemoryConflictError(f"memory path {path!r} changed before it could be written") from None
        _kept(written)
        assert written.record_id is not None
        version = _version(written.record_id, written.revision or 1)
        return MemoryMutation(version=version, replayed=False, existed=present is not None)

    def _delete(self, path: str, expected: str | None, operation: MemoryOperation | None) -> MemoryMutation:
        done = self._done(operation)
        if done is not None:
            return done
        present = self._expected(path, expected, "deleted")
        if present is not None:
            _kept(self._memory.retract(present))
        if operation is not None:  # a retraction has no name of its own, so its receipt is a value
            receipt = {"fingerprint": operation.fingerprint, "existed": present is not None}
            self._memory.put((_DELETED,), operation.id, receipt, text="a file was deleted", role="system", detect=False)
        return MemoryMutation(version=None, replayed=False, existed=present is not None)

    def _expected(self, path: str, version: str | None, what: str) -> Stored | None:
        present = self._memory.get(*_place(path))
        if (None if present is None else _version(present.id, present.revision)) != version:
            raise MemoryConflictError(f"memory path {path!r} changed before it could be {what}")
        return present

    def _done(self, operation: MemoryOperation | None) -> MemoryMutation | None:
        """What an operation came to, if it was done before."""
        if operation is None:
            return None
        proposal = _proposal(operation)
        assert proposal is not None
        written = self._memory.decided(proposal)
        found = written or self._memory.get((_DELETED,), operation.id)
        if found is None:
            return None
        if _field(found, "fingerprint") != operation.fingerprint:
            raise MemoryOperationConflictError(f"operation id {operation.id!r} was reused with different arguments")
        version = None if written is None else _version(written.id, written.revision)
        existed = isinstance(found.value, dict) and found.value.get("existed") is True
        return MemoryMutation(version=version, replayed=True, existed=existed)


def _kept(written: Written) -> None:
    if not written.ok:
        raise ModelRetry(written.told)


def _place(path: str) -> tuple[Labels, str]:
    parts = path.split("/")
    return (_FILES, *parts[:-1]), parts[-1]


def _above(prefix: str) -> Labels:
    return (_FILES, *prefix.split("/")[:-1])


def _name(stored: Stored) -> str:
    return "/".join((*stored.path[1:], stored.key))


def _version(record: str, revision: int) -> str:
    return f"{record}@{revision}"


def _field(stored: Stored, name: str) -> str | None:
    value = stored.value.get(name) if isinstance(stored.value, dict) else None
    return value if isinstance(value, str) else None


def _proposal(operation: MemoryOperation | None) -> str | None:
    """The name of the proposal that an operation makes: the same operation again gets the same answer."""
    return None if operation is None else "pydantic." + hashlib.sha256(operation.id.encode()).hexdigest()[:40]
