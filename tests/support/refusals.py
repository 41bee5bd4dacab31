"""Calls that must be refused, as several functions refuse them, for the tables of cases."""

from typing import Any

import numpy as np
import torch

from tests.support.twin_table import INF, INTEGERS, NAN, Bad

_NOT_BROADCAST = ("batch = (3,) from Q", "not broadcast")
_DTYPES = dict.fromkeys(("mask", "context_mask", "source_mask"), bool)
_DTYPES |= dict.fromkeys(INTEGERS, np.int64)


def _filled(given: dict[str, Any]) -> dict[str, Any]:
    """Make arrays of ones of what is given as a shape; all else is left as it is."""
    return {
        name: np.ones(value, _DTYPES.get(name, float))
        if isinstance(value, tuple)
        else value
        for name, value in given.items()
    }


def misfit(function: str, names: str, *says: str, **arguments: Any) -> Bad:
    """Give a call whose shapes do not fit; the shape of the argument named must be quoted."""
    shape = arguments[names]
    about = ", ".join(f"{name} {value}" for name, value in arguments.items())
    return Bad(
        function,
        about,
        _filled(arguments),
        ValueError,
        names,
        ("got", str(shape), *says),
    )


NOT_AT_LEAST_0 = [
    (-1.5, ValueError, "at least 0, got -1.5"),
    (INF, ValueError, "finite number, got inf"),
    (NAN, ValueError, "finite number, got nan"),
    ("1", TypeError, "real number, got str"),
    (True, TypeError, "real number, got bool"),
    (None, TypeError, "real number, got NoneType"),
    (1j, TypeError, "real number, got complex"),
]


def misfits(
    function: str,
    good: dict[str, Any],
    *rows: tuple[str, tuple[str, ...], dict[str, Any]],
) -> list[Bad]:
    """Give for each row the argument blamed, what must be said of it, and what is changed."""
    return [
        misfit(function, names, *says, **good | changed)
        for names, says, changed in rows
    ]


def bad_number(
    function: str, name: str, *, positive: bool = True, **given: Any
) -> list[Bad]:
    """Try what is no finite number, or none greater than 0, for one option."""
    ones = _filled(given)
    values = [0, 0.0, -0.0, -1.5, NAN, INF, -INF] if positive else [NAN, INF, -INF]
    kinds = {
        "str": "1",
        "bool": True,
        "NoneType": None,
        "complex": 1j,
        "list": [1.0],
    }
    kinds["Tensor"] = torch.tensor(1.0)
    if name == "scale":
        del kinds["NoneType"]  # None is the default
    wrong_value = [
        Bad(
            function,
            f"{name} {value}",
            ones | {name: value},
            ValueError,
            name,
            (f"got {value}",),
        )
        for value in values
    ]
    wrong_kind = [
        Bad(
            function,
            f"{name} {value!r}",
            ones | {name: value},
            TypeError,
            name,
            (f"got {kind}",),
        )
        for kind, value in kinds.items()
    ]
    return wrong_value + wrong_kind


def bad_count(function: str, name: str, too_small: int, **given: Any) -> list[Bad]:
    """Try what is not a whole number, or one that is too small, for one option."""
    ones = _filled(given)
    kinds: dict[str, Any] = {"float": 3.0, "str": "3", "bool": True, "list": [3]}
    kinds |= {"Tensor": torch.tensor(3)} | (
        {} if name in ("n_k", "top_k") else {"NoneType": None}
    )
    return [
        Bad(
            function,
            f"{name} {too_small}",
            ones | {name: too_small},
            ValueError,
            name,
            (f"at least {too_small + 1}, got {too_small}",),
        ),
        *(
            Bad(
                function,
                f"{name} {value!r}",
                ones | {name: value},
                TypeError,
                name,
                ("whole number", f"got {kind}"),
            )
            for kind, value in kinds.items()
        ),
    ]


def bad_flag(function: str, name: str, *more: Any, **given: Any) -> list[Bad]:
    """Try what is neither True nor False for one option."""
    return [
        Bad(
            function,
            f"{name} {value!r}",
            _filled(given) | {name: value},
            TypeError,
            name,
            (f"must be True or False, got {type(value).__name__} {value!r}",),
        )
        for value in (0, 1, 1.0, "yes", "no", None, *more)
    ]


def bad_dtype(function: str, *more: Any, **given: Any) -> list[Bad]:
    """Try what is no floating-point dtype for the option `dtype`."""
    return [
        Bad(
            function,
            f"dtype {dtype!r}",
            _filled(given) | {"dtype": dtype},
            TypeError,
            "dtype",
            ("must be a floating-point dtype", "got"),
        )
        for dtype in (
            *more,
            "float32",
            32,
            int,
            np.dtype("int64"),
            np.dtype("bool"),
        )
    ]


def bad_masks(function: str, **arrays: tuple[int, ...]) -> list[Bad]:
    """Try masks and biases that do not broadcast to scores of shape (2, 7, 11)."""
    shapes: dict[tuple[int, ...], str] = {
        (11, 7): "n_q = 7 from Q and n_k = 11 from K",
        (7, 5): "n_k = 11 from K",
        (3, 11): "n_q = 7 from Q",
        (3, 7, 11): "batch = (2,) from Q",
        (5, 2, 7, 11): "batch = (2,) from Q",
        (1, 2, 7, 11): "batch = (2,) from Q",
        (2, 7, 0): "n_k = 11 from K",
    }
    to = "broadcast to shape (*batch, n_q, n_k) with"
    rows = [((f"{to} {says}",), shape) for shape, says in shapes.items()]
    rows += [(("(*batch, n_q, n_k)", "got 1 axes"), (11,))]
    return misfits(
        function,
        arrays,
        *((name, says, {name: s}) for name in ("mask", "bias") for says, s in rows),
    )


def bad_values(function: str) -> list[Bad]:
    """Try values that do not belong to the keys."""
    batched = {"Q": (2, 7, 5), "K": (2, 11, 5)}
    return misfits(
        function,
        {"Q": (7, 5), "K": (11, 5), "V": (11, 3)},
        ("V", ("n_k = 11 from K",), {"V": (7, 3)}),
        ("V", ("n_k = 11 from K",), {"V": (1, 3)}),
        ("V", ("n_k = 1 from K",), {"K": (1, 5)}),
        ("V", ("batch = (2,) from Q",), batched),
        ("V", ("batch = (2,) from Q",), batched | {"V": (1, 11, 3)}),
        ("K", ("d_k = 5 from Q",), {"K": (11, 1)}),
        ("K", ("d_k = 5 from Q",), {"K": (5, 11)}),
        ("Q", ("at least one element along axis -1",), {"Q": (7, 0), "K": (11, 0)}),
    )


def bad_axis(function: str, array: str, n_axes: int) -> list[Bad]:
    """Try what is no axis of an array with this many axes, and an axis without an element."""
    ones = {array: np.ones((2, 3, 5)[:n_axes])}
    missing = [n_axes, -n_axes - 1, 17]
    kinds: dict[str, Any] = {
        "float": 1.0,
        "str": "0",
        "bool": True,
        "NoneType": None,
        "tuple": (0,),
    }
    return [
        *(
            Bad(
                function,
                f"axis {a}",
                ones | {"axis": a},
                ValueError,
                "axis",
                (f"axis {a} is out of range for {array} with shape",),
            )
            for a in missing
        ),
        *(
            Bad(
                function,
                f"axis {a!r}",
                ones | {"axis": a},
                TypeError,
                "axis",
                (f"got {kind}",),
            )
            for kind, a in kinds.items()
        ),
        misfit(
            function,
            array,
            "at least one element along axis 0",
            axis=0,
            **{array: (0, 3)},
        ),
        misfit(
            function, array, "at least one element along axis -1", **{array: (2, 0)}
        ),
        misfit(
            function, array, "at least one element along axis -1", **{array: (0,)}
        ),
    ]


def bad_queries_and_keys(function: str) -> list[Bad]:
    """Try what all scores refuse: misfits between Q and K in width and batch."""
    return misfits(
        function,
        {"Q": (7, 5), "K": (11, 5)},
        ("K", ("d_k = 5 from Q",), {"K": (11, 1)}),
        ("K", ("d_k = 1 from Q",), {"Q": (7, 1)}),
        ("K", ("d_k = 5 from Q",), {"K": (5, 11)}),
        ("K", ("batch = (2,) from Q",), {"Q": (2, 7, 5), "K": (3, 11, 5)}),
        ("K", _NOT_BROADCAST, {"Q": (3, 7, 5), "K": (1, 11, 5)}),
        ("K", ("batch = (3,) from Q",), {"Q": (3, 7, 5)}),
        ("K", ("batch = () from Q",), {"K": (3, 11, 5)}),
        ("Q", ("(*batch, n_q, d_k)", "got 1 axes"), {"Q": (5,)}),
        ("K", ("(*batch, n_k, d_k)", "got 1 axes"), {"K": (5,)}),
    )
