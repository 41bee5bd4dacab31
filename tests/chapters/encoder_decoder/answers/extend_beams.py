"""Answers to `extend_beams`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def sorted_by_the_new_keyword(prefixes, sums, log_probs, n_beams, end):
    steps = log_probs.copy()
    over = prefixes[:, -1] == end
    steps[over] = -np.inf
    steps[over, end] = 0
    totals = (steps + sums[:, None]).ravel()
    best = np.argsort(-totals, stable=True)[:n_beams]
    rows, tokens = np.divmod(best, steps.shape[1])
    return np.column_stack([prefixes[rows], tokens]), totals[best]


@right()
def eb_candidates(prefixes, sums, log_probs, n_beams, end):
    """A list of all candidates, sorted."""
    candidates = []
    for prefix, total, row in zip(prefixes.tolist(), sums, log_probs, strict=True):
        if prefix[-1] == end:
            candidates.append((total, [*prefix, end]))
        else:
            candidates += [(total + p, [*prefix, t]) for t, p in enumerate(row)]
    candidates.sort(reverse=True)
    kept = candidates[:n_beams]
    return np.array([tokens for _, tokens in kept]), np.array([s for s, _ in kept])


@right()
def eb_unraveled(prefixes, sums, log_probs, n_beams, end):
    table = sums[:, None] + log_probs
    ended = prefixes[:, -1] == end
    table[ended] = -np.inf
    table[ended, end] = sums[ended]
    order = np.argsort(table, axis=None)[::-1][:n_beams]
    rows, tokens = np.unravel_index(order, table.shape)
    return np.column_stack([prefixes[rows], tokens]), table[rows, tokens]


@right()
def eb_partitioned(prefixes, sums, log_probs, n_beams, end):
    steps = log_probs.copy()
    for i, prefix in enumerate(prefixes):
        if prefix[-1] == end:
            steps[i] = [0.0 if t == end else -1e9 for t in range(steps.shape[1])]
    flat = (sums + steps.T).T.ravel()
    best = np.argpartition(flat, -n_beams)[-n_beams:]
    best = best[flat[best].argsort()][::-1]
    rows, tokens = np.divmod(best, steps.shape[1])
    return np.hstack([prefixes[rows], tokens.reshape(-1, 1)]), flat[best]


@right()
def eb_one_after_the_other(prefixes, sums, log_probs, n_beams, end):
    """Find the largest, take it out, find the next."""
    left = np.add(sums.reshape(-1, 1), log_probs)
    for i in np.flatnonzero(prefixes[:, -1] == end):
        left[i] = np.where(np.arange(left.shape[1]) == end, sums[i], -np.inf)
    rows, totals = [], []
    for _ in range(n_beams):
        i, token = np.unravel_index(left.argmax(), left.shape)
        rows.append(np.append(prefixes[i], token))
        totals.append(left[i, token])
        left[i, token] = -np.inf
    return np.array(rows), np.array(totals)


# what has ended is extended
@wrong("end-extended")
def eb_goes_on(prefixes, sums, log_probs, n_beams, end):
    table = sums[:, None] + log_probs
    best = table.argsort(axis=None)[::-1][:n_beams]
    rows, tokens = np.unravel_index(best, table.shape)
    return np.column_stack([prefixes[rows], tokens]), table[rows, tokens]


# what has ended pays for its filling
@wrong("end-has-a-price")
def eb_filling_costs(prefixes, sums, log_probs, n_beams, end):
    table = sums[:, None] + log_probs
    ended = prefixes[:, -1] == end
    others = np.arange(table.shape[1]) != end
    table[np.ix_(ended, others)] = -np.inf
    best = table.argsort(axis=None)[::-1][:n_beams]
    rows, tokens = np.unravel_index(best, table.shape)
    return np.column_stack([prefixes[rows], tokens]), table[rows, tokens]


# the best of each prefix, sorted
@wrong(said="All that you keep come from different prefixes")
def eb_best_of_each(prefixes, sums, log_probs, n_beams, end):
    table = sums[:, None] + log_probs
    ended = prefixes[:, -1] == end
    table[ended] = -np.inf
    table[ended, end] = sums[ended]
    tokens = table.argmax(axis=1)
    order = np.argsort(-table.max(axis=1))[:n_beams]
    return np.column_stack([prefixes, tokens])[order], table.max(axis=1)[order]


# only the last log-probabilities are compared and returned
@wrong("not-summed")
def eb_last_only(prefixes, sums, log_probs, n_beams, end):
    table = log_probs.copy()
    ended = prefixes[:, -1] == end
    table[ended] = -np.inf
    table[ended, end] = 0.0
    best = np.argsort(-table, axis=None, kind="stable")[:n_beams]
    rows, tokens = np.unravel_index(best, table.shape)
    return np.column_stack([prefixes[rows], tokens]), table[rows, tokens]


# the probabilities are multiplied, and their product is returned
@wrong("products")
def eb_products(prefixes, sums, log_probs, n_beams, end):
    table = np.exp(sums)[:, None] * np.exp(log_probs)
    ended = prefixes[:, -1] == end
    table[ended] = 0.0
    table[ended, end] = np.exp(sums[ended])
    best = table.argsort(axis=None)[::-1][:n_beams]
    rows, tokens = np.unravel_index(best, table.shape)
    return np.column_stack([prefixes[rows], tokens]), table[rows, tokens]


# the means are returned
@wrong("mean")
def eb_means(prefixes, sums, log_probs, n_beams, end):
    longer, totals = eb_unraveled(prefixes, sums, log_probs, n_beams, end)
    return longer, totals / longer.shape[1]


# the best stands last
@wrong("best-last")
def eb_ascending(prefixes, sums, log_probs, n_beams, end):
    longer, totals = eb_unraveled(prefixes, sums, log_probs, n_beams, end)
    return longer[::-1], totals[::-1]


# the prefixes are not reordered with their tokens
@wrong("wrong-parents")
def eb_prefixes_stay(prefixes, sums, log_probs, n_beams, end):
    longer, totals = eb_unraveled(prefixes, sums, log_probs, n_beams, end)
    return np.column_stack([prefixes[:n_beams], longer[:, -1]]), totals


# the number of prefixes stands for that of the tokens
@wrong("divided-by-prefixes")
def eb_wrong_divisor(prefixes, sums, log_probs, n_beams, end):
    table = sums[:, None] + log_probs
    ended = prefixes[:, -1] == end
    table[ended] = -np.inf
    table[ended, end] = sums[ended]
    best = np.argsort(-table.ravel())[:n_beams]
    rows, tokens = best // len(prefixes), best % len(prefixes)
    return np.column_stack([prefixes[rows], tokens]), table.ravel()[best]


# what has ended is left out
@wrong("ended-lost")
def eb_without_the_ended(prefixes, sums, log_probs, n_beams, end):
    table = sums[:, None] + log_probs
    table[prefixes[:, -1] == end] = -np.inf
    best = np.argsort(-table.ravel())[:n_beams]
    rows, tokens = np.divmod(best, table.shape[1])
    return np.column_stack([prefixes[rows], tokens]), table.ravel()[best]


# the sums are added along the wrong axis
@wrong()
def eb_broadcast(prefixes, sums, log_probs, n_beams, end):
    table = sums + log_probs
    best = np.argsort(-table.ravel())[:n_beams]
    rows, tokens = np.divmod(best, table.shape[1])
    return np.column_stack([prefixes[rows], tokens]), table.ravel()[best]


# every prefix keeps its n_beams best
@wrong()
def eb_all_families(prefixes, sums, log_probs, n_beams, end):
    table = sums[:, None] + log_probs
    tokens = np.argsort(-table, axis=1)[:, :n_beams]
    rows = np.repeat(np.arange(len(prefixes)), tokens.shape[1])
    return (
        np.column_stack([prefixes[rows], tokens.ravel()]),
        np.take_along_axis(table, tokens, axis=1).ravel(),
    )


# chosen by the next token alone, and the sums are added afterward
@wrong("chosen-by-token")
def eb_top_tokens(prefixes, sums, log_probs, n_beams, end):
    only_end = np.where(np.arange(log_probs.shape[1]) == end, 0, -np.inf)
    steps = np.where(prefixes[:, -1:] == end, only_end, log_probs)
    best = np.argsort(-steps.ravel())[:n_beams]
    rows, tokens = np.divmod(best, steps.shape[1])
    return np.column_stack([prefixes[rows], tokens]), sums[rows] + steps[
        rows, tokens
    ]


# old sums returned
@wrong("sums-of-prefixes", author="blind")
def eb_blind_old_sums(prefixes, sums, log_probs, n_beams, end):
    steps = log_probs.copy()
    ended = prefixes[:, -1] == end
    steps[ended] = -np.inf
    steps[ended, end] = 0
    total = (sums[:, None] + steps).ravel()
    best = np.argsort(-total)[:n_beams]
    rows, tokens = divmod(best, log_probs.shape[1])
    return np.column_stack([prefixes[rows], tokens]), sums[rows]


# prefixes not extended
@wrong("not-extended", author="blind")
def eb_blind_not_extended(prefixes, sums, log_probs, n_beams, end):
    longer, totals = eb_unraveled(prefixes, sums, log_probs, n_beams, end)
    return longer[:, :-1], totals


# returns sums first
@wrong("results-exchanged", author="blind")
def eb_blind_sums_first(prefixes, sums, log_probs, n_beams, end):
    longer, totals = eb_unraveled(prefixes, sums, log_probs, n_beams, end)
    return totals, longer


# token 0 in place of the end behind what has ended
@wrong("zero-for-the-end", author="blind")
def eb_blind_pads_zero(prefixes, sums, log_probs, n_beams, end):
    n_vocab = log_probs.shape[1]
    ended = prefixes[:, -1] == end
    scores = np.where(ended[:, None], -np.inf, sums[:, None] + log_probs)
    scores[ended, 0] = sums[ended]
    top = np.argsort(scores.flatten())[::-1][:n_beams]
    p, t = divmod(top, n_vocab)
    return np.hstack([prefixes[p], t.reshape(-1, 1)]), scores.flatten()[top]


# the sum of what has ended is added twice
@wrong("ended-summed-twice", author="blind")
def eb_blind_sum_twice(prefixes, sums, log_probs, n_beams, end):
    lp = np.array(log_probs)
    ended = np.flatnonzero(prefixes[:, -1] == end)
    lp[ended, :] = -np.inf
    lp[ended, end] = sums[ended]
    all_sums = (lp + sums[:, np.newaxis]).reshape(-1)
    keep = np.argsort(all_sums)[: -n_beams - 1 : -1]
    which, what = np.divmod(keep, lp.shape[-1])
    new = np.empty((n_beams, prefixes.shape[1] + 1), dtype=prefixes.dtype)
    new[:, :-1] = prefixes[which]
    new[:, -1] = what
    return new, all_sums[keep]


# a prefix counts as ended if end stands anywhere in it (e.g. as the start token), not only last
@wrong("ended-anywhere", author="blind")
def q35_anywhere(prefixes, sums, log_probs, n_beams, end):
    V = log_probs.shape[1]
    finished = (prefixes == end).any(axis=1)
    step = log_probs.copy()
    step[finished] = -np.inf
    step[finished, end] = 0
    flat = (sums.reshape(-1, 1) + step).ravel()
    best = np.argsort(-flat)[:n_beams]
    rows, toks = np.divmod(best, V)
    return np.concatenate([prefixes[rows], toks[:, None]], axis=1), flat[best]


# the right beams, but in the order of the prefixes, not the best first
@wrong("best-first", author="blind")
def q34_order(prefixes, sums, log_probs, n_beams, end):
    total = sums[:, None] + log_probs
    over = prefixes[:, -1] == end
    total[over] = -np.inf
    total[over, end] = sums[over]
    threshold = np.sort(total, axis=None)[-n_beams]
    which, token = np.nonzero(total >= threshold)
    return np.column_stack([prefixes[which], token]), total[which, token]


# ranked by the new token alone; the sum is added to what is kept, and sorts it
@wrong("chosen-by-token-sorted", author="blind")
def eb_blind_ranked_by_last(prefixes, sums, log_probs, n_beams, end):
    lp = np.array(log_probs)
    ended = prefixes[:, -1] == end
    lp[ended, :] = -np.inf
    lp[ended, end] = 0
    V = lp.shape[1]
    order = np.argsort(-lp.ravel())[:n_beams]
    who, what = order // V, order % V
    new_sums = sums[who] + lp[who, what]
    by = np.argsort(-new_sums)
    return np.c_[prefixes[who], what][by], new_sums[by]


# what has ended is thrown away altogether
@wrong("ended-thrown-away", author="blind")
def m03_ended_dropped(prefixes, sums, log_probs, n_beams, end):
    alive = prefixes[:, -1] != end
    p, s, steps = prefixes[alive], sums[alive], log_probs[alive]
    scores = (s[:, None] + steps).reshape(-1)
    idx = scores.argsort()[::-1][:n_beams]
    parents, tokens = divmod(idx, log_probs.shape[1])
    return np.concatenate([p[parents], tokens[:, None]], axis=1), scores[idx]


# the old sums are not added (only the new token's log-probability counts) AND behind an ended
# prefix the token 0 is written instead of end
@wrong("last-alone", said="Besides, of the prefix [2]", author="blind")
def d24_nosum_pad0(prefixes, sums, log_probs, n_beams, end):
    gains = np.array(log_probs, dtype=float)
    over = prefixes[:, -1] == end
    gains[over] = -np.inf
    gains[over, 0] = 0.0
    flat = gains.flatten()
    order = flat.argsort(kind="stable")[::-1][:n_beams]
    who, what = np.unravel_index(order, gains.shape)
    return np.hstack((prefixes[who], what.reshape(-1, 1))), flat[order]


# ended prefixes are left out AND the sums returned are those of the last tokens only (the ranking
# is right)
@wrong("last-alone", said="what has ended is lost", author="blind")
def i24_dropped(prefixes, sums, log_probs, n_beams, end):
    candidates = []
    for p, s, lp in zip(prefixes, sums, log_probs):
        if p[-1] == end:
            continue
        for tok, l in enumerate(lp):
            candidates.append((s + l, list(p) + [tok], l))
    candidates.sort(key=lambda c: c[0], reverse=True)
    candidates = candidates[:n_beams]
    return np.array([c[1] for c in candidates]), np.array(
        [c[2] for c in candidates]
    )


# the first token says whether a prefix has ended AND the sums are divided
@wrong("first-token-decides", "mean", author="blind")
def d64_eb(prefixes, sums, log_probs, n_beams, end):
    n_vocab = log_probs.shape[1]
    lp = log_probs.copy()
    for b in range(len(prefixes)):
        if prefixes[b, 0] == end:
            lp[b] = -np.inf
            lp[b, end] = 0
    score = (sums[:, None] + lp) / (prefixes.shape[1] + 1)
    idx = np.argsort(-score, axis=None)[:n_beams]
    r, t = idx // n_vocab, idx % n_vocab
    return np.hstack([prefixes[r], t[:, None]]), score[r, t]


# the best are found by argpartition, which does not sort them; NumPy often returns them sorted
@wrong("best-first", author="blind")
def b01_partition(prefixes, sums, log_probs, n_beams, end):
    scores = np.array(log_probs)
    for row, prefix in enumerate(prefixes):
        if prefix[-1] == end:
            scores[row] = -np.inf
            scores[row, end] = 0
    flat = (scores + sums[:, None]).ravel()
    best = np.argpartition(-flat, n_beams - 1)[:n_beams]
    rows, tokens = np.divmod(best, log_probs.shape[1])
    return np.column_stack([prefixes[rows], tokens]), flat[best]
