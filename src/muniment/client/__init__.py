"""A memory that is served, for programs: the same methods as the embedded one, over HTTP."""

from muniment.client.asynchronous import AsyncClient
from muniment.client.sync import Client

__all__ = ["AsyncClient", "Client"]
