"""Exercises of `order`: attention and position."""
