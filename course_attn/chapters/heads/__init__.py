"""What heads do."""
