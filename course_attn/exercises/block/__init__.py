"""The transformer block."""
