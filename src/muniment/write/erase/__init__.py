"""Erasure: find what is meant and what stands on it, take it away with every trace of its words, and certify it."""
