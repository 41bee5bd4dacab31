import numpy as np


def shift_targets__1(tokens, pad):
    # mistake: padding stays in the targets
    return tokens[..., :-1], tokens[..., 1:]


def shift_targets__2(tokens, pad):
    # mistake: the two results are exchanged
    t = tokens[..., 1:].copy()
    t[t == pad] = -100
    return t, tokens[..., :-1]


def shift_targets__10(tokens, pad):
    # mistake: floats with NaN instead of integers with -100
    y = tokens[..., 1:].astype(float)
    y[y == pad] = np.nan
    return tokens[..., :-1], y


def shift_targets__12(tokens, pad):
    # mistake: the last real target is hidden, too
    y = tokens[..., 1:]
    after = np.concatenate([y[..., 1:], np.full(y[..., :1].shape, pad)], axis=-1)
    return tokens[..., :-1], np.where((y == pad) | (after == pad), -100, y)


def shift_targets__15(tokens, pad):
    # mistakes: results exchanged; padding stays
    return tokens[..., 1:], tokens[..., :-1]
