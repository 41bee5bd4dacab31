"""Live pictures: numbers that a reader can change."""
