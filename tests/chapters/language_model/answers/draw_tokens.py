"""Answers to `draw_tokens`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def dt_searchsorted(probabilities, u):
    return np.searchsorted(np.cumsum(probabilities), u, side="right")


@right()
def dt_argmax(probabilities, u):
    return (np.cumsum(probabilities)[None] > u[:, None]).argmax(axis=1)


@right()
def dt_loops(probabilities, u):
    tokens = []
    for number in u:
        token, total = 0, probabilities[0]
        while total <= number:
            token += 1
            total += probabilities[token]
        tokens.append(token)
    return np.array(tokens)


@right()
def dt_subtracting(probabilities, u):
    tokens = np.zeros(len(u), dtype=int)
    left = u.astype(float)
    for token, p in enumerate(probabilities):
        here = (left >= 0) & (left < p)
        tokens[here] = token
        left = left - p
    return tokens


@right()
def dt_digitize(probabilities, u):
    return np.digitize(u, np.cumsum(probabilities)).astype(np.int32)


# side left
@wrong("zero-drawn")
def dt_left(probabilities, u):
    return np.searchsorted(np.cumsum(probabilities), u)


# one number for all draws
@wrong()
def dt_first_only(probabilities, u):
    return np.array([np.searchsorted(np.cumsum(probabilities), u[0], side="right")])


# np.random in place of u
@wrong()
def dt_random(probabilities, u):
    return np.random.choice(len(probabilities), size=len(u), p=probabilities)


# the first probability that exceeds u
@wrong("first-probability")
def dt_first_probability(probabilities, u):
    return (probabilities > u[:, None]).argmax(axis=1)


# the nearest sum
@wrong("nearest")
def dt_nearest(probabilities, u):
    return np.abs(np.cumsum(probabilities) - u[:, None]).argmin(axis=1)


# a leading 0 in the sums shifts all by one
@wrong("one-too-far")
def dt_leading_zero(probabilities, u):
    edges = np.concatenate([[0.0], np.cumsum(probabilities)])
    return np.searchsorted(edges, u, side="right")


# each u removes its token for the next draw
@wrong("likeliest-first")
def dt_largest_first(probabilities, u):
    order = np.argsort(-probabilities)
    return order[np.searchsorted(np.cumsum(probabilities[order]), u, side="right")]


# rounds u times n_vocab
@wrong(author="blind")
def blind_dt_round(probabilities, u):
    return np.round(u * (len(probabilities) - 1)).astype(int)


# the last token whose sum is below u
@wrong("one-too-early", author="blind")
def blind_dt_last_below(probabilities, u):
    sums = np.cumsum(probabilities)
    return np.array(
        [np.flatnonzero(sums <= x)[-1] if (sums <= x).any() else 0 for x in u]
    )


# one sum for all u: the numbers u are used up one after the other
@wrong(author="blind")
def blind_dt_running(probabilities, u):
    tokens, total, token = [], 0.0, -1
    for number in u:
        while total <= number and token < len(probabilities) - 1:
            token += 1
            total += probabilities[token]
        tokens.append(token)
    return np.array(tokens)


# a bool matrix
@wrong("only-compared", author="blind")
def blind_dt_matrix(probabilities, u):
    return np.cumsum(probabilities) > u[:, None]
