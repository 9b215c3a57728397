"""A race on one track: the same texts, questions and embedder for us and for the peers that run offline."""
