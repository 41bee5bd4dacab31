"""Wrong answers to the PyTorch exercises of `block` as learners write them."""

from tests.exercises.answers import Answers

wrong = Answers()


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


@wrong("TransformerBlock")
def tbt_tuple(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        x = m.norm_1(X)
        H = X + m.attention(x, x, x, attn_mask=~mask)
        return H + m.linear_2(torch.relu(m.linear_1(m.norm_2(H))))

    return _block(forward)(d_model, n_heads, d_ff)


@wrong("TransformerBlock")
def tbt_polarity_without_weights(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        x = m.norm_1(X)
        H = X + m.attention(x, x, x, attn_mask=mask, need_weights=False)[0]
        return H + m.linear_2(torch.relu(m.linear_1(m.norm_2(H))))

    return _block(forward)(d_model, n_heads, d_ff)


@wrong("TransformerBlock")
def tbt_mask_to_wrong_argument(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        x = m.norm_1(X)
        H = X + m.attention(x, x, x, mask)[0]
        return H + m.linear_2(torch.relu(m.linear_1(m.norm_2(H))))

    return _block(forward)(d_model, n_heads, d_ff)


@wrong("TransformerBlock")
def tbt_batch_first_forgotten(d_model, n_heads, d_ff):
    return _block(_right, first=False)(d_model, n_heads, d_ff)


@wrong("TransformerBlock")
def tbt_post_norm_and_polarity(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        H = m.norm_1(X + m.attention(X, X, X, attn_mask=mask)[0])
        return m.norm_2(H + m.linear_2(torch.relu(m.linear_1(H))))

    return _block(forward)(d_model, n_heads, d_ff)


@wrong("TransformerBlock")
def tbt_norm_1_twice(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        x = m.norm_1(X)
        H = X + m.attention(x, x, x, attn_mask=~mask)[0]
        return H + m.linear_2(torch.relu(m.linear_1(m.norm_1(H))))

    return _block(forward)(d_model, n_heads, d_ff)


@wrong("TransformerBlock")
def tbt_one_norm_object(d_model, n_heads, d_ff):
    return _block(_right, one=True)(d_model, n_heads, d_ff)


@wrong("TransformerBlock")
def tbt_one_head(d_model, n_heads, d_ff):
    return _block(_right, heads=1)(d_model, n_heads, d_ff)


@wrong("TransformerBlock")
def tbt_no_bias(d_model, n_heads, d_ff):
    return _block(_right, bias=False)(d_model, n_heads, d_ff)


@wrong("TransformerBlock")
def tbt_four_times(d_model, n_heads, d_ff):
    return _block(_right, width=4 * d_model)(d_model, n_heads, d_ff)


@wrong("TransformerBlock")
def tbt_missing_layer(d_model, n_heads, d_ff):
    return _block(_right, missing=True)(d_model, n_heads, d_ff)


@wrong("TransformerBlock")
def tbt_returns_nothing(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        _right(m, X, mask, torch)

    return _block(forward)(d_model, n_heads, d_ff)


@wrong("TransformerBlock")
def tbt_detached(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        return _right(m, X.detach(), mask, torch)

    return _block(forward)(d_model, n_heads, d_ff)


@wrong("TransformerBlock")
def tbt_handed_over(d_model, n_heads, d_ff):
    import torch

    return torch.nn.TransformerEncoderLayer(d_model, n_heads, d_ff, norm_first=True)


def _with_dropout(m, X, mask, torch):
    x = m.norm_1(X)
    H = X + m.attention(x, x, x, attn_mask=~mask)[0]
    drop = torch.nn.functional.dropout
    hidden = drop(torch.relu(m.linear_1(m.norm_2(H))), 0.1, m.training)
    return H + m.linear_2(hidden)


@wrong("TransformerBlock", "dropout", mistake="dropout, which is not asked for")
def tbt_dropout(d_model, n_heads, d_ff):
    return _block(_with_dropout)(d_model, n_heads, d_ff)


@wrong("TransformerBlock", mistake="no gradients")
def tbt_data(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        x = m.norm_1(X)
        H = X + m.attention(x, x, x, attn_mask=~mask)[0]
        hidden = m.norm_2(H) @ m.linear_1.weight.data.T + m.linear_1.bias
        return H + m.linear_2(torch.relu(hidden))

    return _block(forward)(d_model, n_heads, d_ff)


@wrong("TransformerBlock", "weights", mistake="the second result are the weights")
def tbt_second_result(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        x = m.norm_1(X)
        H = X + m.attention(x, x, x, attn_mask=~mask)[1]
        return H + m.linear_2(torch.relu(m.linear_1(m.norm_2(H))))

    return _block(forward)(d_model, n_heads, d_ff)


@wrong("TransformerBlock", "added-mask", mistake="a float mask is added")
def tbt_float_mask_of_ones(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        x = m.norm_1(X)
        H = X + m.attention(x, x, x, attn_mask=mask.to(X.dtype))[0]
        return H + m.linear_2(torch.relu(m.linear_1(m.norm_2(H))))

    return _block(forward)(d_model, n_heads, d_ff)


@wrong("TransformerBlock", "norms-swapped", mistake="the norms are swapped")
def tbt_norms_swapped(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        x = m.norm_2(X)
        H = X + m.attention(x, x, x, attn_mask=~mask)[0]
        return H + m.linear_2(torch.relu(m.linear_1(m.norm_1(H))))

    return _block(forward)(d_model, n_heads, d_ff)


@wrong("TransformerBlock", mistake="squeeze")
def tbt_squeezed(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        return _right(m, X, mask, torch).squeeze()

    return _block(forward)(d_model, n_heads, d_ff)


@wrong("TransformerBlock", "built-in", mistake="the wiring is handed over")
def tbt_wiring_handed_over(d_model, n_heads, d_ff):
    def forward(m, X, mask, torch):
        from course_attn.in_torch.block import pre_norm_block

        def attend(x):
            return m.attention(x, x, x, attn_mask=~mask)[0]

        def process(x):
            return m.linear_2(torch.relu(m.linear_1(x)))

        return pre_norm_block(X, attend, process, m.norm_1, m.norm_2)

    return _block(forward)(d_model, n_heads, d_ff)


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


@wrong("Stack")
def st_repeated(make_block, n_layers):
    def blocks(torch, make_block, n):
        return torch.nn.ModuleList([make_block()] * n)

    return _stack(blocks, _run)(make_block, n_layers)


@wrong("Stack")
def st_list(make_block, n_layers):
    def blocks(torch, make_block, n):
        return [make_block() for _ in range(n)]

    return _stack(blocks, _run)(make_block, n_layers)


@wrong("Stack")
def st_function_not_called(make_block, n_layers):
    def blocks(torch, make_block, n):
        return torch.nn.ModuleList([make_block for _ in range(n)])

    return _stack(blocks, _run)(make_block, n_layers)


@wrong("Stack")
def st_return_in_loop(make_block, n_layers):
    def blocks(torch, make_block, n):
        return torch.nn.ModuleList(make_block() for _ in range(n))

    def forward(m, X):
        for block in m.blocks:
            X = block(X)
            return X

    return _stack(blocks, forward)(make_block, n_layers)


@wrong("Stack")
def st_not_assigned(make_block, n_layers):
    def blocks(torch, make_block, n):
        return torch.nn.ModuleList(make_block() for _ in range(n))

    def forward(m, X):
        for block in m.blocks:
            block(X)
        return X

    return _stack(blocks, forward)(make_block, n_layers)


@wrong("Stack")
def st_made_in_forward(make_block, n_layers):
    def forward(m, X):
        for _ in range(n_layers):
            X = make_block()(X)
        return X

    return _stack(lambda torch, make_block, n: None, forward)(make_block, n_layers)


@wrong("Stack")
def st_a_list(make_block, n_layers):
    return [make_block() for _ in range(n_layers)]


@wrong("Stack")
def st_module_list_called(make_block, n_layers):
    import torch

    return torch.nn.ModuleList(make_block() for _ in range(n_layers))


@wrong("Stack")
def st_no_grad(make_block, n_layers):
    def blocks(torch, make_block, n):
        return torch.nn.ModuleList(make_block() for _ in range(n))

    return _stack(blocks, lambda m, X: _run(m, X.detach()))(make_block, n_layers)


@wrong("Stack", "final-norm", mistake="a norm at the end, which is not asked for")
def st_final_norm(make_block, n_layers):
    def blocks(torch, make_block, n):
        return torch.nn.ModuleList(make_block() for _ in range(n))

    def forward(m, X):
        X = _run(m, X)
        centered = X - X.mean(-1, keepdim=True)
        return centered / (centered.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt()

    return _stack(blocks, forward)(make_block, n_layers)


@wrong("Stack", "not-modules", mistake="Sequential wants a star")
def st_sequential_of_a_list(make_block, n_layers):
    import torch

    return torch.nn.Sequential([make_block() for _ in range(n_layers)])


@wrong("Stack", "frozen", mistake="frozen blocks cannot learn")
def st_frozen(make_block, n_layers):
    import torch

    blocks = [make_block() for _ in range(n_layers)]
    return torch.nn.Sequential(*blocks).requires_grad_(False)


@wrong("Stack", mistake="a parameter of its own")
def st_extra_parameters(make_block, n_layers):
    import torch

    def blocks(torch, make_block, n):
        return torch.nn.ModuleList([make_block() for _ in range(n)])

    layer = _stack(blocks, _run)(make_block, n_layers)
    layer.scale = torch.nn.Parameter(torch.ones(()))
    return layer


@wrong("Stack", "last-skipped", mistake="the last block is never run")
def st_last_index_missing(make_block, n_layers):
    def blocks(torch, make_block, n):
        return torch.nn.ModuleList(make_block() for _ in range(n))

    def forward(m, X):
        for i in range(n_layers - 1):
            X = m.blocks[i](X)
        return X

    return _stack(blocks, forward)(make_block, n_layers)
