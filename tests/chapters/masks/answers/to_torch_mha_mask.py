"""Answers to `to_torch_mha_mask`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def tm_logical_not(mask):
    return np.logical_not(mask)


@right()
def tm_equals_false(mask):
    return mask == False  # noqa: E712


@right()
def tm_xor(mask):
    return mask ^ True


@right()
def tm_where(mask):
    return np.where(mask, False, True)


@right(author="fresh")
def fresh_tm_xor(mask):
    return np.bitwise_xor(mask, np.True_)


@right(author="fresh")
def fresh_tm_entry_by_entry(mask):
    flipped = [not allowed for allowed in mask.flat]
    return np.array(flipped, dtype=bool).reshape(mask.shape)


@wrong("numbers", said="refuses")
def tm_one_minus(mask):
    return 1 - mask


@wrong(said="`~")
def tm_minus(mask):
    return -mask


@wrong(said="`np.logical_not(…)`")
def tm_not(mask):
    return not mask


@wrong("inverted-integers")
def tm_invert_int(mask):
    return ~mask.astype(int)


@wrong("numbers", said="are *added*")
def tm_one_minus_float(mask):
    return 1.0 - mask


# a bias of -1e9 where bool is asked for
@wrong()
def tm_large_bias(mask):
    return np.where(mask, 0.0, -1e9)


# the rows are reversed, not the truth values
@wrong()
def tm_rows_reversed(mask):
    return mask[::-1]


# the future instead of what the mask says
@wrong()
def tm_triu(mask):
    return np.triu(np.ones(mask.shape, dtype=bool), k=1)


# inverts the argument itself, in place
@wrong(author="fresh")
def fresh_tm_in_place(mask):
    for place in np.ndindex(*mask.shape):
        mask[place] = not mask[place]
    return mask


# ~ is applied to integers, which gives -1 and -2, both True: all is True
@wrong("all-dropped", author="blind")
def x31_tilde_int(mask):
    m = np.array(mask, dtype=int)
    return (~m).astype(bool)


# negated in place, so the argument changes AND rows in which all keys are dropped are set to keep
# all
@wrong("rows-kept", "in-place", author="blind")
def p24_inplace_rows(mask):
    np.logical_not(mask, out=mask)
    if mask.ndim:
        mask[mask.all(axis=-1)] = False  # a row of True would give NaN
    return mask
