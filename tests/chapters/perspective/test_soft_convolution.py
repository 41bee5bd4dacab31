"""`soft_convolution`: what it holds without its script, and refusals."""

import numpy as np
import pytest
from scipy.ndimage import correlate

from course_attn import in_numpy
from course_attn.chapters.perspective.widgets.soft_convolution import (
    soft_convolution,
)
from tests.support.output import Reader, entries

IMAGE = np.random.default_rng(0).uniform(size=(6, 7)).round(3)
SMALL = np.random.default_rng(0).uniform(size=(4, 5)).round(3)
EDGE = [[-1.0, -1, -1], [-1, 8, -1], [-1, -1, -1]]
KERNELS = {"edge": EDGE, "shift": [[0, 0, 0], [1, 0, 0], [0, 0, 0]]}
EXAMPLES = {
    "soft_convolution": lambda: soft_convolution(IMAGE, KERNELS, pixel=(3, 3))
}


def named(name):
    return soft_convolution(IMAGE, {name: EDGE})


def test_soft_convolution_without_its_script_is_a_table_of_errors():
    up = np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]])
    table = Reader(soft_convolution(SMALL, {"edge": EDGE, "up": up})).table
    kinds = ["continued", "zeros"]
    assert table[0] == ["", *(f"{k}, {b}" for k in ("edge", "up") for b in kinds)]
    assert [row[0] for row in table[1:]] == [
        f"α = {a}" for a in (0.5, 1, 2, 4, 8, 16)
    ]
    for row, alpha in zip(entries(table), (0.5, 1, 2, 4, 8, 16), strict=True):
        wanted = []
        for kernel in (np.array(EDGE), up):
            total = sum(
                kernel[a, b]
                * in_numpy.softmax(
                    in_numpy.relative_position_scores(
                        4, 5, (a - 1, b - 1), sharpness=alpha
                    )
                )
                @ SMALL.ravel()
                for a, b in np.ndindex(3, 3)
            )
            for mode in ("nearest", "constant"):
                exact = correlate(SMALL, kernel, mode=mode)
                wanted.append(np.abs(total.reshape(4, 5) - exact).max())
        np.testing.assert_allclose(row, wanted, rtol=0.06, atol=0.00501)
    # Against a continued border errors fall to nothing, against zeros they stay.
    last = entries(table)[-1]
    assert last[0] < 1e-5 < 0.1 < last[1] and last[2] < 1e-5 < 0.1 < last[3]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: soft_convolution([1.0], {"e": EDGE}), r"image must have shape \(height, width\)"),
        (lambda: soft_convolution(np.zeros((11, 2)), {"e": EDGE}), "image must have at most 10"),
        (lambda: soft_convolution(SMALL, {}), "kernels must hold at least one"),
        (lambda: soft_convolution(SMALL, {"e": [[1.0]]}), r"kernels\['e'\] must have shape \(3"),
        (lambda: soft_convolution(SMALL, {"e": EDGE}, sharpness=-1), "sharpness must be a number"),
        (lambda: soft_convolution(SMALL, {"e": EDGE}, pixel=(4, 0)), "pixel must be a row"),
    ],
)  # fmt: skip
def test_soft_convolution_names_an_argument_that_does_not_fit(call, message):
    with pytest.raises(ValueError, match=message):
        call()
