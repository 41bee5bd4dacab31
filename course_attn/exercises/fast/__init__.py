"""Exercises of chapter 10, `fast`: the same answer with less memory."""
