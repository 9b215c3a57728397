"""Tools for agent frameworks."""
