"""Right answers to the exercises of `block`, each written in another way. None may be refused."""

import numpy as np

from tests.exercises.answers import Answers

right = Answers()


@right("layer_norm")
def ln_var(X, gain, bias):
    mean = np.mean(X, axis=-1, keepdims=True)
    var = np.var(X, axis=-1, keepdims=True)
    return (X - mean) / np.sqrt(var + 1e-5) * gain + bias


@right("layer_norm")
def ln_transposed(X, gain, bias):
    columns = X.T
    normed = (columns - columns.mean(0)) / (columns.var(0) + 1e-5) ** 0.5
    return normed.T * gain + bias


@right("layer_norm")
def ln_loops(X, gain, bias):
    out = np.empty_like(X)
    for where in np.ndindex(X.shape[:-1]):
        x = X[where]
        mu = sum(x) / len(x)
        var = sum((value - mu) ** 2 for value in x) / len(x)
        out[where] = [
            g * (value - mu) / np.sqrt(var + 1e-5) + b
            for value, g, b in zip(x, gain, bias, strict=True)
        ]
    return out


@right("layer_norm")
def ln_einsum(X, gain, bias):
    d = X.shape[-1]
    C = X - X.sum(-1)[..., None] / d
    var = np.einsum("...f,...f->...", C, C) / d
    return np.einsum("f,...f,...->...f", gain, C, 1 / np.sqrt(var + 1e-5)) + bias


@right("layer_norm")
def ln_std(X, gain, bias):
    centered = X - X.mean(axis=-1, keepdims=True)
    std = X.std(axis=-1, keepdims=True)
    return gain * (centered / np.sqrt(std**2 + 1e-5)) + bias


@right("layer_norm")
def ln_float32_eps(X, gain, bias):
    mean = X.mean(-1, keepdims=True)
    var = ((X - mean) ** 2).mean(-1, keepdims=True)
    return gain * (X - mean) / np.sqrt(var + np.float32(1e-5)) + bias


@right("layer_norm")
def ln_reshaped(X, gain, bias):
    rows = X.reshape(-1, X.shape[-1])
    rows = rows - rows.mean(axis=1)[:, None]
    rows = rows / np.sqrt((rows * rows).mean(axis=1) + 1e-5)[:, None]
    return (rows * gain + bias).reshape(X.shape)


@right("layer_norm")
def ln_kept_by_hand(X, gain, bias):
    d = gain.size
    mu = X @ np.full((d, 1), 1 / d, dtype=X.dtype)
    mu = mu + (X - mu).mean(-1, keepdims=True)
    sigma2 = np.square(X - mu) @ np.full((d, 1), 1 / d, dtype=X.dtype)
    return bias + gain * (X - mu) * (sigma2 + 1e-5) ** -0.5


@right("feed_forward")
def ff_python_loops(X, W_1, b_1, W_2, b_2):
    out = np.zeros_like(X)
    for where in np.ndindex(X.shape[:-1]):
        out[where] = b_2
        for k in range(len(b_1)):
            feature = X[where] @ W_1[:, k] + b_1[k]
            if feature > 0:
                out[where] += feature * W_2[k]
    return out


@right("feed_forward")
def ff_half_of_absolute(X, W_1, b_1, W_2, b_2):
    h = np.dot(X, W_1) + b_1
    return np.dot((h + abs(h)) / 2, W_2) + b_2


@right("feed_forward")
def ff_where(X, W_1, b_1, W_2, b_2):
    hidden = X @ W_1 + b_1
    return np.where(hidden > 0, hidden, 0) @ W_2 + b_2


@right("feed_forward")
def ff_mask(X, W_1, b_1, W_2, b_2):
    h = np.einsum("...d,df->...f", X, W_1) + b_1
    h = h * (h > 0)
    return np.einsum("...f,fd->...d", h, W_2) + b_2


@right("feed_forward")
def ff_row_by_row(X, W_1, b_1, W_2, b_2):
    def one(x):
        h = x @ W_1 + b_1
        h[h < 0] = 0
        return h @ W_2 + b_2

    return np.apply_along_axis(one, -1, X)


@right("feed_forward")
def ff_clip_columns(X, W_1, b_1, W_2, b_2):
    hidden = (W_1.T @ X[..., None])[..., 0] + b_1
    return (W_2.T @ hidden.clip(min=0)[..., None])[..., 0] + b_2


@right("masked_block")
def tb_named(X, attend, process, norm_1, norm_2, mask):
    mixed = attend(norm_1(X), mask=mask)
    H = mixed + X
    return np.add(process(norm_2(H)), H)


@right("masked_block")
def tb_residual_copy(X, attend, process, norm_1, norm_2, mask):
    residual = X.copy()
    x = norm_1(X)
    x = attend(x, mask)
    residual += x
    x = norm_2(residual)
    x = process(x)
    residual += x
    return residual


@right("masked_block")
def tb_sequence_by_sequence(X, attend, process, norm_1, norm_2, mask):
    if X.ndim > 2:
        return np.stack(
            [
                tb_sequence_by_sequence(x, attend, process, norm_1, norm_2, mask)
                for x in X
            ]
        )
    H = X + attend(norm_1(X), mask)
    return H + np.stack([process(h) for h in norm_2(H)])


@right("masked_block")
def mb_added_from_the_end(X, attend, process, norm_1, norm_2, mask):
    def half(x, part, norm):
        return np.stack([part(norm(x)), x]).sum(axis=0)

    H = half(X, lambda x: attend(x, mask), norm_1)
    return half(H, process, norm_2)


@right("gpt_parameters")
def gp_closed(n_layers, d_model, n_vocab, n_ctx):
    d = d_model
    return d * (n_vocab + n_ctx + 2) + n_layers * d * (12 * d + 13)


@right("gpt_parameters")
def gp_shapes(n_layers, d_model, n_vocab, n_ctx):
    d = d_model
    block = [(d,)] * 4
    block += [(d, 3 * d), (3 * d,), (d, d), (d,)]
    block += [(d, 4 * d), (4 * d,), (4 * d, d), (d,)]
    shapes = [(n_vocab, d), (n_ctx, d), (d,), (d,)] + block * n_layers
    return sum(int(np.prod(shape)) for shape in shapes)


@right("gpt_parameters")
def gp_numpy_integer(n_layers, d_model, n_vocab, n_ctx):
    d = np.int64(d_model)
    return d * (n_vocab + n_ctx + 2) + n_layers * d * (12 * d + 13)


@right("gpt_parameters")
def gp_torch(n_layers, d_model, n_vocab, n_ctx):
    import torch

    d = d_model

    def embedding(n):
        # Drawing numbers on the device "meta" would import PyTorch's compiler, for seconds.
        return torch.nn.Embedding.from_pretrained(torch.empty(n, d, device="meta"))

    with torch.device("meta"):
        block = torch.nn.TransformerEncoderLayer(d, 1, 4 * d)
        rest = [embedding(n_vocab), embedding(n_ctx), torch.nn.LayerNorm(d)]

    def count(module):
        return sum(p.numel() for p in module.parameters())

    return n_layers * count(block) + sum(map(count, rest))


def _block(forward, *, others=None):
    """Make a module whose `__init__` is right, with a forward of its own."""

    def make(d_model, n_heads, d_ff):
        import torch
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


@right("TransformerBlock")
def tbt_modules(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        x = m.norm_1(X)
        X = X + m.dropout(m.attention(x, x, x, attn_mask=mask.logical_not())[0])
        return X + m.dropout(m.linear_2(m.relu(m.linear_1(m.norm_2(X)))))

    return _block(forward, others="more")(d_model, n_heads, d_ff)


@right("TransformerBlock")
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


@right("TransformerBlock")
def tbt_batch_second(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        x = m.norm_1(X).transpose(0, 1)
        found, weights = m.attention(x, x, x, attn_mask=~mask)
        H = X + found.transpose(0, 1)
        return H + m.linear_2(m.linear_1(m.norm_2(H)).clamp(min=0))

    return _block(forward, others="batch second")(d_model, n_heads, d_ff)


@right("TransformerBlock")
def tbt_mask_per_head(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        x = m.norm_1(X)
        drop = (~mask).expand(len(X) * n_heads, -1, -1)
        H = X + m.attention(x, x, x, attn_mask=drop)[0]
        h = m.linear_1(m.norm_2(H))
        return H + m.linear_2(torch.where(h > 0, h, torch.zeros_like(h)))

    return _block(forward)(d_model, n_heads, d_ff)


@right("TransformerBlock")
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


@right("Stack")
def st_reduce(make_block, n_layers):
    from functools import reduce

    import torch

    class Mine(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleDict(
                {f"layer {i}": make_block() for i in range(n_layers)}
            )

        def forward(self, X):
            return reduce(lambda x, block: block(x), self.layers.values(), X)

    return Mine()


@right("Stack")
def st_sequential(make_block, n_layers):
    import torch

    return torch.nn.Sequential(*(make_block() for _ in range(n_layers)))


@right("Stack")
def st_append(make_block, n_layers):
    import torch

    class Mine(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList()
            for _ in range(n_layers):
                self.layers.append(make_block())

        def forward(self, X):
            for i in range(len(self.layers)):
                X = self.layers[i](X)
            return X

    return Mine()


@right("Stack")
def st_add_module(make_block, n_layers):
    import torch

    class Mine(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.n = n_layers
            for i in range(n_layers):
                setattr(self, f"block_{i}", make_block())

        def forward(self, X):
            out = X
            for i in range(self.n):
                out = getattr(self, f"block_{i}")(out)
            return out

    return Mine()
