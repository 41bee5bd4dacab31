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
def cst_no_keepdim(Q, K):
    return (Q / Q.norm(dim=-1)) @ (K / K.norm(dim=-1)).transpose(-1, -2)


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


# F.normalize goes along dim=1 unless told, which is the positions in a batch
@wrong("axis-1", author="blind")
def b6_scores_5(Q, K):
    Qn = F.normalize(Q)
    Kn = F.normalize(K)
    return Qn @ Kn.transpose(-2, -1)


# norm of the whole tensor
@wrong("whole-length", author="blind")
def own_scores_4(Q, K):
    return Q @ K.transpose(-1, -2) / (torch.norm(Q) * torch.norm(K))


# F.normalize goes along dim 1 when no dim is named: with a batch axis this is the axis of the
# queries and not the features
@wrong("axis-1", author="blind")
def b7_scores_12(Q, K):
    Qn = torch.nn.functional.normalize(Q)
    Kn = torch.nn.functional.normalize(K)
    return Qn @ Kn.transpose(-1, -2)


# divides by the sum of the two lengths instead of their product
@wrong("sum-of-lengths", author="blind")
def c6_sum_of_lengths_g02(Q, K):
    lq = torch.sqrt((Q * Q).sum(-1))
    lk = torch.sqrt((K * K).sum(-1))
    return torch.einsum("...id,...jd->...ij", Q, K) / (
        lq.unsqueeze(-1) + lk.unsqueeze(-2)
    )


# the result is filled into float32 zeros, whatever the dtype of the arguments, AND the
# distance 1 - cos is returned
@wrong("distance", "dtype", author="blind")
def k33_zeros_distance(Q, K):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    D = torch.zeros(*Q.shape[:-2], n_q, n_k)
    for i in range(n_q):
        for j in range(n_k):
            a, b = Q[..., i, :], K[..., j, :]
            D[..., i, j] = 1 - (a * b).sum(-1) / (a.norm(dim=-1) * b.norm(dim=-1))
    return D


# lengths are root mean squares AND negative cosines are cut off
@wrong("root-mean-square", "negative-cut-off", author="blind")
def d16_rms(Q, K):
    q_size = (Q**2).mean(-1).sqrt().unsqueeze(-1)
    k_size = (K**2).mean(-1).sqrt().unsqueeze(-2)
    return torch.clamp(Q @ K.mT / (q_size * k_size), min=0)
