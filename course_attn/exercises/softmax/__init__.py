"""Exercises of chapter 3, `softmax`: from scores to weights."""
