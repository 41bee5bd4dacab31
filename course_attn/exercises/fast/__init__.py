"""Exercises of `fast`: the same answer with less memory."""
