"""The course's functions in NumPy, one module per chapter.

Import a function from its chapter's module:
``from course_attn.in_numpy.softmax import softmax``.
"""
