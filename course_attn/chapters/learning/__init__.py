"""What learning means."""
