"""Answers to the exercises of `masks` by somebody who had not seen the known mistakes."""

import math

import numpy as np
import torch

from tests.exercises.answers import Answers

right, wrong = Answers(), Answers()


@right("causal_mask")
def fresh_cm_positions(n_q, n_k):
    """Compare the position of every query with that of every key."""
    place_of_query = np.arange(n_q) + (n_k - n_q)
    return np.greater_equal.outer(place_of_query, np.arange(n_k))


@right("causal_mask")
def fresh_cm_fill_row_by_row(n_q, n_k):
    m = np.zeros((n_q, n_k), dtype=bool)
    for back in range(min(n_q, n_k)):
        m[n_q - 1 - back, : n_k - back] = True
    return m


@right("masked_softmax")
def fresh_ms_row_by_row(scores, mask):
    allowed = np.broadcast_to(mask, scores.shape)
    weights = np.zeros_like(scores)
    for where in np.ndindex(*scores.shape[:-1]):
        chosen = np.flatnonzero(allowed[where])
        if len(chosen) == 0:
            continue
        some = scores[where][chosen]
        e = np.exp(some - some.max())
        weights[where][chosen] = e / e.sum()
    return weights


@right("masked_softmax")
def fresh_ms_where_argument(scores, mask):
    top = np.max(scores, axis=-1, keepdims=True, where=mask, initial=-1e30)
    e = np.exp(np.where(mask, scores - top, -np.inf))
    total = np.einsum("...n->...", e)[..., None]
    return np.divide(e, total, out=np.zeros_like(e), where=total > 0)


@right("padding_mask")
def fresh_pm_slices(lengths, n_k):
    real = np.zeros((len(lengths), 1, n_k), dtype=bool)
    for row, length in zip(real, lengths):
        row[0, : int(length)] = True
    return real


@right("padding_mask")
def fresh_pm_rows_of_triangle(lengths, n_k):
    """Look the rows up in a table with a row for every possible length."""
    table = np.tri(n_k + 1, n_k, k=-1, dtype=bool)
    return table[np.asarray(lengths)][:, np.newaxis]


@right("causal_attention")
def fresh_ca_slices(Q, K, V):
    (n_q, d_k), n_k = Q.shape[-2:], K.shape[-2]
    Y = np.zeros(Q.shape[:-1] + (V.shape[-1],), dtype=Q.dtype)
    for i in range(max(n_q - n_k, 0), n_q):
        stop = i + n_k - n_q + 1
        s = np.einsum("...d,...kd->...k", Q[..., i, :], K[..., :stop, :])
        s = s / math.sqrt(d_k)
        a = np.exp(s - s.max(axis=-1, keepdims=True))
        y = np.einsum("...k,...kv->...v", a, V[..., :stop, :])
        Y[..., i, :] = y / a.sum(axis=-1, keepdims=True)
    return Y


@right("causal_attention")
def fresh_ca_without_the_blind(Q, K, V):
    """Compute only the queries that see something, and put zeros before them."""
    n_k = K.shape[-2]
    n_blind = max(Q.shape[-2] - n_k, 0)
    seeing = Q[..., n_blind:, :] * Q.shape[-1] ** -0.5
    s = seeing @ K.swapaxes(-1, -2)
    n = s.shape[-2]
    s[..., ~np.tri(n, n_k, n_k - n, dtype=bool)] = -np.inf
    a = np.exp(s - s.max(axis=-1)[..., None])
    y = (a / a.sum(axis=-1)[..., None]) @ V
    zeros = np.zeros((*y.shape[:-2], n_blind, y.shape[-1]), dtype=y.dtype)
    return np.concatenate([zeros, y], axis=-2)


@right("to_torch_mha_mask")
def fresh_tm_xor(mask):
    return np.bitwise_xor(mask, np.True_)


@right("to_torch_mha_mask")
def fresh_tm_entry_by_entry(mask):
    flipped = [not allowed for allowed in mask.flat]
    return np.array(flipped, dtype=bool).reshape(mask.shape)


def fresh_has_moved(old, new):
    """Say whether a row changed by more than rounding."""
    size = max(np.abs(old).max(), np.abs(new).max())
    return not np.abs(new - old).max() <= 1e-8 * size


@right("find_leak")
def fresh_fl_all_suffixes(model, X):
    rng = np.random.default_rng(123)
    kept = np.array(model(X.copy()))

    def leaks(i):
        for size in (0.5, 1.0, 3.0):
            step = size * rng.normal(size=X.shape)
            step[: i + 1] = 0
            for changed in (X + step, X - step):
                if fresh_has_moved(kept[i], np.array(model(changed))[i]):
                    return True
        return False

    return next(filter(leaks, range(len(X) - 1)), None)


@right("find_leak")
def fresh_fl_smallest_of_all(model, X):
    """Change inputs one at a time and all from one on; keep the smallest output."""
    rng = np.random.default_rng(5)
    n, Y, guilty = len(X), np.array(model(X.copy())), set()
    for j in range(1, n):
        for stop in (j + 1, n):
            for size in (-2.0, 0.7, 1.0, 2.0):
                Z = X.copy()
                Z[j:stop] = Z[j:stop] + size * rng.normal(size=Z[j:stop].shape)
                out = np.array(model(Z))
                guilty |= {i for i in range(j) if fresh_has_moved(Y[i], out[i])}
    return min(guilty, default=None)


@right("causal_attention_torch")
def fresh_cat_slices(Q, K, V):
    n_q, n_k = Q.shape[-2], K.shape[-2]

    def answer(i):
        stop = max(i + n_k - n_q + 1, 0)
        keys, values = K[..., :stop, :], V[..., :stop, :]
        s = (keys @ Q[..., i, :, None]).squeeze(-1) * Q.shape[-1] ** -0.5
        return (s.softmax(dim=-1).unsqueeze(-1) * values).sum(dim=-2)

    return torch.stack([answer(i) for i in range(n_q)], dim=-2)


@right("causal_attention_torch")
def fresh_cat_finite_fill(Q, K, V):
    """Large finite fill, and the weights of queries without keys removed."""
    (n_q, d_k), n_k = Q.shape[-2:], K.shape[-2]
    late = torch.ones(n_q, n_k, dtype=torch.bool, device=Q.device)
    late = late.triu(n_k - n_q + 1)
    s = torch.einsum("...id,...jd->...ij", Q, K) / math.sqrt(d_k)
    s = s.masked_fill(late, torch.finfo(s.dtype).min)
    a = torch.exp(s - s.logsumexp(dim=-1, keepdim=True)).masked_fill(late, 0.0)
    return torch.einsum("...ij,...jv->...iv", a, V)


@wrong(
    "causal_mask",
    mistake="aligns the mask to the top left: ignores the keys before the first"
    " query",
)
def fresh_cm_top_left(n_q, n_k):
    return np.tril(np.ones((n_q, n_k), dtype=bool))


@wrong("causal_mask", mistake="hides the query's own position")
def fresh_cm_strictly_before(n_q, n_k):
    rows = []
    for query in range(n_k - n_q, n_k):
        rows.append([key < query for key in range(n_k)])
    return np.array(rows, dtype=bool)


@wrong(
    "causal_mask",
    mistake="never lets the offset be negative, so with more queries than keys"
    " the mask is aligned to the top left",
)
def fresh_cm_offset_clamped(n_q, n_k):
    past = max(n_k - n_q, 0)
    i, j = np.ogrid[:n_q, :n_k]
    return j <= i + past


@wrong(
    "causal_mask",
    mistake="is True where the key must not be seen, the wrong way round"
    " AND returns floats instead of bool",
)
def fresh_cm_upper_floats(n_q, n_k):
    m = np.zeros((n_q, n_k))
    for i in range(n_q):
        for j in range(n_k):
            if j > i + n_k - n_q:
                m[i, j] = 1.0
    return m


@wrong(
    "masked_softmax",
    mistake="multiplies the scores by the mask, so forbidden keys keep a score"
    " of 0 instead of minus infinity",
)
def fresh_ms_zero_scores(scores, mask):
    s = scores * mask
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@wrong(
    "masked_softmax",
    mistake="sets the forbidden weights to 0 after softmax without normalizing"
    " again",
)
def fresh_ms_mask_after(scores, mask):
    shifted = scores - np.amax(scores, axis=-1)[..., None]
    weights = np.exp(shifted) / np.einsum("...n->...", np.exp(shifted))[..., None]
    return np.where(mask, weights, 0)


@wrong(
    "masked_softmax",
    mistake="subtracts the maximum of all scores, forbidden ones included, so"
    " the allowed ones underflow to 0",
)
def fresh_ms_max_of_all(scores, mask):
    mask = np.broadcast_to(mask, scores.shape)
    out = np.zeros_like(scores)

    def one_row(row, allowed):
        top = max(row)
        e = [math.exp(s - top) if ok else 0.0 for s, ok in zip(row, allowed)]
        total = sum(e)
        return [x / total if total > 0 else 0.0 for x in e]

    for where in np.ndindex(*scores.shape[:-1]):
        out[where] = one_row(scores[where], mask[where])
    return out


@wrong(
    "masked_softmax",
    mistake="hides the keys that the mask allows, the wrong way round"
    " AND gives NaN instead of zeros for a row with nothing to see",
)
def fresh_ms_flipped_nan(scores, mask):
    s = np.where(mask, -np.inf, scores)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@wrong("padding_mask", mistake="counts one key of filling as real (<= for <)")
def fresh_pm_one_too_many(lengths, n_k):
    return np.arange(n_k)[None, None, :] <= np.asarray(lengths)[:, None, None]


@wrong(
    "padding_mask",
    mistake="cuts the filling off from the end with a negative slice, which for"
    " a sequence without filling (-0) is the whole row",
)
def fresh_pm_minus_zero(lengths, n_k):
    real = np.ones((len(lengths), 1, n_k), dtype=bool)
    for b, length in enumerate(lengths):
        filling = n_k - length
        real[b, 0, -filling:] = False
    return real


@wrong(
    "padding_mask",
    mistake="takes the last keys for the real ones, as if the filling came first",
)
def fresh_pm_filling_first(lengths, n_k):
    table = [[[False] * (n_k - n) + [True] * n] for n in lengths.tolist()]
    return np.array(table, dtype=bool).reshape(len(lengths), 1, n_k)


@wrong(
    "padding_mask",
    mistake="puts the axis of length 1 last instead of in the middle"
    " AND is as wide as the longest sequence instead of n_k",
)
def fresh_pm_axis_last_longest(lengths, n_k):
    longest = max(lengths)
    real = np.array([[j < n for j in range(longest)] for n in lengths], dtype=bool)
    return np.expand_dims(real, -1)


@wrong(
    "causal_attention",
    mistake="aligns the mask to the top left: query i sees the keys up to i",
)
def fresh_ca_top_left(Q, K, V):
    n_q, d_k = Q.shape[-2:]
    n_k = K.shape[-2]
    s = np.einsum("...qd,...kd->...qk", Q, K) / d_k**0.5
    s[..., np.arange(n_k) > np.arange(n_q)[:, None]] = -np.inf
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return np.einsum("...qk,...kv->...qv", e / e.sum(-1, keepdims=True), V)


@wrong(
    "causal_attention",
    mistake="sets the scores of the future to 0 instead of minus infinity",
)
def fresh_ca_tril_of_scores(Q, K, V):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    past = K.shape[-2] - Q.shape[-2]
    scores = np.tril(scores, past)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    sees_any = np.arange(Q.shape[-2]) + past >= 0
    return weights @ V * sees_any[:, None]


@wrong(
    "causal_attention",
    mistake="for queries before the first key the end of the slice gets"
    " negative, which counts from the end, so they see keys instead of"
    " none",
)
def fresh_ca_negative_slice(Q, K, V):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    Y = np.zeros((*Q.shape[:-1], V.shape[-1]), dtype=V.dtype)
    for i in range(n_q):
        seen = slice(0, i + n_k - n_q + 1)
        keys, values = K[..., seen, :], V[..., seen, :]
        if keys.shape[-2] == 0:
            continue
        s = (keys * Q[..., i, None, :]).sum(-1) / Q.shape[-1] ** 0.5
        a = np.exp(s - s.max(-1, keepdims=True))
        a /= a.sum(-1, keepdims=True)
        Y[..., i, :] = (a[..., None] * values).sum(-2)
    return Y


@wrong(
    "causal_attention",
    mistake="masks the weights after softmax and does not normalize again"
    " AND divides the scores by the root of the number of keys instead"
    " of d_k",
)
def fresh_ca_mask_late_n_k(Q, K, V):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    scores = Q @ np.moveaxis(K, -1, -2) / n_k**0.5
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights * np.tri(n_q, n_k, n_k - n_q) @ V


@wrong("to_torch_mha_mask", mistake="copies the mask and does not invert it")
def fresh_tm_only_copied(mask):
    return np.array(mask, dtype=bool, copy=True)


@wrong(
    "to_torch_mha_mask",
    mistake="returns whole numbers 0 and 1 instead of bool",
)
def fresh_tm_integers(mask):
    may_attend, drop = 0, 1
    return np.where(mask, may_attend, drop)


@wrong("to_torch_mha_mask", mistake="inverts the argument itself, in place")
def fresh_tm_in_place(mask):
    for place in np.ndindex(*mask.shape):
        mask[place] = not mask[place]
    return mask


@wrong(
    "to_torch_mha_mask",
    mistake="swaps queries and keys"
    " AND returns numbers to add (0 and minus infinity) instead of a"
    " bool mask",
)
def fresh_tm_transposed_bias(mask):
    return np.where(mask.T, 0.0, -np.inf)


@wrong(
    "find_leak",
    mistake="changes input i itself as well as the later ones, so honest models"
    " seem to leak",
)
def fresh_fl_changes_own(model, X):
    before = model(X)
    for i in range(len(X)):
        other = X.copy()
        other[i:] += 1.0 + np.random.default_rng(i).random(X[i:].shape)
        if not np.allclose(model(other)[i], before[i], rtol=1e-7, atol=1e-9):
            return i
    return None


@wrong(
    "find_leak",
    mistake="changes only the next input, so it misses leaks from further away",
)
def fresh_fl_only_next(model, X):
    Y = model(X)

    def leaks(i):
        Z = np.array(X)
        Z[i + 1] = np.random.default_rng(1).normal(size=X.shape[1])
        return np.abs(model(Z)[i] - Y[i]).max() > 1e-7 * np.abs(Y[i]).max()

    return next((i for i in range(len(X) - 1) if leaks(i)), None)


@wrong(
    "find_leak",
    mistake="goes through the changed inputs first, and so returns the output"
    " that leaks from the earliest input, which need not be the first"
    " output that leaks",
)
def fresh_fl_inputs_first(model, X):
    Y, rng = model(X), np.random.default_rng(7)
    for j in range(1, len(X)):
        X_j = np.concatenate([X[:j], rng.normal(size=(1, X.shape[1])), X[j + 1 :]])
        moved = np.abs(model(X_j) - Y).max(axis=1)
        for i in range(j):
            if moved[i] > 1e-7 * np.abs(Y[i]).max():
                return i
    return None


@wrong(
    "find_leak",
    mistake="changes X in place and never puts it back, so later outputs move"
    " for honest reasons"
    " AND takes any difference for a leak, rounding included",
)
def fresh_fl_in_place_exact(model, X):
    Y = model(X.copy())
    i = 0
    while i < len(X) - 1:
        X[i + 1 :] += np.random.default_rng(i).normal(size=X[i + 1 :].shape)
        if (model(X)[i] != Y[i]).any():
            return i
        i += 1
    return None


@wrong(
    "causal_attention_torch",
    mistake="replaces the NaN of queries without keys only after softmax, so"
    " their gradients are still NaN",
)
def fresh_cat_nan_to_num(Q, K, V):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    bias = torch.full((n_q, n_k), -torch.inf, dtype=Q.dtype).triu(n_k - n_q + 1)
    scores = Q @ K.mT / math.sqrt(Q.shape[-1]) + bias
    return torch.nan_to_num(scores.softmax(dim=-1)) @ V


@wrong(
    "causal_attention_torch",
    mistake="hides the future with 1e-9, nearly 0, instead of a large negative"
    " number",
)
def fresh_cat_tiny_fill(Q, K, V):
    n_q, n_k = Q.size(-2), K.size(-2)
    i, j = torch.arange(n_q).unsqueeze(1), torch.arange(n_k).unsqueeze(0)
    allowed = j <= i + n_k - n_q
    s = torch.einsum("...qd,...kd->...qk", Q, K) * Q.size(-1) ** -0.5
    a = torch.softmax(s.masked_fill(~allowed, 1e-9), dim=-1)
    a = a * allowed.any(dim=-1, keepdim=True)
    return torch.einsum("...qk,...kv->...qv", a, V)


@wrong(
    "causal_attention_torch",
    mistake="has the offset between queries and keys the wrong way round, n_q -"
    " n_k",
)
def fresh_cat_offset_sign(Q, K, V):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    ok = torch.ones(n_q, n_k).tril(diagonal=n_q - n_k).bool()
    scores = (Q @ K.transpose(-1, -2)) / Q.shape[-1] ** 0.5
    scores = torch.where(ok, scores, torch.finfo(Q.dtype).min)
    return (torch.softmax(scores, dim=-1) * ok) @ V


@wrong(
    "causal_attention_torch",
    mistake="hides the key at the query's own position (the slice ends one too"
    " early)"
    " AND divides by d_k instead of its root",
)
def fresh_cat_loop_one_short(Q, K, V):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    rows = []
    for i in range(n_q):
        stop = max(i + n_k - n_q, 0)
        s = (Q[..., i : i + 1, :] @ K[..., :stop, :].mT) / Q.shape[-1]
        rows.append(torch.softmax(s, dim=-1) @ V[..., :stop, :])
    return torch.cat(rows, dim=-2)
