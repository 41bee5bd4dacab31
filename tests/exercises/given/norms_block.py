"""Right and wrong answers to the exercises of `block` on norms, as learners write them."""

import numpy as np

from tests.exercises.answers import Answers

right = Answers()
wrong = Answers()


# --- leaking_norms ------------------------------------------------------------


@right("leaking_norms")
def lk_text():
    return "a, e, g"


@right("leaking_norms")
def lk_list():
    return ["G", "E", "A"]


@wrong(
    "leaking_norms", "e-missing", mistake="reads axis=1 as positions, as in a batch"
)
def lk_counts_from_the_front():
    return {"a", "g"}


@wrong("leaking_norms", "c", mistake="a norm over the batch mixes texts")
def lk_batch_is_harmless():
    return {"a", "c", "e", "g"}


@wrong(
    "leaking_norms",
    "b",
    mistake="believes that only subtracting a mean can leak: so can dividing (b, f)",
)
def lk_only_means_leak():
    return {"a", "b", "e", "f", "g"}


@wrong("leaking_norms", "d", mistake="takes axis 0 for the batch of a single text")
def lk_axis_0_is_the_batch():
    return {"a", "d", "e", "g"}


@wrong(
    "leaking_norms", "g-missing", mistake="takes g for a leak: it looks back only"
)
def lk_rows_alone():
    return {"a", "e"}


@wrong("leaking_norms", "opposite", mistake="names those that leak")
def lk_leaks():
    return "bcdf"


@wrong("leaking_norms", "none", mistake="believes that every norm leaks")
def lk_nothing():
    return set()


@wrong("leaking_norms", "unknown-letter", mistake="there is no h")
def lk_another_letter():
    return {"a", "h"}


# --- matrix_before_rms --------------------------------------------------------


@right("matrix_before_rms")
def mr_broadcast(d):
    return np.eye(d) - 1 / d


@right("matrix_before_rms")
def mr_loops(d):
    C = [[-1 / d for _ in range(d)] for _ in range(d)]
    for f in range(d):
        C[f][f] += 1
    return np.array(C)


@right("matrix_before_rms")
def mr_projection(d):
    u = np.full((d, 1), d**-0.5)
    return np.identity(d) - u @ u.T


@right("matrix_before_rms")
def mr_what_becomes_of_unit_rows(d):
    rows = np.eye(d)
    return rows - rows.mean(axis=1, keepdims=True)


@right("matrix_before_rms")
def mr_filled(d):
    C = np.full((d, d), -1 / d)
    np.fill_diagonal(C, 1 - 1 / d)
    return C


@right("matrix_before_rms")
def mr_from_a_basis(d):
    rng = np.random.default_rng(0)
    B = np.linalg.qr(np.column_stack([np.ones(d), rng.normal(size=(d, d - 1))]))[0]
    return B[:, 1:] @ B[:, 1:].T


@wrong(
    "matrix_before_rms",
    "others-only",
    mistake="leaves 1 on the diagonal, where 1 - 1/d belongs",
)
def mr_diagonal_of_ones(d):
    C = np.full((d, d), -1 / d)
    np.fill_diagonal(C, 1)
    return C


@wrong(
    "matrix_before_rms",
    "own-feature-only",
    mistake="takes 1/d from the diagonal only, as if the mean were made of one feature",
)
def mr_scaled_identity(d):
    return np.diag(np.ones(d) - 1 / d)


@wrong("matrix_before_rms", "one-less", mistake="divides by d - 1, as for a sample")
def mr_sample_mean(d):
    return np.eye(d) - np.ones((d, d)) / (d - 1 or 1)


@wrong("matrix_before_rms", "only-mean", mistake="returns the matrix of the mean")
def mr_mean(d):
    return np.full((d, d), 1 / d)


@wrong(
    "matrix_before_rms",
    said="variance of x",
    mistake="differences of neighbors: they have mean 0, but another mean square",
)
def mr_differences(d):
    return np.eye(d) - np.roll(np.eye(d), 1, axis=0)


@wrong(
    "matrix_before_rms",
    said="variance of x",
    mistake="divides by the spread of 1 … d, as if C had to scale as well",
)
def mr_scaled(d):
    return (np.eye(d) - 1 / d) / max(np.std(np.arange(d)), 1)


@wrong(
    "matrix_before_rms",
    mistake="works for d = 4 only: the 4 is typed in",
)
def mr_four(d):
    return np.eye(d) - 1 / 4


@wrong(
    "matrix_before_rms",
    mistake="drops one column: C has shape (d, d - 1)",
)
def mr_narrow(d):
    return (np.eye(d) - 1 / d)[:, 1:]


@wrong(
    "matrix_before_rms",
    mistake="takes the mean of the features before f only, and of f itself",
)
def mr_running_mean(d):
    return np.eye(d) - np.triu(np.ones((d, d))) / np.arange(1, d + 1)


# --- layer_norm ---------------------------------------------------------------


@wrong(
    "layer_norm",
    "axis-0",
    mistake="takes mean and variance over axis 0: over the texts of a batch",
)
def ln_over_the_batch(X, gain, bias):
    mu, sigma2 = X.mean(0, keepdims=True), X.var(0, keepdims=True)
    return (X - mu) / np.sqrt(sigma2 + 1e-5) * gain + bias
