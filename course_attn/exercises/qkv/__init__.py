"""Queries, keys and values."""
