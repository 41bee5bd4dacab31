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
def fl_aligned():
    return np.array([1.0, 0.0]), np.array([[3.0, 0.0], [1.0, 1.0]])


@wrong()
def fl_scaled():
    return np.array([1.0, 0.0]), np.array([[1.0, 0.0], [5.0, 0.0]])


@wrong()
def fl_unit():
    return np.array([1.0, 0.0]), np.array([[1.0, 0.0], [0.6, 0.8]])


@wrong()
def fl_keys_only():
    return np.eye(2)


# the long key is too far off
@wrong()
def fl_perpendicular():
    return np.array([1.0, 0.0]), np.array([[1.0, 0.0], [0.0, 50.0]])


# the longer key is not long enough
@wrong()
def fl_too_short():
    return np.array([1.0, 0.0]), np.array([[2.0, 0.0], [1.0, 3.0]])


# two equal dot products
@wrong()
def fl_tie():
    return np.array([1.0, 0.0]), np.array([[1.0, 3.0], [1.0, 0.0]])


# the chapter's own example, in which a key is a hundred times as long
@wrong("lengths-apart")
def fl_as_in_the_chapter():
    angle = np.radians(80)
    keys = [[1.0, 0.0], [100 * np.cos(angle), 100 * np.sin(angle)]]
    return np.array([1.0, 0.0]), np.array(keys)


# twice as long, but at 63 degrees
@wrong("too-short")
def fl_angle_too_large():
    return np.array([1.0, 0.0]), np.array([[1.0, 0.0], [0.89, 1.78]])


# holds the keys as columns, but they are read as rows, of which the first wins by dot product and
# by angle
@wrong(author="fresh")
def fresh_fooled_columns():
    query = np.array([1.0, 0.0])
    similar, long = [1.0, 0.0], [5.0, 8.0]
    return query, np.column_stack([similar, long])


# returns the keys first and the query second
@wrong(author="fresh")
def fresh_fooled_swapped():
    q = np.array([1.0, 0.0, 0.0])
    keys = np.stack([q, 20 * np.array([0.2, 1.0, 0.0])])
    return keys, q


# the long key points the opposite way: its dot product is large in size but negative, so it is not
# the largest
@wrong(author="fresh")
def fresh_fooled_opposite():
    query = np.array([1.0, 2.0])
    keys = np.array([scale * query + [0.1, 0.0] for scale in (1.0, -50.0)])
    return query, keys


# the query is a matrix with one row instead of a vector AND the longest key has the smallest angle,
# too
@wrong(author="fresh")
def fresh_fooled_row_and_agreeing():
    query = np.array([[1.0, 0.0]])
    keys = np.array([[1.0, 0.5], [10.0, 1.0], [2.0, 2.0]])
    return query, keys


# both keys point in the same direction, so the key with the largest dot product has the smallest
# angle too (it is a tie)
@wrong(author="unseen")
def third_sc_same_direction():
    query = np.array([1.0, 1.0])
    short_key = query
    long_key = 5 * query
    return query, np.stack([short_key, long_key])


# the long key is more than twice as long as the short one (2.69 against 1.00)
@wrong("lengths-apart", author="blind")
def b6_scores_6():
    q = np.array([1.0, 0.0])
    keys = np.array([[1.0, 0.1], [2.5, 1.0]])
    return q, keys


# confuses the smallest angle with the smallest distance: the key with the largest dot product is
# also the one with the smallest angle
@wrong("same-winner", author="blind")
def b7_scores_7():
    q = np.array([1.0, 0.0])
    near = np.array([1.0, 0.2])
    far = np.array([1.9, 0.3])
    return q, np.stack([near, far])
