"""Answers to `SmallGPT`."""

import torch

from tests.exercises.answers import right, wrong


def _small_gpt(forward, *, make=None):
    """Make a model whose `__init__` is right, with a forward of its own."""

    def made(n_vocab, n_context, d_model, n_layers, make_block):
        from torch import nn

        class Mine(nn.Module):
            def __init__(self):
                super().__init__()
                self.embedding = nn.Embedding(n_vocab, d_model)
                self.positions = nn.Embedding(n_context, d_model)
                self.final_norm = nn.LayerNorm(d_model)
                self.layers = nn.ModuleList(make_block() for _ in range(n_layers))
                if make is not None:
                    make(self, nn, d_model, n_vocab, n_context)

            def forward(self, tokens):
                return forward(self, tokens)

        return Mine()

    return made


def _tied_head(m, nn, d_model, n_vocab, n_context):
    m.head = nn.Linear(d_model, n_vocab, bias=False)
    m.head.weight = m.embedding.weight
    m.dropout = nn.Dropout(0.0)


@right()
def sg_tied_linear(n_vocab, n_context, d_model, n_layers, make_block):
    def forward(m, tokens):
        n = tokens.size(-1)
        mask = torch.tril(torch.ones(n, n)) == 1
        X = m.dropout(m.positions(torch.arange(n)) + m.embedding(tokens))
        for layer in m.layers:
            X = layer(X, mask=mask)
        return m.head(m.final_norm(X))

    return _small_gpt(forward, make=_tied_head)(
        n_vocab, n_context, d_model, n_layers, make_block
    )


def _registered_mask(m, nn, d_model, n_vocab, n_context):
    m.register_buffer("mask", torch.ones(n_context, n_context, dtype=bool).tril())


@right()
def sg_registered_mask(n_vocab, n_context, d_model, n_layers, make_block):
    def forward(m, tokens):
        n = tokens.shape[-1]
        X = torch.nn.functional.embedding(tokens, m.embedding.weight)
        X = X + m.positions.weight[:n]
        for layer in m.layers:
            X = layer(X, m.mask[:n, :n])
        return torch.nn.functional.linear(m.final_norm(X), m.embedding.weight)

    return _small_gpt(forward, make=_registered_mask)(
        n_vocab, n_context, d_model, n_layers, make_block
    )


@right()
def sg_einsum(n_vocab, n_context, d_model, n_layers, make_block):
    def forward(m, tokens):
        i = torch.arange(tokens.shape[-1], device=tokens.device)
        X = m.embedding(tokens) + m.positions(i)
        for k in range(len(m.layers)):
            X = m.layers[k](X, i[:, None] >= i)
        return torch.einsum("...d,vd->...v", m.final_norm(X), m.embedding.weight)

    return _small_gpt(forward)(n_vocab, n_context, d_model, n_layers, make_block)


@right()
def sg_functional_norm(n_vocab, n_context, d_model, n_layers, make_block):
    def forward(m, tokens):
        from functools import reduce

        from torch.nn import functional as F

        n = tokens.shape[-1]
        mask = ~torch.triu(torch.ones((n, n), dtype=torch.bool), diagonal=1)
        start = m.embedding.weight[tokens] + m.positions.weight[torch.arange(n)]
        X = reduce(lambda x, block: block(x, mask), m.layers, start)
        X = F.layer_norm(X, (d_model,), m.final_norm.weight, m.final_norm.bias)
        return torch.matmul(X, m.embedding.weight.transpose(0, 1))

    return _small_gpt(forward)(n_vocab, n_context, d_model, n_layers, make_block)


def _changed_gpt(forward, change=None):
    """Make a model with a forward of its own, and perhaps another `__init__`."""

    def made(n_vocab, n_context, d_model, n_layers, make_block):
        from torch import nn

        class Mine(nn.Module):
            def __init__(self):
                super().__init__()
                self.embedding = nn.Embedding(n_vocab, d_model)
                self.positions = nn.Embedding(n_context, d_model)
                self.final_norm = nn.LayerNorm(d_model)
                self.blocks = nn.ModuleList(make_block() for _ in range(n_layers))
                if change is not None:
                    change(self, nn)

            def forward(self, tokens):
                return forward(self, tokens, torch)

        return Mine()

    return made


def _stream(m, tokens, torch):
    n = tokens.shape[-1]
    mask = torch.ones(n, n, dtype=torch.bool).tril()
    X = m.embedding(tokens) + m.positions(torch.arange(n))
    for block in m.blocks:
        X = block(X, mask)
    return X


# a tied head with a bias
@wrong("more-parameters")
def sg_head_with_bias(*sizes):
    def head(m, nn):
        m.head = nn.Linear(m.embedding.embedding_dim, m.embedding.num_embeddings)
        m.head.weight = m.embedding.weight

    def forward(m, tokens, torch):
        return m.head(m.final_norm(_stream(m, tokens, torch)))

    return _changed_gpt(forward, head)(*sizes)


# copies the embedding's numbers at the start
@wrong("not-tied")
def sg_copied_head(*sizes):
    def head(m, nn):
        m.head = nn.Parameter(m.embedding.weight.detach().clone().T)

    def forward(m, tokens, torch):
        return m.final_norm(_stream(m, tokens, torch)) @ m.head

    return _changed_gpt(forward, head)(*sizes)


# the blocks in a plain list
@wrong("plain-list")
def sg_list(*sizes):
    def plain(m, nn):
        blocks = [*m.blocks]
        del m.blocks
        m.blocks = blocks

    def forward(m, tokens, torch):
        return m.final_norm(_stream(m, tokens, torch)) @ m.embedding.weight.T

    return _changed_gpt(forward, plain)(*sizes)


# one block, several times
@wrong("same-block")
def sg_same_block(n_vocab, n_context, d_model, n_layers, make_block):
    class Mine(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = torch.nn.Embedding(n_vocab, d_model)
            self.positions = torch.nn.Embedding(n_context, d_model)
            self.final_norm = torch.nn.LayerNorm(d_model)
            self.blocks = torch.nn.ModuleList([make_block()] * n_layers)

        def forward(self, tokens):
            return (
                self.final_norm(_stream(self, tokens, torch))
                @ self.embedding.weight.T
            )

    return Mine()


# positions as an nn.Parameter
@wrong("attribute")
def sg_parameter(*sizes):
    def parameter(m, nn):
        m.positions = nn.Parameter(m.positions.weight.detach())

    def forward(m, tokens, torch):
        X = m.embedding(tokens) + m.positions[: tokens.shape[-1]]
        for block in m.blocks:
            X = block(X, torch.ones(len(X), len(X)).tril().bool())
        return m.final_norm(X) @ m.embedding.weight.T

    return _changed_gpt(forward, parameter)(*sizes)


# the norm of the logits' dot products: cosine similarity
@wrong("cosine")
def sg_cosine(*sizes):
    def forward(m, tokens, torch):
        X = m.final_norm(_stream(m, tokens, torch))
        X = X / X.norm(dim=-1, keepdim=True)
        E = m.embedding.weight / m.embedding.weight.norm(dim=-1, keepdim=True)
        return X @ E.T

    return _changed_gpt(forward)(*sizes)


# positions from the end of the text
@wrong("positions-backward")
def sg_positions_backward(*sizes):
    def forward(m, tokens, torch):
        n = tokens.shape[-1]
        X = m.embedding(tokens) + m.positions(torch.arange(n).flip(0))
        for block in m.blocks:
            X = block(X, torch.ones(n, n, dtype=torch.bool).tril())
        return m.final_norm(X) @ m.embedding.weight.T

    return _changed_gpt(forward)(*sizes)


# log-softmax at the end
@wrong("log-probabilities")
def sg_log_softmax(*sizes):
    def forward(m, tokens, torch):
        logits = m.final_norm(_stream(m, tokens, torch)) @ m.embedding.weight.T
        return torch.log_softmax(logits, dim=-1)

    return _changed_gpt(forward)(*sizes)


# nothing learns: no_grad
@wrong()
def sg_no_grad(*sizes):
    def forward(m, tokens, torch):
        with torch.no_grad():
            return m.final_norm(_stream(m, tokens, torch)) @ m.embedding.weight.T

    return _changed_gpt(forward)(*sizes)


# The positions are taken from the end of the table (the last n) instead of from 0
@wrong("last-positions", author="blind")
class fc_26(torch.nn.Module):
    def __init__(self, n_vocab, n_context, d_model, n_layers, make_block):
        super().__init__()
        self.embedding = torch.nn.Embedding(n_vocab, d_model)
        self.positions = torch.nn.Embedding(n_context, d_model)
        self.blocks = torch.nn.ModuleList([make_block() for _ in range(n_layers)])
        self.final_norm = torch.nn.LayerNorm(d_model)
        self.register_buffer(
            "mask", torch.tril(torch.ones(n_context, n_context, dtype=torch.bool))
        )

    def forward(self, tokens):
        n = tokens.shape[-1]
        X = self.embedding(tokens) + self.positions.weight[-n:]
        for block in self.blocks:
            X = block(X, self.mask[:n, :n])
        return self.final_norm(X) @ self.embedding.weight.T


# the mask is float (ones and zeros), not bool
@wrong("mask-of-numbers", author="blind")
class F6FloatMask(torch.nn.Module):
    def __init__(self, n_vocab, n_context, d_model, n_layers, make_block):
        super().__init__()
        self.embedding = torch.nn.Embedding(n_vocab, d_model)
        self.positions = torch.nn.Embedding(n_context, d_model)
        self.blocks = torch.nn.ModuleList()
        for _ in range(n_layers):
            self.blocks.append(make_block())
        self.final_norm = torch.nn.LayerNorm(d_model)
        self.register_buffer(
            "tril", torch.tril(torch.ones(n_context, n_context)), persistent=False
        )

    def forward(self, tokens):
        T = tokens.shape[-1]
        x = self.embedding(tokens) + self.positions(torch.arange(T))
        for b in self.blocks:
            x = b(x, self.tril[:T, :T])
        x = self.final_norm(x)
        return x @ self.embedding.weight.t()


# the mask is made once with size n_context and not cut to (n, n) for shorter texts
@wrong("mask-shape", author="blind")
class p25_mask_of_context(torch.nn.Module):
    def __init__(self, n_vocab, n_context, d_model, n_layers, make_block):
        super().__init__()
        self.embedding = torch.nn.Embedding(n_vocab, d_model)
        self.positions = torch.nn.Embedding(n_context, d_model)
        self.layers = torch.nn.ModuleList(make_block() for _ in range(n_layers))
        self.final_norm = torch.nn.LayerNorm(d_model)
        self.register_buffer(
            "mask",
            torch.tril(torch.ones(n_context, n_context)).bool(),
            persistent=False,
        )

    def forward(self, tokens):
        positions = torch.arange(tokens.size(-1))
        h = self.embedding(tokens) + self.positions(positions)
        for layer in self.layers:
            h = layer(h, self.mask)
        h = self.final_norm(h)
        return torch.nn.functional.linear(h, self.embedding.weight)


# one block is made, and runs once, whatever the number of layers
@wrong("one-block")
class sg_one_block(torch.nn.Module):
    def __init__(self, n_vocab, n_context, d_model, n_layers, make_block):
        super().__init__()
        self.embedding = torch.nn.Embedding(n_vocab, d_model)
        self.positions = torch.nn.Embedding(n_context, d_model)
        self.blocks = torch.nn.ModuleList([make_block()])
        self.final_norm = torch.nn.LayerNorm(d_model)

    def forward(self, tokens):
        normed = self.final_norm(_stream(self, tokens, torch))
        return normed @ self.embedding.weight.T


# the positions are looked up with the tokens' numbers AND one block is shared by all layers
@wrong("positions-of-tokens", "same-block", author="blind")
class E48GPTPositionsOfTokensShared(torch.nn.Module):
    def __init__(self, n_vocab, n_context, d_model, n_layers, make_block):
        super().__init__()
        self.embedding = torch.nn.Embedding(n_vocab, d_model)
        self.positions = torch.nn.Embedding(n_context, d_model)
        self.block = make_block()
        self.n_layers = n_layers
        self.final_norm = torch.nn.LayerNorm(d_model)

    def forward(self, tokens):
        n = tokens.shape[-1]
        X = self.embedding(tokens) + self.positions(
            tokens % self.positions.num_embeddings
        )
        mask = torch.tril(torch.ones((n, n), dtype=torch.bool))
        for _ in range(self.n_layers):
            X = self.block(X, mask)
        X = self.final_norm(X)
        return torch.einsum("...nd,vd->...nv", X, self.embedding.weight)


# the positions are added again before every block AND the block's input is added to its output
@wrong("positions-before-each", "added-again", author="blind")
class n18_PositionsEachAndResidual(torch.nn.Module):
    def __init__(self, n_vocab, n_context, d_model, n_layers, make_block):
        super().__init__()
        self.embedding = torch.nn.Embedding(n_vocab, d_model)
        self.positions = torch.nn.Embedding(n_context, d_model)
        self.stack = torch.nn.ModuleList()
        for _ in range(n_layers):
            self.stack.append(make_block())
        self.final_norm = torch.nn.LayerNorm(d_model)

    def forward(self, tokens):
        length = tokens.shape[-1]
        where = self.positions(torch.arange(length))
        may_see = torch.tril(torch.ones((length, length))) == 1
        X = self.embedding(tokens)
        for block in self.stack:
            X = X + where
            X = X + block(X, may_see)
        X = self.final_norm(X)
        return torch.matmul(X, self.embedding.weight.transpose(0, 1))
