"""A memory in use for some minutes: writers, readers, a server and its clients, kills, backups and erasures at once."""
