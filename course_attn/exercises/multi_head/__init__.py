"""Exercises of `multi_head`: several attentions side by side."""
