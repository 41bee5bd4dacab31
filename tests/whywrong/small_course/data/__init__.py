"""Counting and averaging."""
