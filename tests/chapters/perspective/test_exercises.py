"""Exercises of `perspective`: they mean what the package means, and say what is true."""

import numpy as np
import pytest
import torch
from torch import nn

from course_attn.exercises import catalog, check
from course_attn.in_numpy import perspective as package
from course_attn.in_numpy.order import sinusoidal_encoding
from course_attn.in_numpy.qkv import attention
from course_attn.in_numpy.softmax import softmax
from tests.exercises.same import assert_solution_is, inputs

SAME = {
    "shift_weights": package.shift_weights,
    "hopfield_update": lambda patterns, state, beta: package.hopfield_update(
        patterns, state, beta=beta
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_solution_is_the_packages_function(name):
    assert_solution_is(SAME[name], name)


def test_exercises_together_are_pytorchs_convolution():
    """The shifts of the heads, their weights and their W_O: the three exercises in one."""
    head_shifts, shift_weights, W_O_from_conv = (
        catalog.find(name).solution
        for name in ("head_shifts", "shift_weights", "W_O_from_conv")
    )
    draw = np.random.default_rng(0).standard_normal
    for k_height, k_width in ((3, 3), (1, 5), (5, 3)):
        image, weight = draw((6, 7, 3)), draw((4, 3, k_height, k_width))
        heads = [
            shift_weights(6, 7, tuple(shift)) @ image.reshape(42, 3)
            for shift in head_shifts(k_height, k_width)
        ]
        ours = np.concatenate(heads, axis=-1) @ W_O_from_conv(weight)
        theirs = nn.functional.conv2d(
            torch.from_numpy(image).permute(2, 0, 1),
            torch.from_numpy(weight),
            padding=(k_height // 2, k_width // 2),
        )
        theirs = theirs.permute(1, 2, 0).reshape(42, 4)
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


def _feed_forward(rng):
    W_1, W_2 = rng.standard_normal((4, 8)), rng.standard_normal((8, 4))
    return lambda X: np.maximum(X @ W_1, 0) @ W_2


def _flat(rng):
    W = rng.standard_normal((20, 7))
    return lambda X: X.ravel() @ W


def _learned_table(rng):
    S = rng.standard_normal((5, 5))
    return lambda X: softmax(S) @ X


def _mean_first(rng):
    W = rng.standard_normal((4, 3))
    return lambda X: X.mean(axis=0) @ W


def _learned_queries(rng):
    Q, W_K, W_V = rng.standard_normal((5, 4)), *rng.standard_normal((2, 4, 4))
    return lambda X: attention(Q, X @ W_K, X @ W_V)


def _convolution_then_dense(rng):
    convolve, W = (
        nn.Conv1d(4, 4, 3, padding=1).double(),
        rng.standard_normal((20, 3)),
    )
    return lambda X: convolve(torch.from_numpy(X.T)).detach().numpy().ravel() @ W


def _self_attention(rng):
    W_Q, W_K, W_V = rng.standard_normal((3, 4, 4))
    return lambda X: attention(X @ W_Q, X @ W_K, X @ W_V)


def _with_formula(rng):
    attend = _self_attention(rng)
    return lambda X: attend(X + sinusoidal_encoding(len(X), 4))


def _with_learned_positions(rng):
    attend, P = _self_attention(rng), rng.standard_normal((5, 4))
    return lambda X: attend(X + P)


MODELS = {
    "a": _feed_forward,
    "b": _flat,
    "c": _learned_table,
    "d": _mean_first,
    "e": _learned_queries,
    "f": _convolution_then_dense,
    "g": _with_formula,
    "h": _with_learned_positions,
}


@pytest.mark.parametrize("letter", MODELS)
def test_runs_on_longer_names_the_models_that_run(letter):
    rng = np.random.default_rng(0)
    model = MODELS[letter](rng)
    assert np.isfinite(model(rng.standard_normal((5, 4)))).all()
    longer = rng.standard_normal((6, 4))
    if letter in catalog.find("runs_on_longer").solution():
        assert np.isfinite(model(longer)).all()
    else:
        with pytest.raises(ValueError):
            model(longer)


def test_runs_on_longer_has_a_sentence_for_each_wrong_choice():
    right = {"a", "d", "e", "g"}
    said = set()
    for letter in "abcdefgh":
        result = check(lambda letter=letter: right ^ {letter}, "runs_on_longer")
        id = f"{letter}-missing" if letter in right else letter
        assert result.faults == (id,)
        said.add(result.message)
    assert len(said) == 8


def sees(kind, layer, n=500):
    """Return who is seen by whom in a layer of a kind of the question."""
    i = np.arange(n)
    apart = np.abs(i[:, None] - i)
    middle = (i == n // 2) | (i[:, None] == n // 2)
    return {
        "recurrence": (i[:, None] - i == 1) | (apart == 0),
        "convolution": apart <= 2,
        "dilated": np.isin(apart, [0, 2**layer]),
        "attention": apart >= 0,
        "with-middle": (apart <= 2) | middle,
    }[kind]


def test_steps_to_the_end_are_those_of_news_that_travels():
    """From the first position on, layer by layer, until the last one knows."""
    found = []
    for kind in (
        "recurrence",
        "convolution",
        "dilated",
        "attention",
        "with-middle",
    ):
        knows = np.arange(500) == 0
        n_steps, always = 0, None if kind == "dilated" else sees(kind, 0)
        while not knows[-1]:
            assert n_steps < (20 if kind == "dilated" else 500)
            table = sees(kind, n_steps) if always is None else always
            knows = table[:, knows].any(axis=1)
            n_steps += 1
        found.append(n_steps)
    assert tuple(found) == catalog.find("steps_to_the_end").solution()


def test_steps_to_the_end_says_something_else_for_each_slip():
    """Each wrong number in its place gets its own sentence."""
    right = catalog.find("steps_to_the_end").solution()
    wrong = {
        0: [500, 1, 250],
        1: [125, 100, 499, 249, 167, 9, 251],
        2: [6, 8, 10, 499, 250, 5],
        3: [500, 2, 9],
        4: [1, 250, 125, 3, 9],
    }
    said = set()
    for i, numbers in wrong.items():
        for number in numbers:
            answer = [*right]
            answer[i] = number
            result = check(lambda answer=answer: answer, "steps_to_the_end")
            assert result.status == "wrong" and result.message.startswith(
                "abcde"[i]
            )
            said.add(result.message)
    assert len(said) == sum(map(len, wrong.values()))


@pytest.mark.parametrize(
    ("n_layers", "reach"), [(6, 63), (8, 255), (9, 511)], ids=str
)
def test_dilated_layers_reach_as_far_as_is_said(n_layers, reach):
    knows = np.arange(600) == 0
    for layer in range(n_layers):
        knows = sees("dilated", layer, 600)[:, knows].any(axis=1)
    assert np.flatnonzero(knows).max() == reach


def test_shift_weights_says_where_a_pixel_looks():
    def one_row_too_far(height, width, shift):
        return package.shift_weights(height, width, (shift[0] + 1, shift[1]))

    message = check(one_row_too_far, "shift_weights").message
    assert (
        "In an image of 2 × 3, pixel 0 is in row 0, column 0. (0, 1) away from it lies "
        "pixel 1; you have a 1 at pixel 4." in message
    )


def test_W_O_from_conv_says_which_entry_of_the_kernel_stands_there():
    solution = catalog.find("W_O_from_conv").solution
    # Of code that cannot be read no line is named.
    from_the_end = eval("lambda weight: f(weight)[::-1]", {"f": solution})
    message = check(from_the_end, "W_O_from_conv").message
    assert (
        "Row 0 belongs to channel 0 of head 0, that of entry (0, 0), and should be "
        "weight[:, 0, 0, 0]. In column 0 you have weight[0, 2, 0, 1]." in message
    )


def test_hopfield_update_of_zero_beta_is_the_mean():
    """What the property says of β = 0, and how it is told."""
    solution = catalog.find("hopfield_update").solution
    patterns, state, _ = inputs("hopfield_update")[1]
    found = solution(patterns, state, 0.0)
    np.testing.assert_allclose(
        found, np.tile(patterns.mean(axis=0), (len(state), 1))
    )

    def drifting(patterns, state, beta):
        return state + 0.1 * (solution(patterns, state, beta) - state)

    result = check(drifting, "hopfield_update")
    assert "With β = 0 all patterns weigh the same" in result.message


def test_hopfield_update_by_distances_is_as_it_is_said():
    """With patterns of one length, distances with β are dot products with 2β."""
    exercise = catalog.find("hopfield_update")
    distances = exercise.wrong_version(
        next(fault for fault in exercise.faults if fault.id == "distances")
    )
    rng = np.random.default_rng(0)
    patterns, state = (
        np.sign(rng.standard_normal((5, 8))),
        rng.standard_normal((3, 8)),
    )
    np.testing.assert_allclose(
        distances(patterns, state, 0.3), exercise.solution(patterns, state, 0.6)
    )
