"""Chapter 9, `block`: from PyTorch's encoder layer to ours."""

import torch

from course_attn.in_torch._block_layers import TransformerBlock
from course_attn.in_torch.multi_head import from_torch


@torch.no_grad()
def block_from_torch(layer: torch.nn.TransformerEncoderLayer) -> TransformerBlock:
    """Copy one of PyTorch's encoder layers into a block that computes the same.

    PyTorch keeps the transposes of our matrices, and calls the gains of its norms weights.

    Parameters
    ----------
    layer : torch.nn.TransformerEncoderLayer
        With any widths, norm order, activation, dropout and dtype; without biases, ours
        are 0, and absent in the attention.

    Returns
    -------
    TransformerBlock, for elements of shape (..., n, d_model)
        With copies of its weights, on the same device, in the same mode (train or eval). Its
        input has the batch first, whatever `batch_first` of the layer says.

    Raises
    ------
    TypeError
        If `layer` is no `torch.nn.TransformerEncoderLayer`.
    ValueError
        If its attention was replaced by one that appends a key (`add_bias_kv`, `add_zero_attn`).

    Examples
    --------
    >>> layer = torch.nn.TransformerEncoderLayer(8, nhead=2, batch_first=True).eval()
    >>> X = torch.ones(3, 5, 8)
    >>> torch.allclose(block_from_torch(layer)(X), layer(X), atol=1e-5)
    True

    Notes
    -----
    Source: Vaswani et al. (2017), section 3.1, as `torch.nn` has it. Chapter: `block`.
    """
    if not isinstance(layer, torch.nn.TransformerEncoderLayer):
        raise TypeError(
            "layer must be a torch.nn.TransformerEncoderLayer, "
            f"got {type(layer).__module__}.{type(layer).__qualname__}"
        )
    W = layer.linear1.weight
    block = TransformerBlock(
        layer.linear1.in_features,
        layer.self_attn.num_heads,
        layer.linear1.out_features,
        norm="pre" if layer.norm_first else "post",
        dropout=layer.dropout1.p,
        activation=layer.activation,
        eps=layer.norm1.eps,
    ).to(device=W.device, dtype=W.dtype)
    block.attention = from_torch(layer.self_attn)
    ours = block.feed_forward
    for W_ours, b_ours, linear in (
        (ours.W_1.T, ours.b_1, layer.linear1),
        (ours.W_2.T, ours.b_2, layer.linear2),
        (block.norm_1.gain, block.norm_1.bias, layer.norm1),
        (block.norm_2.gain, block.norm_2.bias, layer.norm2),
    ):
        W_ours.copy_(linear.weight)
        if linear.bias is not None:
            b_ours.copy_(linear.bias)
    return block.train(layer.training)
