"""Answers to `weighted_sum`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def ws_einsum(weights, values):
    return np.einsum("...j,...jd->...d", weights, values[..., None, :, :])


@right()
def ws_matmul(weights, values):
    return np.matmul(weights, values)


@right()
def ws_accumulated(weights, values):
    out = 0.0
    for j in range(values.shape[-2]):
        out = out + weights[..., j, None] * values[..., None, j, :]
    return out


@right()
def ws_loops_over_everything(weights, values):
    if weights.ndim > 2:
        return np.stack(
            [
                ws_loops_over_everything(w, v)
                for w, v in zip(weights, values, strict=True)
            ]
        )
    out = np.zeros((len(weights), values.shape[1]))
    for i in range(len(weights)):
        for j in range(len(values)):
            out[i] += weights[i, j] * values[j]
    return out


@right()
def ws_transposed_twice(weights, values):
    return np.swapaxes(
        np.swapaxes(values, -1, -2) @ np.swapaxes(weights, -1, -2), -1, -2
    )


@right()
def ws_broadcast(weights, values):
    return (weights[..., None] * values[..., None, :, :]).sum(axis=-2)


@right()
def ws_chatty_with_other_names(w, v, debug=False):
    print("shapes", w.shape, v.shape)
    return w @ v


@right()
def ws_tensordot(weights, values):
    if weights.ndim == 2:
        return np.tensordot(weights, values, axes=1)
    return np.stack(
        [ws_tensordot(w, v) for w, v in zip(weights, values, strict=True)]
    )


@right(author="fresh")
def fresh_ws_einsum(weights, values):
    letters = "j,...jf->...f" if weights.ndim == 1 else "...ij,...jf->...if"
    return np.einsum(letters, weights, values)


@right(author="fresh")
def fresh_ws_one_value_at_a_time(weights, values):
    single = np.ndim(weights) == 1
    a = weights[None, :] if single else weights
    lead = np.broadcast_shapes(a.shape[:-2], values.shape[:-2])
    kind = np.result_type(a, values)
    y = np.zeros((*lead, a.shape[-2], values.shape[-1]), kind)
    for j in range(a.shape[-1]):
        y = y + a[..., :, j, None] * values[..., None, j, :]
    return y[..., 0, :] if single else y


@wrong()
def ws_np_dot(weights, values):
    return np.dot(weights, values)  # right in two dimensions, another thing in four


@wrong()
def ws_broadcast_sum_all(weights, values):
    return (weights[..., None] * values[..., None, :, :]).sum()


@wrong()
def ws_returns_in_loop(weights, values):
    out = np.zeros((weights.shape[0], values.shape[1]))
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            out[i] += weights[i, j] * values[j]
        return out


@wrong()
def ws_argmax(weights, values):
    return values[weights.argmax(axis=-1)]


@wrong()
def ws_abs_weights(weights, values):
    return np.abs(weights) @ values


@wrong()
def ws_rounds(weights, values):
    return np.round(weights @ values, 2)


@wrong()
def ws_prints(weights, values):
    print(weights @ values)


# the negative weights are set to 0
@wrong()
def ws_clips(weights, values):
    return np.clip(weights, 0, None) @ values


# sums over i, where j is asked for
@wrong()
def ws_sums_over_outputs(weights, values):
    return (weights[..., None] * values[..., None, :, :]).sum(axis=-3)


# squeeze removes an axis of length 1
@wrong()
def ws_squeezes(weights, values):
    return np.squeeze(weights @ values)


# rounds to six decimals
@wrong()
def ws_rounds_to_six(weights, values):
    return np.round(weights @ values, 6)


# row 0 of the weights for all outputs
@wrong()
def ws_index_forgotten(weights, values):
    out = np.zeros((len(weights), values.shape[1]))
    for i in range(len(weights)):
        for j in range(len(values)):
            out[i] += weights[0, j] * values[j]
    return out


# handed over to the course's PyTorch twin
@wrong("built-in")
def ws_torch_twin(weights, values):
    import torch

    from course_attn.in_torch.weighted_sum import weighted_sum

    return weighted_sum(torch.from_numpy(weights), torch.from_numpy(values)).numpy()


# the running total is not set back to zero for each row, so every row also holds the mixtures of
# the rows above it
@wrong(author="unseen")
def second_ws_total_not_reset(weights, values):
    if weights.ndim > 2:
        return np.array(
            [second_ws_total_not_reset(w, v) for w, v in zip(weights, values)]
        )
    n_q, n_k = weights.shape
    result = np.zeros((n_q, values.shape[1]))
    total = np.zeros(values.shape[1])
    for i in range(n_q):
        for j in range(n_k):
            total = total + weights[i, j] * values[j]
        result[i] = total
    return result


# adds with = instead of +=: each key's share replaces what was there, and only the last key counts
@wrong(said="the last term of the sum only", author="unseen")
def fifth_ws_only_last_key(weights, values):
    n_k = values.shape[-2]
    j = 0
    while j < n_k:
        y = weights[..., :, j, None] * values[..., None, j, :]
        j += 1
    return y


# mixes the values of the first one for all elements of the batch
@wrong("first-values-of-the-batch", author="unseen")
def fifth_ws_first_batch_values(weights, values):
    if weights.ndim == 2:
        while values.ndim > 2:
            values = values[0]
        return np.einsum("qk,kd->qd", weights, values)
    return np.stack([fifth_ws_first_batch_values(part, values) for part in weights])


# the inner loop takes row i of the values where it should take row j
@wrong(author="blind")
def b7_weighted_sum_5(weights, values):
    n_q, n_k = weights.shape[-2:]
    out = np.zeros(weights.shape[:-1] + (values.shape[-1],))
    for i in range(min(n_q, n_k)):
        for j in range(n_k):
            out[..., i, :] += weights[..., i, j, None] * values[..., i, :]
    return out


# the loop over the keys runs to n_q instead of n_k
@wrong("as-many-as-queries", author="blind")
def k19_loop_n_q(weights, values):
    n = weights.shape[-2]
    result = np.zeros(weights.shape[:-1] + values.shape[-1:])
    for i in range(n):
        for j in range(n):
            result[..., i, :] += weights[..., i, j, None] * values[..., j, :]
    return result


# weights are divided by their sum AND all sequences of a batch take the values of the first one
@wrong("renormalized", "first-values-of-the-batch", author="blind")
def o21_normalized_and_first_values(weights, values):
    n_q, n_k = weights.shape[-2:]
    d = values.shape[-1]
    w = weights.reshape(-1, n_q, n_k)
    x = values.reshape(-1, n_k, d)
    result = np.zeros((len(w), n_q, d))
    for b in range(len(w)):
        for i in range(n_q):
            row = w[b, i] / w[b, i].sum()
            for j in range(n_k):
                result[b, i] += row[j] * x[0, j]
    return result.reshape(weights.shape[:-1] + (d,))


# the sum begins with the second value
@wrong("first-value-missing")
def sum_from_1(weights, values):
    total = 0.0 * weights[..., :1] * values[..., :1, :]
    for j in range(1, weights.shape[-1]):
        total = total + weights[..., j, None] * values[..., j, None, :]
    return total


# the weights are divided by their sums AND the loop stops before the last value
@wrong("renormalized", "last-value-missing", author="blind")
def d01_ws(weights, values):
    w = weights / weights.sum(axis=-1, keepdims=True)
    n_k = values.shape[-2]
    out = 0
    for j in range(n_k - 1):
        out = out + w[..., :, j, None] * values[..., None, j, :]
    return out
