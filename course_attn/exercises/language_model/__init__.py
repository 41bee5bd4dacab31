"""A model that writes."""
