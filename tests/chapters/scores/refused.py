"""The calls of the functions of the chapter `scores` that must be refused."""

from tests.support.refusals import bad_number, bad_queries_and_keys, misfits

_KERNEL = "scores.nadaraya_watson"
_THREE_AXES = ("(d_q, d_k)", "got 3 axes")

BAD_INPUT = [
    *bad_queries_and_keys("scores.dot_scores"),
    *bad_queries_and_keys("scores.cosine_scores"),
    *bad_queries_and_keys("scores.gaussian_scores"),
    *bad_number("scores.gaussian_scores", "bandwidth", Q=(7, 5), K=(11, 5)),
    *misfits(
        "scores.general_scores",
        {"Q": (7, 5), "K": (11, 3), "W": (5, 3)},
        ("W", ("d_q = 5 from Q",), {"W": (3, 5)}),
        ("W", ("d_q = 5 from Q",), {"W": (1, 3)}),
        ("W", ("d_k = 3 from K",), {"W": (5, 1)}),
        ("W", ("(d_q, d_k)", "got 1 axes"), {"W": (5,)}),
        ("W", _THREE_AXES, {"Q": (2, 7, 5), "K": (2, 11, 3), "W": (2, 5, 3)}),
        ("K", ("batch = (3,) from Q",), {"Q": (3, 7, 5), "K": (1, 11, 3)}),
    ),
    *misfits(
        "scores.additive_scores",
        {"Q": (7, 5), "K": (11, 3), "W_Q": (5, 2), "W_K": (3, 2), "v": (2,)},
        ("W_Q", ("d_q = 5",), {"W_Q": (1, 2)}),
        ("W_K", ("d_k = 3",), {"W_K": (1, 2)}),
        ("W_K", ("d_hidden = 2",), {"W_K": (3, 1)}),
        ("W_K", ("d_hidden = 1",), {"W_Q": (5, 1)}),
        ("v", ("d_hidden = 2",), {"v": (1,)}),
        ("v", ("(d_hidden,)", "got 2 axes"), {"v": (2, 1)}),
        ("K", ("batch = (3,) from Q",), {"Q": (3, 7, 5), "K": (1, 11, 3)}),
    ),
    *misfits(
        _KERNEL,
        {"x_query": (3,), "x": (7,), "y": (7,)},
        ("y", ("n = 7 from x",), {"y": (5,)}),
        ("y", ("n = 7 from x", "not broadcast"), {"y": (1,)}),
        ("y", ("n = 1 from x",), {"x": (1,)}),
        ("x", ("at least one element",), {"x": (0,), "y": (0,)}),
        ("x_query", ("(n_q,)", "got 2 axes"), {"x_query": (3, 1)}),
        ("x", ("(n,)", "got 2 axes"), {"x": (7, 1)}),
        ("y", ("(n,)", "got 2 axes"), {"y": (7, 1)}),
    ),
    *bad_number(_KERNEL, "bandwidth", x_query=(3,), x=(7,), y=(7,)),
]
