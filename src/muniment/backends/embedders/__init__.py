"""Embedders: the local model, an endpoint, a caller's function, and the choice between them."""
