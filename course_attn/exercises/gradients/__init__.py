"""Exercises of `gradients`: attention backwards."""
