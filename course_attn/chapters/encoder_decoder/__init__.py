"""Two sequences meet."""
