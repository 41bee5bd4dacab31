"""Answers to `token_probabilities`."""

import numpy as np

from course_attn.in_numpy import softmax
from tests.exercises.answers import right, wrong


@right()
def tp_mask_logits(logits, temperature, top_k, top_p):
    z = logits / temperature
    order = np.argsort(z)[::-1]
    z[order[top_k:]] = -np.inf
    p = np.exp(z - z.max())
    p /= p.sum()
    total = 0.0
    keep = np.zeros(len(p), dtype=bool)
    for token in order:
        keep[token] = True
        total += p[token]
        if total >= top_p:
            break
    p = np.where(keep, p, 0)
    return p / p.sum()


@right()
def tp_huggingface(logits, temperature, top_k, top_p):
    """The way of many libraries: from the least likely up."""
    from scipy.special import softmax

    scores = (logits / temperature).copy()
    scores[scores < np.sort(scores)[-top_k]] = -1e9
    upward = np.argsort(scores)
    sums = np.cumsum(softmax(scores[upward]))
    drop = sums <= 1 - top_p
    drop[-1] = False
    scores[upward[drop]] = -1e9
    return softmax(scores)


@right()
def tp_searchsorted(logits, temperature, top_k, top_p):
    ids = np.argsort(-logits)[:top_k]
    powers = np.exp((logits[ids] - logits[ids[0]]) / temperature)
    p = powers / powers.sum()
    n = min(np.searchsorted(np.cumsum(p), top_p - 1e-12) + 1, len(p))
    out = np.zeros(len(logits))
    out[ids[:n]] = p[:n] / p[:n].sum()
    return out


@right()
def tp_dictionary(logits, temperature, top_k, top_p):
    import math

    top = float(max(logits))
    shares = {
        i: math.exp((float(v) - top) / temperature) for i, v in enumerate(logits)
    }
    best = sorted(shares, key=shares.get, reverse=True)[:top_k]
    total = sum(shares[i] for i in best)
    chosen, so_far = [], 0.0
    for i in best:
        if so_far >= top_p:
            break
        chosen.append(i)
        so_far += shares[i] / total
    norm = sum(shares[i] for i in chosen)
    return np.array(
        [shares[i] / norm if i in chosen else 0.0 for i in range(len(logits))]
    )


@right()
def tp_rank_of_each(logits, temperature, top_k, top_p):
    from course_attn.in_numpy import softmax

    p = softmax(logits, temperature=temperature)
    rank = np.argsort(np.argsort(-p))
    p = p * (rank < top_k)
    p = p / p.sum()
    above = np.array([p[rank < r].sum() for r in rank])
    p = p * (above < top_p)
    return p / p.sum()


@right()
def tp_inverse_permutation(logits, temperature, top_k, top_p):
    order = np.flip(np.argsort(logits))
    p = np.exp(logits[order] / temperature - np.max(logits) / temperature)
    p = p * (np.arange(p.size) < top_k)
    p = p / p.sum()
    p = p * (np.concatenate([[0], np.cumsum(p)[:-1]]) < top_p)
    return (p / p.sum())[np.argsort(order)]


# 0 instead of -inf for the logits that are left out
@wrong()
def tp_zero_logits(logits, temperature, top_k, top_p):
    z = logits / temperature
    order = np.argsort(-z)
    z[order[top_k:]] = 0
    p = np.exp(z - z.max())
    p = p / p.sum()
    order = np.argsort(-p)
    keep = np.cumsum(p[order]) - p[order] < top_p
    out = np.zeros_like(p)
    out[order[keep]] = p[order[keep]]
    return out / out.sum()


# temperature divides the probabilities
@wrong("unused")
def tp_temperature_of_probabilities(logits, temperature, top_k, top_p):
    p = np.exp(logits - logits.max())
    p = p / p.sum() / temperature
    p = np.where(p >= np.sort(p)[-top_k], p, 0)
    p = p / p.sum()
    order = np.argsort(-p)
    out = np.zeros_like(p)
    total = 0
    for i in order:
        if total >= top_p:
            break
        out[i] = p[i]
        total += p[i]
    return out / out.sum()


# not divided after top-k, nor at the end
@wrong()
def tp_never_renormalized(logits, temperature, top_k, top_p):
    z = logits / temperature
    p = np.exp(z - z.max())
    p = p / p.sum()
    order = np.argsort(-p)
    out = np.zeros_like(p)
    sums = np.cumsum(p[order])
    keep = (sums - p[order] < top_p) & (np.arange(len(p)) < top_k)
    out[order[keep]] = p[order[keep]]
    return out


# exp of large logits
@wrong("no-shift")
def tp_overflow(logits, temperature, top_k, top_p):
    p = np.exp(logits / temperature)
    order = np.argsort(-logits)
    p[order[top_k:]] = 0
    p /= p.sum()
    keep = np.cumsum(p[order]) - p[order] < top_p
    p[order[~keep]] = 0
    return p / p.sum()


# temperature after the filters
@wrong("temperature-last", author="blind")
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


# keeps top_p of the number of tokens
@wrong("share-of-tokens", author="blind")
def blind_tp_share(logits, temperature, top_k, top_p):
    z = logits / temperature
    p = np.exp(z - z.max())
    n = min(top_k, int(np.ceil(top_p * len(p))))
    p[np.argsort(-p)[n:]] = 0
    return p / p.sum()


# top_k of -1 index: order[top_k] stays
@wrong("one-more", author="blind")
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


# returns the tokens that are kept
@wrong("tokens", author="blind")
def blind_tp_tokens(logits, temperature, top_k, top_p):
    z = logits / temperature
    p = np.exp(z - z.max())
    order = np.argsort(-p)[:top_k]
    q = p[order] / p[order].sum()
    return order[np.cumsum(q) - q < top_p]


# max of 1 and temperature
@wrong(author="blind")
def blind_tp_root(logits, temperature, top_k, top_p):
    z = logits / temperature**0.5
    p = np.exp(z - z.max())
    order = np.argsort(-p)
    p[order[top_k:]] = 0
    p /= p.sum()
    p[order[np.cumsum(p[order]) - p[order] >= top_p]] = 0
    return p / p.sum()


# off by one at top_k: keeps only what is strictly above the k-th likeliest, k - 1 tokens
@wrong("one-fewer", author="blind")
def k38_strict_k(logits, temperature, top_k, top_p):
    p = softmax(np.asarray(logits, float) / temperature)
    kth = np.sort(p)[-top_k]
    p = np.where(p > kth, p, 0)
    p = p / p.sum()
    ranked = np.argsort(p)[::-1]
    total = 0.0
    keep = []
    for t in ranked:
        keep.append(t)
        total += p[t]
        if total >= top_p:
            break
    q = np.zeros_like(p)
    q[keep] = p[keep]
    return q / q.sum()


# top_p means here: keep every token whose own probability is at least 1 - top_p (min-p like), no
# running sum
@wrong("own-probability", author="blind")
def k40_own_probability(logits, temperature, top_k, top_p):
    p = softmax(logits / temperature)
    best = np.argpartition(p, -top_k)[-top_k:]
    out = np.zeros(p.shape)
    out[best] = p[best]
    out /= out.sum()
    out[out < 1 - top_p] = 0
    if out.sum() == 0:
        out[p.argmax()] = 1
    return out / out.sum()


# logits multiplied by the temperature AND the token that reaches top_p is dropped (the first always
# kept)
@wrong("multiplied", "crossing-dropped-not-first", author="blind")
def z44_both(logits, temperature, top_k, top_p):
    z = logits * temperature
    p = np.exp(z - z.max())
    p = p / p.sum()
    order = np.argsort(-p)
    p[order[top_k:]] = 0
    p = p / p.sum()
    keep = np.cumsum(p[order]) < top_p + (1e-9 if top_p == 1 else 0)
    keep[0] = True
    p[order[~keep]] = 0
    return p / p.sum()


# the token that reaches top_p is dropped (at least one is kept) AND the last division by the sum is
# missing
@wrong("crossing-dropped-not-first", "not-renormalized", author="blind")
def f6_g07_both(logits, temperature, top_k, top_p):
    p = np.exp((logits - logits.max()) / temperature)
    idx = np.argsort(p)[::-1]
    p[idx[top_k:]] = 0.0
    p = p / p.sum()
    s = 0.0
    for rank, i in enumerate(idx):
        s += p[i]
        if s >= top_p - 1e-12 and rank > 0 and top_p < 1:
            p[idx[rank:]] = 0.0
            break
    return p


# the probabilities are divided by the temperature after the softmax AND the token with which top_p
# is reached is dropped (unless it is the first)
@wrong("unused", "crossing-dropped-not-first", author="blind")
def r24_late_temperature(logits, temperature, top_k, top_p):
    probs = softmax(logits) / temperature
    idx = np.argsort(-probs)
    top = idx[:top_k]
    p = probs[top] / probs[top].sum()
    c = np.cumsum(p)
    keep = c <= top_p + 1e-12
    keep[0] = True
    out = np.zeros(len(logits))
    out[top[keep]] = p[keep] / p[keep].sum()
    return out


# top_k + 1 tokens, and one more than it takes to reach top_p
@wrong("one-more", "one-beyond", author="blind")
def b15_lm_one_more_twice(logits, temperature, top_k, top_p):
    s = logits / temperature
    w = np.exp(s - s.max())
    w = w / w.sum()
    order = sorted(range(len(w)), key=lambda i: -w[i])
    order = order[: top_k + 1]
    norm = sum(w[i] for i in order)
    kept, total = [], 0.0
    for i in order:
        kept.append(i)
        if total >= top_p:
            break
        total += w[i] / norm
    out = np.zeros(len(w))
    out[kept] = w[kept]
    return out / out.sum()
