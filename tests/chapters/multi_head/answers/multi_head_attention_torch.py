"""Answers to `MultiHeadAttention`."""

import math

import torch
import torch.nn.functional as F

from tests.exercises.answers import right, wrong


@right()
def module_fused(d_model, n_heads):
    import torch.nn.functional as F

    class Mine(torch.nn.Module):
        def __init__(self):
            super().__init__()
            for name in ("W_Q", "W_K", "W_V", "W_O"):
                setattr(self, name, torch.nn.Linear(d_model, d_model, bias=False))

        def forward(self, X, mask):
            Q, K, V = (
                W(X).unflatten(-1, (n_heads, -1)).transpose(-2, -3)
                for W in (self.W_Q, self.W_K, self.W_V)
            )
            out = F.scaled_dot_product_attention(Q, K, V, attn_mask=mask)
            return self.W_O(out.transpose(-2, -3).flatten(-2))

    return Mine()


@right()
def module_loop_of_parameters(d_model, n_heads):
    class Mine(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.d_k = d_model // n_heads
            for name in ("W_Q", "W_K", "W_V", "W_O"):
                W = torch.nn.Parameter(torch.randn(d_model, d_model))
                setattr(self, name, W)
            self.dropout = torch.nn.Dropout(0.0)

        def forward(self, X, mask):
            heads = []
            for h in range(n_heads):
                part = slice(h * self.d_k, (h + 1) * self.d_k)
                Q, K, V = (X @ W[:, part] for W in (self.W_Q, self.W_K, self.W_V))
                scores = Q @ K.mT / self.d_k**0.5
                scores = torch.where(mask, scores, -1e9)
                heads.append(self.dropout(scores.softmax(-1)) @ V)
            return torch.cat(heads, dim=-1) @ self.W_O

    return Mine()


@right(author="fresh")
class FreshEinsum(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            self.add_module(name, torch.nn.Linear(d_model, d_model, bias=False))

    def forward(self, X, mask):
        q, k, v = (
            layer(X).unflatten(-1, (self.n_heads, -1))
            for layer in (self.W_Q, self.W_K, self.W_V)
        )
        s = torch.einsum("...ihc,...jhc->...hij", q, k) / q.shape[-1] ** 0.5
        a = torch.softmax(s.masked_fill(mask.logical_not(), float("-inf")), dim=-1)
        return self.W_O(torch.einsum("...hij,...jhc->...ihc", a, v).flatten(-2))


@right(author="fresh")
class FreshLoop(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads, self.d_k = n_heads, d_model // n_heads
        self.W_Q = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_K = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_V = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_O = torch.nn.Linear(d_model, d_model, bias=False)

    def forward(self, X, mask):
        def head(h):
            rows = slice(h * self.d_k, (h + 1) * self.d_k)
            q = F.linear(X, self.W_Q.weight[rows])
            k = F.linear(X, self.W_K.weight[rows])
            v = F.linear(X, self.W_V.weight[rows])
            found = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
            return F.linear(found, self.W_O.weight[:, rows])

        return sum(head(h) for h in range(self.n_heads))


def _module(forward, bias=False, narrow=False, missing=()):
    def make(d_model, n_heads):
        class Mine(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.n_heads = n_heads
                self.d_k = d_model // n_heads
                width = self.d_k if narrow else d_model
                for name in {"W_Q", "W_K", "W_V", "W_O"} - set(missing):
                    W = torch.nn.Linear(d_model, width, bias=bias)
                    setattr(self, name, W)

        Mine.forward = forward
        return Mine()

    return make


@wrong("bias")
def module_bias(d_model, n_heads):
    def forward(m, X, mask):
        heads = F.scaled_dot_product_attention(*_torch_heads(m, X), attn_mask=mask)
        return m.W_O(heads.transpose(-2, -3).reshape(X.shape))

    return _module(forward, bias=True)(d_model, n_heads)


@wrong("weight-shape")
def module_narrow(d_model, n_heads):
    return _module(lambda m, X, mask: X, narrow=True)(d_model, n_heads)


@wrong("attribute")
def module_without_output_matrix(d_model, n_heads):
    return _module(lambda m, X, mask: X, missing=["W_O"])(d_model, n_heads)


def _torch_heads(m, X):
    shape = (*X.shape[:-1], m.n_heads, m.d_k)
    return (W(X).reshape(shape).transpose(-2, -3) for W in (m.W_Q, m.W_K, m.W_V))


@wrong("gradient")
def module_detached(d_model, n_heads):
    def forward(m, X, mask):
        Q, K, V = _torch_heads(m, X)
        scores = (Q @ K.mT / m.d_k**0.5).masked_fill(~mask, float("-inf"))
        out = scores.softmax(-1).detach() @ V
        return m.W_O(out.transpose(-2, -3).reshape(X.shape))

    return _module(forward)(d_model, n_heads)


@wrong("no-scale", "no-mask")
def module_without_mask_and_scale(d_model, n_heads):
    def forward(m, X, mask):
        Q, K, V = _torch_heads(m, X)
        out = (Q @ K.mT).softmax(-1) @ V
        return m.W_O(out.transpose(-2, -3).reshape(X.shape))

    return _module(forward)(d_model, n_heads)


@wrong()
def module_of_pytorch(d_model, n_heads):
    def forward(m, X, mask):
        inner = torch.nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        return inner.to(X.dtype)(X, X, X, attn_mask=~mask, need_weights=False)[0]

    return _module(forward)(d_model, n_heads)


@wrong("built-in")
def module_handed_to_the_function(d_model, n_heads):
    from torch.nn.functional import multi_head_attention_forward

    def forward(m, X, mask):
        rows = X.flatten(0, -3) if X.ndim > 3 else X
        rows = rows.transpose(0, 1) if rows.ndim > 2 else rows[:, None]
        out = multi_head_attention_forward(
            rows,
            rows,
            rows,
            X.shape[-1],
            m.n_heads,
            None,
            None,
            None,
            None,
            False,
            0.0,
            m.W_O.weight,
            None,
            need_weights=False,
            attn_mask=~mask,
            use_separate_proj_weight=True,
            q_proj_weight=m.W_Q.weight,
            k_proj_weight=m.W_K.weight,
            v_proj_weight=m.W_V.weight,
        )[0]
        return out.transpose(0, 1).reshape(X.shape)

    return _module(forward)(d_model, n_heads)


def _attended(m, X, mask, scale=None):
    Q, K, V = _torch_heads(m, X)
    S = (Q @ K.mT / (scale or m.d_k**0.5)).masked_fill(~mask, float("-inf"))
    return (S.softmax(-1) @ V).transpose(-2, -3).reshape(X.shape)


# the parameters cannot learn
@wrong("frozen")
def module_frozen(d_model, n_heads):
    layer = _module(lambda m, X, mask: m.W_O(_attended(m, X, mask)))(
        d_model, n_heads
    )
    return layer.requires_grad_(False)


# parameters that all start at zero
@wrong("constant")
def module_of_zeros(d_model, n_heads):
    layer = _module(lambda m, X, mask: m.W_O(_attended(m, X, mask)))(
        d_model, n_heads
    )
    for W in layer.parameters():
        torch.nn.init.zeros_(W)
    return layer


# one map serves for queries and keys
@wrong("shared")
def module_with_one_map_for_two(d_model, n_heads):
    layer = _module(lambda m, X, mask: m.W_O(_attended(m, X, mask)))(
        d_model, n_heads
    )
    layer.W_K = layer.W_Q
    return layer


# the stored weight is transposed
@wrong()
def module_weights_as_they_lie(d_model, n_heads):
    def forward(m, X, mask):
        shape = (*X.shape[:-1], m.n_heads, m.d_k)
        Q, K, V = (
            (X @ W.weight).reshape(shape).transpose(-2, -3)
            for W in (m.W_Q, m.W_K, m.W_V)
        )
        S = (Q @ K.mT / m.d_k**0.5).masked_fill(~mask, float("-inf"))
        return m.W_O((S.softmax(-1) @ V).transpose(-2, -3).reshape(X.shape))

    return _module(forward)(d_model, n_heads)


# heads joined without swapping the axes back
@wrong()
def module_reshaped_at_once(d_model, n_heads):
    def forward(m, X, mask):
        Q, K, V = _torch_heads(m, X)
        S = (Q @ K.mT / m.d_k**0.5).masked_fill(~mask, float("-inf"))
        return m.W_O((S.softmax(-1) @ V).reshape(X.shape))

    return _module(forward)(d_model, n_heads)


# scales twice: divides the queries by the root of d_k, and scaled_dot_product_attention does it
# again
@wrong(author="fresh")
class FreshScaledTwice(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.d_k = d_model // n_heads
        for name in "QKVO":
            layer = torch.nn.Linear(d_model, d_model, bias=False)
            setattr(self, "W_" + name, layer)

    def forward(self, X, mask):
        q = self.W_Q(X) / math.sqrt(self.d_k)
        k, v = self.W_K(X), self.W_V(X)
        heads = [
            F.scaled_dot_product_attention(a, b, c, attn_mask=mask)
            for a, b, c in zip(
                q.split(self.d_k, -1),
                k.split(self.d_k, -1),
                v.split(self.d_k, -1),
            )
        ]
        return self.W_O(torch.cat(heads, dim=-1))


# computes keys and values from the queries, W_K(W_Q(X)) and W_V(W_Q(X)), not from X
@wrong(author="fresh")
class FreshChained(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_Q = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_K = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_V = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_O = torch.nn.Linear(d_model, d_model, bias=False)

    def forward(self, X, mask):
        X = self.W_Q(X)
        Q = X.unflatten(-1, (self.n_heads, -1))
        K = self.W_K(X).unflatten(-1, (self.n_heads, -1))
        V = self.W_V(X).unflatten(-1, (self.n_heads, -1))
        S = torch.einsum("...ihc,...jhc->...hij", Q, K) / Q.shape[-1] ** 0.5
        A = S.masked_fill(~mask, -math.inf).softmax(-1)
        return self.W_O(torch.einsum("...hij,...jhc->...ihc", A, V).flatten(-2))


# multiplies X by the stored weights W_Q, W_K and W_V without transposing them AND ignores the mask
# it is given, using a causal one always
@wrong(author="fresh")
class FreshRawWeights(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_Q = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_K = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_V = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_O = torch.nn.Linear(d_model, d_model, bias=False)

    def forward(self, X, mask):
        width = X.shape[-1] // self.n_heads
        results = []
        for h in range(self.n_heads):
            cols = slice(h * width, (h + 1) * width)
            q, k, v = (
                X @ layer.weight[:, cols]
                for layer in (self.W_Q, self.W_K, self.W_V)
            )
            s = q @ k.mT / width**0.5
            later = torch.ones_like(s, dtype=torch.bool).triu(1)
            results.append(s.masked_fill(later, -math.inf).softmax(-1) @ v)
        return self.W_O(torch.cat(results, -1))


# ignores the mask it is given and always uses a causal one
@wrong(author="unseen")
class SecondMhAlwaysCausal(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            setattr(self, name, torch.nn.Linear(d_model, d_model, bias=False))

    def _split(self, X):
        return X.unflatten(-1, (self.n_heads, -1)).transpose(-2, -3)

    def _merge(self, X):
        return X.transpose(-2, -3).flatten(-2)

    def forward(self, X, mask):
        Q, K, V = (
            self._split(layer(X)) for layer in (self.W_Q, self.W_K, self.W_V)
        )
        heads = torch.nn.functional.scaled_dot_product_attention(
            Q, K, V, is_causal=True
        )
        return self.W_O(self._merge(heads))


# makes numbers of the mask, which scaled_dot_product_attention adds to the scores as 0 and 1, so
# that nothing is hidden
@wrong(author="unseen")
class ThirdMhFloatMask(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_Q = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_K = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_V = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_O = torch.nn.Linear(d_model, d_model, bias=False)

    def split(self, X):
        return X.unflatten(-1, (self.n_heads, -1)).transpose(-2, -3)

    def forward(self, X, mask):
        Q, K, V = (
            self.split(self.W_Q(X)),
            self.split(self.W_K(X)),
            self.split(self.W_V(X)),
        )
        Y = torch.nn.functional.scaled_dot_product_attention(
            Q, K, V, attn_mask=mask.to(X.dtype)
        )
        return self.W_O(Y.transpose(-2, -3).flatten(-2))


# (two) fills with -inf where the mask is True (allowed), and merges the heads by reshape without
# swapping the axes back
@wrong("mask-inverted", "joined-by-reshape", author="blind")
class B7MultiHead42(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_Q = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_K = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_V = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_O = torch.nn.Linear(d_model, d_model, bias=False)

    def forward(self, X, mask):
        *lead, n, d = X.shape
        d_k = d // self.n_heads
        q = self.W_Q(X).view(*lead, n, self.n_heads, d_k).transpose(-3, -2)
        k = self.W_K(X).view(*lead, n, self.n_heads, d_k).transpose(-3, -2)
        v = self.W_V(X).view(*lead, n, self.n_heads, d_k).transpose(-3, -2)
        s = q @ k.transpose(-1, -2) / d_k**0.5
        s = s.masked_fill(mask, -1e9)
        y = torch.softmax(s, dim=-1) @ v
        return self.W_O(y.reshape(X.shape))


# the last axis is cut as (d_head, n_heads), and joined in the same way
@wrong("cut-and-joined-in-turn", author="blind")
class BlMhInterleaved(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_Q = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_K = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_V = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_O = torch.nn.Linear(d_model, d_model, bias=False)

    def split(self, x):
        x = x.reshape(*x.shape[:-1], -1, self.n_heads)
        return x.movedim(-1, -3)

    def forward(self, X, mask):
        q, k, v = (self.split(W(X)) for W in (self.W_Q, self.W_K, self.W_V))
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.W_O(out.movedim(-3, -1).flatten(-2))


# the values are made with W_K
@wrong("values-from-W_K", author="blind")
class BlMhValuesByWK(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_Q = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_K = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_V = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_O = torch.nn.Linear(d_model, d_model, bias=False)

    def forward(self, X, mask):
        q_parts = self.W_Q(X).chunk(self.n_heads, dim=-1)
        k_parts = self.W_K(X).chunk(self.n_heads, dim=-1)
        v_parts = self.W_K(X).chunk(self.n_heads, dim=-1)
        outs = []
        for q, k, v in zip(q_parts, k_parts, v_parts, strict=True):
            s = q @ k.mT / math.sqrt(q.shape[-1])
            s = s.masked_fill(~mask, float("-inf"))
            outs.append(s.softmax(-1) @ v)
        return self.W_O(torch.cat(outs, dim=-1))


# the heads' contributions are averaged instead of added: divided by n_heads at the end
@wrong("heads-averaged", author="blind")
class F6MeanOfHeads(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        P = torch.nn.Parameter
        self.W_Q = P(torch.randn(d_model, d_model) / d_model**0.5)
        self.W_K = P(torch.randn(d_model, d_model) / d_model**0.5)
        self.W_V = P(torch.randn(d_model, d_model) / d_model**0.5)
        self.W_O = P(torch.randn(d_model, d_model) / d_model**0.5)

    def forward(self, X, mask):
        d_k = X.shape[-1] // self.n_heads
        total = 0
        for h in range(self.n_heads):
            cols = slice(h * d_k, (h + 1) * d_k)
            q, k, v = (
                X @ self.W_Q[:, cols],
                X @ self.W_K[:, cols],
                X @ self.W_V[:, cols],
            )
            s = (q @ k.transpose(-1, -2) / d_k**0.5).masked_fill(
                ~mask, float("-inf")
            )
            total = total + torch.softmax(s, -1) @ v @ self.W_O[cols]
        return total / self.n_heads


# the values are made with W_K, and W_O is not used
@wrong("values-from-W_K", "no-output-matrix", author="blind")
class r04_values_from_wk_no_wo(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_Q = torch.nn.Parameter(torch.randn(d_model, d_model))
        self.W_K = torch.nn.Parameter(torch.randn(d_model, d_model))
        self.W_V = torch.nn.Parameter(torch.randn(d_model, d_model))
        self.W_O = torch.nn.Parameter(torch.randn(d_model, d_model))

    def forward(self, X, mask):
        def heads(W):
            Z = X @ W
            return Z.unflatten(-1, (self.n_heads, -1)).movedim(-2, -3)

        Q, K, V = heads(self.W_Q), heads(self.W_K), heads(self.W_K)
        out = torch.nn.functional.scaled_dot_product_attention(
            Q, K, V, attn_mask=mask
        )
        return out.movedim(-3, -2).flatten(-2)


# heads take interleaved features (h, h + n_heads, ...) instead of blocks AND the values are made
# with W_K
@wrong("cut-in-turn", "values-from-W_K", author="blind")
class m05_InterleavedAndKeysForValues(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            setattr(self, name, torch.nn.Linear(d_model, d_model, bias=False))

    def forward(self, X, mask):
        *lead, n, d = X.shape
        h = self.n_heads
        Q = self.W_Q(X).reshape(*lead, n, d // h, h)
        K = self.W_K(X).reshape(*lead, n, d // h, h)
        V = self.W_K(X).reshape(*lead, n, d // h, h)
        scores = torch.einsum("...ich,...jch->...hij", Q, K) / (d // h) ** 0.5
        scores = scores.masked_fill(~mask, float("-inf"))
        weights = scores.softmax(dim=-1)
        out = torch.einsum("...hij,...jch->...ihc", weights, V)
        return self.W_O(out.reshape(*lead, n, d))
