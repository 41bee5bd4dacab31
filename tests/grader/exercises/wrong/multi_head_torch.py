"""Wrong answers to the PyTorch exercises of `multi_head`. Each must be refused."""

import numpy as np

from tests.grader.exercises.answers import Answers

answers = Answers()


@answers("head_from_torch", "columns-cut")
def hft_columns(mha, h):
    d_k = mha.embed_dim // mha.num_heads
    parts = mha.in_proj_weight.chunk(3)
    return tuple(W[:, h * d_k : (h + 1) * d_k] for W in parts)


@answers("head_from_torch", "not-transposed")
def hft_rows(mha, h):
    d_k = mha.embed_dim // mha.num_heads
    return tuple(W[h * d_k : (h + 1) * d_k] for W in mha.in_proj_weight.chunk(3))


@answers("head_from_torch", "one-result")
def hft_one_tensor(mha, h):
    d = mha.embed_dim
    return mha.in_proj_weight.view(3, mha.num_heads, -1, d)[:, h].mT


@answers("head_from_torch")
def hft_dictionary(mha, h):
    d_k = mha.embed_dim // mha.num_heads
    parts = mha.in_proj_weight.chunk(3)
    block = slice(h * d_k, (h + 1) * d_k)
    return {k: W[block].T for k, W in zip("QKV", parts, strict=True)}


@answers("head_from_torch")
def hft_numpy(mha, h):
    d_k = mha.embed_dim // mha.num_heads
    parts = mha.in_proj_weight.detach().numpy()
    return tuple(W[h * d_k : (h + 1) * d_k].T for W in np.split(parts, 3))


@answers("head_from_torch")
def hft_q_proj_weight(mha, h):
    d_k = mha.embed_dim // mha.num_heads
    block = slice(h * d_k, (h + 1) * d_k)
    return (
        mha.q_proj_weight[block].T,
        mha.k_proj_weight[block].T,
        mha.v_proj_weight[block].T,
    )


@answers("head_from_torch", "one-before")
def hft_from_one(mha, h):
    d_k = mha.embed_dim // mha.num_heads
    parts = mha.in_proj_weight.chunk(3)
    return tuple(W[(h - 1) * d_k : h * d_k].T for W in parts)


@answers("head_from_torch")
def hft_transposed_then_chunked(mha, h):
    parts = mha.in_proj_weight.T.chunk(3)
    d_k = mha.embed_dim // mha.num_heads
    return tuple(W[:, h * d_k : (h + 1) * d_k] for W in parts)


@answers("head_from_torch", "built-in")
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


@answers("MultiHeadAttention", "bias")
def module_bias(d_model, n_heads):
    return _module(lambda m, X, mask: X, bias=True)(d_model, n_heads)


@answers("MultiHeadAttention", "weight-shape")
def module_narrow(d_model, n_heads):
    return _module(lambda m, X, mask: X, narrow=True)(d_model, n_heads)


@answers("MultiHeadAttention", "attribute")
def module_without_output_matrix(d_model, n_heads):
    return _module(lambda m, X, mask: X, missing=["W_O"])(d_model, n_heads)


@answers("MultiHeadAttention", "attribute")
def module_list_of_heads(d_model, n_heads):
    import torch

    class Mine(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.W_Q = [torch.nn.Linear(d_model, 1) for _ in range(n_heads)]

    return Mine()


@answers("MultiHeadAttention", "gradient")
def module_detached(d_model, n_heads):
    def forward(m, X, mask):
        Q, K, V = _torch_heads(m, X)
        scores = (Q @ K.mT / m.d_k**0.5).masked_fill(~mask, float("-inf"))
        out = scores.softmax(-1).detach() @ V
        return m.W_O(out.transpose(-2, -3).reshape(X.shape))

    return _module(forward)(d_model, n_heads)


@answers("MultiHeadAttention")
def module_view_without_contiguous(d_model, n_heads):
    def forward(m, X, mask):
        Q, K, V = _torch_heads(m, X)
        scores = (Q @ K.mT / m.d_k**0.5).masked_fill(~mask, float("-inf"))
        return m.W_O((scores.softmax(-1) @ V).transpose(-2, -3).view(X.shape))

    return _module(forward)(d_model, n_heads)


@answers("MultiHeadAttention", "mask-inverted")
def module_mask_the_wrong_way(d_model, n_heads):
    def forward(m, X, mask):
        Q, K, V = _torch_heads(m, X)
        scores = (Q @ K.mT / m.d_k**0.5).masked_fill(mask, float("-inf"))
        out = scores.softmax(-1) @ V
        return m.W_O(out.transpose(-2, -3).reshape(X.shape))

    return _module(forward)(d_model, n_heads)


@answers("MultiHeadAttention", "no-scale", "no-mask")
def module_without_mask_and_scale(d_model, n_heads):
    def forward(m, X, mask):
        Q, K, V = _torch_heads(m, X)
        out = (Q @ K.mT).softmax(-1) @ V
        return m.W_O(out.transpose(-2, -3).reshape(X.shape))

    return _module(forward)(d_model, n_heads)


@answers("MultiHeadAttention")
def module_of_pytorch(d_model, n_heads):
    import torch

    def forward(m, X, mask):
        inner = torch.nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        return inner.to(X.dtype)(X, X, X, attn_mask=~mask, need_weights=False)[0]

    return _module(forward)(d_model, n_heads)


@answers("MultiHeadAttention", "built-in")
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
