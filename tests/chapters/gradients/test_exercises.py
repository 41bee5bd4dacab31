"""Exercises of `gradients`: they mean what the package means, and say what is true."""

import numpy as np
import pytest
import torch

from course_attn.exercises import catalog, check
from course_attn.in_numpy import gradients as package
from course_attn.in_torch.block import rms_norm
from tests.exercises.same import assert_solution_is, inputs

SAME = {
    "softmax_backward": package.softmax_backward,
    "attention_backward": lambda Q, K, V, d_out, mask: package.attention_backward(
        Q, K, V, d_out, mask=mask
    ),
    "numerical_gradient": lambda f, x, eps: package.numerical_gradient(
        f, x, eps=eps
    ),
    "layer_norm_backward": package.layer_norm_backward,
}


@pytest.mark.parametrize("name", SAME)
def test_solution_is_the_packages_function(name):
    assert_solution_is(SAME[name], name)


def test_rising_scores_are_those_that_a_step_raises():
    """The data as the task has them: the output is (2, 1), and a step of descent is taken."""
    weights = np.array([0.25, 0.05, 0.05, 0.4, 0.05, 0, 0.15, 0.05])
    values = np.array(
        [[4.0, 0], [3, 3], [6, 5], [2, 1], [1, 1], [3, 3], [-2, 0], [0, 3]]
    )
    text = catalog.find("rising_scores").task
    for letter, weight, (x, y) in zip("abcdefgh", weights, values, strict=True):
        shown = f"{weight:.2f}" if weight else "0, as it is masked"
        value = f"({x:g}, {y:g})".replace("-", "−")
        assert f"- **{letter}** weight {shown}, value {value}" in text
    output = weights @ values
    np.testing.assert_allclose(output, [2, 1])
    d_scores = package.softmax_backward(weights, values @ (output - [3, 3]))
    step = dict(zip("abcdefgh", -d_scores, strict=True))
    rising = {letter for letter, by in step.items() if by > 1e-12}
    falling = {letter for letter, by in step.items() if by < -1e-12}
    assert rising == catalog.find("rising_scores").solution()
    assert falling == {"e", "g"}
    np.testing.assert_allclose(step["c"], 0.6)
    assert max(step, key=step.get) == "c"


def test_rising_scores_has_a_sentence_for_each_wrong_choice():
    right = {"b", "c", "h"}
    said = set()
    for letter in "abcdefgh":
        result = check(lambda letter=letter: right ^ {letter}, "rising_scores")
        id = f"{letter}-missing" if letter in right else letter
        assert result.faults == (id,)
        said.add(result.message)
    assert len(said) == 8


def test_rms_norm_backward_is_what_autograd_finds():
    """For the package's norm, so that the forward pass of the task is that norm."""
    exercise = catalog.find("rms_norm_backward")
    for X, gain, eps, d_out in inputs("rms_norm_backward"):
        given = [torch.from_numpy(a).double().requires_grad_() for a in (X, gain)]
        up = torch.from_numpy(d_out).double()
        wanted = torch.autograd.grad(rms_norm(*given, eps=eps), given, up)
        for name, theirs in zip(("dX", "d_gain"), wanted, strict=True):
            found = exercise.used(exercise.solution)(*given, eps, up, name)
            torch.testing.assert_close(found, theirs)


def test_rms_norm_backward_makes_a_function_that_passes_gradcheck():
    solution = catalog.find("rms_norm_backward").solution
    own = {
        "forward": staticmethod(_forward),
        "backward": staticmethod(solution),
    }
    norm = type("Norm", (torch.autograd.Function,), own)
    draw = torch.Generator().manual_seed(0)
    X, gain = (
        torch.randn(shape, generator=draw, dtype=torch.float64, requires_grad=True)
        for shape in ((2, 3, 5), (5,))
    )
    assert torch.autograd.gradcheck(
        lambda X, gain: norm.apply(X, gain, 0.1), (X, gain)
    )


def _forward(ctx, X, gain, eps):
    ctx.save_for_backward(X, gain)
    ctx.eps = eps
    return gain * X / torch.sqrt((X**2).mean(dim=-1, keepdim=True) + eps)


@pytest.mark.parametrize("name", ["softmax_backward", "attention_backward"])
def test_judge_of_the_chapter_confirms_solutions(name):
    """Nudges agree with the solution, in every entry of every argument."""
    nudge = catalog.find("numerical_gradient").solution
    for args in inputs(name)[:4]:
        if name == "softmax_backward":
            weights, up = args
            scores = np.log(weights)
            measured = nudge(lambda s: (_softmax(s) * up).sum(), scores, 1e-5)  # noqa: B023
            found = catalog.find(name).solution(weights, up)
            np.testing.assert_allclose(found, measured, atol=1e-8)
            continue
        *QKV, up, mask = args
        found = catalog.find(name).solution(*args)
        for i, gradient in enumerate(found):

            def loss(x, i=i, QKV=QKV, up=up, mask=mask):
                Q, K, V = (*QKV[:i], x, *QKV[i + 1 :])
                scores = Q @ K.swapaxes(-2, -1) / np.sqrt(Q.shape[-1])
                return (_softmax(np.where(mask, scores, -np.inf)) @ V * up).sum()

            np.testing.assert_allclose(
                gradient, nudge(loss, QKV[i], 1e-5), atol=1e-7
            )


def _softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def test_numerical_gradient_says_how_f_was_called():
    """Where no known mistake fits: what is moved, how far, and in which direction."""

    def measured(moves, at=lambda x: x):
        def answer(f, x, eps):
            return np.array([
                (f(at(x + by)) - f(at(x - by))) / eps for by in moves(x, eps)
            ]).reshape(x.shape)  # fmt: skip

        return check(answer, "numerical_gradient").message

    def one_at_a_time(x, eps):
        return [e.reshape(x.shape) for e in 3 * eps * np.eye(x.size)]

    def neighbors(x, eps):
        return [e.reshape(x.shape) for e in eps * np.tri(x.size)[::-1]]

    assert "move an entry by 0.75" in measured(one_at_a_time)
    assert "move 6 entries at once" in measured(neighbors)


def test_numerical_gradient_tells_one_sided_from_central_in_every_case():
    """No input hides it: a nudge there is large, or the tolerance small."""
    exercise = catalog.find("numerical_gradient")
    one_sided = next(f for f in exercise.faults if f.id == "one-sided")
    for f, x, eps in inputs("numerical_gradient"):
        right, wrong = (
            exercise.solution(f, x, eps),
            exercise.wrong_version(one_sided)(f, x, eps),
        )
        assert np.abs(wrong - right).max() > 1e-5 * np.abs(right).max()


def test_attention_backward_says_which_results_are_right():
    def without_queries(Q, K, V, d_out, mask):
        dQ, dK, dV = catalog.find("attention_backward").solution(
            Q, K, V, d_out, mask
        )
        return dQ**3, dK, dV

    message = check(without_queries, "attention_backward").message
    assert "About the result `dQ`" in message
    assert "Your dK and dV are right." in message


def test_row_terms_forgotten_show_in_the_sums_of_rows():
    """What the sentence says: the right rows sum to 0, and those do not."""
    exercise = catalog.find("softmax_backward")
    wrong = exercise.wrong_version(
        next(fault for fault in exercise.faults if fault.id == "row-term-missing")
    )
    args = inputs("softmax_backward")[1]
    assert np.abs(exercise.solution(*args).sum(axis=-1)).max() < 1e-12
    assert np.abs(wrong(*args).sum(axis=-1)).min() > 0.01
