"""Copies of a vault: made while it is used, put back, and carried elsewhere."""
