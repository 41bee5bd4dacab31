"""Answers to `weighted_sum_torch`."""

import numpy as np
import torch

from tests.exercises.answers import right, wrong


@right()
def wst_einsum(weights, values):
    return torch.einsum("...ij,...jd->...id", weights, values)


@right()
def wst_zeros_of_the_right_dtype(weights, values):
    out = values.new_zeros(*weights.shape[:-1], values.shape[-1])
    for j in range(weights.shape[-1]):
        out = out + weights[..., j, None] * values[..., j, None, :]
    return out


@right(author="fresh")
def fresh_wst_multiply_and_add(weights, values):
    return (weights.unsqueeze(-1) * values.unsqueeze(-3)).sum(dim=-2)


@right(author="fresh")
def fresh_wst_feature_by_feature(weights, values):
    features = values.unbind(-1)
    mixed = [(weights * feature[..., None, :]).sum(-1) for feature in features]
    return torch.stack(mixed, dim=-1)


# the mean over j, not the sum
@wrong()
def wst_mean(weights, values):
    return (weights[..., None] * values[..., None, :, :]).mean(dim=-2)


# the last value never enters
@wrong()
def wst_stops_early(weights, values):
    return sum(
        weights[..., j, None] * values[..., j, None, :]
        for j in range(weights.shape[-1] - 1)
    )


# handed over to the NumPy twin
@wrong("built-in")
def wst_course(weights, values):
    from course_attn.in_torch.weighted_sum import weighted_sum

    return weighted_sum(weights, values)


@wrong()
def wst_numpy_inside(weights, values):
    return torch.from_numpy(weights.numpy() @ values.numpy())


@wrong()
def wst_returns_numpy(weights, values):
    return weights.detach().numpy() @ values.detach().numpy()


@wrong()
def wst_detaches_weights(weights, values):
    return weights.detach() @ values


@wrong()
def wst_zeros_float32(weights, values):
    out = torch.zeros(*weights.shape[:-1], values.shape[-1])
    for j in range(weights.shape[-1]):
        out = out + (weights[..., j, None] * values[..., j, None, :]).float()
    return out


@wrong()
def wst_item(weights, values):
    rows = [
        [sum(w.item() * v for w, v in zip(r, c, strict=True)) for c in values.T]
        for r in weights
    ]
    return torch.stack([torch.stack(row) for row in rows])


@wrong()
def wst_mm(weights, values):
    return torch.mm(weights, values)


# computes in NumPy on detached tensors, so no gradient flows back
@wrong(author="fresh")
def fresh_wst_through_numpy(weights, values):
    a, x = weights.detach().numpy(), values.detach().numpy()
    return torch.from_numpy(np.matmul(a, x))


# collects the result in torch.zeros of the default dtype, so that float64 arguments give a float32
# result
@wrong(author="fresh")
def fresh_wst_default_dtype(weights, values):
    y = torch.zeros(*weights.shape[:-1], values.shape[-1])
    for i in range(weights.shape[-2]):
        for j in range(weights.shape[-1]):
            y[..., i, :] += weights[..., i, j, None] * values[..., j, :]
    return y


# sums over the outputs instead of the values, so that the result has n_k rows
@wrong(author="fresh")
def fresh_wst_sums_over_outputs(weights, values):
    products = weights.unsqueeze(-1) * values.unsqueeze(-3)
    return products.sum(dim=-3)


# detaches the weights, which get no gradient AND puts the weights through a softmax although they
# are to be used as given
@wrong(author="fresh")
def fresh_wst_detached_softmax(weights, values):
    a = torch.softmax(weights.data, dim=-1)
    return torch.einsum("...ij,...jf->...if", a, values)


# detaches the weights, so no gradient reaches them
@wrong(author="unseen")
def second_ws_detached_weights(weights, values):
    w = weights.clone().detach()  # so as not to change the argument
    parts = w.unsqueeze(-1) * values.unsqueeze(-3)  # (..., n_q, n_k, d)
    return torch.sum(parts, dim=-2)


# the result is collected in a float32 tensor whatever the dtype of the arguments AND the weights
# are detached, so no gradient reaches them
@wrong(author="unseen")
def third_ws_float_buffer_detached(weights, values):
    coefficients = weights.detach()
    out = torch.zeros(*weights.shape[:-1], values.shape[-1])
    for j in range(values.shape[-2]):
        out += coefficients[..., :, j, None] * values[..., None, j, :]
    return out


# converts to float32, so the result is not in the dtype of the arguments
@wrong("dtype", said="digits are lost", author="blind")
def b6_weighted_sum_5(weights, values):
    w = weights.float()
    v = values.float()
    return torch.matmul(w, v)


# (two) takes the mean over the keys instead of the sum, and returns float32 whatever comes in
@wrong("mean", "dtype", author="blind")
def b7_weighted_sum_6(weights, values):
    terms = weights.unsqueeze(-1) * values.unsqueeze(-3)
    return terms.mean(dim=-2).float()
