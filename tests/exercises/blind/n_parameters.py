import numpy as np


def n_parameters__1(d_model, n_heads, d_k, d_v, biases):
    # mistake: W_K and W_V are counted as if shared by all heads
    N = (
        n_heads * d_model * d_k
        + d_model * d_k
        + d_model * d_v
        + n_heads * d_v * d_model
    )
    if biases:
        N += n_heads * d_k + d_k + d_v + d_model
    return N


def n_parameters__2(d_model, n_heads, d_k, d_v, biases):
    # mistake: takes W_O as a square matrix d_model x d_model
    w = n_heads * (2 * d_model * d_k + d_model * d_v) + d_model**2
    b = n_heads * (2 * d_k + d_v) + d_model
    return w + b if biases else w


def n_parameters__3(d_model, n_heads, d_k, d_v, biases):
    # mistake: the bias of the output map is forgotten
    total = n_heads * d_model * (2 * d_k + 2 * d_v)
    if biases:
        total += n_heads * (2 * d_k + d_v)
    return total


def n_parameters__4(d_model, n_heads, d_k, d_v, biases):
    # mistake: biases are never counted
    return 2 * d_model * n_heads * d_k + 2 * d_model * n_heads * d_v


def n_parameters__13(d_model, n_heads, d_k, d_v, biases):
    # mistakes: W_O square; output bias forgotten
    p = n_heads * d_model * (2 * d_k + d_v) + d_model * d_model
    if biases:
        p += n_heads * (2 * d_k + d_v)
    return p
