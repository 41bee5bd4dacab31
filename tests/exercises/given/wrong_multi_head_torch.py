"""Wrong answers to the PyTorch exercises of `multi_head`. Each must be refused."""

import numpy as np

from tests.exercises.answers import Answers

wrong = Answers()


@wrong("head_from_torch", "columns-cut")
def hft_columns(mha, h):
    d_k = mha.embed_dim // mha.num_heads
    parts = mha.in_proj_weight.chunk(3)
    return tuple(W[:, h * d_k : (h + 1) * d_k] for W in parts)


@wrong("head_from_torch", "not-transposed")
def hft_rows(mha, h):
    d_k = mha.embed_dim // mha.num_heads
    return tuple(W[h * d_k : (h + 1) * d_k] for W in mha.in_proj_weight.chunk(3))


@wrong("head_from_torch", "one-result")
def hft_one_tensor(mha, h):
    d = mha.embed_dim
    return mha.in_proj_weight.view(3, mha.num_heads, -1, d)[:, h].mT


@wrong("head_from_torch")
def hft_dictionary(mha, h):
    d_k = mha.embed_dim // mha.num_heads
    parts = mha.in_proj_weight.chunk(3)
    block = slice(h * d_k, (h + 1) * d_k)
    return {k: W[block].T for k, W in zip("QKV", parts, strict=True)}


@wrong("head_from_torch")
def hft_numpy(mha, h):
    d_k = mha.embed_dim // mha.num_heads
    parts = mha.in_proj_weight.detach().numpy()
    return tuple(W[h * d_k : (h + 1) * d_k].T for W in np.split(parts, 3))


@wrong("head_from_torch")
def hft_q_proj_weight(mha, h):
    d_k = mha.embed_dim // mha.num_heads
    block = slice(h * d_k, (h + 1) * d_k)
    return (
        mha.q_proj_weight[block].T,
        mha.k_proj_weight[block].T,
        mha.v_proj_weight[block].T,
    )


@wrong("head_from_torch", "one-before")
def hft_from_one(mha, h):
    d_k = mha.embed_dim // mha.num_heads
    parts = mha.in_proj_weight.chunk(3)
    return tuple(W[(h - 1) * d_k : h * d_k].T for W in parts)


@wrong("head_from_torch", "wrong-side-in-three")
def hft_transposed_then_chunked(mha, h):
    parts = mha.in_proj_weight.T.chunk(3)
    d_k = mha.embed_dim // mha.num_heads
    return tuple(W[:, h * d_k : (h + 1) * d_k] for W in parts)


@wrong("head_from_torch", "built-in")
def hft_the_course_s(mha, h):
    from course_attn.in_torch import head_weights

    W_Q, W_K, W_V, _ = head_weights(mha)
    return W_Q[h], W_K[h], W_V[h]


def _module(forward, bias=False, narrow=False, missing=()):
    import torch

    def make(d_model, n_heads):
        class Mine(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.n_heads = n_heads
                self.d_k = d_model // n_heads
                width = self.d_k if narrow else d_model
                for name in {"W_Q", "W_K", "W_V", "W_O"} - set(missing):
                    W = torch.nn.Linear(d_model, width, bias=bias)
                    setattr(self, name, W)

        Mine.forward = forward
        return Mine()

    return make


def _torch_heads(m, X):
    shape = (*X.shape[:-1], m.n_heads, m.d_k)
    return (W(X).reshape(shape).transpose(-2, -3) for W in (m.W_Q, m.W_K, m.W_V))


@wrong("MultiHeadAttention", "bias")
def module_bias(d_model, n_heads):
    return _module(lambda m, X, mask: X, bias=True)(d_model, n_heads)


@wrong("MultiHeadAttention", "weight-shape")
def module_narrow(d_model, n_heads):
    return _module(lambda m, X, mask: X, narrow=True)(d_model, n_heads)


@wrong("MultiHeadAttention", "attribute")
def module_without_output_matrix(d_model, n_heads):
    return _module(lambda m, X, mask: X, missing=["W_O"])(d_model, n_heads)


@wrong("MultiHeadAttention", "attribute")
def module_list_of_heads(d_model, n_heads):
    import torch

    class Mine(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.W_Q = [torch.nn.Linear(d_model, 1) for _ in range(n_heads)]

    return Mine()


@wrong("MultiHeadAttention", "gradient")
def module_detached(d_model, n_heads):
    def forward(m, X, mask):
        Q, K, V = _torch_heads(m, X)
        scores = (Q @ K.mT / m.d_k**0.5).masked_fill(~mask, float("-inf"))
        out = scores.softmax(-1).detach() @ V
        return m.W_O(out.transpose(-2, -3).reshape(X.shape))

    return _module(forward)(d_model, n_heads)


@wrong("MultiHeadAttention")
def module_view_without_contiguous(d_model, n_heads):
    def forward(m, X, mask):
        Q, K, V = _torch_heads(m, X)
        scores = (Q @ K.mT / m.d_k**0.5).masked_fill(~mask, float("-inf"))
        return m.W_O((scores.softmax(-1) @ V).transpose(-2, -3).view(X.shape))

    return _module(forward)(d_model, n_heads)


@wrong("MultiHeadAttention", "mask-inverted")
def module_mask_the_wrong_way(d_model, n_heads):
    def forward(m, X, mask):
        Q, K, V = _torch_heads(m, X)
        scores = (Q @ K.mT / m.d_k**0.5).masked_fill(mask, float("-inf"))
        out = scores.softmax(-1) @ V
        return m.W_O(out.transpose(-2, -3).reshape(X.shape))

    return _module(forward)(d_model, n_heads)


@wrong("MultiHeadAttention", "no-scale", "no-mask")
def module_without_mask_and_scale(d_model, n_heads):
    def forward(m, X, mask):
        Q, K, V = _torch_heads(m, X)
        out = (Q @ K.mT).softmax(-1) @ V
        return m.W_O(out.transpose(-2, -3).reshape(X.shape))

    return _module(forward)(d_model, n_heads)


@wrong("MultiHeadAttention")
def module_of_pytorch(d_model, n_heads):
    import torch

    def forward(m, X, mask):
        inner = torch.nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        return inner.to(X.dtype)(X, X, X, attn_mask=~mask, need_weights=False)[0]

    return _module(forward)(d_model, n_heads)


@wrong("MultiHeadAttention", "built-in")
def module_handed_to_the_function(d_model, n_heads):
    from torch.nn.functional import multi_head_attention_forward

    def forward(m, X, mask):
        rows = X.flatten(0, -3) if X.ndim > 3 else X
        rows = rows.transpose(0, 1) if rows.ndim > 2 else rows[:, None]
        out = multi_head_attention_forward(
            rows,
            rows,
            rows,
            X.shape[-1],
            m.n_heads,
            None,
            None,
            None,
            None,
            False,
            0.0,
            m.W_O.weight,
            None,
            need_weights=False,
            attn_mask=~mask,
            use_separate_proj_weight=True,
            q_proj_weight=m.W_Q.weight,
            k_proj_weight=m.W_K.weight,
            v_proj_weight=m.W_V.weight,
        )[0]
        return out.transpose(0, 1).reshape(X.shape)

    return _module(forward)(d_model, n_heads)


@wrong("head_from_torch", mistake="the three matrices lie below each other")
def hft_thirds_across(mha, h):
    d_k = mha.embed_dim // mha.num_heads
    W_Q, W_K, W_V = mha.in_proj_weight.chunk(3, dim=-1)
    return tuple(W[h * d_k : h * d_k + d_k].T for W in (W_Q, W_K, W_V))


@wrong("head_from_torch", mistake="returned in another order: values first")
def hft_values_keys_queries(mha, h):
    d_k = mha.embed_dim // mha.num_heads
    V, K, Q = (W[h * d_k : (h + 1) * d_k].T for W in mha.in_proj_weight.chunk(3))
    return Q, K, V


@wrong("head_from_torch", mistake="view deals the rows out in turn")
def hft_view_in_turn(mha, h):
    d = mha.embed_dim
    packed = mha.in_proj_weight.view(3, -1, mha.num_heads, d)
    return tuple(packed[:, :, h].mT)


@wrong("head_from_torch", mistake="it takes the output's matrix for the values")
def hft_output_for_values(mha, h):
    d_k = mha.embed_dim // mha.num_heads
    W_Q, W_K, _ = (
        W[h * d_k : (h + 1) * d_k].T for W in mha.in_proj_weight.chunk(3)
    )
    return W_Q, W_K, mha.out_proj.weight[h * d_k : (h + 1) * d_k].T


def _attended(m, X, mask, scale=None):
    Q, K, V = _torch_heads(m, X)
    S = (Q @ K.mT / (scale or m.d_k**0.5)).masked_fill(~mask, float("-inf"))
    return (S.softmax(-1) @ V).transpose(-2, -3).reshape(X.shape)


@wrong("MultiHeadAttention", "frozen", mistake="the parameters cannot learn")
def module_frozen(d_model, n_heads):
    layer = _module(lambda m, X, mask: m.W_O(_attended(m, X, mask)))(
        d_model, n_heads
    )
    return layer.requires_grad_(False)


@wrong(
    "MultiHeadAttention", "constant", mistake="parameters that all start at zero"
)
def module_of_zeros(d_model, n_heads):
    import torch

    layer = _module(lambda m, X, mask: m.W_O(_attended(m, X, mask)))(
        d_model, n_heads
    )
    for W in layer.parameters():
        torch.nn.init.zeros_(W)
    return layer


@wrong(
    "MultiHeadAttention", "shared", mistake="one map serves for queries and keys"
)
def module_with_one_map_for_two(d_model, n_heads):
    layer = _module(lambda m, X, mask: m.W_O(_attended(m, X, mask)))(
        d_model, n_heads
    )
    layer.W_K = layer.W_Q
    return layer


@wrong("MultiHeadAttention", "dtype", mistake="float64 comes back for float32")
def module_in_double(d_model, n_heads):
    def forward(m, X, mask):
        return m.W_O(_attended(m, X, mask)).double()

    return _module(forward)(d_model, n_heads)


@wrong("MultiHeadAttention", mistake="dropout is not asked for")
def module_with_dropout(d_model, n_heads):
    import torch

    def forward(m, X, mask):
        out = m.W_O(_attended(m, X, mask))
        return torch.nn.functional.dropout(out, 0.1, training=m.training)

    return _module(forward)(d_model, n_heads)


@wrong("MultiHeadAttention", mistake="is_causal ignores the mask that is given")
def module_always_causal(d_model, n_heads):
    from torch.nn.functional import scaled_dot_product_attention

    def forward(m, X, mask):
        out = scaled_dot_product_attention(*_torch_heads(m, X), is_causal=True)
        return m.W_O(out.transpose(-2, -3).flatten(-2))

    return _module(forward)(d_model, n_heads)


@wrong("MultiHeadAttention", mistake="the stored weight is transposed")
def module_weights_as_they_lie(d_model, n_heads):
    def forward(m, X, mask):
        shape = (*X.shape[:-1], m.n_heads, m.d_k)
        Q, K, V = (
            (X @ W.weight).reshape(shape).transpose(-2, -3)
            for W in (m.W_Q, m.W_K, m.W_V)
        )
        S = (Q @ K.mT / m.d_k**0.5).masked_fill(~mask, float("-inf"))
        return m.W_O((S.softmax(-1) @ V).transpose(-2, -3).reshape(X.shape))

    return _module(forward)(d_model, n_heads)


@wrong("MultiHeadAttention", mistake="heads joined without swapping the axes back")
def module_reshaped_at_once(d_model, n_heads):
    def forward(m, X, mask):
        Q, K, V = _torch_heads(m, X)
        S = (Q @ K.mT / m.d_k**0.5).masked_fill(~mask, float("-inf"))
        return m.W_O((S.softmax(-1) @ V).reshape(X.shape))

    return _module(forward)(d_model, n_heads)


@wrong("MultiHeadAttention", mistake="the residual belongs to the block around it")
def module_with_a_residual(d_model, n_heads):
    return _module(lambda m, X, mask: X + m.W_O(_attended(m, X, mask)))(
        d_model, n_heads
    )
