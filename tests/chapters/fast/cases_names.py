"""Names that the tables of `fast` share."""

TILED = "fast.tiled_attention"
LINEAR = "fast.linear_attention"
