"""Answers to `fooled_by_length`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def fl_all_point_away():
    return np.array([1.0, 0.0]), np.array([[-0.8, 0.0], [-1.0, 1.0]])


@right()
def fl_three_dimensions():
    return [0, 0, 1.0], [[0, 0, 1.0], [0.8, 1, 1.2], [0, 0, -1.5]]


@right(author="fresh")
def fresh_fooled_on_a_circle():
    degrees = np.radians([5.0, 50.0, 85.0])
    lengths = np.array([1.0, 1.8, 2.0])
    keys = np.exp(1j * degrees) * lengths
    return np.array([1.0, 0.0]), np.stack([keys.real, keys.imag], axis=1)


@right(author="fresh")
def fresh_fooled_by_search():
    rng = np.random.default_rng(1)
    while True:
        q, keys = rng.normal(size=4), rng.normal(size=(6, 4))
        dots = keys @ q
        lengths = np.linalg.norm(keys, axis=1)
        alike = lengths.max() < 2 * lengths.min()
        if alike and dots.argmax() != (dots / lengths).argmax():
            return q, keys


@wrong()
def fl_unit():
    return np.array([1.0, 0.0]), np.array([[1.0, 0.0], [0.6, 0.8]])


# two equal dot products
@wrong()
def fl_tie():
    return np.array([1.0, 0.0]), np.array([[1.0, 3.0], [1.0, 0.0]])


# holds the keys as columns, but they are read as rows, of which the first wins by dot product and
# by angle
@wrong(author="fresh")
def fresh_fooled_columns():
    query = np.array([1.0, 0.0])
    similar, long = [1.0, 0.0], [5.0, 8.0]
    return query, np.column_stack([similar, long])


# both keys point in the same direction, so the key with the largest dot product has the smallest
# angle too (it is a tie)
@wrong(author="unseen")
def third_sc_same_direction():
    query = np.array([1.0, 1.0])
    short_key = query
    long_key = 5 * query
    return query, np.stack([short_key, long_key])


# confuses the smallest angle with the smallest distance: the key with the largest dot product is
# also the one with the smallest angle
@wrong("same-winner", author="blind")
def b7_scores_7():
    q = np.array([1.0, 0.0])
    near = np.array([1.0, 0.2])
    far = np.array([1.9, 0.3])
    return q, np.stack([near, far])
