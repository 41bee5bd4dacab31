import torch


class LearnedPositions__1(torch.nn.Module):
    # mistake: P is a tensor and no parameter
    def __init__(self, n_max, d_model):
        super().__init__()
        self.n_max = n_max
        self.P = torch.randn(n_max, d_model)

    def forward(self, X):
        if X.shape[-2] > self.n_max:
            raise ValueError("too long")
        return X + self.P[: X.shape[-2]]


class LearnedPositions__2(torch.nn.Module):
    # mistake: adds the whole P, so that a shorter sequence crashes
    def __init__(self, n_max, d_model):
        super().__init__()
        self.P = torch.nn.Parameter(torch.randn(n_max, d_model) * 0.02)

    def forward(self, X):
        if X.shape[-2] > len(self.P):
            raise ValueError("sequence is too long")
        return X + self.P


class LearnedPositions__3(torch.nn.Module):
    # mistake: takes the length from axis 0, which is the batch
    def __init__(self, n_max, d_model):
        super().__init__()
        self.P = torch.nn.Parameter(torch.zeros(n_max, d_model))

    def forward(self, X):
        n = X.shape[0]
        if n > self.P.shape[0]:
            raise ValueError(f"at most {self.P.shape[0]} positions")
        return X + self.P[:n]


class LearnedPositions__4(torch.nn.Module):
    # mistake: a sequence that is too long is cut instead of refused
    def __init__(self, n_max, d_model):
        super().__init__()
        self.P = torch.nn.Parameter(torch.randn(n_max, d_model))

    def forward(self, X):
        X = X[..., : len(self.P), :]
        return X + self.P[: X.shape[-2]]


class LearnedPositions__8(torch.nn.Module):
    # mistakes: multiplied instead of added; an IndexError instead of a ValueError
    def __init__(self, n_max, d_model):
        super().__init__()
        self.P = torch.nn.Parameter(torch.ones(n_max, d_model))

    def forward(self, X):
        n = X.shape[-2]
        if n > len(self.P):
            raise IndexError("too long")
        return X * self.P[:n]
