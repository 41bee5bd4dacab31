"""Answers to `Stack`."""

import copy
from functools import reduce

import torch

from tests.exercises.answers import right, wrong


@right()
def st_reduce(make_block, n_layers):
    from functools import reduce

    class Mine(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleDict(
                {f"layer {i}": make_block() for i in range(n_layers)}
            )

        def forward(self, X):
            return reduce(lambda x, block: block(x), self.layers.values(), X)

    return Mine()


@right()
def st_sequential(make_block, n_layers):
    return torch.nn.Sequential(*(make_block() for _ in range(n_layers)))


@right()
def st_append(make_block, n_layers):
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


@right(author="fresh")
class FreshStSequential(torch.nn.Module):
    def __init__(self, make_block, n_layers):
        super().__init__()
        self.tower = torch.nn.Sequential(*(make_block() for _ in range(n_layers)))

    def forward(self, X):
        return self.tower(X)


@right(author="fresh")
class FreshStSetattr(torch.nn.Module):
    def __init__(self, make_block, n_layers):
        super().__init__()
        self.names = []
        while len(self.names) < n_layers:
            self.names.append(f"floor_{len(self.names)}")
            setattr(self, self.names[-1], make_block())

    def forward(self, X):
        return reduce(lambda Y, name: getattr(self, name)(Y), self.names, X)


def _stack(blocks, forward):
    def make(make_block, n_layers):
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


@wrong()
def st_return_in_loop(make_block, n_layers):
    def blocks(torch, make_block, n):
        return torch.nn.ModuleList(make_block() for _ in range(n))

    def forward(m, X):
        for block in m.blocks:
            X = block(X)
            return X

    return _stack(blocks, forward)(make_block, n_layers)


@wrong()
def st_not_assigned(make_block, n_layers):
    def blocks(torch, make_block, n):
        return torch.nn.ModuleList(make_block() for _ in range(n))

    def forward(m, X):
        for block in m.blocks:
            block(X)
        return X

    return _stack(blocks, forward)(make_block, n_layers)


@wrong()
def st_made_in_forward(make_block, n_layers):
    def forward(m, X):
        for _ in range(n_layers):
            X = make_block()(X)
        return X

    return _stack(lambda torch, make_block, n: None, forward)(make_block, n_layers)


@wrong()
def st_a_list(make_block, n_layers):
    return [make_block() for _ in range(n_layers)]


@wrong()
def st_no_grad(make_block, n_layers):
    def blocks(torch, make_block, n):
        return torch.nn.ModuleList(make_block() for _ in range(n))

    return _stack(blocks, lambda m, X: _run(m, X.detach()))(make_block, n_layers)


# a norm at the end, which is not asked for
@wrong("final-norm")
def st_final_norm(make_block, n_layers):
    def blocks(torch, make_block, n):
        return torch.nn.ModuleList(make_block() for _ in range(n))

    def forward(m, X):
        X = _run(m, X)
        centered = X - X.mean(-1, keepdim=True)
        return centered / (centered.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt()

    return _stack(blocks, forward)(make_block, n_layers)


# Sequential wants a star
@wrong("not-modules")
def st_sequential_of_a_list(make_block, n_layers):
    return torch.nn.Sequential([make_block() for _ in range(n_layers)])


# frozen blocks cannot learn
@wrong("frozen")
def st_frozen(make_block, n_layers):
    blocks = [make_block() for _ in range(n_layers)]
    return torch.nn.Sequential(*blocks).requires_grad_(False)


# a parameter of its own
@wrong()
def st_extra_parameters(make_block, n_layers):
    def blocks(torch, make_block, n):
        return torch.nn.ModuleList([make_block() for _ in range(n)])

    layer = _stack(blocks, _run)(make_block, n_layers)
    layer.scale = torch.nn.Parameter(torch.ones(()))
    return layer


# the last block is never run
@wrong("last-skipped")
def st_last_index_missing(make_block, n_layers):
    def blocks(torch, make_block, n):
        return torch.nn.ModuleList(make_block() for _ in range(n))

    def forward(m, X):
        for i in range(n_layers - 1):
            X = m.blocks[i](X)
        return X

    return _stack(blocks, forward)(make_block, n_layers)


# calls make_block once and copies that block, so that all blocks start with the same parameters
@wrong(author="fresh")
class FreshStDeepcopy(torch.nn.Module):
    def __init__(self, make_block, n_layers):
        super().__init__()
        block = make_block()
        self.layers = torch.nn.ModuleList(
            copy.deepcopy(block) for _ in range(n_layers)
        )

    def forward(self, X):
        for layer in self.layers:
            X = layer(X)
        return X


# runs the blocks from the last to the first AND leaves out the block that was made first
@wrong(author="fresh")
class FreshStRecursion(torch.nn.Module):
    def __init__(self, make_block, n_layers):
        super().__init__()
        self.n_layers = n_layers
        self.blocks = torch.nn.ModuleList([make_block() for _ in range(n_layers)])

    def forward(self, X):
        def run(i):
            if i == self.n_layers:
                return X
            return self.blocks[i](run(i + 1))

        return run(1) if self.n_layers else X


# one block too many: a first one and n_layers more
@wrong("one-more", author="blind")
class x25_OneMore(torch.nn.Module):
    def __init__(self, make_block, n_layers):
        super().__init__()
        self.first = make_block()
        self.rest = torch.nn.Sequential(*(make_block() for _ in range(n_layers)))

    def forward(self, X):
        return self.rest(self.first(X))


# one block too few AND they run in the opposite order
@wrong("one-fewer", "backward", author="blind")
class m36_FewerReversed(torch.nn.Module):
    def __init__(self, make_block, n_layers):
        super().__init__()
        blocks = []
        for _ in range(1, n_layers):
            blocks.insert(0, make_block())
        self.net = torch.nn.Sequential(*blocks)

    def forward(self, X):
        return self.net(X)


@right()
class st_listed_from_the_last(torch.nn.Module):
    def __init__(self, make_block, n_layers):
        super().__init__()
        made = [make_block() for _ in range(n_layers)]
        self.blocks = torch.nn.ModuleList(made[::-1])

    def forward(self, X):
        for block in reversed(self.blocks):
            X = block(X)
        return X


# the blocks stand in a plain list AND the results of all blocks are added up
@wrong("plain-list", "states-summed", author="blind")
class b50_hidden_and_summed(torch.nn.Module):
    def __init__(self, make_block, n_layers):
        super().__init__()
        self.layers = [make_block() for _ in range(n_layers)]

    def forward(self, X):
        total = 0
        for layer in self.layers:
            X = layer(X)
            total = total + X
        return total
