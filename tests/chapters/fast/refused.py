"""The calls of the functions of the chapter `fast` that must be refused."""

from tests.chapters.fast.cases_names import LINEAR, TILED
from tests.support.refusals import (
    bad_count,
    bad_flag,
    bad_masks,
    bad_number,
    bad_values,
    misfit,
)

_MERGE = {
    "m1": (7,),
    "l1": (7,),
    "o1": (7, 5),
    "m2": (7,),
    "l2": (7,),
    "o2": (7, 5),
}
_QKV = {"Q": (7, 5), "K": (11, 5), "V": (11, 3)}

BAD_INPUT = [
    misfit(
        "fast.partial_attention",
        "V",
        "n_k = 11 from scores",
        scores=(7, 11),
        V=(7, 5),
    ),
    misfit(
        "fast.partial_attention",
        "V",
        "n_k = 11 from scores",
        scores=(7, 11),
        V=(1, 5),
    ),
    misfit(
        "fast.partial_attention",
        "V",
        "batch = (2,) from scores",
        scores=(2, 7, 11),
        V=(11, 5),
    ),
    *(
        misfit("fast.merge_partial", name, says, **_MERGE | {name: shape})
        for name, shape, says in (
            ("l1", (1,), "n_q = 7 from m1"),
            ("o1", (11, 5), "n_q = 7 from m1"),
            ("m2", (1,), "n_q = 7 from m1"),
            ("l2", (5,), "n_q = 7 from m1"),
            ("o2", (7, 1), "d_v = 5 from o1"),
            ("o2", (7,), "(*batch, n_q, d_v)"),
            ("m2", (2, 7), "batch = () from m1"),
        )
    ),
    *bad_count("fast.online_softmax", "tile", 0, scores=(7, 11)),
    *bad_values(TILED),
    *bad_masks(TILED, Q=(2, 7, 5), K=(2, 11, 5), V=(2, 11, 3)),
    *bad_number(TILED, "scale", positive=False, **_QKV),
    *bad_flag(TILED, "causal", **_QKV),
    *bad_count(TILED, "tile", 0, **_QKV),
    misfit(
        "fast.repeat_kv",
        "K",
        "(*batch, n_kv_heads, n, d)",
        "got 2 axes",
        K=(7, 5),
        n_rep=2,
    ),
    *bad_count("fast.repeat_kv", "n_rep", 0, K=(3, 7, 5)),
    *(b for b in bad_values(LINEAR) if "at least one" not in str(b.says)),
    *bad_flag(LINEAR, "causal", **_QKV),
]
