"""The native REST face as one table: what each operation is called, asks for, answers and needs. No network here."""

from muniment.operations.operation import Grant, Key, OperationSpec, Verb
from muniment.operations.table import OPERATIONS, operation

__all__ = ["OPERATIONS", "Grant", "Key", "OperationSpec", "Verb", "operation"]
