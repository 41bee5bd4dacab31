"""Exercises of chapter 8, `order`: attention and position."""
