"""Exercises of chapter 4, `qkv`: queries, keys and values."""
