"""Exercises of chapter 9, `block`: the transformer block."""
