"""One contestant each: how its store is opened, written to and asked. Run with that contestant's own Python."""
