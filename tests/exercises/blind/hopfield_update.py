import numpy as np


def hopfield_update__1(patterns, state, beta):
    # mistake: beta is not used
    from course_attn.in_numpy import softmax

    return softmax(state @ patterns.T) @ patterns


def hopfield_update__2(patterns, state, beta):
    # mistake: beta outside of the softmax
    from course_attn.in_numpy import softmax

    return beta * softmax(state @ patterns.T) @ patterns


def hopfield_update__3(patterns, state, beta):
    # mistake: divided by beta, as if it were a temperature
    from course_attn.in_numpy import softmax

    return softmax(state @ patterns.T / (beta + 1e-12)) @ patterns


def hopfield_update__4(patterns, state, beta):
    # mistake: exp without shift overflows
    e = np.exp(beta * state @ patterns.T)
    return e / e.sum(axis=1, keepdims=True) @ patterns


def hopfield_update__8(patterns, state, beta):
    # mistakes: scores also divided by sqrt(d); cosines instead of dot products
    from course_attn.in_numpy import softmax

    a = patterns / np.linalg.norm(patterns, axis=1, keepdims=True)
    b = state / np.linalg.norm(state, axis=1, keepdims=True)
    return softmax(beta * b @ a.T / np.sqrt(state.shape[1])) @ patterns
