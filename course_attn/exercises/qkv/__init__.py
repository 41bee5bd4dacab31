"""Exercises of `qkv`: queries, keys and values."""
