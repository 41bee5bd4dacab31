"""Many heads."""
