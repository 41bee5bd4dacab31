"""Answers to `shift_targets`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def shift_copies(tokens, pad):
    inputs = tokens[..., 0:-1].copy()
    targets = tokens[..., 1:].copy()
    targets[targets == pad] = -100
    return inputs, targets


@right()
def shift_by_length(tokens, pad):
    lengths = (tokens != pad).sum(axis=-1, keepdims=True)
    place = np.arange(1, tokens.shape[-1])
    targets = np.where(place < lengths, tokens[..., 1:], -100)
    return tokens[..., :-1], targets


@right()
def shift_rolled_and_cut(tokens, pad):
    following = np.roll(tokens, -1, axis=-1)
    following[following == pad] = -100
    return [tokens[..., :-1], following[..., :-1]]


@right()
def shift_loops(tokens, pad):
    shape = (*tokens.shape[:-1], tokens.shape[-1] - 1)
    inputs, targets = np.empty(shape, dtype=int), np.empty(shape, dtype=int)
    for where in np.ndindex(shape):
        *text, i = where
        inputs[where] = tokens[(*text, i)]
        after = tokens[(*text, i + 1)]
        targets[where] = -100 if after == pad else after
    return inputs, targets


@right()
def shift_masked_array(tokens, pad):
    marked = np.ma.masked_equal(tokens, pad).filled(-100)
    return np.delete(tokens, -1, axis=-1), np.delete(marked, 0, axis=-1)


# the mask is made from the inputs' places by length, one too long
@wrong("found-by-inputs")
def shift_length_off_by_one(tokens, pad):
    lengths = (tokens != pad).sum(axis=-1, keepdims=True)
    place = np.arange(tokens.shape[-1] - 1)
    targets = np.where(place < lengths, tokens[..., 1:], -100)
    return tokens[..., :-1], targets


# writes -100 into the array it was given
@wrong()
def shift_in_place(tokens, pad):
    targets = tokens[..., 1:]
    targets[targets == pad] = -100
    return tokens[..., :-1], targets


# the targets keep all places, with -100 at the end
@wrong("all-places")
def shift_filled_at_the_end(tokens, pad):
    targets = np.full_like(tokens, -100)
    targets[..., :-1] = tokens[..., 1:]
    targets[targets == pad] = -100
    return tokens, targets


# for one text only
@wrong("texts-shifted")
def shift_one_text(tokens, pad):
    inputs, targets = tokens[:-1], tokens[1:]
    targets = np.where(targets == pad, -100, targets)
    return inputs, targets


# only one array
@wrong()
def shift_stacked(tokens, pad):
    targets = np.where(tokens[..., 1:] == pad, -100, tokens[..., 1:])
    return np.stack([tokens[..., :-1], targets])


# pads the targets in front instead of cutting
@wrong("swapped", author="blind")
def blind_shift_right(tokens, pad):
    targets = np.full_like(tokens, -100)
    targets[..., 1:] = tokens[..., :-1]
    targets = np.where(targets == pad, -100, targets)
    return tokens[..., 1:], targets[..., 1:]


# masks everywhere the text's last real token
@wrong(author="blind")
def blind_shift_last_masked(tokens, pad):
    following = tokens[..., 1:]
    ends = (tokens != pad).sum(-1)
    targets = np.where(
        np.arange(1, tokens.shape[-1]) < ends[..., None] - 1, following, -100
    )
    return tokens[..., :-1], targets


# sliding windows: axis 1 in place of the last
@wrong(author="blind")
def blind_shift_axis_1(tokens, pad):
    inputs, targets = tokens[:, :-1], tokens[:, 1:]
    return inputs, np.where(targets == pad, -100, targets)


# the length by `argmax`: a text without padding has the length 0
@wrong("full-texts-lost", author="blind")
def bl_shift_argmax(tokens, pad):
    length = np.argmax(tokens == pad, axis=-1)
    place = np.arange(1, tokens.shape[-1])
    real = place < np.asarray(length)[..., None]
    return tokens[..., :-1].copy(), np.where(real, tokens[..., 1:], -100)


# trims to the longest real text of the batch: the arrays are shorter than n-1 when every text has
# padding
@wrong("text", said="whether padding stands there", author="blind")
def z09_trim(tokens, pad):
    longest = int((tokens != pad).sum(axis=-1).max())
    tokens = tokens[..., :longest]
    x, y = tokens[..., :-1], tokens[..., 1:]
    return x, np.where(y != pad, y, -100)


# the inputs keep their last token (n long) AND left-out targets are -1, not -100
@wrong("inputs-whole", "minus-one", author="blind")
def f6_k44_long_and_minus_one(tokens, pad):
    inputs = tokens.copy()
    targets = tokens[..., 1:].copy()
    targets[targets == pad] = -1
    return inputs, targets


# length n instead of n - 1 (the last token stays as an input, its target -100) AND padding is
# not replaced in the targets
@wrong("all-places", "padding-kept", author="blind")
def g30_all_places_and_padding(tokens, pad):
    labels = np.full_like(tokens, -100)
    labels[..., :-1] = tokens[..., 1:]
    return tokens.copy(), labels


# length n, filled up with padding behind the last token, AND padding stays in the targets
@wrong("all-places-padded")
def n_places_filled_up(tokens, pad):
    targets = np.full_like(tokens, pad)
    targets[..., :-1] = tokens[..., 1:]
    return tokens, targets


# the two arrays are returned in the wrong order AND the token of padding is hard-coded as 0
@wrong("other-order", "pad-is-0", author="blind")
def m32_order_pad0(tokens, pad):
    y = tokens[..., 1:].copy()
    x = tokens[..., :-1].copy()
    y[y == 0] = -100
    return y, x


# cuts the first axis (texts) instead of the last AND the targets are a view: tokens are changed
# in place
@wrong("texts-shifted", "inputs-hidden", "in-place", author="blind")
def o33_axis_and_in_place(tokens, pad):
    x, y = tokens[:-1], tokens[1:]
    y[y == pad] = -100
    return x, y


# the targets are two places ahead AND padding is marked by -1
@wrong("two-ahead", "minus-one", author="blind")
def two_ahead_with_minus_one(tokens, pad):
    targets = np.concatenate(
        [tokens[..., 2:], np.full_like(tokens[..., :1], pad)], -1
    )
    targets[targets == pad] = -1
    return tokens[..., :-1].copy(), targets


# the padding is found by the inputs AND replaced in the argument itself
@wrong("found-by-inputs", "inputs-hidden", "in-place", author="blind")
def found_by_inputs_in_a_view(tokens, pad):
    inputs, targets = tokens[..., :-1], tokens[..., 1:]
    targets[inputs == pad] = -100
    return inputs, targets
