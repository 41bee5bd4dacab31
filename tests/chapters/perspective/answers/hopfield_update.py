"""Answers to `hopfield_update`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def hu_course_softmax(patterns, state, beta):
    from course_attn.in_numpy import softmax

    return softmax(beta * (state @ patterns.T)) @ patterns


@right()
def hu_scipy(patterns, state, beta):
    from scipy.special import softmax

    return np.dot(softmax(np.dot(state, patterns.T) * beta, axis=1), patterns)


@right()
def hu_loops(patterns, state, beta):
    new = np.zeros_like(state)
    for i, xi in enumerate(state):
        s = np.array([beta * (xi @ x) for x in patterns])
        a = np.exp(s - s.max())
        new[i] = sum(w * x for w, x in zip(a / a.sum(), patterns, strict=True))
    return new


@right()
def hu_columns(patterns, state, beta):
    """With patterns as columns, as the paper has it."""
    X, xi = patterns.T, state.T
    s = beta * X.T @ xi
    p = np.exp(s - s.max(axis=0))
    return (X @ (p / p.sum(axis=0))).T


@right()
def hu_unscaled_function(patterns, state, beta):
    from course_attn.in_numpy import attention_weights

    return attention_weights(state, patterns, scale=beta) @ patterns


@right()
def hu_logsumexp(patterns, state, beta):
    s = np.einsum("md,nd->mn", beta * state, patterns)
    a = np.exp(s - np.logaddexp.reduce(s, axis=1)[:, None])
    return np.einsum("mn,nd->md", a, patterns)


# the matrix of the classical network, with beta
@wrong("no-softmax")
def hu_hebb(patterns, state, beta):
    W = patterns.T @ patterns
    return beta * state @ W


# softmax over the features of the state
@wrong("softmax-of-features")
def hu_softmax_of_features(patterns, state, beta):
    s = beta * state @ patterns.T @ patterns
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


# negative distances in place of dot products
@wrong("distances")
def hu_distances(patterns, state, beta):
    s = -beta * ((state[:, None] - patterns) ** 2).sum(-1)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ patterns


# repeats until nothing changes
@wrong()
def hu_until_settled(patterns, state, beta):
    for _ in range(50):
        s = beta * state @ patterns.T
        e = np.exp(s - s.max(-1, keepdims=True))
        state = e / e.sum(-1, keepdims=True) @ patterns
    return state


# attention does it
@wrong("built-in")
def hu_attention(patterns, state, beta):
    from course_attn.in_numpy import attention

    return attention(state, patterns, patterns, scale=beta)


# one maximum for all states
@wrong("one-maximum")
def hu_global_maximum(patterns, state, beta):
    s = beta * state @ patterns.T
    e = np.exp(s - s.max())
    return e / e.sum(-1, keepdims=True) @ patterns


# one maximum and one sum for all states
@wrong("one-maximum", "one-sum")
def hu_global_softmax(patterns, state, beta):
    s = beta * state @ patterns.T
    e = np.exp(s - s.max())
    return e / e.sum() @ patterns


# beta as an exponent of the weights
@wrong(author="blind")
def blind_power(patterns, state, beta):
    s = state @ patterns.T
    a = np.exp(s - s.max(axis=-1, keepdims=True))
    a = a / a.sum(axis=-1, keepdims=True)
    return a**beta @ patterns


# the mean dot product
@wrong(author="blind")
def blind_mean_product(patterns, state, beta):
    s = beta * state @ patterns.T / state.shape[-1]
    a = np.exp(s - s.max(axis=-1, keepdims=True))
    return a / a.sum(axis=-1, keepdims=True) @ patterns


# tanh of the classical field
@wrong(author="blind")
def blind_tanh(patterns, state, beta):
    return np.tanh(beta * state @ patterns.T @ patterns)


# one state only
@wrong(author="blind")
def blind_one_state(patterns, state, beta):
    s = np.array([beta * float(state[0] @ x) for x in patterns])
    a = np.exp(s - s.max())
    return a / a.sum() @ patterns


# divides by the root of the width as well
@wrong("root-as-well", author="blind")
def blind_scale_as_well(patterns, state, beta):
    scores = beta * state @ patterns.T / np.sqrt(patterns.shape[1])
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True) @ patterns


# states and patterns are scaled to length 1 first: cosines in place of dot products
@wrong("cosines", author="blind")
def w49_cosine(patterns, state, beta):
    from course_attn.in_numpy import softmax

    P = patterns / np.linalg.norm(patterns, axis=1, keepdims=True)
    S = state / np.linalg.norm(state, axis=1, keepdims=True)
    new = []
    for s in S:
        a = softmax(beta * (P @ s))
        new.append(a @ patterns)
    return np.stack(new)


# takes the sign of the result, as the old network does
@wrong("signs", author="blind")
def hu_blind_sign(patterns, state, beta):
    from course_attn.in_numpy import softmax

    new = softmax(beta * (state @ patterns.T)) @ patterns
    return np.sign(new)


# updates again and again until nothing changes, instead of once
@wrong("repeated", author="blind")
def p38_until_fixed(patterns, state, beta):
    from course_attn.in_numpy import softmax

    x = np.array(state, dtype=float)
    for _ in range(1000):
        new = softmax(beta * (x @ patterns.T)) @ patterns
        if np.allclose(new, x, atol=1e-10):
            break
        x = new
    return x


# scores with the state normalized to length 1 AND two updates instead of one
@wrong("unit-states", "twice", author="blind")
def e03_hop_unit_twice(patterns, state, beta):
    from course_attn.in_numpy import softmax

    x = state
    for _ in range(2):
        lengths = np.linalg.norm(x, axis=1, keepdims=True)
        unit = x / np.maximum(lengths, 1e-12)
        x = softmax(beta * unit @ patterns.T) @ patterns
    return x


# beta divides instead of multiplying AND the weights are normalized over the states (axis 0)
@wrong("beta-divides", "sum-over-states", author="blind")
def e04_hop_divide_axis(patterns, state, beta):
    energy = np.einsum("sd,pd->sp", state, patterns) / max(beta, 1e-9)
    energy = energy - energy.max(axis=1, keepdims=True)
    w = np.exp(energy)
    w /= w.sum(axis=0) + 1e-300
    return w @ patterns


# softmax over the states instead of the patterns, and the new state is averaged with the old
@wrong("over-states", "halfway", author="blind")
def t10_j15_axis_and_damped(patterns, state, beta):
    similarity = beta * state @ patterns.T
    similarity = np.exp(similarity - similarity.max(axis=0))
    similarity = similarity / similarity.sum(axis=0)
    return 0.5 * state + 0.5 * similarity @ patterns


# beta after the softmax AND signs at the end
@wrong("beta-after", "signs", author="blind")
def d83_hu(patterns, state, beta):
    sim = state @ patterns.T
    w = np.exp(sim - sim.max(1, keepdims=True))
    w = w / w.sum(1, keepdims=True)
    return np.sign((beta * w) @ patterns)
