"""Follow one number."""
