"""What the chapter `fast` asks again."""

from collections.abc import Mapping
from itertools import permutations

import numpy as np

from course_attn.costs import attention_flops, explicit_bytes, fused_bytes
from course_attn.drawing.cards import Deck, card, deck
from course_attn.drawing.questions import listed
from course_attn.in_numpy.fast import (
    linear_attention,
    merge_partial,
    partial_attention,
    tiled_attention,
)
from course_attn.in_numpy.masks import causal_mask
from course_attn.in_numpy.qkv import attention
from course_attn.in_numpy.softmax import softmax

__all__ = ["cards"]


def cards(takes_fused: Mapping[str, bool]) -> Deck:
    """Ask where time and memory go, and how attention does without storing its weights.

    Parameters
    ----------
    takes_fused : mapping
        For each way to call PyTorch's attention, whether it got the fused kernel.
    """
    width, longest = 64, 16384
    sizes = longest, longest, width, width, 8
    explicit = attention_flops(*sizes) / explicit_bytes(*sizes, itemsize=2)
    ridge = 312 / 2  # of an A100: 10^12 operations and bytes a second
    bound = (width + width) / (2 * 2)  # (d_k + d_v) / 2u
    decode = attention_flops(1, 4096, 64, 64, 8) / fused_bytes(1, 4096, 64, 64, 8)
    scores = np.log([[1.0, 4.0, 2.0, 8.0]])
    V = np.array([[15.0, 0.0], [0.0, 15.0], [30.0, 0.0], [0.0, 30.0]])
    halves = [partial_attention(scores[:, k : k + 2], V[k : k + 2]) for k in (0, 2)]
    _, l, o = merge_partial(*halves[0], *halves[1])
    averaged = np.mean([o_J / l_J[:, None] for _, l_J, o_J in halves], axis=0)[0]
    rows = np.array(list(permutations([0.0, 1.0, 2.0, 3.0])))
    never_shrunk = np.exp(rows - np.maximum.accumulate(rows, axis=1)).sum(axis=1)
    right = np.isclose(never_shrunk, np.exp(rows - 3).sum(axis=1))
    rng = np.random.default_rng(0)
    S, values = 10 * rng.normal(size=(7, 23)), rng.normal(size=(23, 5))
    merged = _in_parts(S, values, rng.integers(3, size=23))
    Q, K, W = rng.normal(size=(3, 64, 16))
    slow = [name for name, taken in takes_fused.items() if not taken]
    X = rng.normal(size=(9, 8))
    moved = {
        name: np.abs(_two_layers(X, causal) - _two_layers(X[:8], causal)).max()
        for name, causal in (("causal", True), ("looks ahead", False))
    }
    a = softmax(np.array([3.0, 0.0, 0.0]))
    circle = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    keys = np.stack([np.cos(circle), np.sin(circle)], axis=-1)
    found, linear = (
        f(100 * keys, keys, np.eye(12)) for f in (attention, linear_attention)
    )
    on_right = [np.trace(A) / 12 for A in (found, linear)]
    return deck(
        "fast",
        card(
            "memory-bound",
            "Why would faster arithmetic hardly help explicit attention of a long text, in 16 bits"
            " on an A100?",
            "It waits for bytes. It moves scores or weights at least four times, so it does fewer"
            f" than {bound:.0f} operations per byte in heads of width {width}. The machine can"
            f" do {ridge:.0f} in the time of a byte.",
            section="Which of the two do we wait for?",
            holds=[0.99 * bound < explicit < bound < ridge],
        ),
        card(
            "shrink",
            "Online softmax keeps a running maximum. A larger score comes: what has to happen to"
            " what is summed already, and when does forgetting it not show?",
            "It is divided by the exponential of the difference of the two maxima, as it was"
            " summed in the old unit. Forgotten, the sum is right only where the largest score"
            f" comes first: in {right.sum()} of the {len(rows)} orders of four different scores.",
            section="What goes wrong",
            holds=[np.array_equal(right, rows[:, 0] == 3)],
        ),
        card(
            "what-half-leaves-behind",
            "Half of the keys gave one output, half another. What else do you need to know of"
            " each half, and why is the average of the two outputs wrong?",
            "Its largest score $m$ and the sum $l$ of its exponentials: a half of irrelevant keys"
            " must not count as much as a relevant one. In the chapter the average was"
            f" {listed(averaged)}, the answer {listed((o / l[:, None])[0])}.",
            section="In one line: merging two parts",
            holds=[
                np.allclose(o / l[:, None], softmax(scores) @ V),
                not np.allclose(averaged, (o / l[:, None])[0]),
            ],
        ),
        card(
            "cut-as-you-like",
            "Into which parts, and in which order, may the keys of a query be divided and merged"
            " again? Why?",
            "Into any, in any order. A partial result $(m, l, o)$ is a way of writing two sums,"
            " $e^m l$ and $e^m o$, and merging adds them: it is associative and commutative. So"
            " keys can come one after the other, or lie on many machines.",
            section="Why it works",
            holds=[np.allclose(merged, softmax(S) @ values)],
        ),
        card(
            "tiles-and-memory",
            "How much memory does tiled attention need besides inputs and outputs, and how exact"
            " is it?",
            "A few arrays as large as a tile and, for the queries taken at once, $m$, $l$ and $o$:"
            " none grows with the number of keys. Its answer is that of explicit attention, up"
            " to rounding.",
            section="Tiled attention in eighteen lines",
            holds=[_off(Q, K, W) < 1e-12],
        ),
        card(
            "without-a-word",
            "How do you find out whether `scaled_dot_product_attention` can take a certain fused"
            " kernel?",
            "Allow only that one, and see whether it refuses: otherwise it can fall back to"
            " explicit attention without a word. Of the chapter's"
            f" {len(takes_fused)} kinds of calls, {len(slow)} got no fused kernel on a CPU,"
            " among them one whose values have another width than the keys.",
            section="What PyTorch picks",
            holds=["d_v different from d_k" in slow, takes_fused["no mask"]],
        ),
        card(
            "why-a-cache-is-exact",
            "Why may a model that writes keep the keys and values of all old words? In which"
            " model would that be wrong?",
            "Because each layer is causal: when a new word comes, no old output changes, so"
            " neither do the keys and values of the next layer. In a model of several layers"
            f" that looks ahead they change: old outputs moved by up to"
            f" {moved['looks ahead']:.2f}, with a causal mask by"
            f" {moved['causal']:.0f}.",
            section="Decoding: one query at a time",
            holds=[moved["causal"] < 1e-12, moved["looks ahead"] > 0.1],
        ),
        card(
            "decoding-waits",
            "In training, tiles raise the operations per byte. Why not in decoding, one word at a"
            " time?",
            "Keys and values of all words must be read once for each new word, and, unless"
            f" heads share them, each serves one query only: fewer than {2 / 4} operations"
            " per byte in float32, at any length. So attention takes at least as long as reading"
            " the cache.",
            section="Why decoding waits for memory",
            holds=[decode < 0.5, abs(decode - 0.5) < 0.001],
        ),
        card(
            "evicted-sink",
            "A head puts nearly all its weight on the first word. What happens when a window"
            " drops that word from the cache?",
            "The others share what it leaves: each of their weights is divided by one minus the"
            f" weight that is gone. With {a[0]:.3f} gone, {a[1]:.3f} becomes"
            f" {softmax(np.zeros(2))[0]:.1f}. Keep the first word.",
            section="Windows, and what happens when the first word leaves",
            holds=[np.isclose(a[1] / (1 - a[0]), 0.5)],
        ),
        card(
            "linear-is-another-model",
            "Linear attention without a mask never forms the matrix of weights. What does it give"
            " up?",
            "Its weights are a product through few features, so their rank is at most that"
            " number, $d$, and of $n$ keys, each asked for once, the right one gets at most"
            " $d/n$ of the weight on average. For twelve keys on a circle, it was"
            f" {on_right[0]:.2f} with softmax and {on_right[1]:.2f} with linear attention. It is"
            " another model, not a faster way to the same.",
            section="What it gives up",
            holds=[
                np.linalg.matrix_rank(found) == 12,
                np.linalg.matrix_rank(linear) == 2,
                np.diag(found).min() > 0.99 > 3 * np.diag(linear).max(),
                on_right[1] <= 2 / 12,
            ],
        ),
    )


def _in_parts(S: np.ndarray, V: np.ndarray, which: np.ndarray) -> np.ndarray:
    """Return attention whose keys are thrown into three parts, and merged backward."""
    parts = [partial_attention(S[:, which == k], V[which == k]) for k in (2, 0, 1)]
    _, l, o = merge_partial(*parts[0], *merge_partial(*parts[1], *parts[2]))
    return o / l[:, None]


def _off(Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> float:
    """Return by how much tiles differ from explicit attention."""
    return float(
        np.abs(tiled_attention(Q, K, V, tile=7) - attention(Q, K, V)).max()
    )


def _two_layers(X: np.ndarray, causal: bool) -> np.ndarray:
    """Return the first eight outputs of two layers of attention."""
    for _ in range(2):
        X = X + attention(X, X, X, mask=causal_mask(len(X)) if causal else None)
    return X[:8]
