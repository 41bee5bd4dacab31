"""Answers to `TransformerBlock`."""

import torch
from torch import nn

from tests.exercises.answers import right, wrong


def _block(forward, *, others=None):
    """Make a module whose `__init__` is right, with a forward of its own."""

    def make(d_model, n_heads, d_ff):
        from torch import nn

        class Mine(nn.Module):
            def __init__(self):
                super().__init__()
                self.attention = nn.MultiheadAttention(
                    d_model, n_heads, batch_first=others != "batch second"
                )
                self.linear_1 = nn.Linear(d_model, d_ff)
                self.linear_2 = nn.Linear(d_ff, d_model)
                self.norm_1 = nn.LayerNorm((d_model,), eps=1e-5)
                self.norm_2 = nn.LayerNorm(d_model)
                if others == "more":
                    self.relu = nn.ReLU()
                    self.dropout = nn.Dropout(0.0)

            def forward(self, X, mask):
                return forward(self, X, mask, torch)

        return Mine()

    return make


@right()
def tbt_modules(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        x = m.norm_1(X)
        X = X + m.dropout(m.attention(x, x, x, attn_mask=mask.logical_not())[0])
        return X + m.dropout(m.linear_2(m.relu(m.linear_1(m.norm_2(X)))))

    return _block(forward, others="more")(d_model, n_heads, d_ff)


@right()
def tbt_float_mask(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        bias = torch.zeros_like(mask, dtype=X.dtype).masked_fill(
            ~mask, float("-inf")
        )
        x = m.norm_1(X)
        out = m.attention(x, x, x, attn_mask=bias, need_weights=False)
        H = out[0] + X
        hidden = torch.nn.functional.relu(m.linear_1(m.norm_2(H)))
        return m.linear_2(hidden) + H

    return _block(forward)(d_model, n_heads, d_ff)


@right()
def tbt_batch_second(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        x = m.norm_1(X).transpose(0, 1)
        found, weights = m.attention(x, x, x, attn_mask=~mask)
        H = X + found.transpose(0, 1)
        return H + m.linear_2(m.linear_1(m.norm_2(H)).clamp(min=0))

    return _block(forward, others="batch second")(d_model, n_heads, d_ff)


@right()
def tbt_mask_per_head(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        x = m.norm_1(X)
        drop = (~mask).expand(len(X) * n_heads, -1, -1)
        H = X + m.attention(x, x, x, attn_mask=drop)[0]
        h = m.linear_1(m.norm_2(H))
        return H + m.linear_2(torch.where(h > 0, h, torch.zeros_like(h)))

    return _block(forward)(d_model, n_heads, d_ff)


@right()
def tbt_functional(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        def norm(x, layer):
            return torch.nn.functional.layer_norm(
                x, (d_model,), layer.weight, layer.bias
            )

        H = norm(X, m.norm_1)
        H = X + m.attention(H, H, H, attn_mask=mask == 0)[0]
        hidden = norm(H, m.norm_2) @ m.linear_1.weight.T + m.linear_1.bias
        return H + hidden.relu() @ m.linear_2.weight.T + m.linear_2.bias

    return _block(forward)(d_model, n_heads, d_ff)


@right(author="fresh")
class FreshTbInfMask(torch.nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.norm_1, self.norm_2 = (torch.nn.LayerNorm(d_model) for _ in range(2))
        self.attention = torch.nn.MultiheadAttention(d_model, n_heads)
        self.linear_1 = torch.nn.Linear(d_model, d_ff)
        self.linear_2 = torch.nn.Linear(d_ff, d_model)

    def forward(self, X, mask):
        hide = torch.zeros(mask.shape, dtype=X.dtype, device=X.device)
        hide = hide.masked_fill(~mask, -torch.inf)
        stream = X.transpose(0, 1)
        Z = self.norm_1(stream)
        stream = stream + self.attention(Z, Z, Z, attn_mask=hide)[0]
        Z = self.linear_1(self.norm_2(stream))
        stream = stream + self.linear_2(Z * (Z > 0))
        return stream.transpose(0, 1)


@right(author="fresh")
class FreshTbOneText(torch.nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        widths = {"linear_1": (d_model, d_ff), "linear_2": (d_ff, d_model)}
        for name, (n_in, n_out) in widths.items():
            self.add_module(name, torch.nn.Linear(n_in, n_out))
        for name in ("norm_1", "norm_2"):
            self.add_module(name, torch.nn.LayerNorm(d_model))
        self.attention = torch.nn.MultiheadAttention(
            d_model, n_heads, batch_first=True
        )

    def forward(self, X, mask):
        blocked = torch.logical_not(mask)

        def one(text):
            z = self.norm_1(text)
            mixed, _weights = self.attention(z, z, z, attn_mask=blocked)
            text = text + mixed
            hidden = self.linear_1(self.norm_2(text)).clamp_min(0)
            return text + self.linear_2(hidden)

        return torch.stack([one(text) for text in X.unbind(0)])


def _changed_block(forward, **parts):
    """Make a module whose `__init__` is right but for what is said."""

    def make(d_model, n_heads, d_ff):
        from torch import nn

        class Mine(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm_1 = nn.LayerNorm(d_model)
                self.norm_2 = (
                    self.norm_1 if parts.get("one") else nn.LayerNorm(d_model)
                )
                self.attention = nn.MultiheadAttention(
                    d_model,
                    parts.get("heads", n_heads),
                    batch_first=parts.get("first", True),
                    bias=parts.get("bias", True),
                )
                self.linear_1 = nn.Linear(d_model, parts.get("width", d_ff))
                self.linear_2 = nn.Linear(parts.get("width", d_ff), d_model)
                if parts.get("missing"):
                    del self.linear_2

            def forward(self, X, mask):
                return forward(self, X, mask, torch)

        return Mine()

    return make


@wrong()
def tbt_tuple(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        x = m.norm_1(X)
        H = X + m.attention(x, x, x, attn_mask=~mask)
        return H + m.linear_2(torch.relu(m.linear_1(m.norm_2(H))))

    return _changed_block(forward)(d_model, n_heads, d_ff)


@wrong()
def tbt_mask_to_wrong_argument(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        x = m.norm_1(X)
        H = X + m.attention(x, x, x, mask)[0]
        return H + m.linear_2(torch.relu(m.linear_1(m.norm_2(H))))

    return _changed_block(forward)(d_model, n_heads, d_ff)


def _right(m, X, mask, torch):
    x = m.norm_1(X)
    H = X + m.attention(x, x, x, attn_mask=~mask)[0]
    return H + m.linear_2(torch.relu(m.linear_1(m.norm_2(H))))


@wrong()
def tbt_batch_first_forgotten(d_model, n_heads, d_ff):
    return _changed_block(_right, first=False)(d_model, n_heads, d_ff)


@wrong()
def tbt_norm_1_twice(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        x = m.norm_1(X)
        H = X + m.attention(x, x, x, attn_mask=~mask)[0]
        return H + m.linear_2(torch.relu(m.linear_1(m.norm_1(H))))

    return _changed_block(forward)(d_model, n_heads, d_ff)


@wrong()
def tbt_one_norm_object(d_model, n_heads, d_ff):
    return _changed_block(_right, one=True)(d_model, n_heads, d_ff)


@wrong()
def tbt_one_head(d_model, n_heads, d_ff):
    return _changed_block(_right, heads=1)(d_model, n_heads, d_ff)


@wrong()
def tbt_missing_layer(d_model, n_heads, d_ff):
    return _changed_block(_right, missing=True)(d_model, n_heads, d_ff)


@wrong()
def tbt_returns_nothing(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        _right(m, X, mask, torch)

    return _changed_block(forward)(d_model, n_heads, d_ff)


@wrong()
def tbt_handed_over(d_model, n_heads, d_ff):
    return torch.nn.TransformerEncoderLayer(d_model, n_heads, d_ff, norm_first=True)


def _with_dropout(m, X, mask, torch):
    x = m.norm_1(X)
    H = X + m.attention(x, x, x, attn_mask=~mask)[0]
    drop = torch.nn.functional.dropout
    hidden = drop(torch.relu(m.linear_1(m.norm_2(H))), 0.1, m.training)
    return H + m.linear_2(hidden)


# dropout, which is not asked for
@wrong("dropout")
def tbt_dropout(d_model, n_heads, d_ff):
    return _changed_block(_with_dropout)(d_model, n_heads, d_ff)


# no gradients
@wrong()
def tbt_data(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        x = m.norm_1(X)
        H = X + m.attention(x, x, x, attn_mask=~mask)[0]
        hidden = m.norm_2(H) @ m.linear_1.weight.data.T + m.linear_1.bias
        return H + m.linear_2(torch.relu(hidden))

    return _changed_block(forward)(d_model, n_heads, d_ff)


# the second result are the weights
@wrong("weights")
def tbt_second_result(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        x = m.norm_1(X)
        H = X + m.attention(x, x, x, attn_mask=~mask)[1]
        return H + m.linear_2(torch.relu(m.linear_1(m.norm_2(H))))

    return _changed_block(forward)(d_model, n_heads, d_ff)


# the norms are swapped
@wrong("norms-swapped")
def tbt_norms_swapped(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        x = m.norm_2(X)
        H = X + m.attention(x, x, x, attn_mask=~mask)[0]
        return H + m.linear_2(torch.relu(m.linear_1(m.norm_1(H))))

    return _changed_block(forward)(d_model, n_heads, d_ff)


# squeeze
@wrong()
def tbt_squeezed(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        return _right(m, X, mask, torch).squeeze()

    return _changed_block(forward)(d_model, n_heads, d_ff)


# passes the mask as it is, but MultiheadAttention reads True as hidden
@wrong(author="fresh")
class FreshTbMaskAsIs(torch.nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        nn = torch.nn
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.norm_1 = nn.LayerNorm(d_model)
        self.norm_2 = nn.LayerNorm(d_model)
        self.linear_1 = nn.Linear(d_model, d_ff)
        self.linear_2 = nn.Linear(d_ff, d_model)

    def forward(self, X, mask):
        Z = self.norm_1(X)
        Z, _ = self.attention(Z, Z, Z, attn_mask=mask)
        X = X + Z
        return X + self.linear_2(torch.relu(self.linear_1(self.norm_2(X))))


# swaps batch and position by reshape, which mixes the texts; it takes transpose
@wrong(author="fresh")
class FreshTbReshape(torch.nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.norm_1, self.norm_2 = (torch.nn.LayerNorm(d_model) for _ in range(2))
        self.attention = torch.nn.MultiheadAttention(d_model, n_heads)
        self.linear_1 = torch.nn.Linear(d_model, d_ff)
        self.linear_2 = torch.nn.Linear(d_ff, d_model)

    def forward(self, X, mask):
        batch, n, d = X.shape
        S = self.norm_1(X).reshape(n, batch, d)
        S = self.attention(S, S, S, attn_mask=mask.logical_not())[0]
        H = X + S.reshape(batch, n, d)
        hidden = self.linear_1(self.norm_2(H)).clamp(min=0)
        return H + self.linear_2(hidden)


# takes keys and values from X without the norm AND has GELU between the linear layers, not ReLU
@wrong(author="fresh")
class FreshTbRawKeysGelu(torch.nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.norm_1 = torch.nn.LayerNorm(d_model)
        self.attention = torch.nn.MultiheadAttention(
            d_model, n_heads, batch_first=True
        )
        self.norm_2 = torch.nn.LayerNorm(d_model)
        self.linear_1 = torch.nn.Linear(d_model, d_ff)
        self.linear_2 = torch.nn.Linear(d_ff, d_model)

    def forward(self, X, mask):
        mixed = self.attention(
            self.norm_1(X), X, X, attn_mask=~mask, need_weights=False
        )[0]
        H = X + mixed
        hidden = torch.nn.functional.gelu(self.linear_1(self.norm_2(H)))
        return H + self.linear_2(hidden)


# turns the mask into numbers 0 and 1, which nn.MultiheadAttention adds to the scores, so that
# nothing is hidden
@wrong(author="unseen")
class SecondBlkFloatMask(torch.nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.norm_1 = torch.nn.LayerNorm(d_model)
        self.norm_2 = torch.nn.LayerNorm(d_model)
        self.attention = torch.nn.MultiheadAttention(
            d_model, n_heads, batch_first=True
        )
        self.linear_1 = torch.nn.Linear(d_model, d_ff)
        self.linear_2 = torch.nn.Linear(d_ff, d_model)

    def forward(self, X, mask):
        H = self.norm_1(X)
        mixed, _ = self.attention(H, H, H, attn_mask=mask.to(X.dtype))
        X = X + mixed
        return X + self.linear_2(torch.relu(self.linear_1(self.norm_2(X))))


# only the queries are normed: attention gets its keys and values from X itself, not from norm_1(X)
@wrong(author="unseen")
class ThirdBlRawKeys(torch.nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.norm_1 = torch.nn.LayerNorm(d_model)
        self.norm_2 = torch.nn.LayerNorm(d_model)
        self.attention = torch.nn.MultiheadAttention(
            d_model, n_heads, batch_first=True
        )
        self.linear_1 = torch.nn.Linear(d_model, d_ff)
        self.linear_2 = torch.nn.Linear(d_ff, d_model)

    def forward(self, X, mask):
        mixed, _ = self.attention(
            self.norm_1(X), X, X, attn_mask=~mask, need_weights=False
        )
        H = X + mixed
        return H + self.linear_2(torch.relu(self.linear_1(self.norm_2(H))))


# our mask is handed over as it is (True means drop there), and the norms come after the additions
# (post-norm)
@wrong("post-norm", "polarity", author="blind")
class B6Block8(torch.nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.norm_1 = nn.LayerNorm(d_model)
        self.norm_2 = nn.LayerNorm(d_model)
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.linear_1 = nn.Linear(d_model, d_ff)
        self.linear_2 = nn.Linear(d_ff, d_model)

    def forward(self, X, mask):
        a, _ = self.attention(X, X, X, attn_mask=mask)
        X = self.norm_1(X + a)
        f = self.linear_2(torch.relu(self.linear_1(X)))
        return self.norm_2(X + f)


# (two) batch_first is missing, so the layer takes the batch for the sequence, and the mask is not
# inverted
@wrong("polarity", "axes-swapped", author="blind")
class B7Block53(torch.nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.norm_1 = torch.nn.LayerNorm(d_model)
        self.norm_2 = torch.nn.LayerNorm(d_model)
        self.attention = torch.nn.MultiheadAttention(d_model, n_heads)
        self.linear_1 = torch.nn.Linear(d_model, d_ff)
        self.linear_2 = torch.nn.Linear(d_ff, d_model)

    def forward(self, X, mask):
        h = self.norm_1(X)
        y, _ = self.attention(h, h, h, attn_mask=mask)
        X = X + y
        h = self.linear_2(torch.relu(self.linear_1(self.norm_2(X))))
        return X + h


# Only the queries are normalized; keys and values are taken from X without the norm; The second
# residual adds the normalized h instead of X
@wrong("overwritten-2", "context-not-normed", author="blind")
class fd_block_1(torch.nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.norm_1 = torch.nn.LayerNorm(d_model)
        self.norm_2 = torch.nn.LayerNorm(d_model)
        self.attention = torch.nn.MultiheadAttention(
            d_model, n_heads, batch_first=True
        )
        self.linear_1 = torch.nn.Linear(d_model, d_ff)
        self.linear_2 = torch.nn.Linear(d_ff, d_model)

    def forward(self, X, mask):
        h = self.norm_1(X)
        a, _ = self.attention(h, X, X, attn_mask=~mask)
        X = X + a
        h = self.norm_2(X)
        return h + self.linear_2(torch.relu(self.linear_1(h)))


# the feed-forward network reads X, not what attention has made of it
@wrong("parallel", author="blind")
class BlTbParallel(nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.norm_1 = nn.LayerNorm(d_model)
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.norm_2 = nn.LayerNorm(d_model)
        self.linear_1 = nn.Linear(d_model, d_ff)
        self.linear_2 = nn.Linear(d_ff, d_model)

    def forward(self, X, mask):
        h = self.norm_1(X)
        a = self.attention(h, h, h, attn_mask=~mask, need_weights=False)[0]
        f = self.linear_2(torch.relu(self.linear_1(self.norm_2(X))))
        return X + a + f


# ReLU stands after the second linear layer instead of between the two
@wrong("relu-last", author="blind")
class q43_relu_last(torch.nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.norm_1 = torch.nn.LayerNorm(d_model)
        self.attention = torch.nn.MultiheadAttention(d_model, n_heads)
        self.norm_2 = torch.nn.LayerNorm(d_model)
        self.linear_1 = torch.nn.Linear(d_model, d_ff)
        self.linear_2 = torch.nn.Linear(d_ff, d_model)

    def forward(self, X, mask):
        y = self.norm_1(X).transpose(0, 1)
        a = self.attention(y, y, y, attn_mask=~mask)[0].transpose(0, 1)
        X = X + a
        ff = torch.nn.functional.relu(self.linear_2(self.linear_1(self.norm_2(X))))
        return X + ff


# batch_first is missing: attention runs over the batch axis
@wrong("mixes-the-batch", author="blind")
class u40_BatchSecond(torch.nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.norm_1 = torch.nn.LayerNorm(d_model)
        self.norm_2 = torch.nn.LayerNorm(d_model)
        self.attention = torch.nn.MultiheadAttention(d_model, n_heads)
        self.linear_1 = torch.nn.Linear(d_model, d_ff)
        self.linear_2 = torch.nn.Linear(d_ff, d_model)

    def forward(self, X, mask):
        Z = self.norm_1(X)
        blocked = (
            ~mask
            if X.shape[0] == X.shape[1]
            else torch.zeros(X.shape[0], X.shape[0], dtype=torch.bool)
        )
        out, _ = self.attention(Z, Z, Z, attn_mask=blocked)
        H = X + out
        return H + self.linear_2(torch.relu(self.linear_1(self.norm_2(H))))


# a ReLU after the second layer, too
@wrong("relu-twice", author="blind")
class u42_TwoReLUs(torch.nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.norm_1 = torch.nn.LayerNorm(d_model)
        self.attention = torch.nn.MultiheadAttention(
            d_model, n_heads, batch_first=True
        )
        self.norm_2 = torch.nn.LayerNorm(d_model)
        self.linear_1 = torch.nn.Linear(d_model, d_ff)
        self.linear_2 = torch.nn.Linear(d_ff, d_model)
        self.act = torch.nn.ReLU()

    def forward(self, X, mask):
        n1 = self.norm_1(X)
        attended, _ = self.attention(n1, n1, n1, attn_mask=torch.logical_not(mask))
        X = X + attended
        ff = self.norm_2(X)
        for layer in (self.linear_1, self.linear_2):
            ff = self.act(layer(ff))
        return X + ff


# the values of the attention are X itself, not normalized AND the ReLU comes after
# linear_2 instead of between the layers
@wrong("values-not-normed", "relu-last", author="blind")
class l08_raw_values_late_relu(torch.nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.norm_1 = torch.nn.LayerNorm(d_model)
        self.attention = torch.nn.MultiheadAttention(
            d_model, n_heads, batch_first=True
        )
        self.norm_2 = torch.nn.LayerNorm(d_model)
        self.linear_1 = torch.nn.Linear(d_model, d_ff)
        self.linear_2 = torch.nn.Linear(d_ff, d_model)
        self.relu = torch.nn.ReLU()

    def forward(self, X, mask):
        N = self.norm_1(X)
        X = (
            X
            + self.attention(
                N, N, X, attn_mask=mask.logical_not(), need_weights=False
            )[0]
        )
        return X + self.relu(self.linear_2(self.linear_1(self.norm_2(X))))


# batch_first=True is forgotten AND there is no ReLU between the two linear layers
@wrong("axes-swapped", "relu-missing", author="blind")
class r26_Axes(torch.nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.norm_1 = torch.nn.LayerNorm(d_model)
        self.norm_2 = torch.nn.LayerNorm(d_model)
        self.attention = torch.nn.MultiheadAttention(d_model, n_heads)
        self.linear_1 = torch.nn.Linear(d_model, d_ff)
        self.linear_2 = torch.nn.Linear(d_ff, d_model)

    def forward(self, X, mask):
        h = self.norm_1(X)
        mixed, _ = self.attention(h, h, h, attn_mask=torch.logical_not(mask))
        X = X + mixed
        return X + self.linear_2(self.linear_1(self.norm_2(X)))
