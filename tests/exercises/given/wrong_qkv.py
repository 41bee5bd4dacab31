"""Wrong answers to the exercises of `qkv` as learners write them. Each must be refused."""

import numpy as np

from tests.exercises.answers import Answers

wrong = Answers()


def _softmax(s, axis=-1):
    e = np.exp(s - s.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@wrong("project_qkv")
def pq_self_attention(X, W_Q, W_K, W_V, Z):
    return X @ W_Q, X @ W_K, X @ W_V


@wrong("project_qkv")
def pq_two(X, W_Q, W_K, W_V, Z):
    return X @ W_Q, Z @ W_K


@wrong("project_qkv")
def pq_only_q(X, W_Q, W_K, W_V, Z):
    return X @ W_Q


@wrong("project_qkv")
def pq_dictionary(X, W_Q, W_K, W_V, Z):
    return {"Q": X @ W_Q, "K": Z @ W_K, "V": Z @ W_V}


@wrong("project_qkv")
def pq_keys_of_queries(X, W_Q, W_K, W_V, Z):
    Q = X @ W_Q
    return Q, Q, Z @ W_V


@wrong("project_qkv")
def pq_scaled_keys(X, W_Q, W_K, W_V, Z):
    return X @ W_Q, Z @ W_K / np.sqrt(W_K.shape[1]), Z @ W_V


@wrong("project_qkv", "matrices-swapped")
def pq_swapped_matrices(X, W_Q, W_K, W_V, Z):
    return X @ W_K, Z @ W_Q, Z @ W_V


@wrong("unscaled_attention")
def at_dot_t(Q, K, V):
    return _softmax(Q @ K.T) @ V


@wrong("unscaled_attention")
def at_axis_1(Q, K, V):
    return _softmax(Q @ np.swapaxes(K, -1, -2), axis=1) @ V


@wrong("unscaled_attention")
def at_axis_0(Q, K, V):
    return _softmax(Q @ np.swapaxes(K, -1, -2), axis=0) @ V


@wrong("unscaled_attention")
def at_divided_by_n(Q, K, V):
    return _softmax(Q @ np.swapaxes(K, -1, -2)) @ V / K.shape[-2]


@wrong("unscaled_attention")
def at_global_shift(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2)
    e = np.exp(s - s.max())
    return e / e.sum(-1, keepdims=True) @ V


@wrong("unscaled_attention", said="keepdims=True")
def at_no_keepdims(Q, K, V):
    e = np.exp(Q @ np.swapaxes(K, -1, -2))
    return (e / e.sum(-1)) @ V


@wrong("unscaled_attention")
def at_softmax_of_output(Q, K, V):
    return _softmax(Q @ np.swapaxes(K, -1, -2) @ V)


@wrong("unscaled_attention")
def at_linear(Q, K, V):
    s = np.abs(Q @ np.swapaxes(K, -1, -2))
    return s / s.sum(-1, keepdims=True) @ V


@wrong("unscaled_attention")
def at_scaled_and_wrong_axis(Q, K, V):
    return _softmax(Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1]), axis=-2) @ V


@wrong("unscaled_attention")
def at_both_returned(Q, K, V):
    weights = _softmax(Q @ np.swapaxes(K, -1, -2))
    return weights @ V, weights


@wrong("unscaled_attention", "no-transpose")
def at_no_transpose(Q, K, V):
    return _softmax(Q @ K) @ V


@wrong("unscaled_attention", "no-transpose")
def at_no_transpose_no_shift(Q, K, V):
    e = np.exp(np.matmul(Q, K))
    return e / e.sum(axis=-1, keepdims=True) @ V


@wrong("unscaled_attention", said="keepdims=True")
def at_no_keepdims_shifted(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2)
    e = np.exp(s - s.max(-1, keepdims=True))
    return (e / e.sum(-1)) @ V


@wrong("unscaled_attention", said="keepdims=True")
def at_no_keepdims_at_all(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2)
    e = np.exp(s - s.max(-1))
    return (e / e.sum(-1)) @ V


@wrong("unscaled_attention", said="`@`")
def at_times_values(Q, K, V):
    return _softmax(Q @ np.swapaxes(K, -1, -2)) * V


@wrong("unscaled_attention", "root-of-n-k")
def at_by_root_of_n(Q, K, V):
    return _softmax(Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-2])) @ V


@wrong("unscaled_attention", "negative-scores")
def at_negative(Q, K, V):
    return _softmax(-Q @ np.swapaxes(K, -1, -2)) @ V


@wrong("unscaled_attention", "gaussian")
def at_gaussian(Q, K, V):
    gap = Q[..., :, None, :] - K[..., None, :, :]
    return _softmax(-0.5 * (gap**2).sum(axis=-1)) @ V


@wrong("unscaled_attention", "gaussian", "no-shift")
def at_gaussian_kernel(Q, K, V):
    gap = Q[..., :, None, :] - K[..., None, :, :]
    e = np.exp(-(gap**2).sum(axis=-1) / 2)
    return e / e.sum(axis=-1, keepdims=True) @ V


@wrong("unscaled_attention", said="squared distances")
def at_squared_distance(Q, K, V):
    gap = Q[..., :, None, :] - K[..., None, :, :]
    return _softmax(-(gap**2).sum(axis=-1)) @ V


@wrong("soft_lookup")
def sl_outer(query, keys, values, temperature):
    return _softmax(keys * query / temperature) @ values


@wrong("soft_lookup")
def sl_axis(query, keys, values, temperature):
    return (_softmax(keys @ query / temperature) * values.T).T


@wrong("soft_lookup")
def sl_after(query, keys, values, temperature):
    return _softmax(keys @ query) @ values / temperature


@wrong("soft_lookup")
def sl_row_vector(query, keys, values, temperature):
    return _softmax(query[None] @ keys.T / temperature) @ values


@wrong("soft_lookup")
def sl_nearest(query, keys, values, temperature):
    return values[np.argmax(keys @ query)]


@wrong("soft_lookup", "cosine")
def sl_cosine(query, keys, values, temperature):
    lengths = np.linalg.norm(keys, axis=1) * np.linalg.norm(query)
    return _softmax(keys @ query / lengths / temperature) @ values


@wrong("soft_lookup", "scaled")
def sl_scaled(query, keys, values, temperature):
    return _softmax(keys @ query / temperature / np.sqrt(len(query))) @ values


@wrong("soft_lookup", "power")
def sl_power(query, keys, values, temperature):
    w = _softmax(keys @ query) ** (1 / temperature)
    return w / w.sum() @ values


@wrong("possible_scores")
def ps_symmetric_only():
    return {"c", "e"}


@wrong("possible_scores")
def ps_all():
    return "abcdefg"


@wrong("possible_scores")
def ps_h():
    return {"b", "h"}


def _module(**parts):
    """Make a module class with a forward of its own."""

    def make(d_model, d_k, d_v):
        import torch

        class Mine(torch.nn.Module):
            def __init__(self):
                super().__init__()
                bias = parts.get("bias", False)
                self.W_Q = torch.nn.Linear(d_model, d_k, bias=bias)
                self.W_K = torch.nn.Linear(d_model, d_k, bias=bias)
                if not parts.get("renamed"):
                    self.W_V = torch.nn.Linear(d_model, d_v, bias=bias)

            def forward(self, X):
                return parts["forward"](self, X)

        return Mine()

    return make


@wrong("SelfAttention")
def sa_bias(d_model, d_k, d_v):
    return _module(bias=True, forward=lambda m, X: X)(d_model, d_k, d_v)


@wrong("SelfAttention")
def sa_missing_matrix(d_model, d_k, d_v):
    return _module(renamed=True, forward=lambda m, X: X)(d_model, d_k, d_v)


@wrong("SelfAttention")
def sa_detached(d_model, d_k, d_v):
    def forward(m, X):
        return (m.W_Q(X) @ m.W_K(X).mT).detach().softmax(-1) @ m.W_V(X)

    return _module(forward=forward)(d_model, d_k, d_v)


@wrong("SelfAttention")
def sa_t(d_model, d_k, d_v):
    def forward(m, X):
        return (m.W_Q(X) @ m.W_K(X).t()).softmax(-1) @ m.W_V(X)

    return _module(forward=forward)(d_model, d_k, d_v)


@wrong("SelfAttention")
def sa_a_function(d_model, d_k, d_v):
    return lambda X: X


@wrong("SelfAttention", "weight-not-transposed")
def sa_weight_not_transposed(d_model, d_k, d_v):
    def forward(m, X):
        return (X @ m.W_Q.weight @ (X @ m.W_K.weight).mT).softmax(-1) @ (
            X @ m.W_V.weight
        )

    return _module(forward=forward)(d_model, d_k, d_v)


@wrong("SelfAttention", "one-matrix")
def sa_shared_layer(d_model, d_k, d_v):
    module = _module(
        forward=lambda m, X: (m.W_Q(X) @ m.W_K(X).mT).softmax(-1) @ m.W_V(X)
    )(d_model, d_k, d_v)
    module.W_K = module.W_Q
    return module


@wrong("SelfAttention", "one-matrix")
def sa_shared_weight(d_model, d_k, d_v):
    module = _module(
        forward=lambda m, X: (m.W_Q(X) @ m.W_K(X).mT).softmax(-1) @ m.W_V(X)
    )(d_model, d_k, d_v)
    module.W_K.weight = module.W_Q.weight
    return module


@wrong("SelfAttention", "one-matrix")
def sa_shared_parameter(d_model, d_k, d_v):
    import torch

    class Mine(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.W_Q = self.W_K = torch.nn.Parameter(torch.randn(d_model, d_k))
            self.W_V = torch.nn.Parameter(torch.randn(d_model, d_v))

        def forward(self, X):
            return (X @ self.W_Q @ (X @ self.W_K).mT).softmax(-1) @ (X @ self.W_V)

    return Mine()


@wrong("SelfAttention")
def sa_relu_on_queries(d_model, d_k, d_v):
    def forward(m, X):
        return (m.W_Q(X).relu() @ m.W_K(X).mT).softmax(-1) @ m.W_V(X)

    return _module(forward=forward)(d_model, d_k, d_v)


@wrong("SelfAttention", "no-shift")
def sa_no_shift(d_model, d_k, d_v):
    def forward(m, X):
        e = (m.W_Q(X) @ m.W_K(X).mT).exp()
        return e / e.sum(-1, keepdim=True) @ m.W_V(X)

    return _module(forward=forward)(d_model, d_k, d_v)


@wrong(
    "project_qkv",
    "x-and-z-swapped",
    mistake="X asks and Z answers; here Z asks",
)
def pq_z_asks(X, W_Q, W_K, W_V, Z):
    return Z @ W_Q, X @ W_K, X @ W_V


@wrong("project_qkv", mistake="the keys are divided by √d_k, as scores are later")
def pq_scaled_queries_and_keys(X, W_Q, W_K, W_V, Z):
    r = W_K.shape[1] ** 0.25
    return X @ W_Q / r, Z @ W_K / r, Z @ W_V


@wrong("project_qkv", mistake="`squeeze` drops axes of length 1 that must stay")
def pq_squeezes(X, W_Q, W_K, W_V, Z):
    return (X @ W_Q).squeeze(), (Z @ W_K).squeeze(), (Z @ W_V).squeeze()


@wrong("project_qkv", mistake="the values are made from the keys")
def pq_values_from_keys(X, W_Q, W_K, W_V, Z):
    K = Z @ W_K
    return X @ W_Q, K, K @ W_V


@wrong("project_qkv", "built-in", mistake="PyTorch's version of the course does it")
def pq_course_in_torch(X, W_Q, W_K, W_V, Z):
    import torch

    from course_attn.in_torch.qkv import project_qkv

    X, W_Q, W_K, W_V, Z = map(torch.from_numpy, (X, W_Q, W_K, W_V, Z))
    return [A.numpy() for A in project_qkv(X, W_Q, W_K, W_V, Z=Z)]


@wrong("unscaled_attention", mistake="float32 overflows above 88, not above 709")
def at_shifts_above_700(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2)
    if np.abs(s).max() > 700:
        s = s - s.max(axis=-1, keepdims=True)
    e = np.exp(s)
    return e / e.sum(axis=-1, keepdims=True) @ V


@wrong("unscaled_attention", mistake="the scores are clipped instead of shifted")
def at_clips(Q, K, V):
    e = np.exp(np.clip(Q @ np.swapaxes(K, -1, -2), -700, 700))
    return e / e.sum(axis=-1, keepdims=True) @ V


@wrong("unscaled_attention", mistake="`squeeze` drops axes of length 1")
def at_squeezes(Q, K, V):
    return (_softmax(Q @ np.swapaxes(K, -1, -2)) @ V).squeeze()


@wrong(
    "unscaled_attention",
    mistake="the sum over the keys is missing: shape (…, n_k, d_v)",
)
def at_not_summed(Q, K, V):
    return _softmax(Q @ np.swapaxes(K, -1, -2))[..., None] * V[..., None, :, :]


@wrong(
    "unscaled_attention",
    "whole-array",
    mistake="one softmax over all scores",
)
def at_softmax_over_everything(Q, K, V):
    e = np.exp(Q @ np.swapaxes(K, -1, -2))
    return e / e.sum() @ V


@wrong(
    "unscaled_attention",
    mistake="the features are divided by their lengths only in K",
)
def at_unit_keys(Q, K, V):
    K = K / np.linalg.norm(K, axis=-1, keepdims=True)
    return _softmax(Q @ np.swapaxes(K, -1, -2)) @ V


@wrong("unscaled_attention", mistake="weights below a threshold are set to zero")
def at_sparse(Q, K, V):
    w = _softmax(Q @ np.swapaxes(K, -1, -2))
    return np.where(w < 0.01, 0, w) @ V


@wrong("unscaled_attention", "built-in", mistake="PyTorch's function does it all")
def at_fused(Q, K, V):
    import torch

    Q, K, V = map(torch.from_numpy, (Q, K, V))
    return torch.nn.functional.scaled_dot_product_attention(
        Q, K, V, scale=1.0
    ).numpy()


@wrong("soft_lookup", mistake="shifted before the temperature divides")
def sl_shifted_early(query, keys, values, temperature):
    s = keys @ query
    e = np.exp(s / temperature - s.max())
    return e / e.sum() @ values


@wrong("soft_lookup", mistake="only positive overflow is guarded against")
def sl_shifts_by_positive_maximum(query, keys, values, temperature):
    s = keys @ query / temperature
    e = np.exp(s - max(s.max(), 0))
    return e / e.sum() @ values


@wrong("soft_lookup", mistake="a guard in the denominator that is too large")
def sl_large_guard(query, keys, values, temperature):
    s = keys @ query / temperature
    e = np.exp(s - s.max())
    return e / (e.sum() + 1e-3) @ values


@wrong("soft_lookup", mistake="rounds, which small values do not survive")
def sl_rounds(query, keys, values, temperature):
    return np.round(_softmax(keys @ query / temperature) @ values, 6)


@wrong("soft_lookup", said="product with `values`", mistake="stops at the weights")
def sl_weights(query, keys, values, temperature):
    return _softmax(keys @ query / temperature)


@wrong("soft_lookup", "built-in", mistake="the course's function does it all")
def sl_course_in_torch(query, keys, values, temperature):
    import torch

    from course_attn.in_torch.qkv import soft_lookup

    arrays = map(torch.from_numpy, (query, keys, values))
    return soft_lookup(*arrays, temperature=temperature).numpy()


@wrong("SelfAttention", "frozen", mistake="the parameters cannot learn")
def sa_frozen(d_model, d_k, d_v):
    layer = _module(
        forward=lambda m, X: (m.W_Q(X) @ m.W_K(X).mT).softmax(-1) @ m.W_V(X)
    )(d_model, d_k, d_v)
    layer.requires_grad_(requires_grad=False)
    return layer


@wrong("SelfAttention", "dtype", mistake="computes in float64, whatever X has")
def sa_double(d_model, d_k, d_v):
    def forward(m, X):
        Q, K, V = (layer(X).double() for layer in (m.W_Q, m.W_K, m.W_V))
        return (Q @ K.mT).softmax(-1) @ V

    return _module(forward=forward)(d_model, d_k, d_v)


@wrong("SelfAttention", mistake="dropout on the weights was not asked for")
def sa_dropout(d_model, d_k, d_v):
    def forward(m, X):
        weights = (m.W_Q(X) @ m.W_K(X).mT).softmax(-1)
        return drop(weights) @ m.W_V(X)

    import torch

    drop = torch.nn.Dropout(0.1)
    return _module(forward=forward)(d_model, d_k, d_v)


@wrong("SelfAttention", mistake="the widths of W_K and W_V are mixed up")
def sa_widths(d_model, d_k, d_v):
    import torch

    layer = _module(forward=lambda m, X: X)(d_model, d_k, d_v)
    layer.W_V = torch.nn.Linear(d_model, d_k, bias=False)
    return layer


@wrong("SelfAttention", mistake="float32 overflows above 88, not above 709")
def sa_shifts_above_700(d_model, d_k, d_v):
    def forward(m, X):
        s = m.W_Q(X) @ m.W_K(X).mT
        if s.abs().max() > 700:
            s = s - s.amax(-1, keepdim=True)
        e = s.exp()
        return e / e.sum(-1, keepdim=True) @ m.W_V(X)

    return _module(forward=forward)(d_model, d_k, d_v)


@wrong("SelfAttention", mistake="the values are detached, so W_V cannot learn")
def sa_values_detached(d_model, d_k, d_v):
    def forward(m, X):
        return (m.W_Q(X) @ m.W_K(X).mT).softmax(-1) @ m.W_V(X).detach()

    return _module(forward=forward)(d_model, d_k, d_v)


@wrong("SelfAttention", "unprojected-values", mistake="mixes X, not the values")
def sa_mixes_x(d_model, d_k, d_v):
    def forward(m, X):
        return (m.W_Q(X) @ m.W_K(X).mT).softmax(-1) @ X

    return _module(forward=forward)(d_model, d_k, d_v)


@wrong(
    "keeps_the_output", mistake="c is missing: softmax ignores what a row shares"
)
def ko_nothing_added():
    return {"b", "e", "f"}


@wrong("keeps_the_output", "d", mistake="a vector added to all queries shows")
def ko_queries_like_keys():
    return {"b", "c", "d", "e", "f"}


@wrong("keeps_the_output", "h", mistake="the values are not in the softmax")
def ko_values_like_keys():
    return "bcefh"


@wrong("keeps_the_output", "a", mistake="the order of X is the order of Y")
def ko_order_of_all():
    return {"a", "b", "c", "e", "f"}


@wrong("keeps_the_output", "g", mistake="a key that comes twice weighs more")
def ko_repeats():
    return {"b", "c", "e", "f", "g"}


@wrong("keeps_the_output", said="The changes have the letters a to h.")
def ko_another_letter():
    return {"b", "c", "e", "f", "x"}


@wrong("possible_looks", "a", mistake="one matrix: no mutual look")
def pl_mutual():
    return {"a", "b", "c", "e", "h"}


@wrong("possible_looks", "d", mistake="the longest looks at itself")
def pl_around():
    return {"b", "c", "d", "e", "h"}


@wrong("possible_looks", "e-missing", mistake="symmetric is less than shared")
def pl_symmetric_is_shared():
    return {"b", "c", "h"}


@wrong("possible_looks", "f", mistake="symmetric scores cannot go around")
def pl_symmetric_circle():
    return {"b", "c", "e", "f", "h"}


@wrong("possible_looks", "g", mistake="one number points only two ways")
def pl_circle_on_a_line():
    return "bcegh"


@wrong("possible_looks", "h-missing", mistake="one number points two ways")
def pl_nothing_on_a_line():
    return {"b", "c", "e"}


@wrong("possible_looks", said="letters")
def pl_words():
    return "1→2 and 2→1"


@wrong("possible_scores", "c-missing", mistake="c is possible with a shared matrix")
def ps_without_c():
    return {"b", "g"}


@wrong("possible_scores", "f", mistake="rank 5 with three features")
def ps_identity():
    return {"b", "c", "f", "g"}
