"""Answers to `cosine_scores_torch`."""

import torch
import torch.nn.functional as F

from tests.exercises.answers import right, wrong


@right()
def cst_torch_function(Q, K):
    return torch.cosine_similarity(Q[..., :, None, :], K[..., None, :, :], dim=-1)


@right()
def cst_norms(Q, K):
    q, k = Q.norm(dim=-1, keepdim=True), K.norm(dim=-1, keepdim=True)
    return (Q @ K.mT) / (q @ k.mT)


@right(author="fresh")
def fresh_cost_reciprocal_lengths(Q, K):
    q_scale = torch.einsum("...f,...f->...", Q, Q).rsqrt()
    k_scale = torch.einsum("...f,...f->...", K, K).rsqrt()
    letters = "...qf,...kf,...q,...k->...qk"
    return torch.einsum(letters, Q, K, q_scale, k_scale)


@right(author="fresh")
def fresh_cost_key_by_key(Q, K):
    size = torch.linalg.vector_norm
    columns = []
    for key in K.unbind(-2):
        dots = (Q * key.unsqueeze(-2)).sum(-1)
        columns.append(dots / size(Q, dim=-1) / size(key, dim=-1, keepdim=True))
    return torch.stack(columns, dim=-1)


# a sum of sizes is no length
@wrong()
def cst_sum_of_sizes(Q, K):
    import torch.nn.functional as F

    return F.normalize(Q, p=1, dim=-1) @ F.normalize(K, p=1, dim=-1).transpose(
        -1, -2
    )


# subtracts the means
@wrong()
def cst_centered(Q, K):
    q, k = Q - Q.mean(-1, keepdim=True), K - K.mean(-1, keepdim=True)
    q, k = q / q.norm(dim=-1, keepdim=True), k / k.norm(dim=-1, keepdim=True)
    return q @ k.mT


# handed over to the course
@wrong("built-in")
def cst_course(Q, K):
    from course_attn.in_torch.scores import cosine_scores

    return cosine_scores(Q, K)


@wrong()
def cst_default_dim(Q, K):
    import torch.nn.functional as F

    return F.normalize(Q) @ F.normalize(K).transpose(-1, -2)


@wrong()
def cst_t(Q, K):
    return (Q / Q.norm(dim=-1, keepdim=True)) @ (
        K / K.norm(dim=-1, keepdim=True)
    ).t()


@wrong()
def cst_no_grad_lengths(Q, K):
    with torch.no_grad():
        q, k = Q.norm(dim=-1, keepdim=True), K.norm(dim=-1, keepdim=True)
    return (Q / q) @ (K / k).transpose(-1, -2)


@wrong()
def cst_no_keepdim(Q, K):
    return (Q / Q.norm(dim=-1)) @ (K / K.norm(dim=-1)).transpose(-1, -2)


# compares query i with key i only, instead of every query with every key
@wrong(author="fresh")
def fresh_cost_row_meets_row(Q, K):
    return torch.cosine_similarity(Q, K, dim=-1)


# divides by the sum of the absolute entries instead of the Euclidean length
@wrong(author="fresh")
def fresh_cost_l1(Q, K):
    def unit(X):
        rows = [row / row.abs().sum(-1, keepdim=True) for row in X.unbind(-2)]
        return torch.stack(rows, dim=-2)

    return torch.einsum("...qf,...kf->...qk", unit(Q), unit(K))


# computes the lengths without gradient, so that the gradient lacks their part
@wrong(author="fresh")
def fresh_cost_lengths_no_grad(Q, K):
    with torch.no_grad():
        q_size = Q.square().sum(-1, keepdim=True).sqrt()
        k_size = K.square().sum(-1, keepdim=True).sqrt()
    return (Q / q_size) @ (K / k_size).mT


# takes the lengths along the wrong axis, of each feature instead of each vector AND casts
# everything to float32
@wrong(author="fresh")
def fresh_cost_columns_float(Q, K):
    q, k = Q.float(), K.float()
    q = q / q.norm(dim=-2, keepdim=True)
    k = k / k.norm(dim=-2, keepdim=True)
    return torch.matmul(q, k.transpose(-2, -1))


# measures the lengths along axis 1, which is the vectors' axis only when there are no batch axes,
# instead of along the last axis
@wrong(author="unseen")
def second_sc_norm_along_axis_1(Q, K):
    Q = Q / Q.norm(dim=1, keepdim=True)
    K = K / K.norm(dim=1, keepdim=True)
    return Q @ K.transpose(-2, -1)


# torch.nn.functional.normalize works along axis 1 unless told otherwise, so with a batch axis it
# does not normalize along the features
@wrong(author="unseen")
def third_sc_normalize_default_dim(Q, K):
    unit_q = torch.nn.functional.normalize(Q)
    unit_k = torch.nn.functional.normalize(K)
    return unit_q @ unit_k.transpose(-2, -1)


# F.normalize goes along dim=1 unless told, which is the positions in a batch
@wrong(
    "above-one",
    said="`norm` runs along axis 1 instead of along axis -1",
    author="blind",
)
def b6_scores_5(Q, K):
    Qn = F.normalize(Q)
    Kn = F.normalize(K)
    return Qn @ Kn.transpose(-2, -1)


# norm of the whole tensor
@wrong(said="`norm` runs over everything instead of along axis -1", author="blind")
def own_scores_4(Q, K):
    return Q @ K.transpose(-1, -2) / (torch.norm(Q) * torch.norm(K))


# F.normalize goes along dim 1 when no dim is named: with a batch axis this is the axis of the
# queries and not the features
@wrong(
    "above-one",
    said="`norm` runs along axis 1 instead of along axis -1",
    author="blind",
)
def b7_scores_12(Q, K):
    Qn = torch.nn.functional.normalize(Q)
    Kn = torch.nn.functional.normalize(K)
    return Qn @ Kn.transpose(-1, -2)
