"""Answers to the exercises of `multi_head` by somebody who had not seen the known mistakes."""

import math

import numpy as np
import torch
import torch.nn.functional as F

from tests.exercises.answers import Answers

right, wrong = Answers(), Answers()


@right("split_heads")
def fresh_split_by_index(X, n_heads):
    d = X.shape[-1]
    if n_heads < 1 or d % n_heads:
        raise ValueError(f"{d} features cannot be cut into {n_heads} equal parts")
    which = np.arange(d).reshape(n_heads, d // n_heads)
    return np.moveaxis(X[..., which], -2, -3)


@right("split_heads")
def fresh_split_recursive(X, n_heads):
    def peel(rest, left):
        if left == 0:
            return []
        return [rest[..., :width], *peel(rest[..., width:], left - 1)]

    width, over = divmod(X.shape[-1], n_heads)
    if over != 0:
        raise ValueError("n_heads does not divide d")
    return np.stack(peel(X, n_heads), axis=X.ndim - 2)


@right("merge_heads")
def fresh_merge_fill(X):
    *outer, H, n, w = X.shape
    Y = np.empty((*outer, n, H * w), dtype=X.dtype)
    for h in range(H):
        for c in range(w):
            Y[..., h * w + c] = X[..., h, :, c]
    return Y


@right("merge_heads")
def fresh_merge_einsum(X):
    turned = np.einsum("...hnc->...nhc", X)
    return turned.reshape(turned.shape[:-2] + (X.shape[-3] * X.shape[-1],))


@right("multi_head_attention")
def fresh_mha_einsum(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d = W_Q.shape[0]
    in_heads = (d, n_heads, d // n_heads)
    q, k, v = (
        np.einsum("...nd,dhc->...hnc", X, W.reshape(in_heads))
        for W in (W_Q, W_K, W_V)
    )
    s = np.einsum("...ic,...jc->...ij", q, k) * (d // n_heads) ** -0.5
    s = np.where(mask, s, -np.inf)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    a = e / e.sum(axis=-1, keepdims=True)
    back = W_O.reshape(n_heads, d // n_heads, d)
    return np.einsum("...hij,...hjc,hcd->...id", a, v, back)


@right("multi_head_attention")
def fresh_mha_sum_over_heads(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d_k = W_Q.shape[1] // n_heads
    Y = np.zeros(X.shape, dtype=np.result_type(X, W_O))

    def attend(q, keys, values):
        scores = keys @ q / d_k**0.5
        weights = np.exp(scores - scores.max())
        return weights @ values / weights.sum()

    for b in np.ndindex(*X.shape[:-2]):
        for h in range(n_heads):
            mine = slice(h * d_k, (h + 1) * d_k)
            Q, K, V = (X[b] @ W[:, mine] for W in (W_Q, W_K, W_V))
            for i, row in enumerate(mask):
                # This head meets its own rows of W_O.
                Y[b][i] += attend(Q[i], K[row], V[row]) @ W_O[mine]
    return Y


@right("n_parameters")
def fresh_np_linears(d_model, n_heads, d_k, d_v, biases):
    ins_outs = [(d_model, d_k * n_heads)] * 2
    ins_outs += [(d_model, d_v * n_heads), (d_v * n_heads, d_model)]
    # A bias is one more row.
    return sum((rows + (1 if biases else 0)) * cols for rows, cols in ins_outs)


@right("n_parameters")
def fresh_np_by_head(d_model, n_heads, d_k, d_v, biases):
    def heads(left):
        if left == 0:
            return d_model if biases else 0
        matrices = 2 * d_model * (d_k + d_v)
        vectors = d_k + d_k + d_v if biases else 0
        return matrices + vectors + heads(left - 1)

    return heads(n_heads)


@right("multi_head_flops")
def fresh_flops_closed_form(n, d_model, n_heads):
    return 4 * n * d_model * (n + 2 * d_model)


@right("multi_head_flops")
def fresh_flops_list(n, d_model, n_heads):
    d_k, matmuls = d_model // n_heads, []
    for _ in range(n_heads):
        matmuls += [(n, d_model, d_k)] * 3
        matmuls += [(n, d_k, n), (n, n, d_k), (n, d_k, d_model)]
    return sum(2 * a * b * c for a, b, c in matmuls)


@right("head_from_torch")
def fresh_hft_unflatten(mha, h):
    four = mha.in_proj_weight.unflatten(0, (3, mha.num_heads, -1))
    return four[:, h].mT.unbind(0)


@right("head_from_torch")
def fresh_hft_by_column(mha, h):
    d = mha.embed_dim
    d_k = d // mha.num_heads
    rows = range(h * d_k, (h + 1) * d_k)
    W = mha.in_proj_weight.detach()
    return tuple(
        torch.stack([W[start + r] for r in rows], dim=1) for start in (0, d, 2 * d)
    )


@right("MultiHeadAttention")
class FreshEinsum(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            self.add_module(name, torch.nn.Linear(d_model, d_model, bias=False))

    def forward(self, X, mask):
        q, k, v = (
            layer(X).unflatten(-1, (self.n_heads, -1))
            for layer in (self.W_Q, self.W_K, self.W_V)
        )
        s = torch.einsum("...ihc,...jhc->...hij", q, k) / q.shape[-1] ** 0.5
        a = torch.softmax(s.masked_fill(mask.logical_not(), float("-inf")), dim=-1)
        return self.W_O(torch.einsum("...hij,...jhc->...ihc", a, v).flatten(-2))


@right("MultiHeadAttention")
class FreshLoop(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads, self.d_k = n_heads, d_model // n_heads
        self.W_Q = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_K = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_V = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_O = torch.nn.Linear(d_model, d_model, bias=False)

    def forward(self, X, mask):
        def head(h):
            rows = slice(h * self.d_k, (h + 1) * self.d_k)
            q = F.linear(X, self.W_Q.weight[rows])
            k = F.linear(X, self.W_K.weight[rows])
            v = F.linear(X, self.W_V.weight[rows])
            found = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
            return F.linear(found, self.W_O.weight[:, rows])

        return sum(head(h) for h in range(self.n_heads))


# split_heads


@wrong(
    "split_heads",
    mistake="deals the features out to the heads in turn (feature c to head c "
    "mod n_heads), not in blocks",
)
def fresh_split_deal_out(X, n_heads):
    d = X.shape[-1]
    if d % n_heads != 0:
        raise ValueError("n_heads must divide d")
    hands = []
    for h in range(n_heads):
        hands.append(X[..., h::n_heads])
    return np.stack(hands, axis=-3)


@wrong(
    "split_heads",
    mistake="does not check that n_heads divides d: the features left over are "
    "dropped",
)
def fresh_split_drop_rest(X, n_heads):
    d_k = X.shape[-1] // n_heads
    return np.stack(
        [X[..., h * d_k : h * d_k + d_k] for h in range(n_heads)], axis=-3
    )


@wrong(
    "split_heads",
    mistake="swaps the first two axes to bring the heads forward, which is "
    "right only without batch axes",
)
def fresh_split_swap_first(X, n_heads):
    if X.shape[-1] % n_heads:
        raise ValueError(f"{n_heads} heads do not divide {X.shape[-1]} features")
    cut = X.reshape(X.shape[:-1] + (n_heads, X.shape[-1] // n_heads))
    return cut.swapaxes(0, 1)


@wrong(
    "split_heads",
    mistake="leaves the axis of heads behind that of the elements: (n, n_heads,"
    " d_k) AND checks with an assert, so that it raises an "
    "AssertionError, not a ValueError",
)
def fresh_split_assert_no_swap(X, n_heads):
    def pieces(row_block, left):
        if left == 0:
            return []
        w = row_block.shape[-1] // left
        return [row_block[..., :w], *pieces(row_block[..., w:], left - 1)]

    assert X.shape[-1] % n_heads == 0
    return np.stack(pieces(X, n_heads), axis=-2)


# merge_heads


@wrong(
    "merge_heads",
    mistake="puts the heads below each other (more rows) where they belong side"
    " by side",
)
def fresh_merge_below(X):
    heads = [X[..., h, :, :] for h in range(X.shape[-3])]
    return np.concatenate(heads, axis=-2)


@wrong(
    "merge_heads",
    mistake="interleaves the heads: first the feature 0 of every head, then the"
    " feature 1",
)
def fresh_merge_interleave(X):
    by_element = np.moveaxis(X, -3, -1)
    *batch, n, d_k, n_heads = by_element.shape
    return by_element.reshape(*batch, n, d_k * n_heads)


@wrong(
    "merge_heads",
    mistake="goes through the first axis as if it were that of the heads; with "
    "a batch it joins sequences",
)
def fresh_merge_first_axis(X):
    return np.concatenate([head for head in X], axis=-1)


@wrong(
    "merge_heads",
    mistake="puts the heads in reversed order, the last one first AND swaps the"
    " axes of elements and features, so that the result has one row a "
    "feature",
)
def fresh_merge_recursive(X):
    def collect(h):
        here = np.einsum("...nc->...cn", X[..., h, :, :])
        if h == 0:
            return here
        return np.concatenate([here, collect(h - 1)], axis=-2)

    return collect(X.shape[-3] - 1)


# multi_head_attention


def _soft(S):
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    return E / E.sum(axis=-1, keepdims=True)


@wrong(
    "multi_head_attention",
    mistake="gives head h only the h-th block of the features of X; every head "
    "must read all of them",
)
def fresh_mha_own_features(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d_k = X.shape[-1] // n_heads
    found = []
    for h in range(n_heads):
        part = slice(h * d_k, (h + 1) * d_k)
        mine = X[..., part]
        q = mine @ W_Q[part, part]
        k = mine @ W_K[part, part]
        v = mine @ W_V[part, part]
        s = q @ k.swapaxes(-1, -2) / math.sqrt(d_k)
        s = np.where(mask, s, -np.inf)
        found.append(_soft(s) @ v)
    return np.concatenate(found, axis=-1) @ W_O


@wrong(
    "multi_head_attention",
    mistake="multiplies the weights by the mask after softmax and does not "
    "renormalize, so the rows no longer sum to 1",
)
def fresh_mha_mask_after(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d = X.shape[-1]
    d_k = d // n_heads

    def blocks(M):
        return M.reshape(d, n_heads, d_k)

    q = np.einsum("...nd,dhk->...hnk", X, blocks(W_Q))
    k = np.einsum("...nd,dhk->...hnk", X, blocks(W_K))
    v = np.einsum("...nd,dhk->...hnk", X, blocks(W_V))
    a = _soft(np.einsum("...hik,...hjk->...hij", q, k) / d_k**0.5)
    a = a * mask
    return np.einsum("...hij,...hjk,hkd->...id", a, v, W_O.reshape(n_heads, d_k, d))


@wrong(
    "multi_head_attention",
    mistake="adds the mask of bool to the scores, so that allowed scores grow "
    "by 1 and nothing is hidden",
)
def fresh_mha_add_bool(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    *batch, n, d_model = X.shape
    d_k = d_model // n_heads

    def to_heads(T):
        return T.reshape(*batch, n, n_heads, d_k).swapaxes(-3, -2)

    Q, K, V = to_heads(X @ W_Q), to_heads(X @ W_K), to_heads(X @ W_V)
    scores = Q @ K.swapaxes(-2, -1) / math.sqrt(d_k) + mask
    out = _soft(scores) @ V
    return out.swapaxes(-3, -2).reshape(*batch, n, d_model) @ W_O


@wrong(
    "multi_head_attention",
    mistake="scales by the root of d_model, not of d_k = d_model / n_heads AND "
    "multiplies by the transpose of W_O",
)
def fresh_mha_scale_and_transpose(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    Qs, Ks, Vs = (np.split(X @ W, n_heads, axis=-1) for W in (W_Q, W_K, W_V))
    heads = []
    for q, k, v in zip(Qs, Ks, Vs):
        scores = np.einsum("...id,...jd->...ij", q, k) / X.shape[-1] ** 0.5
        scores = np.where(mask, scores, -np.inf)
        heads.append(_soft(scores) @ v)
    return np.concatenate(heads, axis=-1) @ W_O.T


# true_of_average


@wrong(
    "true_of_average",
    mistake="takes the mean for the weights of each head: a and e are not certain",
)
def fresh_average_is_each_head():
    return {"a", "b", "c", "e", "f"}


@wrong(
    "true_of_average",
    mistake="believes that one head must give a single word everything (d), and"
    " misses g",
)
def fresh_average_one_hot():
    return {"b", "c", "d", "f"}


# n_parameters


@wrong(
    "n_parameters",
    mistake="gives every head a bias of the output, of d_model numbers; there "
    "is only one",
)
def fresh_np_output_bias_per_head(d_model, n_heads, d_k, d_v, biases):
    total = 0
    for _ in range(n_heads):
        for width in (d_k, d_k, d_v):
            total += d_model * width
            if biases:
                total += width
        total += d_v * d_model
        if biases:
            total += d_model
    return total


@wrong(
    "n_parameters",
    mistake="counts W_O with n_heads d_k rows; it has n_heads d_v, as the "
    "heads' results are values",
)
def fresh_np_wo_dk(d_model, n_heads, d_k, d_v, biases):
    shapes = {
        "Q": (d_model, n_heads * d_k),
        "K": (d_model, n_heads * d_k),
        "V": (d_model, n_heads * d_v),
        "O": (n_heads * d_k, d_model),
    }
    return sum(r * c + (c if biases else 0) for r, c in shapes.values())


@wrong(
    "n_parameters",
    mistake="counts every bias with d_model numbers; those of queries, keys and"
    " values are as long as their rows",
)
def fresh_np_bias_dmodel(d_model, n_heads, d_k, d_v, biases):
    weights = n_heads * (2 * d_model * d_k + 2 * d_model * d_v)
    return weights + 4 * d_model * int(biases)


@wrong(
    "n_parameters",
    mistake="counts W_O for one head only (d_v d_model) AND counts the biases "
    "of queries, keys and values for one head only",
)
def fresh_np_one_head_slips(d_model, n_heads, d_k, d_v, biases):
    def linear(rows, cols, extra):
        return rows * cols + (extra if biases else 0)

    q = linear(d_model, n_heads * d_k, d_k)
    k = linear(d_model, n_heads * d_k, d_k)
    v = linear(d_model, n_heads * d_v, d_v)
    o = linear(d_v, d_model, d_model)
    return q + k + v + o


# multi_head_flops


@wrong(
    "multi_head_flops",
    mistake="counts 2b - 1 operations for a sum of b terms (one addition less),"
    " not 2b",
)
def fresh_flops_one_less(n, d_model, n_heads):
    def product(a, b, c):
        return a * c * (b + (b - 1))

    d_k = d_model // n_heads
    ops = [product(n, d_model, d_model) for _ in range(4)]
    ops += [product(n, d_k, n) for _ in range(n_heads)]
    ops += [product(n, n, d_k) for _ in range(n_heads)]
    return sum(ops)


@wrong(
    "multi_head_flops",
    mistake="lets every head work with all d_model features in scores and "
    "mixing, not with d_k",
)
def fresh_flops_full_width(n, d_model, n_heads):
    projections = 4 * 2 * n * d_model * d_model
    per_head = 2 * n * d_model * n + 2 * n * n * d_model
    return projections + n_heads * per_head


@wrong(
    "multi_head_flops",
    mistake="counts the product with W_O once for every head, at full size; it "
    "happens once, after the merge",
)
def fresh_flops_wo_per_head(n, d_model, n_heads):
    d_k = d_model // n_heads
    total = 0
    h = 0
    while h < n_heads:
        total += 3 * (2 * n * d_model * d_k)
        total += 2 * n * d_k * n
        total += 2 * n * n * d_k
        total += 2 * n * d_model * d_model
        h += 1
    return total


@wrong(
    "multi_head_flops",
    mistake="counts the scores of one head only, not of all n_heads AND leaves "
    "out the product with W_O",
)
def fresh_flops_one_head_no_wo(n, d_model, n_heads):
    d_k = d_model // n_heads
    dims = [(n, d_model, d_model)] * 3 + [(n, d_k, n)]
    dims += [(n, n, d_k)] * n_heads
    return sum(2 * math.prod(t) for t in dims)


# head_from_torch


@wrong(
    "head_from_torch",
    mistake="takes the rows to be grouped by head (q, k, v of head 0, then of "
    "head 1); they are grouped by matrix",
)
def fresh_hft_grouped_by_head(mha, h):
    d_k = mha.embed_dim // mha.num_heads
    packed = mha.in_proj_weight.reshape(mha.num_heads, 3, d_k, mha.embed_dim)
    q, k, v = packed[h]
    return q.T, k.T, v.T


@wrong(
    "head_from_torch",
    mistake="takes every n_heads-th row, from h on; a head has d_k rows next to"
    " each other",
)
def fresh_hft_strided(mha, h):
    chunks = torch.split(mha.in_proj_weight, mha.embed_dim)
    return tuple(W[h :: mha.num_heads].t() for W in chunks)


@wrong(
    "head_from_torch",
    mistake="cuts the head out of the columns, the input features; the head's "
    "features are rows of the stored matrix",
)
def fresh_hft_columns(mha, h):
    d = mha.embed_dim
    d_k = d // mha.num_heads
    result = []
    for m in range(3):
        stored = mha.in_proj_weight[m * d : (m + 1) * d]
        result.append(stored[:, h * d_k : (h + 1) * d_k])
    return tuple(result)


@wrong(
    "head_from_torch",
    mistake="counts the heads from 1 and so returns the head before AND returns"
    " the matrices in the order of keys, queries, values",
)
def fresh_hft_from_one(mha, h):
    d_k = mha.embed_dim // mha.num_heads
    W_K, W_Q, W_V = (
        list(W.split(d_k))[h - 1].transpose(0, 1)
        for W in mha.in_proj_weight.chunk(3)
    )
    return W_Q.clone(), W_K.clone(), W_V.clone()


# MultiHeadAttention


@wrong(
    "MultiHeadAttention",
    mistake="inverts the mask, as if True meant hidden; "
    "scaled_dot_product_attention, too, takes True for allowed",
)
class FreshInverted(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (
            torch.nn.Linear(d_model, d_model, bias=False) for _ in range(4)
        )

    def forward(self, X, mask):
        def cut(T):
            return T.unflatten(-1, (self.n_heads, -1)).transpose(-3, -2)

        Y = F.scaled_dot_product_attention(
            cut(self.W_Q(X)), cut(self.W_K(X)), cut(self.W_V(X)), attn_mask=~mask
        )
        return self.W_O(Y.transpose(-3, -2).flatten(-2))


@wrong(
    "MultiHeadAttention",
    mistake="scales twice: divides the queries by the root of d_k, and "
    "scaled_dot_product_attention does it again",
)
class FreshScaledTwice(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.d_k = d_model // n_heads
        for name in "QKVO":
            layer = torch.nn.Linear(d_model, d_model, bias=False)
            setattr(self, "W_" + name, layer)

    def forward(self, X, mask):
        q = self.W_Q(X) / math.sqrt(self.d_k)
        k, v = self.W_K(X), self.W_V(X)
        heads = [
            F.scaled_dot_product_attention(a, b, c, attn_mask=mask)
            for a, b, c in zip(
                q.split(self.d_k, -1),
                k.split(self.d_k, -1),
                v.split(self.d_k, -1),
            )
        ]
        return self.W_O(torch.cat(heads, dim=-1))


@wrong(
    "MultiHeadAttention",
    mistake="computes keys and values from the queries, W_K(W_Q(X)) and "
    "W_V(W_Q(X)), not from X",
)
class FreshChained(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_Q = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_K = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_V = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_O = torch.nn.Linear(d_model, d_model, bias=False)

    def forward(self, X, mask):
        X = self.W_Q(X)
        Q = X.unflatten(-1, (self.n_heads, -1))
        K = self.W_K(X).unflatten(-1, (self.n_heads, -1))
        V = self.W_V(X).unflatten(-1, (self.n_heads, -1))
        S = torch.einsum("...ihc,...jhc->...hij", Q, K) / Q.shape[-1] ** 0.5
        A = S.masked_fill(~mask, -math.inf).softmax(-1)
        return self.W_O(torch.einsum("...hij,...jhc->...ihc", A, V).flatten(-2))


@wrong(
    "MultiHeadAttention",
    mistake="multiplies X by the stored weights W_Q, W_K and W_V without "
    "transposing them AND ignores the mask it is given, using a causal "
    "one always",
)
class FreshRawWeights(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_Q = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_K = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_V = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_O = torch.nn.Linear(d_model, d_model, bias=False)

    def forward(self, X, mask):
        width = X.shape[-1] // self.n_heads
        results = []
        for h in range(self.n_heads):
            cols = slice(h * width, (h + 1) * width)
            q, k, v = (
                X @ layer.weight[:, cols]
                for layer in (self.W_Q, self.W_K, self.W_V)
            )
            s = q @ k.mT / width**0.5
            later = torch.ones_like(s, dtype=torch.bool).triu(1)
            results.append(s.masked_fill(later, -math.inf).softmax(-1) @ v)
        return self.W_O(torch.cat(results, -1))
