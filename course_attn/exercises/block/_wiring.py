"""How the parts of a transformer block can be wired rightly, and wrongly.

The wiring only calls the parts and adds, so that it serves NumPy arrays and PyTorch tensors alike.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from course_attn.checking import Context, Fault
from course_attn.exercises.block._steps import wrong_row

__all__ = ["wired", "wiring_faults"]

_Part = Callable[..., Any]


def _unchanged(value: Any, *unused: Any) -> Any:
    """Change nothing: the right version of a step that some mistakes add."""
    return value


def wired(
    X: Any,
    attend: _Part,
    process: _Part,
    norm_1: _Part,
    norm_2: _Part,
    mask: Any,
    *,
    enter_1: _Part = lambda X, norm_1, norm_2: norm_1(X),
    enter_2: _Part = lambda H, norm_1, norm_2, X: norm_2(H),
    carry_1: _Part = _unchanged,
    carry_2: _Part = _unchanged,
    add_1: _Part = _unchanged,
    add_2: _Part = _unchanged,
    leave_1: _Part = _unchanged,
    leave_2: _Part = _unchanged,
    allow: _Part = _unchanged,
) -> Any:
    """Run a pre-norm block whose steps can be replaced."""
    normed = enter_1(X, norm_1, norm_2)
    H = carry_1(X, normed) + add_1(attend(normed, allow(mask)), norm_1)
    H = leave_1(H, norm_1)
    normed = enter_2(H, norm_1, norm_2, X)
    Y = carry_2(H, normed, X) + add_2(process(normed), norm_2)
    return leave_2(Y, norm_2)


def _feed_forward_first(
    X: Any, attend: _Part, process: _Part, norm_1: _Part, norm_2: _Part, mask: Any
) -> Any:
    H = X + process(norm_2(X))
    return H + attend(norm_1(H), mask)


def _apply(value: Any, norm: _Part) -> Any:
    return norm(value)


def _nothing(value: Any, *unused: Any) -> Any:
    return 0 * value


def _quoting(text: str) -> Callable[[Context], str]:
    return lambda c: f"{text} {wrong_row(c)}".strip()


def wiring_faults(
    whole: Callable[[_Part], _Part] = _unchanged,
) -> tuple[Fault, ...]:
    """Return the faults of the wiring; ``whole`` makes an answer of a wrong wiring."""
    return (
        Fault(
            "post-norm",
            {
                "enter_1": _unchanged,
                "leave_1": _apply,
                "enter_2": _unchanged,
                "leave_2": _apply,
            },
            _quoting(
                "This is the post-norm block of 2017: you add first and normalize the sum. In a "
                "pre-norm block the norms stand *before* the parts, and X itself goes straight "
                "through: H = X + attention(norm_1(X))."
            ),
        ),
        Fault(
            "half-post-norm",
            whole(partial(wired, enter_2=_unchanged, leave_2=_apply)),
            _quoting(
                "Half and half: attention is pre-norm, the feed-forward part post-norm. Here, "
                "too, the norm belongs before the part: H + feed-forward(norm_2(H))."
            ),
        ),
        Fault(
            "norm-1-missing",
            {"enter_1": _unchanged},
            _quoting(
                "norm_1 is missing: attention sees X as it is, with whatever size its rows have "
                "grown to."
            ),
        ),
        Fault(
            "norm-2-missing",
            {"enter_2": _unchanged},
            _quoting(
                "norm_2 is missing: the feed-forward network sees H as it is, with whatever size "
                "its rows have grown to."
            ),
        ),
        Fault(
            "shared-norm",
            {"enter_2": lambda H, norm_1, norm_2, X: norm_1(H)},
            _quoting(
                "You use norm_1 twice. The second part has a norm of its own, norm_2, with its "
                "own gain and bias."
            ),
        ),
        Fault(
            "only-norm-2",
            {"enter_1": lambda X, norm_1, norm_2: norm_2(X)},
            _quoting(
                "You use norm_2 before attention, too. That is the place of norm_1."
            ),
        ),
        Fault(
            "residual-1-dropped",
            {"carry_1": _nothing},
            _quoting(
                "The first residual connection is missing: H is what attention returns, and X is "
                "lost. Add: H = X + attention(…)."
            ),
        ),
        Fault(
            "residual-2-dropped",
            {"carry_2": _nothing},
            _quoting(
                "The second residual connection is missing: you return what the feed-forward "
                "network gives, and H is lost. Add: H + feed-forward(…)."
            ),
        ),
        Fault(
            "no-residuals",
            whole(partial(wired, carry_1=_nothing, carry_2=_nothing)),
            _quoting(
                "Both residual connections are missing: the parts are run one after the other, "
                "and neither X nor H is added. In a deep stack all elements would soon become "
                "alike."
            ),
        ),
        Fault(
            "residual-1-normed",
            {"carry_1": lambda X, normed: normed},
            _quoting(
                "You add attention's result to norm_1(X), not to X (was X overwritten by "
                "`X = norm_1(X)`?). The residual path must stay free of norms: that is what lets "
                "gradients through."
            ),
        ),
        Fault(
            "residual-2-normed",
            {"carry_2": lambda H, normed, X: normed},
            _quoting(
                "You add the result of the feed-forward network to norm_2(H), not to H (was H "
                "overwritten by `H = norm_2(H)`?). The residual path must stay free of norms."
            ),
        ),
        Fault(
            "residual-2-from-x",
            {"carry_2": lambda H, normed, X: X},
            _quoting(
                "At the end you add X, the input of the block. Add H: otherwise what attention "
                "found reaches the output only through the feed-forward network."
            ),
        ),
        Fault(
            "parallel",
            {"enter_2": lambda H, norm_1, norm_2, X: norm_2(X)},
            _quoting(
                "Both parts read X, side by side. (Some models do that.) Here they come one after "
                "the other: the feed-forward network reads H, which has attention's result in it."
            ),
        ),
        Fault(
            "feed-forward-first",
            whole(_feed_forward_first),
            _quoting(
                "The feed-forward network comes first in yours. First the elements exchange "
                "information, then each is processed on its own."
            ),
        ),
        Fault(
            "attention-lost",
            whole(partial(wired, add_1=_nothing)),
            _quoting(
                "Attention has no effect on your result: the feed-forward part starts from X "
                "again. It has to start from H = X + attention(…)."
            ),
        ),
        Fault(
            "feed-forward-lost",
            whole(partial(wired, add_2=_nothing)),
            _quoting(
                "You return H, the result of the first half. The feed-forward part, with its norm "
                "and its residual connection, is still missing."
            ),
        ),
        Fault(
            "norm-after-attention",
            {"enter_1": _unchanged, "add_1": _apply},
            _quoting(
                "norm_1 acts on what attention *returns*. It belongs before attention, "
                "attention(norm_1(X))."
            ),
        ),
        Fault(
            "norm-after-feed-forward",
            {"enter_2": _unchanged, "add_2": _apply},
            _quoting(
                "norm_2 acts on what the feed-forward network *returns*. It belongs before it, "
                "feed-forward(norm_2(H))."
            ),
        ),
        Fault(
            "norm-at-the-end",
            {"leave_2": _apply},
            _quoting(
                "You normalize the result once more. A pre-norm block ends with a sum; the final "
                "norm comes once, after the last block of the whole stack."
            ),
        ),
    )
