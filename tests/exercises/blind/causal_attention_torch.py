import torch


def causal_attention_torch__1(Q, K, V):
    # mistake: nan_to_num repairs the output of empty rows, but their gradients are NaN
    nq, nk = Q.shape[-2], K.shape[-2]
    S = Q @ K.transpose(-1, -2) / Q.shape[-1] ** 0.5
    bias = torch.full((nq, nk), float("-inf"), dtype=Q.dtype).triu(nk - nq + 1)
    A = torch.softmax(S + bias, dim=-1)
    return torch.nan_to_num(A) @ V


def causal_attention_torch__2(Q, K, V):
    # mistake: rows that see nothing get the mean of all values
    nq, nk = Q.shape[-2], K.shape[-2]
    S = Q @ K.transpose(-1, -2) / Q.shape[-1] ** 0.5
    future = torch.triu(torch.ones(nq, nk), diagonal=nk - nq + 1).bool()
    S = S.masked_fill(future, torch.finfo(S.dtype).min)
    return torch.softmax(S, -1) @ V


def causal_attention_torch__3(Q, K, V):
    # mistake: tril without offset, aligned to the top left
    S = Q @ K.mT / Q.shape[-1] ** 0.5
    M = torch.tril(torch.ones(S.shape[-2:])).bool()
    S = torch.where(M, S, torch.tensor(float("-inf"), dtype=S.dtype))
    return torch.softmax(S, dim=-1) @ V


def causal_attention_torch__4(Q, K, V):
    # mistake: exp without subtracting the maximum
    nq, nk = Q.shape[-2], K.shape[-2]
    S = Q @ K.transpose(-1, -2) / Q.shape[-1] ** 0.5
    M = torch.ones(nq, nk, dtype=torch.bool).tril(nk - nq)
    E = torch.exp(S) * M
    return E / E.sum(-1, keepdim=True).clamp(min=1e-30) @ V


def causal_attention_torch__7(Q, K, V):
    # mistakes: divided by d_k instead of its root; a query sees one key after its own
    nq, nk = Q.shape[-2], K.shape[-2]
    S = Q @ K.transpose(-1, -2) / Q.shape[-1]
    M = torch.ones(nq, nk, dtype=torch.bool).tril(nk - nq + 1)
    A = torch.softmax(S.masked_fill(~M, -1e30), dim=-1) * M
    return A @ V
