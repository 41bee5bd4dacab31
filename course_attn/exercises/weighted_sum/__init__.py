"""Exercises of chapter 1, `weighted_sum`: mixing vectors by weights."""
