"""Answers to `softmax_torch`."""

import math
from functools import reduce

import torch

from tests.exercises.answers import right, wrong


@right()
def smt_detached_shift(scores):
    e = (scores - scores.detach().amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)


@right()
def smt_logsumexp(scores):
    return torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))


@right()
def smt_log_softmax_as_a_step(scores):
    return torch.log_softmax(scores, dim=-1).exp()


@right()
def smt_double_inside(scores):
    s = scores.double()
    e = (s - s.max(dim=-1, keepdim=True).values).exp()
    return (e / e.sum(-1, keepdim=True)).to(scores.dtype)


@right()
def smt_max_of_pairs(scores):
    top, _ = scores.max(-1)
    e = (scores - top[..., None]).exp()
    return e.div(e.sum(-1).unsqueeze(-1))


@right(author="fresh")
def fresh_smt_columns(scores):
    columns = scores.movedim(-1, 0)
    powers = torch.exp(columns - reduce(torch.maximum, columns))
    return (powers / reduce(torch.add, powers)).movedim(0, -1)


@right(author="fresh")
def fresh_smt_sorted_einsum(scores):
    top = scores.detach().sort(dim=-1, descending=True).values[..., :1]
    e = (scores - top).exp()
    return e * torch.einsum("...j->...", e).reciprocal().unsqueeze(-1)


@wrong()
def smt_method(scores):
    return scores.softmax(-1)


@wrong()
def smt_max_without_values(scores):
    e = (scores - scores.max(dim=-1, keepdim=True)).exp()
    return e / e.sum(dim=-1, keepdim=True)


def torch_exp(values):
    return torch.exp(values)


# max and sum of everything
@wrong("one-row-only")
def smt_book_1d(scores):
    e = torch_exp(scores - scores.max())
    return e / e.sum()


# shifts only above 700
@wrong()
def smt_shift_above_700(scores):
    top = scores.amax(dim=-1, keepdim=True)
    e = torch_exp(scores - top * (top.abs() > 700))
    return e / e.sum(dim=-1, keepdim=True)


# builds a new tensor from plain numbers, so that no gradient flows
@wrong(author="fresh")
def fresh_smt_plain_numbers(scores):
    def recurse(part):
        if isinstance(part[0], list):
            return [recurse(p) for p in part]
        top = max(part)
        powers = [math.exp(s - top) for s in part]
        total = math.fsum(powers)
        return [p / total for p in powers]

    return torch.tensor(recurse(scores.tolist()), dtype=scores.dtype)


# subtracts one maximum for the whole tensor, so that rows far below it underflow AND sums over the
# first axis, not over the last
@wrong(author="fresh")
def fresh_smt_one_max_first_axis(scores):
    e = torch.exp(scores - torch.max(scores))
    return e / torch.sum(e, dim=0)


# takes the sum inside no_grad as if it were a constant, so the weights are right but the gradient
# lacks the sum's part
@wrong(author="unseen")
def second_sm_sum_as_constant(scores):
    with torch.no_grad():  # only constants, to keep the numbers small
        largest = scores.max(dim=-1, keepdim=True).values
        total = torch.exp(scores - largest).sum(dim=-1, keepdim=True)
    return torch.exp(scores - largest) / total


# clips large scores to avoid overflow instead of subtracting the maximum of each row
@wrong(author="unseen")
def third_sm_clamped(scores):
    powers = torch.exp(torch.clamp(scores, min=-80, max=80))
    return powers / powers.sum(dim=-1, keepdim=True)


# subtracts the largest absolute value, so a row of very negative scores becomes 0/0 AND stores the
# weights in a float32 tensor whatever the dtype of the scores
@wrong(said="you return float32", author="unseen")
def fourth_sm_absolute_float32(scores):
    n = scores.shape[-1]
    powers = torch.exp(scores - scores.abs().amax(dim=-1, keepdim=True))
    total = sum(powers[..., j] for j in range(n))
    weights = torch.zeros(scores.shape)
    for j in range(n):
        weights[..., j] = powers[..., j] / total
    return weights


# subtracts the *position* of the maximum (argmax), not its value
@wrong("argmax-shift", author="blind")
def b6_softmax_6(scores):
    top = scores.argmax(dim=-1, keepdim=True)
    e = torch.exp(scores - top)
    return e / e.sum(dim=-1, keepdim=True)


# (two) the sum goes along dim=1, right for two axes only, and the result comes back in float64
@wrong("dtype", author="blind")
def b7_softmax_18(scores):
    x = scores.double()
    x = x - x.amax(dim=-1, keepdim=True)
    e = torch.exp(x)
    return e / e.sum(dim=1, keepdim=True)


# max(dim=...) returns values and indices; .values is missing, so the subtraction raises a
# TypeError
@wrong(said="take `.values`", author="blind")
def fa_38(scores):
    shifted = scores - scores.max(dim=-1, keepdim=True)
    exps = torch.exp(shifted)
    return exps / exps.sum(dim=-1, keepdim=True)


# scores are divided by the largest AND the logarithms are returned
@wrong("divided-by-the-largest", "log-returned", author="blind")
def d16_st(scores):
    m = scores.amax(-1, keepdim=True)
    z = scores / m
    e = torch.exp(z)
    return torch.log(e / e.sum(-1, keepdim=True))
