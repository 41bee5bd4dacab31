"""The transformer block."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated

import torch
from jaxtyping import Bool, Float
from torch import Tensor as Array

from course_attn._contracts import (
    Activation,
    Count,
    Divides,
    Flag,
    Function,
    NonEmpty,
    NotNegative,
    check_arguments,
)
from course_attn._rules import Entries
from course_attn.in_torch._numerics import upcast
from course_attn.in_torch.multi_head import multi_head_attention

__all__ = [
    "feed_forward",
    "gelu",
    "layer_norm",
    "post_norm_block",
    "pre_norm_block",
    "relu",
    "rms_norm",
    "transformer_block",
]

# What a block has to learn, and the shapes of it.
BLOCK_SHAPES = {
    "W_Q": "d_model heads_d_k",
    "W_K": "d_model heads_d_k",
    "W_V": "d_model heads_d_v",
    "W_O": "heads_d_v d_model",
    "W_1": "d_model d_ff",
    "b_1": "d_ff",
    "W_2": "d_ff d_model",
    "b_2": "d_model",
    "gain_1": "d_model",
    "bias_1": "d_model",
    "gain_2": "d_model",
    "bias_2": "d_model",
}

BlockParams = Annotated[Mapping[str, Array], Entries(Float, Array, BLOCK_SHAPES)]


@check_arguments
def relu(X: Float[Array, "*batch n"]) -> Float[Array, "*batch n"]:
    """Keep what is positive and replace the rest by 0.

    relu(x) = max(x, 0), entry by entry; NaN stays NaN. Where an entry is 0, the derivative is
    taken to be 0. Source: Vaswani et al. (2017), eq. 2.

    Examples
    --------
    >>> relu(torch.tensor([-2.0, 0.0, 3.0]))
    tensor([0., 0., 3.])
    """
    return torch.relu(X)


@check_arguments
def gelu(X: Float[Array, "*batch n"]) -> Float[Array, "*batch n"]:
    """Multiply each number by the probability that a standard normal number lies below it.

    gelu(x) = x * Phi(x) with Phi(x) = (1 + erf(x / sqrt(2))) / 2, entry by entry: a ReLU without
    the kink. This is the exact form, not the approximation by tanh; 16-bit input is upcast first.
    NaN and -inf give NaN. Source: Hendrycks and Gimpel (2016), section 2.

    Examples
    --------
    >>> gelu(torch.tensor([-3.0, 0.0, 1.0, 3.0])).round(decimals=4)
    tensor([-0.0040,  0.0000,  0.8413,  2.9960])
    """
    wide = upcast(X)
    below = (1 + torch.erf(wide / 2**0.5)) / 2
    return (wide * below).to(X.dtype)


@check_arguments
def layer_norm(
    X: Annotated[Float[Array, "*batch d_model"], NonEmpty("d_model")],
    gain: Float[Array, "d_model"],
    bias: Float[Array, "d_model"],
    *,
    eps: NotNegative = 1e-5,
) -> Float[Array, "*batch d_model"]:
    """Give every element mean 0 and variance 1 across its own features, then rescale.

    y = gain * (x - mean(x)) / sqrt(var(x) + eps) + bias, row by row, where mean and variance go
    over the d_model features of one element: the variance divides by d_model, not by d_model - 1.
    With eps = 0, an element whose features are all equal gives NaN. 16-bit input is computed in
    32 bits. Source: Ba, Kiros and Hinton (2016), section 3.

    Examples
    --------
    >>> X = torch.tensor([[1.0, 3.0], [10.0, 30.0]])
    >>> layer_norm(X, torch.ones(2), torch.zeros(2)).round(decimals=3)
    tensor([[-1.,  1.],
            [-1.,  1.]])
    """
    wide = upcast(X)
    centered = wide - wide.mean(dim=-1, keepdim=True)
    variance = (centered**2).mean(dim=-1, keepdim=True)
    normed = centered / torch.sqrt(variance + float(eps))
    return (gain * normed + bias).to(X.dtype)


@check_arguments
def rms_norm(
    X: Annotated[Float[Array, "*batch d_model"], NonEmpty("d_model")],
    gain: Float[Array, "d_model"],
    *,
    eps: NotNegative = 1e-6,
) -> Float[Array, "*batch d_model"]:
    """Divide every element by the square root of the mean square of its features, then rescale.

    y = gain * x / sqrt(mean(x^2) + eps), row by row: layer normalization without the mean and the
    bias. With eps = 0, an element of zeros gives NaN. 16-bit input is computed in 32 bits.
    Source: Zhang and Sennrich (2019), eq. 4.

    Examples
    --------
    >>> rms_norm(torch.tensor([[3.0, 4.0]]), torch.ones(2)).round(decimals=3)
    tensor([[0.8490, 1.1310]])
    """
    wide = upcast(X)
    mean_square = (wide**2).mean(dim=-1, keepdim=True)
    normed = wide / torch.sqrt(mean_square + float(eps))
    return (gain * normed).to(X.dtype)


@check_arguments
def feed_forward(
    X: Float[Array, "*batch d_model"],
    W_1: Float[Array, "d_model d_ff"],
    b_1: Float[Array, "d_ff"],
    W_2: Float[Array, "d_ff d_model"],
    b_2: Float[Array, "d_model"],
    *,
    activation: Activation = relu,
) -> Float[Array, "*batch d_model"]:
    """Process every element on its own: expand, apply the nonlinearity, project back.

    y = activation(x W_1 + b_1) W_2 + b_2, the same for every row: W_1 makes d_ff hidden features of
    an element, W_2 takes them back to its width. The activation works entry by entry, as `relu` and
    `gelu` do. Source: Vaswani et al. (2017), eq. 2.

    Examples
    --------
    >>> W_1, W_2 = torch.tensor([[1.0, -1.0]]), torch.tensor([[1.0], [1.0]])
    >>> X = torch.tensor([[-3.0], [2.0]])
    >>> feed_forward(X, W_1, torch.zeros(2), W_2, torch.zeros(1))
    tensor([[3.],
            [2.]])
    """
    return activation(X @ W_1 + b_1) @ W_2 + b_2


@check_arguments
def pre_norm_block(
    X: Float[Array, "*batch n d_model"],
    attend: Function,
    process: Function,
    norm_1: Function,
    norm_2: Function,
) -> Float[Array, "*batch n d_model"]:
    """Add to X what attention finds, then what the feed-forward network makes of that.

    H = X + attend(norm_1(X)) and Y = H + process(norm_2(H)): a norm stands before each part, and
    none on the way from X to Y. The four functions take and return arrays of the shape of X.
    Source: Xiong et al. (2020), section 3.

    Examples
    --------
    >>> double, halve = (lambda X: 2 * X), (lambda X: X / 2)
    >>> pre_norm_block(torch.tensor([[8.0]]), double, double, halve, halve)
    tensor([[32.]])
    """
    H = X + attend(norm_1(X))
    return H + process(norm_2(H))


@check_arguments
def post_norm_block(
    X: Float[Array, "*batch n d_model"],
    attend: Function,
    process: Function,
    norm_1: Function,
    norm_2: Function,
) -> Float[Array, "*batch n d_model"]:
    """Add to X what attention finds and normalize; do the same with the feed-forward network.

    H = norm_1(X + attend(X)) and Y = norm_2(H + process(H)): a norm stands after each sum. The four
    functions take and return arrays of the shape of X.
    Source: Vaswani et al. (2017), section 3.1.

    Examples
    --------
    >>> double, halve = (lambda X: 2 * X), (lambda X: X / 2)
    >>> post_norm_block(torch.tensor([[8.0]]), double, double, halve, halve)
    tensor([[18.]])
    """
    H = norm_1(X + attend(X))
    return norm_2(H + process(H))


@check_arguments
def transformer_block(
    X: Float[Array, "*batch n d_model"],
    params: BlockParams,
    *,
    n_heads: Annotated[Count, Divides("heads_d_k", "heads_d_v")],
    mask: Bool[Array, "*#batch #n #n"] | None = None,
    causal: Flag = False,
    block: Function = pre_norm_block,
    activation: Activation = relu,
) -> Float[Array, "*batch n d_model"]:
    """Let the elements exchange information, then process each on its own; add both to X.

    `block`, `pre_norm_block` or `post_norm_block` or another function with their arguments, joins
    `multi_head_attention` of the elements to each other, `feed_forward` and two `layer_norm`. Their
    learned arrays are the entries of `params`, no more and no fewer: W_Q, W_K, W_V and W_O; W_1,
    b_1, W_2 and b_2; gain_1 and bias_1 for norm_1, gain_2 and bias_2 for norm_2. Y has the shape of
    X: blocks can be stacked.
    Source: Xiong et al. (2020), section 3, for `pre_norm_block`; Vaswani et al. (2017),
    section 3.1, for `post_norm_block`.

    Examples
    --------
    >>> W, one, zero = torch.ones(1, 1), torch.ones(1), torch.zeros(1)
    >>> params = dict(W_Q=W, W_K=W, W_V=W, W_O=W, W_1=W, b_1=one, W_2=W, b_2=zero,
    ...               gain_1=one, bias_1=one, gain_2=one, bias_2=one)
    >>> transformer_block(torch.tensor([[5.0], [7.0]]), params, n_heads=1)
    tensor([[ 8.],
            [10.]])
    """
    matrices = {name: params[name] for name in ("W_Q", "W_K", "W_V", "W_O")}
    network = {name: params[name] for name in ("W_1", "b_1", "W_2", "b_2")}
    attend = partial(
        multi_head_attention, **matrices, n_heads=n_heads, mask=mask, causal=causal
    )
    process = partial(feed_forward, **network, activation=activation)
    norm_1 = partial(layer_norm, gain=params["gain_1"], bias=params["bias_1"])
    norm_2 = partial(layer_norm, gain=params["gain_2"], bias=params["bias_2"])
    return block(X, attend, process, norm_1, norm_2)
