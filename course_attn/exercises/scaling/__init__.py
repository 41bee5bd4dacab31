"""Why divide by √d."""
