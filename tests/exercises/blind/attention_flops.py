import numpy as np


def attention_flops__1(n_q, n_k, d_k, d_v, n_heads):
    # mistake: only the multiplications are counted, factor 2 missing
    return n_heads * (n_q * d_k * n_k + n_q * n_k * d_v)


def attention_flops__2(n_q, n_k, d_k, d_v, n_heads):
    # mistake: the number of heads is left out
    scores = 2 * n_q * d_k * n_k
    mix = 2 * n_q * n_k * d_v
    return scores + mix


def attention_flops__3(n_q, n_k, d_k, d_v, n_heads):
    # mistake: brackets missing, so the heads multiply the scores only
    return n_heads * 2 * n_q * n_k * d_k + 2 * n_q * n_k * d_v


def attention_flops__4(n_q, n_k, d_k, d_v, n_heads):
    # mistake: the features are divided among the heads, although they are per head already
    per_head = 2 * n_q * n_k * (d_k // n_heads) + 2 * n_q * n_k * (d_v // n_heads)
    return n_heads * per_head


def attention_flops__7(n_q, n_k, d_k, d_v, n_heads):
    # mistakes: n_q squared instead of n_q n_k; the two products are multiplied instead of added
    return n_heads * (2 * n_q * n_q * d_k) * (2 * n_q * n_q * d_v)
