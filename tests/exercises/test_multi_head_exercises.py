"""What the checks of chapter 7 say about answers as learners write them."""

import numpy as np
import pytest

from course_attn.exercises import catalog, check

from . import (
    right_multi_head,
    wrong_multi_head,
    wrong_multi_head_attention,  # noqa: F401  (adds to WRONG)
    wrong_multi_head_torch,  # noqa: F401
)
from .wrong_answers import WRONG

TOLD = {
    "split_heads": {
        "sh_only_reshape": ("reshape-only",),
        "sh_two_axes_only": ("fails-batch",),
        "sh_list": ("not-an-array",),
        "sh_assert": ("fails-indivisible",),
        "sh_type_error": ("fails-indivisible",),
        "sh_error_returned": ("no-error",),
        "sh_error_printed": ("no-error",),
        "sh_slices_lose_the_rest": ("error-missing",),
        "sh_padded": ("no-error",),
        "sh_stacked_in_front": ("heads-before-the-batch",),
        "sh_reshape_and_no_error": ("reshape-only", "error-missing"),
        "sh_transposed_reshape": ("elements-mixed",),
    },
    "merge_heads": {
        "mh_only_reshape": ("reshape-only",),
        "mh_iterated": ("first-axis",),
        "mh_moved_last": ("in-turn",),
    },
    "multi_head_attention": {
        "mha_reshape_both_ways": ("cut-by-reshape", "joined-by-reshape"),
        "mha_single": ("one-head-for-all",),
        "mha_slices_of_x": ("slices-of-x",),
        "mha_rows_of_the_matrices": ("transposed-projections",),
        "mha_no_output": ("root-of-d-model", "no-output-matrix"),
        "mha_mask_in_the_mha_way": ("no-scale", "mask-inverted"),
        "mha_zero_times_infinity": ("nothing-but-nan",),
        "mha_axis_1": ("down-the-columns",),
        "mha_mask_after_scale_d_model": ("root-of-d-model", "masked-after"),
        "mha_heads_never_merged": ("heads-not-joined",),
        "mha_positions_attend_across_heads": ("within-each-element",),
        "mha_first_head_only": ("heads-not-alike",),
        "mha_residual": ("last-step",),
        "mha_handed_over": ("built-in",),
    },
    "n_parameters": {
        "np_four_squares": ("four-squares",),
        "np_three_matrices": ("no-output-matrix", "no-output-bias"),
        "np_widths_of_d_k": ("all-of-width-d-k",),
        "np_no_bias_of_values": ("fails-bias", "difference"),
    },
    "multi_head_flops": {
        "flops_multiplications": ("additions-forgotten",),
        "flops_every_head_whole": ("full-width-heads",),
        "flops_without_w_o": ("no-output-matrix",),
        "flops_scores_in_one_head": ("one-head", "one-product"),
        "flops_projections_by_head_and_full": ("parts",),
    },
    "head_from_torch": {
        "hft_columns": ("columns-cut",),
        "hft_rows": ("not-transposed",),
        "hft_one_tensor": ("one-result",),
        "hft_from_one": ("one-before",),
        "hft_the_course_s": ("built-in",),
    },
    "MultiHeadAttention": {
        "module_bias": ("bias",),
        "module_narrow": ("weight-shape",),
        "module_without_output_matrix": ("attribute",),
        "module_list_of_heads": ("attribute",),
        "module_detached": ("gradient",),
        "module_mask_the_wrong_way": ("mask-inverted",),
        "module_without_mask_and_scale": ("no-scale", "no-mask"),
        "module_handed_to_the_function": ("built-in",),
    },
}
EACH = [(name, answer) for name, told in TOLD.items() for answer in told]


@pytest.mark.parametrize(("name", "answer"), EACH)
def test_a_wrong_answer_is_told_its_mistake(name, answer):
    wrong = {function.__name__: function for function in WRONG[name]}
    result = check(wrong[answer], name)
    assert result.faults == TOLD[name][answer], result


def test_the_message_quotes_the_learner_s_own_numbers():
    result = check(wrong_multi_head.sh_only_reshape, "split_heads")
    assert "[0, 1] and [2, 3]" in result.message
    assert "[0, 1] and [10, 11]" in result.message
    result = check(wrong_multi_head.np_no_bias_of_values, "n_parameters")
    assert "The difference, 6, is the bias of the values" in result.message


def test_of_two_mistakes_the_missing_error_is_told_where_it_is_missing():
    result = check(wrong_multi_head.sh_reshape_and_no_error, "split_heads")
    assert "3 heads cannot share 5 features" in result.message


@pytest.mark.parametrize("letter", "ade")
def test_each_statement_that_is_not_certain_has_its_own_sentence(letter):
    chosen = {"b", "c", "f", "g", letter}
    assert check(lambda: chosen, "true_of_average").faults == (letter,)


@pytest.mark.parametrize("letter", "bcfg")
def test_each_statement_left_out_has_its_own_sentence(letter):
    chosen = {"b", "c", "f", "g"} - {letter}
    assert check(lambda: chosen, "true_of_average").faults == (f"{letter}-missing",)


@pytest.mark.parametrize("rows", ["certain", "drawn"])
def test_the_statements_about_an_average_are_as_claimed(rows):
    """Every pair of heads with the mean (0.5, 0.5, 0, 0), and which statements hold for it."""
    x = np.array([0.0, 1.0]) if rows == "certain" else np.linspace(0, 1, 101)
    zero = np.zeros_like(x)
    first = np.stack([x, 1 - x, zero, zero], axis=-1)
    second = 2 * np.array([0.5, 0.5, 0, 0]) - first
    assert (second >= 0).all() and np.allclose(second.sum(axis=-1), 1)
    both = np.stack([first, second])
    holds = {
        "a": (both[..., 0] == 0.5).all(axis=0),
        "b": (both[..., 2] == 0).all(axis=0),
        "c": (both[..., 0] >= 0.5).any(axis=0),
        "d": (both == 1).any(axis=(0, 2)),
        "g": (first[:, 0] != 1) | (second[:, 1] == 1),
    }
    certain = {letter for letter, each in holds.items() if each.all()}
    expected = {"b", "c", "g"} | ({"d"} if rows == "certain" else set())
    assert certain == expected


def test_mixing_with_the_average_is_another_output():
    rng = np.random.default_rng(0)
    values, W_O = rng.standard_normal((2, 4, 3)), rng.standard_normal((2, 3, 6))
    weights = np.array([[1.0, 0, 0, 0], [0, 1.0, 0, 0]])
    own = sum(a @ V @ W for a, V, W in zip(weights, values, W_O, strict=True))
    mixed = sum(
        weights.mean(axis=0) @ V @ W for V, W in zip(values, W_O, strict=True)
    )
    assert np.abs(own - mixed).max() > 0.1


def test_inputs_of_multi_head_attention_separate_mistakes():
    """In every mask each row and column has a True and a False; no matrix is an identity."""
    for case in catalog.find("multi_head_attention").made_cases:
        mask = case.args[-1]
        for axis in (0, 1):
            assert (mask.any(axis) & ~mask.all(axis)).all()
        assert (mask != mask.T).any()
        assert np.abs(case.args[4] - np.eye(len(case.args[4]))).max() > 0.5


def test_a_right_answer_may_leave_the_gradient_out():
    result = check(right_multi_head.hft_clone_without_gradient, "head_from_torch")
    assert result.passed


def test_operations_are_those_that_pytorch_counts():
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    n, d_model, n_heads = 7, 12, 3
    layer = catalog.find("MultiHeadAttention").reference(d_model, n_heads)
    with FlopCounterMode(display=False) as counter:
        layer(torch.randn(n, d_model), torch.ones(n, n, dtype=torch.bool))
    counted = catalog.find("multi_head_flops").reference(n, d_model, n_heads)
    assert counter.get_total_flops() == counted


def test_an_error_that_is_returned_or_printed_is_told_to_be_raised():
    returned = check(wrong_multi_head.sh_error_returned, "split_heads")
    assert "*returns* one: write `raise ValueError(…)`" in returned.message
    printed = check(wrong_multi_head.sh_error_printed, "split_heads")
    assert "which `print` does not" in printed.message
