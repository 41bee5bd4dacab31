"""Measuring relevance."""
