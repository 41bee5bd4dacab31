"""Steps of attention beside what PyTorch has for several of them at once."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from tests.support.comparison import assert_close
from tests.support.twin_table import public, twin


@pytest.mark.parametrize("batch", [(), (2, 3)])
def test_scores_softmax_and_weighted_sum_are_torchs_attention(
    batch: tuple[int, ...], library: str
) -> None:
    """Mix by the softmax of dot products: `scaled_dot_product_attention` without its scale."""
    rng = np.random.default_rng(3)
    Q, K, V = (
        rng.normal(size=(*batch, *shape)) for shape in [(7, 5), (11, 5), (11, 13)]
    )
    scores = twin(library, "scores.dot_scores")(Q, K)
    weights = twin(library, "softmax.softmax")(scores)
    out = twin(library, "weighted_sum.weighted_sum")(weights, V)
    wanted = F.scaled_dot_product_attention(
        *(torch.from_numpy(x) for x in (Q, K, V)), scale=1.0
    )
    assert_close(out, wanted, 1e-12)


def test_general_scores_are_torchs_bilinear_layer() -> None:
    """With `nn.Bilinear`'s own weight, which it keeps as (out, d_q, d_k)."""
    torch.manual_seed(0)
    layer = torch.nn.Bilinear(3, 5, 1, bias=False, dtype=torch.float64)
    Q, K = (
        torch.randn(7, 3, dtype=torch.float64),
        torch.randn(7, 5, dtype=torch.float64),
    )
    scores = public("in_torch", "scores.general_scores")(Q, K, layer.weight[0])
    assert_close(scores.diagonal(), layer(Q, K)[:, 0], 1e-12)
