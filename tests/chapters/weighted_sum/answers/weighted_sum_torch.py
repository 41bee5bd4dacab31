"""Answers to `weighted_sum_torch`."""

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
def wst_returns_numpy(weights, values):
    return weights.detach().numpy() @ values.detach().numpy()


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


# values lacks a query axis (values.unsqueeze(-3)): with batch axes the broadcast pairs the batch
# axis of values with the queries of weights
@wrong(said="lacks an axis", author="blind")
def fd_wsum_1(weights, values):
    return (weights.unsqueeze(-1) * values).sum(dim=-2)


# the weights lose their signs AND are divided by their sums
@wrong("renormalized", "signs-lost", author="blind")
def absolute_and_renormalized(weights, values):
    w = weights.abs()
    w = w / w.sum(-1, keepdim=True)
    return torch.einsum("...ij,...jd->...id", w, values)
