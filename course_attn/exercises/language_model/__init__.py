"""Exercises of `language_model`: a model that writes."""
