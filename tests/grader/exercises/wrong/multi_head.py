"""Wrong answers to the exercises of `multi_head` as learners write them. Each must be refused."""

import numpy as np

from tests.grader.exercises.answers import Answers

answers = Answers()


@answers("split_heads", "reshape-only")
def sh_only_reshape(X, n_heads):
    *batch, n, d = X.shape
    return X.reshape(*batch, n_heads, n, d // n_heads)


@answers("split_heads", "fails-batch")
def sh_two_axes_only(X, n_heads):
    n, d = X.shape
    return X.reshape(n, n_heads, d // n_heads).transpose(1, 0, 2)


@answers("split_heads")
def sh_axes_of_a_batch_of_one_axis(X, n_heads):
    parts = X.reshape(*X.shape[:-1], n_heads, X.shape[-1] // n_heads)
    return parts.swapaxes(0, 1)


@answers("split_heads", "not-an-array")
def sh_list(X, n_heads):
    return np.split(X, n_heads, axis=-1)


@answers("split_heads", "fails-indivisible")
def sh_assert(X, n_heads):
    *batch, n, d = X.shape
    assert d % n_heads == 0, "n_heads must divide d"
    return X.reshape(*batch, n, n_heads, d // n_heads).swapaxes(-2, -3)


@answers("split_heads", "no-error")
def sh_error_returned(X, n_heads):
    *batch, n, d = X.shape
    if d % n_heads:
        return ValueError("n_heads must divide d")
    return X.reshape(*batch, n, n_heads, d // n_heads).swapaxes(-2, -3)


@answers("split_heads", "no-error")
def sh_error_printed(X, n_heads):
    *batch, n, d = X.shape
    if d % n_heads:
        print("n_heads must divide d")
        return None
    return X.reshape(*batch, n, n_heads, d // n_heads).swapaxes(-2, -3)


@answers("split_heads", "fails-indivisible")
def sh_type_error(X, n_heads):
    *batch, n, d = X.shape
    if d % n_heads:
        raise TypeError("n_heads must divide d")
    return X.reshape(*batch, n, n_heads, d // n_heads).swapaxes(-2, -3)


@answers("split_heads")
def sh_true_division(X, n_heads):
    *batch, n, d = X.shape
    return X.reshape(*batch, n, n_heads, d / n_heads).swapaxes(-2, -3)


@answers("split_heads", "error-missing")
def sh_slices_lose_the_rest(X, n_heads):
    w = X.shape[-1] // n_heads
    return np.stack([X[..., h * w : (h + 1) * w] for h in range(n_heads)], axis=-3)


@answers("split_heads", "no-error")
def sh_padded(X, n_heads):
    *batch, n, d = X.shape
    extra = -d % n_heads
    X = np.concatenate([X, np.zeros((*batch, n, extra), X.dtype)], axis=-1)
    return X.reshape(*batch, n, n_heads, -1).swapaxes(-2, -3)


@answers("split_heads", "heads-before-the-batch")
def sh_stacked_in_front(X, n_heads):
    return np.stack(np.split(X, n_heads, axis=-1))


@answers("split_heads", "reshape-only", "error-missing")
def sh_reshape_and_no_error(X, n_heads):
    *batch, n, d = X.shape
    w = d // n_heads
    return X[..., : w * n_heads].reshape(*batch, n_heads, n, w)


@answers("split_heads", "elements-mixed")
def sh_transposed_reshape(X, n_heads):
    *batch, n, d = X.shape
    return X.swapaxes(-1, -2).reshape(*batch, n_heads, n, d // n_heads)


@answers("split_heads")
def sh_in_place(X, n_heads):
    if X.shape[-1] % n_heads:
        raise ValueError
    X.shape = (*X.shape[:-1], n_heads, X.shape[-1] // n_heads)
    return X.swapaxes(-2, -3)


@answers("merge_heads", "reshape-only")
def mh_only_reshape(X):
    *batch, h, n, d = X.shape
    return X.reshape(*batch, n, h * d)


@answers("merge_heads", "first-axis")
def mh_iterated(X):
    return np.concatenate(list(X), axis=-1)


@answers("merge_heads")
def mh_hstack(X):
    return np.hstack(X)


@answers("merge_heads")
def mh_mean(X):
    return X.mean(-3)


@answers("merge_heads")
def mh_big_t(X):
    return X.T.reshape(X.shape[-2], -1)


@answers("merge_heads")
def mh_batch_lost(X):
    return X.swapaxes(-2, -3).reshape(X.shape[-2], -1)


@answers("merge_heads", "in-turn")
def mh_moved_last(X):
    return np.moveaxis(X, -3, -1).reshape(*X.shape[:-3], X.shape[-2], -1)


@answers("true_of_average")
def toa_everything():
    return set("abcdefg")


@answers("true_of_average")
def toa_none():
    return {"d"}


@answers("true_of_average")
def toa_half():
    return {"b", "f"}


@answers("true_of_average")
def toa_with_e():
    return {"b", "c", "e", "f", "g"}


@answers("n_parameters", "four-squares")
def np_four_squares(d_model, n_heads, d_k, d_v, bias):
    return 4 * d_model**2 + 4 * d_model * bias


@answers("n_parameters", "no-output-matrix", "no-output-bias")
def np_three_matrices(d_model, n_heads, d_k, d_v, bias):
    return n_heads * (2 * d_k + d_v) * (d_model + bias)


@answers("n_parameters")
def np_float(d_model, n_heads, d_k, d_v, bias):
    return n_heads * d_model * 2 * (d_k + d_v) / 1 + bias * n_heads * d_k


@answers("n_parameters", "fails-bias", "difference")
def np_no_bias_of_values(d_model, n_heads, d_k, d_v, bias):
    count = 2 * d_model * n_heads * (d_k + d_v)
    return count + (2 * n_heads * d_k + d_model if bias else 0)


@answers("n_parameters")
def np_heads_squared(d_model, n_heads, d_k, d_v, bias):
    return n_heads * (2 * d_model * n_heads * (d_k + d_v))


@answers("n_parameters", "all-of-width-d-k")
def np_widths_of_d_k(d_model, n_heads, d_k, d_v, bias):
    width = n_heads * d_k
    return 4 * d_model * width + (3 * width + d_model) * bias


@answers("multi_head_flops", "additions-forgotten")
def flops_multiplications(n, d_model, n_heads):
    return 4 * n * d_model**2 + 2 * n**2 * d_model


@answers("multi_head_flops", "full-width-heads")
def flops_every_head_whole(n, d_model, n_heads):
    return 8 * n * d_model**2 + n_heads * 4 * n**2 * d_model


@answers("multi_head_flops", "no-output-matrix")
def flops_without_w_o(n, d_model, n_heads):
    return 6 * n * d_model**2 + 4 * n**2 * d_model


@answers("multi_head_flops")
def flops_true_division(n, d_model, n_heads):
    d_k = d_model / n_heads
    return 8 * n * d_model**2 + n_heads * 4 * n**2 * d_k


@answers("multi_head_flops", "one-head", "one-product")
def flops_scores_in_one_head(n, d_model, n_heads):
    return 8 * n * d_model**2 + 2 * n**2 * d_model // n_heads


@answers("multi_head_flops", "parts")
def flops_projections_by_head_and_full(n, d_model, n_heads):
    return n_heads * 8 * n * d_model**2 + 4 * n**2 * d_model
