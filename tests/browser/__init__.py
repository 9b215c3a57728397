"""Tests in a real browser. A package, so that its browser ends before tests elsewhere run a loop of their own."""
