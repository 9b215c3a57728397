"""The native REST face as one table: what each operation is called, asks for, answers and needs. No network here."""

from muniment.rest.operation import Grant, Key, Operation, Verb
from muniment.rest.table import OPERATIONS, operation

__all__ = ["OPERATIONS", "Grant", "Key", "Operation", "Verb", "operation"]
