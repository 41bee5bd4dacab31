import torch


def grouped_attention_torch__1(Q, K, V):
    # mistake: head h gets head h mod n_kv_heads
    H, G = Q.shape[-3], K.shape[-3]
    idx = torch.arange(H) % G
    K, V = K[..., idx, :, :], V[..., idx, :, :]
    S = Q @ K.transpose(-1, -2) / Q.shape[-1] ** 0.5
    return torch.softmax(S, dim=-1) @ V


def grouped_attention_torch__2(Q, K, V):
    # mistake: no scaling
    r = Q.shape[-3] // K.shape[-3]
    K = K.repeat_interleave(r, dim=-3)
    V = V.repeat_interleave(r, dim=-3)
    return torch.softmax(Q @ K.mT, dim=-1) @ V


def grouped_attention_torch__4(Q, K, V):
    # mistake: heads are taken to be axis 1, right only for four axes
    r = Q.shape[1] // K.shape[1]
    K = K.repeat_interleave(r, dim=1)
    V = V.repeat_interleave(r, dim=1)
    S = Q @ K.transpose(-1, -2) / Q.shape[-1] ** 0.5
    return torch.softmax(S, dim=-1) @ V


def grouped_attention_torch__7(Q, K, V):
    # mistake: the queries of a group are averaged, and all of its heads get the same output
    G = K.shape[-3]
    r = Q.shape[-3] // G
    q = Q.unflatten(-3, (G, r)).mean(dim=-3)
    Y = torch.softmax(q @ K.mT / Q.shape[-1] ** 0.5, dim=-1) @ V
    return Y.repeat_interleave(r, dim=-3)


def grouped_attention_torch__8(Q, K, V):
    # mistakes: keys by floor(h / r) but values by h mod n_kv_heads; divided by d_k without the root
    H, G = Q.shape[-3], K.shape[-3]
    h = torch.arange(H)
    K = K[..., h // (H // G), :, :]
    V = V[..., h % G, :, :]
    return torch.softmax(Q @ K.mT / Q.shape[-1], dim=-1) @ V
