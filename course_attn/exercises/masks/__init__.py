"""Exercises of chapter 6, `masks`: who may see whom."""
