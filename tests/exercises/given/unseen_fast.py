"""Wrong answers to `fast` by others who had not seen the known mistakes, either."""

import numpy as np
import torch

from tests.exercises.answers import Answers

wrong = Answers()


@wrong(
    "attention_flops",
    mistake="counts one addition too few for each sum, b - 1 instead of b, where the task counts 2 operations for each"
    " term",
)
def second_fst_one_addition_less(n_q, n_k, d_k, d_v, n_heads):
    def product(left, right):
        (a, b), (_, c) = left, right
        multiplications = a * b * c
        additions = a * (b - 1) * c
        return multiplications + additions

    scores = product((n_q, d_k), (d_k, n_k))
    mixing = product((n_q, n_k), (n_k, d_v))
    return sum(scores + mixing for _ in range(n_heads))


@wrong(
    "merge_partial",
    mistake="where the second part has the larger maximum, it shrinks the first part's l but forgets to shrink its o",
)
def second_fst_merge_loop(m1, l1, o1, m2, l2, o2):
    m = np.empty(np.shape(m1))
    l = np.empty(np.shape(m1))  # noqa: E741
    o = np.empty(np.shape(o1))
    for place in np.ndindex(*np.shape(m1)):
        if m1[place] == m2[place]:
            m[place] = m1[place]
            l[place] = l1[place] + l2[place]
            o[place] = o1[place] + o2[place]
        elif m1[place] > m2[place]:
            shrink = np.exp(m2[place] - m1[place])
            m[place] = m1[place]
            l[place] = l1[place] + shrink * l2[place]
            o[place] = o1[place] + shrink * o2[place]
        else:
            shrink = np.exp(m1[place] - m2[place])
            m[place] = m2[place]
            l[place] = shrink * l1[place] + l2[place]
            o[place] = o1[place] + o2[place]
    return m, l, o


@wrong(
    "online_softmax",
    mistake="writes the weights in the first pass already, with the largest score so far, and does not shrink them when"
    " a later tile has a larger one",
)
def second_fst_weights_too_early(scores, tile):
    scores = np.asarray(scores, dtype=float)
    out = np.zeros(scores.shape)
    m = np.full(scores.shape[:-1] + (1,), -np.inf)
    total = np.zeros(scores.shape[:-1] + (1,))
    for start in range(0, scores.shape[-1], tile):
        part = scores[..., start : start + tile]
        m_new = np.maximum(m, part.max(axis=-1, keepdims=True))
        safe = np.where(np.isneginf(m_new), 0.0, m_new)
        e = np.exp(part - safe)
        total = total * np.exp(m - safe) + e.sum(axis=-1, keepdims=True)
        out[..., start : start + tile] = e
        m = m_new
    return out / np.where(total == 0, 1.0, total)


@wrong(
    "cached_step",
    mistake="puts the new key and value before the cached ones instead of after them AND divides the scores by the"
    " square root of the number of keys instead of d_k",
)
def second_fst_cache_einsum(q, k, v, K_cache, V_cache):
    K = np.concatenate([k, K_cache], axis=-2)
    V = np.concatenate([v, V_cache], axis=-2)
    scores = np.einsum("...qd,...kd->...qk", q, K) / np.sqrt(K.shape[-2])
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= np.einsum("...qk->...q", weights)[..., None]
    return np.einsum("...qk,...kv->...qv", weights, V), K, V


@wrong(
    "sliding_window_mask",
    mistake="aligns only the causal edge to the bottom right, and lets the window's lower edge start from i instead of"
    " from p = i + n_k - n_q",
)
def second_fst_window_not_shifted(n_q, n_k, window):
    everything = np.ones((n_q, n_k), dtype=bool)
    not_later = np.tril(everything, k=n_k - n_q)
    near = np.triu(everything, k=1 - window)
    return not_later & near


@wrong(
    "grouped_attention_torch",
    mistake="finds the head of the keys and values by dividing h by the number of their heads instead of by the number"
    " r of query heads that share one",
)
def second_fst_divides_by_kv_heads(Q, K, V):
    n_heads, n_kv_heads = Q.shape[-3], K.shape[-3]

    def head(h):
        g = h // n_kv_heads
        scores = (
            Q[..., h, :, :] @ K[..., g, :, :].transpose(-1, -2) / Q.shape[-1] ** 0.5
        )
        return torch.softmax(scores, dim=-1) @ V[..., g, :, :]

    return torch.stack([head(h) for h in range(n_heads)], dim=-3)


@wrong(
    "merge_partial",
    mistake="decides once for all queries which part has the larger maximum, instead of taking the "
    "larger one for each query",
)
def third_fa_one_winner(m1, l1, o1, m2, l2, o2):
    def shrink(old, new):
        return np.where(old == -np.inf, 0.0, np.exp(old - new))

    with np.errstate(all="ignore"):
        if np.max(m1) >= np.max(m2):
            m, w1, w2 = m1, np.ones_like(m1), shrink(m2, m1)
        else:
            m, w1, w2 = m2, shrink(m1, m2), np.ones_like(m2)
        return m, w1 * l1 + w2 * l2, w1[..., None] * o1 + w2[..., None] * o2


@wrong(
    "online_softmax",
    mistake="keeps the exponentials of the first pass, each less the largest score known at that "
    "time, and divides them by l, instead of computing them with the final m",
)
def third_fa_stale_maximum(scores, tile):
    class Row:
        def __init__(self):
            self.m, self.l, self.numerators = -np.inf, 0.0, [np.zeros(0)]

        def see(self, piece):
            m = max(self.m, piece.max())
            if m == -np.inf:
                self.numerators.append(np.zeros(len(piece)))
                return
            e = np.exp(piece - m)
            self.l = self.l * np.exp(self.m - m) + e.sum()
            self.m = m
            self.numerators.append(e)

        def weights(self):
            return np.concatenate(self.numerators) / (self.l if self.l > 0 else 1.0)

    out = np.zeros(scores.shape)
    for place in np.ndindex(scores.shape[:-1]):
        row = Row()
        for start in range(0, scores.shape[-1], tile):
            row.see(scores[place][start : start + tile])
        out[place] = row.weights()
    return out


@wrong(
    "cached_step",
    mistake="puts the new key and value before the cached ones, as first rows instead of last ones "
    "AND divides the scores by the square root of d_v instead of d_k",
)
def third_fa_front_and_width(q, k, v, K_cache, V_cache):
    K = np.concatenate([k, K_cache], axis=-2)
    V = np.concatenate([v, V_cache], axis=-2)
    scores = np.einsum("...qd,...kd->...qk", q, K) / V.shape[-1] ** 0.5
    scores = scores - scores.max(axis=-1, keepdims=True)
    A = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    return np.einsum("...qk,...kd->...qd", A, V), K, V


@wrong(
    "repeat_kv",
    mistake="repeats along the first axis, which is that of the heads only if there is no batch, "
    "instead of along the third axis from the end",
)
def third_fa_first_axis_heads(K, n_rep):
    return np.stack([K[h // n_rep] for h in range(len(K) * n_rep)])


@wrong(
    "sliding_window_mask",
    mistake="the far end of the window is counted from i, the number of the query, instead of from "
    "p, the key at which it stands",
)
def third_fa_window_from_i(n_q, n_k, window):
    mask = np.zeros((n_q, n_k), dtype=bool)
    for i in range(n_q):
        p = i + n_k - n_q
        for j in range(n_k):
            if j <= p and j > i - window:
                mask[i, j] = True
    return mask


@wrong(
    "grouped_attention_torch",
    mistake="the heads come out in the wrong order, because the axes of group and place in the "
    "group are swapped before they are joined to one",
)
def third_fa_heads_come_out_swapped(Q, K, V):
    *batch, n_heads, n_q, d_k = Q.shape
    n_groups = K.shape[-3]
    Q = Q.reshape(*batch, n_groups, n_heads // n_groups, n_q, d_k)
    scores = torch.einsum("...grqd,...gkd->...grqk", Q, K) / d_k**0.5
    A = torch.softmax(scores, dim=-1)
    Y = torch.einsum("...grqk,...gkv->...rgqv", A, V)
    return Y.reshape(*batch, n_heads, n_q, V.shape[-1])


@wrong(
    "attention_flops",
    said="you do not multiply by `n_heads`",
    mistake="the second product counts d_k where d_v belongs AND the heads are forgotten",
)
def fourth_fst_flops(n_q, n_k, d_k, d_v, n_heads):
    first = 2 * n_q * n_k * d_k
    second = 2 * n_q * n_k * d_k
    return first + second


@wrong(
    "merge_partial",
    said="`logaddexp` stands where `maximum` belongs",
    mistake="returns as m the logarithm of the sum of both exponentials instead of the larger of "
    "the two maxima",
)
def fourth_fa_logaddexp(m1, l1, o1, m2, l2, o2):
    m = np.logaddexp(m1, m2)
    finite = np.where(np.isneginf(m), 0.0, m)
    c1, c2 = np.exp(m1 - finite), np.exp(m2 - finite)
    return m, c1 * l1 + c2 * l2, c1[..., None] * o1 + c2[..., None] * o2


@wrong(
    "sliding_window_mask",
    said="The far end of your window stands still",
    mistake="lets every query see only the last keys of the whole sequence, instead of the last "
    "ones up to its own position",
)
def fourth_fa_window_at_end(n_q, n_k, window):
    rows = [
        [n_k - window <= j <= i + n_k - n_q for j in range(n_k)] for i in range(n_q)
    ]
    return np.array(rows, dtype=bool).reshape(n_q, n_k)


@wrong(
    "online_softmax",
    said="how large may the scores be?",
    mistake="starts the running maximum at -1000 instead of minus infinity: rows that lie below "
    "it become zeros or NaN",
)
def fifth_fa_starts_at_minus_thousand(scores, tile):
    n = scores.shape[-1]
    m = np.full(scores.shape[:-1], -1000.0)
    l = np.zeros(scores.shape[:-1])
    for start in range(0, n, tile):
        part = scores[..., start : start + tile]
        new = np.maximum(m, part.max(axis=-1))
        l = l * np.exp(m - new) + np.exp(part - new[..., None]).sum(axis=-1)
        m = new
    out = np.empty(scores.shape)
    for start in range(0, n, tile):
        part = scores[..., start : start + tile]
        out[..., start : start + tile] = np.exp(part - m[..., None])
    return out / np.where(l > 0, l, 1.0)[..., None]


@wrong(
    "cached_step",
    said="is this index needed?",
    mistake="takes the scores of the cached keys only for the row maximum and the sum, so that "
    "the new position's own weight is not in the denominator",
)
def fifth_fa_sum_over_cache(q, k, v, K_cache, V_cache):
    K = np.concatenate((K_cache, k), axis=-2)
    V = np.concatenate((V_cache, v), axis=-2)
    s = np.einsum("...id,...jd->...ij", q, K) / np.sqrt(q.shape[-1])
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    below = e[..., :-1].sum(axis=-1, keepdims=True)
    return (e / np.where(below == 0, 1, below)) @ V, K, V


@wrong(
    "sliding_window_mask",
    said="aligned to the top left",
    mistake="aligns the mask to the top left AND lets the window hold one key too many",
)
def fifth_fa_two_in_window(n_q, n_k, window):
    mask = np.zeros((n_q, n_k), dtype=bool)
    for i in range(n_q):
        for back in range(window + 1):
            if 0 <= i - back < n_k:
                mask[i, i - back] = True
    return mask


@wrong(
    "online_softmax",
    said="The sum is rescaled too late",
    mistake="when the maximum grows, the sum is corrected only after the new tile has been added, "
    "so that the new tile is shrunk too",
)
def fifth_fa_late_correction(scores, tile):
    lowest = np.finfo(float).min
    pieces = [scores[..., s : s + tile] for s in range(0, scores.shape[-1], tile)]

    def look(rest, m, l):
        if not rest:
            return m, l
        new_m = np.maximum(m, rest[0].max(axis=-1, keepdims=True))
        l = l + np.exp(rest[0] - new_m).sum(axis=-1, keepdims=True)
        # nothing is to be corrected as long as no score has been seen
        l = l * np.where(m == lowest, 1.0, np.exp(np.maximum(m - new_m, -1e5)))
        return look(rest[1:], new_m, l)

    shape = (*scores.shape[:-1], 1)
    m, l = look(pieces, np.full(shape, lowest), np.zeros(shape))
    l = np.where(l == 0, 1.0, l)
    return np.concatenate([np.exp(piece - m) / l for piece in pieces], axis=-1)


@wrong(
    "merge_partial",
    said="you drop that part for *all* queries",
    mistake="if any query saw no key in a part, that part is dropped for all queries, also for "
    "those that did see keys in it",
)
def fifth_fa_all_or_nothing(m1, l1, o1, m2, l2, o2):
    if np.isneginf(m1).any():
        return m2, l2, o2
    if np.isneginf(m2).any():
        return m1, l1, o1
    m = np.maximum(m1, m2)
    shrink_1, shrink_2 = np.exp(m1 - m), np.exp(m2 - m)
    return (
        m,
        l1 * shrink_1 + l2 * shrink_2,
        o1 * shrink_1[..., None] + o2 * shrink_2[..., None],
    )


@wrong(
    "sliding_window_mask",
    said="Near the start your window still holds `window` keys",
    mistake="every row gets a full window of keys, also near the start, where the window then "
    "reaches past the query's own position into the future",
)
def fifth_fa_always_full(n_q, n_k, window):
    mask = np.zeros((n_q, n_k), dtype=bool)
    for i in range(n_q):
        p = i + n_k - n_q
        if p < 0:
            continue
        start = p - window + 1
        if start < 0:
            start = 0
        mask[i, start : start + window] = True
    return mask
