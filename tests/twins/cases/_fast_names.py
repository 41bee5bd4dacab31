"""Names and sizes that the tables of chapter 10, `fast`, share."""

TILED = "fast.tiled_attention"
LINEAR = "fast.linear_attention"
SIZES = {"n_q": 7, "n_k": 11, "d_k": 5, "d_v": 13, "n_heads": 3}
CACHE = {"n": 11, "d_k": 5, "d_v": 13, "n_kv_heads": 3}
COUNTS: dict[str, dict[str, int]] = {
    "fast.attention_flops": {},
    "fast.explicit_bytes": {"itemsize": 2},
    "fast.fused_bytes": {"itemsize": 2},
}
