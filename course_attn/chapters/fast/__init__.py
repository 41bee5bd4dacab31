"""The same answer with less memory."""
