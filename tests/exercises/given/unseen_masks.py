"""Wrong answers to `masks` by others who had not seen the known mistakes, either."""

import numpy as np
import torch

from tests.exercises.answers import Answers

wrong = Answers()


@wrong(
    "causal_mask",
    mistake="takes the difference of n_k and n_q without its sign, so with more queries than keys"
    " the diagonal moves the wrong way",
)
def second_ma_abs_offset(n_q, n_k):
    shift = abs(n_k - n_q)
    rows = [[j <= i + shift for j in range(n_k)] for i in range(n_q)]
    return np.array(rows, dtype=bool).reshape(n_q, n_k)


@wrong(
    "masked_softmax",
    mistake="takes a row for empty if its allowed scores are all 0: it asks whether the scores are"
    " true, not whether there are any",
)
def second_ma_zero_is_nothing(scores, mask):
    mask = np.broadcast_to(mask, scores.shape)
    weights = np.zeros(scores.shape)
    for row in np.ndindex(scores.shape[:-1]):
        allowed = [s for s, m in zip(scores[row], mask[row]) if m]
        if not any(allowed):
            continue
        top = max(allowed)
        total = sum(np.exp(s - top) for s in allowed)
        for j in range(scores.shape[-1]):
            if mask[row][j]:
                weights[row][j] = np.exp(scores[row][j] - top) / total
    return weights


@wrong(
    "padding_mask",
    mistake="hides the last n_k - length keys with a slice from -(n_k - length), which is the whole"
    " row where nothing is to be hidden",
)
def second_ma_minus_zero_slice(lengths, n_k):
    mask = np.ones((len(lengths), 1, n_k), dtype=bool)
    for b, length in enumerate(lengths):
        filling = n_k - length
        mask[b, 0, -filling:] = False
    return mask


@wrong(
    "causal_attention",
    mistake="a query does not see the key at its own position, only those before it AND the scores"
    " are divided by d_k, not by its root",
)
def second_ma_not_itself_and_no_root(Q, K, V):
    n_q, d_k = Q.shape[-2:]
    n_k = K.shape[-2]
    rows = []
    for i in range(n_q):
        stop = max(0, i + n_k - n_q)
        if stop == 0:
            rows.append(np.zeros(V.shape[:-2] + V.shape[-1:]))
            continue
        q, keys, values = Q[..., i, :], K[..., :stop, :], V[..., :stop, :]
        s = np.einsum("...c,...jc->...j", q, keys) / d_k
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        a = e / e.sum(axis=-1, keepdims=True)
        rows.append(np.einsum("...j,...jv->...v", a, values))
    return np.stack(rows, axis=-2)


@wrong(
    "find_leak",
    mistake="only reverses the order of the later inputs, so it misses a model that uses their sum,"
    " and one in which the last but one position sees the last",
)
def second_ma_reverses_future(model, X):
    before = model(X)

    def search(i):
        if i == len(X):
            return None
        changed = np.concatenate([X[: i + 1], X[i + 1 :][::-1]])
        after = model(changed)
        if not np.allclose(after[i], before[i], rtol=1e-7, atol=1e-12):
            return i
        return search(i + 1)

    return search(0)


@wrong(
    "causal_attention_torch",
    mistake="lets the rows without a key become NaN in the softmax and replaces the NaN afterwards,"
    " so the gradients are still NaN",
)
def second_ma_nan_patched(Q, K, V):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    scores = Q @ K.mT / Q.shape[-1] ** 0.5
    future = torch.full((n_q, n_k), float("-inf"), dtype=Q.dtype, device=Q.device)
    bias = torch.triu(future, diagonal=n_k - n_q + 1)
    weights = torch.softmax(scores + bias, dim=-1)
    return torch.nan_to_num(weights) @ V


@wrong(
    "causal_mask",
    mistake="shifts the diagonal the wrong way, by n_q - n_k instead of n_k - n_q AND returns "
    "floats of 0 and 1 instead of bool",
)
def third_ma_tri_shift_float(n_q, n_k):
    return np.tri(n_q, n_k, n_q - n_k)


@wrong(
    "masked_softmax",
    mistake="leaves the loop over the rows at the first row with nothing allowed (break instead of "
    "continue), so that all rows after it stay zero too",
)
def third_ma_break(scores, mask):
    n = scores.shape[-1]
    rows = scores.reshape(-1, n)
    allowed = np.broadcast_to(mask, scores.shape).reshape(-1, n)
    weights = np.zeros(rows.shape)
    for r in range(len(rows)):
        if not allowed[r].any():
            break  # nothing to see: zeros
        s = rows[r][allowed[r]]
        e = np.exp(s - s.max())
        weights[r][allowed[r]] = e / e.sum()
    return weights.reshape(scores.shape)


@wrong(
    "padding_mask",
    mistake="a sequence without filling is hidden entirely, since the slice from -0 is the whole "
    "row",
)
def third_ma_minus_zero(lengths, n_k):
    mask = np.ones((len(lengths), 1, n_k), dtype=bool)
    for b, length in enumerate(lengths):
        filling = n_k - length
        mask[b, 0, -filling:] = False
    return mask


@wrong(
    "causal_attention",
    mistake="for queries before the first key the end of the slice is negative and counts from the "
    "back, so that they see keys instead of getting zeros",
)
def third_ma_negative_slice(Q, K, V):
    n_q, n_k, d_k = Q.shape[-2], K.shape[-2], Q.shape[-1]
    Y = np.zeros((*Q.shape[:-1], V.shape[-1]))
    for i in range(n_q):
        end = i + n_k - n_q + 1
        past_K, past_V = K[..., :end, :], V[..., :end, :]
        if past_K.shape[-2] == 0:
            continue
        s = np.einsum("...d,...jd->...j", Q[..., i, :], past_K) / np.sqrt(d_k)
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        a = e / e.sum(axis=-1, keepdims=True)
        Y[..., i, :] = np.einsum("...j,...jv->...v", a, past_V)
    return Y


@wrong(
    "find_leak",
    mistake="goes through the changed inputs and returns the first output changed by the earliest "
    "of them, though a later input may leak into a still earlier position",
)
def third_ma_first_input(model, X):
    before = model(X.copy())
    rng = np.random.default_rng(0)
    for j in range(1, len(X)):
        changed = X.copy()
        changed[j] += rng.normal(size=X.shape[1])
        after = model(changed)
        for i in range(j):
            if np.abs(after[i] - before[i]).max() > 1e-8 * np.abs(before).max():
                return i
    return None


@wrong(
    "causal_attention_torch",
    mistake="throws away the result of masked_fill, which does not work in place, so that the "
    "future is not hidden",
)
def third_ma_masked_fill_lost(Q, K, V):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    i = torch.arange(n_q, device=Q.device)[:, None]
    j = torch.arange(n_k, device=Q.device)
    mask = j <= i + n_k - n_q
    scores = Q @ K.mT / Q.shape[-1] ** 0.5
    scores.masked_fill(~mask, -1e9)
    weights = torch.softmax(scores, dim=-1)
    sees_something = mask.any(dim=-1, keepdim=True)
    return torch.where(sees_something, weights @ V, 0.0)


def _offset(Q, K):
    return Q.shape[-2] - K.shape[-2]


@wrong(
    "causal_attention",
    said="`-` stands where `+` belongs",
    mistake="the offset helper subtracts the wrong way round",
)
def fourth_ma_offset_sign(Q, K, V):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    ok = np.tri(n_q, n_k, _offset(Q, K), dtype=bool)
    S = np.where(ok, S, -np.inf)
    top = np.where(ok.any(-1, keepdims=True), S.max(-1, keepdims=True), 0)
    W = np.exp(S - top)
    L = W.sum(-1, keepdims=True)
    return W / np.where(L == 0, 1, L) @ V


@wrong(
    "causal_attention",
    said="you take the size of `V` for `Q`",
    mistake="aligns the mask to the top left, so that query i sees the keys up to i only AND "
    "divides the scores by the root of d_v instead of d_k",
)
def fourth_ma_einsum_two(Q, K, V):
    scores = np.einsum("...qd,...kd->...qk", Q, K) / V.shape[-1] ** 0.5
    n_q, n_k = scores.shape[-2:]
    scores = np.where(np.tri(n_q, n_k) > 0, scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.einsum(
        "...qk,...kv,...q->...qv", exps, V, 1 / np.einsum("...qk->...q", exps)
    )


@wrong(
    "causal_attention_torch",
    said="how large may the scores be?",
    mistake="lowers the scores of later keys by only 1000, which does not hide them where they "
    "are larger than the others by more than that",
)
def fourth_ma_thousand(Q, K, V):
    scores = Q @ K.transpose(-2, -1) / K.shape[-1] ** 0.5
    n_q, n_k = scores.shape[-2:]
    seen = torch.ones(n_q, n_k, device=Q.device).tril(n_k - n_q)
    scores = scores - 1000.0 * (1 - seen).to(Q.dtype)
    weights = scores.softmax(dim=-1)
    weights = weights * seen.any(dim=-1, keepdim=True).to(Q.dtype)
    return weights @ V


@wrong(
    "masked_softmax",
    said="how large may the scores be?",
    mistake="hides with the finite number -50 instead of minus infinity",
)
def fifth_ma_fifty(scores, mask):
    mask = np.broadcast_to(mask, scores.shape)
    hidden = scores.copy()
    hidden[~mask] = -50
    top = hidden.max(axis=-1, keepdims=True)
    e = np.exp(hidden - top)
    a = e / e.sum(axis=-1, keepdims=True)
    return a * mask.any(axis=-1, keepdims=True)


@wrong(
    "causal_mask",
    said="opposite order",
    mistake="counts the hidden keys by i from the end, so that the first query sees all and the "
    "last the fewest: the rows are turned round",
)
def fifth_ma_counted_from_end(n_q, n_k):
    mask = np.ones((n_q, n_k), dtype=bool)
    for i in range(n_q):
        if i > 0:
            mask[i, max(n_k - i, 0) :] = False
    return mask


@wrong(
    "from_torch_masks",
    said="*bottom right*",
    mistake="negates the padding mask but not attn_mask AND aligns the causal mask to the bottom "
    "right",
)
def fifth_ma_half_negated(attn_mask, key_padding_mask, is_causal):
    allowed = attn_mask[None] & ~key_padding_mask[:, None]
    if is_causal:
        n_q, n_k = attn_mask.shape
        allowed = allowed & np.tri(n_q, n_k, n_k - n_q, dtype=bool)
    return allowed


@wrong(
    "from_torch_masks",
    said="the triangle takes the place of `attn_mask`",
    mistake="with is_causal, attn_mask is ignored instead of being applied in addition",
)
def fifth_ma_causal_instead(attn_mask, key_padding_mask, is_causal):
    batch, n_k = key_padding_mask.shape
    n_q = attn_mask.shape[0]
    ours = np.zeros((batch, n_q, n_k), dtype=bool)
    for b in range(batch):
        for i in range(n_q):
            for j in range(n_k):
                dropped = j > i if is_causal else attn_mask[i, j]
                ours[b, i, j] = not (dropped or key_padding_mask[b, j])
    return ours
