"""Answers to `cross_entropy`."""

import numpy as np

from course_attn.in_numpy import log_softmax
from tests.exercises.answers import right, wrong


@right()
def ce_loops(logits, targets):
    losses = []
    for where in np.ndindex(targets.shape):
        if targets[where] == -100:
            continue
        row = logits[where]
        top = row.max()
        losses.append(top + np.log(np.exp(row - top).sum()) - row[targets[where]])
    return np.mean(losses)


@right()
def ce_flat(logits, targets):
    rows = logits.reshape(-1, logits.shape[-1])
    flat = targets.reshape(-1)
    rows, flat = rows[flat != -100], flat[flat != -100]
    log_sums = np.logaddexp.reduce(rows, axis=-1)
    return (log_sums - rows[np.arange(len(flat)), flat]).mean()


@right()
def ce_course_log_softmax(logits, targets):
    from course_attn.in_numpy import log_softmax

    keep = targets >= 0
    chosen = log_softmax(logits)[keep]
    return -chosen[np.arange(keep.sum()), targets[keep]].sum() / keep.sum()


@right()
def ce_one_hot(logits, targets):
    one_hot = targets[..., None] == np.arange(logits.shape[-1])
    centered = logits - logits.max(-1)[..., None]
    log_p = centered - np.log(np.exp(centered).sum(-1))[..., None]
    return float(-(one_hot * log_p).sum() / one_hot.sum())


@right()
def ce_scipy(logits, targets):
    from scipy.special import logsumexp

    valid = targets != -100
    safe = targets * valid
    picked = np.take_along_axis(logits, np.expand_dims(safe, -1), -1).squeeze(-1)
    losses = logsumexp(logits, axis=-1) - picked
    return np.average(losses, weights=valid)


@right()
def ce_masked_array(logits, targets):
    z = logits - np.max(logits, axis=-1, keepdims=True)
    log_p = z - np.log(np.sum(np.exp(z), axis=-1, keepdims=True))
    hidden = np.ma.masked_equal(targets, -100)
    index = np.indices(targets.shape)
    of_targets = log_p[(*index, hidden.filled(0))]
    return -np.ma.array(of_targets, mask=np.ma.getmaskarray(hidden)).mean()


# an epsilon in the logarithm of a stable softmax
@wrong()
def ce_epsilon(logits, targets):
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    keep = targets != -100
    p = np.take_along_axis(p, np.where(keep, targets, 0)[..., None], -1)[..., 0]
    return -np.log(p[keep] + 1e-12).mean()


# works for one text only, and -100 is an index
@wrong()
def ce_no_ignore(logits, targets):
    z = logits - logits.max(axis=-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    return -log_p[np.arange(len(targets)), targets].mean()


# flattened, but -100 clipped to 0 and counted
@wrong("padding-counted")
def ce_clipped_targets(logits, targets):
    z = (logits - logits.max(axis=-1, keepdims=True)).reshape(-1, logits.shape[-1])
    log_p = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    return -log_p[np.arange(len(z)), targets.ravel().clip(0)].mean()


# divides by the number of logits
@wrong()
def ce_over_vocabulary(logits, targets):
    one_hot = targets[..., None] == np.arange(logits.shape[-1])
    z = logits - logits.max(axis=-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    return -(one_hot * log_p).mean()


# adds up over each text and averages over the texts
@wrong("sum-per-text")
def ce_sum_per_text(logits, targets):
    z = logits - logits.max(axis=-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    keep = targets != -100
    picked = np.take_along_axis(log_p, np.where(keep, targets, 0)[..., None], -1)[
        ..., 0
    ]
    return -(picked * keep).sum(axis=-1).mean()


# shifts by hand, as in code where the labels are the inputs
@wrong("shifted-again")
def ce_labels_are_inputs(logits, targets):
    rows, flat = (
        logits[..., :-1, :].reshape(-1, logits.shape[-1]),
        targets[..., 1:].ravel(),
    )
    rows, flat = rows[flat != -100], flat[flat != -100]
    z = rows - rows.max(axis=-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    return -log_p[np.arange(len(flat)), flat].mean()


# entropy of the prediction
@wrong("entropy", author="blind")
def blind_ce_entropy(logits, targets):
    z = logits - logits.max(-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(-1, keepdims=True))
    return -(np.exp(log_p) * log_p).sum(-1)[targets != -100].mean()


# forgets the max when subtracting from the raw logit
@wrong(author="blind")
def blind_ce_shift_lost(logits, targets):
    top = logits.max(-1, keepdims=True)
    log_z = np.log(np.exp(logits - top).sum(-1))
    keep = targets != -100
    picked = np.take_along_axis(logits, np.where(keep, targets, 0)[..., None], -1)[
        ..., 0
    ]
    return (log_z - picked)[keep].mean()


# margin: best logit minus target's
@wrong(author="blind")
def blind_ce_margin(logits, targets):
    keep = targets != -100
    picked = np.take_along_axis(logits, np.where(keep, targets, 0)[..., None], -1)[
        ..., 0
    ]
    return (logits.max(-1) - picked)[keep].mean()


# the maximum is subtracted in place of the logarithm of the sum
@wrong("no-log-of-sums", author="blind")
def r11_max_instead_of_lse(logits, targets):
    flat = logits.reshape(-1, logits.shape[-1])
    t = targets.ravel()
    flat = flat[t != -100]
    t = t[t != -100]
    shifted = flat - flat.max(axis=-1, keepdims=True)
    return -np.mean(shifted[np.arange(len(t)), t])


# the minus is missing, and it is the sum, not the mean
@wrong("sum", "no-minus", author="blind")
def r12_sign_and_sum(logits, targets):
    V = logits.shape[-1]
    lp = log_softmax(logits).reshape(-1, V)
    total = 0.0
    for row, token in zip(lp, targets.reshape(-1)):
        if token == -100:
            continue
        total += row[token]
    return total


# targets are shifted once more AND the result is exp of the loss (the perplexity)
@wrong("perplexity", "shifted-again", author="blind")
def d31_shift_ppl(logits, targets):
    logits = logits[..., :-1, :].reshape(-1, logits.shape[-1])
    targets = targets[..., 1:].reshape(-1)
    keep = targets != -100
    lp = log_softmax(logits[keep])
    nll = -lp[np.arange(keep.sum()), targets[keep]]
    return np.exp(nll.mean())


# log(p + 1e-9) of an ordinary softmax: a very small p is cut off AND the sum is divided by all
# places, those of -100 counted
@wrong(
    "in-the-logarithm",
    said="Besides, you divide by the number of *all* places",
    author="blind",
)
def d32_eps_allplaces(logits, targets):
    flat = logits.reshape(-1, logits.shape[-1])
    t = targets.ravel()
    loss = 0.0
    for row, goal in zip(flat, t):
        if goal == -100:
            continue
        e = np.exp(row - row.max())
        p = e / e.sum()
        loss -= np.log(p[goal] + 1e-9)
    return loss / len(t)


# in bits (log2) instead of nats AND 1e-9 is added to the probability, so that large
# losses are cut off
@wrong("in-the-logarithm", said="also measure in bits", author="blind")
def u32_ce(logits, targets):
    flat = logits.reshape(-1, logits.shape[-1])
    t = targets.reshape(-1)
    flat, t = flat[t != -100], t[t != -100]
    e = np.exp(flat - flat.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    return -np.mean(np.log2(p[np.arange(len(t)), t] + 1e-9))


# targets are shifted once more AND the sum is divided by all places, ignored ones
# included
@wrong(
    "padding-in-the-mean",
    "shifted-again",
    said="It also fails for a single place",
    author="blind",
)
def u33_ce(logits, targets):
    lp = log_softmax(logits)[..., :-1, :]
    tg = targets[..., 1:]
    loss = 0.0
    for idx in np.ndindex(tg.shape):
        if tg[idx] == -100:
            continue
        loss -= lp[idx][tg[idx]]
    return loss / tg.size


# the targets are shifted again, and exp overflows
@wrong("no-shift", "shifted-again", author="blind")
def b15_lm_shifted_unstable(logits, targets):
    logits = logits[..., :-1, :]
    targets = targets[..., 1:]
    e = np.exp(logits)
    p = e / e.sum(axis=-1, keepdims=True)
    mask = targets != -100
    idx = np.where(mask, targets, 0)
    chosen = np.take_along_axis(p, idx[..., None], axis=-1)[..., 0]
    return -np.log(chosen[mask]).mean()
