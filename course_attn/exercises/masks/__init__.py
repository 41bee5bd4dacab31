"""Exercises of `masks`: who may see whom."""
