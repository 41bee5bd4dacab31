"""Answers to `repeat_kv`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def rk_broadcast(K, n_rep):
    *batch, h, n, d = K.shape
    shape = (*batch, h, n_rep, n, d)
    return np.broadcast_to(K[..., None, :, :], shape).reshape(*batch, -1, n, d)


@right()
def rk_indices(K, n_rep):
    return K[..., np.arange(K.shape[-3] * n_rep) // n_rep, :, :]


@right()
def rk_kron(K, n_rep):
    return np.kron(K, np.ones((n_rep, 1, 1), K.dtype))


@right(author="fresh")
def fresh_rk_owner(K, n_rep):
    owner = [g for g in range(K.shape[-3]) for _ in range(n_rep)]
    return K[..., owner, :, :]


@right(author="fresh")
def fresh_rk_strides(K, n_rep):
    *batch, g, n, d = K.shape
    out = np.empty((*batch, g * n_rep, n, d), K.dtype)
    for r in range(n_rep):
        out[..., r::n_rep, :, :] = K
    return out


@wrong()
def rk_no_axis(K, n_rep):
    return np.repeat(K, n_rep)


@wrong("built-in")
def rk_built_in(K, n_rep):
    from course_attn.in_numpy.fast import repeat_kv

    return repeat_kv(K, n_rep)


@wrong()
def rk_list_of_heads(K, n_rep):
    return [head for head in K for _ in range(n_rep)]


@wrong("reversed")
def rk_mirrored(K, n_rep):
    return np.repeat(K[..., ::-1, :, :], n_rep, axis=-3)


# adds n_rep copies to the original
@wrong("one-more")
def rk_plus_original(K, n_rep):
    return np.repeat(K, 1 + n_rep, axis=-3)


# divides by the number of heads, not by n_rep
@wrong()
def rk_wrong_divisor(K, n_rep):
    h = K.shape[-3]
    return K[..., np.minimum(np.arange(h * n_rep) // h, h - 1), :, :]


# puts the copies behind the positions, so that reshape mixes positions and heads
@wrong(author="fresh")
def fresh_rk_einsum(K, n_rep):
    *batch, g, n, d = K.shape
    copies = np.einsum("...gnd,r->...gnrd", K, np.ones(n_rep, K.dtype))
    return copies.reshape(*batch, g * n_rep, n, d)


# repeats along the first axis, which is that of the heads only if there is no batch, instead of
# along the third axis from the end
@wrong(author="unseen")
def third_fa_first_axis_heads(K, n_rep):
    return np.stack([K[h // n_rep] for h in range(len(K) * n_rep)])


# rows (positions) are repeated, then reshaped: each head holds repeated positions instead of a
# whole copy
@wrong("rows-repeated", author="blind")
def v06_rows_repeated(K, n_rep):
    *lead, g, n, d = K.shape
    big = np.repeat(K, n_rep, axis=-2)
    return big.reshape(*lead, g * n_rep, n, d)


# axis=1 is hard-coded: right only with exactly one batch axis
@wrong("axis-1", author="blind")
def q26_axis1(K, n_rep):
    return np.repeat(K, n_rep, axis=1)


# h / n_rep is rounded instead of rounded down AND the result is made of integers, so fractions
# are cut off
@wrong("rounded", "dtype", author="blind")
def p18_round_int(K, n_rep):
    *lead, n_kv, n, d = K.shape
    out = np.zeros((*lead, n_kv * n_rep, n, d), dtype=int)
    for h in range(n_kv * n_rep):
        g = min(round(h / n_rep), n_kv - 1)
        out[..., h, :, :] = K[..., g, :, :]
    return out


# heads in tile order (h mod n_kv_heads) AND n_rep is taken for the number of query heads (divided
# by n_kv_heads)
@wrong("tiled", "n_rep-as-total", author="blind")
def p17_tile_total(K, n_rep):
    n_kv = K.shape[-3]
    times = n_rep // n_kv
    return (
        np.concatenate([K for _ in range(times)], axis=-3)
        if times
        else K[..., :0, :, :]
    )


# n_rep + 1 copies (the original and n_rep more) AND the heads are stacked along axis 0, in front
# of the batch axes
@wrong("heads-in-front", "one-more", author="blind")
def t33_one_more_axis0(K, n_rep):
    out = []
    for g in range(K.shape[-3]):
        head = K[..., g, :, :]
        out.append(head)
        for _ in range(n_rep):
            out.append(head.copy())
    return np.stack(out)


# one copy too many AND all heads one after the other
@wrong("tiled", "one-more", author="blind")
def c25_more(K, n_rep):
    heads = [K]
    for _ in range(n_rep):
        heads.append(K)
    return np.concatenate(heads, axis=-3)
