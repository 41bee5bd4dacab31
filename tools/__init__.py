"""What makes the book besides Sphinx; run a tool as ``python -m tools.execute_notebooks``."""
