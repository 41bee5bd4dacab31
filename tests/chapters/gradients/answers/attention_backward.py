"""Answers to `attention_backward`."""

import numpy as np

from course_attn.in_numpy import softmax, softmax_backward
from tests.exercises.answers import right, wrong


@right()
def ab_steps(Q, K, V, d_out, mask):
    from course_attn.in_numpy import softmax, softmax_backward

    scale = 1 / np.sqrt(Q.shape[-1])
    S = np.where(mask, np.einsum("...id,...jd->...ij", Q, K) * scale, -1e9)
    A = softmax(S)
    dV = np.einsum("...ij,...ic->...jc", A, d_out)
    dA = np.einsum("...ic,...jc->...ij", d_out, V)
    dS = softmax_backward(A, dA) * scale
    return (
        np.einsum("...ij,...jd->...id", dS, K),
        np.einsum("...ij,...id->...jd", dS, Q),
        dV,
    )


@right()
def ab_weights(Q, K, V, d_out, mask):
    from course_attn.in_numpy import attention_weights

    A = attention_weights(Q, K, mask=mask)
    Y = A @ V
    dS = A * (d_out @ np.swapaxes(V, -1, -2) - (d_out * Y).sum(-1, keepdims=True))
    dS = dS / np.sqrt(Q.shape[-1])
    return [dS @ K, np.swapaxes(dS, -1, -2) @ Q, np.swapaxes(A, -1, -2) @ d_out]


@right()
def ab_sequence_by_sequence(Q, K, V, d_out, mask):
    if Q.ndim > 2:
        parts = zip(Q, K, V, d_out, strict=True)
        found = [ab_sequence_by_sequence(*part, mask) for part in parts]
        return tuple(np.stack(each) for each in zip(*found, strict=True))
    root = Q.shape[1] ** 0.5
    dQ, dK, dV = np.zeros_like(Q), np.zeros_like(K), np.zeros_like(V)
    for i in range(len(Q)):
        see = np.flatnonzero(mask[i])
        s = K[see] @ Q[i] / root
        a = np.exp(s - s.max())
        a = a / a.sum()
        y = a @ V[see]
        ds = a * ((V[see] - y) @ d_out[i]) / root
        dQ[i] = ds @ K[see]
        dK[see] += np.outer(ds, Q[i])
        dV[see] += np.outer(a, d_out[i])
    return dQ, dK, dV


@right()
def ab_covariance(Q, K, V, d_out, mask):
    """The queries by the covariance of keys and help."""
    d = Q.shape[-1]
    scores = Q @ K.swapaxes(-1, -2) * d**-0.5 + np.where(mask, 0, -1e30)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    a = e / e.sum(-1, keepdims=True)
    help_ = d_out @ V.swapaxes(-1, -2)
    mean_help = (a * help_).sum(-1, keepdims=True)
    mean_key = a @ K
    both = (a * help_) @ K
    dQ = (both - mean_help * mean_key) / d**0.5
    dK = (a * (help_ - mean_help)).swapaxes(-1, -2) @ Q / d**0.5
    return dQ, dK, a.swapaxes(-1, -2) @ d_out


@right()
def ab_masked_array(Q, K, V, d_out, mask):
    S = (Q / Q.shape[-1] ** 0.25) @ (K / Q.shape[-1] ** 0.25).swapaxes(-1, -2)
    S[..., ~mask] = -np.inf
    A = np.exp(S - np.logaddexp.reduce(S, axis=-1)[..., None])
    dA = (d_out @ V.swapaxes(-1, -2)) * mask
    dS = A * dA - A * (A * dA).sum(axis=-1, keepdims=True)
    dS /= np.sqrt(Q.shape[-1])
    return dS @ K, dS.swapaxes(-1, -2) @ Q, A.swapaxes(-1, -2) @ d_out


def _weights(Q, K, mask):
    S = np.where(mask, Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]), -np.inf)
    A = np.exp(S - S.max(-1, keepdims=True))
    return A / A.sum(-1, keepdims=True)


# dK from K
@wrong()
def ab_dk_with_k(Q, K, V, d_out, mask):
    A = _weights(Q, K, mask)
    dA = d_out @ V.swapaxes(-1, -2)
    dS = A * (dA - (A * dA).sum(-1, keepdims=True)) / np.sqrt(Q.shape[-1])
    dQ = dS @ K
    return dQ, dS.swapaxes(-1, -2) @ dQ, A.swapaxes(-1, -2) @ d_out


# minus infinity in the gradient of the weights
@wrong("infinite-dA")
def ab_infinite_gradient(Q, K, V, d_out, mask):
    A = _weights(Q, K, mask)
    dA = np.where(mask, d_out @ V.swapaxes(-1, -2), -np.inf)
    dS = A * (dA - (A * dA).sum(-1, keepdims=True)) / np.sqrt(Q.shape[-1])
    return dS @ K, dS.swapaxes(-1, -2) @ Q, A.swapaxes(-1, -2) @ d_out


# minus infinity in the gradient of the scores
@wrong("infinite-dS")
def ab_infinite_scores(Q, K, V, d_out, mask):
    A = _weights(Q, K, mask)
    dA = d_out @ V.swapaxes(-1, -2)
    dS = A * (dA - (A * dA).sum(-1, keepdims=True))
    dS = np.where(mask, dS, -np.inf) / np.sqrt(Q.shape[-1])
    return dS @ K, dS.swapaxes(-1, -2) @ Q, A.swapaxes(-1, -2) @ d_out


# a huge negative number in the gradient of the scores
@wrong("which", said="is this step needed?")
def ab_huge_scores(Q, K, V, d_out, mask):
    A = _weights(Q, K, mask)
    dA = d_out @ V.swapaxes(-1, -2)
    dS = A * (dA - (A * dA).sum(-1, keepdims=True)) / np.sqrt(Q.shape[-1])
    dS = np.where(mask, dS, -1e9)
    return dS @ K, dS.swapaxes(-1, -2) @ Q, A.swapaxes(-1, -2) @ d_out


# the step, which goes against the gradients
@wrong("step-not-gradient")
def ab_step(Q, K, V, d_out, mask):
    A = _weights(Q, K, mask)
    dA = d_out @ V.swapaxes(-1, -2)
    dS = A * (dA - (A * dA).sum(-1, keepdims=True)) / np.sqrt(Q.shape[-1])
    return -dS @ K, -dS.swapaxes(-1, -2) @ Q, -A.swapaxes(-1, -2) @ d_out


# the values first
@wrong("other-order")
def ab_values_first(Q, K, V, d_out, mask):
    A = _weights(Q, K, mask)
    dA = d_out @ V.swapaxes(-1, -2)
    dS = A * (dA - (A * dA).sum(-1, keepdims=True)) / np.sqrt(Q.shape[-1])
    return A.swapaxes(-1, -2) @ d_out, dS @ K, dS.swapaxes(-1, -2) @ Q


# names of dQ and dK exchanged
@wrong("other-order")
def ab_names_exchanged(Q, K, V, d_out, mask):
    A = _weights(Q, K, mask)
    dA = d_out @ V.swapaxes(-1, -2)
    dS = A * (dA - (A * dA).sum(-1, keepdims=True)) / np.sqrt(Q.shape[-1])
    dQ = dS.swapaxes(-1, -2) @ Q
    dK = dS @ K
    return dQ, dK, A.swapaxes(-1, -2) @ d_out


# dQ from queries, dK from keys
@wrong("Q-and-K-exchanged", said="dQ is made of keys")
def ab_each_from_itself(Q, K, V, d_out, mask):
    A = _weights(Q, K, mask)
    dA = d_out @ V.swapaxes(-1, -2)
    dS = A * (dA - (A * dA).sum(-1, keepdims=True)) / np.sqrt(Q.shape[-1])
    return dS @ Q, dS.swapaxes(-1, -2) @ K, A.swapaxes(-1, -2) @ d_out


# two at once
@wrong("no-root-back", "mask-ignored")
def ab_no_mask_no_root(Q, K, V, d_out, mask):
    A = _weights(Q, K, True)
    dA = d_out @ V.swapaxes(-1, -2)
    dS = A * (dA - (A * dA).sum(-1, keepdims=True))
    return dS @ K, dS.swapaxes(-1, -2) @ Q, A.swapaxes(-1, -2) @ d_out


def _attend(Q, K, mask):
    S = np.where(mask, Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]), -np.inf)
    A = np.exp(S - S.max(axis=-1, keepdims=True))
    return A / A.sum(axis=-1, keepdims=True)


# multiplies by the root on the way back
@wrong(author="blind")
def blind_times_root(Q, K, V, d_out, mask):
    A = _attend(Q, K, mask)
    dA = d_out @ V.swapaxes(-1, -2)
    dS = A * (dA - (A * dA).sum(-1, keepdims=True)) * np.sqrt(Q.shape[-1])
    return dS @ K, dS.swapaxes(-1, -2) @ Q, A.swapaxes(-1, -2) @ d_out


# the gradient of the scores is that of the weights
@wrong("softmax-left-out", author="blind")
def blind_no_softmax(Q, K, V, d_out, mask):
    A = _attend(Q, K, mask)
    dS = d_out @ V.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    return dS @ K, dS.swapaxes(-1, -2) @ Q, A.swapaxes(-1, -2) @ d_out


# dK is dQ transposed, as it were
@wrong(author="blind")
def blind_dk_of_queries_mean(Q, K, V, d_out, mask):
    A = _attend(Q, K, mask)
    dA = d_out @ V.swapaxes(-1, -2)
    dS = A * (dA - (A * dA).sum(-1, keepdims=True)) / np.sqrt(Q.shape[-1])
    return dS @ K, A.swapaxes(-1, -2) @ Q, A.swapaxes(-1, -2) @ d_out


# scaled by d_v in place of d_k
@wrong("root-of-d_v", author="blind")
def blind_scale_d_v(Q, K, V, d_out, mask):
    d = V.shape[-1]
    scores = np.einsum("...qd,...kd->...qk", Q, K) / np.sqrt(d)
    scores[..., ~mask] = -np.inf
    exps = np.exp(scores - scores.max(-1, keepdims=True))
    a = exps / exps.sum(-1, keepdims=True)
    da = np.einsum("...qd,...kd->...qk", d_out, V)
    ds = a * (da - (a * da).sum(-1, keepdims=True)) / np.sqrt(d)
    dq = np.einsum("...qk,...kd->...qd", ds, K)
    dk = np.einsum("...qk,...qd->...kd", ds, Q)
    dv = np.einsum("...qk,...qd->...kd", a, d_out)
    return dq, dk, dv


# the weights are computed without the mask; only the gradient of the scores is masked
@wrong("mask-late", author="blind")
def x21_mask_late(Q, K, V, d_out, mask):
    def T(M):
        return np.swapaxes(M, -1, -2)

    d_k = Q.shape[-1]
    weights = softmax(Q @ T(K) / np.sqrt(d_k))
    d_weights = d_out @ T(V)
    d_scores = softmax_backward(weights, d_weights)
    d_scores = np.where(mask, d_scores, 0) / np.sqrt(d_k)
    return d_scores @ K, T(d_scores) @ Q, T(weights) @ d_out


# the mask is multiplied on after the softmax: rows of weights do not sum to 1
@wrong("mask-after-softmax", author="blind")
def q05_mask_late(Q, K, V, d_out, mask):
    root = np.sqrt(K.shape[-1])
    scores = np.einsum("...id,...jd->...ij", Q, K) / root
    e = np.exp(scores - scores.max(-1, keepdims=True))
    weights = e / e.sum(-1, keepdims=True)
    weights = weights * mask
    d_weights = np.einsum("...ic,...jc->...ij", d_out, V)
    d_scores = (
        weights * (d_weights - (weights * d_weights).sum(-1, keepdims=True)) / root
    )
    return (
        np.einsum("...ij,...jd->...id", d_scores, K),
        np.einsum("...ij,...id->...jd", d_scores, Q),
        np.einsum("...ij,...ic->...jc", weights, d_out),
    )


# softmax backwards with the sigmoid's derivative: the diagonal of the Jacobian only
@wrong("sigmoid-like", author="blind")
def t24_sigmoid(Q, K, V, d_out, mask):
    def T(M):
        return np.swapaxes(M, -2, -1)

    root = np.sqrt(K.shape[-1])
    w = softmax(np.where(mask, Q @ T(K) / root, -np.inf))
    dw = d_out @ T(V)
    ds = w * (1 - w) * dw
    return ds @ K / root, T(ds) @ Q / root, T(w) @ d_out


# Masked scores are set to 0 (multiplied by the mask), not -inf AND dK lacks the 1/sqrt(d_k).
@wrong("no-root-back-to-K", "fill-zero", author="blind")
def blind_zero_mask_and_dk_scale(Q, K, V, d_out, mask):
    d_k = Q.shape[-1]
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k)
    weights = softmax(scores * mask)
    dV = np.swapaxes(weights, -1, -2) @ d_out
    dW = d_out @ np.swapaxes(V, -1, -2)
    dS = softmax_backward(weights, dW)
    dQ = dS @ K / np.sqrt(d_k)
    dK = np.swapaxes(dS, -1, -2) @ Q
    return dQ, dK, dV


# dQ is scaled twice (divided by d_k) AND the softmax backward sums over the queries (axis
# -2) instead of the keys
@wrong("twice-the-root-to-Q", "column-term", author="blind")
def v36_twice_and_axis(Q, K, V, d_out, mask):
    root = Q.shape[-1] ** 0.5
    logits = np.einsum("...qd,...kd->...qk", Q, K) / root
    logits = np.where(mask, logits, -1e30)
    w = np.exp(logits - logits.max(axis=-1, keepdims=True))
    w = w / w.sum(axis=-1, keepdims=True)
    g_v = np.einsum("...qk,...qe->...ke", w, d_out)
    g_w = np.einsum("...qe,...ke->...qk", d_out, V)
    inner = np.sum(w * g_w, axis=-2, keepdims=True)
    g_s = w * (g_w - inner) / root
    g_q = np.einsum("...qk,...kd->...qd", g_s, K) / root
    g_k = np.einsum("...qk,...qd->...kd", g_s, Q)
    return g_q, g_k, g_v
