"""The calls of the functions of the chapter `masks` that must be refused."""

import numpy as np

from tests.support.refusals import (
    bad_count,
    bad_dtype,
    bad_number,
    bad_values,
    misfit,
)
from tests.support.twin_table import Bad

BAD_INPUT = [
    *bad_count("masks.causal_mask", "n_q", -1, n_k=5),
    *bad_count("masks.causal_mask", "n_q", -1),
    *bad_count("masks.causal_mask", "n_k", -1, n_q=5),
    *bad_count("masks.sliding_window_mask", "n_q", -1, window=2),
    *bad_count("masks.sliding_window_mask", "n_k", -1, n_q=5, window=2),
    *bad_count("masks.sliding_window_mask", "window", 0, n_q=5),
    *bad_count("masks.padding_mask", "n_k", -1, lengths=np.array([0])),
    *(
        Bad(
            "masks.padding_mask",
            f"lengths {lengths}",
            {"lengths": np.array(lengths), "n_k": 5},
            ValueError,
            "lengths",
            ("between 0 and n_k = 5", f"got {found}"),
        )
        for lengths, found in (([5, 6], 6), ([-1, 3], -1), ([0, 5, -2, 9], -2))
    ),
    misfit(
        "masks.padding_mask",
        "lengths",
        "(batch,)",
        "got 2 axes",
        lengths=(2, 1),
        n_k=5,
    ),
    *bad_dtype("masks.mask_to_bias", None, mask=(2, 3)),
    misfit(
        "masks.masked_softmax",
        "mask",
        "n = 5 from scores",
        scores=(7, 5),
        mask=(7,),
    ),
    misfit(
        "masks.masked_softmax",
        "mask",
        "batch = (7,) from scores",
        scores=(7, 5),
        mask=(3, 5),
    ),
    misfit(
        "masks.masked_softmax",
        "mask",
        "batch = () from scores",
        scores=(5,),
        mask=(7, 5),
    ),
    misfit(
        "masks.masked_softmax",
        "mask",
        "broadcast to shape (*batch, n) with batch = (2, 7) from scores",
        scores=(2, 7, 5),
        mask=(2, 1, 7, 5),
    ),
    *bad_values("masks.causal_attention"),
    *bad_number(
        "masks.causal_attention",
        "scale",
        positive=False,
        Q=(7, 5),
        K=(11, 5),
        V=(11, 3),
    ),
]
