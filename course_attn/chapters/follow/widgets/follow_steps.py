"""The steps of a small model, from letters to probabilities, with every number and its sum."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from course_attn.chapters.follow.widgets.follow_sums import (
    addition,
    gaussian_share,
    masking,
    normalization,
    products,
    quotient,
    share,
)
from course_attn.in_numpy.block import gelu, layer_norm
from course_attn.in_numpy.masks import causal_mask, mask_to_bias, masked_softmax
from course_attn.in_numpy.multi_head import merge_heads, split_heads
from course_attn.in_numpy.qkv import project_qkv
from course_attn.in_numpy.scaling import scaled_scores
from course_attn.in_numpy.scores import dot_scores
from course_attn.in_numpy.softmax import softmax
from course_attn.in_numpy.weighted_sum import weighted_sum

__all__ = ["Read", "Step", "Table", "Target", "arrays_of", "steps_of"]

_EPS = 1e-5
_LARGEST = 500  # of what becomes a power of e
_BLOCK = "transformer.blocks.0."
_FINAL = "transformer.final_norm."
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")

Arrays = dict[str, np.ndarray]


# --- the numbers ----------------------------------------------------------------------------------


def arrays_of(
    tokens: np.ndarray, params: Mapping[str, np.ndarray], *, n_heads: int
) -> Arrays:
    """Compute everything that a GPT of one block computes on its way, in its order.

    Parameters
    ----------
    tokens : array of int, shape (n,)
        The text, as numbers.
    params : mapping from str to array
        The model's state dict.
    n_heads : int
        How many heads the block has.

    Returns
    -------
    dict from str to array
        By name: X, LN_1, Q, K, V (all heads side by side), scores, scaled, mask, masked, weights
        and heads (with an axis of heads in front), merged, attended, H, LN_2, hidden, active,
        processed, Y, LN, logits, probs.
    """
    E, P = params["embedding"], params["positions.P"]
    W = {
        name: params[_BLOCK + part + name]
        for part, names in {
            "attention.": ("W_Q", "W_K", "W_V", "W_O"),
            "feed_forward.": ("W_1", "b_1", "W_2", "b_2"),
        }.items()
        for name in names
    }

    def norm(rows: np.ndarray, name: str) -> np.ndarray:
        gain, bias = params[f"{name}gain"], params[f"{name}bias"]
        return layer_norm(rows, gain, bias, eps=_EPS)

    a: Arrays = {"X": E[tokens] + P[: len(tokens)]}
    a["LN_1"] = norm(a["X"], f"{_BLOCK}norm_1.")
    a["Q"], a["K"], a["V"] = project_qkv(a["LN_1"], W["W_Q"], W["W_K"], W["W_V"])
    Q, K, V = (split_heads(a[name], n_heads) for name in "QKV")
    a["scores"] = dot_scores(Q, K)
    a["scaled"] = scaled_scores(Q, K)
    allowed = causal_mask(len(tokens))
    a["mask"] = mask_to_bias(allowed, dtype=np.dtype(np.float64))
    a["masked"] = a["scaled"] + a["mask"]
    a["weights"] = masked_softmax(a["scaled"], allowed)
    a["heads"] = weighted_sum(a["weights"], V)
    a["merged"] = merge_heads(a["heads"])
    a["attended"] = a["merged"] @ W["W_O"]
    a["H"] = a["X"] + a["attended"]
    a["LN_2"] = norm(a["H"], f"{_BLOCK}norm_2.")
    a["hidden"] = a["LN_2"] @ W["W_1"] + W["b_1"]
    a["active"] = gelu(a["hidden"])
    a["processed"] = a["active"] @ W["W_2"] + W["b_2"]
    a["Y"] = a["H"] + a["processed"]
    a["LN"] = norm(a["Y"], _FINAL)
    a["logits"] = a["LN"] @ E.T
    a["probs"] = softmax(a["logits"])
    return a


# --- what is shown --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Table:
    """Numbers with names for their rows and columns."""

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: np.ndarray
    role: str = ""
    per_head: int = 0  # how many columns a head has, where those of all heads stand side by side
    given: bool = False  # parameters, and what follows from none of the numbers


@dataclass(frozen=True)
class Read:
    """Which part of a table goes into entry (i, j) of another.

    ``rows`` and ``columns`` are "*" for all, "i" or "j", "t" for the number of the token of row i;
    "j+2" for the second after j; or a pair, from the first up to but not with the second.
    """

    table: str
    rows: str | tuple[int, int] = "i"
    columns: str | tuple[int, int] = "*"


@dataclass(frozen=True)
class Target:
    """A table that a step writes."""

    table: str
    words: str  # what an entry is, with {row} and {column}
    reads: Sequence[Read]
    sums: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Step:
    """One step on the way."""

    name: str
    says: str
    shapes: str
    chapter: str
    targets: Sequence[Target]
    opened: int = 0  # the column that is picked first
    slug: str = field(init=False)

    def __post_init__(self) -> None:
        """Say where it stands on the page: its heading there is "Step: <name>"."""
        words = "".join(c for c in self.name.lower() if c.isalnum() or c in " -")
        object.__setattr__(self, "slug", f"step-{words.replace(' ', '-')}")


def steps_of(
    text: str, params: Mapping[str, np.ndarray], *, n_heads: int, characters: str
) -> tuple[dict[str, Table], list[Step]]:
    """Return all tables by name, and the steps that lead from the text to the next letter.

    Parameters
    ----------
    text : str
        What the model reads.
    params : mapping from str to array
        The state dict of a GPT of one block.
    n_heads : int
        How many heads its block has.
    characters : str
        The vocabulary: token t is ``characters[t]``.
    """
    return _Steps(text, params, n_heads, characters).made()


class _Steps:
    """The steps for one text and one model."""

    def __init__(
        self,
        text: str,
        params: Mapping[str, np.ndarray],
        n_heads: int,
        characters: str,
    ) -> None:
        self.text, self.n_heads = text, n_heads
        self.tokens = np.array([characters.index(c) for c in text])
        self.a = arrays_of(self.tokens, params, n_heads=n_heads)
        for name in ("scaled", "logits"):
            if (largest := np.abs(self.a[name]).max()) > _LARGEST:
                raise ValueError(
                    f"params must give {name} from -{_LARGEST} to {_LARGEST}, got {largest:g}"
                )
        self.p = {
            name.rsplit(".", 1)[-1]: array
            for name, array in params.items()
            if "norm" not in name
        }
        norms = (("1", f"{_BLOCK}norm_1."), ("2", f"{_BLOCK}norm_2."), ("", _FINAL))
        for number, place in norms:
            for name in ("gain", "bias"):
                self.p[name + number] = params[place + name]
        self.letters = [_named(c) for c in characters]
        self.names = [
            _named(c) + str(i).translate(_SUBSCRIPTS) for i, c in enumerate(text)
        ]
        self.n, self.d = self.a["X"].shape
        self.d_ff = self.a["hidden"].shape[1]
        self.d_k, self.d_v = (self.a[x].shape[1] // n_heads for x in "QV")
        self.tables = self._tables()

    def made(self) -> tuple[dict[str, Table], list[Step]]:
        """Return the tables and the steps."""
        parts = (
            self._reading(),
            self._attention(),
            self._network(),
            self._prediction(),
        )
        return self.tables, [step for part in parts for step in part]

    # The tables

    def _tables(self) -> dict[str, Table]:
        a, p, names, letters = self.a, self.p, self.names, self.letters
        width, hidden = _numbers(self.d), _numbers(self.d_ff)
        d_k, d_v = self.d_k, self.d_v
        wide = {x: _numbers(a[x].shape[1]) for x in "QKV"}

        def line(title: str, values: np.ndarray) -> Table:
            return Table(
                title, [""], _numbers(len(values)), values[None], given=True
            )

        found = {
            "E": Table("E", letters, width, p["embedding"], given=True),
            "P": Table("P", _numbers(len(p["P"]), 0), width, p["P"], given=True),
            "X": Table("X", names, width, a["X"]),
            "LN_1": Table("LN₁(X)", names, width, a["LN_1"]),
            "merged": Table(
                "heads side by side", names, wide["V"], a["merged"], "output", d_v
            ),
            "W_O": Table("W_O", wide["V"], width, p["W_O"], given=True),
            "attended": Table("what attention found", names, width, a["attended"]),
            "H": Table("H", names, width, a["H"]),
            "LN_2": Table("LN₂(H)", names, width, a["LN_2"]),
            "W_1": Table("W₁", width, hidden, p["W_1"], given=True),
            "b_1": line("b₁", p["b_1"]),
            "hidden": Table("hidden features", names, hidden, a["hidden"]),
            "active": Table("GELU of them", names, hidden, a["active"]),
            "W_2": Table("W₂", hidden, width, p["W_2"], given=True),
            "b_2": line("b₂", p["b_2"]),
            "processed": Table(
                "what the network found", names, width, a["processed"]
            ),
            "Y": Table("Y", names, width, a["Y"]),
            "LN": Table("LN(Y)", names, width, a["LN"]),
            "logits": Table("logits", names, letters, a["logits"]),
            "probs": Table("probabilities", names, letters, a["probs"], "weight"),
            "mask": Table("mask", names, names, a["mask"], given=True),
        }
        for name, role in (("Q", "query"), ("K", "key"), ("V", "value")):
            per_head = d_v if name == "V" else d_k
            columns = wide[name]
            found[f"W_{name}"] = Table(
                f"W_{name}",
                width,
                columns,
                p[f"W_{name}"],
                role,
                per_head,
                given=True,
            )
            found[name] = Table(name, names, columns, a[name], role, per_head)
        for norm in ("1", "2", ""):
            found[f"gain{norm}"] = line("gain", p[f"gain{norm}"])
            found[f"bias{norm}"] = line("bias", p[f"bias{norm}"])
        root = f" ÷ √{d_k}"
        for h in range(self.n_heads):
            of = f", head {h + 1}"
            for name, title in (
                ("scores", "S"),
                ("scaled", f"S{root}"),
                ("masked", "masked"),
                ("weights", "A"),
            ):
                found[f"{name}{h}"] = Table(
                    title + of, names, names, a[name][h], "weight"
                )
            found[f"heads{h}"] = Table(
                f"head {h + 1}", names, _numbers(d_v), a["heads"][h], "output"
            )
        return found

    # The steps

    def _target(
        self,
        table: str,
        words: str,
        reads: Sequence[Read],
        sum_of: Callable[[int, int, float], str],
    ) -> Target:
        """Make a target with the sum of each of its entries."""
        values = self.tables[table].values
        sums = [
            [sum_of(i, j, float(x)) for j, x in enumerate(row)]
            for i, row in enumerate(values)
        ]
        return Target(table, words, reads, sums)

    def _of_heads(
        self,
        table: str,
        words: str,
        reads: Callable[[int], Sequence[Read]],
        sum_of: Callable[[int, int, int, float], str],
    ) -> list[Target]:
        """Make a target for each head."""

        def one(h: int) -> Target:
            return self._target(
                f"{table}{h}",
                f"{words}, head {h + 1}",
                reads(h),
                lambda i, j, x: sum_of(h, i, j, x),
            )

        return [one(h) for h in range(self.n_heads)]

    def _normed(self, table: str, source: str, norm: str) -> Target:
        rows, gain, bias = (
            self.a[source],
            self.p[f"gain{norm}"],
            self.p[f"bias{norm}"],
        )
        return self._target(
            table,
            "Feature {column} of {row}, normalized",
            [
                Read(source),
                Read(f"gain{norm}", "*", "j"),
                Read(f"bias{norm}", "*", "j"),
            ],
            lambda i, j, x: normalization(rows[i], j, gain[j], bias[j], _EPS, x),
        )

    def _product(
        self, table: str, words: str, left: str, right: str, plus: str = ""
    ) -> Target:
        """Make the target of a matrix product, and of what is added to each of its rows."""
        rows, matrix = self.a[left], self.p[right]
        reads = [Read(left), Read(right, "*", "j")]
        if plus:
            reads.append(Read(plus, "*", "j"))
        return self._target(
            table,
            words,
            reads,
            lambda i, j, x: products(
                rows[i], matrix[:, j], x, plus=self.p[plus][j] if plus else None
            ),
        )

    def _added(self, table: str, before: str, found: str) -> Target:
        left, right = self.a[before], self.a[found]
        return self._target(
            table,
            "Feature {column} of {row}",
            [Read(before, "i", "j"), Read(found, "i", "j")],
            lambda i, j, x: addition(left[i, j], right[i, j], x),
        )

    def _reading(self) -> list[Step]:
        """From letters to queries, keys and values."""
        n, d, n_heads = self.n, self.d, self.n_heads
        d_k, d_v = self.d_k, self.d_v
        tokens, E, P = self.tokens, self.p["embedding"], self.p["P"]
        return [
            Step(
                "embedding",
                "Each letter is looked up in the table E, and the vector of its position, a row of "
                "P, is added.",
                f"{n} rows of E {_shape(E)}, {n} of P {_shape(P)} → X ({n}, {d})",
                "order",
                [
                    self._target(
                        "X",
                        "Feature {column} of {row}",
                        [Read("E", "t", "j"), Read("P", "i", "j")],
                        lambda i, j, x: addition(E[tokens[i], j], P[i, j], x),
                    )
                ],
            ),
            Step(
                "first norm",
                "Layer norm gives each row mean 0 and variance 1, up to the small number that "
                "keeps the square root from 0. Then it multiplies by a gain and adds a bias.",
                f"X ({n}, {d}) → ({n}, {d}), each row on its own",
                "block",
                [self._normed("LN_1", "X", "1")],
            ),
            Step(
                "queries, keys, values",
                "Three matrices make a query, a key and a value of each row. "
                f"Every head has its own columns, in their order: {d_k} of Q and K, {d_v} of V.",
                f"({n}, {d}) · ({d}, {n_heads * d_k}) → ({n}, {n_heads * d_k}), for Q and K; "
                f"({n}, {d}) · ({d}, {n_heads * d_v}) → ({n}, {n_heads * d_v}), for V",
                "qkv",
                [
                    self._product(
                        name,
                        f"{role} of {{row}}, feature {{column}}",
                        "LN_1",
                        f"W_{name}",
                    )
                    for name, role in (("Q", "Query"), ("K", "Key"), ("V", "Value"))
                ],
            ),
        ]

    def _attention(self) -> list[Step]:
        """From queries, keys and values to what attention adds."""
        a, n, d, n_heads = self.a, self.n, self.d, self.n_heads
        d_k, d_v = self.d_k, self.d_v
        Q, K, V = (split_heads(a[name], n_heads) for name in "QKV")
        each = f", in each of {n_heads} heads"
        return [
            Step(
                "scores",
                "In each head, the dot product of every query with every key: how relevant the "
                "key is to the query.",
                f"Q ({n}, {d_k}) · Kᵀ ({d_k}, {n}) → S ({n}, {n}){each}",
                "scores",
                self._of_heads(
                    "scores",
                    "Score of query {row} and key {column}",
                    lambda h: [
                        Read("Q", "i", (h * d_k, h * d_k + d_k)),
                        Read("K", "j", (h * d_k, h * d_k + d_k)),
                    ],
                    lambda h, i, j, x: products(Q[h, i], K[h, j], x),
                ),
            ),
            Step(
                "scaling",
                f"Every score is divided by √{d_k}, the square root of the number of features that "
                "a query has in one head.",
                f"S ({n}, {n}) → ({n}, {n}){each}",
                "scaling",
                self._of_heads(
                    "scaled",
                    "Scaled score of query {row} and key {column}",
                    lambda h: [Read(f"scores{h}", "i", "j")],
                    lambda h, i, j, x: quotient(a["scores"][h, i, j], d_k, x),
                ),
            ),
            Step(
                "mask",
                "A letter may see itself and the letters before it. The mask adds 0 where it may "
                "look, and −∞ where it may not.",
                f"({n}, {n}) + ({n}, {n}) → ({n}, {n}){each}",
                "masks",
                self._of_heads(
                    "masked",
                    "Masked score of query {row} and key {column}",
                    lambda h: [
                        Read(f"scaled{h}", "i", "j"),
                        Read("mask", "i", "j"),
                    ],
                    lambda h, i, j, x: masking(
                        a["scaled"][h, i, j], allowed=j <= i
                    ),
                ),
            ),
            Step(
                "softmax",
                "Each weight is e to the power of its score, divided by the sum of these powers in "
                "its row, so that a row sums to 1. Since e^(−∞) is 0, what may not be seen gets no "
                "weight.",
                f"({n}, {n}) → A ({n}, {n}), each row on its own{each}",
                "softmax",
                self._of_heads(
                    "weights",
                    "Weight that {row} gives {column}",
                    lambda h: [Read(f"masked{h}")],
                    lambda h, i, j, x: share(a["masked"][h, i], j, x),
                ),
                opened=int(a["weights"][0, -1].argmax()),
            ),
            Step(
                "weighted sum",
                "What a head finds for a letter is the average of the head's values, with the "
                "weights of the letter's row.",
                f"A ({n}, {n}) · V ({n}, {d_v}) → ({n}, {d_v}){each}",
                "weighted_sum",
                self._of_heads(
                    "heads",
                    "Feature {column} of what {row} finds",
                    lambda h: [
                        Read(f"weights{h}"),
                        Read("V", "*", f"j+{h * d_v}"),
                    ],
                    lambda h, i, j, x: products(a["weights"][h, i], V[h, :, j], x),
                ),
            ),
            Step(
                "heads",
                "What the heads found stands side by side, and one more matrix mixes it.",
                f"({n}, {n_heads * d_v}) · W_O ({n_heads * d_v}, {d}) → ({n}, {d})",
                "multi_head",
                [
                    self._product(
                        "attended", "Feature {column} for {row}", "merged", "W_O"
                    )
                ],
            ),
            Step(
                "first addition",
                "What attention found is added to what was there: the residual connection.",
                f"X ({n}, {d}) + ({n}, {d}) → H ({n}, {d})",
                "block",
                [self._added("H", "X", "attended")],
            ),
        ]

    def _network(self) -> list[Step]:
        """From there to what the block returns."""
        a, n, d = self.a, self.n, self.d
        return [
            Step(
                "second norm",
                "Layer norm again, with a gain and a bias of its own.",
                f"H ({n}, {d}) → ({n}, {d}), each row on its own",
                "block",
                [self._normed("LN_2", "H", "2")],
            ),
            Step(
                "hidden features",
                "The feed-forward network works on each row alone. Its first matrix makes "
                f"{self.d_ff} hidden features of {d}.",
                f"({n}, {d}) · W₁ ({d}, {self.d_ff}) → ({n}, {self.d_ff})",
                "block",
                [
                    self._product(
                        "hidden",
                        "Hidden feature {column} of {row}",
                        "LN_2",
                        "W_1",
                        "b_1",
                    )
                ],
            ),
            Step(
                "activation",
                "GELU multiplies each hidden feature x by Φ(x), the probability that a standard "
                "normal number lies below x.",
                f"({n}, {self.d_ff}) → ({n}, {self.d_ff}), each number on its own",
                "block",
                [
                    self._target(
                        "active",
                        "GELU of hidden feature {column} of {row}",
                        [Read("hidden", "i", "j")],
                        lambda i, j, x: gaussian_share(a["hidden"][i, j], x),
                    )
                ],
            ),
            Step(
                "feed-forward output",
                f"The second matrix makes {d} features of the {self.d_ff}.",
                f"({n}, {self.d_ff}) · W₂ ({self.d_ff}, {d}) → ({n}, {d})",
                "block",
                [
                    self._product(
                        "processed",
                        "Feature {column} for {row}",
                        "active",
                        "W_2",
                        "b_2",
                    )
                ],
            ),
            Step(
                "second addition",
                "This is added, too. Y is what the block returns, and what a next block would "
                "read.",
                f"H ({n}, {d}) + ({n}, {d}) → Y ({n}, {d})",
                "block",
                [self._added("Y", "H", "processed")],
            ),
        ]

    def _prediction(self) -> list[Step]:
        """From what the block returns to the next letter."""
        a, n, d, E = self.a, self.n, self.d, self.p["embedding"]
        n_vocab = len(self.letters)
        likely = int(a["probs"][-1].argmax())
        return [
            Step(
                "final norm",
                "One more layer norm follows the last block, here the only block.",
                f"Y ({n}, {d}) → ({n}, {d}), each row on its own",
                "block",
                [self._normed("LN", "Y", "")],
            ),
            Step(
                "logits",
                "The dot product with each row of E, the table of the first step: how well each "
                "letter fits as the next.",
                f"({n}, {d}) · Eᵀ ({d}, {n_vocab}) → ({n}, {n_vocab})",
                "language_model",
                [
                    self._target(
                        "logits",
                        "Logit of {column} after {row}",
                        [Read("LN"), Read("E", "j", "*")],
                        lambda i, j, x: products(a["LN"][i], E[j], x),
                    )
                ],
                opened=likely,
            ),
            Step(
                "probabilities",
                "Softmax makes probabilities of the logits. The last row is about the letter that "
                f"comes after “{self.text}”.",
                f"({n}, {n_vocab}) → ({n}, {n_vocab}), each row on its own",
                "language_model",
                [
                    self._target(
                        "probs",
                        "Probability that {column} comes after {row}",
                        [Read("logits")],
                        lambda i, j, x: share(a["logits"][i], j, x),
                    )
                ],
                opened=likely,
            ),
        ]


def _named(character: str) -> str:
    """Return what a character is called in a table."""
    return {" ": "space", "\n": "newline"}.get(character, character)


def _numbers(n: int, first: int = 1) -> list[str]:
    return [str(k) for k in range(first, first + n)]


def _shape(array: np.ndarray) -> str:
    return "(" + ", ".join(map(str, array.shape)) + ")"
