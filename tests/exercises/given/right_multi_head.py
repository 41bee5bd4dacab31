"""Right answers to the exercises of `multi_head`, each written in another way. All must pass."""

import numpy as np

from tests.exercises.answers import Answers

right = Answers()


@right("split_heads")
def sh_stacked_slices(X, n_heads):
    d = X.shape[-1]
    if d % n_heads != 0:
        raise ValueError("not divisible")
    w = d // n_heads
    return np.stack([X[..., h * w : (h + 1) * w] for h in range(n_heads)], axis=-3)


@right("split_heads")
def sh_np_split(X, n_heads):
    return np.stack(
        np.split(X, n_heads, axis=-1), axis=-3
    )  # raises ValueError itself


@right("split_heads")
def sh_minus_one_for_the_width(X, n_heads):
    # reshape raises a ValueError of its own where nothing fits
    return np.moveaxis(X.reshape(X.shape[:-1] + (n_heads, -1)), -2, -3)


@right("split_heads")
def sh_transposed_first(X, n_heads):
    *batch, n, d = X.shape
    columns = np.swapaxes(X, -1, -2).reshape(*batch, n_heads, d // n_heads, n)
    return np.swapaxes(columns, -1, -2)


@right("split_heads")
def sh_index_by_index(X, n_heads):
    *batch, n, d = X.shape
    width, rest = divmod(d, n_heads)
    if rest:
        raise ValueError
    out = np.zeros((*batch, n_heads, n, width), dtype=X.dtype)
    for h in range(n_heads):
        for c in range(width):
            out[..., h, :, c] = X[..., h * width + c]
    return out


@right("split_heads")
def sh_the_course_s_own_error(X, n_heads):
    class TooWide(ValueError):
        pass

    if X.shape[-1] / n_heads != X.shape[-1] // n_heads:
        raise TooWide("n_heads must divide d")
    order = list(range(X.ndim + 1))
    order[-2], order[-3] = order[-3], order[-2]
    return X.reshape(*X.shape[:-1], n_heads, X.shape[-1] // n_heads).transpose(
        order
    )


@right("merge_heads")
def mh_concatenated(X):
    return np.concatenate([X[..., h, :, :] for h in range(X.shape[-3])], axis=-1)


@right("merge_heads")
def mh_einsum(X):
    out = np.einsum("...hic->...ihc", X)
    return out.reshape(out.shape[:-2] + (-1,))


@right("merge_heads")
def mh_rolled(X):
    out = np.rollaxis(X, X.ndim - 3, X.ndim - 1)
    return out.reshape(*out.shape[:-2], out.shape[-1] * out.shape[-2])


@right("merge_heads")
def mh_filled(X):
    *batch, n_heads, n, d_k = X.shape
    out = np.empty((*batch, n, n_heads * d_k), dtype=X.dtype)
    for h in range(n_heads):
        out[..., h * d_k : (h + 1) * d_k] = X[..., h, :, :]
    return out


def _softmax(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@right("multi_head_attention")
def mha_loop(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d_k = X.shape[-1] // n_heads
    heads = []
    for h in range(n_heads):
        block = slice(h * d_k, (h + 1) * d_k)
        Q, K, V = X @ W_Q[:, block], X @ W_K[:, block], X @ W_V[:, block]
        scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k)
        heads.append(_softmax(np.where(mask, scores, -1e9)) @ V)
    return np.concatenate(heads, axis=-1) @ W_O


@right("multi_head_attention")
def mha_sum_over_heads(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    out, width = 0, X.shape[-1] // n_heads
    for start in range(0, X.shape[-1], width):
        stop = start + width
        scores = (
            X @ (W_Q[:, start:stop] @ W_K[:, start:stop].T) @ X.swapaxes(-1, -2)
        )
        bias = np.where(mask, 0.0, -np.inf)
        A = _softmax(scores * width**-0.5 + bias)
        out = out + A @ X @ W_V[:, start:stop] @ W_O[start:stop]
    return out


@right("multi_head_attention")
def mha_einsum(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d = X.shape[-1]
    Q, K, V = (
        np.einsum("...nd,dhk->...hnk", X, W.reshape(d, n_heads, -1))
        for W in (W_Q, W_K, W_V)
    )
    s = np.einsum("...hik,...hjk->...hij", Q, K) / np.sqrt(Q.shape[-1])
    e = np.exp(s) * mask
    A = e / e.sum(-1, keepdims=True)
    W_out = W_O.reshape(n_heads, -1, d)
    return np.einsum("...hij,...hjv,hvd->...id", A, V, W_out)


@right("multi_head_attention")
def mha_course_steps(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    from course_attn.in_numpy.multi_head import merge_heads, split_heads
    from course_attn.in_numpy.qkv import attention

    Q, K, V = (split_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    return merge_heads(attention(Q, K, V, mask=mask)) @ W_O


@right("multi_head_attention")
def mha_scaled_queries(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    from scipy.special import softmax

    n, d = X.shape[-2:]
    heads_first = X.shape[:-2] + (n, n_heads, d // n_heads)
    QKV = X @ np.hstack([W_Q, W_K, W_V])
    Q, K, V = np.split(QKV, 3, axis=-1)
    Q, K, V = (np.moveaxis(A.reshape(heads_first), -2, -3) for A in (Q, K, V))
    S = (Q * (d // n_heads) ** -0.5) @ K.swapaxes(-2, -1)
    S[..., ~mask] = -np.inf
    out = np.moveaxis(softmax(S, axis=-1) @ V, -3, -2)
    return out.reshape(X.shape) @ W_O


@right("multi_head_attention")
def mha_sequence_by_sequence(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    if X.ndim > 2:
        rest = (W_Q, W_K, W_V, W_O, n_heads, mask)
        return np.array([mha_sequence_by_sequence(x, *rest) for x in X])
    out = np.zeros(X.shape)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    for h in np.split(np.arange(X.shape[1]), n_heads):
        for i in range(len(X)):
            seen = np.flatnonzero(mask[i])
            a = _softmax(K[np.ix_(seen, h)] @ Q[i, h] / np.sqrt(len(h)))
            out[i, h] = a @ V[np.ix_(seen, h)]
    return out @ W_O


@right("true_of_average")
def toa_text():
    return "b, c, f, g"


@right("n_parameters")
def np_four_terms(d_model, n_heads, d_k, d_v, biases):
    W_Q = W_K = d_model * (n_heads * d_k)
    W_V = d_model * (n_heads * d_v)
    W_O = (n_heads * d_v) * d_model
    total = W_Q + W_K + W_V + W_O
    if biases:
        total += 2 * n_heads * d_k + n_heads * d_v + d_model
    return total


@right("n_parameters")
def np_of_arrays(d_model, n_heads, d_k, d_v, biases):
    shapes = [(d_model, n_heads * w) for w in (d_k, d_k, d_v)]
    shapes.append((n_heads * d_v, d_model))
    if biases:
        shapes += [(columns,) for _, columns in shapes]
    return sum(np.prod(shape) for shape in shapes)


@right("n_parameters")
def np_by_heads(d_model, n_heads, d_k, d_v, biases):
    count = d_model if biases else 0
    for _ in range(n_heads):
        count += 2 * d_model * (d_k + d_v) + (2 * d_k + d_v) * int(biases)
    return count


@right("multi_head_flops")
def flops_in_short(n, d_model, n_heads):
    return 4 * n * d_model * (2 * d_model + n)


@right("multi_head_flops")
def flops_of_terms(n, d_model, n_heads):
    d_k = d_model // n_heads
    sizes = 3 * n_heads * [(n, d_model, d_k)] + [(n, d_model, d_model)]
    sizes += n_heads * [(n, d_k, n), (n, n, d_k)]
    return 2 * sum(np.prod(abc) for abc in sizes)


@right("head_from_torch")
def hft_four_axes(mha, h):
    d, n = mha.embed_dim, mha.num_heads
    packed = mha.in_proj_weight.detach().view(3, n, d // n, d)
    return tuple(packed[:, h].mT)


@right("head_from_torch")
def hft_transposed_first(mha, h):
    d, d_k = mha.embed_dim, mha.head_dim
    W = mha.in_proj_weight.T
    return [W[:, t * d + h * d_k : t * d + (h + 1) * d_k] for t in range(3)]


@right("head_from_torch")
def hft_clone_without_gradient(mha, h):
    import torch

    with torch.no_grad():
        thirds = mha.in_proj_weight.split(mha.embed_dim)
        return tuple(t.chunk(mha.num_heads)[h].t().clone() for t in thirds)


@right("head_from_torch")
def hft_one_by_one(mha, h):
    import torch

    d, d_k = mha.embed_dim, mha.embed_dim // mha.num_heads
    out = []
    for part in range(3):
        W = torch.zeros(d, d_k, dtype=mha.in_proj_weight.dtype)
        for c in range(d_k):
            W[:, c] = mha.in_proj_weight.data[part * d + h * d_k + c]
        out.append(W)
    return out


@right("MultiHeadAttention")
def module_fused(d_model, n_heads):
    import torch
    import torch.nn.functional as F

    class Mine(torch.nn.Module):
        def __init__(self):
            super().__init__()
            for name in ("W_Q", "W_K", "W_V", "W_O"):
                setattr(self, name, torch.nn.Linear(d_model, d_model, bias=False))

        def forward(self, X, mask):
            Q, K, V = (
                W(X).unflatten(-1, (n_heads, -1)).transpose(-2, -3)
                for W in (self.W_Q, self.W_K, self.W_V)
            )
            out = F.scaled_dot_product_attention(Q, K, V, attn_mask=mask)
            return self.W_O(out.transpose(-2, -3).flatten(-2))

    return Mine()


@right("MultiHeadAttention")
def module_loop_of_parameters(d_model, n_heads):
    import torch

    class Mine(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.d_k = d_model // n_heads
            for name in ("W_Q", "W_K", "W_V", "W_O"):
                W = torch.nn.Parameter(torch.randn(d_model, d_model))
                setattr(self, name, W)
            self.dropout = torch.nn.Dropout(0.0)

        def forward(self, X, mask):
            heads = []
            for h in range(n_heads):
                part = slice(h * self.d_k, (h + 1) * self.d_k)
                Q, K, V = (X @ W[:, part] for W in (self.W_Q, self.W_K, self.W_V))
                scores = Q @ K.mT / self.d_k**0.5
                scores = torch.where(mask, scores, -1e9)
                heads.append(self.dropout(scores.softmax(-1)) @ V)
            return torch.cat(heads, dim=-1) @ self.W_O

    return Mine()


@right("MultiHeadAttention")
def module_einsum(d_model, n_heads):
    import torch

    class Mine(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.n_heads = n_heads
            self.W_Q, self.W_K, self.W_V, self.W_O = (
                torch.nn.Linear(d_model, d_model, bias=False) for _ in range(4)
            )
            self.register_buffer("scale", torch.tensor((d_model / n_heads) ** -0.5))

        def forward(self, X, mask):
            shape = (*X.shape[:-1], self.n_heads, -1)
            Q, K, V = (W(X).view(shape) for W in (self.W_Q, self.W_K, self.W_V))
            s = torch.einsum("...ihc,...jhc->...hij", Q, K) * self.scale
            A = s.masked_fill(mask.logical_not(), -torch.inf).softmax(-1)
            return self.W_O(torch.einsum("...hij,...jhc->...ihc", A, V).flatten(-2))

    return Mine()


@right("split_heads")
def sh_one_sequence_at_a_time(X, n_heads):
    if X.ndim > 2:
        return np.stack([sh_one_sequence_at_a_time(x, n_heads) for x in X])
    if X.shape[1] % n_heads:
        raise ValueError("n_heads must divide d")
    return X.reshape(len(X), n_heads, -1).transpose(1, 0, 2)


@right("multi_head_attention")
def mha_all_sequences_in_one_axis(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    n, d = X.shape[-2:]
    rows = X.reshape(-1, n, d)
    Q, K, V = (
        (rows @ W).reshape(len(rows), n, n_heads, -1).transpose(0, 2, 1, 3)
        for W in (W_Q, W_K, W_V)
    )
    S = np.where(mask, Q @ K.transpose(0, 1, 3, 2) * (n_heads / d) ** 0.5, -1e9)
    out = (_softmax(S) @ V).transpose(0, 2, 1, 3).reshape(X.shape)
    return out @ W_O


@right("notices_the_reshape")
def nr_list():
    return ["c", "e"]
