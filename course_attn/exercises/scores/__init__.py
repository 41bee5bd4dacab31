"""Exercises of `scores`: measuring relevance."""
