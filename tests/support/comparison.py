"""How results and refusals are compared: to a tolerance, and word by word."""

import re
from typing import Any

import numpy as np
import pytest

from tests.support.twin_table import in_numpy, parts, public

TOLERANCE = {"float64": 1e-12, "float32": 2e-5}
HALF = {
    "float16": 2.0**-11,
    "bfloat16": 2.0**-8,
}  # relative error of rounding once, at most
each_of_16_bits = pytest.mark.parametrize(
    ("library", "dtype"),
    [("in_numpy", "float16"), ("in_torch", "float16"), ("in_torch", "bfloat16")],
)


def assert_close(found: Any, wanted: Any, tolerance: float) -> None:
    """Assert equality to a tolerance relative to each entry or to the largest finite one.

    The second allowance is for entries near zero that are differences of large terms. Each part of
    a tuple is compared on its own.
    """
    if isinstance(found, tuple):
        for pair in zip(parts(found), parts(wanted), strict=True):
            assert_close(*pair, tolerance)
        return
    found, wanted = in_numpy(found).astype(float), in_numpy(wanted).astype(float)
    assert found.shape == wanted.shape
    finite = np.abs(wanted[np.isfinite(wanted)])
    largest = finite.max(initial=0.0)
    np.testing.assert_allclose(
        found, wanted, rtol=tolerance, atol=tolerance * largest
    )


def refusal(library: str, function: str, arguments: dict[str, Any]) -> Exception:
    """Return the error of a call that must fail."""
    try:
        result = public(library, function)(**arguments)
    except Exception as error:
        return error
    raise AssertionError(f"{library}.{function} took it and gave {result}")


def common_words(error: Exception) -> str:
    """Return a message with the words that differ between the libraries made equal."""
    text = str(error)
    for ours in ("numpy.ndarray", "torch.Tensor"):
        text = text.replace(ours, "<array>")
    for ours in ("np.asarray", "torch.as_tensor"):
        text = text.replace(ours, "<convert>")
    return re.sub(r"\b(numpy|torch)\b", "<library>", text)


def assert_refused_alike(
    errors: list[Exception], kind: type[Exception], name: str, *says: str
) -> None:
    """Assert the error's type, that it names the argument, and that both twins say the same."""
    for error in errors:
        assert type(error) is kind, repr(error)
        for word in (rf"\b{name}\b", *(re.escape(word) for word in says)):
            assert re.search(word, str(error)), f"{word} is not in: {error}"
    assert len({common_words(error) for error in errors}) == 1
