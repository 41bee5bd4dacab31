"""Attention with several heads as modules, and PyTorch's layer to and from ours."""

from typing import Annotated, Any, Protocol, runtime_checkable

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor as Array

from course_attn._contracts import (
    Count,
    Default,
    Flag,
    Lengthens,
    Probability,
    check_arguments,
)
from course_attn.costs import head_widths
from course_attn.in_torch.qkv import attention_weights, fused_attention
from course_attn.in_torch.weighted_sum import weighted_sum

__all__ = [
    "MultiHeadAttention",
    "from_torch",
    "head_weights",
    "to_torch",
]


@runtime_checkable
class Cache(Protocol):
    """What keeps the keys and values of the positions so far, as `KVCache` does."""

    def append(self, K: Array, V: Array) -> tuple[Array, Array]:
        """Add the keys and values of the next positions; return those of all positions."""
        ...


class MultiHeadAttention(torch.nn.Module):
    """Let several heads attend side by side, and mix what they found.

    Y = concat(head_1, ..., head_n_heads) W_O + b_O, where head_h attends with the h-th block of
    columns of Q = X W_Q + b_Q, K = Z W_K + b_K and V = Z W_V + b_V. A head's widths d_k and d_v are
    d_model / n_heads unless they are given, and the width d_z of the context is d_model. `biases`
    says whether there are the vectors b. `dropout` is the probability with which a weight is set to
    0 in training; the others grow by 1 / (1 - dropout).
    Source: Vaswani et al. (2017), section 3.2.2.

    Examples
    --------
    >>> layer = MultiHeadAttention(6, n_heads=2)
    >>> layer
    MultiHeadAttention(d_model=6, n_heads=2, d_k=3, d_v=3, d_z=6, biases=True, dropout=0.0)
    >>> out, weights = layer.forward_with_weights(torch.ones(5, 6))
    >>> out.shape, weights.shape
    (torch.Size([5, 6]), torch.Size([2, 5, 5]))
    """

    @check_arguments
    def __init__(
        self,
        d_model: Count,
        n_heads: Count,
        *,
        d_k: Count | None = None,
        d_v: Count | None = None,
        d_z: Count | None = None,
        biases: Flag = True,
        dropout: Probability = 0.0,
    ) -> None:
        super().__init__()
        self.d_model, self.n_heads, self.dropout = d_model, n_heads, dropout
        self.d_k, self.d_v = head_widths(d_model, n_heads, d_k, d_v)
        self.d_z = d_model if d_z is None else d_z
        heads_d_k, heads_d_v = n_heads * self.d_k, n_heads * self.d_v
        self.W_Q, self.b_Q = _linear_map(self.d_model, heads_d_k, biases)
        self.W_K, self.b_K = _linear_map(self.d_z, heads_d_k, biases)
        self.W_V, self.b_V = _linear_map(self.d_z, heads_d_v, biases)
        self.W_O, self.b_O = _linear_map(heads_d_v, self.d_model, biases)
        self.reset_parameters()

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw the matrices anew, with variance 1/rows, so that they keep that of their input.

        The biases become 0.
        """
        for parameter in self.parameters():
            if parameter.ndim == 2:
                std = parameter.shape[0] ** -0.5
                torch.nn.init.normal_(parameter, std=std, generator=generator)
            else:
                torch.nn.init.zeros_(parameter)

    def extra_repr(self) -> str:
        """Say the sizes and the options."""
        names = ("d_model", "n_heads", "d_k", "d_v", "d_z")
        sizes = ", ".join(f"{name}={getattr(self, name)}" for name in names)
        return f"{sizes}, biases={self.b_O is not None}, dropout={self.dropout}"

    @check_arguments
    def forward(
        self,
        X: Float[Array, "*batch n_q d_model"],
        Z: Annotated[Float[Array, "*batch n_k d_z"] | None, Default("X")] = None,
        *,
        mask: Bool[Array, "*#batch #n_q #n_k"] | None = None,
        bias: Float[Array, "*#batch #n_heads #n_q #n_k"] | None = None,
        causal: Flag = False,
        cache: Annotated[Cache | None, Lengthens("n_k")] = None,
    ) -> Float[Array, "*batch n_q d_model"]:
        """Return the outputs (..., n_q, d_model); a fused kernel does the work.

        `mask` and `causal` hold for all heads. A `cache`, such as a `KVCache`, appends the keys and
        values of Z to those of earlier calls, and n_k counts all of them, or the n_max of a cache
        of fixed size. Through a `KVCache` no gradient flows: train without one.
        """
        Q, K, V = self._project(X, Z, cache)
        limits = self._limits(Q, mask, bias, causal, cache)
        dropout = self.dropout if self.training else 0.0
        return self._mix(fused_attention(Q, K, V, **limits, dropout=dropout))

    @check_arguments
    def forward_with_weights(
        self,
        X: Float[Array, "*batch n_q d_model"],
        Z: Annotated[Float[Array, "*batch n_k d_z"] | None, Default("X")] = None,
        *,
        mask: Bool[Array, "*#batch #n_q #n_k"] | None = None,
        bias: Float[Array, "*#batch #n_heads #n_q #n_k"] | None = None,
        causal: Flag = False,
        cache: Annotated[Cache | None, Lengthens("n_k")] = None,
    ) -> tuple[Array, Array]:
        """Return what `forward` does, and the weights of every head.

        The weights (..., n_heads, n_q, n_k) are one matrix for each head, not their mean; in
        training they are those after dropout, which the outputs were computed with.
        """
        Q, K, V = self._project(X, Z, cache)
        limits = self._limits(Q, mask, bias, causal, cache)
        weights = attention_weights(Q, K, **limits)
        weights = F.dropout(weights, self.dropout, self.training)
        return self._mix(weighted_sum(weights, V)), weights

    def _project(
        self, X: Array, Z: Array | None, cache: Cache | None
    ) -> tuple[Array, Array, Array]:
        """Make the queries, keys and values of all heads, and add what the cache has kept.

        On a GPU all three are one product where Z is X, and under autocast one copy in 16 bits in
        place of three. Not with a cache: for few new elements, packing costs more than it saves.
        """
        Z = X if Z is None else Z
        if Z is X and cache is None and _gains_by_packing(X.device):
            return self._project_at_once(X)
        Q = self._split(_times(X, self.W_Q, self.b_Q))
        K = self._split(_times(Z, self.W_K, self.b_K))
        V = self._split(_times(Z, self.W_V, self.b_V))
        if cache is not None:
            K, V = cache.append(K, V)
        return Q, K, V

    def _project_at_once(self, X: Array) -> tuple[Array, Array, Array]:
        """Make queries, keys and values of X by one product with the matrices side by side."""
        matrices: list[Array] = [self.W_Q, self.W_K, self.W_V]
        b = (self.b_Q, self.b_K, self.b_V)
        vectors: list[Array] = [vector for vector in b if vector is not None]
        W, widths = torch.cat(matrices, dim=1), [W.shape[1] for W in matrices]
        packed = _times(X, W, torch.cat(vectors) if vectors else None)
        Q, K, V = map(self._split, packed.split(widths, dim=-1))
        return Q, K, V

    def _limits(
        self,
        Q: Array,
        mask: Array | None,
        bias: Array | None,
        causal: bool,
        cache: Any,
    ) -> dict[str, Any]:
        """Fit the mask and the bias to the queries of all heads, and hide empty rows of a cache."""
        if getattr(cache, "n_max", None) is not None:
            kept = cache.mask(Q.shape[-2], causal=causal)
            mask, causal = _both(kept, mask), False
        # The same mask for all heads.
        mask = mask.unsqueeze(-3) if mask is not None and mask.ndim > 2 else mask
        # Autocast may have made Q narrower.
        bias = None if bias is None else bias.to(Q.dtype)
        return {"mask": mask, "bias": bias, "causal": causal}

    def _split(self, X: Array) -> Array:
        """Do what `split_heads` does, without a copy."""
        return X.unflatten(-1, (self.n_heads, -1)).transpose(-2, -3)

    def _mix(self, heads: Array) -> Array:
        """Write the heads' vectors side by side, and mix them."""
        return _times(heads.transpose(-2, -3).flatten(-2), self.W_O, self.b_O)


def _times(X: Array, W: Array, b: Array | None) -> Array:
    """Compute X W + b in one pass; without a vector, in a shorter one."""
    return X @ W if b is None else F.linear(X, W.T, b)


def _gains_by_packing(device: torch.device) -> bool:
    """Tell whether one product of matrices side by side is quicker than three: not on a CPU."""
    return device.type != "cpu"


@check_arguments
def _both(
    cache: Bool[Array, "n_q n_k"],
    mask: Bool[Array, "*#batch #n_q #n_k"] | None,
) -> Bool[Array, "*batch n_q n_k"]:
    """Allow what both the cache and the mask, if there is one, allow."""
    return cache if mask is None else cache & mask


def _linear_map(
    d_in: int, d_out: int, biases: bool
) -> tuple[torch.nn.Parameter, torch.nn.Parameter | None]:
    """Make room for a matrix and, if there are biases, a vector."""
    W = torch.nn.Parameter(torch.empty(d_in, d_out))
    return W, torch.nn.Parameter(torch.empty(d_out)) if biases else None


@check_arguments
def from_torch(mha: torch.nn.MultiheadAttention) -> MultiHeadAttention:
    """Copy PyTorch's layer into ours: same numbers in, same numbers out.

    PyTorch stacks W_Q, W_K and W_V, transposed, one below the other in one weight of shape
    (3 d_model, d_model). Ours wants the batch first, whatever `mha.batch_first` says. Dtype, device
    and mode (training or not) are kept. Where `kdim` and `vdim` differ, Z is key and value side by
    side, ``torch.cat([key, value], dim=-1)``, so d_z = kdim + vdim: W_K has rows of zeros for the
    value's features, and W_V for the key's. Layers with `add_bias_kv` or `add_zero_attn` are
    refused.
    Source: PyTorch's layer, after Vaswani et al. (2017), section 3.2.2.

    Examples
    --------
    >>> mha = torch.nn.MultiheadAttention(6, 2, batch_first=True)
    >>> X = torch.randn(1, 5, 6)
    >>> torch.allclose(from_torch(mha)(X), mha(X, X, X)[0], atol=1e-6)
    True
    """
    appends = {
        "add_bias_kv": mha.bias_k is not None,
        "add_zero_attn": mha.add_zero_attn,
    }
    for option, is_on in appends.items():
        if is_on:
            raise ValueError(
                f"mha must be made without {option}, which appends a key to every sequence"
            )
    W_Q, W_K, W_V = _row_matrices(mha)
    if mha.kdim != mha.vdim:
        W_K, W_V = torch.block_diag(W_K, W_V).chunk(2, dim=1)
    state = {"W_Q": W_Q, "W_K": W_K, "W_V": W_V, "W_O": mha.out_proj.weight.T}
    if mha.in_proj_bias is not None:
        state |= zip(("b_Q", "b_K", "b_V"), mha.in_proj_bias.chunk(3), strict=True)
        state["b_O"] = mha.out_proj.bias
    module = MultiHeadAttention(
        mha.embed_dim,
        mha.num_heads,
        d_z=W_K.shape[0],
        biases="b_O" in state,
        dropout=mha.dropout,
    )
    module.to(W_Q.device, W_Q.dtype).load_state_dict(state)
    return module.train(mha.training)


@check_arguments
def to_torch(
    module: MultiHeadAttention, *, batch_first: Flag = True
) -> torch.nn.MultiheadAttention:
    """Copy our layer into PyTorch's: same numbers in, same numbers out.

    PyTorch stacks W_Q, W_K and W_V, transposed, one below the other in one weight of shape
    (3 d_model, d_model), or keeps three if d_z is not d_model; kdim = vdim = d_z. Dtype, device and
    mode (training or not) are kept. The copy takes (batch, n, d_model), as ours does, or
    (n, batch, d_model) if `batch_first` is False. Its boolean masks mean the opposite of ours, and
    ``need_weights=True``, its default, returns the mean over the heads. Unless
    d_k = d_v = d_model / n_heads the module is refused: PyTorch's layer has no other widths.
    Source: PyTorch's layer, after Vaswani et al. (2017), section 3.2.2.

    Examples
    --------
    >>> layer, X = MultiHeadAttention(6, n_heads=2), torch.randn(1, 5, 6)
    >>> torch.allclose(to_torch(layer)(X, X, X)[0], layer(X), atol=1e-6)
    True
    """
    width = module.n_heads * module.d_k
    if not module.d_model == width == module.n_heads * module.d_v:
        raise ValueError(
            f"module must have d_k = d_v = d_model / n_heads for PyTorch, got {module}"
        )
    mha = torch.nn.MultiheadAttention(
        module.d_model,
        module.n_heads,
        dropout=module.dropout,
        bias=module.b_O is not None,
        kdim=module.d_z,
        vdim=module.d_z,
        batch_first=batch_first,
    )
    state = _packed_state(module, as_one=mha.in_proj_weight is not None)
    mha.to(module.W_Q.device, module.W_Q.dtype).load_state_dict(state)
    return mha.train(module.training)


@check_arguments
def head_weights(
    mha: torch.nn.MultiheadAttention,
) -> tuple[
    Float[Array, "n_heads d_model d_k"],
    Float[Array, "n_heads d_key d_k"],
    Float[Array, "n_heads d_value d_v"],
    Float[Array, "n_heads d_v d_model"],
]:
    """Take the matrices of every head out of PyTorch's packed layer.

    W_Q^h is the transpose of rows h d_k to (h + 1) d_k of the first third of `in_proj_weight`,
    with h counted from 0; W_O^h the transpose of those columns of `out_proj.weight`. They are used
    as ``X @ W_Q[h]``: copies, without a gradient, in the order W_Q, W_K, W_V, W_O. With `kdim` or
    `vdim`, W_K or W_V has that many rows. The biases are left out.
    Source: PyTorch's layer, after Vaswani et al. (2017), section 3.2.2.

    Examples
    --------
    >>> W_Q, W_K, W_V, W_O = head_weights(torch.nn.MultiheadAttention(6, 2))
    >>> W_Q.shape, W_O.shape
    (torch.Size([2, 6, 3]), torch.Size([2, 3, 6]))
    """
    W_Q, W_K, W_V = (
        W.unflatten(-1, (mha.num_heads, -1)).transpose(0, 1).clone()
        for W in _row_matrices(mha)
    )
    W_O = mha.out_proj.weight.detach().T.unflatten(0, (mha.num_heads, -1))
    return W_Q, W_K, W_V, W_O.clone()


def _row_matrices(mha: torch.nn.MultiheadAttention) -> list[Array]:
    """Return W_Q, W_K and W_V of PyTorch's layer as they are used with rows: X @ W_Q."""
    if mha.in_proj_weight is not None:
        packed = mha.in_proj_weight.chunk(3)
    else:
        packed = (mha.q_proj_weight, mha.k_proj_weight, mha.v_proj_weight)
    return [W.detach().T for W in packed]


def _packed_state(module: MultiHeadAttention, *, as_one: bool) -> dict[str, Array]:
    """Return the parameters of our layer as PyTorch names and packs them."""
    W = [module.W_Q.T, module.W_K.T, module.W_V.T]
    state: dict[str, Array] = {"out_proj.weight": module.W_O.T}
    if as_one:
        state["in_proj_weight"] = torch.cat(W)
    else:
        names = ("q_proj_weight", "k_proj_weight", "v_proj_weight")
        state |= zip(names, W, strict=True)
    if module.b_O is not None:
        b = (module.b_Q, module.b_K, module.b_V)
        vectors: list[Array] = [vector for vector in b if vector is not None]
        state["in_proj_bias"] = torch.cat(vectors)
        state["out_proj.bias"] = module.b_O
    return state
