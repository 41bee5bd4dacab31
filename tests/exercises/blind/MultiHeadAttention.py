import torch


class MultiHeadAttention__1(torch.nn.Module):
    # mistake: heads are made by view without the swap of axes
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (
            torch.nn.Linear(d_model, d_model, bias=False) for _ in range(4)
        )

    def forward(self, X, mask):
        *b, n, d = X.shape
        q, k, v = (
            W(X).reshape(*b, self.n_heads, n, -1)
            for W in (self.W_Q, self.W_K, self.W_V)
        )
        Y = torch.nn.functional.scaled_dot_product_attention(
            q, k, v, attn_mask=mask
        )
        return self.W_O(Y.reshape(*b, n, d))


class MultiHeadAttention__2(torch.nn.Module):
    # mistake: the scores are divided by sqrt(d_model)
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads, self.d = n_heads, d_model
        self.W_Q = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_K = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_V = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_O = torch.nn.Linear(d_model, d_model, bias=False)

    def forward(self, X, mask):
        split = lambda Z: Z.unflatten(-1, (self.n_heads, -1)).transpose(-2, -3)
        q, k, v = split(self.W_Q(X)), split(self.W_K(X)), split(self.W_V(X))
        S = (q @ k.mT / self.d**0.5).masked_fill(~mask, float("-inf"))
        return self.W_O((torch.softmax(S, -1) @ v).transpose(-2, -3).flatten(-2))


class MultiHeadAttention__3(torch.nn.Module):
    # mistake: the mask is read as True = drop
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            setattr(self, name, torch.nn.Linear(d_model, d_model, bias=False))

    def forward(self, X, mask):
        split = lambda Z: Z.unflatten(-1, (self.n_heads, -1)).transpose(-2, -3)
        q, k, v = split(self.W_Q(X)), split(self.W_K(X)), split(self.W_V(X))
        S = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(mask, -1e9)
        return self.W_O((torch.softmax(S, -1) @ v).transpose(-2, -3).flatten(-2))


class MultiHeadAttention__6(torch.nn.Module):
    # mistake: exactly one batch axis is expected
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            setattr(self, name, torch.nn.Linear(d_model, d_model, bias=False))

    def forward(self, X, mask):
        B, n, d = X.shape
        cut = lambda Z: Z.view(B, n, self.n_heads, d // self.n_heads).transpose(
            1, 2
        )
        Y = torch.nn.functional.scaled_dot_product_attention(
            cut(self.W_Q(X)), cut(self.W_K(X)), cut(self.W_V(X)), attn_mask=mask
        )
        return self.W_O(Y.transpose(1, 2).reshape(B, n, d))


class MultiHeadAttention__8(torch.nn.Module):
    # mistakes: mask not used; keys are made with W_Q, too
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            setattr(self, name, torch.nn.Linear(d_model, d_model, bias=False))

    def forward(self, X, mask):
        split = lambda Z: Z.unflatten(-1, (self.n_heads, -1)).transpose(-2, -3)
        Y = torch.nn.functional.scaled_dot_product_attention(
            split(self.W_Q(X)), split(self.W_Q(X)), split(self.W_V(X))
        )
        return self.W_O(Y.transpose(-2, -3).flatten(-2))
