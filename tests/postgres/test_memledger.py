"""A memledger program with a pgvector configuration works on a vault in PostgreSQL."""

from __future__ import annotations

import asyncio

import pytest

from muniment import Memory
from muniment.model.errors import ConfigurationError
from muniment_memledger import EmbeddingConfig, Memledger

NO_MODEL = EmbeddingConfig(provider="none")


def test_a_pgvector_configuration_opens_a_vault_in_the_database(bare_dsn: str) -> None:
    async def story() -> str:
        options = {"connection_string": bare_dsn, "pool_max_size": 4, "table_name": "memories"}
        async with await Memledger.create("pgvector", options, NO_MODEL) as ml:
            name = await ml.add("The pump is red", namespace="/ops", agent_id="ana", user_id="u1", confidence=0.8)
        async with await Memledger.create(connection_string=bare_dsn, embedding_config=NO_MODEL) as again:
            assert again.backend_name == "pgvector"
            found = await again.search("pump", namespace="/ops")
            assert [(one.id, one.user_id, one.confidence) for one in found] == [(name, "u1", 0.8)]
        return name

    name = asyncio.run(story())
    with Memory.open(bare_dsn, create=False, embedder=None) as memory:
        assert memory.insight.policy.name == "memledger"
        assert memory.get(name).record.content == "The pump is red"


@pytest.mark.parametrize(
    ("options", "setting"), [({"hosts": ["db"]}, "backends.hosts"), ({"iam_auth": True}, "backends.iam_auth")]
)
def test_a_pgvector_configuration_that_cannot_be_is_refused_by_name(options: dict[str, object], setting: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        asyncio.run(Memledger.create("pgvector", options, NO_MODEL))

    assert refused.value.setting == setting
