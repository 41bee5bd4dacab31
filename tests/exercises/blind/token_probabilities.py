import numpy as np


def token_probabilities__1(logits, temperature, top_k, top_p):
    # mistake: multiplied by the temperature
    s = logits * temperature
    p = np.exp(s - s.max())
    p /= p.sum()
    order = np.argsort(-p)[:top_k]
    q = p[order] / p[order].sum()
    before = np.cumsum(q) - q
    keep = order[before < top_p]
    out = np.zeros(len(p))
    out[keep] = p[keep] / p[keep].sum()
    return out


def token_probabilities__2(logits, temperature, top_k, top_p):
    # mistake: top_p compared with probabilities not normalized again after top_k
    z = logits / temperature
    p = np.exp(z - z.max())
    p /= p.sum()
    order = np.argsort(p)[::-1][:top_k]
    total, out = 0.0, np.zeros(p.shape)
    for t in order:
        out[t] = p[t]
        total += p[t]
        if total >= top_p:
            break
    return out / out.sum()


def token_probabilities__12(logits, temperature, top_k, top_p):
    # mistake: top_p read as a threshold for each single probability
    z = logits / temperature
    p = np.exp(z - z.max())
    p /= p.sum()
    cut = np.sort(p)[-top_k]
    p = np.where(p >= cut, p, 0)
    p = p / p.sum()
    p = np.where(p >= 1 - top_p, p, 0)
    return p / p.sum()


def token_probabilities__15(logits, temperature, top_k, top_p):
    # mistakes: token that reaches top_p dropped; not divided at the end
    z = logits / temperature
    p = np.exp(z - z.max())
    p /= p.sum()
    order = np.argsort(-p)[:top_k]
    q = p[order] / p[order].sum()
    keep = np.cumsum(q) < top_p
    keep[0] = True
    out = np.zeros_like(p)
    out[order[keep]] = q[keep]
    return out


def token_probabilities__16(logits, temperature, top_k, top_p):
    # mistakes: temperature multiplied; top_k one too many
    z = logits * temperature
    p = np.exp(z - z.max())
    p /= p.sum()
    order = np.argsort(-p)[: top_k + 1]
    q = p[order] / p[order].sum()
    keep = order[np.cumsum(q) - q < top_p]
    out = np.zeros_like(p)
    out[keep] = p[keep] / p[keep].sum()
    return out
