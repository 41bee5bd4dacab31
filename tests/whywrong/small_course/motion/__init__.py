"""Motion on a line."""
