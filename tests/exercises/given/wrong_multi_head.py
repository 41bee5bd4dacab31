"""Wrong answers to the exercises of `multi_head` as learners write them. Each must be refused."""

import numpy as np

from tests.exercises.answers import Answers

wrong = Answers()


@wrong("split_heads", "reshape-only")
def sh_only_reshape(X, n_heads):
    *batch, n, d = X.shape
    return X.reshape(*batch, n_heads, n, d // n_heads)


@wrong("split_heads", "fails-batch")
def sh_two_axes_only(X, n_heads):
    n, d = X.shape
    return X.reshape(n, n_heads, d // n_heads).transpose(1, 0, 2)


@wrong("split_heads")
def sh_axes_of_a_batch_of_one_axis(X, n_heads):
    parts = X.reshape(*X.shape[:-1], n_heads, X.shape[-1] // n_heads)
    return parts.swapaxes(0, 1)


@wrong("split_heads", "not-an-array")
def sh_list(X, n_heads):
    return np.split(X, n_heads, axis=-1)


@wrong("split_heads", "fails-indivisible")
def sh_assert(X, n_heads):
    *batch, n, d = X.shape
    assert d % n_heads == 0, "n_heads must divide d"
    return X.reshape(*batch, n, n_heads, d // n_heads).swapaxes(-2, -3)


@wrong("split_heads", "no-error")
def sh_error_returned(X, n_heads):
    *batch, n, d = X.shape
    if d % n_heads:
        return ValueError("n_heads must divide d")
    return X.reshape(*batch, n, n_heads, d // n_heads).swapaxes(-2, -3)


@wrong("split_heads", "no-error")
def sh_error_printed(X, n_heads):
    *batch, n, d = X.shape
    if d % n_heads:
        print("n_heads must divide d")
        return None
    return X.reshape(*batch, n, n_heads, d // n_heads).swapaxes(-2, -3)


@wrong("split_heads", "fails-indivisible")
def sh_type_error(X, n_heads):
    *batch, n, d = X.shape
    if d % n_heads:
        raise TypeError("n_heads must divide d")
    return X.reshape(*batch, n, n_heads, d // n_heads).swapaxes(-2, -3)


@wrong("split_heads")
def sh_true_division(X, n_heads):
    *batch, n, d = X.shape
    return X.reshape(*batch, n, n_heads, d / n_heads).swapaxes(-2, -3)


@wrong("split_heads", "error-missing")
def sh_slices_lose_the_rest(X, n_heads):
    w = X.shape[-1] // n_heads
    return np.stack([X[..., h * w : (h + 1) * w] for h in range(n_heads)], axis=-3)


@wrong("split_heads", "no-error")
def sh_padded(X, n_heads):
    *batch, n, d = X.shape
    extra = -d % n_heads
    X = np.concatenate([X, np.zeros((*batch, n, extra), X.dtype)], axis=-1)
    return X.reshape(*batch, n, n_heads, -1).swapaxes(-2, -3)


@wrong("split_heads", "heads-before-the-batch")
def sh_stacked_in_front(X, n_heads):
    return np.stack(np.split(X, n_heads, axis=-1))


@wrong("split_heads", "reshape-only", "error-missing")
def sh_reshape_and_no_error(X, n_heads):
    *batch, n, d = X.shape
    w = d // n_heads
    return X[..., : w * n_heads].reshape(*batch, n_heads, n, w)


@wrong("split_heads", "columns-reshaped")
def sh_transposed_reshape(X, n_heads):
    *batch, n, d = X.shape
    return X.swapaxes(-1, -2).reshape(*batch, n_heads, n, d // n_heads)


@wrong("split_heads")
def sh_in_place(X, n_heads):
    if X.shape[-1] % n_heads:
        raise ValueError
    X.shape = (*X.shape[:-1], n_heads, X.shape[-1] // n_heads)
    return X.swapaxes(-2, -3)


@wrong("merge_heads", "reshape-only")
def mh_only_reshape(X):
    *batch, h, n, d = X.shape
    return X.reshape(*batch, n, h * d)


@wrong("merge_heads", "first-axis")
def mh_iterated(X):
    return np.concatenate(list(X), axis=-1)


@wrong("merge_heads")
def mh_hstack(X):
    return np.hstack(X)


@wrong("merge_heads")
def mh_mean(X):
    return X.mean(-3)


@wrong("merge_heads")
def mh_big_t(X):
    return X.T.reshape(X.shape[-2], -1)


@wrong("merge_heads")
def mh_batch_lost(X):
    return X.swapaxes(-2, -3).reshape(X.shape[-2], -1)


@wrong("merge_heads", "in-turn")
def mh_moved_last(X):
    return np.moveaxis(X, -3, -1).reshape(*X.shape[:-3], X.shape[-2], -1)


@wrong("true_of_average")
def toa_everything():
    return set("abcdefg")


@wrong("true_of_average")
def toa_none():
    return {"d"}


@wrong("true_of_average")
def toa_half():
    return {"b", "f"}


@wrong("true_of_average")
def toa_with_e():
    return {"b", "c", "e", "f", "g"}


@wrong("n_parameters", "four-squares")
def np_four_squares(d_model, n_heads, d_k, d_v, biases):
    return 4 * d_model**2 + 4 * d_model * biases


@wrong("n_parameters", "no-output-matrix", "no-output-bias")
def np_three_matrices(d_model, n_heads, d_k, d_v, biases):
    return n_heads * (2 * d_k + d_v) * (d_model + biases)


@wrong("n_parameters")
def np_float(d_model, n_heads, d_k, d_v, biases):
    return n_heads * d_model * 2 * (d_k + d_v) / 1 + biases * n_heads * d_k


@wrong("n_parameters", "no-values-bias")
def np_no_bias_of_values(d_model, n_heads, d_k, d_v, biases):
    count = 2 * d_model * n_heads * (d_k + d_v)
    return count + (2 * n_heads * d_k + d_model if biases else 0)


@wrong("n_parameters")
def np_heads_squared(d_model, n_heads, d_k, d_v, biases):
    return n_heads * (2 * d_model * n_heads * (d_k + d_v))


@wrong("n_parameters", "all-of-width-d-k")
def np_widths_of_d_k(d_model, n_heads, d_k, d_v, biases):
    width = n_heads * d_k
    return 4 * d_model * width + (3 * width + d_model) * biases


@wrong("multi_head_flops", "additions-forgotten")
def flops_multiplications(n, d_model, n_heads):
    return 4 * n * d_model**2 + 2 * n**2 * d_model


@wrong("multi_head_flops", "full-width-heads")
def flops_every_head_whole(n, d_model, n_heads):
    return 8 * n * d_model**2 + n_heads * 4 * n**2 * d_model


@wrong("multi_head_flops", "no-output-matrix")
def flops_without_w_o(n, d_model, n_heads):
    return 6 * n * d_model**2 + 4 * n**2 * d_model


@wrong("multi_head_flops")
def flops_true_division(n, d_model, n_heads):
    d_k = d_model / n_heads
    return 8 * n * d_model**2 + n_heads * 4 * n**2 * d_k


@wrong("multi_head_flops", "one-head", "one-product")
def flops_scores_in_one_head(n, d_model, n_heads):
    return 8 * n * d_model**2 + 2 * n**2 * d_model // n_heads


@wrong("multi_head_flops", "projections-in-every-head")
def flops_projections_by_head_and_full(n, d_model, n_heads):
    return n_heads * 8 * n * d_model**2 + 4 * n**2 * d_model


@wrong(
    "split_heads", mistake="it splits the axis that comes first, not the features"
)
def sh_split_along_the_first_axis(X, n_heads):
    if X.shape[-1] % n_heads:
        raise ValueError("not divisible")
    return np.stack(np.array_split(X, n_heads, axis=0))


@wrong("split_heads", mistake="squeeze drops axes of length 1 that are wanted")
def sh_squeezed(X, n_heads):
    if X.shape[-1] % n_heads:
        raise ValueError("not divisible")
    return np.stack(np.split(X, n_heads, axis=-1), axis=-3).squeeze()


@wrong("split_heads", mistake="the error is raised only where n_heads exceeds d")
def sh_error_only_for_too_many_heads(X, n_heads):
    *batch, n, d = X.shape
    if n_heads > d:
        raise ValueError("more heads than features")
    w = d // n_heads
    heads = [X[..., h * w : (h + 1) * w] for h in range(n_heads)]
    return np.stack(heads, axis=-3)


@wrong(
    "split_heads",
    "built-in",
    mistake="the course's function in PyTorch does it all",
)
def sh_in_torch(X, n_heads):
    import torch

    from course_attn.in_torch.multi_head import split_heads

    return split_heads(torch.from_numpy(X), n_heads).numpy()


@wrong("merge_heads", mistake="positions and features are swapped inside each head")
def mh_each_head_transposed(X):
    *batch, h, n, d = X.shape
    return np.swapaxes(X, -1, -2).reshape(*batch, n, h * d)


@wrong(
    "merge_heads",
    mistake="heads and positions become one axis, not heads and features",
)
def mh_wrong_axes_joined(X):
    rows = X.swapaxes(-2, -3)
    return rows.reshape(*rows.shape[:-3], -1, rows.shape[-1])


@wrong("merge_heads", mistake="the positions vanish where there is only one")
def mh_squeezed(X):
    return np.concatenate(np.moveaxis(X, -3, 0), axis=-1).squeeze()


@wrong("merge_heads", mistake="the last head is put first")
def mh_from_the_last(X):
    return np.concatenate(
        [X[..., h, :, :] for h in range(X.shape[-3] - 1, -1, -1)], axis=-1
    )


@wrong(
    "true_of_average",
    mistake="g follows as well: what one head leaves, the other takes",
)
def toa_without_g():
    return {"b", "c", "f"}


@wrong(
    "true_of_average",
    mistake="the two heads may divide the words in any proportion",
)
def toa_one_hot_heads():
    return ["b", "c", "d", "f", "g"]


@wrong("n_parameters", mistake="the biases of one head only")
def np_biases_of_one_head(d_model, n_heads, d_k, d_v, biases):
    count = 2 * d_model * n_heads * (d_k + d_v)
    return count + (2 * d_k + d_v + d_model) * biases


@wrong("n_parameters", mistake="an output matrix and its bias for each head")
def np_output_for_each_head(d_model, n_heads, d_k, d_v, biases):
    head = 2 * (d_model + biases) * d_k + (d_model + biases) * d_v
    return n_heads * (head + d_v * d_model + biases * d_model)


@wrong("n_parameters", mistake="W_V is forgotten")
def np_without_values(d_model, n_heads, d_k, d_v, biases):
    count = n_heads * (2 * d_model * d_k + d_v * d_model)
    return count + (n_heads * (2 * d_k + d_v) + d_model if biases else 0)


@wrong("n_parameters", mistake="the biases are counted twice")
def np_biases_twice(d_model, n_heads, d_k, d_v, biases):
    vectors = n_heads * (2 * d_k + d_v) + d_model
    return 2 * n_heads * d_model * (d_k + d_v) + 2 * biases * vectors


@wrong("n_parameters", "built-in", mistake="the course's function does it all")
def np_the_course_s(d_model, n_heads, d_k, d_v, biases):
    from course_attn.costs import n_parameters

    return n_parameters(
        d_model=d_model, n_heads=n_heads, d_k=d_k, d_v=d_v, biases=biases
    )


@wrong(
    "multi_head_flops",
    mistake="the softmax does not count: products of matrices only",
)
def flops_with_the_softmax(n, d_model, n_heads):
    return 8 * n * d_model**2 + 4 * n**2 * d_model + 3 * n_heads * n**2


@wrong("multi_head_flops", mistake="b − 1 additions instead of b for each sum")
def flops_of_sums_by_hand(n, d_model, n_heads):
    def product(a, b, c):
        return a * c * (2 * b - 1)

    d_k = d_model // n_heads
    inside = product(n, d_k, n) + product(n, n, d_k)
    return 4 * product(n, d_model, d_model) + n_heads * inside


@wrong(
    "multi_head_flops", mistake="the products with the four matrices are missing"
)
def flops_inside_the_heads(n, d_model, n_heads):
    return 4 * n**2 * d_model


@wrong(
    "multi_head_flops", mistake="projections to d_k columns are those of one head"
)
def flops_narrow_projections(n, d_model, n_heads):
    d_k = d_model // n_heads
    return 6 * n * d_model * d_k + 2 * n * d_model**2 + 4 * n**2 * d_model


@wrong(
    "notices_the_reshape",
    "d",
    mistake="expects a leak, and what is lost is the past",
)
def nr_leak():
    return {"c", "d"}


@wrong("notices_the_reshape", "c-missing", mistake="a swap of words shows it, too")
def nr_only_the_past():
    return {"e"}


@wrong(
    "notices_the_reshape",
    "a",
    mistake="tests with one head, or one word, are blind",
)
def nr_small_cases():
    return "abce"


@wrong("notices_the_reshape", "opposite")
def nr_blind():
    return {"a", "b", "d", "f"}
