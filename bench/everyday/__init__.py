"""Everyday questions to small memories: facts and questions as plain text in `sets`, and how well they are answered."""
