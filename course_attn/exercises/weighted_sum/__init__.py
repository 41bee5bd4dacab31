"""Exercises of `weighted_sum`: mixing vectors by weights."""
