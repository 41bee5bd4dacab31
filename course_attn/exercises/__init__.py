"""The exercises of the book: check an answer, ask for a hint or a solution, see what is done."""

import os
from typing import Any

from course_attn.checking.catalog import Catalog, Unavailable
from course_attn.checking.help import Hints, show_hints, show_solution
from course_attn.checking.judge import judge
from course_attn.checking.overview import Overview
from course_attn.checking.result import NotRight, Result
from course_attn.checking.store import passed_exercises, record_pass
from course_attn.source import Source

__all__ = ["catalog", "check", "hint", "progress", "solution"]

catalog = Catalog(
    {
        "weighted_sum": {
            "course_attn.exercises.weighted_sum.weighted_sum": ("weighted_sum",),
            "course_attn.exercises.weighted_sum.normalize_weights": (
                "normalize_weights",
            ),
            "course_attn.exercises.weighted_sum.moving_average_weights": (
                "moving_average_weights",
            ),
            "course_attn.exercises.weighted_sum.in_convex_hull": (
                "in_convex_hull",
            ),
            "course_attn.exercises.weighted_sum.mixture_shape": ("mixture_shape",),
            "course_attn.exercises.weighted_sum.weighted_sum_torch": (
                "weighted_sum_torch",
            ),
        },
        "scores": {
            "course_attn.exercises.scores.dot_scores": ("dot_scores",),
            "course_attn.exercises.scores.cosine_scores": ("cosine_scores",),
            "course_attn.exercises.scores.additive_scores": ("additive_scores",),
            "course_attn.exercises.scores.nadaraya_watson": ("nadaraya_watson",),
            "course_attn.exercises.scores.fooled_by_length": ("fooled_by_length",),
            "course_attn.exercises.scores.cosine_scores_torch": (
                "cosine_scores_torch",
            ),
        },
        "softmax": {
            "course_attn.exercises.softmax.softmax": ("softmax",),
            "course_attn.exercises.softmax.softmax_with_temperature": (
                "softmax_with_temperature",
            ),
            "course_attn.exercises.softmax.entropy": ("entropy",),
            "course_attn.exercises.softmax.softmax_jacobian": ("softmax_jacobian",),
            "course_attn.exercises.softmax.true_of_softmax": ("true_of_softmax",),
            "course_attn.exercises.softmax.hide_the_axis_bug": (
                "hide_the_axis_bug",
            ),
            "course_attn.exercises.softmax.softmax_torch": ("softmax_torch",),
        },
        "qkv": {
            "course_attn.exercises.qkv.project_qkv": ("project_qkv",),
            "course_attn.exercises.qkv.attention": ("attention",),
            "course_attn.exercises.qkv.soft_lookup": ("soft_lookup",),
            "course_attn.exercises.qkv.possible_scores": ("possible_scores",),
            "course_attn.exercises.qkv.self_attention_torch": ("SelfAttention",),
        },
        "scaling": {
            "course_attn.exercises.scaling.scaled_attention": ("scaled_attention",),
            "course_attn.exercises.scaling.init_projection": ("init_projection",),
            "course_attn.exercises.scaling.score_variance": ("score_variance",),
            "course_attn.exercises.scaling.which_d": ("which_d",),
            "course_attn.exercises.scaling.scaled_attention_torch": (
                "scaled_attention_torch",
            ),
        },
        "masks": {
            "course_attn.exercises.masks.causal_mask": ("causal_mask",),
            "course_attn.exercises.masks.masked_softmax": ("masked_softmax",),
            "course_attn.exercises.masks.padding_mask": ("padding_mask",),
            "course_attn.exercises.masks.causal_attention": ("causal_attention",),
            "course_attn.exercises.masks.to_torch_mha_mask": ("to_torch_mha_mask",),
            "course_attn.exercises.masks.find_leak": ("find_leak",),
            "course_attn.exercises.masks.causal_attention_torch": (
                "causal_attention_torch",
            ),
        },
        "multi_head": {
            "course_attn.exercises.multi_head.split_heads": ("split_heads",),
            "course_attn.exercises.multi_head.merge_heads": ("merge_heads",),
            "course_attn.exercises.multi_head.multi_head_attention": (
                "multi_head_attention",
            ),
            "course_attn.exercises.multi_head.true_of_average": (
                "true_of_average",
            ),
            "course_attn.exercises.multi_head.n_parameters": ("n_parameters",),
            "course_attn.exercises.multi_head.multi_head_flops": (
                "multi_head_flops",
            ),
            "course_attn.exercises.multi_head.head_from_torch": (
                "head_from_torch",
            ),
            "course_attn.exercises.multi_head.multi_head_attention_torch": (
                "MultiHeadAttention",
            ),
        },
        "order": {
            "course_attn.exercises.order.sinusoidal_encoding": (
                "sinusoidal_encoding",
            ),
            "course_attn.exercises.order.rotary": ("rotary",),
            "course_attn.exercises.order.alibi_bias": ("alibi_bias",),
            "course_attn.exercises.order.can_tell_order": ("can_tell_order",),
            "course_attn.exercises.order.is_equivariant": ("is_equivariant",),
            "course_attn.exercises.order.learned_positions_torch": (
                "LearnedPositions",
            ),
        },
        "block": {
            "course_attn.exercises.block.layer_norm": ("layer_norm",),
            "course_attn.exercises.block.feed_forward": ("feed_forward",),
            "course_attn.exercises.block.transformer_block": ("transformer_block",),
            "course_attn.exercises.block.gpt_parameters": ("gpt_parameters",),
            "course_attn.exercises.block.transformer_block_torch": (
                "TransformerBlock",
            ),
            "course_attn.exercises.block.stack_torch": ("Stack",),
        },
        "fast": {
            "course_attn.exercises.fast.attention_flops": ("attention_flops",),
            "course_attn.exercises.fast.merge_partial": ("merge_partial",),
            "course_attn.exercises.fast.online_softmax": ("online_softmax",),
            "course_attn.exercises.fast.cached_step": ("cached_step",),
            "course_attn.exercises.fast.repeat_kv": ("repeat_kv",),
            "course_attn.exercises.fast.sliding_window_mask": (
                "sliding_window_mask",
            ),
            "course_attn.exercises.fast.grouped_attention_torch": (
                "grouped_attention_torch",
            ),
        },
    }
)


def check(fn: Any, name: str | None = None) -> Result:
    """Check an answer to an exercise.

    Parameters
    ----------
    fn : callable
        Your function.
    name : str, optional
        The exercise; by default the function's own name.

    Returns
    -------
    Result
        The verdict, with what to do next.

    Raises
    ------
    NotRight
        In strict mode only (under nbgrader, or with ``COURSE_ATTN_STRICT=1``), unless right.
    """
    strict = _is_strict()
    result = _judged(fn, name, strict)
    if strict:
        if not result.passed:
            raise NotRight(repr(result)) from None
        return result
    return _recorded(result) if result.passed else result


def hint(name: Any) -> Hints | Result:
    """Show one more hint for an exercise at each call."""
    try:
        return show_hints(catalog.find(catalog.name_of(name, None)))
    except Unavailable as problem:
        return Result("wrong", str(problem))


def solution(name: Any) -> Source | Result:
    """Show a solution of an exercise."""
    try:
        return show_solution(catalog.find(catalog.name_of(name, None)))
    except Unavailable as problem:
        return Result("wrong", str(problem))


def progress() -> Overview:
    """Show which exercises are done, by chapter."""
    passed, message = passed_exercises()
    return Overview(catalog.chapters, passed, message)


def _is_strict() -> bool:
    return (
        bool(os.environ.get("NBGRADER_EXECUTION"))
        or os.environ.get("COURSE_ATTN_STRICT") == "1"
    )


def _judged(fn: Any, name: str | None, strict: bool) -> Result:
    try:
        return judge(catalog.find(catalog.name_of(fn, name)), fn)
    except Unavailable as problem:
        return Result("wrong", str(problem), faults=("unknown-exercise",))
    except Exception as error:
        if strict:
            raise
        said = f"{type(error).__name__}: {error}"
        return Result(
            "crashed",
            f"The checker itself failed, which is not your fault ({said}).",
        )


def _recorded(result: Result) -> Result:
    trouble = record_pass(result.name)
    if trouble is None:
        return result
    return Result(
        "right", "", result.name, (), result.printed, (*result.remarks, trouble)
    )
