"""The gradients of the PyTorch functions: those of finite differences, and finite at every edge."""

from typing import Any

import numpy as np
import pytest
import torch

from tests.support.twin_table import Case, parts, public, result_kind
from tests.twins.cases import CASES, FUNCTIONS, fullest

# Finite differences call a function many times.
pytestmark = pytest.mark.slow


# What it gives is measured, and has no gradient.
MEASURED = {"gradients.numerical_gradient"}
WITH_GRADIENT = [
    function
    for function in FUNCTIONS
    if result_kind(function) == "float"
    and function not in MEASURED
    and any(
        array.dtype == float
        for case in CASES
        if case.function == function
        for array in case.arrays.values()
    )
]


@pytest.mark.parametrize("function", WITH_GRADIENT)
def test_gradients_equal_finite_differences(
    function: str, subtests: pytest.Subtests
) -> None:
    cases = [c for c in CASES if c.function == function and c.has_gradient()]
    assert cases
    for case in cases:
        with subtests.test(str(case)):
            assert_gradient(case)


def assert_gradient(case: Case) -> None:
    """Batches go through gradcheck's fast mode, which checks random directions."""
    names = [name for name, array in case.arrays.items() if array.dtype == float]
    arguments = case.arguments("in_torch")
    tensors = [arguments[name].requires_grad_() for name in names]

    def call(*given: torch.Tensor) -> Any:
        by_name = dict(zip(names, given, strict=True))
        return parts(public("in_torch", case.function)(**arguments | by_name))

    torch.manual_seed(0)
    large = sum(tensor.numel() for tensor in tensors) > 100
    assert torch.autograd.gradcheck(call, tensors, fast_mode=large)


ON_THE_EDGE = {
    "cosine of a zero query": (
        "scores.cosine_scores",
        {"Q": [[0, 0], [1, 2]], "K": [[3, 4]]},
    ),
    "cosine of a zero key": (
        "scores.cosine_scores",
        {"Q": [[1, 2]], "K": [[3, 4], [0, 0]]},
    ),
    "query on its key": (
        "scores.gaussian_scores",
        {"Q": [[1, 2]], "K": [[1, 2], [3, 4]]},
    ),
    "softmax of tied maxima": ("softmax.softmax", {"scores": [2, 2, 1]}),
    "softmax with -inf": ("softmax.softmax", {"scores": [2, -np.inf, 1]}),
    "log_softmax of tied maxima": ("softmax.log_softmax", {"scores": [2, 2, 1]}),
    "entropy with a zero weight": ("softmax.entropy", {"weights": [0, 0.5, 0.5]}),
    "far from all data": (
        "scores.nadaraya_watson",
        {"x_query": [1e6], "x": [0, 1, 1], "y": [2, 4, 5]},
    ),
    "a single key": (
        "qkv.attention_weights",
        {"Q": [[1, 2], [3, 4]], "K": [[5, 6]]},
    ),
    "certainty": ("qkv.attention_weights", {"Q": [[100]], "K": [[100], [0]]}),
    "a row with nothing allowed": (
        "masks.masked_softmax",
        {"scores": [[1, 2], [3, 4]], "mask": [[True, False], [False, False]]},
    ),
    "NaN and infinities behind a mask": (
        "masks.masked_softmax",
        {
            "scores": [[1, np.nan, np.inf, -np.inf, 2], [np.nan] * 5],
            "mask": [[True, False, False, False, True], [False] * 5],
        },
    ),
    "a row of -inf": (
        "masks.masked_softmax",
        {"scores": [[-np.inf] * 2, [1, -np.inf]]},
    ),
    "a bias that excludes all keys": (
        "qkv.attention",
        {
            "Q": [[1], [2]],
            "K": [[3], [4]],
            "V": [[5], [6]],
            "bias": [[-np.inf, -np.inf], [0, -np.inf]],
        },
    ),
    "queries before the first key": (
        "masks.causal_attention",
        {"Q": [[1], [2], [3]], "K": [[4]], "V": [[5]]},
    ),
    "scores all equal": ("scaling.score_statistics", {"scores": [[0, 0], [0, 0]]}),
    "a token that cannot come": (
        "language_model.token_probabilities",
        {"logits": [2, -np.inf, 1]},
    ),
}


@pytest.mark.parametrize("edge", ON_THE_EDGE)
def test_gradients_are_finite_where_functions_have_an_edge(edge: str) -> None:
    function, arrays = ON_THE_EDGE[edge]
    tensors = {name: torch.tensor(value) for name, value in arrays.items()}
    tensors = {
        name: x if x.dtype == torch.bool else x.double().requires_grad_()
        for name, x in tensors.items()
    }
    for out in parts(public("in_torch", function)(**tensors)):
        factors = torch.arange(1.0, out.numel() + 1).reshape(out.shape)
        (out * factors).sum().backward(retain_graph=True)
    for name, tensor in tensors.items():
        if tensor.requires_grad:
            assert tensor.grad is not None and torch.isfinite(tensor.grad).all(), (
                name
            )


def test_gradients_of_the_loss_are_shares_less_what_was_right() -> None:
    """(softmax - one-hot) / count, also with logits of -inf, and 0 where a place does not count."""
    logits = torch.tensor([[0, -torch.inf, 1], [2, 2, -1], [3, 5, -torch.inf]])
    logits = logits.double().requires_grad_()
    targets = torch.tensor([2, 0, -100])
    public("in_torch", "language_model.cross_entropy")(logits, targets).backward()
    right = torch.tensor([[0, 0, 1], [1, 0, 0], [0, 0, 0]])
    wanted = (logits.detach().softmax(-1) - right) / 2
    wanted[2] = 0
    torch.testing.assert_close(logits.grad, wanted, rtol=0, atol=1e-15)


@pytest.mark.parametrize("name", fullest("language_model.gpt").options["params"])
def test_gradients_of_a_model_equal_finite_differences(name: str) -> None:
    """Those of every entry of its state dict; the embedding is used twice."""
    arguments = fullest("language_model.gpt").arguments("in_torch")
    entry = arguments["params"][name].requires_grad_()

    def call(given: torch.Tensor) -> torch.Tensor:
        params = arguments["params"] | {name: given}
        return public("in_torch", "language_model.gpt")(
            **arguments | {"params": params}
        )

    torch.manual_seed(0)
    assert torch.autograd.gradcheck(call, [entry], fast_mode=True)
