"""From scores to weights."""
