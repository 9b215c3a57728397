"""Adapters to agent frameworks, one module each. Each framework is an extra; nothing is imported before it is used."""
