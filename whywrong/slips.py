"""Small slips that anybody makes in any code: each is one change of a syntax tree.

The same changes serve in both directions. Made in an exercise's solution, they give results that may
explain a learner's (`diagnose`); made in the learner's own code, they may put it right (`repair`).
Each says what it is in both: ``mistake`` completes "Your numbers are what comes out if …", and
``look`` completes "Look at line 3: …" without giving the correction away.
"""

import ast
import copy
import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, cast

from whywrong.arrays import in_torch

__all__ = ["CERTAIN", "FAR_FETCHED", "Slip", "slips_in", "step_of"]

# What stands there, what stands there instead, and the two sentences. A name with an underscore in
# front stands for any expression; in the sentences, {a} is the expression that `_a` stands for.
_SIDES = "which side of `{}` is which?"
_INSIDE = "what belongs inside this power, and what outside?"
_TURN = "is this transposition needed?"
_ENDS = "where does this begin, and where does it end?"
_LARGEST = "is the largest number asked for here, or the logarithm of a sum of exponentials?"
_SUM_FOR_LARGEST = (
    "the logarithm of the sum of exponentials stands where the largest belongs"
)
_KEPT = "is all of this needed? One part of it is too much"
_LEFT_OVER = "what if this does not come out even? What is left over counts, too"
_ROUNDED = "what does not come out even is left out"
_LEADING = "what does this product do with leading axes? Not what `@` does: it takes every one with every other"
_THEN = "what is done where this holds comes out wrong. Is a way of its own needed there?"
_ELSE = "what is done where this does not hold comes out wrong. Is a way of its own needed there?"
_CLAMPED = "the largest is subtracted, where numbers are cut off"
_ALIKE = (
    "all numbers beyond a bound become alike here, however far apart they are. Which step keeps "
    "exponents small and leaves the differences as they are?"
)
_REWRITES: tuple[tuple[str, str, str, str, str], ...] = (
    ("rounding", "_a / _b", "_a // _b", "`//` stands where `/` belongs", "does this division have to round?"),
    ("rounding", "_a // _b", "_a / _b", "`/` stands where `//` belongs", "does this division have to round?"),
    ("rounding", "range(_a // _b)", "range(-(-_a // _b))", "there is a round for what is left over", _LEFT_OVER),
    ("unlikely", "_a // _b", "-(-_a // _b)", "a quotient is rounded up", _LEFT_OVER),
    ("rounding", "_a // _b * _b", "_a", _ROUNDED, _LEFT_OVER),
    ("rounding", "range(_l, _a - _b + 1, _n)", "range(_l, _a, _n)", _ROUNDED, _LEFT_OVER),
    ("rounding", "range(_l, _a - _b, _n)", "range(_l, _a, _n)", _ROUNDED, _LEFT_OVER),
    ("leading", "np.inner(_a, _b)", "_a @ _b.swapaxes(-1, -2)", "leading axes are combined", _LEADING),
    ("leading", "np.dot(_a, _b)", "_a @ _b", "leading axes are combined", _LEADING),
    ("leading", "_a.dot(_b)", "_a @ _b", "leading axes are combined", _LEADING),
    ("operator", "_a + _b", "_a - _b", "`-` stands where `+` belongs", "is `+` right here?"),
    ("operator", "_a - _b", "_a + _b", "`+` stands where `-` belongs", "is `-` right here?"),
    ("operator", "_a * _b", "_a / _b", "`/` stands where `*` belongs", "is `*` right here?"),
    ("operator", "_a * _b", "_a + _b", "`+` stands where `*` belongs", "is `*` right here?"),
    ("operator", "_a * _b", "_a @ _b", "`@` stands where `*` belongs", "is `*`, entry by entry, right here?"),
    ("operator", "_a * _b", "_a ** _b", "`**` stands where `*` belongs", "is `*` right here?"),
    ("operator", "_a * _b", "_b / _a", "{b} is divided by {a}, not multiplied", "is `*` right here?"),
    ("operator", "_a / _b", "_a * _b", "`*` stands where `/` belongs", "is `/` right here?"),
    ("operator", "_a @ _b", "_a * _b", "`*` stands where `@` belongs", "is `@` right here?"),
    ("operator", "_a ** _b", "_a * _b", "`*` stands where `**` belongs", "is `**` right here?"),
    ("operator", "_a & _b", "_a | _b", "`|` stands where `&` belongs", "is `&` right here?"),
    ("operator", "_a | _b", "_a & _b", "`&` stands where `|` belongs", "is `|` right here?"),
    ("left-out", "_a + _b", "_a", "you leave out {b}", _KEPT),
    ("left-out", "_a + _b", "_b", "you leave out {a}", _KEPT),
    ("left-out", "_a - _b", "_a", "you do not subtract {b}", _KEPT),
    ("left-out", "_a - _b", "-_b", "you leave out {a}", _KEPT),
    ("left-out", "_a * _b", "_a", "you do not multiply by {b}", _KEPT),
    ("left-out", "_a * _b", "_b", "you do not multiply by {a}", _KEPT),
    ("left-out", "_a / _b", "_a", "you do not divide by {b}", _KEPT),
    ("left-out", "_a // _b", "_a", "you do not divide by {b}", _KEPT),
    ("left-out", "_a @ _b", "_a", "you leave out the product with {b}", _KEPT),
    ("left-out", "_a @ _b", "_b", "you leave out the product with {a}", _KEPT),
    ("left-out", "_a ** _b", "_a", "the power {b} is left out", "is this power needed?"),
    ("swapped", "_a - _b", "_b - _a", "the two sides of `-` are swapped", _SIDES.format("-")),
    ("swapped", "_a / _b", "_b / _a", "the two sides of `/` are swapped", _SIDES.format("/")),
    ("swapped", "_a @ _b", "_b @ _a", "the two sides of `@` are swapped", _SIDES.format("@")),
    ("swapped", "_a ** _b", "_b ** _a", "the two sides of `**` are swapped", _SIDES.format("**")),
    ("inside", "_a * _b ** _n", "(_a * _b) ** _n", "you put {a} inside the power", _INSIDE),
    ("inside", "_a ** _n / _b", "(_a / _b) ** _n", "you put {b} inside the power", _INSIDE),
    ("inside", "(_a * _b) ** _n", "_a * _b ** _n", "you put {a} outside the power", _INSIDE),
    ("inside", "(_a * _b) ** _n", "_a ** _n * _b", "you put {b} outside the power", _INSIDE),
    ("inside", "(_a / _b) ** _n", "_a ** _n / _b", "you put {b} outside the power", _INSIDE),
    ("inside", "_a ** _n / _b", "_a ** (_n / _b)", "you divide the exponent by {b}", _INSIDE),
    ("inside", "_a ** 0.5", "_a ** 1 / 2", "`** 1 / 2`, which halves, stands where `** 0.5` belongs", _INSIDE),
    ("inside", "_a ** (_n / _b)", "_a ** _n / _b", "you divide the power by {b}, not the exponent", _INSIDE),
    ("swapped", "[_a, _b]", "[_b, _a]", "you put {a} and {b} in the other order", "in which order do these two stand?"),
    ("swapped", "(_a, _b)", "(_b, _a)", "you put {a} and {b} in the other order", "in which order do these two stand?"),
    ("swapped", "(_a, _b, _c)", "(_b, _a, _c)", "you put {a} and {b} in the other order", "in which order do these stand?"),
    ("swapped", "(_a, _b, _c)", "(_a, _c, _b)", "you put {b} and {c} in the other order", "in which order do these stand?"),
    ("shift", "_a[:_n]", "_a[_n]", "one entry is taken, not all before it", "is a `:` missing here, or too many?"),
    ("shift", "_a[_n]", "_a[:_n]", "all entries before it are taken, not one", "is a `:` missing here, or too many?"),
    ("transposition", "_a @ _b", "_a.swapaxes(-1, -2) @ _b", "you transpose {a}", "a transposition is missing"),
    ("transposition", "_a @ _b", "_a @ _b.swapaxes(-1, -2)", "you transpose {b}", "a transposition is missing"),
    ("transposition", "_a.T", "_a", "you do not transpose {a}", _TURN),
    ("transposition", "_a.mT", "_a", "you do not transpose {a}", _TURN),
    ("transposition", "_a.swapaxes(_m, _n)", "_a", "you do not transpose {a}", _TURN),
    ("transposition", "np.swapaxes(_a, _m, _n)", "_a", "you do not transpose {a}", _TURN),
    ("transposition", "_a.T", "_a.swapaxes(-1, -2)", "only two axes are swapped", "what does `.T` do with more than two axes?"),
    ("transposition", "_a.swapaxes(_m, _n)", "_a.T", "all axes are turned round", _TURN),
    ("distance", "_q @ _k.swapaxes(-1, -2)", "-((_q[..., :, None, :] - _k[..., None, :, :]) ** 2).sum(-1)",
     "squared distances stand where dot products belong", "is a product or a distance needed?"),
    ("distance", "_q @ _k.swapaxes(-1, -2)", "-((_q[..., :, None, :] - _k[..., None, :, :]) ** 2).sum(-1) ** 0.5",
     "distances stand where dot products belong", "is a product or a distance needed?"),
    ("sign", "-_a", "_a", "the minus sign is left out", "does the minus sign belong here?"),
    ("sign", "_f.exp(_a)", "_f.exp(-_a)", "the exponent has the wrong sign", "is the sign of the exponent right?"),
    ("sign", "_a.exp()", "(-_a).exp()", "the exponent has the wrong sign", "is the sign of the exponent right?"),
    ("missing", "_f.exp(_a)", "_f.exp(_a - _a.max(axis=-1, keepdims=True))", "the largest of each row is subtracted first",
     "how large can this exponent become? Something is to be subtracted first"),
    ("missing", "_a.exp()", "(_a - _a.max(axis=-1, keepdims=True)).exp()", "the largest of each row is subtracted first",
     "how large can this exponent become? Something is to be subtracted first"),
    ("clamped", "np.clip(_a, _m, _n)", "_a - _a.max(axis=-1, keepdims=True)", _CLAMPED, _ALIKE),
    ("clamped", "_a.clip(_m, _n)", "_a - _a.max(axis=-1, keepdims=True)", _CLAMPED, _ALIKE),
    ("clamped", "np.clamp(_a, _m, _n)", "_a - _a.max(axis=-1, keepdims=True)", _CLAMPED, _ALIKE),
    ("clamped", "_a.clamp(_m, _n)", "_a - _a.max(axis=-1, keepdims=True)", _CLAMPED, _ALIKE),
    ("clamped", "_a.clamp(max=_n)", "_a - _a.max(axis=-1, keepdims=True)", _CLAMPED, _ALIKE),
    ("clamped", "_a.clamp(min=_m, max=_n)", "_a - _a.max(axis=-1, keepdims=True)", _CLAMPED, _ALIKE),
    ("clamped", "np.clamp(_a, min=_m, max=_n)", "_a - _a.max(axis=-1, keepdims=True)", _CLAMPED, _ALIKE),
    ("clamped", "np.clamp(_a, max=_n)", "_a - _a.max(axis=-1, keepdims=True)", _CLAMPED, _ALIKE),
    ("clamped", "np.minimum(_a, _n)", "_a - _a.max(axis=-1, keepdims=True)", _CLAMPED, _ALIKE),
    ("scale", "_f.exp(_a)", "_f.exp(_a / _a.shape[-1] ** 0.5)", "the exponent is divided by the square root of its length",
     "is something missing in the exponent?"),
    ("function", "_a.max(axis=_n)", "np.log(np.exp(_a).sum(axis=_n))", _SUM_FOR_LARGEST, _LARGEST),
    ("function", "_a.max(axis=_n, keepdims=True)", "np.log(np.exp(_a).sum(axis=_n, keepdims=True))", _SUM_FOR_LARGEST, _LARGEST),
    ("function", "np.log(np.exp(_a).sum(axis=_n))", "_a.max(axis=_n)", "the largest stands where the logarithm belongs", _LARGEST),
    ("function", "np.log(np.exp(_a).sum(axis=_n, keepdims=True))", "_a.max(axis=_n, keepdims=True)",
     "the largest stands where the logarithm belongs", _LARGEST),
    ("negation", "~_a", "_a", "the `~` at {a} is left out", "does the `~` belong here?"),
    ("negation", "not _a", "_a", "the `not` is left out", "does the `not` belong here?"),
    ("negation", "np.where(_c, _a, _b)", "np.where(_c, _b, _a)", "the two choices of `where` are swapped",
     "which of the two does `where` take where its test is True?"),
    ("comparison", "_a < _b", "_a <= _b", "`<=` stands where `<` belongs", "what about equal ones?"),
    ("comparison", "_a < _b", "_a > _b", "`>` stands where `<` belongs", "is this the right way round?"),
    ("comparison", "_a < _b", "_a >= _b", "`>=` stands where `<` belongs", "is this the right way round?"),
    ("comparison", "_a <= _b", "_a < _b", "`<` stands where `<=` belongs", "what about equal ones?"),
    ("comparison", "_a <= _b", "_a >= _b", "`>=` stands where `<=` belongs", "is this the right way round?"),
    ("comparison", "_a <= _b", "_a > _b", "`>` stands where `<=` belongs", "is this the right way round?"),
    ("comparison", "_a > _b", "_a >= _b", "`>=` stands where `>` belongs", "what about equal ones?"),
    ("comparison", "_a > _b", "_a < _b", "`<` stands where `>` belongs", "is this the right way round?"),
    ("comparison", "_a > _b", "_a <= _b", "`<=` stands where `>` belongs", "is this the right way round?"),
    ("comparison", "_a >= _b", "_a > _b", "`>` stands where `>=` belongs", "what about equal ones?"),
    ("comparison", "_a >= _b", "_a <= _b", "`<=` stands where `>=` belongs", "is this the right way round?"),
    ("comparison", "_a >= _b", "_a < _b", "`<` stands where `>=` belongs", "is this the right way round?"),
    ("comparison", "_a == _b", "_a != _b", "`!=` stands where `==` belongs", "is this the right way round?"),
    ("comparison", "_a != _b", "_a == _b", "`==` stands where `!=` belongs", "is this the right way round?"),
    ("branch", "_a if _c else _b", "_a", "the condition plays no part", _ELSE),
    ("branch", "_a if _c else _b", "_b", "the condition plays no part", _THEN),
    ("shift", "range(_n)", "range(_n + 1)", "`range` ends one too late", _ENDS),
    ("shift", "range(_n)", "range(_n - 1)", "`range` ends one too early", _ENDS),
    ("shift", "range(_n)", "range(1, _n)", "`range` begins with 1", _ENDS),
    ("shift", "range(_n)", "range(1, _n + 1)", "`range` begins with 1", _ENDS),
    ("shift", "range(_m, _n)", "range(_m, _n + 1)", "`range` ends one too late", _ENDS),
    ("shift", "range(_m, _n)", "range(_m, _n - 1)", "`range` ends one too early", _ENDS),
    ("shift", "np.arange(_n)", "np.arange(1, _n + 1)", "`arange` begins with 1", _ENDS),
    ("shift", "np.arange(1, _n + 1)", "np.arange(_n)", "`arange` begins with 0", _ENDS),
    ("variance", "_x.var(axis=_a, keepdims=True)", "_x.var(axis=_a, keepdims=True, ddof=1)",
     "the variance is divided by n − 1, not by n", "by what is this variance divided, n or n − 1?"),
    ("variance", "_x.var(axis=_a, keepdims=True)",
     "(_x - _x.mean(axis=_a, keepdims=True)).__abs__().mean(axis=_a, keepdims=True) ** 2",
     "the mean of the deviations' sizes is squared, where the mean of their squares belongs",
     "which is taken first here, the mean or the square?"),
    ("variance", "_x.std(axis=_a, keepdims=True)", "_x.std(axis=_a, keepdims=True, ddof=1)",
     "the deviation is that of a sample (n − 1)", "by what is this variance divided, n or n − 1?"),
    ("variance", "_x.var(_a, keepdims=True)", "_x.var(_a, keepdims=True, correction=0)",
     "the variance is divided by n, not by n − 1", "by what is this variance divided, n or n − 1?"),
)  # fmt: skip
# The same for what a step or the whole function gives.
_RESULTS: tuple[tuple[str, str, str, str], ...] = (
    ("sign", "-_r", "the result has the wrong sign", "is the sign of the result right?"),
    ("missing", "_r / _r.sum(axis=-1, keepdims=True)", "each row is divided by its sum", "do the rows have to sum to 1?"),
    ("factor", "2 * _r", "the result is doubled", "a factor of 2 is missing or too many"),
    ("factor", "_r / 2", "the result is halved", "a factor of 2 is missing or too many"),
    ("factor", "4 * _r", "the result is multiplied by 4", "a factor of 4 is missing or too many"),
    ("factor", "_r / 4", "the result is divided by 4", "a factor of 4 is missing or too many"),
    ("factor", "_r + 1", "1 is added to the result", "one is missing or too many"),
    ("factor", "_r - 1", "1 is subtracted from the result", "one is missing or too many"),
    ("power", "_r ** 0.5", "the square root of the result is taken", "is a square root missing?"),
    ("power", "_r ** 2", "the result is squared", "is this to be squared?"),
    ("transposition", "_r.swapaxes(-1, -2)", "the result is transposed", "are rows and columns the right way round?"),
    ("reversed", "np.flip(_r, (-2,))", "the rows of the result stand in the opposite order", "in which order do the rows stand?"),
    ("reversed", "np.flip(_r, (-1,))", "each row stands in the opposite order", "in which order do the entries of a row stand?"),
    ("negation", "~_r", "True and False are exchanged", "what does True mean?"),
    ("function", "np.exp(_r)", "`exp` is taken of the result", "is `exp` missing?"),
    ("function", "np.log(_r)", "the logarithm of the result is taken", "is a logarithm missing?"),
    ("function", "np.abs(_r)", "the absolute value is taken", "is an absolute value missing?"),
    ("rounded", "np.round(_r)", "the result is rounded", "is something to be rounded?"),
    ("doubled", "np.exp(_r) / np.exp(_r).sum(axis=-1, keepdims=True)", "a softmax is taken of the result", "is a softmax missing?"),
)  # fmt: skip
_SCALES: tuple[tuple[str, str, str, str], ...] = tuple(
    (
        "scale",
        f"_r {sign} _p.shape[{axis}]{power}",
        f"it is {verb} by {word}{what}",
        "a scale is missing here"
        if sign == "/"
        else "this is scaled down too much",
    )
    for axis, what in (
        (-1, "the length of the last axis of {p}"),
        (-2, "the length of the last axis but one of {p}"),
    )
    for power, word in ((" ** 0.5", "the square root of "), ("", ""))
    for sign, verb in (("/", "divided"), ("*", "multiplied"))
)
_OTHERS = {
    "exp": ("exp2",), "exp2": ("exp",), "log": ("log2", "log10"), "log2": ("log",), "log10": ("log",),
    "max": ("sum", "mean", "min"), "amax": ("sum", "mean", "amin"), "min": ("max",), "amin": ("amax",),
    "sum": ("mean", "max"), "mean": ("sum", "max"), "std": ("var",), "var": ("std",), "tril": ("triu",),
    "triu": ("tril",), "ones": ("zeros",), "zeros": ("ones",), "ones_like": ("zeros_like",),
    "zeros_like": ("ones_like",), "sin": ("cos",), "cos": ("sin",), "concatenate": ("stack",),
    "repeat": ("tile", "repeat_interleave"), "tile": ("repeat",), "repeat_interleave": ("repeat",),
    "rint": ("floor",), "floor": ("ceil", "rint"), "ceil": ("floor",), "round": ("floor",),
    "maximum": ("minimum", "logaddexp"), "logaddexp": ("maximum",), "logsumexp": ("amax",), "minimum": ("maximum",), "multiply": ("matmul",), "matmul": ("multiply",),
    "logical_or": ("logical_and",), "logical_and": ("logical_or",), "any": ("all",), "all": ("any",),
    "argmax": ("argmin",), "cumsum": ("sum",),
}  # fmt: skip
_ALONG = {
    "sum", "mean", "max", "min", "amax", "amin", "var", "std", "norm", "softmax", "cumsum", "prod",
    "any", "all", "argmax", "logsumexp", "vector_norm", "average",
}  # fmt: skip
_LIBRARIES = ("np", "torch", "F", "nn", "math", "self")
_TRUTHS = re.compile("mask|allow|keep|kept|hid|valid|visib|seen|pad|causal|forbid")
_KINDS = (
    "closure", "finite", "leading", "branch", "clamped", "start", "accumulation", "axis", "transposition", "kept-axis", "sign", "negation", "comparison", "rounding",
    "variance", "left-out", "missing", "operator", "function", "return", "swapped", "shift",
    "doubled", "name", "size", "constant", "keyword", "inside", "condition", "scale", "distance", "power",
    "factor", "reversed", "residual", "other-name", "rounded", "unlikely",
)  # fmt: skip
# Beside these nothing else is named: they are mistakes wherever they stand.
CERTAIN = ("closure", "finite", "leading", "branch", "clamped", "start")
# Those that explain little where another one has to be made, too.
FAR_FETCHED = (
    "distance",
    "power",
    "residual",
    "other-name",
    "rounded",
    "unlikely",
    "doubled",
)


@dataclasses.dataclass(frozen=True)
class Slip:
    """One change of one node of a tree.

    Parameters
    ----------
    holder, field, index : ast.AST, str, int or None
        Where the node stands: ``holder.field`` or ``holder.field[index]``.
    old, new : ast.AST
        What stands there, and what stands there afterward.
    kind, mistake, look : str
        The kind of slip; what it is when it was made; where to look when it undoes a mistake.
    step : str
        The name to which the statement assigns, or "" for the result.
    """

    holder: ast.AST
    field: str
    index: int | None
    old: ast.AST
    new: ast.AST
    kind: str
    mistake: str
    look: str
    step: str

    @property
    def line(self) -> int:
        """The line of the node."""
        return getattr(self.old, "lineno", 0)

    def put(self, node: ast.AST | None = None) -> None:
        """Make the change, or put another node in this place."""
        node = node or self.new
        if self.index is None:
            setattr(self.holder, self.field, node)
        else:
            getattr(self.holder, self.field)[self.index] = node

    def take_back(self) -> None:
        """Undo the change."""
        self.put(self.old)

    def touches(self, other: "Slip") -> bool:
        """Whether one of two slips lies within the text of the other."""
        mine, theirs = _span(self.old), _span(other.old)
        return mine[0] <= theirs[1] and theirs[0] <= mine[1]


@dataclasses.dataclass(frozen=True)
class _Scope:
    """What the rules need to know about the code around a node."""

    arguments: tuple[str, ...]
    locals: tuple[str, ...]
    torch: bool
    attributes: tuple[str, ...] = ()
    begun: Mapping[str, ast.Assign] = dataclasses.field(default_factory=dict)
    grown: Mapping[str, list[ast.BinOp]] = dataclasses.field(default_factory=dict)
    factors: tuple[ast.expr, ...] = ()
    in_index: bool = False
    in_loop: bool = False
    in_formula: bool = False


_Change = tuple[Any, str, str, str]


def slips_in(tree: ast.Module, *, torch: bool) -> list[Slip]:
    """Return every slip that can be made in functions or classes, the likeliest kinds first."""
    found = [
        slip for top in tree.body for slip in _below(top, _scope_of(top, torch), "")
    ]
    return sorted(found, key=lambda slip: _KINDS.index(slip.kind))


def _scope_of(top: ast.AST, torch: bool) -> _Scope:
    nodes = list(ast.walk(top))
    given = [
        a.arg for n in nodes if isinstance(n, ast.FunctionDef) for a in n.args.args
    ]
    stored = [
        n.id
        for n in nodes
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    ]
    arguments = tuple(dict.fromkeys(name for name in given if name != "self"))
    local = tuple(dict.fromkeys(name for name in stored if name not in arguments))
    own = [
        n.attr
        for n in nodes
        if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)
    ]
    looped = {
        id(n) for loop in nodes if isinstance(loop, ast.For) for n in ast.walk(loop)
    }
    begun = {
        n.targets[0].id: n
        for n in nodes
        if isinstance(n, ast.Assign)
        and isinstance(n.targets[0], ast.Name)
        and id(n) not in looped
    }
    attributes = tuple(dict.fromkeys(own))
    return _Scope(
        arguments, local, torch, attributes, begun, _grown(nodes), _factors(nodes)
    )


def _grown(nodes: list[ast.AST]) -> dict[str, list[ast.BinOp]]:
    """Return, by the text of an operand, where something is done to it."""
    found: dict[str, list[ast.BinOp]] = {}
    for node in nodes:
        if isinstance(node, ast.BinOp) and not isinstance(node.right, ast.Constant):
            found.setdefault(ast.dump(node.left), []).append(node)
    return found


def _factors(nodes: list[ast.AST]) -> tuple[ast.expr, ...]:
    """Return what something is multiplied by or divided by, six at most."""
    scaled = [
        part
        for n in nodes
        if isinstance(n, ast.BinOp | ast.AugAssign)
        and isinstance(n.op, ast.Mult | ast.Div)
        for part in ((n.left, n.right) if isinstance(n, ast.BinOp) else (n.value,))
        if isinstance(part, ast.Name | ast.Call | ast.Subscript)
    ]
    different = list({ast.dump(part): part for part in scaled}.values())[:6]
    return tuple(_placeless(copy.deepcopy(part)) for part in different)


def _below(node: ast.AST, scope: _Scope, step: str) -> Iterator[Slip]:
    """Yield the slips in everything below a node."""
    for field, value in ast.iter_fields(node):
        if field in (
            "decorator_list",
            "returns",
            "annotation",
            "args",
            "bases",
        ) and not isinstance(node, ast.Call):
            continue
        inner = dataclasses.replace(
            scope,
            in_index=isinstance(node, ast.Subscript)
            and field == "slice"
            or scope.in_index
            and isinstance(node, ast.expr),
            in_loop=scope.in_loop
            or (isinstance(node, ast.For | ast.While) and field == "body"),
            in_formula=isinstance(node, ast.BinOp)
            and not isinstance(node.op, ast.MatMult),
        )
        for index, child in (
            enumerate(value) if isinstance(value, list) else [(None, value)]
        ):
            if not isinstance(child, ast.AST) or isinstance(
                child, ast.expr_context
            ):
                continue
            name = step_of(child) if isinstance(child, ast.stmt) else step
            if _is_code(node, field, child):
                for new, kind, mistake, look in _changes(child, inner):
                    if "name" in kind and getattr(node, "attr", "") == "shape":
                        is_size = kind == "name" and not _TRUTHS.search(
                            getattr(new, "id", "")
                        )
                        kind = "size" if is_size else "other-name"
                        mistake = mistake.replace(
                            "you take ", "you take the size of "
                        )
                    if not hasattr(new, "lineno"):  # else it is a part of the tree
                        ast.copy_location(new, child)
                    ast.fix_missing_locations(new)
                    yield Slip(
                        node, field, index, child, new, kind, mistake, look, name
                    )
            yield from _below(child, inner, name)


def _is_code(holder: ast.AST, field: str, node: ast.AST) -> bool:
    """Whether a node is neither a target, nor a definition, a docstring or a library's name."""
    if isinstance(getattr(node, "ctx", None), ast.Store) or isinstance(
        node, ast.FunctionDef
    ):
        return False
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return False
    is_part = (
        isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "self"
    )
    if field == "func" and not is_part:
        return False
    return not (isinstance(node, ast.Name) and node.id in _LIBRARIES)


def step_of(statement: ast.stmt) -> str:
    """Return how a sentence speaks of what a statement gives; "" for the result."""
    targets = getattr(statement, "targets", None) or [
        getattr(statement, "target", None)
    ]
    return " and ".join(
        f"the {n.id.replace('_', ' ')}" if _is_words(n.id) else f"`{n.id}`"
        for target in targets
        if target is not None and not isinstance(statement, ast.For)
        for n in ast.walk(target)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    )


def _changes(node: Any, scope: _Scope) -> Iterator[_Change]:
    for kind, pattern, new, mistake, look in _rewrites(scope.torch).get(
        _head(node), ()
    ):
        parts: dict[str, ast.AST] = {}
        if _matches(pattern, node, parts):
            words = {name[1:]: _said(part, scope) for name, part in parts.items()}
            changed = _filled(new, parts)
            if not _is_endless_power(changed):
                yield changed, kind, mistake.format_map(words), look
    for kinds, rule in _RULES:
        if isinstance(node, kinds):
            yield from rule(node, scope)


def _is_endless_power(node: ast.expr) -> bool:
    """Whether a number is raised to one that may be large: nothing can stop that."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Pow):
        return False
    base, exponent = (
        getattr(node.left, "value", None),
        getattr(node.right, "value", None),
    )
    return not (
        isinstance(base, float)
        or isinstance(exponent, int | float)
        and exponent < 5
    )


_Rewrite = tuple[str, ast.expr, ast.expr, str, str]


@cache
def _rewrites(torch: bool) -> dict[Any, list[_Rewrite]]:
    """Return the rewrites by what they begin with."""
    write = in_torch if torch else str
    found: dict[Any, list[_Rewrite]] = {}
    for kind, old, new, mistake, look in _REWRITES:
        pattern = _expression(write(old))
        rewrite = kind, pattern, _expression(write(new)), mistake, look
        found.setdefault(_head(pattern), []).append(rewrite)
    return found


def _head(node: Any) -> Any:
    """Return what two expressions have in common if they match."""
    return type(node), type(getattr(node, "op", None))


def _matches(pattern: Any, node: Any, parts: dict[str, ast.AST]) -> bool:
    if isinstance(pattern, ast.Name) and pattern.id[0] == "_":
        parts[pattern.id] = node
        return isinstance(node, ast.expr)
    if type(pattern) is not type(node):
        return False
    if isinstance(pattern, ast.AST):
        return all(
            _matches(value, getattr(node, field), parts)
            for field, value in ast.iter_fields(pattern)
            if field not in ("ctx", "kind")
        )
    if isinstance(pattern, list):
        return len(pattern) == len(node) and all(
            _matches(one, other, parts)
            for one, other in zip(pattern, node, strict=True)
        )
    return bool(pattern == node)


def _filled(template: Any, parts: Mapping[str, ast.AST]) -> Any:
    """Return a template with these expressions in the places of its names."""
    if isinstance(template, list):
        return [_filled(part, parts) for part in template]
    if not isinstance(template, ast.AST):
        return template
    if isinstance(template, ast.Name) and template.id in parts:
        return parts[template.id]
    fields = ast.iter_fields(template)
    return type(template)(**{name: _filled(part, parts) for name, part in fields})


def _expression(code: str) -> ast.expr:
    return _placeless(ast.parse(code, mode="eval").body)


def _placeless(node: ast.expr) -> ast.expr:
    """Return a node that takes the place in the text of what it is put in for."""
    for part in ast.walk(node):
        for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
            vars(part).pop(name, None)
    return node


def _said(node: ast.AST, scope: _Scope) -> str:
    """Return how a sentence speaks of a part of the code."""
    return _word(node.id, scope) if isinstance(node, ast.Name) else _text(node)


def _text(node: ast.AST) -> str:
    text = ast.unparse(node)
    return f"`{text}`" if len(text) <= 40 else f"`{text[:36]} …`"


def _span(node: ast.AST) -> tuple[tuple[int, int], tuple[int, int]]:
    ends = ("lineno", "col_offset"), ("end_lineno", "end_col_offset")
    first, last = (
        tuple(getattr(node, name, 0) or 0 for name in names) for names in ends
    )
    return (first[0], first[1]), (last[0], last[1])


def _called(node: ast.Call) -> str:
    return (
        node.func.attr
        if isinstance(node.func, ast.Attribute)
        else getattr(node.func, "id", "")
    )


def _of_library(node: ast.Call) -> bool:
    """Whether a function is called (``np.sum(x)``), not a method (``x.sum()``)."""
    owner: ast.expr = node.func
    while isinstance(owner, ast.Attribute):
        owner = owner.value
    return isinstance(owner, ast.Name) and (
        owner.id in _LIBRARIES or owner is node.func
    )


def _constants(node: ast.Constant, scope: _Scope) -> Iterator[_Change]:
    value = node.value
    if isinstance(value, bool):
        yield (
            ast.Constant(not value),
            "constant",
            f"`{not value}` stands where `{value}` belongs",
            f"is {value} right?",
        )
    elif isinstance(value, int | float):
        if not value and not scope.in_index:
            lowest = _expression("-float('inf')")
            yield lowest, "constant", "`-inf` stands where `0` belongs", _BEGINS
        yield from _numbers(value, scope)
        if not scope.in_index:
            yield from _too_near(value)
    elif isinstance(value, str) and re.fullmatch(
        r"[a-zA-Z., ]+->[a-zA-Z. ]*", value
    ):
        for letters in re.finditer(r"[a-zA-Z]{2,}", value):
            turned = letters[0][:-2] + letters[0][:-3:-1]
            spec = value[: letters.start()] + turned + value[letters.end() :]
            yield (
                ast.Constant(spec), "transposition", f"the last two indices of `{letters[0]}` are swapped",
                "which index counts what, and which are summed?",
            )  # fmt: skip


def _negatives(node: ast.UnaryOp, scope: _Scope) -> Iterator[_Change]:
    value = getattr(node.operand, "value", None)
    if isinstance(node.op, ast.USub) and isinstance(value, int | float):
        yield from _numbers(-value, scope)


# Of those that give the same the usual ones come first.
_FILLS = (-1000.0, -1e9, -1e4, -100.0, -50.0, -10.0)
_LOW = "how large may the scores be? Only −∞ lies below all of them"
_ENDLESS = "what becomes of this −∞ further on? 0·∞ and ∞ − ∞ give NaN"


def _fills(node: ast.Call, scope: _Scope) -> Iterator[_Change]:
    """Hide scores by a finite number: put in for −∞, or added to them."""
    written = ast.unparse(node)
    if (
        _called(node) == "where"
        and len(node.args) == 3
        and written.endswith("inf)")
    ):
        hidden, scores, _ = node.args
        for number in _FILLS:
            such, fill = (
                f"a finite number such as `{number:g}`",
                _expression(repr(number)),
            )
            yield (
                ast.Call(node.func, [hidden, scores, fill], []), "finite",
                f"{such} stands where −∞ belongs", _ENDLESS,
            )  # fmt: skip
            bias = ast.Call(node.func, [hidden, _expression("0.0"), fill], [])
            yield (
                ast.BinOp(scores, ast.Add(), bias), "finite",
                f"{such} is added to hidden scores, where they should become −∞", _ENDLESS,
            )  # fmt: skip


def _too_near(value: Any) -> Iterator[_Change]:
    """Make a number so large that, added to a score or put in for it, it acts as infinity."""
    if 10 <= value < 1e30:
        yield (
            ast.Constant(1e30),
            "finite",
            f"`{value:g}` stands where ∞ belongs",
            _LOW,
        )


_BEGINS = "is 0 right to begin with, where everything may be smaller?"


def _numbers(value: Any, scope: _Scope) -> Iterator[_Change]:
    others = [value + 1, value - 1, 2 * value, value / 2]
    others += (
        [0, 1, 2, -1, -2, -3, 0.5]
        if isinstance(value, int)
        else [-value, 0.0, 1.0, 2.0, 10 * value, value / 10]
    )
    for other in dict.fromkeys(others):
        if isinstance(value, int) and other == int(other):
            other = int(other)
        elif not isinstance(other, int):
            other = float(f"{other:.12g}")
        if other == value or (scope.in_index and other != int(other)):
            continue
        kind = "shift" if scope.in_index and abs(other - value) == 1 else "constant"
        yield (
            _expression(repr(other)), kind, f"`{other:g}` stands where `{value:g}` belongs",
            f"is {value:g} the right number here?",
        )  # fmt: skip


# What runs along one axis where none is named, and which one that is.
_BY_DEFAULT = {"normalize": "1", "cat": "0", "concatenate": "0", "stack": "0"}


def _default_axis(node: ast.Call, scope: _Scope) -> Iterator[_Change]:
    """Name an axis where the one that is taken by itself is meant to be another."""
    name, word = _called(node), "dim" if scope.torch else "axis"
    have = _BY_DEFAULT.get(name)
    named = any(k.arg in ("axis", "dim", "p") for k in node.keywords)
    if have is None or named or len(node.args) != 1 or not _of_library(node):
        return
    for value in ("-1", "-2", "-3"):
        along = ast.keyword(word, _expression(value))
        yield (
            ast.Call(node.func, node.args, [*node.keywords, along]), "axis",
            f"`{name}` runs along axis {value} instead of along axis {have}",
            f"where no `{word}` is named, `{name}` runs along {word} {have}. Which one is that here?",
        )  # fmt: skip


def _axes(node: ast.Call, scope: _Scope) -> Iterator[_Change]:
    name = _called(node)
    if name not in _ALONG:
        return
    word, keep = ("dim", "keepdim") if scope.torch else ("axis", "keepdims")
    along = next((k for k in node.keywords if k.arg in ("axis", "dim")), None)
    by_place = len(node.args) > _of_library(node)
    have = ast.unparse(along.value) if along else "everything"
    for value in () if by_place else ("-1", "-2", "-3", "0", "1", "everything"):
        if value != have:
            rest = [k for k in node.keywords if k is not along]
            new = (
                rest
                if value == "everything"
                else [ast.keyword(word, _expression(value)), *rest]
            )
            runs = {
                v: "over everything" if v == "everything" else f"along axis {v}"
                for v in (value, have)
            }
            yield (
                ast.Call(node.func, node.args, new), "axis",
                f"`{name}` runs {runs[value]} instead of {runs[have]}", f"along which axis does this `{name}` run?",
            )  # fmt: skip
    rest = [k for k in node.keywords if k.arg not in (keep, "axis", "dim")]
    both = [
        *rest,
        ast.keyword(word, _expression("-1")),
        ast.keyword(keep, ast.Constant(True)),
    ]
    if not by_place and have != "-1" and len(both) > len(node.keywords):
        yield (
            ast.Call(node.func, node.args, both), "axis",
            f"`{name}` runs along the last axis and keeps it", f"along which axis does this `{name}` run, and is that axis kept?",
        )  # fmt: skip
    rest = [k for k in node.keywords if k.arg != keep]
    if len(rest) < len(node.keywords):
        yield (
            ast.Call(node.func, node.args, rest), "kept-axis",
            f"`{name}` drops the axis that `{keep}=True` keeps", f"is the axis of this `{name}` to be kept?",
        )  # fmt: skip
    elif along or by_place:
        yield (
            ast.Call(node.func, node.args, [*rest, ast.keyword(keep, ast.Constant(True))]), "kept-axis",
            f"`{name}` keeps its axis",
            f"is the axis of this `{name}` to be kept, so that its result lines up with the rows?",
        )  # fmt: skip


def _is_zero(node: ast.AST) -> bool:
    value = getattr(node, "value", None)
    return isinstance(node, ast.Constant) and value == 0 and value is not False


def _calls(node: ast.Call, scope: _Scope) -> Iterator[_Change]:
    """Call another function, leave a call or a keyword out, swap two arguments."""
    name = _called(node)
    for other in _OTHERS.get(name, ()):
        func: ast.expr = ast.Name(other, ast.Load())
        if isinstance(node.func, ast.Attribute):
            func = ast.Attribute(node.func.value, other, ast.Load())
        yield (
            ast.Call(func, node.args, node.keywords),
            "function", f"`{other}` stands where `{name}` belongs", f"is `{name}` the right function here?",
        )  # fmt: skip
    if name in ("zeros", "zeros_like"):
        lowest = ast.BinOp(node, ast.Sub(), _expression("float('inf')"))
        yield lowest, "start", "`-inf` stands where `0` belongs", _BEGINS
    for fill in (*node.args[1:], *(k.value for k in node.keywords)):
        is_start = name == "full" or any(
            k.arg == "initial" and k.value is fill for k in node.keywords
        )
        if is_start and _is_zero(fill):
            lower = _expression("-float('inf')")
            args = [lower if part is fill else part for part in node.args]
            keywords = [
                ast.keyword(k.arg, lower if k.value is fill else k.value)
                for k in node.keywords
            ]
            yield (
                ast.Call(node.func, args, keywords),
                "start",
                "`-inf` stands where `0` belongs",
                _BEGINS,
            )
    if name == "where" and len(node.args) == 3:  # a wrong order is `negation`
        for part, fill in (node.args[1:], node.args[:0:-1]):
            kind = "left-out" if isinstance(fill, ast.Constant) else "unlikely"
            yield part, kind, f"`{name}` is left out", f"is `{name}` needed here?"
        return
    inside = (
        node.func.value
        if isinstance(node.func, ast.Attribute) and not _of_library(node)
        else None
    )
    inside = inside or (node.args[0] if node.args else None)
    if inside is not None and name not in (
        "range",
        "len",
        "zip",
        "enumerate",
        "super",
        "Parameter",
        "Linear",
    ):
        kind = "unlikely" if name in _ALONG else "left-out"
        yield inside, kind, f"`{name}` is left out", f"is `{name}` needed here?"
    for i in range(len(node.args) - 1):
        args = [*node.args[:i], node.args[i + 1], node.args[i], *node.args[i + 2 :]]
        yield (
            ast.Call(node.func, args, node.keywords), "swapped",
            f"{_text(node.args[i])} and {_text(node.args[i + 1])} are swapped in `{name}`",
            f"in which order does `{name}` take its arguments?",
        )  # fmt: skip
    for k, keyword in enumerate(node.keywords):
        if keyword.arg not in ("axis", "dim", "keepdims", "keepdim", None):
            yield (
                ast.Call(node.func, node.args, node.keywords[:k] + node.keywords[k + 1 :]), "keyword",
                f"`{keyword.arg}=` is left out", f"is `{keyword.arg}=` needed here?",
            )  # fmt: skip


_IN_FORMULAS = (
    ("2 * _n", "you double {}", "is a factor of 2 missing at `{}`, or too many?"),
    ("_n / 2", "you halve {}", "is a factor of 2 missing at `{}`, or too many?"),
    ("_n + 1", "you take one more than {}", "is a 1 missing at `{}`, or too many?"),
    ("_n ** 2", "you square {}", "is a power missing at `{}`?"),
    ("_n ** 0.5", "you take the root of {}", "is a root missing at `{}`?"),
    ("_n - 1", "you take one less than {}", "is a 1 missing at `{}`, or too many?"),
)


def _in_formulas(node: Any, scope: _Scope) -> Iterator[_Change]:
    """Double a quantity in a formula, halve it, square it, take one more or one less."""
    is_power = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)
    known = getattr(node, "id", "") in (*scope.arguments, *scope.locals)
    if scope.in_formula and not scope.in_index and (is_power or known):
        for code, mistake, look in _IN_FORMULAS:
            new = _filled(_expression(code), {"_n": node})
            said = mistake.format(_said(node, scope))
            yield new, "factor", said, look.format(ast.unparse(node))


def _names(node: ast.Name, scope: _Scope) -> Iterator[_Change]:
    known = (*scope.arguments, *scope.locals)
    if node.id not in known:
        return
    group = scope.arguments if node.id in scope.arguments else scope.locals
    for other in (*group, *(name for name in known if name not in group)):
        if other != node.id:
            yield (
                ast.Name(other, ast.Load()), "name" if other in group else "other-name",
                f"you take {_word(other, scope)} for {_word(node.id, scope)}",
                f"is `{node.id}` the right one here?",
            )  # fmt: skip
    if scope.in_index:
        for sign in "+-":
            yield (
                _filled(_expression(f"_n {sign} 1"), {"_n": node}), "shift",
                f"`{node.id} {sign} 1` stands where `{node.id}` belongs", "is this index one too many or too few?",
            )  # fmt: skip
        return
    if _TRUTHS.search(node.id):
        yield (
            ast.UnaryOp(ast.Invert(), node),
            "negation",
            f"`{node.id}` is negated",
            f"what does True mean in `{node.id}`?",
        )


def _word(name: str, scope: _Scope) -> str:
    """Return what a reader can call a name: a local one is a step of the solution, in words."""
    is_step = name in scope.locals and _is_words(name)
    return f"the {name.replace('_', ' ')}" if is_step else f"`{name}`"


# Words that make no noun of what stands behind "the".
_NO_NOUNS = ("above", "and", "before", "below", "other", "own", "same")


def _is_words(name: str) -> bool:
    """Whether a name reads as a noun: "the is passed" and "the variance of square" are none."""
    words = name.replace("_of_", "_") if name.endswith("s") else name
    return name.islower() and all(
        word.isalpha() and len(word) > 2 and word not in _NO_NOUNS
        for word in words.split("_")
    )


def _attributes(node: ast.Attribute, scope: _Scope) -> Iterator[_Change]:
    """Take another attribute of the module: `self.W_K` for `self.W_Q`."""
    if isinstance(node.value, ast.Name) and node.value.id == "self":
        for other in scope.attributes if node.attr in scope.attributes else ():
            if other != node.attr:
                yield (
                    ast.Attribute(node.value, other, node.ctx), "name",
                    f"you take `{other}` for `{node.attr}`", f"is `{node.attr}` the right one here?",
                )  # fmt: skip


def _index(node: ast.Subscript) -> str:
    whole, value = ast.unparse(node), ast.unparse(node.value)
    return whole[len(value) + 1 : -1]


def _subscripts(node: ast.Subscript, scope: _Scope) -> Iterator[_Change]:
    if not isinstance(node.value, ast.Attribute) or node.value.attr != "shape":
        yield (
            node.value,
            "left-out",
            f"the index `[{_index(node)}]` is left out",
            "is this index needed?",
        )
    if isinstance(node.slice, ast.Slice):
        for field in ("lower", "upper"):
            bound = getattr(node.slice, field)
            for code in ("_n + 1", "_n - 1") if bound is not None else ("1", "-1"):
                ends = {"lower": node.slice.lower, "upper": node.slice.upper}
                ends[field] = _filled(_expression(code), {"_n": bound})
                part = ast.Slice(ends["lower"], ends["upper"], node.slice.step)
                yield (
                    ast.Subscript(node.value, part, node.ctx),
                    "shift",
                    "a slice is shifted by one",
                    _ENDS,
                )


def _results(
    value: ast.expr, scope: _Scope, table: tuple[tuple[str, str, str, str], ...]
) -> Iterator[_Change]:
    """Do something to a value: its rows count as those of the left side of a product."""
    part = value.left if isinstance(value, ast.BinOp) else value
    for kind, code, mistake, look in table:
        new = _expression(in_torch(code) if scope.torch else code)
        said = mistake.format(p=_said(part, scope))
        yield _filled(new, {"_r": value, "_p": part}), kind, said, look


def _returns(node: ast.Return, scope: _Scope) -> Iterator[_Change]:
    if node.value is None or isinstance(node.value, ast.Tuple):
        return
    for new, kind, mistake, look in _results(node.value, scope, _RESULTS + _SCALES):
        yield ast.Return(new), kind, mistake.replace("it is", "the result is"), look
    for name in scope.arguments:
        added = ast.BinOp(node.value, ast.Add(), ast.Name(name, ast.Load()))
        yield (
            ast.Return(added),
            "residual",
            f"`{name}` is added to the result",
            f"is `{name}` to be added?",
        )


_OVER = "does this replace what was there, or add to it?"


def _assigned(node: ast.Assign, scope: _Scope) -> Iterator[_Change]:
    """Repeat a step, leave it out, scale it, or add where something is to be replaced."""
    target = node.targets[0]
    if isinstance(target, ast.Subscript | ast.Attribute):
        yield (
            ast.AugAssign(target, ast.Add(), node.value),
            "accumulation",
            "`+=` stands where `=` belongs",
            _OVER,
        )
    if not isinstance(target, ast.Name):
        return
    if _is_zero(node.value):
        lowest = ast.Assign(node.targets, _expression("-float('inf')"))
        yield lowest, "start", "`-inf` stands where `0` belongs", _BEGINS
    if target.id in {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}:
        again = ast.If(ast.Constant(True), [node, node], [])
        yield (
            ast.Pass(),
            "left-out",
            "this step is left out",
            "is this step needed?",
        )
        yield (
            again,
            "doubled",
            "this step is done twice",
            "is this step to be done twice?",
        )
    elif scope.in_loop:
        yield (
            ast.AugAssign(target, ast.Add(), node.value),
            "accumulation",
            "`+=` stands where `=` belongs",
            _OVER,
        )
    if isinstance(node.value, ast.BinOp | ast.Call):
        rounded = next(row for row in _RESULTS if row[0] == "rounded")
        for new, kind, mistake, look in _results(
            node.value, scope, (*_SCALES, rounded)
        ):
            yield (
                ast.Assign(node.targets, new),
                kind,
                mistake.replace("the result", "it"),
                look,
            )


def _added(node: ast.AugAssign, scope: _Scope) -> Iterator[_Change]:
    yield (
        ast.Assign([node.target], node.value),
        "accumulation",
        "`=` stands where something is to be added",
        _OVER,
    )
    yield ast.Pass(), "left-out", "this step is left out", "is this step needed?"
    other = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
    yield (
        ast.AugAssign(node.target, other, node.value),
        "operator",
        "the sign of a step is wrong",
        "is this added or subtracted?",
    )


def _conditions(node: ast.If, scope: _Scope) -> Iterator[_Change]:
    """Leave out what an `if` does where its test holds, or do it always."""
    yield (
        ast.If(ast.Constant(True), node.orelse or [ast.Pass()], []),
        "branch",
        "the condition never holds",
        _THEN,
    )
    yield (
        ast.If(ast.Constant(True), node.body, []),
        "branch" if node.orelse else "condition",
        "the condition always holds",
        _ELSE if node.orelse else "when does this condition hold?",
    )


def _loops(node: ast.For, scope: _Scope) -> Iterator[_Change]:
    added = {name for n in ast.walk(node) for name in _added_to(n)}
    for name in sorted(added & set(scope.begun)):
        anew = ast.For(node.target, node.iter, [scope.begun[name], *node.body], [])
        yield (
            anew, "accumulation", f"`{name}` begins anew in every round",
            f"with which value does `{name}` begin in each round of this loop?",
        )  # fmt: skip
    for name in _overwritten(node) - set(scope.begun):
        yield (
            ast.If(ast.Constant(True), [ast.parse(f"{name} = 0").body[0], _adding(node, name)], []), "accumulation",
            f"`{name}` is overwritten in every round", f"after this loop, which rounds does `{name}` hold: all of them?",
        )  # fmt: skip
    if isinstance(node.body[-1], ast.Return) and len(node.body) > 1:
        loop = ast.For(node.target, node.iter, node.body[:-1], [])
        yield (
            ast.If(ast.Constant(True), [loop, node.body[-1]], []), "return",
            "`return` stands after the loop", "a `return` inside the loop ends it in its first round",
        )  # fmt: skip


def _overwritten(loop: ast.For) -> set[str]:
    """Return the names that a loop only writes: of all its rounds the last one remains."""
    names = [
        n for part in loop.body for n in ast.walk(part) if isinstance(n, ast.Name)
    ]
    read = {n.id for n in names if not isinstance(n.ctx, ast.Store)}
    plain = {
        n.targets[0].id
        for part in loop.body
        for n in ast.walk(part)
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)
    }
    return plain - read


def _adding(loop: ast.For, name: str) -> ast.For:
    """Return a loop that adds to a name what it has assigned to it."""
    return cast(ast.For, _Adding(name).visit(copy.deepcopy(loop)))


class _Adding(ast.NodeTransformer):
    def __init__(self, name: str) -> None:
        self.name = name

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        if getattr(node.targets[0], "id", "") == self.name:
            before = ast.Name(self.name, ast.Load())
            return ast.Assign(
                node.targets, ast.BinOp(before, ast.Add(), node.value)
            )
        return node


def _added_to(node: ast.AST) -> Iterator[str]:
    """Yield the name to which a statement adds: ``x += …``, ``x = x + …``."""
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        yield node.target.id
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        name = node.targets[0].id
        if any(
            isinstance(n, ast.Name) and n.id == name for n in ast.walk(node.value)
        ):
            yield name


def _breaks(node: ast.stmt, scope: _Scope) -> Iterator[_Change]:
    breaks = isinstance(node, ast.Break)
    yield (
        ast.Continue() if breaks else ast.Break(), "return",
        f"`{'continue' if breaks else 'break'}` stands where `{'break' if breaks else 'continue'}` belongs",
        "does this end the loop, or only this round of it?",
    )  # fmt: skip


def _like_elsewhere(node: ast.expr, scope: _Scope) -> Iterator[_Change]:
    """Do to an expression what is done to the same one elsewhere."""
    if scope.in_index:
        return
    for other in scope.grown.get(ast.dump(node), ()):
        if all(part is not node for part in ast.walk(other)):
            yield (
                _placeless(copy.deepcopy(other)), "missing", f"{_text(other)} stands where {_said(node, scope)} belongs",
                f"elsewhere you go on with {_text(other)}: is {_text(node)} right here, as it is?",
            )  # fmt: skip


def _unscaled(node: Any, scope: _Scope) -> Iterator[_Change]:
    """Scale a term of a sum by what scales something elsewhere."""
    if not isinstance(node.op, ast.Add | ast.Sub):
        return
    columns = [
        _filled(_expression("_f[..., None]"), {"_f": factor})
        for factor in scope.factors
        if scope.in_loop
    ]
    for factor in (*scope.factors, *columns):
        for op, verb in ((ast.Mult(), "multiply"), (ast.Div(), "divide")):
            # A running sum is often not rescaled where its largest number changes.
            is_running = scope.in_loop and verb == "multiply"
            for term, new in _with_factor(node, op, factor):
                said = f"you {verb} {_said(term, scope)} by {_said(factor, scope)}, too"
                what = _text(factor)
                if verb == "divide":
                    look = f"is {_text(term)} to be divided by {what} here, too?"
                else:
                    look = f"elsewhere there is a factor {what}: is one missing here, at {_text(term)}?"
                yield new, "missing" if is_running else "scale", said, look


def _with_factor(
    node: Any, op: ast.operator, factor: ast.expr
) -> Iterator[tuple[ast.expr, ast.AST]]:
    """Yield each term of a sum, and the sum with this term scaled: ``x = x * f + …``."""
    if isinstance(node, ast.BinOp):
        left, right = node.left, node.right
        yield left, ast.BinOp(ast.BinOp(left, op, factor), node.op, right)
        yield right, ast.BinOp(left, node.op, ast.BinOp(right, op, factor))
    else:
        target = _expression(ast.unparse(node.target))
        scaled = ast.BinOp(ast.BinOp(target, op, factor), node.op, node.value)
        yield target, ast.Assign([node.target], scaled)


def _closures(node: Any, scope: _Scope) -> Iterator[_Change]:
    """Let the functions made in a loop keep what its names stand for in their round."""
    stored = {
        n.id
        for n in ast.walk(node)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    kept = copy.deepcopy(node)
    late = [name for inner in ast.walk(kept) for name in _keep(inner, stored)]
    if late:
        names = " and ".join(f"`{name}`" for name in dict.fromkeys(late))
        yield (
            kept, "closure", f"each function keeps its own {names}",
            f"a function made in a loop looks {names} up when it is called: which values are there by then?",
        )  # fmt: skip


def _keep(node: ast.AST, stored: set[str]) -> list[str]:
    """Give a function those of these names that it looks up as defaults."""
    if not isinstance(node, ast.Lambda | ast.FunctionDef):
        return []
    body = node.body if isinstance(node.body, list) else [node.body]
    names = [n for part in body for n in ast.walk(part) if isinstance(n, ast.Name)]
    own = {n.id for n in names if isinstance(n.ctx, ast.Store)}
    own |= {a.arg for a in node.args.args + node.args.kwonlyargs}
    late = sorted({n.id for n in names} & stored - own)
    for name in late:
        node.args.kwonlyargs.append(ast.arg(name))
        node.args.kw_defaults.append(ast.Name(name, ast.Load()))
    return late


_LOOPED = ast.For | ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp
_TERMS = ast.Name | ast.Attribute | ast.Subscript | ast.Call | ast.BinOp
_RULES: tuple[tuple[Any, Callable[[Any, _Scope], Iterator[_Change]]], ...] = (
    (ast.Constant, _constants),
    (ast.UnaryOp, _negatives),
    (ast.Call, _default_axis),
    (ast.Call, _axes),
    (ast.Call, _calls),
    (ast.Call, _fills),
    (ast.Name, _names),
    (ast.Attribute, _attributes),
    (ast.Subscript, _subscripts),
    (ast.Return, _returns),
    (ast.Assign, _assigned),
    (ast.AugAssign, _added),
    (ast.If, _conditions),
    (ast.For, _loops),
    (_LOOPED, _closures),
    (_TERMS, _like_elsewhere),
    (ast.Name | ast.BinOp, _in_formulas),
    (ast.BinOp | ast.AugAssign, _unscaled),
    (ast.Break, _breaks),
    (ast.Continue, _breaks),
)
