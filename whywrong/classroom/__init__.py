"""A class's exercise notebooks: ``python -m course_attn.classroom`` writes and restores them."""
