import numpy as np


def multi_head_flops__1(n, d_model, n_heads):
    # mistake: forgets the product with W_O
    dk = d_model // n_heads
    proj = 3 * 2 * n * d_model * d_model
    att = n_heads * (2 * n * dk * n + 2 * n * n * dk)
    return proj + att


def multi_head_flops__2(n, d_model, n_heads):
    # mistake: counts only the multiplications (factor 2 missing)
    return 4 * n * d_model**2 + 2 * n**2 * d_model


def multi_head_flops__3(n, d_model, n_heads):
    # mistake: forgets mixing the values
    return 8 * n * d_model**2 + 2 * n * n * d_model


def multi_head_flops__6(n, d_model, n_heads):
    # mistake: divides by / so that a float comes back
    d_k = d_model / n_heads
    return 8 * n * d_model * d_model + n_heads * (2 * n * d_k * n + 2 * n * n * d_k)


def multi_head_flops__11(n, d_model, n_heads):
    # mistakes: W_O forgotten; factor 2 forgotten
    return 3 * n * d_model**2 + 2 * n**2 * d_model
