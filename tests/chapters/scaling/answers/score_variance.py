"""Answers to `score_variance`."""

import math

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def sv_moments(d_k, mean, shared):
    if shared:
        return d_k * (4 * mean**2 + 2)
    return d_k * ((1 + mean**2) ** 2 - mean**4)


@right()
def sv_numpy(d_k, mean, shared):
    return np.float64(d_k) * np.where(shared, 2 + 4 * mean**2, 1 + 2 * mean**2)


@right()
def sv_plain(d_k, mean, shared):
    return float(d_k + 2 * d_k * mean * mean) * (1 + shared)


@right(author="fresh")
def fresh_sv_by_moments(d_k, mean, shared):
    def gauss_moment(p):
        """Mean of x^p for x = mean + z, by the binomial formula."""
        z = (1, 0, 1, 0, 3)
        return sum(math.comb(p, r) * mean ** (p - r) * z[r] for r in range(p + 1))

    if shared:
        return sum(gauss_moment(4) - gauss_moment(2) ** 2 for _ in range(d_k))
    return sum(gauss_moment(2) ** 2 - gauss_moment(1) ** 4 for _ in range(d_k))


@right(author="fresh")
def fresh_sv_by_matrices(d_k, mean, shared):
    mu, C = np.full(d_k, mean, dtype=float), np.identity(d_k)
    if shared:
        return 2 * np.trace(C @ C) + 4 * (mu @ C @ mu)
    return np.trace(C @ C) + mu @ C @ mu + mu @ C @ mu


@wrong()
def sv_only_d(d_k, mean, shared):
    return d_k


@wrong()
def sv_mean_of_shared(d_k, mean, shared):
    return d_k * (1 + mean**2) if shared else d_k * (1 + 2 * mean**2)


@wrong("nearly", said="formula")
def sv_drawn(d_k, mean, shared):
    rng = np.random.default_rng(0)
    q = rng.normal(mean, 1, (1000, d_k))
    k = q if shared else rng.normal(mean, 1, (1000, d_k))
    return (q * k).sum(-1).var()


@wrong()
def sv_four(d_k, mean, shared):
    return d_k * (1 + 2 * mean**2) * (4 if shared else 1)


@wrong("kurtosis")
def sv_fourth_moment(d_k, mean, shared):
    return d_k * (3 + 4 * mean**2 if shared else 1 + 2 * mean**2)


@wrong("second-moment-alone", "doubled-second-moment-shared")
def sv_second_moment_doubled(d_k, mean, shared):
    return d_k * (1 + mean**2) ** 2 * (2 if shared else 1)


@wrong("doubled-second-moment-shared")
def sv_doubled_shared(d_k, mean, shared):
    return d_k * (2 * (1 + mean**2) ** 2 if shared else 1 + 2 * mean**2)


# the mean of the score is left in: d_k μ² too much
@wrong()
def sv_mean_added(d_k, mean, shared):
    one = 2 + 4 * mean**2 if shared else 1 + 2 * mean**2
    return d_k * one + d_k * mean**2


# the branches of `shared` are exchanged
@wrong()
def sv_branches(d_k, mean, shared):
    return d_k * (1 + 2 * mean**2 if shared else 2 + 4 * mean**2)


# ignores the mean of the components
@wrong(author="fresh")
def fresh_sv_no_mean(d_k, mean, shared):
    return 2 * d_k if shared else d_k


# counts the term with the squared mean once instead of twice
@wrong(author="fresh")
def fresh_sv_one_mean_term(d_k, mean, shared):
    one = 1 + mean**2
    return d_k * (2 * one if shared else one)


# gives the mean of the square of a product and does not subtract the square of its mean
@wrong(author="fresh")
def fresh_sv_second_moment(d_k, mean, shared):
    def moment(p):
        return (1, mean, mean**2 + 1, None, mean**4 + 6 * mean**2 + 3)[p]

    return sum(moment(4) if shared else moment(2) * moment(2) for _ in range(d_k))


# gives the variance of the scaled score, divided by d_k AND treats k = q as if q and k were
# independent
@wrong(author="fresh")
def fresh_sv_scaled_unshared(d_k, mean, shared):
    per_component = [1 + mean**2 + mean**2 for _ in range(d_k)]
    return sum(per_component) / d_k


# for independent vectors counts the mean's term once AND for the same vector forgets the 4 of the
# mean's term
@wrong(author="unseen")
def fourth_sc_two_terms(d_k, mean, shared):
    if shared:
        return d_k * (2 + mean**2)
    return d_k * (1 + mean**2)


# sums d_k times inside a loop but begins the total with 1
@wrong(said="is 1 the right number here", author="unseen")
def fourth_sc_begins_with_one(d_k, mean, shared):
    total = 1
    for _ in range(d_k):
        if shared:
            total += 2 + 4 * mean * mean
        else:
            total += 1 + 2 * mean * mean
    return total


# forgets that a mean also adds variance when q and k are independent: leaves out 2 mu^2 AND takes 2
# d_k + 2 mu^2 d_k for shared
@wrong(said="The mean enters twice", author="unseen")
def fifth_sl_no_mean(d_k, mean, shared):
    if shared:
        return float(2 * d_k + 2 * mean**2 * d_k)
    return float(d_k)


# for k = q the second moment E[(q_i^2)^2] is taken for the variance (squared mean not subtracted)
@wrong("second-moment-shared", author="blind")
def b6_scaling_5(d_k, mean, shared):
    if shared:
        # E[(m+z)^4] = m^4 + 6 m^2 + 3
        return d_k * (mean**4 + 6 * mean**2 + 3)
    return d_k * ((1 + mean**2) ** 2 - mean**4)


# for independent q and k it gives the second moment of a product, (1 + mu^2)^2, and forgets to
# subtract the squared mean mu^4
@wrong("second-moment-alone", author="blind")
def b7_scaling_29(d_k, mean, shared):
    if shared:
        fourth = 3 + 6 * mean**2 + mean**4
        second = 1 + mean**2
        return d_k * (fourth - second**2)
    e_q2 = 1 + mean**2
    e_k2 = 1 + mean**2
    return d_k * e_q2 * e_k2


# in the shared case subtracts (E[x])^4 instead of (E[x^2])^2 = (1+mu^2)^2
@wrong("mean-to-the-fourth", author="blind")
def fb_score_variance_1(d_k, mean, shared):
    if shared:
        fourth = 3 + 6 * mean**2 + mean**4
        return d_k * (fourth - mean**4)
    return d_k * ((1 + mean**2) ** 2 - mean**4)


# independent: the squared mean is taken of the whole sum, (d mu^2)^2, but E[s^2] per component
@wrong("mean-of-the-sum", author="blind")
def b8_mixed_sums(d_k, mean, shared):
    if shared:
        return d_k * (2 + 4 * mean**2)
    second_moment = d_k * (1 + mean**2) ** 2
    return second_moment - (d_k * mean**2) ** 2


# independent: 1 + mu^2, the factor 2 of mu^2 forgotten
@wrong("mean-once-independent", author="blind")
def b8_factor_two(d_k, mean, shared):
    per_component = 1 + mean**2
    if shared:
        per_component = 4 * mean**2 + 2
    return d_k * per_component


# returns the variance of the scaled score: divided by d_k (no d_k in it)
@wrong("scaled", author="blind")
def b8_scaled(d_k, mean, shared):
    var = (4 * mean**2 + 2) * d_k if shared else (1 + 2 * mean**2) * d_k
    scale = np.sqrt(d_k)
    return var / scale**2


# independent: factor 2 of mu^2 forgotten AND shared: 3 in place of 2 (E[z^4] not minus 1)
@wrong("kurtosis", "mean-once-independent", author="blind")
def b8_both_cases(d_k, mean, shared):
    if shared:
        v = 3 + 4 * mean**2
    else:
        v = 1 + mean**2
    return v * d_k


# the squared mean of the whole sum is subtracted
@wrong("mean-of-the-sum-shared", author="blind")
def r42_no_cross_terms(d_k, mean, shared):
    mu2 = mean * mean
    if not shared:
        return d_k * (1 + 2 * mu2)
    fourth = 3 + 6 * mu2 + mu2**2
    expected = d_k * (1 + mu2)
    return d_k * fourth - expected**2


# the standard deviation; and for k = q 2 mean^2 instead of 4 mean^2
@wrong("root", "half-shared", author="blind")
def u28_both(d_k, mean, shared):
    one = 1 + 2 * mean * mean
    if shared:
        one = one + 1
    return np.sqrt(d_k * one)


# k = q: E[q^4] has the coefficient 3 instead of 6 before mean^2 AND d_k squared
@wrong("quarter-shared", "d-squared", author="blind")
def r18_squared(d_k, mean, shared):
    m2 = mean**2
    if shared:
        fourth = m2**2 + 3 * m2 + 3
        var = fourth - (m2 + 1) ** 2
    else:
        var = (m2 + 1) ** 2 - m2**2
    return d_k**2 * var
