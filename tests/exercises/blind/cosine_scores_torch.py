import torch


def cosine_scores_torch__1(Q, K):
    # mistake: query i meets key i only
    return torch.nn.functional.cosine_similarity(Q, K, dim=-1)


def cosine_scores_torch__2(Q, K):
    # mistake: dim=1 is the features only if there are no batch axes
    q = torch.nn.functional.normalize(Q, dim=1)
    k = torch.nn.functional.normalize(K, dim=1)
    return q @ k.transpose(-1, -2)


def cosine_scores_torch__3(Q, K):
    # mistake: no_grad cuts the gradient
    with torch.no_grad():
        q = Q / Q.norm(dim=-1, keepdim=True)
        k = K / K.norm(dim=-1, keepdim=True)
        return q @ k.mT


def cosine_scores_torch__4(Q, K):
    # mistake: the result is always float32
    q = (Q / Q.norm(dim=-1, keepdim=True)).float()
    k = (K / K.norm(dim=-1, keepdim=True)).float()
    return q @ k.transpose(-2, -1)


def cosine_scores_torch__8(Q, K):
    # mistakes: result is transposed, keys by queries; the lengths are detached, so gradients are wrong
    q = Q / Q.norm(dim=-1, keepdim=True).detach()
    k = K / K.norm(dim=-1, keepdim=True).detach()
    return k @ q.transpose(-2, -1)
