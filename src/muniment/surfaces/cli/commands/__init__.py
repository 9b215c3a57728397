"""Commands that are made from the table of operations: a module here is a command of its name."""
