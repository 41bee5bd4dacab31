"""The exercises, one in each file."""
