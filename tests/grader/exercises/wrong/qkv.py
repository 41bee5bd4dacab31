"""Wrong answers to the exercises of `qkv` as learners write them. Each must be refused."""

import numpy as np

from tests.grader.exercises.answers import Answers

answers = Answers()


def _softmax(s, axis=-1):
    e = np.exp(s - s.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@answers("project_qkv")
def pq_self_attention(X, Z, W_Q, W_K, W_V):
    return X @ W_Q, X @ W_K, X @ W_V


@answers("project_qkv")
def pq_two(X, Z, W_Q, W_K, W_V):
    return X @ W_Q, Z @ W_K


@answers("project_qkv")
def pq_only_q(X, Z, W_Q, W_K, W_V):
    return X @ W_Q


@answers("project_qkv")
def pq_dictionary(X, Z, W_Q, W_K, W_V):
    return {"Q": X @ W_Q, "K": Z @ W_K, "V": Z @ W_V}


@answers("project_qkv")
def pq_keys_of_queries(X, Z, W_Q, W_K, W_V):
    Q = X @ W_Q
    return Q, Q, Z @ W_V


@answers("project_qkv")
def pq_scaled_keys(X, Z, W_Q, W_K, W_V):
    return X @ W_Q, Z @ W_K / np.sqrt(W_K.shape[1]), Z @ W_V


@answers("project_qkv", "matrices-swapped")
def pq_swapped_matrices(X, Z, W_Q, W_K, W_V):
    return X @ W_K, Z @ W_Q, Z @ W_V


@answers("attention")
def at_dot_t(Q, K, V):
    return _softmax(Q @ K.T) @ V


@answers("attention")
def at_axis_1(Q, K, V):
    return _softmax(Q @ np.swapaxes(K, -1, -2), axis=1) @ V


@answers("attention")
def at_axis_0(Q, K, V):
    return _softmax(Q @ np.swapaxes(K, -1, -2), axis=0) @ V


@answers("attention")
def at_divided_by_n(Q, K, V):
    return _softmax(Q @ np.swapaxes(K, -1, -2)) @ V / K.shape[-2]


@answers("attention")
def at_global_shift(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2)
    e = np.exp(s - s.max())
    return e / e.sum(-1, keepdims=True) @ V


@answers("attention", said="keepdims=True")
def at_no_keepdims(Q, K, V):
    e = np.exp(Q @ np.swapaxes(K, -1, -2))
    return (e / e.sum(-1)) @ V


@answers("attention")
def at_softmax_of_output(Q, K, V):
    return _softmax(Q @ np.swapaxes(K, -1, -2) @ V)


@answers("attention")
def at_linear(Q, K, V):
    s = np.abs(Q @ np.swapaxes(K, -1, -2))
    return s / s.sum(-1, keepdims=True) @ V


@answers("attention")
def at_scaled_and_wrong_axis(Q, K, V):
    return _softmax(Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1]), axis=-2) @ V


@answers("attention")
def at_both_returned(Q, K, V):
    weights = _softmax(Q @ np.swapaxes(K, -1, -2))
    return weights @ V, weights


@answers("attention", "no-transpose")
def at_no_transpose(Q, K, V):
    return _softmax(Q @ K) @ V


@answers("attention", "no-transpose")
def at_no_transpose_no_shift(Q, K, V):
    e = np.exp(np.matmul(Q, K))
    return e / e.sum(axis=-1, keepdims=True) @ V


@answers("attention", said="keepdims=True")
def at_no_keepdims_shifted(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2)
    e = np.exp(s - s.max(-1, keepdims=True))
    return (e / e.sum(-1)) @ V


@answers("attention", said="keepdims=True")
def at_no_keepdims_at_all(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2)
    e = np.exp(s - s.max(-1))
    return (e / e.sum(-1)) @ V


@answers("attention", "elementwise")
def at_times_values(Q, K, V):
    return _softmax(Q @ np.swapaxes(K, -1, -2)) * V


@answers("attention", "root-of-n-k")
def at_by_root_of_n(Q, K, V):
    return _softmax(Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-2])) @ V


@answers("attention", "negative-scores")
def at_negative(Q, K, V):
    return _softmax(-Q @ np.swapaxes(K, -1, -2)) @ V


@answers("attention", "gaussian")
def at_gaussian(Q, K, V):
    gap = Q[..., :, None, :] - K[..., None, :, :]
    return _softmax(-0.5 * (gap**2).sum(axis=-1)) @ V


@answers("attention", "gaussian", "no-shift")
def at_gaussian_kernel(Q, K, V):
    gap = Q[..., :, None, :] - K[..., None, :, :]
    e = np.exp(-(gap**2).sum(axis=-1) / 2)
    return e / e.sum(axis=-1, keepdims=True) @ V


@answers("attention", "distance")
def at_squared_distance(Q, K, V):
    gap = Q[..., :, None, :] - K[..., None, :, :]
    return _softmax(-(gap**2).sum(axis=-1)) @ V


@answers("soft_lookup")
def sl_outer(query, keys, values, temperature):
    return _softmax(keys * query / temperature) @ values


@answers("soft_lookup")
def sl_axis(query, keys, values, temperature):
    return (_softmax(keys @ query / temperature) * values.T).T


@answers("soft_lookup")
def sl_after(query, keys, values, temperature):
    return _softmax(keys @ query) @ values / temperature


@answers("soft_lookup")
def sl_row_vector(query, keys, values, temperature):
    return _softmax(query[None] @ keys.T / temperature) @ values


@answers("soft_lookup")
def sl_nearest(query, keys, values, temperature):
    return values[np.argmax(keys @ query)]


@answers("soft_lookup", "cosine")
def sl_cosine(query, keys, values, temperature):
    lengths = np.linalg.norm(keys, axis=1) * np.linalg.norm(query)
    return _softmax(keys @ query / lengths / temperature) @ values


@answers("soft_lookup", "scaled")
def sl_scaled(query, keys, values, temperature):
    return _softmax(keys @ query / temperature / np.sqrt(len(query))) @ values


@answers("soft_lookup", "power")
def sl_power(query, keys, values, temperature):
    w = _softmax(keys @ query) ** (1 / temperature)
    return w / w.sum() @ values


@answers("possible_scores")
def ps_symmetric_only():
    return {"c", "e"}


@answers("possible_scores")
def ps_all():
    return "abcdefg"


@answers("possible_scores")
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


@answers("SelfAttention")
def sa_bias(d_model, d_k, d_v):
    return _module(bias=True, forward=lambda m, X: X)(d_model, d_k, d_v)


@answers("SelfAttention")
def sa_missing_matrix(d_model, d_k, d_v):
    return _module(renamed=True, forward=lambda m, X: X)(d_model, d_k, d_v)


@answers("SelfAttention")
def sa_detached(d_model, d_k, d_v):
    def forward(m, X):
        return (m.W_Q(X) @ m.W_K(X).mT).detach().softmax(-1) @ m.W_V(X)

    return _module(forward=forward)(d_model, d_k, d_v)


@answers("SelfAttention")
def sa_t(d_model, d_k, d_v):
    def forward(m, X):
        return (m.W_Q(X) @ m.W_K(X).t()).softmax(-1) @ m.W_V(X)

    return _module(forward=forward)(d_model, d_k, d_v)


@answers("SelfAttention")
def sa_a_function(d_model, d_k, d_v):
    return lambda X: X


@answers("SelfAttention", "weight-not-transposed")
def sa_weight_not_transposed(d_model, d_k, d_v):
    def forward(m, X):
        return (X @ m.W_Q.weight @ (X @ m.W_K.weight).mT).softmax(-1) @ (
            X @ m.W_V.weight
        )

    return _module(forward=forward)(d_model, d_k, d_v)


@answers("SelfAttention", "one-matrix")
def sa_shared_layer(d_model, d_k, d_v):
    module = _module(
        forward=lambda m, X: (m.W_Q(X) @ m.W_K(X).mT).softmax(-1) @ m.W_V(X)
    )(d_model, d_k, d_v)
    module.W_K = module.W_Q
    return module


@answers("SelfAttention", "one-matrix")
def sa_shared_weight(d_model, d_k, d_v):
    module = _module(
        forward=lambda m, X: (m.W_Q(X) @ m.W_K(X).mT).softmax(-1) @ m.W_V(X)
    )(d_model, d_k, d_v)
    module.W_K.weight = module.W_Q.weight
    return module


@answers("SelfAttention", "one-matrix")
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


@answers("SelfAttention")
def sa_relu_on_queries(d_model, d_k, d_v):
    def forward(m, X):
        return (m.W_Q(X).relu() @ m.W_K(X).mT).softmax(-1) @ m.W_V(X)

    return _module(forward=forward)(d_model, d_k, d_v)


@answers("SelfAttention", "no-shift")
def sa_no_shift(d_model, d_k, d_v):
    def forward(m, X):
        e = (m.W_Q(X) @ m.W_K(X).mT).exp()
        return e / e.sum(-1, keepdim=True) @ m.W_V(X)

    return _module(forward=forward)(d_model, d_k, d_v)
