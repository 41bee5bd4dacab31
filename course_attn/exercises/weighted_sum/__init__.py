"""Mixing by relevance."""
