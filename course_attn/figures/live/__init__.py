"""Numbers that a reader can change: pictures that compute, in a page without a kernel."""
