"""The exercises of the book: check an answer, ask for a hint or a solution, see what is done."""

from pathlib import Path

from whywrong.catalog import Catalog
from whywrong.course import Course

__all__ = [
    "catalog",
    "check",
    "course",
    "hint",
    "progress",
    "require",
    "solution",
]

catalog = Catalog(
    "course_attn.chapters",
    Path(__file__).with_name("chapters"),
    (
        "weighted_sum",
        "scores",
        "softmax",
        "qkv",
        "scaling",
        "masks",
        "multi_head",
        "order",
        "block",
        "language_model",
        "encoder_decoder",
        "gradients",
        "heads",
        "fast",
        "perspective",
    ),
    homes={"numpy": "course_attn.in_numpy", "torch": "course_attn.in_torch"},
)

_FORMER_NAMES = {
    "attention": "unscaled_attention",
    "transformer_block": "masked_block",
}

course = Course(catalog, prefix="", former_names=_FORMER_NAMES)
check, require = course.check, course.require
hint, solution, progress = course.hint, course.solution, course.progress
