"""Answers to `masked_block`."""

from functools import reduce

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def tb_sequence_by_sequence(X, attend, process, norm_1, norm_2, mask):
    if X.ndim > 2:
        return np.stack(
            [
                tb_sequence_by_sequence(x, attend, process, norm_1, norm_2, mask)
                for x in X
            ]
        )
    H = X + attend(norm_1(X), mask)
    return H + np.stack([process(h) for h in norm_2(H)])


@right()
def mb_added_from_the_end(X, attend, process, norm_1, norm_2, mask):
    def half(x, part, norm):
        return np.stack([part(norm(x)), x]).sum(axis=0)

    H = half(X, lambda x: attend(x, mask), norm_1)
    return half(H, process, norm_2)


@right(author="fresh")
def fresh_mb_reduce(X, attend, process, norm_1, norm_2, mask):
    parts = [
        lambda stream: attend(norm_1(stream), mask),
        lambda stream: process(norm_2(stream)),
    ]
    return reduce(lambda stream, part: stream + part(stream), parts, X)


@right(author="fresh")
def fresh_mb_copy(X, attend, process, norm_1, norm_2, mask):
    first_change = attend(norm_1(X.copy()), mask)
    second_change = process(norm_2(X + first_change))
    return sum([X, first_change, second_change])


@wrong()
def tb_second_half_from_x(X, attend, process, norm_1, norm_2, mask):
    H = attend(norm_1(X), mask)
    return X + process(norm_2(H))


# the feed-forward network reads norm_1 again, norm_2 is never used AND the mask is not passed on to
# attend
@wrong()
def tb_norm_1_twice_and_no_mask(X, attend, process, norm_1, norm_2, mask):
    H = X + attend(norm_1(X))
    return H + process(norm_1(H))


@wrong()
def tb_two_results(X, attend, process, norm_1, norm_2, mask):
    H = X + attend(norm_1(X), mask)
    return H, process(norm_2(H))


@wrong()
def tb_norms_swapped(X, attend, process, norm_1, norm_2, mask):
    H = X + attend(norm_2(X), mask)
    return H + process(norm_1(H))


@wrong()
def tb_mask_to_process(X, attend, process, norm_1, norm_2, mask):
    H = X + attend(norm_1(X), mask)
    return H + process(norm_2(H), mask)


# attention gets the raw X, and its result is normed
@wrong()
def mb_norms_behind_both(X, attend, process, norm_1, norm_2, mask):
    H = X + norm_1(attend(X, mask))
    return H + norm_2(process(H))


# the network has to read H
@wrong("reads-attention-alone")
def mb_network_reads_mixed(X, attend, process, norm_1, norm_2, mask):
    mixed = attend(norm_1(X), mask)
    return X + mixed + process(norm_2(mixed))


# X is already in H
@wrong("x-added-again")
def mb_skip_over_everything(X, attend, process, norm_1, norm_2, mask):
    H = X + attend(norm_1(X), mask)
    return H + process(norm_2(H)) + X


# the mask is transposed
@wrong()
def mb_other_mask(X, attend, process, norm_1, norm_2, mask):
    H = X + attend(norm_1(X), mask.T)
    return H + process(norm_2(H))


# the wiring is handed over
@wrong("built-in")
def mb_handed_over(X, attend, process, norm_1, norm_2, mask):
    from course_attn.in_numpy.block import pre_norm_block

    return pre_norm_block(X, lambda x: attend(x, mask), process, norm_1, norm_2)


# adds to the normed elements, not to the elements themselves
@wrong("overwritten-both", author="fresh")
def fresh_mb_adds_to_normed(X, attend, process, norm_1, norm_2, mask):
    steps = [(norm_1, lambda Z: attend(Z, mask)), (norm_2, process)]

    def step(Z, pair):
        norm, part = pair
        Z = norm(Z)
        return Z + part(Z)

    return reduce(step, steps, X)


# `+=` on another name of X changes X itself
@wrong(author="fresh")
def fresh_mb_in_place(X, attend, process, norm_1, norm_2, mask):
    H = X
    H += attend(norm_1(X), mask)
    H += process(norm_2(H))
    return H


# both steps run the feed-forward network with norm_2 and attention is never called, because the
# lambdas look their part and norm up only after the comprehension has ended
@wrong(author="unseen")
def second_blk_late_lambdas(X, attend, process, norm_1, norm_2, mask):
    parts = [(lambda H: attend(H, mask), norm_1), (process, norm_2)]
    steps = [lambda H: H + part(norm(H)) for part, norm in parts]
    for step in steps:
        X = step(X)
    return X


# the second part reads the normalized input of the first part's sum but its residual starts from X:
# the result of attention is lost
@wrong("residual-2-from-x", author="unseen")
def fifth_bl_residual_from_x(X, attend, process, norm_1, norm_2, mask):
    stream = [X]
    stream.append(stream[-1] + attend(norm_1(stream[-1]), mask))
    stream.append(stream[0] + process(norm_2(stream[-1])))
    return stream[-1]


# no second norm, mask not passed on
@wrong("norm-2-missing", "mask-lost", author="blind")
def own_block_3(X, attend, process, norm_1, norm_2, mask):
    H = X + attend(norm_1(X))
    return H + process(H)


# the attention's output is added to the normed X instead of to X itself (the residual path goes
# through the norm)
@wrong("overwritten-1", author="blind")
def b7_block_51(X, attend, process, norm_1, norm_2, mask):
    h = norm_1(X)
    h = h + attend(h, mask)
    z = norm_2(h)
    return h + process(z)


# both parts read X
@wrong("parallel", author="blind")
def bl_mb_parallel(X, attend, process, norm_1, norm_2, mask):
    return X + attend(norm_1(X), mask) + process(norm_2(X))


# the mask is turned around
@wrong("polarity", author="blind")
def bl_mb_inverted(X, attend, process, norm_1, norm_2, mask):
    blocked = np.logical_not(mask)
    x1 = X + attend(norm_1(X), blocked)
    return x1 + process(norm_2(x1))


# no mask; the second part is added to X
@wrong("residual-2-from-x", "mask-lost", author="blind")
def bl_mb_both(X, attend, process, norm_1, norm_2, mask):
    after_attention = X + attend(norm_1(X), None)
    return X + process(norm_2(after_attention))


# the second part is post-norm: norm_2(H + process(H)), AND the mask is not passed on
@wrong("post-norm-2", "mask-lost", author="blind")
def u17_half_post_no_mask(X, attend, process, norm_1, norm_2, mask):
    normed = norm_1(X)
    H = X + attend(normed, None)
    return norm_2(H + process(H))


# the residual connections add the normed array instead of the stream
@wrong("overwritten-both", author="blind")
def f6_l38_normed_skip(X, attend, process, norm_1, norm_2, mask):
    a = norm_1(X)
    h = a + attend(a, mask)
    b = norm_2(h)
    return b + process(b)


# the first part is post-norm AND the mask is not passed on
@wrong("post-norm-1", "mask-lost", author="blind")
def first_part_post_norm_without_mask(X, attend, process, norm_1, norm_2, mask):
    Y = norm_1(X + attend(X))
    return Y + process(norm_2(Y))
