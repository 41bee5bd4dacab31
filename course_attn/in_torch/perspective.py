"""Dense layers, convolutions, kernels, memories."""

from itertools import product
from typing import Annotated

import torch
from jaxtyping import Float
from torch import Tensor as Array

from course_attn._contracts import (
    Count,
    Finite,
    NonEmpty,
    NotNegative,
    check_arguments,
)
from course_attn._rules import Odd, Pair
from course_attn.in_torch._numerics import DType
from course_attn.in_torch.qkv import attention

__all__ = [
    "conv2d_as_attention",
    "hopfield_update",
    "relative_position_scores",
    "shift_weights",
]


@check_arguments
def shift_weights(
    height: Count, width: Count, shift: Pair, *, dtype: DType | None = None
) -> Float[Array, "n n"]:
    """Let every pixel of an image attend to one other pixel only, `shift` away from it.

    a_ij = 1 if pixel j lies `shift` = (down, right) from pixel i, else 0, for the
    n = height * width pixels row by row. A pixel whose neighbor would lie outside has a row of
    zeros. Source: Cordonnier, Loukas and Jaggi (2020), theorem 1.

    Examples
    --------
    >>> shift_weights(1, 3, (0, 1))
    tensor([[0., 1., 0.],
            [0., 0., 1.],
            [0., 0., 0.]])
    """
    places = torch.arange(height * width)
    rows, columns = places // width + shift[0], places % width + shift[1]
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    weights = torch.zeros(len(places), len(places), dtype=dtype)
    weights[places[inside], (rows * width + columns)[inside]] = 1
    return weights


def _offsets(height: int, width: int) -> tuple[Array, Array]:
    """Return how far down and how far to the right of pixel i each pixel j lies."""
    places = torch.arange(height * width)
    rows, columns = places // width, places % width
    return rows - rows[:, None], columns - columns[:, None]


@check_arguments
def relative_position_scores(
    height: Count,
    width: Count,
    shift: Pair,
    *,
    sharpness: NotNegative,
    dtype: DType | None = None,
) -> Float[Array, "n n"]:
    """Score pixels by how near they lie to the one that is `shift` away.

    s_ij = -sharpness * |p_j - (p_i + shift)|^2 with the places p = (row, column) of the
    n = height * width pixels, row by row. The softmax of a row goes to the weights of
    `shift_weights` as the sharpness grows, where the shifted place is in the image; where it is
    not, to the pixel of the border next to it.
    Source: Cordonnier, Loukas and Jaggi (2020), eq. 9.

    Examples
    --------
    >>> relative_position_scores(1, 3, (0, 1), sharpness=2.0)
    tensor([[ -2.,  -0.,  -2.],
            [ -8.,  -2.,  -0.],
            [-18.,  -8.,  -2.]])
    """
    down, right = _offsets(height, width)
    squares = (down - shift[0]) ** 2 + (right - shift[1]) ** 2
    squares = squares.to(torch.get_default_dtype() if dtype is None else dtype)
    return -float(sharpness) * squares


@check_arguments
def conv2d_as_attention(
    image: Annotated[
        Float[Array, "*batch height width c_in"], NonEmpty("height", "width")
    ],
    kernel: Annotated[
        Float[Array, "k_height k_width c_in c_out"], Odd("k_height", "k_width")
    ],
) -> Float[Array, "*batch height width c_out"]:
    """Compute a convolution as attention with several heads: one for each entry of the kernel.

    Head (a, b) attends, by `shift_weights`, to the pixel that lies (a - k_height // 2,
    b - k_width // 2) away; the values are the pixels themselves, and the kernel, reshaped to
    (k_height * k_width * c_in, c_out), is W_O. As in deep learning the kernel is not flipped, and
    pixels outside the image are 0, so that the size stays.
    Source: Cordonnier, Loukas and Jaggi (2020), theorem 1.

    Examples
    --------
    >>> image = torch.tensor([[[1.0], [2.0], [3.0]]])
    >>> kernel = torch.tensor([[[[1.0]], [[0.0]], [[-1.0]]]])
    >>> conv2d_as_attention(image, kernel)[..., 0]  # left neighbor minus right neighbor
    tensor([[-2., -2.,  2.]])
    """
    *batch, height, width, c_in = image.shape
    k_height, k_width, _, c_out = kernel.shape
    X = image.reshape(*batch, height * width, c_in)
    heads = []
    for a, b in product(range(k_height), range(k_width)):
        shift = (a - k_height // 2, b - k_width // 2)
        A = shift_weights(height, width, shift, dtype=X.dtype).to(X.device)
        heads.append(A @ X)
    W_O = kernel.reshape(k_height * k_width * c_in, c_out)
    out = torch.cat(heads, dim=-1) @ W_O
    return out.reshape(*batch, height, width, c_out)


@check_arguments
def hopfield_update(
    patterns: Annotated[Float[Array, "n_patterns d"], NonEmpty("n_patterns", "d")],
    state: Float[Array, "n_states d"],
    *,
    beta: Finite,
) -> Float[Array, "n_states d"]:
    """Let states move toward the stored patterns that they resemble.

    state' = softmax(beta * state patterns^T) patterns, one state per row: attention whose queries
    are the states, whose keys and values are both the patterns, and whose scale is beta.
    Source: Ramsauer et al. (2021), eq. 3.

    Examples
    --------
    >>> patterns = torch.tensor([[1.0, 1.0, -1.0, -1.0], [1.0, -1.0, 1.0, -1.0]])
    >>> hopfield_update(patterns, torch.tensor([[1.0, 1.0, -1.0, 0.0]]), beta=5.0).round(decimals=2)
    tensor([[ 1.,  1., -1., -1.]])
    """
    return attention(state, patterns, patterns, scale=beta)
