"""Positions in PyTorch: the module with learned rows, and what PyTorch's own layers lack."""

from typing import Any

import pytest
import torch

from course_attn.in_torch import LearnedPositions
from course_attn.in_torch.order import alibi_bias, rotary, sinusoidal_encoding
from tests.support.attention_inputs import normal_tensor as normal
from tests.support.comparison import assert_close
from tests.support.order_layers import rows
from tests.support.twin_table import public

# --- learned rows ---------------------------------------------------------------------------------


def test_learned_positions_go_on_with_the_next_rows() -> None:
    layer, X = rows(), normal(7, 5)
    new = layer(X[4:], offset=4)
    assert torch.equal(torch.cat([layer(X[:4]), new]), layer(X))
    assert not torch.equal(layer(X[4:]), new)


@pytest.mark.parametrize(("n", "offset"), [(12, 0), (1, 11), (7, 5)])
def test_learned_positions_refuse_positions_beyond_the_table(
    n: int, offset: int
) -> None:
    """With the numbers needed to see why."""
    with pytest.raises(
        ValueError,
        match=rf"n_max = 11 positions, got {n} rows from position {offset} on",
    ):
        rows()(normal(n, 5), offset=offset)
    rows()(normal(11, 5))
    rows()(normal(7, 5), offset=4)


@pytest.mark.without_hook
@pytest.mark.parametrize(
    ("arguments", "error", "word"),
    [
        ((0, 3), ValueError, "n_max"),
        ((2.0, 3), TypeError, "n_max"),
        ((2, 0), ValueError, "d_model"),
        ((2, "3"), TypeError, "d_model"),
    ],
)
def test_learned_positions_refuse_sizes_that_are_none(
    arguments: Any, error: type[Exception], word: str
) -> None:
    with pytest.raises(error, match=word):
        public("in_torch", "order.LearnedPositions")(*arguments)


@pytest.mark.without_hook
@pytest.mark.parametrize(
    ("X", "options", "error", "word"),
    [
        (
            torch.ones(7, 1),
            {},
            ValueError,
            r"d_model = 5 from the LearnedPositions, got \(7, 1\)",
        ),
        (
            torch.ones(7, 4),
            {},
            ValueError,
            r"d_model = 5 from the LearnedPositions, got \(7, 4\)",
        ),
        (torch.ones(5), {}, ValueError, "X must have shape"),
        (torch.ones(7, 5).double(), {}, TypeError, "one dtype"),
        (torch.ones(7, 5).long(), {}, TypeError, "X must be floating-point"),
        ([[1.0] * 5], {}, TypeError, "X must be a torch.Tensor"),
        (torch.ones(7, 5), {"offset": -1}, ValueError, "offset"),
        (torch.ones(7, 5), {"offset": 1.0}, TypeError, "offset"),
    ],
)
def test_learned_positions_refuse_elements_that_do_not_fit(
    X: Any, options: Any, error: type[Exception], word: str
) -> None:
    layer = public("in_torch", "order.LearnedPositions")(11, 5)
    with pytest.raises(error, match=word):
        layer(X, **options)


def test_learned_positions_never_used_never_learn() -> None:
    """Trained on sequences of 7, rows 8 to 11 have a gradient of zero: they stay as drawn."""
    layer = rows()
    layer(normal(3, 7, 5)).square().sum().backward()
    assert layer.P.grad is not None
    assert (layer.P.grad[7:] == 0).all()
    assert (layer.P.grad[:7] != 0).all()


def test_learned_positions_state_dict_makes_the_round_trip(tmp_path: Any) -> None:
    layer, other, X = rows(), rows(), normal(7, 5)
    assert {k: tuple(v.shape) for k, v in layer.state_dict().items()} == {
        "P": (11, 5)
    }
    other.reset_parameters(torch.Generator().manual_seed(1))
    assert not torch.equal(layer(X), other(X))
    torch.save(layer.state_dict(), tmp_path / "rows.pt")
    other.load_state_dict(torch.load(tmp_path / "rows.pt", weights_only=True))
    assert torch.equal(layer(X), other(X))


def test_learned_positions_say_their_sizes_and_draw_unit_variance() -> None:
    layer = LearnedPositions(500, 100)
    assert repr(layer) == "LearnedPositions(n_max=500, d_model=100)"
    assert layer.P.dtype == torch.get_default_dtype()
    layer.reset_parameters(torch.Generator().manual_seed(0))
    # The variance of 50 000 draws errs by 0.6 %; 5 times is allowed.
    assert float(layer.P.detach().var()) == pytest.approx(1, abs=0.032)
    again = layer.P.detach().clone()
    layer.reset_parameters(torch.Generator().manual_seed(0))
    assert torch.equal(layer.P, again)


# --- dtypes and devices ---------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_rotary_positions_stay_exact_when_elements_are_coarse(
    dtype: torch.dtype,
) -> None:
    """Angles are computed in float64: bfloat16 knows no number between 256 and 258."""
    X = normal(3, 6).to(dtype)
    for first in (0, 300, 50_001):
        positions = torch.arange(first, first + 3)
        exact = rotary(X.double(), positions)
        found = rotary(X, positions)
        assert found.dtype == dtype
        # Rounded once to 16 bits, after sums of two products in 32.
        step = {torch.float16: 2.0**-10, torch.bfloat16: 2.0**-7}[dtype]
        assert (found.double() - exact).abs().max() < step * X.double().abs().max()
    coarse = torch.arange(256, 259).to(torch.bfloat16)
    assert coarse.tolist() == [256.0, 256.0, 258.0]


def test_sinusoidal_encoding_and_alibi_bias_take_default_dtype_and_device_of_torch() -> (
    None
):
    torch.set_default_dtype(torch.float64)
    try:
        assert sinusoidal_encoding(3, 4).dtype == torch.float64
        assert alibi_bias(2, 3).dtype == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)
    with torch.device("meta"):
        assert sinusoidal_encoding(3, 4).device.type == "meta"
        assert alibi_bias(2, 3).device.type == "meta"


@pytest.mark.gpu
def test_positions_of_every_kind_run_on_the_gpu() -> None:
    X, positions = normal(2, 7, 6), torch.arange(5, 12)
    for interleaved in (False, True):
        wanted = rotary(X, positions, interleaved=interleaved)
        found = rotary(X.to("cuda"), positions.to("cuda"), interleaved=interleaved)
        assert found.device.type == "cuda"
        assert_close(found, wanted, 1e-12)
    layer = rows(11, 6)
    wanted = layer(X, offset=2)
    assert_close(layer.to("cuda")(X.to("cuda"), offset=2), wanted, 1e-12)
