"""The cheat sheet as its tests read it, and the lines of its code as they run them."""

import ast
import re
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import torch

from course_attn import costs, in_numpy, in_torch
from tools.book import BOOK

PAGE = (BOOK / "cheat_sheet.md").read_text("utf-8")
BOTH = "NumPy, PyTorch"
TWINS = {"numpy": [in_numpy, costs], "torch": [in_torch, costs]}


# Reading the page


@dataclass(frozen=True)
class Block:
    """One formula of the sheet: its title, its chapter's title, and its rows by their names."""

    title: str
    chapter: str
    formula: str
    rows: dict[str, str]

    def code(self, library: str) -> str:
        """Return the code of a library, "NumPy" or "PyTorch"."""
        return self.rows.get(library) or self.rows[BOTH]


def _row(text: str) -> str:
    """Return what a row says: its code without the fence, or its text."""
    fence = re.fullmatch(r"```python\n(.*)\n```", text, re.S)
    return fence[1] if fence else text.strip("`") if text.count("`") == 2 else text


def _block(chapter: str, part: str) -> Block:
    title, body = part.split("\n", 1)
    rows = re.findall(r"^(\S.*)\n: (.*(?:\n(?:  .*)?)*)", body, re.M)
    return Block(
        title,
        chapter,
        re.search(r"^\$\$\n(.*?)\n\$\$$", body, re.M | re.S)[1],
        {
            name: _row(re.sub("^  ", "", text, flags=re.M).strip())
            for name, text in rows
        },
    )


SECTIONS = [part.split("\n", 1) for part in re.split(r"^## ", PAGE, flags=re.M)[1:]]
BLOCKS = [
    _block(chapter, part)
    for chapter, section in SECTIONS
    for part in re.split(r"^### ", section, flags=re.M)[1:]
    if not part.startswith("Facts about ")
]


# What the code is given: sizes that are distinct primes (or twice one), so that no axis can be
# mistaken for another. Some blocks give a name another shape.

BATCH = 3
SIZES = {
    "n_q": 5,
    "n_k": 7,
    "d_k": 11,
    "d_v": 13,
    "d_model": 17,
    "d_hidden": 19,
    "d_ff": 23,
    "n": 29,
    "d": 2 * 31,
    "n_heads": 2,
    "n_kv": 37,
    "n_rep": 41,
    "n_layers": 43,
    "n_vocab": 47,
    "n_ctx": 53,
    "itemsize": 4,
    "window": 3,
    "top_k": 7,
    "batch": BATCH,
}
NUMBERS = {
    "bandwidth": 1.7,
    "temperature": 0.6,
    "mean": 0.3,
    "eps": 0.01,
    "top_p": 0.7,
    "sharpness": 0.7,
    "beta": 0.4,
}
SHAPES = {
    "weights": "… n_q n_k",
    "scores": "… n_q n_k",
    "values": "… n_k d",
    "R": "… n_q n_k",
    "d_weights": "… n_q n_k",
    "d_out": "… n_q d_v",
    "Q": "… n_q d_k",
    "K": "… n_k d_k",
    "V": "… n_k d_v",
    "q": "… 1 d_k",
    "k": "… 1 d_k",
    "v": "… 1 d_v",
    "X": "… n_q d_model",
    "Z": "… n_k d_model",
    "W_Q": "d_model d_k",
    "W_K": "d_model d_k",
    "W_V": "d_model d_v",
    "W_O": "n_heads*d_v d_model",
    "weight": "d_k d_model",
    "b": "d_k",
    "x_query": "n_q",
    "x": "n_k",
    "y": "n_k",
    "query": "d_k",
    "keys": "n_k d_k",
    "heads": "… n_heads n_q d_v",
    "W_1": "d_model d_ff",
    "b_1": "d_ff",
    "W_2": "d_ff d_model",
    "b_2": "d_model",
    "gain": "d_model",
    "bias": "d_model",
    "eps": "",
    **dict.fromkeys(["gain_1", "bias_1", "gain_2", "bias_2"], "d_model"),
    **dict.fromkeys(["m1", "l1", "m2", "l2"], "… n_q"),
    **dict.fromkeys(["o1", "o2"], "… n_q d_v"),
}
ALL_HEADS = {
    "W_Q": "d_model n_heads*d_k",
    "W_K": "d_model n_heads*d_k",
    "W_V": "d_model n_heads*d_v",
}
SELF = {"X": "… n d_model"}
OTHER_SHAPES = {
    "General score": {"Q": "… n_q d_q", "W": "d_q d_k"},
    "Additive score": {
        "W_Q": "d_k d_hidden",
        "W_K": "d_k d_hidden",
        "v": "d_hidden",
    },
    "Soft lookup": {"values": "n_k d_v"},
    "Split into heads": {"Q": "… n_q n_heads*d_k"},
    "Multi-head attention": ALL_HEADS,
    "Parameters of the heads": ALL_HEADS,
    "PyTorch's packed matrix": dict.fromkeys(
        ["W_Q", "W_K", "W_V"], "d_model d_model"
    ),
    "Layer norm": SELF,
    "RMS norm": SELF,
    "Pre-norm block": SELF | ALL_HEADS,
    "Post-norm block": SELF | ALL_HEADS,
    "Layer norm, backward": SELF | {"d_out": "… n d_model"},
    "Shared heads": {"K": "… n_kv n_k d_k"},
    "Loss of a text": {"logits": "… n n_vocab"},
    "Top-k": {"logits": "… n_vocab"},
    "Top-p": {"logits": "… n_vocab"},
    "Convolution as attention": {
        "image": "height width c_in",
        "kernel": "3 3 c_in c_out",
    },
    "Hopfield update": {"patterns": "n_k d", "state": "n_q d"},
}
PICTURE = {"height": 5, "width": 7, "down": 1, "right": -2}
OTHER_SIZES = {
    "General score": {"d_q": 59},
    "Rotary positions": {"d_k": 2 * 11},
    "PyTorch's packed matrix": {"d_model": 2 * 13},
    "Parameters of GPT-2": {
        "n_layers": 12,
        "d_model": 768,
        "n_vocab": 50_257,
        "n_ctx": 1024,
    },
    "Head for a shift": PICTURE,
    "Convolution as attention": PICTURE | {"c_in": 2, "c_out": 11},
    "Softmax head for a shift": PICTURE,
}


def sizes_of(block: Block) -> dict[str, int]:
    return SIZES | OTHER_SIZES.get(block.title, {})


def shape_of(dims: str, sizes: dict[str, int]) -> tuple[int, ...]:
    """Evaluate a shape such as "… n_q d_k"; the dots stand for one batch axis."""
    parts = dims.replace("…", "batch").split()
    return tuple(eval(part, {}, sizes) for part in parts)


def inputs_of(block: Block) -> dict[str, object]:
    """Return everything that the lines of a block may use but functions: numbers and arrays."""
    rng = np.random.default_rng(len(block.title))
    sizes = sizes_of(block)
    shapes = SHAPES | OTHER_SHAPES.get(block.title, {})
    arrays = {
        name: rng.normal(size=shape_of(dims, sizes))
        for name, dims in shapes.items()
    }
    for name in ("weights", "R", "l1", "l2"):
        arrays[name] = np.exp(arrays[name])
    arrays["scores"] += (
        800  # more than exp can take, unless the largest is subtracted
    )
    arrays["weights"] /= arrays["weights"].sum(axis=-1, keepdims=True)
    arrays["weights"][0, 1] = np.eye(sizes["n_k"])[
        2
    ]  # a weight of 0, for the entropy
    mask = rng.random((BATCH, sizes["n_q"], sizes["n_k"])) < 0.5
    mask[..., 0] = True  # no row is empty
    more = {
        "mask": mask,
        "lengths": np.array([2, 7, 5]),
        "positions": rng.permutation(100)[: sizes["n_q"]],
        "targets": rng.integers(sizes["n_vocab"], size=(BATCH, sizes["n"])),
    }
    return sizes | arrays | more | NUMBERS


class InNumpy(SimpleNamespace):
    """What the NumPy lines may use."""

    label, dtype = "NumPy", np.float64

    @staticmethod
    def own(value: object) -> object:
        return value.copy() if isinstance(value, np.ndarray) else value

    @staticmethod
    def numbers(value: object) -> np.ndarray:
        assert not isinstance(value, torch.Tensor)
        return np.asarray(value)


class InTorch(SimpleNamespace):
    """What the PyTorch lines may use."""

    label, dtype = "PyTorch", torch.float64

    @staticmethod
    def own(value: object) -> object:
        return torch.tensor(value) if isinstance(value, np.ndarray) else value

    @staticmethod
    def numbers(value: object) -> np.ndarray:
        assert not isinstance(value, np.ndarray)
        return np.asarray(value)


LIBRARIES = {"numpy": InNumpy, "torch": InTorch}


def imports(library: str) -> dict[str, object]:
    """Return what the page's first lines import, without the other library."""
    names: dict[str, object] = {}
    exec(re.search(r"^```python\n(import .*?)\n```$", PAGE, re.M | re.S)[1], names)
    for other in {"numpy": ["torch", "F"], "torch": ["np"]}[library]:
        del names[other]
    return names | {"softmax": functions(library)["softmax"]}


def functions(library: str) -> dict[str, object]:
    """Return the course's public functions for a library."""
    return {
        name: getattr(module, name)
        for module in TWINS[library]
        for name in module.__all__
    }


def functions_above(block: Block, library: str) -> dict[str, object]:
    """Return the course's functions that stand in the blocks above this one."""
    above = BLOCKS[: BLOCKS.index(block)]
    lines = " ".join(b.rows.get("Course", "") for b in above)
    return {
        name: function
        for name, function in functions(library).items()
        if re.search(rf"\b{name}\(", lines)
    }


def parts_of_a_block(given: dict[str, object], library: str) -> dict[str, object]:
    """Return what the blocks on the transformer block and the cache speak of."""
    course = functions(library)
    names = "W_Q W_K W_V W_O W_1 b_1 W_2 b_2 gain_1 bias_1 gain_2 bias_2"
    params = {name: given[name] for name in names.split()}
    cache = course["KVCache"]()
    if given["K"].shape[:-1] == given["V"].shape[:-1]:
        cache.append(given["K"], given["V"])
    matrices = [given[name] for name in ("W_Q", "W_K", "W_V", "W_O")]
    hidden = [given[name] for name in ("W_1", "b_1", "W_2", "b_2")]
    return {
        "params": params,
        "cache": cache,
        "attend": lambda H: course["multi_head_attention"](
            H, *matrices, n_heads=given["n_heads"]
        ),
        "process": lambda H: course["feed_forward"](H, *hidden),
    }


def run(block: Block, source: str, library: str, *, course: bool = False) -> dict:
    """Run lines of a block with the arrays of a library; return all names afterward."""
    side = LIBRARIES[library]
    given = {name: side.own(value) for name, value in inputs_of(block).items()}
    names = (functions if course else imports)(library) | given
    if not course:
        names |= functions_above(block, library)
    names |= parts_of_a_block(given, library) | {"dtype": side.dtype}
    exec(source, names)
    return names


def results(source: str) -> list[str]:
    """Return the names that the last line gives a value."""
    target = ast.parse(source).body[-1].targets[0]
    return [name.id for name in ast.walk(target) if isinstance(name, ast.Name)]
