"""Attention backwards, by hand."""
