import torch


class Stack__1(torch.nn.Module):
    # mistake: a Python list, so the parameters are not found
    def __init__(self, make_block, n_layers):
        super().__init__()
        self.blocks = [make_block() for _ in range(n_layers)]

    def forward(self, X):
        for b in self.blocks:
            X = b(X)
        return X


class Stack__2(torch.nn.Module):
    # mistake: the same block n_layers times
    def __init__(self, make_block, n_layers):
        super().__init__()
        self.blocks = torch.nn.ModuleList([make_block()] * n_layers)

    def forward(self, X):
        for b in self.blocks:
            X = b(X)
        return X


class Stack__3(torch.nn.Module):
    # mistake: last block first
    def __init__(self, make_block, n_layers):
        super().__init__()
        self.layers = torch.nn.ModuleList(make_block() for _ in range(n_layers))

    def forward(self, X):
        for layer in reversed(self.layers):
            X = layer(X)
        return X


class Stack__4(torch.nn.Module):
    # mistake: every block reads the first input
    def __init__(self, make_block, n_layers):
        super().__init__()
        self.layers = torch.nn.ModuleList(make_block() for _ in range(n_layers))

    def forward(self, X):
        out = X
        for layer in self.layers:
            out = layer(X)
        return out


class Stack__7(torch.nn.Module):
    # mistakes: one block too many; they run in reverse order
    def __init__(self, make_block, n_layers):
        super().__init__()
        self.net = torch.nn.Sequential(
            *[make_block() for _ in range(n_layers + 1)][::-1]
        )

    def forward(self, X):
        return self.net(X)
