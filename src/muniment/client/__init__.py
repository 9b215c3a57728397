"""A memory that is served, for programs: the same methods as the embedded one, over HTTP."""

from muniment.client.client import AsyncClient, Client

__all__ = ["AsyncClient", "Client"]
