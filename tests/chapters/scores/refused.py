"""The calls of the functions of chapter 2, `scores`, that must be refused."""

from tests.support.refusals import bad_number, bad_queries_and_keys, misfit

_GENERAL = "scores.general_scores"
_ADDITIVE = "scores.additive_scores"
_KERNEL = "scores.nadaraya_watson"

BAD_INPUT = [
    *bad_queries_and_keys("scores.dot_scores"),
    *bad_queries_and_keys("scores.cosine_scores"),
    *bad_queries_and_keys("scores.gaussian_scores"),
    *bad_number("scores.gaussian_scores", "bandwidth", Q=(7, 5), K=(11, 5)),
    misfit(_GENERAL, "W", "d_q = 5 from Q", Q=(7, 5), K=(11, 3), W=(3, 5)),
    misfit(_GENERAL, "W", "d_q = 5 from Q", Q=(7, 5), K=(11, 3), W=(1, 3)),
    misfit(_GENERAL, "W", "d_k = 3 from K", Q=(7, 5), K=(11, 3), W=(5, 1)),
    misfit(_GENERAL, "W", "(d_q, d_k)", "got 1 axes", Q=(7, 5), K=(11, 3), W=(5,)),
    misfit(
        _GENERAL,
        "W",
        "(d_q, d_k)",
        "got 3 axes",
        Q=(2, 7, 5),
        K=(2, 11, 3),
        W=(2, 5, 3),
    ),
    misfit(
        _GENERAL, "K", "batch = (3,) from Q", Q=(3, 7, 5), K=(1, 11, 3), W=(5, 3)
    ),
    misfit(
        _ADDITIVE,
        "W_Q",
        "d_q = 5",
        Q=(7, 5),
        K=(11, 3),
        W_Q=(1, 2),
        W_K=(3, 2),
        v=(2,),
    ),
    misfit(
        _ADDITIVE,
        "W_K",
        "d_k = 3",
        Q=(7, 5),
        K=(11, 3),
        W_Q=(5, 2),
        W_K=(1, 2),
        v=(2,),
    ),
    misfit(
        _ADDITIVE,
        "W_K",
        "d_hidden = 2",
        Q=(7, 5),
        K=(11, 3),
        W_Q=(5, 2),
        W_K=(3, 1),
        v=(2,),
    ),
    misfit(
        _ADDITIVE,
        "W_K",
        "d_hidden = 1",
        Q=(7, 5),
        K=(11, 3),
        W_Q=(5, 1),
        W_K=(3, 2),
        v=(2,),
    ),
    misfit(
        _ADDITIVE,
        "v",
        "d_hidden = 2",
        Q=(7, 5),
        K=(11, 3),
        W_Q=(5, 2),
        W_K=(3, 2),
        v=(1,),
    ),
    misfit(
        _ADDITIVE,
        "v",
        "(d_hidden,)",
        "got 2 axes",
        Q=(7, 5),
        K=(11, 3),
        W_Q=(5, 2),
        W_K=(3, 2),
        v=(2, 1),
    ),
    misfit(
        _ADDITIVE,
        "K",
        "batch = (3,) from Q",
        Q=(3, 7, 5),
        K=(1, 11, 3),
        W_Q=(5, 2),
        W_K=(3, 2),
        v=(2,),
    ),
    misfit(_KERNEL, "y", "n = 7 from x", x_query=(3,), x=(7,), y=(5,)),
    misfit(
        _KERNEL, "y", "n = 7 from x", "not broadcast", x_query=(3,), x=(7,), y=(1,)
    ),
    misfit(_KERNEL, "y", "n = 1 from x", x_query=(3,), x=(1,), y=(7,)),
    misfit(_KERNEL, "x", "at least one element", x_query=(3,), x=(0,), y=(0,)),
    misfit(
        _KERNEL, "x_query", "(n_q,)", "got 2 axes", x_query=(3, 1), x=(7,), y=(7,)
    ),
    misfit(_KERNEL, "x", "(n,)", "got 2 axes", x_query=(3,), x=(7, 1), y=(7,)),
    misfit(_KERNEL, "y", "(n,)", "got 2 axes", x_query=(3,), x=(7,), y=(7, 1)),
    *bad_number(_KERNEL, "bandwidth", x_query=(3,), x=(7,), y=(7,)),
]
