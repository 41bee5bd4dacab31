import numpy as np


def init_projection__1(rng, d_in, d_out):
    # mistake: variance 1/d_out
    return rng.normal(size=(d_in, d_out)) / np.sqrt(d_out)


def init_projection__2(rng, d_in, d_out):
    # mistake: standard deviation 1/d_in instead of its root
    return rng.normal(0, 1 / d_in, size=(d_in, d_out))


def init_projection__3(rng, d_in, d_out):
    # mistake: uniform from -1/sqrt(d_in) to 1/sqrt(d_in) has a third of the variance
    a = 1 / np.sqrt(d_in)
    return rng.uniform(-a, a, size=(d_in, d_out))


def init_projection__4(rng, d_in, d_out):
    # mistake: draws from np.random, not from rng
    return np.random.randn(d_in, d_out) * d_in**-0.5


def init_projection__8(rng, d_in, d_out):
    # mistakes: rng.random is not centered at 0; multiplied by sqrt(d_in) instead of divided
    return rng.random((d_in, d_out)) * np.sqrt(d_in)
