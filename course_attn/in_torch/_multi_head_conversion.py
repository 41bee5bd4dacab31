"""Chapter 7, `multi_head`: between PyTorch's layer and ours."""

from typing import Any

import torch
from jaxtyping import Float

from course_attn._checks import check_flag
from course_attn.in_torch._multi_head_layers import MultiHeadAttention


def from_torch(mha: torch.nn.MultiheadAttention) -> MultiHeadAttention:
    """Copy PyTorch's layer into ours: same numbers in, same numbers out.

    PyTorch packs W_Q, W_K and W_V, transposed, below each other into one weight of shape
    (3 d_model, d_model). Ours wants the batch first, whatever `mha.batch_first` says.

    Parameters
    ----------
    mha : torch.nn.MultiheadAttention
        Any but those made with `add_bias_kv` or `add_zero_attn`.

    Returns
    -------
    MultiHeadAttention
        Copies of the weights, in their dtype, on their device and in the mode (training or not)
        of `mha`. Where `kdim` and `vdim` differ, its Z is key and value side by side,
        ``torch.cat([key, value], dim=-1)``, so d_z = kdim + vdim: W_K has rows of zeros for the
        value's features, and W_V for the key's.

    Raises
    ------
    TypeError
        If `mha` is something else.
    ValueError
        If `mha` appends a key: made with `add_bias_kv` or `add_zero_attn`.

    Examples
    --------
    >>> mha = torch.nn.MultiheadAttention(6, 2, batch_first=True)
    >>> X = torch.randn(1, 5, 6)
    >>> torch.allclose(from_torch(mha)(X), mha(X, X, X)[0], atol=1e-6)
    True

    Notes
    -----
    Source: PyTorch's layer, after Vaswani et al. (2017), section 3.2.2. Chapter: `multi_head`.
    """
    _check_kind(torch.nn.MultiheadAttention, mha=mha)
    for option in ("add_bias_kv", "add_zero_attn"):
        if mha.bias_k is not None if option == "add_bias_kv" else mha.add_zero_attn:
            raise ValueError(
                f"mha must be made without {option}, which appends a key to every sequence"
            )
    W_Q, W_K, W_V = _rows(mha)
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
        bias="b_O" in state,
        dropout=mha.dropout,
    )
    module.to(W_Q.device, W_Q.dtype).load_state_dict(state)
    return module.train(mha.training)


def to_torch(
    module: MultiHeadAttention, *, batch_first: bool = True
) -> torch.nn.MultiheadAttention:
    """Copy our layer into PyTorch's: same numbers in, same numbers out.

    PyTorch packs W_Q, W_K and W_V, transposed, below each other into one weight of shape
    (3 d_model, d_model), or keeps three if d_z is not d_model.

    Parameters
    ----------
    module : MultiHeadAttention
        One whose heads share its width: n_heads d_k = n_heads d_v = d_model.
    batch_first : bool
        Whether the copy takes (batch, n, d_model), as ours does, or (n, batch, d_model).

    Returns
    -------
    torch.nn.MultiheadAttention
        Copies of the weights, in their dtype, on their device and in the mode (training or not)
        of `module`, with kdim = vdim = d_z. Its boolean masks mean the opposite of ours, and
        ``need_weights=True``, its default, returns the mean over the heads.

    Raises
    ------
    TypeError
        If `module` is something else; if `batch_first` is not True or False.
    ValueError
        If the heads are wider or narrower: PyTorch's layer cannot be that.

    Examples
    --------
    >>> layer, X = MultiHeadAttention(6, n_heads=2), torch.randn(1, 5, 6)
    >>> torch.allclose(to_torch(layer)(X, X, X)[0], layer(X), atol=1e-6)
    True

    Notes
    -----
    Source: PyTorch's layer, after Vaswani et al. (2017), section 3.2.2. Chapter: `multi_head`.
    """
    _check_kind(MultiHeadAttention, module=module)
    check_flag(batch_first=batch_first)
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
    W = [module.W_Q.T, module.W_K.T, module.W_V.T]
    if mha.in_proj_weight is not None:
        state = {"in_proj_weight": torch.cat(W)}
    else:
        names = ("q_proj_weight", "k_proj_weight", "v_proj_weight")
        state = dict(zip(names, W, strict=True))
    state["out_proj.weight"] = module.W_O.T
    if module.b_O is not None:
        state["in_proj_bias"] = torch.cat([module.b_Q, module.b_K, module.b_V])
        state["out_proj.bias"] = module.b_O
    mha.to(module.W_Q.device, module.W_Q.dtype).load_state_dict(state)
    return mha.train(module.training)


def head_weights(
    mha: torch.nn.MultiheadAttention,
) -> tuple[
    Float[torch.Tensor, "n_heads d_model d_k"],
    Float[torch.Tensor, "n_heads d_key d_k"],
    Float[torch.Tensor, "n_heads d_value d_v"],
    Float[torch.Tensor, "n_heads d_v d_model"],
]:
    """Take the matrices of every head out of PyTorch's packed layer.

    W_Q^h is the transpose of rows h d_k to (h + 1) d_k of the first third of `in_proj_weight`,
    with h counted from 0; W_O^h the transpose of those columns of `out_proj.weight`.

    Parameters
    ----------
    mha : torch.nn.MultiheadAttention
        Any; its biases are left out.

    Returns
    -------
    tuple of arrays, shapes (n_heads, d_model, d_k) three times and (n_heads, d_v, d_model)
        W_Q, W_K, W_V and W_O of every head, used as ``X @ W_Q[h]``: copies, without a gradient.
        With `kdim` or `vdim`, W_K or W_V has that many rows.

    Raises
    ------
    TypeError
        If `mha` is something else.

    Examples
    --------
    >>> W_Q, W_K, W_V, W_O = head_weights(torch.nn.MultiheadAttention(6, 2))
    >>> W_Q.shape, W_O.shape
    (torch.Size([2, 6, 3]), torch.Size([2, 3, 6]))

    Notes
    -----
    Source: PyTorch's layer, after Vaswani et al. (2017), section 3.2.2. Chapter: `multi_head`.
    """
    _check_kind(torch.nn.MultiheadAttention, mha=mha)
    W_Q, W_K, W_V = (
        W.unflatten(-1, (mha.num_heads, -1)).transpose(0, 1).clone()
        for W in _rows(mha)
    )
    W_O = mha.out_proj.weight.detach().T.unflatten(0, (mha.num_heads, -1))
    return W_Q, W_K, W_V, W_O.clone()


def _check_kind(kind: type, **argument: Any) -> None:
    """Check that the one argument given is a module of this kind."""
    ((name, value),) = argument.items()
    if not isinstance(value, kind):
        raise TypeError(
            f"{name} must be a {kind.__name__}, got {type(value).__qualname__}"
        )


def _rows(mha: torch.nn.MultiheadAttention) -> list[torch.Tensor]:
    """Return W_Q, W_K and W_V as they are used with rows: X @ W_Q."""
    if mha.in_proj_weight is not None:
        packed = mha.in_proj_weight.chunk(3)
    else:
        packed = (mha.q_proj_weight, mha.k_proj_weight, mha.v_proj_weight)
    return [W.detach().T for W in packed]
