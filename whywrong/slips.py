"""Small slips that anybody makes in any code: each is one change of a syntax tree.

The same changes serve in both directions. Made in an exercise's solution, they give results that may
explain a learner's (`mistakes`); made in the learner's own code, they may put it right (`mend`).
Each says what it is in both: ``mistake`` completes "It looks as if …", and
``look`` completes "Look at line 3: …" without giving the correction away.
"""

import ast
import copy
import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from whywrong.arrays import in_torch

__all__ = ["FAR_FETCHED", "Slip", "slips_in", "step_of"]

_KINDS = (
    "finite", "leading", "branch", "clamped", "start", "accumulation", "axis", "transposition",
    "kept-axis", "sign", "negation", "rounding", "variance", "left-out", "missing", "comparison",
    "operator", "function", "return", "swapped", "shift", "doubled", "name", "size", "constant",
    "elsewhere", "inside", "condition", "scale", "distance", "factor", "reversed", "residual", "other-name",
    "unlikely",
)  # fmt: skip
# Those that explain little where another one has to be made, too.
FAR_FETCHED = ("distance", "residual", "other-name", "unlikely", "doubled")

# --- tables of rewrites ---------------------------------------------------------------------------

# The kind, what stands there, what stands there instead, and the two sentences. A name with an
# underscore in front stands for any expression, and alone on a line for any lines; in the
# sentences, {a} is the expression that `_a` stands for.
_Row = tuple[str, str, str, str, str]

_BEGINS = "is 0 right here, where all that is compared may be below 0?"
_FRONT = "the new axis is counted from the front. Where does it stand when there are more axes?"
_NEW_AXES = {
    ":, None": "..., None",
    "None": "..., None, :",
    "None, :": "..., None, :",
}
_ELSE = "where this does not hold, the result is wrong. Is the condition right, and all that is done then?"
_ENDS = "where does this begin, and where does it end?"
_INSIDE = "what belongs inside this power, and what outside?"
_LEADING = "this product combines every entry of a batch with every other; `@` goes through them side by side. Which is meant?"
_MISSING_TURN = "a transposition is missing"
_ORDER = "in which order do {a} and {b} stand?"
_OVER = "does this replace what was there, or add to it?"
_ROUND = "does this end the loop, or only this round of it?"
_ROUNDS = "does this division have to round?"
_SIDES = "which side of `{}` is which?"
_THEN = "where this holds, the result is wrong. Is the condition right, and is a case of its own needed?"
_TURN = "is this transposition needed?"

_STANDS = "`{new}` stands where `{old}` belongs"
_OPERATORS = {"+": "-", "-": "+", "*": "/ +", "/": "*", "@": "*", "**": "*", "&": "|", "|": "&"}  # fmt: skip
_CLAMPED = (
    "all numbers beyond a bound become alike here, however far apart they are. Which step keeps "
    "exponents small and leaves the differences as they are?"
)
_COMPARISONS = {"<": "<= > >=", "<=": "< >= >", ">": ">= < <=", ">=": "> <= <", "==": "!=", "!=": "=="}  # fmt: skip


def _compared(old: str, new: str) -> str:
    """Return the question to ask where one comparison stands for another."""
    is_edge = old.rstrip("=") == new.rstrip("=")
    return "what if both are equal?" if is_edge else "is this the right way round?"


_REWRITES: tuple[_Row, ...] = (
    ("rounding", "_a / _b", "_a // _b", "`//` stands where `/` belongs", _ROUNDS),
    ("rounding", "_a // _b", "_a / _b", "`/` stands where `//` belongs", _ROUNDS),
    ("leading", "np.inner(_a, _b)", "_a @ _b.swapaxes(-1, -2)", "leading axes are combined", _LEADING),
    ("leading", "np.dot(_a, _b)", "_a @ _b", "leading axes are combined", _LEADING),
    ("leading", "_a.dot(_b)", "_a @ _b", "leading axes are combined", _LEADING),
    *(
        ("operator", f"_a {old} _b", f"_a {new} _b", _STANDS.format(old=old, new=new) + "{before_b}", f"is the `{old}` in front of {{b}} right?")
        for old, others in _OPERATORS.items() for new in others.split()
    ),
    ("missing", "_a * _b", "_a * _b[..., None, :, :]", "{b} gets a new axis", "which axes of the two meet here in a batch? One of them lacks an axis"),
    ("operator", "_a * _b", "_a @ _b", "`@` stands where `*` belongs", "is `*`, entry by entry, right here?"),
    ("operator", "_a * 2", "_a ** 2", "`**` stands where `*` belongs", "is `*` right here?"),
    ("operator", "_a * _b", "_b / _a", "{b} is divided by {a}, not multiplied", "is `*` right here?"),
    ("operator", "_t += _v", "_t -= _v", "the sign of a step is wrong", "is this added or subtracted?"),
    ("left-out", "_a + _b", "_a", "you leave out {b}", "is {b} to be added here?"),
    ("left-out", "_a + _b", "_b", "you leave out {a}", "is {a} to be added here?"),
    ("left-out", "_a - _b", "_a", "you do not subtract {b}", "is {b} to be subtracted here?"),
    ("left-out", "_a * _b", "_a", "you do not multiply by {b}", "should this be multiplied by {b}?"),
    ("left-out", "_a * _b", "_b", "you do not multiply by {a}", "should this be multiplied by {a}?"),
    ("left-out", "_a / _b", "_a", "you do not divide by {b}", "should this be divided by {b}?"),
    ("left-out", "_a @ _b", "_a", "you leave out the product with {b}", "is the product with {b} needed here?"),
    ("left-out", "_a @ _b", "_b", "you leave out the product with {a}", "is the product with {a} needed here?"),
    ("left-out", "_a ** 0.5", "_a", "the square root is left out", "is this root needed?"),
    ("left-out", "_a ** _b", "_a", "the power {b} is left out", "is this power needed?"),
    ("left-out", "_t = _v", "pass", "this step is left out", "is this step needed?"),
    ("swapped", "_a - _b", "_b - _a", "the two sides of `-` are swapped", _SIDES.format("-")),
    ("swapped", "_a / _b", "_b / _a", "the two sides of `/` are swapped", _SIDES.format("/")),
    ("swapped", "_a @ _b", "_b @ _a", "the two sides of `@` are swapped", _SIDES.format("@")),
    ("swapped", "[_a, _b]", "[_b, _a]", "you put {a} and {b} in the other order", _ORDER),
    ("swapped", "(_a, _b)", "(_b, _a)", "you put {a} and {b} in the other order", _ORDER),
    ("swapped", "(_a, _b, _c)", "(_b, _a, _c)", "you put {a} and {b} in the other order", _ORDER),
    ("swapped", "(_a, _b, _c)", "(_a, _c, _b)", "you put {b} and {c} in the other order", "in which order do {b} and {c} stand?"),
    ("inside", "_a ** _n / _b", "_a ** (_n / _b)", "you divide the exponent by {b}", _INSIDE),
    ("inside", "_a ** 0.5", "_a ** 1 / 2", "`** 1 / 2`, which halves, stands where `** 0.5` belongs", _INSIDE),
    ("transposition", "_a @ _b", "_a.swapaxes(-1, -2) @ _b", "you transpose {a}", _MISSING_TURN),
    ("transposition", "_a @ _b", "_a @ _b.swapaxes(-1, -2)", "you transpose {b}", _MISSING_TURN),
    ("transposition", "_a.T", "_a", "you do not transpose {a}", _TURN),
    ("transposition", "_a.swapaxes(_m, _n)", "_a", "you do not transpose {a}", _TURN),
    ("transposition", "_a.T", "_a.swapaxes(-1, -2)", "only two axes are swapped", "what does `.T` do with more than two axes?"),
    ("distance", "_q @ _k.swapaxes(-1, -2)", "-((_q[..., :, None, :] - _k[..., None, :, :]) ** 2).sum(-1)",
     "squared distances stand where dot products belong", "is a product or a distance needed?"),
    ("sign", "-_a", "_a", "the minus sign is left out", "does the minus sign belong here?"),
    ("sign", "_f.exp(_a)", "_f.exp(-_a)", "the exponent has the wrong sign", "is the sign of the exponent right?"),
    ("negation", "~_a", "_a", "the `~` at {a} is left out", "does the `~` belong here?"),
    ("negation", "np.where(_c, _a, _b)", "np.where(_c, _b, _a)", "the two choices of `where` are swapped",
     "which of the two does `where` take where its test is True?"),
    *(
        ("comparison", f"_a {old} _b", f"_a {new} _b", _STANDS.format(old=old, new=new), _compared(old, new))
        for old, others in _COMPARISONS.items() for new in others.split()
    ),
    ("branch", "_a if _c else _b", "_a", "the condition plays no part", _ELSE),
    ("branch", "_a if _c else _b", "_b", "the condition plays no part", _THEN),
    ("branch", "if _c:\n    _x", "pass", "the condition never holds", _THEN),
    ("condition", "if _c:\n    _x", "if True:\n    _x", "the condition always holds", "when does this condition hold?"),
    ("branch", "if _c:\n    _x\nelse:\n    _y", "if True:\n    _y", "the condition never holds", _THEN),
    ("branch", "if _c:\n    _x\nelse:\n    _y", "if True:\n    _x", "the condition always holds", _ELSE),
    ("start", "_t = 0", "_t = -float('inf')", "`-inf` stands where `0` belongs", _BEGINS),
    ("start", "_t = 0.0", "_t = -float('inf')", "`-inf` stands where `0` belongs", _BEGINS),
    ("accumulation", "_t = _v", "_t += _v", "`+=` stands where `=` belongs", _OVER),
    ("accumulation", "_t += _v", "_t = _v", "`=` stands where something is to be added", _OVER),
    ("return", "break", "continue", "`continue` stands where `break` belongs", _ROUND),
    ("return", "continue", "break", "`break` stands where `continue` belongs", _ROUND),
    ("shift", "range(_n)", "range(_n + 1)", "`range` ends one too late", _ENDS),
    ("shift", "range(_n)", "range(_n - 1)", "`range` ends one too early", _ENDS),
    ("shift", "range(_n)", "range(1, _n)", "`range` begins with 1", _ENDS),
    ("variance", "_x.var(axis=_a, keepdims=True)", "_x.var(axis=_a, keepdims=True, ddof=1)",
     "the variance is divided by n − 1, not by n", "by what is this variance divided, n or n − 1?"),
    ("variance", "_x.var(_a, keepdims=True)", "_x.var(_a, keepdims=True, correction=0)",
     "the variance is divided by n, not by n − 1", "by what is this variance divided, n or n − 1?"),
)  # fmt: skip
# The same for what a step gives, `_r`, whose rows are those of the left side `_p` of a product:
# scales for every step, all of them for the result.
_RESULTS: tuple[tuple[str, str, str, str], ...] = (
    ("scale", "_r / _p.shape[-1] ** 0.5", "you divide {r} by the square root of the length of the last axis of {p}",
     "a scale is missing here"),
    ("scale", "_r * _p.shape[-1] ** 0.5", "you multiply {r} by the square root of the length of the last axis of {p}",
     "this is scaled down too much"),
    ("scale", "_r / _p.shape[-1]", "you divide {r} by the length of the last axis of {p}", "a scale is missing here"),
    ("scale", "_r * _p.shape[-1]", "you multiply {r} by the length of the last axis of {p}", "this is scaled down too much"),
    ("scale", "_r / _p.shape[-2]", "you divide {r} by the length of the last axis but one of {p}", "a scale is missing here"),
    ("sign", "-_r", "{r} has the wrong sign", "is the sign of the result right?"),
    ("factor", "2 * _r", "you double {r}", "a factor of 2 is missing or too many"),
    ("factor", "_r / 2", "you halve {r}", "a factor of 2 is missing or too many"),
    ("factor", "_r + 1", "you add 1 to {r}", "one is missing or too many"),
    ("factor", "_r - 1", "you subtract 1 from {r}", "one is missing or too many"),
    ("transposition", "_r.swapaxes(-1, -2)", "you transpose {r}", "are rows and columns the right way round?"),
    ("reversed", "np.flip(_r, (-2,))", "the rows of {r} stand in the opposite order", "in which order do the rows stand?"),
    ("function", "np.exp(_r)", "`exp` is taken of {r}", "is `exp` missing?"),
    ("function", "np.log(_r)", "the logarithm of {r} is taken", "is a logarithm missing?"),
    ("function", "np.abs(_r)", "the absolute value is taken", "is an absolute value missing?"),
    ("doubled", "np.exp(_r) / np.exp(_r).sum(axis=-1, keepdims=True)", "a softmax is taken of {r}", "is a softmax missing?"),
)  # fmt: skip
# The same for a quantity in a formula.
_QUANTITIES = (
    ("2 * _n", "you double {}", "is a factor of 2 missing at `{}`, or is there one too many?"),
    ("_n / 2", "you halve {}", "is a factor of 2 missing at `{}`, or is there one too many?"),
    ("_n + 1", "you take one more than {}", "is a 1 missing at `{}`, or is there one too many?"),
    ("_n ** 2", "you square {}", "is a power missing at `{}`?"),
    ("_n ** 0.5", "you take the root of {}", "is a root missing at `{}`?"),
    ("_n - 1", "you take one less than {}", "is a 1 missing at `{}`, or is there one too many?"),
)  # fmt: skip
# Functions of which one is taken for another.
_ALIKE = (
    "exp exp2", "log log2 log10", "max sum mean min", "amax sum mean amin", "std var", "tril triu",
    "ones zeros", "ones_like zeros_like", "sin cos", "concatenate stack", "repeat tile",
    "floor ceil round", "maximum minimum logaddexp", "any all", "argmax argmin", "cumsum sum",
)  # fmt: skip
_ALONG = {
    "sum", "mean", "max", "min", "amax", "amin", "var", "std", "norm", "softmax", "cumsum", "prod",
    "any", "all", "argmax", "logsumexp", "vector_norm", "average",
}  # fmt: skip
# What may run along an axis, too, but not over everything.
_PLACED = {"repeat_interleave", "repeat", "concatenate", "cat", "stack", "flip", "roll", "sort",
    "unsqueeze", "expand_dims", "argsort"}  # fmt: skip
_LIBRARIES = ("np", "torch", "F", "nn", "math", "self")


# --- slips and where they are made ----------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Slip:
    """One change of one node of a tree.

    holder, field, index: where the node stands: ``holder.field`` or ``holder.field[index]``.
    old, new: what stands there, and what stands there afterward.
    kind, mistake, look: the kind of slip; what it is when it was made; where to look when it undoes
        a mistake.
    step: how a sentence speaks of what the statement gives, or "" for the result.
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

    @property
    def reads(self) -> tuple[str, ...]:
        """What a slip has in common with the same one in another version of the code."""
        is_whole = isinstance(self.holder, ast.Module)
        return self.step, self.mistake, "" if is_whole else ast.dump(self.old)

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


def _span(node: ast.AST) -> list[tuple[int, int]]:
    """Return where a node begins and where it ends: lines and columns."""
    ends = ("lineno", "col_offset"), ("end_lineno", "end_col_offset")
    return [(getattr(node, a, 0), getattr(node, b, 0)) for a, b in ends]


@dataclasses.dataclass(frozen=True)
class _Scope:
    """What the rules need to know about the code around a node.

    arguments, locals: the names of the function's arguments, and of what it computes.
    grown: by the text of an operand, where something is done to it.
    factors: what something is multiplied by or divided by.
    """

    torch: bool
    arguments: tuple[str, ...]
    locals: tuple[str, ...]
    grown: Mapping[str, list[ast.BinOp]]
    factors: tuple[ast.expr, ...]
    in_index: bool = False
    in_loop: bool = False
    in_formula: bool = False
    in_shape: bool = False

    def inside(self, node: ast.AST, field: str) -> "_Scope":
        """Return what is to be known in this field of a node."""
        begins_index = isinstance(node, ast.Subscript) and field == "slice"
        begins_loop = isinstance(node, ast.For | ast.While) and field == "body"
        operator = node.op if isinstance(node, ast.BinOp) else ast.MatMult()
        return dataclasses.replace(
            self,
            in_index=begins_index or self.in_index and isinstance(node, ast.expr),
            in_loop=begins_loop or self.in_loop,
            in_formula=not isinstance(operator, ast.MatMult),
            in_shape=getattr(node, "attr", "") == "shape",
        )


# What stands there instead, the kind, and the two sentences.
_Change = tuple[Any, str, str, str]


def slips_in(tree: ast.Module, *, torch: bool) -> list[Slip]:
    """Return every slip that can be made in functions or classes, the likeliest kinds first."""
    found = [s for top in tree.body for s in _below(top, _scope_of(top, torch), "")]
    for n, top in enumerate(tree.body):
        found += _axes_throughout(tree, n, top)
    return sorted(found, key=lambda slip: _KINDS.index(slip.kind))


def _scope_of(top: ast.AST, torch: bool) -> _Scope:
    nodes = list(ast.walk(top))
    given = [n.arg for n in nodes if isinstance(n, ast.arg) and n.arg != "self"]
    stored = [name for n in nodes for name in _stored(n) if name not in given]
    arguments, own = (tuple(dict.fromkeys(names)) for names in (given, stored))
    return _Scope(torch, arguments, own, _grown(nodes), _factors(nodes))


def _stored(node: ast.AST) -> list[str]:
    """Return the name that a node gives a value to; none for other nodes."""
    is_name = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    return [node.id] if is_name else []  # type: ignore[attr-defined]


def _grown(nodes: list[ast.AST]) -> dict[str, list[ast.BinOp]]:
    found: dict[str, list[ast.BinOp]] = {}
    for node in nodes:
        if isinstance(node, ast.BinOp) and not isinstance(node.right, ast.Constant):
            found.setdefault(ast.dump(node.left), []).append(node)
    return found


def _factors(nodes: list[ast.AST]) -> tuple[ast.expr, ...]:
    """Return what something is multiplied by or divided by, six at most."""
    found: dict[str, ast.expr] = {}
    for node in nodes:
        if isinstance(getattr(node, "op", None), ast.Mult | ast.Div):
            for side in ("left", "right", "value"):
                part = getattr(node, side, None)
                if isinstance(part, ast.Name | ast.Call | ast.Subscript):
                    found.setdefault(ast.dump(part), part)
    return tuple(_placeless(copy.deepcopy(part)) for part in [*found.values()][:6])


def _below(node: ast.AST, scope: _Scope, step: str) -> Iterator[Slip]:
    """Yield the slips in everything below a node."""
    for field, index, child in _children(node):
        inner = scope.inside(node, field)
        own = step_of(child) if isinstance(child, ast.stmt) else step
        is_code = _is_code(field, child)
        for new, kind, mistake, look in _changes(child, inner) if is_code else ():
            if kind == "sign" and _is_place(node, child):
                continue
            if not hasattr(new, "lineno"):  # else it is a part of the tree
                ast.copy_location(new, child)
            ast.fix_missing_locations(new)
            place = node, field, index, child
            yield Slip(*place, new, kind, mistake, look, own)
        yield from _below(child, inner, own)


def _is_place(holder: ast.AST, node: ast.AST) -> bool:
    """Whether a node is a number such as the -1 of an axis, with which a call is made."""
    is_number = isinstance(getattr(node, "operand", None), ast.Constant)
    return is_number and isinstance(holder, ast.Call | ast.keyword)


_CODE = ast.stmt | ast.expr | ast.comprehension | ast.keyword
_NO_CODE = ("decorator_list", "returns", "annotation", "args", "bases")


def _children(node: ast.AST) -> Iterator[tuple[str, int | None, ast.AST]]:
    """Yield the nodes of which a node consists, each with its place."""
    for field, value in ast.iter_fields(node):
        if field in _NO_CODE and not isinstance(node, ast.Call):
            continue
        several = enumerate(value) if isinstance(value, list) else [(None, value)]
        for index, child in several:
            if isinstance(child, _CODE):
                yield field, index, child


def _is_code(field: str, node: Any) -> bool:
    """Whether a node is neither a target, nor a definition, a docstring or a library's name."""
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    is_target = isinstance(getattr(node, "ctx", None), ast.Store)
    is_library = isinstance(node, ast.Name) and node.id in _LIBRARIES
    is_definition = isinstance(node, ast.FunctionDef) or field == "func"
    return not (is_text or is_target or is_library or is_definition)


def step_of(statement: ast.stmt) -> str:
    """Return how a sentence speaks of what a statement gives; "" for the result."""
    targets: list[ast.expr] = getattr(statement, "targets", [])
    if isinstance(statement, ast.AugAssign | ast.AnnAssign):
        targets = [statement.target]
    names = [name for t in targets for n in ast.walk(t) for name in _stored(n)]
    return " and ".join(
        f"the {name.replace('_', ' ')}" if _is_words(name) else f"`{name}`"
        for name in names
    )


# --- rewriting ------------------------------------------------------------------------------------


def _changes(node: Any, scope: _Scope) -> Iterator[_Change]:
    rewrites = _rewrites(scope.torch).get(_head(node), ())
    for kind, old, new, mistake, look in rewrites:
        parts: dict[str, Any] = {}
        if _matches(old, node, parts):
            words = {name[1:]: _said(part, scope) for name, part in parts.items()}
            code = {name[1:]: _text(part) for name, part in parts.items()}
            is_given = getattr(parts.get("_b"), "id", "") in scope.arguments
            words["before_b"] = f", in front of {words['b']}" if is_given else ""
            yield (
                _filled(new, parts),
                kind,
                mistake.format_map(words),
                look.format_map(code),
            )
    for kinds, rule in _RULES:
        if isinstance(node, kinds):
            yield from rule(node, scope)


@cache
def _rewrites(torch: bool) -> dict[Any, list[tuple[str, Any, Any, str, str]]]:
    """Return the rewrites by what they begin with."""
    found: dict[Any, list[Any]] = {}
    for kind, old, new, *texts in _REWRITES:
        pattern = _code(old, torch)
        row = kind, pattern, _code(new, torch), *texts
        found.setdefault(_head(pattern), []).append(row)
    return found


def _head(node: Any) -> Any:
    """Return what two pieces of code have in common if they match."""
    return type(node), type(getattr(node, "op", None))


def _matches(pattern: Any, node: Any, parts: dict[str, Any]) -> bool:
    """Whether code is like a pattern; ``parts`` becomes what its names stand for."""
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
        if lines := _any_lines(pattern):
            parts[lines] = node
            return bool(node)
        pairs = zip(pattern, node, strict=False)
        alike = (_matches(one, other, parts) for one, other in pairs)
        return len(pattern) == len(node) and all(alike)
    return bool(pattern == node)


def _any_lines(body: list[Any]) -> str:
    """Return the name that stands alone on a line, for any lines; else ""."""
    match body:
        case [ast.Expr(ast.Name(name))]:
            return name
    return ""


def _filled(template: Any, parts: Mapping[str, Any]) -> Any:
    """Return a template with these parts in the places of its names."""
    if isinstance(template, list):
        lines = parts.get(_any_lines(template))
        return lines or [_filled(part, parts) for part in template]
    if not isinstance(template, ast.AST):
        return template
    if isinstance(template, ast.Name) and template.id in parts:
        return parts[template.id]
    fields = ast.iter_fields(template)
    return type(template)(**{name: _filled(part, parts) for name, part in fields})


@cache
def _code(text: str, torch: bool = False) -> Any:
    """Return the expression or the statement that a text is."""
    code: Any = ast.parse(in_torch(text) if torch else text).body[0]
    return _placeless(code.value if isinstance(code, ast.Expr) else code)


def _made(text: str, scope: _Scope, **parts: ast.expr) -> Any:
    """Return an expression with parts of the code in the places of its names."""
    named = {f"_{name}": part for name, part in parts.items()}
    return _filled(_code(text, scope.torch), named)


def _placeless(node: Any) -> Any:
    """Return a node that takes the place in the text of what it is put in for."""
    for part in ast.walk(node):
        for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
            vars(part).pop(name, None)
    return node


# --- how sentences speak of code ------------------------------------------------------------------


def _said(node: Any, scope: _Scope) -> str:
    """Return how a sentence speaks of a part of the code."""
    if isinstance(node, list):
        return ""
    return _word(node.id, scope) if isinstance(node, ast.Name) else _text(node)


def _text(node: Any) -> str:
    text = "" if isinstance(node, list) else ast.unparse(node)
    return f"`{text}`" if len(text) <= 40 else f"`{text[:36]} …`"


def _word(name: str, scope: _Scope) -> str:
    """Return what a reader can call a name: a local one is a step of the solution, in words."""
    is_step = name in scope.locals and _is_words(name)
    return f"the {name.replace('_', ' ')}" if is_step else f"`{name}`"


# Words that make no noun of what stands behind "the".
_NO_NOUNS = ("above", "and", "before", "below", "other", "own", "same")


def _is_words(name: str) -> bool:
    """Whether a name reads as a noun: "the is passed", "the shifted" and the like are none."""
    words = name.replace("_of_", "_") if name.endswith("s") else name
    return name.islower() and all(
        word.isalpha()
        and len(word) > 2
        and word not in _NO_NOUNS
        and not word.endswith("ed")
        for word in words.split("_")
    )


# --- rules: numbers and names ---------------------------------------------------------------------

_LOW = "how low may the scores be? Only −∞, put in the place of a score, lies below all of them"
_EINSUM = re.compile(r"[a-zA-Z., ]+->[a-zA-Z. ]*")


def _constants(node: ast.Constant, scope: _Scope) -> Iterator[_Change]:
    value = node.value
    if isinstance(value, bool):
        said = f"`{not value}` stands where `{value}` belongs"
        yield ast.Constant(not value), "constant", said, f"is {value} right?"
    elif isinstance(value, int | float):
        if value == 0 and not scope.in_index:
            said = "`-inf` stands where `0` belongs"
            yield _code("-float('inf')"), "constant", said, _BEGINS
        yield from _numbers(value, scope)
        # So large that, added to a score or put in for it, it acts as infinity.
        if 10 <= value < 1e30 and not scope.in_index:
            said = f"`{value:g}` stands where ∞ belongs"
            yield ast.Constant(1e30), "finite", said, _LOW
    elif isinstance(value, str) and _EINSUM.fullmatch(value):
        look = "which index counts what, and which are summed?"
        for letters in re.finditer(r"[a-zA-Z]{2,}", value):
            turned = letters[0][:-2] + letters[0][:-3:-1]
            spec = value[: letters.start()] + turned + value[letters.end() :]
            said = f"the last two indices of `{letters[0]}` are swapped"
            yield ast.Constant(spec), "transposition", said, look


def _negatives(node: ast.UnaryOp, scope: _Scope) -> Iterator[_Change]:
    value = getattr(node.operand, "value", None)
    if isinstance(node.op, ast.USub) and isinstance(value, int | float):
        yield from _numbers(-value, scope)


def _numbers(value: Any, scope: _Scope) -> Iterator[_Change]:
    """Take other numbers for a number; in an index, whole ones only."""
    others = [value + 1, value - 1, 2 * value, value / 2]
    if isinstance(value, int):
        others += [0, 1, 2, -1, -2, -3, 0.5]
    else:
        others += [-value, 0.0, 1.0, 2.0, 10 * value, value / 10]
    look = f"is {value:g} the right number here?"
    for other in dict.fromkeys(others):
        is_whole = other == int(other)
        if other == value or scope.in_index and not is_whole:
            continue
        is_shift = scope.in_index and abs(other - value) == 1
        kind = "shift" if is_shift else "constant"
        as_int = isinstance(value, int) and is_whole
        new = _code(repr(int(other) if as_int else float(f"{other:.12g}")))
        yield new, kind, f"`{other:g}` stands where `{value:g}` belongs", look


def _names(node: ast.Name, scope: _Scope) -> Iterator[_Change]:
    """Take a name for another one."""
    known = (*scope.arguments, *scope.locals)
    if node.id not in known:
        return
    group = scope.arguments if node.id in scope.arguments else scope.locals
    look = f"is `{node.id}` the right one here?"
    for other in dict.fromkeys((*group, *known)):
        if other != node.id:
            near = "size" if scope.in_shape else "name"
            kind = near if other in group else "other-name"
            mine, right = _word(other, scope), _word(node.id, scope)
            said = f"you take {mine} for {right}"
            if scope.in_shape:
                said = f"you take a size of {mine} where one of {right} belongs"
            yield ast.Name(other, ast.Load()), kind, said, look


def _quantities(node: Any, scope: _Scope) -> Iterator[_Change]:
    """Double a quantity in a formula, halve it, square it, take one more or one less."""
    is_power = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)
    known = getattr(node, "id", "") in (*scope.arguments, *scope.locals)
    if scope.in_formula and not scope.in_index and (is_power or known):
        text, said = ast.unparse(node), _said(node, scope)
        for code, mistake, look in _QUANTITIES:
            new = _made(code, scope, n=node)
            yield new, "factor", mistake.format(said), look.format(text)


def _subscripts(node: ast.Subscript, scope: _Scope) -> Iterator[_Change]:
    # What is no array, such as `np.r_`, may be read without end.
    is_library = getattr(getattr(node.value, "value", None), "id", "") in _LIBRARIES
    index = ast.unparse(node)[len(ast.unparse(node.value)) + 1 : -1]
    if index in _NEW_AXES:
        new = _made(f"_x[{_NEW_AXES[index]}]", scope, x=node.value)
        yield new, "kept-axis", "the new axis is counted from the front", _FRONT
    if getattr(node.value, "attr", "") != "shape" and not is_library:
        said = f"the index `[{index}]` is left out"
        yield node.value, "left-out", said, "is this index needed?"


# --- rules: calls ---------------------------------------------------------------------------------


def _called(node: ast.Call) -> str:
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def _of_library(node: ast.Call) -> bool:
    """Whether a function is called (``np.sum(x)``), not a method (``x.sum()``)."""
    owner: Any = node.func
    while isinstance(owner, ast.Attribute):
        owner = owner.value
    return owner is node.func or getattr(owner, "id", "") in _LIBRARIES


def _inside(node: ast.Call) -> ast.expr | None:
    """Return what a call is about: the owner of a method, else the first argument."""
    if isinstance(node.func, ast.Attribute) and not _of_library(node):
        return node.func.value
    return node.args[0] if node.args else None


def _functions(node: ast.Call, scope: _Scope) -> Iterator[_Change]:
    """Call another function."""
    name = _called(node)
    look = f"is `{name}` the right function here?"
    groups = [group.split() for group in _ALIKE if name in group.split()]
    for other in dict.fromkeys(one for group in groups for one in group):
        func: Any = copy.copy(node.func)
        func.attr = func.id = other  # an Attribute has the one, a Name the other
        said = f"`{other}` stands where `{name}` belongs"
        if other != name:
            yield ast.Call(func, node.args, node.keywords), "function", said, look


_MAKERS = ("range", "len", "zip", "enumerate", "super", "Parameter", "Linear")


def _calls_left_out(node: ast.Call, scope: _Scope) -> Iterator[_Change]:
    """Put what a call is about in its place; of `where`, what it takes."""
    name = _called(node)
    dtype = next((k.value for k in node.keywords if k.arg == "dtype"), None)
    what = f"dtype={ast.unparse(dtype)}" if dtype else name
    said, look = f"`{name}` is left out", f"is `{what}` needed here?"
    kind = "unlikely" if name in _ALONG else "left-out"
    for part in node.args[1:] if name == "where" else [_inside(node)]:
        if part and not isinstance(part, ast.Constant) and name not in _MAKERS:
            yield part, kind, said, look


def _shifts(node: ast.Call, scope: _Scope) -> Iterator[_Change]:
    """Subtract the largest, where numbers are cut off or nothing is subtracted from an exponent."""
    part, name = _inside(node), _called(node)
    shifted = "_p - _p.max(axis=-1, keepdims=True)"
    if part and name in ("clip", "clamp", "minimum"):
        said = "the largest is subtracted, where numbers are cut off"
        yield _made(shifted, scope, p=part), "clamped", said, _CLAMPED
    is_shifted = isinstance(part, ast.BinOp) and isinstance(part.op, ast.Sub)
    if part and name == "exp" and not is_shifted:
        new = ast.Call(node.func, [_made(shifted, scope, p=part)], [])
        said = "the largest of each row is subtracted first"
        look = "how large can this exponent become? It is never above 0 if the largest is subtracted first"
        yield new, "missing", said, look


def _axes(node: ast.Call, scope: _Scope) -> Iterator[_Change]:
    """Let it run along another axis, or over everything."""
    name, word = _called(node), "dim" if scope.torch else "axis"
    along = next((k for k in node.keywords if k.arg in ("axis", "dim")), None)
    is_placed = along is not None and name in _PLACED
    if not is_placed and (name not in _ALONG or len(node.args) > _of_library(node)):
        return
    rest = [k for k in node.keywords if k is not along]
    have = f"along axis {ast.unparse(along.value)}" if along else "over everything"
    look = f"along which axis does this `{name}` run?"
    if re.match(r"along axis \d", have):
        look += f" {have[6].upper()}{have[7:]} is counted from the front: in a batch it is another one."
    elif along is None:
        look = (
            f"this `{name}` runs over everything: along which axis should it run?"
        )
    for value in ("-1", "-2", "-3", "0", "1", *[""] * (not is_placed)):
        runs = f"along axis {value}" if value else "over everything"
        if runs != have:
            own = [ast.keyword(word, _code(value))] if value else []
            said = f"`{name}` runs {runs} instead of {have}"
            yield ast.Call(node.func, node.args, own + rest), "axis", said, look


def _axes_throughout(tree: ast.Module, n: int, top: ast.stmt) -> Iterator[Slip]:
    """Let all that runs along one axis run along another."""
    for have in dict.fromkeys(ast.unparse(along.value) for _, along in _along(top)):
        same = [name for name, k in _along(top) if ast.unparse(k.value) == have]
        names = " and ".join(f"`{name}`" for name in dict.fromkeys(same))
        for value in ("-1", "-2", "0", "1") if same[1:] else ():
            new = copy.deepcopy(top)
            for _, along in _along(new):
                if ast.unparse(along.value) == have:
                    along.value = ast.copy_location(_code(value), along.value)
            said = f"{names} run along axis {value} instead of along axis {have}"
            do = "do" if " and " in names else "does"
            look = f"along which axis {do} {names} run in this function?"
            if value != have:
                yield Slip(tree, "body", n, top, new, "axis", said, look, "")


def _along(top: ast.stmt) -> list[tuple[str, ast.keyword]]:
    """Return what runs along an axis, by its name, and the axis."""
    calls = [n for n in ast.walk(top) if isinstance(n, ast.Call)]
    each = ((_called(c), k) for c in calls for k in c.keywords)
    return [(n, k) for n, k in each if n in _ALONG and k.arg in ("axis", "dim")]


def _kept_axes(node: ast.Call, scope: _Scope) -> Iterator[_Change]:
    """Keep the axis along which something runs, or drop it."""
    name, of_library = _called(node), _of_library(node)
    word, keep = ("dim", "keepdim") if scope.torch else ("axis", "keepdims")
    if name not in _ALONG:
        return
    rest = [k for k in node.keywords if k.arg != keep]
    kept, kind = [*rest, ast.keyword(keep, ast.Constant(True))], "kept-axis"
    look = f"is the axis of this `{name}` to be kept"
    if len(rest) < len(node.keywords):
        kept, said = rest, f"`{name}` drops the axis that `{keep}=True` keeps"
        look += "?"
    elif len(node.args) > of_library or any(k.arg == word for k in rest):
        said = f"`{name}` keeps its axis"
        look += ", so that its result lines up with the rows?"
    else:
        kept, kind = [ast.keyword(word, _code("-1")), *kept], "axis"
        said = f"`{name}` runs along the last axis and keeps it"
        look = f"this `{name}` runs over everything: along which axis should it run, and is that axis kept?"
    yield ast.Call(node.func, node.args, kept), kind, said, look


# --- rules: steps and loops -----------------------------------------------------------------------


def _results(node: ast.Return | ast.Assign, scope: _Scope) -> Iterator[_Change]:
    """Do something to what a step gives, or the whole function."""
    if node.value is None or isinstance(node.value, ast.Tuple):
        return
    is_last, value = isinstance(node, ast.Return), node.value
    part = value.left if isinstance(value, ast.BinOp) else value
    words = {
        "r": "the result" if is_last else step_of(node),
        "p": _said(part, scope),
    }
    for kind, code, mistake, look in _RESULTS:
        if is_last or kind == "scale" and isinstance(value, ast.BinOp | ast.Call):
            new = _with(node, _made(code, scope, r=value, p=part))
            yield new, kind, mistake.format(**words), look
    for name in scope.arguments if is_last else ():
        new = _with(node, ast.BinOp(value, ast.Add(), ast.Name(name, ast.Load())))
        said = f"`{name}` is added to the result"
        yield new, "residual", said, f"is `{name}` to be added?"


def _with(node: Any, value: ast.expr) -> Any:
    """Return a statement with another value."""
    return type(node)(**{**dict(ast.iter_fields(node)), "value": value})


def _loops(node: ast.For, scope: _Scope) -> Iterator[_Change]:
    for name in _overwritten(node):
        said = f"`{name}` is overwritten in every round"
        look = f"after this loop, which rounds does `{name}` hold: all of them?"
        yield _adding(node, name), "accumulation", said, look
    if isinstance(node.body[-1], ast.Return) and len(node.body) > 1:
        loop = ast.For(node.target, node.iter, node.body[:-1], [])
        said = "`return` stands after the loop"
        look = "a `return` inside the loop ends it in its first round"
        yield _lines(loop, node.body[-1]), "return", said, look


def _lines(*lines: ast.stmt) -> ast.stmt:
    """Return several statements as one."""
    return ast.If(ast.Constant(True), [*lines], [])


def _overwritten(loop: ast.For) -> list[str]:
    """Return the names that a loop only writes: of all its rounds the last one remains."""
    nodes = [n for part in loop.body for n in ast.walk(part)]
    read = {n.id for n in nodes if isinstance(n, ast.Name) and not _stored(n)}
    return sorted({name for n in nodes for name in _assigned(n)} - read)


def _assigned(node: ast.AST) -> list[str]:
    """Return the one name that a statement gives a value to."""
    return _stored(node.targets[0]) if isinstance(node, ast.Assign) else []


def _adding(loop: ast.For, name: str) -> ast.stmt:
    """Return a loop that adds to a name, from 0 on, what it has assigned to it."""
    adding = copy.deepcopy(loop)
    for node in ast.walk(adding):
        if isinstance(node, ast.Assign) and _assigned(node) == [name]:
            before = ast.Name(name, ast.Load())
            node.value = ast.BinOp(before, ast.Add(), node.value)
    return _lines(ast.parse(f"{name} = 0").body[0], adding)


# --- rules: what is done elsewhere ----------------------------------------------------------------


def _like_elsewhere(node: ast.expr, scope: _Scope) -> Iterator[_Change]:
    """Do to an expression what is done to the same one elsewhere."""
    for other in () if scope.in_index else scope.grown.get(ast.dump(node), ()):
        if all(part is not node for part in ast.walk(other)):
            more = _text(other)
            said = f"{more} stands where {_said(node, scope)} belongs"
            look = f"is {_text(node)} the right one here, or is it {more}, as elsewhere?"
            yield _placeless(copy.deepcopy(other)), "elsewhere", said, look


def _unscaled(node: Any, scope: _Scope) -> Iterator[_Change]:
    """Scale a term of a sum by what scales something elsewhere."""
    if not isinstance(node.op, ast.Add | ast.Sub):
        return
    if any(
        isinstance(part, ast.Tuple | ast.List)
        for part in ast.iter_child_nodes(node)
    ):
        return  # such a sum is longer, not larger, and a product would repeat its terms
    for factor in scope.factors:
        what = _text(factor)
        for op, verb in ((ast.Mult(), "multiply"), (ast.Div(), "divide")):
            # A running sum is often not rescaled where its largest number changes.
            is_running = scope.in_loop and verb == "multiply"
            kind = "missing" if is_running else "scale"
            for term, new in _with_factor(node, op, factor):
                said = f"you {verb} {_said(term, scope)} by {_said(factor, scope)}, too"
                asked = f"is {_text(term)} to be divided by {what} here, too?"
                missed = f"Is one missing here, at {_text(term)}?"
                factor_too = f"elsewhere there is a factor {what}. {missed}"
                look = asked if verb == "divide" else factor_too
                yield new, kind, said, look


def _with_factor(
    node: Any, op: ast.operator, factor: ast.expr
) -> Iterator[tuple[ast.expr, ast.AST]]:
    """Yield each term of a sum, and the sum with this term scaled: ``x = x * f + …``."""
    if isinstance(node, ast.BinOp):
        left, right = node.left, node.right
        yield left, ast.BinOp(ast.BinOp(left, op, factor), node.op, right)
        yield right, ast.BinOp(left, node.op, ast.BinOp(right, op, factor))
    else:
        target = _code(ast.unparse(node.target))
        scaled = ast.BinOp(ast.BinOp(target, op, factor), node.op, node.value)
        yield target, ast.Assign([node.target], scaled)


_TERMS = ast.Name | ast.Attribute | ast.Subscript | ast.Call | ast.BinOp
_RULES: tuple[tuple[Any, Callable[[Any, _Scope], Iterator[_Change]]], ...] = (
    (ast.Constant, _constants),
    (ast.UnaryOp, _negatives),
    (ast.Call, _axes),
    (ast.Call, _kept_axes),
    (ast.Call, _functions),
    (ast.Call, _calls_left_out),
    (ast.Call, _shifts),
    (ast.Name, _names),
    (ast.Subscript, _subscripts),
    (ast.Return | ast.Assign, _results),
    (ast.For, _loops),
    (_TERMS, _like_elsewhere),
    (ast.Name | ast.BinOp, _quantities),
    (ast.BinOp | ast.AugAssign, _unscaled),
)
