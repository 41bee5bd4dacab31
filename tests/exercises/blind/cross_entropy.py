import numpy as np


def cross_entropy__1(logits, targets):
    # mistake: sum instead of the mean
    from course_attn.in_numpy import log_softmax

    lp = log_softmax(logits).reshape(-1, logits.shape[-1])
    t = targets.reshape(-1)
    keep = t != -100
    return -lp[keep, t[keep]].sum()


def cross_entropy__2(logits, targets):
    # mistake: places without a target count in the number divided by
    from course_attn.in_numpy import log_softmax

    lp = log_softmax(logits)
    total = 0.0
    for idx in np.ndindex(targets.shape):
        if targets[idx] != -100:
            total -= lp[idx + (targets[idx],)]
    return total / targets.size


def cross_entropy__3(logits, targets):
    # mistake: log of the softmax, infinite where the probability underflows
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    p = (e / e.sum(axis=-1, keepdims=True)).reshape(-1, logits.shape[-1])
    t = targets.ravel()
    ok = np.where(t >= 0)[0]
    return np.mean(-np.log(p[ok, t[ok]]))


def cross_entropy__4(logits, targets):
    # mistake: in bits, not in nats
    from course_attn.in_numpy import log_softmax

    lp = log_softmax(logits) / np.log(2)
    mask = targets != -100
    return -(lp[mask][np.arange(mask.sum()), targets[mask]]).mean()


def cross_entropy__8(logits, targets):
    # mistakes: softmax over the places instead of the vocabulary; -100 counts as token 0
    from course_attn.in_numpy import log_softmax

    lp = np.swapaxes(log_softmax(np.swapaxes(logits, -1, -2)), -1, -2)
    t = np.where(targets == -100, 0, targets)
    return -np.take_along_axis(lp, t[..., None], axis=-1).mean()
