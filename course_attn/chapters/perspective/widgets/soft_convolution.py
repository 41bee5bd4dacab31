"""A convolution by nine softmax heads whose sharpness the reader sets, beside the exact one."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from course_attn.drawing.page import (
    Widget,
    checked_array,
    checked_number,
    plain_table,
    widget,
)
from course_attn.in_numpy.perspective import (
    conv2d_as_attention,
    relative_position_scores,
)
from course_attn.in_numpy.softmax import softmax

__all__ = ["soft_convolution"]

_CAPTION = (
    "Nine softmax heads, one for each entry of the kernel, and the exact convolution, in the same "
    "shades. Frames: the pixel that asks, the one that is meant (dashed), and the largest error. "
    "Rows and columns count from 0. Try: raise the sharpness until you see no "
    "difference, then until the error is below a millionth. Pick a pixel at the border and a head "
    "that looks outside. What changes with zeros beyond the border?"
)
_LARGEST = 10
_ALPHAS = (0.5, 1, 2, 4, 8, 16)


def soft_convolution(
    image: ArrayLike,
    kernels: Mapping[str, ArrayLike],
    *,
    sharpness: float = 1.0,
    pixel: tuple[int, int] | None = None,
) -> Widget:
    """Let the reader sharpen the softmax heads that compute a convolution, and see the error.

    The error is the largest difference from the convolution whose picture is continued by its
    border pixels, or if the reader prefers from that with zeros beyond the border. Without
    JavaScript it is a table of these errors.

    Parameters
    ----------
    image : array, shape (height, width)
        A picture of at most 10 by 10 pixels.
    kernels : mapping from str to array of shape (3, 3)
        Kernels to choose from, by name; the first is shown first.
    sharpness : float
        Where it begins, from 0 to 20.
    pixel : tuple of int, optional
        Row and column of the pixel whose weights are shown first, by default in the middle.

    Examples
    --------
    >>> print(str(soft_convolution([[0.0, 1.0]], {"blur": [[1 / 9] * 3] * 3}))[:44])
    <soft_convolution: Nine softmax heads, one f
    """
    picture = checked_array("image", image, (None, None), "(height, width)").round(
        3
    )
    height, width = picture.shape
    if max(picture.shape) > _LARGEST:
        raise ValueError(
            f"image must have at most {_LARGEST} rows and columns, got {picture.shape}"
        )
    if not kernels:
        raise ValueError("kernels must hold at least one kernel")
    all_ = {
        name: checked_array(f"kernels[{name!r}]", kernel, (3, 3), "(3, 3)")
        for name, kernel in kernels.items()
    }
    begin = checked_number("sharpness", sharpness, 0, 20)
    r, c = (height // 2, width // 2) if pixel is None else pixel
    if not (0 <= r < height and 0 <= c < width):
        raise ValueError(f"pixel must be a row and a column of image, got {pixel}")
    columns, exact = [], []
    for name, kernel in all_.items():
        for beyond, mode in (("continued", "edge"), ("zeros", "constant")):
            columns.append(f"{name}, {beyond}")
            around = np.pad(picture, 1, mode=mode)[..., None]  # type: ignore[call-overload]
            exact.append(
                conv2d_as_attention(around, kernel[..., None, None])[1:-1, 1:-1, 0]
            )
    cells = [
        [_text(np.abs(Y - wanted).max()) for Y, wanted in zip(Ys, exact, strict=True)]
        for Ys in (
            [_by_softmax(picture, kernel, alpha) for kernel in all_.values() for _ in range(2)]
            for alpha in _ALPHAS
        )
    ]  # fmt: skip
    return widget(
        __file__,
        {
            "image": picture.tolist(),
            "kernels": {name: kernel.tolist() for name, kernel in all_.items()},
            "sharpness": begin,
            "pixel": [int(r), int(c)],
        },
        fallback=plain_table(
            "Largest error, by what lies beyond the border",
            [f"α = {alpha:g}" for alpha in _ALPHAS],
            columns,
            cells,
        ),
        alt=f"A picture of {height} by {width} pixels to pick from, a kernel of three by three "
        "heads, where the picked pixel’s head looks, what nine softmax heads give, the exact "
        "convolution, and the error against the sharpness with a dot at the present one.",
        caption=_CAPTION,
    )


def _by_softmax(
    picture: np.ndarray, kernel: np.ndarray, alpha: float
) -> np.ndarray:
    (height, width), total = picture.shape, np.zeros(picture.size)
    for a, b in np.ndindex(3, 3):
        scores = relative_position_scores(
            height, width, (a - 1, b - 1), sharpness=alpha
        )
        total += kernel[a, b] * (softmax(scores) @ picture.ravel())
    return total.reshape(picture.shape)


def _text(error: float) -> str:
    """Write an error with two digits."""
    return f"{error:.1e}" if error < 0.005 else f"{error:.2f}"
