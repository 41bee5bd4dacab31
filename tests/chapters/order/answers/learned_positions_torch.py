"""Answers to `LearnedPositions`."""

import math

import torch

from tests.exercises.answers import right, wrong


@right()
def lp_embedding(n_max, d_model):
    class Mine(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.P = torch.nn.Embedding(n_max, d_model)

        def forward(self, X):
            if X.size(-2) > self.P.num_embeddings:
                raise ValueError("too long")
            return X + self.P(torch.arange(X.size(-2), device=X.device))

    return Mine()


@right()
def lp_zeros(n_max, d_model):
    class Mine(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.P = torch.nn.Parameter(torch.zeros((n_max, d_model)))
            self.register_buffer("used", torch.zeros(()))  # plays no part
            self.n_max = n_max

        def forward(self, X):
            n = X.shape[-2]
            if n > self.n_max:
                raise ValueError(n)
            out = torch.empty_like(X)
            for i in range(n):
                out[..., i, :] = X[..., i, :] + self.P[i]
            return out

    return Mine()


@right()
def lp_expanded(n_max, d_model):
    class Mine(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.P = torch.nn.Parameter(torch.randn(n_max, d_model))

        def forward(self, X):
            n = X.shape[-2]
            if n > len(self.P):
                raise ValueError("the table is too short")
            return X + self.P.narrow(0, 0, n).expand(*X.shape)

    return Mine()


@right(author="fresh")
class FreshByIndex(torch.nn.Module):
    def __init__(self, n_max, d_model):
        super().__init__()
        P = torch.nn.Parameter(torch.randn(n_max, d_model))
        self.register_parameter("P", P)

    def forward(self, X):
        n_max, n = self.P.shape[0], X.shape[-2]
        if n_max < n:
            raise ValueError(f"there are only {n_max} rows for {n} elements")
        return X + self.P.index_select(0, torch.arange(n, device=X.device))


@right(author="fresh")
class FreshRowByRow(torch.nn.Module):
    def __init__(self, n_max, d_model):
        super().__init__()
        self.P = torch.nn.Parameter(torch.empty(n_max, d_model).uniform_(-1, 1))

    def forward(self, X):
        n = X.shape[-2]
        if n > len(self.P):
            raise ValueError("the sequence is longer than n_max")
        Y = X.to(torch.promote_types(X.dtype, self.P.dtype), copy=True)
        for i in range(n):
            Y[..., i, :] = Y[..., i, :] + self.P[i]
        return Y


def _module(forward, **parts):
    def make(n_max, d_model):
        class Mine(torch.nn.Module):
            def __init__(self):
                super().__init__()
                if "table" in parts:
                    self.P = parts["table"](n_max, d_model)
                else:
                    self.P = torch.nn.Parameter(torch.zeros(n_max, d_model))

            def forward(self, X):
                return forward(self, X)

        return Mine()

    return make


@wrong()
def lp_no_error(n_max, d_model):
    return _module(lambda m, X: X + m.P[: X.shape[-2]])(n_max, d_model)


@wrong()
def lp_detached(n_max, d_model):
    def forward(m, X):
        if X.shape[-2] > len(m.P):
            raise ValueError
        return X + m.P.data[: X.shape[-2]]

    return _module(forward)(n_max, d_model)


@wrong()
def lp_transposed_table(n_max, d_model):
    return _module(
        lambda m, X: X + m.P.T[: X.shape[-2]],
        table=lambda n, d: torch.nn.Parameter(torch.zeros(d, n)),
    )(n_max, d_model)


@wrong()
def lp_a_function(n_max, d_model):
    return lambda X: X


@wrong()
def lp_returns_nothing(n_max, d_model):
    def forward(m, X):
        X = X + m.P[: X.shape[-2]]

    return _module(forward)(n_max, d_model)


@wrong()
def lp_handed_over(n_max, d_model):
    from course_attn.in_torch import LearnedPositions

    layer = LearnedPositions(n_max, d_model)
    return layer


def _rows(m, X):
    if X.shape[-2] > len(m.P):
        raise ValueError
    return m.P[: X.shape[-2]]


# Half of the entries are dropped at random, which nobody asked for.
@wrong()
def lp_dropout(n_max, d_model):
    def forward(m, X):
        return torch.nn.functional.dropout(X + _rows(m, X), training=m.training)

    return _module(forward)(n_max, d_model)


# The colon is missing: one row is added to all elements.
@wrong("no-colon")
def lp_one_row(n_max, d_model):
    def forward(m, X):
        if X.shape[-2] > len(m.P):
            raise ValueError
        return X + m.P[X.shape[-2]]

    return _module(forward)(n_max, d_model)


# The length is taken from the last axis, which is d_model.
@wrong()
def lp_width_for_length(n_max, d_model):
    def forward(m, X):
        if X.shape[-2] > len(m.P):
            raise ValueError
        return X + m.P[: X.shape[-1]]

    return _module(forward)(n_max, d_model)


# The result is made float32 whatever X is.
@wrong(said="float64")
def lp_float32_always(n_max, d_model):
    return _module(lambda m, X: (X + _rows(m, X)).float())(n_max, d_model)


# refuses a sequence of exactly n_max elements, though there is a row for each
@wrong(author="fresh")
class FreshRefusesFull(torch.nn.Module):
    def __init__(self, n_max, d_model):
        super().__init__()
        self.P = torch.nn.Parameter(torch.randn(n_max, d_model))

    def forward(self, X):
        n = X.size(-2)
        if n >= self.P.size(0):
            raise ValueError(f"there are no rows for {n} positions")
        return X + self.P[:n]


# adds the rows in place and so changes the caller's X
@wrong(author="fresh")
class FreshInPlace(torch.nn.Module):
    def __init__(self, n_max, d_model):
        super().__init__()
        self.n_max = n_max
        self.P = torch.nn.Parameter(torch.zeros(n_max, d_model))

    def forward(self, X):
        if X.shape[-2] > self.n_max:
            raise ValueError("the sequence is too long")
        for i in range(X.shape[-2]):
            X[..., i, :] += self.P[i]
        return X


# multiplies X by the root of d_model before adding AND starts again with row 0 after n_max
# elements, where it should raise a ValueError
@wrong(author="fresh")
class FreshWrapsAround(torch.nn.Module):
    def __init__(self, n_max, d_model):
        super().__init__()
        self.n_max, self.d_model = n_max, d_model
        self.P = torch.nn.Parameter(torch.randn(n_max, d_model))

    def forward(self, X):
        where = torch.arange(X.shape[-2], device=X.device) % self.n_max
        return X * math.sqrt(self.d_model) + self.P[where]


# takes the length of the sequence from axis 1, which is right only if there is exactly one batch
# axis
@wrong(author="unseen")
class SecondOrdLengthFromAxisOne(torch.nn.Module):
    def __init__(self, n_max, d_model):
        super().__init__()
        self.n_max = n_max
        self.P = torch.nn.Parameter(torch.randn(n_max, d_model) * 0.02)

    def forward(self, X):
        length = X.size(1)
        if length > self.n_max:
            raise ValueError("the sequence is too long")
        return X + self.P[:length]


# goes through the first axis, so that in a batch every sequence gets one row of P, by its number in
# the batch, instead of a row for each position
@wrong(author="unseen")
class ThirdOrFirstAxis(torch.nn.Module):
    def __init__(self, n_max, d_model):
        super().__init__()
        self.n_max = n_max
        self.P = torch.nn.Parameter(torch.randn(n_max, d_model))

    def forward(self, X):
        if X.shape[-2] > self.n_max:
            raise ValueError("the sequence is too long")
        out = torch.empty_like(X)
        for i, x in enumerate(X):
            out[i] = x + self.P[i]
        return out


# (two) takes the last n rows of P instead of the first, and refuses a sequence of exactly n_max too
@wrong(
    "last-rows",
    said="`if n >= self.n_max:`: what if both are equal?",
    author="blind",
)
class B7Order47(torch.nn.Module):
    def __init__(self, n_max, d_model):
        super().__init__()
        self.n_max = n_max
        self.P = torch.nn.Parameter(torch.randn(n_max, d_model) * 0.02)

    def forward(self, X):
        n = X.shape[-2]
        if n >= self.n_max:
            raise ValueError("sequence too long")
        return X + self.P[-n:]


# the LAST n rows of P are taken AND a sequence that is too long is cut off instead of a ValueError
@wrong("last-rows", "cut-off", author="blind")
class z48_both(torch.nn.Module):
    def __init__(self, n_max, d_model):
        super().__init__()
        self.n_max = n_max
        self.P = torch.nn.Parameter(torch.empty(n_max, d_model).normal_(std=0.02))

    def forward(self, X):
        X = X[..., : self.n_max, :]
        n = X.shape[-2]
        return X + self.P[self.n_max - n :]


# the rows are counted from 1 AND a sequence that is too long gets the last row again and again
# instead of a ValueError
@wrong("last-again", "from-one", author="blind")
class F8_V08_FromOneClamped(torch.nn.Module):
    def __init__(self, n_max, d_model):
        super().__init__()
        self.last = n_max - 1
        self.P = torch.nn.Parameter(torch.randn(n_max, d_model))

    def forward(self, X):
        positions = torch.arange(1, X.shape[-2] + 1).clamp(max=self.last)
        return X + self.P[positions]


# dropout on the sum (outputs random in training mode) AND the ValueError is returned, not raised
@wrong(
    "no-error",
    "evaluation",
    said="`raise ValueError(…)`, not `return`",
    author="blind",
)
class t06_dropout_return(torch.nn.Module):
    def __init__(self, n_max, d_model):
        super().__init__()
        self.n_max = n_max
        self.P = torch.nn.Parameter(torch.randn(n_max, d_model))
        self.dropout = torch.nn.Dropout(0.1)

    def forward(self, X):
        seq_len = X.shape[-2]
        if seq_len > self.n_max:
            return ValueError("too long")
        out = X + self.P[:seq_len]
        return self.dropout(out)
