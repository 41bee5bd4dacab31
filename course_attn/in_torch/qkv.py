"""Chapter 4, `qkv`: queries, keys and values."""

import torch
from jaxtyping import Float

from course_attn._checks import check_arguments, check_axis
from course_attn.in_torch._qkv_functions import (
    attention,
    attention_weights,
    fused_attention,
    project_qkv,
)
from course_attn.in_torch._qkv_layers import CrossAttention, SelfAttention
from course_attn.in_torch.scores import dot_scores
from course_attn.in_torch.softmax import softmax
from course_attn.in_torch.weighted_sum import weighted_sum

__all__ = [
    "CrossAttention",
    "SelfAttention",
    "attention",
    "attention_weights",
    "fused_attention",
    "project_qkv",
    "soft_lookup",
]


@check_arguments
def soft_lookup(
    query: Float[torch.Tensor, "d_k"],
    keys: Float[torch.Tensor, "n_k d_k"],
    values: Float[torch.Tensor, "n_k d_v"],
    *,
    temperature: float = 1.0,
) -> Float[torch.Tensor, "d_v"]:
    """Look a query up in a dictionary that answers with a mixture of its values.

    y = sum over j of a_j v_j, where a = softmax(K q / T): the value of the key with the largest
    dot product for T -> 0, the mean of all values for T -> infinity.

    Parameters
    ----------
    query : array, shape (d_k,)
        What is looked for.
    keys : array, shape (n_k, d_k)
        The keys of the dictionary, one a row; at least one.
    values : array, shape (n_k, d_v)
        The values of the dictionary: row j belongs to key j.
    temperature : float
        T, greater than 0 also in the dtype of the arrays: how soft the lookup is.

    Returns
    -------
    array, shape (d_v,)
        The mixture, in the dtype of the arguments. NaN where a score is NaN or +inf.

    Raises
    ------
    TypeError
        If an argument is no array, is not floating-point, or if the dtypes differ; if the
        temperature is no real number.
    ValueError
        If the shapes do not fit, an axis of length 1 against a longer one included; if
        there are no keys (n_k = 0); if the temperature is not a finite number greater than 0.

    Examples
    --------
    >>> keys, values = torch.eye(2), torch.tensor([[10.0], [20.0]])
    >>> soft_lookup(torch.tensor([0.0, 1.0]), keys, values, temperature=0.01)
    tensor([20.])
    >>> soft_lookup(torch.tensor([0.0, 1.0]), keys, values)
    tensor([17.3106])

    Notes
    -----
    Source: Miller et al. (2016); Graves, Wayne and Danihelka (2014), eq. 2 and 5. Chapter: `qkv`.
    """
    check_axis(0, keys=keys)
    scores = dot_scores(query[None], keys)[0]
    return weighted_sum(softmax(scores, temperature=temperature), values)
