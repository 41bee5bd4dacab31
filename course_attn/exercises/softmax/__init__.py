"""Exercises of `softmax`: from scores to weights."""
