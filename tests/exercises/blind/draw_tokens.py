import numpy as np


def draw_tokens__1(probabilities, u):
    # mistake: side left, so u = 0 draws a first token of probability 0
    return np.searchsorted(np.cumsum(probabilities), u)


def draw_tokens__2(probabilities, u):
    # mistake: compares the probabilities themselves, not their running sum
    return np.array([np.argmax(probabilities > x) for x in u])


def draw_tokens__3(probabilities, u):
    # mistake: one token too far
    c = np.cumsum(probabilities)
    out = []
    for x in u:
        t = 0
        while c[t] <= x:
            t += 1
        out.append(min(t + 1, len(c) - 1))
    return np.array(out)


def draw_tokens__4(probabilities, u):
    # mistake: adds up from the likeliest down, not in the order of the tokens
    order = np.argsort(-probabilities)
    c = np.cumsum(probabilities[order])
    return order[np.searchsorted(c, u, side="right").clip(max=len(c) - 1)]


def draw_tokens__8(probabilities, u):
    # mistakes: running sum from the last token; tokens returned as floats
    c = np.cumsum(probabilities[::-1])
    return np.array([float(np.argmax(c > x)) for x in u])
