"""Right answers to the exercises of `masks`, each written in another way. None may be refused."""

import numpy as np

from tests.exercises.answers import Answers

right = Answers()


@right("causal_mask")
def cm_tri(n_q, n_k):
    return np.tri(n_q, n_k, n_k - n_q, dtype=bool)


@right("causal_mask")
def cm_tril(n_q, n_k):
    return np.tril(np.ones((n_q, n_k), dtype=bool), k=n_k - n_q)


@right("causal_mask")
def cm_not_triu(n_q, n_k):
    return ~np.triu(np.ones((n_q, n_k), dtype=bool), k=n_k - n_q + 1)


@right("causal_mask")
def cm_loops(n_q, n_k):
    mask = np.full((n_q, n_k), False)
    for i in range(n_q):
        for j in range(n_k):
            if n_q - i <= n_k - j:
                mask[i, j] = True
    return mask


@right("causal_mask")
def cm_last_rows(n_q, n_k):
    n = max(n_q, n_k)
    return np.tri(n).astype(bool)[n - n_q :, n - n_k :]


@right("causal_mask")
def cm_outer_from_the_end(n_q, n_k):
    return np.greater_equal.outer(np.arange(-n_q, 0), np.arange(-n_k, 0))


@right("masked_softmax")
def msm_minus_1e9(scores, mask):
    s = np.where(mask, scores, -1e9)
    e = np.exp(s - s.max(-1, keepdims=True))
    return (
        e
        / e.sum(-1, keepdims=True)
        * np.broadcast_to(mask, scores.shape).any(-1, keepdims=True)
    )


@right("masked_softmax")
def msm_masked_powers(scores, mask):
    low = scores.min(axis=-1, keepdims=True)
    top = np.where(mask, scores, low).max(axis=-1, keepdims=True)
    e = np.exp(np.minimum(scores - top, 0)) * mask
    return e / np.maximum(e.sum(axis=-1, keepdims=True), 1e-30)


@right("masked_softmax")
def msm_added_bias(scores, mask):
    s = scores + np.where(mask, 0.0, -np.inf)
    top = s.max(axis=-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(top), top, 0.0))
    total = e.sum(axis=-1, keepdims=True)
    return np.divide(e, total, out=np.zeros_like(e), where=total > 0)


@right("masked_softmax")
def msm_nan_to_num(scores, mask):
    hidden = np.where(mask, scores, -np.inf)
    e = np.exp(hidden - hidden.max(axis=-1, keepdims=True))
    return np.nan_to_num(e / e.sum(axis=-1, keepdims=True))


@right("masked_softmax")
def msm_row_by_row(scores, mask):
    mask = np.broadcast_to(mask, scores.shape)
    out = np.zeros_like(scores)
    for row in np.ndindex(scores.shape[:-1]):
        allowed = scores[row][mask[row]]
        if allowed.size:
            e = np.exp(allowed - allowed.max())
            out[row][mask[row]] = e / e.sum()
    return out


@right("masked_softmax")
def msm_scipy_step(scores, mask):
    from scipy.special import softmax

    empty = ~np.broadcast_to(mask, scores.shape).any(axis=-1, keepdims=True)
    return np.where(
        empty, 0, softmax(np.where(mask | empty, scores, -np.inf), axis=-1)
    )


@right("padding_mask")
def pm_reshape(lengths, n_k):
    return np.arange(n_k).reshape(1, 1, -1) < lengths.reshape(-1, 1, 1)


@right("padding_mask")
def pm_loop(lengths, n_k):
    mask = np.zeros((len(lengths), 1, n_k), dtype=bool)
    for b, length in enumerate(lengths):
        mask[b, :, :length] = True
    return mask


@right("padding_mask")
def pm_stacked(lengths, n_k):
    return np.array([[[j < length for j in range(n_k)]] for length in lengths])


@right("padding_mask")
def pm_tri_rows(lengths, n_k):
    return np.tri(n_k + 1, n_k, -1, dtype=bool)[lengths][:, None]


@right("causal_attention")
def ca_minus_1e9(Q, K, V):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    mask = np.tri(n_q, n_k, n_k - n_q, dtype=bool)
    s = np.einsum("...id,...jd->...ij", Q, K) / Q.shape[-1] ** 0.5
    s = np.where(mask, s, -1e9)
    e = np.exp(s - s.max(-1, keepdims=True)) * mask.any(-1, keepdims=True)
    return e @ V / np.maximum(e.sum(-1, keepdims=True), 1e-20)


@right("causal_attention")
def ca_course_steps(Q, K, V):
    from course_attn.in_numpy.masks import causal_mask, masked_softmax

    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1]).astype(Q.dtype)
    return masked_softmax(scores, causal_mask(Q.shape[-2], K.shape[-2])) @ V


@right("causal_attention")
def ca_query_by_query(Q, K, V):
    out = np.zeros((*Q.shape[:-1], V.shape[-1]))
    shift = K.shape[-2] - Q.shape[-2]
    for i in range(Q.shape[-2]):
        n = i + shift + 1
        if n > 0:
            s = (K[..., :n, :] * Q[..., i, None, :]).sum(-1) / np.sqrt(Q.shape[-1])
            e = np.exp(s - s.max(-1, keepdims=True))
            out[..., i, :] = (e[..., None] * V[..., :n, :]).sum(-2) / e.sum(-1)[
                ..., None
            ]
    return out


@right("causal_attention")
def ca_scaled_query(Q, K, V):
    bias = np.triu(
        np.full((Q.shape[-2], K.shape[-2]), -np.inf), 1 + K.shape[-2] - Q.shape[-2]
    )
    s = (Q * Q.shape[-1] ** -0.5) @ K.swapaxes(-1, -2) + bias
    w = np.exp(s - s.max(-1, keepdims=True))
    w = w / w.sum(-1, keepdims=True)
    return np.nan_to_num(w) @ V


@right("to_torch_mha_mask")
def tm_logical_not(mask):
    return np.logical_not(mask)


@right("to_torch_mha_mask")
def tm_equals_false(mask):
    return mask == False  # noqa: E712


@right("to_torch_mha_mask")
def tm_xor(mask):
    return mask ^ True


@right("find_leak")
def fl_one_at_a_time(model, X):
    before = model(X)
    leaks = []
    for j in range(1, len(X)):
        changed = X.copy()
        changed[j] = -3 * changed[j] + 0.7
        moved = np.abs(model(changed) - before).max(axis=-1) > 1e-8
        leaks += list(np.flatnonzero(moved[:j]))
    return min(leaks) if leaks else None


@right("find_leak")
def fl_by_prefix(model, X):
    whole = model(X)
    for i in range(len(X)):
        if not np.allclose(model(X[: i + 1])[-1], whole[i], atol=1e-7):
            return i


@right("find_leak")
def fl_random(model, X):
    rng = np.random.default_rng(0)
    before = model(X)
    for i in range(len(X)):
        changed = np.concatenate(
            [X[: i + 1], rng.standard_normal(X[i + 1 :].shape)]
        )
        if np.abs(model(changed)[i] - before[i]).max() > 1e-9:
            return i
    return None


@right("find_leak")
def fl_swapped_in_zeros(model, X):
    for i in range(len(X) - 1):
        changed = X.copy()
        changed[i + 1 :] = 0
        if not np.allclose(model(changed)[i], model(X)[i]):
            return np.int64(i)


@right("find_leak")
def fl_relative(model, X):
    before = model(X)
    for i in range(len(X) - 1):
        changed = X.copy()
        changed[i + 1 :] += 1e-2
        gap = np.abs(model(changed)[i] - before[i]).max()
        if gap > 1e-9 * np.abs(before[i]).max():
            return i
    return None


@right("find_leak")
def fl_large_change(model, X):
    before = model(X)
    for i in range(len(X)):
        changed = np.vstack([X[: i + 1], 100 - X[i + 1 :]])
        if np.linalg.norm(model(changed)[i] - before[i]) > 1e-8:
            return i


@right("find_leak")
def fl_number_by_number(model, X):
    before, leaks = model(X), set()
    for j, k in np.ndindex(X.shape):
        changed = X.copy()
        changed[j, k] = 2.0 - changed[j, k]
        moved = ~np.isclose(model(changed), before).all(axis=1)
        leaks |= {i for i in range(j) if moved[i]}
    return min(leaks, default=None)


@right("causal_attention_torch")
def cat_where(Q, K, V):
    import torch

    n_q, n_k = Q.shape[-2], K.shape[-2]
    mask = torch.ones(n_q, n_k, dtype=torch.bool).tril(n_k - n_q)
    scores = torch.einsum("...id,...jd->...ij", Q, K) * Q.shape[-1] ** -0.5
    weights = torch.where(mask, scores, -1e9).softmax(dim=-1)
    return (weights * mask) @ V


@right("causal_attention_torch")
def cat_powers(Q, K, V):
    import torch

    n_q, n_k = Q.shape[-2:-1][0], K.shape[-2]
    mask = torch.arange(n_k) <= torch.arange(n_q).unsqueeze(-1) + (n_k - n_q)
    scores = Q @ K.mT / Q.shape[-1] ** 0.5
    top = torch.where(mask, scores, -1e9).amax(-1, keepdim=True)
    powers = torch.exp((scores - top).clamp(max=0)) * mask
    return powers @ V / powers.sum(-1, keepdim=True).clamp(min=1e-30)


@right("causal_attention_torch")
def cat_query_by_query(Q, K, V):
    import torch

    shift, rows = K.shape[-2] - Q.shape[-2], []
    for i in range(Q.shape[-2]):
        n = max(i + shift + 1, 0)
        s = (K[..., :n, :] @ Q[..., i, :, None]) / Q.shape[-1] ** 0.5
        rows.append((s.softmax(-2) * V[..., :n, :]).sum(-2))
    return torch.stack(rows, -2)


@right("causal_attention_torch")
def cat_nan_to_num(Q, K, V):
    import torch

    s = Q @ K.mT / Q.shape[-1] ** 0.5
    mask = torch.ones(s.shape[-2:], dtype=torch.bool).tril(
        s.shape[-1] - s.shape[-2]
    )
    return s.masked_fill(~mask, float("-inf")).softmax(-1).nan_to_num(0.0) @ V


@right("causal_mask")
def cm_row_by_row(n_q, n_k):
    rows = [
        [True] * max(i + n_k - n_q + 1, 0) + [False] * (n_q - i - 1)
        for i in range(n_q)
    ]
    return np.array([row[-n_k:] for row in rows])


@right("masked_softmax")
def msm_log_sum_exp(scores, mask):
    hidden = np.where(mask, scores, -np.inf)
    with np.errstate(all="ignore"):
        total = np.logaddexp.reduce(hidden, axis=-1, keepdims=True)
        weights = np.exp(hidden - np.where(np.isinf(total), 0, total))
    return weights


@right("masked_softmax")
def msm_small_guard(scores, mask):
    hidden = np.where(mask, scores, -np.inf)
    top = np.nan_to_num(hidden.max(axis=-1, keepdims=True), neginf=0.0)
    powers = np.exp(hidden - top)
    return powers / (powers.sum(axis=-1, keepdims=True) + 1e-9)


@right("causal_attention")
def ca_float64_inside(Q, K, V):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    s = np.einsum("...ia,...ja->...ij", Q, K).astype(float) / np.sqrt(Q.shape[-1])
    s[..., ~np.tri(n_q, n_k, n_k - n_q, dtype=bool)] = -np.inf
    top = np.maximum(s.max(axis=-1, keepdims=True), -1e30)
    e = np.exp(s - top)
    return np.einsum("...ij,...jd->...id", e, V) / np.maximum(
        e.sum(-1, keepdims=True), 1e-30
    )


@right("padding_mask")
def pm_cumulative(lengths, n_k):
    return np.cumsum(np.ones((len(lengths), 1, n_k)), axis=-1) <= lengths.reshape(
        -1, 1, 1
    )


@right("to_torch_mha_mask")
def tm_where(mask):
    return np.where(mask, False, True)


@right("find_leak")
def fl_half(model, X):
    before, n = model(X), len(X)
    for i in range(n):
        for scale in (0.5, 2.0, -1.0):
            changed = np.where(np.arange(n)[:, None] > i, scale * X, X)
            if np.abs(model(changed) - before)[i].max(initial=0.0) > 1e-7:
                return i


@right("causal_attention_torch")
def cat_masked_powers(Q, K, V):
    import torch

    n_q, n_k = Q.shape[-2], K.shape[-2]
    mask = torch.ones(n_q, n_k, dtype=torch.bool, device=Q.device).tril(n_k - n_q)
    scores = torch.matmul(Q, K.transpose(-2, -1)).div(Q.shape[-1] ** 0.5)
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    return torch.where(mask, weights, 0.0) @ V


@right("hides_the_future")
def hf_text():
    return "a, c, f"


@right("from_torch_masks")
def ftm_neither(attn_mask, key_padding_mask, is_causal):
    hidden = attn_mask | key_padding_mask[:, None]
    if is_causal:
        hidden = hidden | np.triu(np.ones(attn_mask.shape, dtype=bool), k=1)
    return ~hidden


@right("from_torch_masks")
def ftm_loop(attn_mask, key_padding_mask, is_causal):
    allowed = ~attn_mask
    if is_causal:
        allowed &= np.tril(np.ones_like(allowed))
    return np.stack([allowed & ~row for row in key_padding_mask])


@right("from_torch_masks")
def ftm_where(attn_mask, key_padding_mask, is_causal):
    n_q, n_k = attn_mask.shape
    later = is_causal & (np.arange(n_k) > np.arange(n_q)[:, None])
    return np.where(
        attn_mask | later | np.expand_dims(key_padding_mask, 1), False, True
    )


@right("from_torch_masks")
def ftm_product(attn_mask, key_padding_mask, is_causal):
    kept = (
        np.logical_not(attn_mask)[None] * np.logical_not(key_padding_mask)[:, None]
    )
    return np.tril(kept) if is_causal else kept


@right("from_torch_masks")
def ftm_one_by_one(attn_mask, key_padding_mask, is_causal):
    batch, (n_q, n_k) = len(key_padding_mask), attn_mask.shape
    mask = np.zeros((batch, n_q, n_k), dtype=bool)
    for b in range(batch):
        for i in range(n_q):
            for j in range(n_k):
                if (
                    attn_mask[i, j]
                    or key_padding_mask[b, j]
                    or (is_causal and j > i)
                ):
                    continue
                mask[b, i, j] = True
    return mask
