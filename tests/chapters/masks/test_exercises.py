"""Exercises of `masks`: what the questions call true is true."""

import re

import numpy as np
import pytest

from course_attn.exercises import catalog
from course_attn.in_numpy.softmax import softmax

LINES = dict(
    re.findall(r"- \*\*(\w)\*\* `(.+)`", catalog.find("hides_the_future").task)
)


def test_every_line_is_tried():
    assert "".join(LINES) == "abcdefg"


@pytest.mark.parametrize("letter", LINES)
def test_hides_the_future_names_the_lines_that_do(letter):
    n = 5
    rng = np.random.default_rng(0)
    W_Q, W_K, W_V = rng.normal(size=(3, 4, 4))

    def output(X):
        names = {"np": np, "softmax": softmax, "n": n, "M": np.tri(n, dtype=bool)}
        S, V = (X @ W_Q) @ (X @ W_K).T / 2, X @ W_V
        return eval(LINES[letter], names | {"S": S, "V": V})

    moved = 0.0
    for X, other in rng.normal(size=(20, 2, n, 4)):
        for i in range(n - 1):
            mixed = np.concatenate([X[: i + 1], other[i + 1 :]])
            change = np.abs(output(mixed)[: i + 1] - output(X)[: i + 1]).max()
            moved = max(moved, change)
    hides = letter in catalog.find("hides_the_future").solution()
    assert moved < 1e-9 if hides else moved > 0.01


def test_from_torch_masks_says_what_pytorch_does():
    import torch
    from torch import nn

    rng = np.random.default_rng(1)
    n_q, n_k = 3, 5
    dropped, padding = rng.random((n_q, n_k)) < 0.3, rng.random((2, n_k)) < 0.3
    dropped[:, 0] = padding[:, 0] = False  # no empty rows
    find = catalog.find("from_torch_masks").solution
    layer = nn.MultiheadAttention(4, 1, batch_first=True)
    given = {"attn_mask": dropped, "key_padding_mask": padding}
    _, weights = layer(
        torch.randn(2, n_q, 4),
        *[torch.randn(2, n_k, 4)] * 2,
        **{name: torch.from_numpy(mask) for name, mask in given.items()},
    )
    assert np.array_equal(
        weights.detach().numpy() > 0, find(dropped, padding, False)
    )
    identity = torch.eye(n_k).expand(2, n_k, n_k)
    seen = nn.functional.scaled_dot_product_attention(
        torch.zeros(2, n_q, n_k), identity, identity, is_causal=True
    )
    nothing = np.zeros_like(dropped), np.zeros_like(padding)
    assert np.array_equal(seen.numpy() > 0, find(*nothing, True))
