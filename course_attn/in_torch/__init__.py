"""The course's functions in PyTorch, one module per chapter.

Import a function from its chapter's module:
``from course_attn.in_torch.softmax import softmax``.
"""
