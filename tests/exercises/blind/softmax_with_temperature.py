import numpy as np


def softmax_with_temperature__1(scores, temperature):
    # mistake: multiplied by the temperature
    z = scores * temperature
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def softmax_with_temperature__2(scores, temperature):
    # mistake: temperature not used
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def softmax_with_temperature__13(scores, temperature):
    # mistake: weights mixed linearly with equal weights for higher temperatures
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    w = e / e.sum(axis=-1, keepdims=True)
    return w / temperature + (1 - 1 / temperature) / scores.shape[-1]


def softmax_with_temperature__14(scores, temperature):
    # mistakes: multiplied by the temperature; no shift
    e = np.exp(temperature * scores)
    return e / e.sum(axis=-1, keepdims=True)


def softmax_with_temperature__15(scores, temperature):
    # mistakes: axis 0; temperature applied after the softmax
    e = np.exp(scores - scores.max(axis=0))
    return e / e.sum(axis=0) / temperature
