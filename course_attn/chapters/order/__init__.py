"""Attention and position."""
