import numpy as np


def fooled_by_length__1():
    # mistake: one key is a hundred times as long
    q = np.array([1.0, 0.0])
    k = np.array([[1.0, 0.0], [100.0, 100.0]])
    return q, k


def fooled_by_length__2():
    # mistake: the key at the smaller angle has the larger dot product after all
    query = np.array([1.0, 0.0])
    keys = np.array([[1.0, 0.0], [0.9, 1.2]])
    return query, keys


def fooled_by_length__3():
    # mistake: keys first, query second
    return np.array([[1.0, 0.0], [1.5, 1.0]]), np.array([1.0, 0.0])


def fooled_by_length__4():
    # mistake: longest key is a bit more than twice as long
    return np.array([1.0, 0.0]), np.array([[1.0, 0.0], [2.0, 1.0]])


def fooled_by_length__7():
    # mistakes: a key twenty times as long; the query has shape (1, d)
    return np.array([[1.0, 0.0]]), np.array([[1.0, 0.1], [20.0, 20.0]])
