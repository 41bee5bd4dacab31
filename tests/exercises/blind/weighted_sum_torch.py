import torch


def weighted_sum_torch__1(weights, values):
    # mistake: always float32
    return weights.float() @ values.float()


def weighted_sum_torch__2(weights, values):
    # mistake: detached, no gradient comes back
    return weights.detach() @ values.detach()


def weighted_sum_torch__4(weights, values):
    # mistake: torch.bmm, exactly three axes
    return torch.bmm(weights, values)


def weighted_sum_torch__15(weights, values):
    # mistakes: float32; normalized
    w = weights.float()
    return (w / w.sum(-1, keepdim=True)) @ values.float()


def weighted_sum_torch__16(weights, values):
    # mistakes: no gradient; two axes only
    with torch.no_grad():
        return torch.mm(weights, values)
