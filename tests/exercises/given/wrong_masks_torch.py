"""Wrong answers to `causal_attention_torch`. Each must be refused."""

from tests.exercises.answers import Answers

wrong = Answers()


@wrong("causal_attention_torch", "built-in")
def cat_handed_over(Q, K, V):
    from course_attn.in_torch.qkv import attention

    return attention(Q, K, V, causal=True)


@wrong("causal_attention_torch")
def cat_bias_nan_to_num(Q, K, V):
    import torch

    s = Q @ K.mT / Q.shape[-1] ** 0.5
    bias = torch.full(s.shape[-2:], -torch.inf).triu(1 + s.shape[-1] - s.shape[-2])
    return (s + bias).softmax(-1).nan_to_num(0.0) @ V


@wrong("causal_attention_torch")
def cat_is_causal(Q, K, V):
    import torch

    return torch.nn.functional.scaled_dot_product_attention(Q, K, V, is_causal=True)


@wrong("causal_attention_torch")
def cat_fused_with_mask(Q, K, V):
    import torch

    n_q, n_k = Q.shape[-2], K.shape[-2]
    mask = torch.ones(n_q, n_k, dtype=torch.bool).tril(n_k - n_q)
    return torch.nn.functional.scaled_dot_product_attention(Q, K, V, attn_mask=mask)


@wrong("causal_attention_torch")
def cat_fills_the_seen(Q, K, V):
    import torch

    s = Q @ K.mT / Q.shape[-1] ** 0.5
    mask = torch.ones(s.shape[-2:], dtype=torch.bool).tril(
        s.shape[-1] - s.shape[-2]
    )
    return s.masked_fill(mask, -1e9).softmax(-1) @ V


@wrong("causal_attention_torch")
def cat_numpy_root_detached(Q, K, V):
    import torch

    s = Q @ K.mT / Q.shape[-1] ** 0.5
    mask = torch.ones(s.shape[-2:], dtype=torch.bool).tril(
        s.shape[-1] - s.shape[-2]
    )
    w = s.masked_fill(~mask, -1e9).softmax(-1) * mask
    return torch.tensor(w.tolist(), dtype=V.dtype) @ V


@wrong("causal_attention_torch", "no-shift")
def cat_no_shift(Q, K, V):
    s = Q @ K.mT / Q.shape[-1] ** 0.5
    e = s.exp().tril(s.shape[-1] - s.shape[-2])
    return e / e.sum(-1, keepdim=True).clamp(min=1e-12) @ V


@wrong("causal_attention_torch", "no-shift", "empty-nan")
def cat_no_shift_unguarded(Q, K, V):
    s = Q @ K.mT / Q.shape[-1] ** 0.5
    e = s.exp().tril(s.shape[-1] - s.shape[-2])
    return e / e.sum(-1, keepdim=True) @ V


@wrong("causal_attention_torch", "renormalized-late")
def cat_renormalized_late(Q, K, V):
    w = (Q @ K.mT / Q.shape[-1] ** 0.5).softmax(-1)
    w = w.tril(w.shape[-1] - w.shape[-2])
    return w / w.sum(-1, keepdim=True) @ V


@wrong("causal_attention_torch", "renormalized-late-guarded")
def cat_renormalized_late_guarded(Q, K, V):
    w = (Q @ K.mT / Q.shape[-1] ** 0.5).softmax(-1)
    w = w.tril(w.shape[-1] - w.shape[-2])
    return w / w.sum(-1, keepdim=True).clamp(min=1e-9) @ V


@wrong("causal_attention_torch", "renormalized-late-guarded")
def cat_shifted_by_the_future(Q, K, V):
    import torch

    n_q, n_k = Q.shape[-2:-1][0], K.shape[-2]
    mask = torch.arange(n_k) <= torch.arange(n_q).unsqueeze(-1) + (n_k - n_q)
    scores = Q @ K.mT / Q.shape[-1] ** 0.5
    powers = torch.exp(scores - scores.detach().amax(-1, keepdim=True)) * mask
    return powers @ V / powers.sum(-1, keepdim=True).clamp(min=1e-30)


@wrong("causal_attention_torch", "shift-cut-at-0")
def cat_shift_cut_at_0(Q, K, V):
    import torch

    s = Q @ K.mT / Q.shape[-1] ** 0.5
    shift = max(0, s.shape[-1] - s.shape[-2])
    mask = torch.ones(s.shape[-2:], dtype=torch.bool).tril(shift)
    return s.masked_fill(~mask, float("-inf")).softmax(-1) @ V


@wrong("causal_attention_torch", mistake="divides by the square root of d_v")
def cat_root_of_d_v(Q, K, V):
    import torch

    s = Q @ K.mT / V.shape[-1] ** 0.5
    mask = torch.ones(s.shape[-2:], dtype=torch.bool).tril(
        s.shape[-1] - s.shape[-2]
    )
    return s.masked_fill(~mask, -1e9).softmax(-1).masked_fill(~mask, 0.0) @ V


@wrong("causal_attention_torch", mistake="absolute value of the shift")
def cat_absolute_shift(Q, K, V):
    import torch

    s = Q @ K.mT / Q.shape[-1] ** 0.5
    mask = torch.ones(s.shape[-2:], dtype=torch.bool).tril(
        abs(s.shape[-1] - s.shape[-2])
    )
    return s.masked_fill(~mask, -1e9).softmax(-1).masked_fill(~mask, 0.0) @ V


@wrong("causal_attention_torch", mistake="float64 for float32 arguments")
def cat_double(Q, K, V):
    import torch

    s = Q.double() @ K.double().mT / Q.shape[-1] ** 0.5
    mask = torch.ones(s.shape[-2:], dtype=torch.bool).tril(
        s.shape[-1] - s.shape[-2]
    )
    return (
        s.masked_fill(~mask, -1e9).softmax(-1).masked_fill(~mask, 0.0) @ V.double()
    )


@wrong("causal_attention_torch", mistake="shift computed outside of the row")
def cat_global_shift(Q, K, V):
    import torch

    s = Q @ K.mT / Q.shape[-1] ** 0.5
    mask = torch.ones(s.shape[-2:], dtype=torch.bool).tril(
        s.shape[-1] - s.shape[-2]
    )
    s = s.masked_fill(~mask, -torch.inf)
    e = (s - s.max()).exp()
    return e / e.sum(-1, keepdim=True).clamp(min=1e-20) @ V
