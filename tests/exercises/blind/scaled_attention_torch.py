import numpy as np
import torch


def scaled_attention_torch__5(Q, K, V):
    # mistake: by way of NumPy, gradient lost (and crash if it is required)
    q, k, v = [t.detach().numpy() for t in (Q, K, V)]
    s = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    e = np.exp(s - s.max(-1, keepdims=True))
    return torch.from_numpy(e / e.sum(-1, keepdims=True) @ v)


def scaled_attention_torch__9(Q, K, V):
    # mistake: bmm needs exactly three axes
    S = torch.bmm(Q, K.transpose(1, 2)) / Q.shape[-1] ** 0.5
    return torch.bmm(torch.softmax(S, dim=-1), V)


def scaled_attention_torch__11(Q, K, V):
    # mistake: queries are transposed, not keys: scores of keys with queries, weights per key
    S = K @ Q.transpose(-2, -1) / Q.shape[-1] ** 0.5
    A = torch.softmax(S, dim=-1)
    return A.transpose(-2, -1) @ V


def scaled_attention_torch__12(Q, K, V):
    # mistake: log_softmax in place of softmax
    S = Q @ K.transpose(-2, -1) / Q.shape[-1] ** 0.5
    return torch.log_softmax(S, dim=-1) @ V


def scaled_attention_torch__14(Q, K, V):
    # mistakes: float32; no scaling
    S = Q.float() @ K.float().transpose(-2, -1)
    return torch.softmax(S, -1) @ V.float()


def scaled_attention_torch__15(Q, K, V):
    # mistakes: dim=1; divided by d_k
    S = Q @ K.transpose(-2, -1) / Q.shape[-1]
    return torch.softmax(S, dim=1) @ V
