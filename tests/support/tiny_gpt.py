"""A GPT of one block whose parameters are drawn, small enough to be read."""

import numpy as np

__all__ = ["CHARACTERS", "TEXT", "drawn", "tokens_of"]

TEXT, CHARACTERS = "happ", " ahpy"
PARTS = {
    "positions.P": (5, 4), "norm_1.gain": (4,), "norm_1.bias": (4,), "norm_2.gain": (4,),
    "norm_2.bias": (4,), "attention.W_Q": (4, 4), "attention.W_K": (4, 4),
    "attention.W_V": (4, 4), "attention.W_O": (4, 4), "feed_forward.W_1": (4, 6),
    "feed_forward.b_1": (6,), "feed_forward.W_2": (6, 4), "feed_forward.b_2": (4,),
}  # fmt: skip


def drawn(seed: int) -> dict[str, np.ndarray]:
    """Draw a state dict: 5 tokens, 5 positions, width 4, 6 hidden features; two decimals."""
    rng = np.random.default_rng(seed)
    params = {"embedding": rng.normal(size=(5, 4)).round(2)}
    for name, shape in PARTS.items():
        place = "" if name == "positions.P" else "transformer.blocks.0."
        params[place + name] = rng.normal(size=shape).round(2)
    for name in ("gain", "bias"):
        params[f"transformer.final_norm.{name}"] = rng.normal(size=4).round(2)
    return params


def tokens_of(text: str) -> np.ndarray:
    """Return the numbers of a text's characters."""
    return np.array([CHARACTERS.index(c) for c in text])
