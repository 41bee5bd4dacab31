"""Exercises of chapter 7, `multi_head`: several attentions side by side."""
