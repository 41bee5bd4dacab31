"""Wrong answers to `language_model`, written from the tasks alone."""

import numpy as np

from tests.exercises.answers import Answers

wrong = Answers()


@wrong(
    "shift_targets",
    mistake="takes the last real token out of the inputs, too, as -100",
)
def blind_shift_ends(tokens, pad):
    inputs, targets = tokens[..., :-1].copy(), tokens[..., 1:].copy()
    inputs[targets == pad] = -100
    targets[targets == pad] = -100
    return inputs, targets


@wrong(
    "shift_targets",
    "swapped",
    mistake="pads the targets in front instead of cutting",
)
def blind_shift_right(tokens, pad):
    targets = np.full_like(tokens, -100)
    targets[..., 1:] = tokens[..., :-1]
    targets = np.where(targets == pad, -100, targets)
    return tokens[..., 1:], targets[..., 1:]


@wrong("shift_targets", mistake="masks everywhere the text's last real token")
def blind_shift_last_masked(tokens, pad):
    following = tokens[..., 1:]
    ends = (tokens != pad).sum(-1)
    targets = np.where(
        np.arange(1, tokens.shape[-1]) < ends[..., None] - 1, following, -100
    )
    return tokens[..., :-1], targets


@wrong("shift_targets", mistake="sliding windows: axis 1 in place of the last")
def blind_shift_axis_1(tokens, pad):
    inputs, targets = tokens[:, :-1], tokens[:, 1:]
    return inputs, np.where(targets == pad, -100, targets)


@wrong(
    "shift_targets", mistake="-100 in a list comprehension over the first text only"
)
def blind_shift_first_text(tokens, pad):
    row = tokens.reshape(-1, tokens.shape[-1])[0]
    targets = np.array([-100 if t == pad else t for t in row[1:]])
    return row[:-1], targets


@wrong(
    "cross_entropy",
    mistake="the probability of the target, minus, after a second mean",
)
def blind_ce_mse(logits, targets):
    e = np.exp(logits - logits.max(-1, keepdims=True))
    p = e / e.sum(-1, keepdims=True)
    y = np.eye(logits.shape[-1])[np.where(targets == -100, 0, targets)]
    return ((p - y) ** 2).sum(-1)[targets != -100].mean()


@wrong("cross_entropy", "entropy", mistake="entropy of the prediction")
def blind_ce_entropy(logits, targets):
    z = logits - logits.max(-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(-1, keepdims=True))
    return -(np.exp(log_p) * log_p).sum(-1)[targets != -100].mean()


@wrong("cross_entropy", mistake="nan_to_num hides infinite losses")
def blind_ce_nan_to_num(logits, targets):
    e = np.exp(logits - logits.max(-1, keepdims=True))
    p = e / e.sum(-1, keepdims=True)
    keep = targets != -100
    picked = np.take_along_axis(p, np.where(keep, targets, 0)[..., None], -1)[
        ..., 0
    ]
    losses = np.nan_to_num(-np.log(picked), posinf=0.0)
    return losses[keep].mean()


@wrong(
    "cross_entropy",
    "padding-in-the-mean",
    mistake="replaces ignored targets' losses with 0 and takes np.mean",
)
def blind_ce_where(logits, targets):
    z = logits - logits.max(-1, keepdims=True)
    log_z = np.log(np.exp(z).sum(-1))
    picked = np.take_along_axis(z, np.maximum(targets, 0)[..., None], -1)[..., 0]
    return np.mean(np.where(targets == -100, 0, log_z - picked))


@wrong(
    "cross_entropy", mistake="forgets the max when subtracting from the raw logit"
)
def blind_ce_shift_lost(logits, targets):
    top = logits.max(-1, keepdims=True)
    log_z = np.log(np.exp(logits - top).sum(-1))
    keep = targets != -100
    picked = np.take_along_axis(logits, np.where(keep, targets, 0)[..., None], -1)[
        ..., 0
    ]
    return (log_z - picked)[keep].mean()


@wrong("cross_entropy", mistake="margin: best logit minus target's")
def blind_ce_margin(logits, targets):
    keep = targets != -100
    picked = np.take_along_axis(logits, np.where(keep, targets, 0)[..., None], -1)[
        ..., 0
    ]
    return (logits.max(-1) - picked)[keep].mean()


@wrong("bigram_perplexity", mistake="skips the last prediction")
def blind_bp_range(table, tokens):
    logs = [np.log(table[tokens[i], tokens[i + 1]]) for i in range(len(tokens) - 2)]
    return np.exp(-np.mean(logs)) if logs else 1.0


@wrong(
    "bigram_perplexity",
    "first-even",
    mistake="includes the first token as if evenly drawn",
)
def blind_bp_first_even(table, tokens):
    p = table[tokens[:-1], tokens[1:]]
    return np.exp(-(np.log(1 / len(table)) + np.log(p).sum()) / len(tokens))


@wrong("bigram_perplexity", mistake="softmax of the table's rows")
def blind_bp_softmax(table, tokens):
    powers = np.exp(table)
    p = (powers / powers.sum(-1, keepdims=True))[tokens[:-1], tokens[1:]]
    return np.exp(-np.log(p).mean())


@wrong("bigram_perplexity", mistake="adds a small number to the probability")
def blind_bp_smoothed(table, tokens):
    p = table[tokens[:-1], tokens[1:]] + 0.01
    return np.exp(-np.log(p).mean())


@wrong("bigram_perplexity", mistake="weights the surprise by p")
def blind_bp_p_log_p(table, tokens):
    p = table[tokens[:-1], tokens[1:]]
    return np.exp(-(p * np.log(p)).mean())


@wrong(
    "token_probabilities",
    "temperature-last",
    mistake="temperature after the filters",
)
def blind_tp_late_temperature(logits, temperature, top_k, top_p):
    p = np.exp(logits - logits.max())
    p /= p.sum()
    order = np.argsort(-p)
    p[order[top_k:]] = 0
    p /= p.sum()
    before = np.cumsum(p[order]) - p[order]
    p[order[before >= top_p]] = 0
    p = p ** (1 / temperature)
    return p / p.sum()


@wrong(
    "token_probabilities",
    "share-of-tokens",
    mistake="keeps top_p of the number of tokens",
)
def blind_tp_share(logits, temperature, top_k, top_p):
    z = logits / temperature
    p = np.exp(z - z.max())
    n = min(top_k, int(np.ceil(top_p * len(p))))
    p[np.argsort(-p)[n:]] = 0
    return p / p.sum()


@wrong(
    "token_probabilities",
    mistake="sums upward until top_p: drops the head, keeps the tail",
)
def blind_tp_upward(logits, temperature, top_k, top_p):
    z = logits / temperature
    p = np.exp(z - z.max())
    order = np.argsort(p)
    p[order[:-top_k]] = 0
    p /= p.sum()
    sums = np.cumsum(p[order])
    p[order[sums > top_p]] = 0
    return p / max(p.sum(), 1e-9)


@wrong(
    "token_probabilities",
    mistake="the tail's mass above top_p, strict the other way",
)
def blind_tp_tail(logits, temperature, top_k, top_p):
    z = logits / temperature
    p = np.exp(z - z.max())
    order = np.argsort(p)
    p[order[: len(p) - top_k]] = 0
    p /= p.sum()
    p[order[np.cumsum(p[order]) < top_p]] = 0
    return p / p.sum()


@wrong(
    "token_probabilities",
    "one-more",
    mistake="top_k of -1 index: order[top_k] stays",
)
def blind_tp_le(logits, temperature, top_k, top_p):
    z = logits / temperature
    p = np.exp(z - z.max())
    order = np.argsort(-p)
    rank = np.argsort(order)
    p = np.where(rank <= top_k, p, 0)
    p /= p.sum()
    before = np.cumsum(p[order]) - p[order]
    keep = before < top_p
    return np.where(keep[rank], p, 0) / p[order][keep].sum()


@wrong("token_probabilities", "tokens", mistake="returns the tokens that are kept")
def blind_tp_tokens(logits, temperature, top_k, top_p):
    z = logits / temperature
    p = np.exp(z - z.max())
    order = np.argsort(-p)[:top_k]
    q = p[order] / p[order].sum()
    return order[np.cumsum(q) - q < top_p]


@wrong(
    "token_probabilities",
    mistake="shorter result: only the kept tokens' probabilities",
)
def blind_tp_short(logits, temperature, top_k, top_p):
    z = logits / temperature
    p = np.exp(z - z.max())
    order = np.argsort(-p)[:top_k]
    q = p[order] / p[order].sum()
    q = q[np.cumsum(q) - q < top_p]
    return q / q.sum()


@wrong("token_probabilities", mistake="max of 1 and temperature")
def blind_tp_root(logits, temperature, top_k, top_p):
    z = logits / temperature**0.5
    p = np.exp(z - z.max())
    order = np.argsort(-p)
    p[order[top_k:]] = 0
    p /= p.sum()
    p[order[np.cumsum(p[order]) - p[order] >= top_p]] = 0
    return p / p.sum()


@wrong("draw_tokens", mistake="rounds u times n_vocab")
def blind_dt_round(probabilities, u):
    return np.round(u * (len(probabilities) - 1)).astype(int)


@wrong(
    "draw_tokens", "one-too-early", mistake="the last token whose sum is below u"
)
def blind_dt_last_below(probabilities, u):
    sums = np.cumsum(probabilities)
    return np.array(
        [np.flatnonzero(sums <= x)[-1] if (sums <= x).any() else 0 for x in u]
    )


@wrong(
    "draw_tokens",
    mistake="one sum for all u: the numbers u are used up one after the other",
)
def blind_dt_running(probabilities, u):
    tokens, total, token = [], 0.0, -1
    for number in u:
        while total <= number and token < len(probabilities) - 1:
            token += 1
            total += probabilities[token]
        tokens.append(token)
    return np.array(tokens)


@wrong("draw_tokens", "only-compared", mistake="a bool matrix")
def blind_dt_matrix(probabilities, u):
    return np.cumsum(probabilities) > u[:, None]


@wrong("gpt_from_parts", mistake="a mask for each block made from E's rows")
def blind_gp_vocab_mask(tokens, E, P, blocks, norm):
    n = tokens.shape[-1]
    X = E[tokens] + P[:n]
    mask = np.tri(n)
    for block in blocks:
        X = block(X, mask * X @ np.swapaxes(X, -1, -2) > 0)
    return norm(X) @ E.T


@wrong(
    "gpt_from_parts",
    "no-positions",
    mistake="the positions are in the unembedding, too: E + P",
)
def blind_gp_concat(tokens, E, P, blocks, norm):
    n = tokens.shape[-1]
    X = np.concatenate(
        [E[tokens], np.broadcast_to(P[:n], E[tokens].shape)], axis=-2
    )
    for block in blocks:
        X = block(X, np.tri(X.shape[-2], dtype=bool))
    return norm(X)[..., :n, :] @ E.T


@wrong("gpt_from_parts", mistake="multiplies by the positions")
def blind_gp_times(tokens, E, P, blocks, norm):
    n = tokens.shape[-1]
    X = E[tokens] * P[:n]
    for block in blocks:
        X = block(X, np.tri(n, dtype=bool))
    return norm(X) @ E.T


@wrong("gpt_from_parts", mistake="the mask for the first block only")
def blind_gp_mask_once(tokens, E, P, blocks, norm):
    n = tokens.shape[-1]
    X = blocks[0](E[tokens] + P[:n], np.tri(n, dtype=bool))
    for block in blocks[1:]:
        X = block(X)
    return norm(X) @ E.T


@wrong("gpt_from_parts", mistake="adds what went into the blocks at the end")
def blind_gp_long_residual(tokens, E, P, blocks, norm):
    n = tokens.shape[-1]
    start = X = E[tokens] + P[:n]
    for block in blocks:
        X = block(X, np.tri(n, dtype=bool))
    return norm(X + start) @ E.T


@wrong("gpt_from_parts", mistake="distances in place of dot products")
def blind_gp_distance(tokens, E, P, blocks, norm):
    n = tokens.shape[-1]
    X = E[tokens] + P[:n]
    for block in blocks:
        X = block(X, np.tri(n, dtype=bool))
    return -((norm(X)[..., None, :] - E) ** 2).sum(-1)


@wrong("induction_score", mistake="counts periods: i - 2 period + 1")
def blind_is_two_periods(weights, period):
    i = np.arange(period, weights.shape[-1])
    return weights[..., i, np.maximum(i - 2 * period + 1, 0)].mean(-1)


@wrong("induction_score", mistake="best of the row's window")
def blind_is_window(weights, period):
    n = weights.shape[-1]
    found = [
        weights[..., i, i - period + 1 : i + 1].sum(-1) for i in range(period, n)
    ]
    return np.mean(found, axis=0)


@wrong("induction_score", mistake="the mean over the batch's first axis")
def blind_is_axis_0(weights, period):
    i = np.arange(period, weights.shape[-1])
    return weights[..., i, i - period + 1].mean(axis=0)


@wrong(
    "induction_score", mistake="normalizes by the row's weight on earlier tokens"
)
def blind_is_share(weights, period):
    i = np.arange(period, weights.shape[-1])
    found = weights[..., i, i - period + 1]
    return (found / weights[..., i, :].max(-1)).mean(-1)


@wrong("induction_score", mistake="rows i < period")
def blind_is_first_rows(weights, period):
    i = np.arange(1, period)
    return weights[..., i, i - 1].mean(-1) if period > 1 else weights[..., 0, 0]


@wrong(
    "two_losses",
    "b-divided-by-log-2",
    mistake="B's bits with nats' factor the wrong way",
)
def blind_tl_factor():
    return np.log(64), 6, 64, 2 / np.log(2), 2, 4


@wrong("two_losses", "other-0", mistake="accuracy in mind")
def blind_tl_accuracy():
    return 1 - 1 / 64, 6, 64, 0.5, 2, 4


@wrong("two_losses", "other-0", mistake="sum over the 64 characters")
def blind_tl_sum():
    return 64 * np.log(64), 6 * 64, 64, np.log(4), 2, 4
