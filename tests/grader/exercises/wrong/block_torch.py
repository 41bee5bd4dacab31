"""Wrong answers to the PyTorch exercises of `block` as learners write them."""

from tests.grader.exercises.answers import Answers

answers = Answers()


def _block(forward, **parts):
    """Make a module whose `__init__` is right but for what is said."""

    def make(d_model, n_heads, d_ff):
        import torch
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


def _right(m, X, mask, torch):
    x = m.norm_1(X)
    H = X + m.attention(x, x, x, attn_mask=~mask)[0]
    return H + m.linear_2(torch.relu(m.linear_1(m.norm_2(H))))


@answers("TransformerBlock")
def tbt_tuple(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        x = m.norm_1(X)
        H = X + m.attention(x, x, x, attn_mask=~mask)
        return H + m.linear_2(torch.relu(m.linear_1(m.norm_2(H))))

    return _block(forward)(d_model, n_heads, d_ff)


@answers("TransformerBlock")
def tbt_polarity_without_weights(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        x = m.norm_1(X)
        H = X + m.attention(x, x, x, attn_mask=mask, need_weights=False)[0]
        return H + m.linear_2(torch.relu(m.linear_1(m.norm_2(H))))

    return _block(forward)(d_model, n_heads, d_ff)


@answers("TransformerBlock")
def tbt_mask_to_wrong_argument(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        x = m.norm_1(X)
        H = X + m.attention(x, x, x, mask)[0]
        return H + m.linear_2(torch.relu(m.linear_1(m.norm_2(H))))

    return _block(forward)(d_model, n_heads, d_ff)


@answers("TransformerBlock")
def tbt_batch_first_forgotten(d_model, n_heads, d_ff):
    return _block(_right, first=False)(d_model, n_heads, d_ff)


@answers("TransformerBlock")
def tbt_post_norm_and_polarity(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        H = m.norm_1(X + m.attention(X, X, X, attn_mask=mask)[0])
        return m.norm_2(H + m.linear_2(torch.relu(m.linear_1(H))))

    return _block(forward)(d_model, n_heads, d_ff)


@answers("TransformerBlock")
def tbt_norm_1_twice(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        x = m.norm_1(X)
        H = X + m.attention(x, x, x, attn_mask=~mask)[0]
        return H + m.linear_2(torch.relu(m.linear_1(m.norm_1(H))))

    return _block(forward)(d_model, n_heads, d_ff)


@answers("TransformerBlock")
def tbt_one_norm_object(d_model, n_heads, d_ff):
    return _block(_right, one=True)(d_model, n_heads, d_ff)


@answers("TransformerBlock")
def tbt_one_head(d_model, n_heads, d_ff):
    return _block(_right, heads=1)(d_model, n_heads, d_ff)


@answers("TransformerBlock")
def tbt_no_bias(d_model, n_heads, d_ff):
    return _block(_right, bias=False)(d_model, n_heads, d_ff)


@answers("TransformerBlock")
def tbt_four_times(d_model, n_heads, d_ff):
    return _block(_right, width=4 * d_model)(d_model, n_heads, d_ff)


@answers("TransformerBlock")
def tbt_missing_layer(d_model, n_heads, d_ff):
    return _block(_right, missing=True)(d_model, n_heads, d_ff)


@answers("TransformerBlock")
def tbt_returns_nothing(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        _right(m, X, mask, torch)

    return _block(forward)(d_model, n_heads, d_ff)


@answers("TransformerBlock")
def tbt_detached(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        return _right(m, X.detach(), mask, torch)

    return _block(forward)(d_model, n_heads, d_ff)


@answers("TransformerBlock")
def tbt_handed_over(d_model, n_heads, d_ff):
    import torch

    return torch.nn.TransformerEncoderLayer(d_model, n_heads, d_ff, norm_first=True)


def _stack(blocks, forward):
    def make(make_block, n_layers):
        import torch

        class Mine(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.blocks = blocks(torch, make_block, n_layers)

            def forward(self, X):
                return forward(self, X)

        return Mine()

    return make


def _run(m, X):
    for block in m.blocks:
        X = block(X)
    return X


@answers("Stack")
def st_repeated(make_block, n_layers):
    def blocks(torch, make_block, n):
        return torch.nn.ModuleList([make_block()] * n)

    return _stack(blocks, _run)(make_block, n_layers)


@answers("Stack")
def st_list(make_block, n_layers):
    def blocks(torch, make_block, n):
        return [make_block() for _ in range(n)]

    return _stack(blocks, _run)(make_block, n_layers)


@answers("Stack")
def st_function_not_called(make_block, n_layers):
    def blocks(torch, make_block, n):
        return torch.nn.ModuleList([make_block for _ in range(n)])

    return _stack(blocks, _run)(make_block, n_layers)


@answers("Stack")
def st_return_in_loop(make_block, n_layers):
    def blocks(torch, make_block, n):
        return torch.nn.ModuleList(make_block() for _ in range(n))

    def forward(m, X):
        for block in m.blocks:
            X = block(X)
            return X

    return _stack(blocks, forward)(make_block, n_layers)


@answers("Stack")
def st_not_assigned(make_block, n_layers):
    def blocks(torch, make_block, n):
        return torch.nn.ModuleList(make_block() for _ in range(n))

    def forward(m, X):
        for block in m.blocks:
            block(X)
        return X

    return _stack(blocks, forward)(make_block, n_layers)


@answers("Stack")
def st_made_in_forward(make_block, n_layers):
    def forward(m, X):
        for _ in range(n_layers):
            X = make_block()(X)
        return X

    return _stack(lambda torch, make_block, n: None, forward)(make_block, n_layers)


@answers("Stack")
def st_a_list(make_block, n_layers):
    return [make_block() for _ in range(n_layers)]


@answers("Stack")
def st_module_list_called(make_block, n_layers):
    import torch

    return torch.nn.ModuleList(make_block() for _ in range(n_layers))


@answers("Stack")
def st_no_grad(make_block, n_layers):
    def blocks(torch, make_block, n):
        return torch.nn.ModuleList(make_block() for _ in range(n))

    return _stack(blocks, lambda m, X: _run(m, X.detach()))(make_block, n_layers)
