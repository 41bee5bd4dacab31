"""The calls of the functions of the chapter `qkv` that must be refused."""

from tests.support.refusals import (
    bad_flag,
    bad_masks,
    bad_number,
    bad_queries_and_keys,
    bad_values,
    misfit,
    misfits,
)

_LOOKUP = "qkv.soft_lookup"
_QKV = {"Q": (7, 5), "K": (11, 5), "V": (11, 3)}


BAD_INPUT = [
    *misfits(
        "qkv.project_qkv",
        {"X": (7, 3), "W_Q": (3, 5), "W_K": (3, 5), "W_V": (3, 5)},
        ("W_Q", ("d_model = 3 from X",), {"W_Q": (2, 3)}),
        ("W_K", ("d_model = 3 from X",), {"W_K": (5, 5)}),
        ("W_K", ("d_k = 5 from W_Q",), {"W_K": (3, 2)}),
        ("W_K", ("d_k = 5 from W_Q",), {"W_K": (3, 1)}),
        ("W_V", ("d_model = 3 from X",), {"W_V": (5, 3)}),
        ("Z", ("d_model = 3 from X",), {"Z": (7, 5)}),
        ("Z", ("batch = (2,) from X",), {"X": (2, 7, 3), "Z": (11, 3)}),
    ),
    *bad_queries_and_keys("qkv.attention_weights"),
    misfit(
        "qkv.attention_weights",
        "Q",
        "at least one element along axis -1",
        Q=(7, 0),
        K=(11, 0),
    ),
    *bad_masks("qkv.attention_weights", Q=(2, 7, 5), K=(2, 11, 5)),
    *bad_number(
        "qkv.attention_weights", "scale", positive=False, Q=(7, 5), K=(11, 5)
    ),
    *bad_flag("qkv.attention_weights", "causal", Q=(7, 5), K=(11, 5)),
    *(
        bad
        for function in ("qkv.attention", "qkv.fused_attention")
        for bad in [
            *bad_values(function),
            *bad_masks(function, Q=(2, 7, 5), K=(2, 11, 5), V=(2, 11, 3)),
            *bad_flag(function, "causal", **_QKV),
            *bad_number(function, "scale", positive=False, **_QKV),
        ]
    ),
    *misfits(
        _LOOKUP,
        {"query": (5,), "keys": (11, 5), "values": (11, 2)},
        ("keys", ("d_k = 5 from query",), {"keys": (11, 3)}),
        ("values", ("n_k = 11 from keys",), {"values": (1, 2)}),
        ("query", ("(d_k,)", "got 2 axes"), {"query": (1, 5)}),
        ("keys", ("at least one element",), {"keys": (0, 5), "values": (0, 2)}),
    ),
    *bad_number(_LOOKUP, "temperature", query=(5,), keys=(11, 5), values=(11, 2)),
]
