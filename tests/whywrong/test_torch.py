"""What is special about PyTorch answers."""

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tests.whywrong.cells import exercise_of  # noqa: E402
from whywrong import Case, fault, judge  # noqa: E402
from whywrong.calls import one_thread  # noqa: E402


def doubled(x):
    """Multiply by two."""
    return 2 * x


EXERCISE = exercise_of(
    doubled,
    Case((np.array([[1.0, 2.0, 3.0]], dtype="f4"),), "example"),
    Case((np.ones((2, 5)),), "float64"),
    library="torch",
)


@pytest.mark.parametrize(
    ("answer", "status", "faults"),
    [
        (lambda x: x + x, "right", ()),
        (lambda x: x.double() * 2, "wrong", ("dtype",)),
        (lambda x: (x + x).numpy(), "wrong", ("not-an-array",)),
        (lambda x: (x + x).tolist(), "wrong", ("not-an-array",)),
        (lambda x: (x + x).float(), "wrong", ("dtype",)),
        (lambda x: (x + x).bfloat16(), "wrong", ("dtype",)),
        (lambda x: (x + x).long(), "wrong", ("dtype",)),
        (lambda x: (x + x).detach(), "wrong", ("detached",)),
        (
            lambda x: torch.tensor((x + x).tolist(), dtype=x.dtype),
            "wrong",
            ("detached",),
        ),
        (lambda x: torch.from_numpy(x.numpy() * 2), "wrong", ("detached",)),
        (lambda x: x + x.detach(), "wrong", ("gradient",)),
        (lambda x: x.mul_(2), "wrong", ("in-place",)),
        (lambda x: x * 3, "wrong", ("factor",)),
        (lambda x: x.detach() * 3, "wrong", ("factor", "detached")),
        (lambda x: x * 2 + torch.rand(()) * 1e-3, "wrong", ("not-repeatable",)),
    ],
)
def test_torch_answer_is_judged_by_form_values_and_gradient(
    unexplained, answer, status, faults
):
    result = judge(EXERCISE, answer)
    assert (result.status, result.faults) == (status, faults), result


def test_argument_that_no_gradient_reaches_is_named():
    def product(x, y):
        """Multiply."""
        return x * y

    given = (np.ones((2, 3)), np.arange(6.0).reshape(2, 3))
    exercise = exercise_of(
        product,
        Case(given),
        library="torch",
    )
    assert judge(exercise, lambda x, y: y * x).passed
    result = judge(exercise, lambda x, y: x * y.detach())
    assert result.faults == ("detached",) and "`y`" in result.message


def test_wrong_gradient_is_told_beside_a_known_mistake():
    def product(x, y):
        """Multiply."""
        return x * y

    given = (np.ones((2, 3)), np.arange(6.0).reshape(2, 3))
    twice = fault("twice", "x * y", "2 * x * y", says="You double it.")
    exercise = exercise_of(product, Case(given), library="torch", faults=(twice,))
    assert judge(exercise, lambda x, y: (x + x) * y).faults == ("twice",)
    cut = judge(exercise, lambda x, y: (x + x) * y.detach())
    assert cut.faults == ("twice", "detached")
    assert "Besides, no gradient reaches `y`" in cut.message
    both = judge(exercise, lambda x, y: (2 * x).detach() * y.detach() + 0 * (x + y))
    assert "the gradient with respect to `x` and `y` is wrong" in both.message, both
    half = judge(exercise, lambda x, y: (x + x.detach()) * y)
    assert half.faults == ("twice", "gradient")
    assert "Besides, the gradient with respect to `x` is wrong" in half.message


def test_wrong_gradient_is_told_beside_the_line_that_mends_the_numbers():
    def shares(x):
        """Divide each row by its sum."""
        return x / x.sum(dim=-1, keepdim=True)

    given = np.arange(1.0, 10).reshape(3, 3)
    exercise = exercise_of(shares, Case((given,)), library="torch")

    def answer(x):
        return x.detach() / x.sum(dim=0, keepdim=True)

    result = judge(exercise, answer)
    assert result.faults == ("slip-axis", "gradient"), result
    assert "Besides, the gradient with respect to `x` is wrong" in result.message


def test_missing_gradient_is_told_beside_a_coarser_result():
    def halved(x):
        """Divide by two."""
        return x / 2

    case = Case((np.arange(6.0).reshape(2, 3),))
    exercise = exercise_of(halved, case, library="torch")
    result = judge(exercise, lambda x: x.detach().float() / 2)
    assert result.faults == ("dtype", "detached"), result
    assert "Besides, the result is cut off" in result.message
    assert judge(exercise, lambda x: x.float() / 2).faults == ("dtype",)


def test_mask_among_the_arguments_needs_no_gradient():
    def chosen(x, mask):
        """Keep what the mask allows."""
        return torch.where(mask, x, 0.0)

    given = (np.arange(1.0, 7).reshape(2, 3), np.eye(2, 3, dtype=bool))
    exercise = exercise_of(
        chosen,
        Case(given),
        library="torch",
    )
    assert judge(exercise, lambda x, mask: x * mask).passed
    result = judge(exercise, lambda x, mask: (x * mask).detach())
    assert result.faults == ("detached",)


def test_gradients_may_be_left_out_of_the_question():
    exercise = replace(EXERCISE, differentiable=False)
    assert judge(exercise, lambda x: (x + x).detach()).passed
    assert judge(exercise, lambda x: (x + x).numpy()).faults == ("not-an-array",)


def test_gradient_that_is_nan_is_named():
    def answer(x):
        zero = x - x.detach()
        return 2 * x + torch.where(zero == 0, torch.zeros_like(x), zero.sqrt())

    result = judge(EXERCISE, answer)
    assert result.faults == ("gradient",) and "NaN" in result.message


def test_torch_random_state_is_given_back():
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    judge(EXERCISE, lambda x: x * torch.rand(()))
    assert torch.equal(torch.rand(2), expected)


def test_one_thread_gives_back_the_number_of_threads():
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        seen = []
        with one_thread():
            seen.append(torch.get_num_threads())
        assert seen == [1] and torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_no_mode_of_torch_handles_the_calls_that_the_time_limit_may_cut():
    """Cut within one, PyTorch is left without it, and its end raises."""
    modes = []

    def answer(x):
        modes.append(torch.overrides._len_torch_function_stack())
        return x + x

    assert judge(EXERCISE, answer).passed
    assert set(modes) == {0}


def test_switches_of_an_earlier_cell_do_not_matter():
    right = lambda x: x + x  # noqa: E731
    torch.set_grad_enabled(False)
    try:
        assert judge(EXERCISE, right).passed
        assert not torch.is_grad_enabled()
    finally:
        torch.set_grad_enabled(True)
    torch.set_default_device("meta")
    try:
        assert judge(EXERCISE, right).passed
        assert torch.get_default_device().type == "meta"
    finally:
        torch.set_default_device(None)
