"""Exercises of chapter 2, `scores`: measuring relevance."""
