"""Exercises of chapter 5, `scaling`: why the scores are divided by the root of d_k."""
