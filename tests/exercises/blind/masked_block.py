import numpy as np


def masked_block__1(X, attend, process, norm_1, norm_2, mask):
    # mistake: post-norm
    X = norm_1(X + attend(X, mask))
    return norm_2(X + process(X))


def masked_block__2(X, attend, process, norm_1, norm_2, mask):
    # mistake: the normalized input is added, not X
    Z = norm_1(X)
    H = Z + attend(Z, mask)
    return H + process(norm_2(H))


def masked_block__3(X, attend, process, norm_1, norm_2, mask):
    # mistake: the mask is not passed on
    H = X + attend(norm_1(X))
    return H + process(norm_2(H))


def masked_block__4(X, attend, process, norm_1, norm_2, mask):
    # mistake: the first norm is used for both parts
    H = X + attend(norm_1(X), mask)
    return H + process(norm_1(H))


def masked_block__9(X, attend, process, norm_1, norm_2, mask):
    # mistakes: mask turned round; no residual connection around the second part
    H = X + attend(norm_1(X), ~mask)
    return process(norm_2(H))
