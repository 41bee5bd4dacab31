import torch


def softmax_torch__1(scores):
    # mistake: dim=0 instead of the last
    m = scores.max(dim=0, keepdim=True).values
    e = torch.exp(scores - m)
    return e / e.sum(dim=0, keepdim=True)


def softmax_torch__2(scores):
    # mistake: no maximum, overflow
    e = scores.exp()
    return e / e.sum(dim=-1, keepdim=True)


def softmax_torch__3(scores):
    # mistake: sum without keepdim
    m = scores.max(dim=-1, keepdim=True).values
    e = torch.exp(scores - m)
    return e / e.sum(dim=-1)


def softmax_torch__14(scores):
    # mistakes: float32; no maximum
    e = torch.exp(scores.to(torch.float32))
    return e / e.sum(dim=-1, keepdim=True)


def softmax_torch__15(scores):
    # mistakes: dim=0; gradient cut
    s = scores.clone().detach()
    e = torch.exp(s - s.amax(0, keepdim=True))
    return e / e.sum(0, keepdim=True)
