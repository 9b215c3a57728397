"""Agent memory that can prove itself."""

from muniment.engine import Memory

__all__ = ["Memory"]
__version__ = "0.1.0"
