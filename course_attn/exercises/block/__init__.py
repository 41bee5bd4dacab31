"""Exercises of `block`: the transformer block."""
