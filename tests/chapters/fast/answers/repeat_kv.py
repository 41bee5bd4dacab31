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
def rk_list(K, n_rep):
    heads = [K[..., g, :, :] for g in range(K.shape[-3]) for _ in range(n_rep)]
    return np.stack(heads, axis=-3)


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


@wrong("tiled")
def rk_tile(K, n_rep):
    return np.tile(K, (n_rep, 1, 1))


@wrong()
def rk_no_axis(K, n_rep):
    return np.repeat(K, n_rep)


@wrong()
def rk_axis_1(K, n_rep):
    return np.repeat(K, n_rep, axis=1)


@wrong("tiled")
def rk_broadcast_first(K, n_rep):
    *batch, h, n, d = K.shape
    copies = np.broadcast_to(K[..., None, :, :, :], (*batch, n_rep, h, n, d))
    return copies.reshape(*batch, n_rep * h, n, d)


@wrong("built-in")
def rk_built_in(K, n_rep):
    from course_attn.in_numpy.fast import repeat_kv

    return repeat_kv(K, n_rep)


# repeats along axis 0, which is the axis of the heads only where there is no batch axis
@wrong("first-axis")
def rk_axis_0(K, n_rep):
    return np.repeat(K, n_rep, axis=0)


@wrong()
def rk_list_of_heads(K, n_rep):
    return [head for head in K for _ in range(n_rep)]


@wrong(said="numbered [1, 1, 1, 0, 0, 0]")
def rk_mirrored(K, n_rep):
    return np.repeat(K[..., ::-1, :, :], n_rep, axis=-3)


# adds n_rep copies to the original
@wrong()
def rk_plus_original(K, n_rep):
    return np.repeat(K, 1 + n_rep, axis=-3)


# takes the heads in turn: % in place of //
@wrong()
def rk_modulo(K, n_rep):
    h = K.shape[-3]
    return np.stack([K[..., i % h, :, :] for i in range(h * n_rep)], axis=-3)


# divides by the number of heads, not by n_rep
@wrong()
def rk_wrong_divisor(K, n_rep):
    h = K.shape[-3]
    return K[..., np.minimum(np.arange(h * n_rep) // h, h - 1), :, :]


# indexes the first axis: wrong with a batch
@wrong()
def rk_index_first(K, n_rep):
    return K[np.arange(K.shape[0] * n_rep) // n_rep]


# repeats the whole list of heads, 0, 1, 0, 1, where it is 0, 0, 1, 1
@wrong(author="fresh")
def fresh_rk_whole_list(K, n_rep):
    return np.concatenate([K for _ in range(n_rep)], axis=-3)


# repeats along axis 0, which holds the heads only without a batch
@wrong(author="fresh")
def fresh_rk_axis_0(K, n_rep):
    repeated = []
    for head in K:
        repeated += [head] * n_rep
    return np.stack(repeated)


# puts the copies behind the positions, so that reshape mixes positions and heads
@wrong(author="fresh")
def fresh_rk_einsum(K, n_rep):
    *batch, g, n, d = K.shape
    copies = np.einsum("...gnd,r->...gnrd", K, np.ones(n_rep, K.dtype))
    return copies.reshape(*batch, g * n_rep, n, d)


# head h is taken from (h - 1) // n_rep, as if counted from 1 AND the heads are looked for on the
# first axis, not the third from last
@wrong(author="fresh")
def fresh_rk_from_one(K, n_rep):
    n_heads = K.shape[0] * n_rep
    return np.array([K[(h - 1) // n_rep] for h in range(n_heads)])


# repeats along the first axis, which is that of the heads only if there is no batch, instead of
# along the third axis from the end
@wrong(author="unseen")
def third_fa_first_axis_heads(K, n_rep):
    return np.stack([K[h // n_rep] for h in range(len(K) * n_rep)])


# the whole row of heads is repeated (0 1 0 1) instead of each head (0 0 1 1)
@wrong("tiled", author="blind")
def b6_fast_5(K, n_rep):
    return np.concatenate([K] * n_rep, axis=-3)
