"""Find credentials and personal data in text and take them out. Anchored shapes and checksums; no guess by entropy.

What is found is named by its sort. The value itself goes no further than this package.
"""

from muniment.write.secrets.screen import DEFAULT, Screen, screen_of, words

__all__ = ["DEFAULT", "Screen", "screen_of", "words"]
