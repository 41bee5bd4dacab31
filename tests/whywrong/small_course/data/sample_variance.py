"""Exercise `sample_variance`."""

import numpy as np

from whywrong import BuiltIn, Case, Exercise, fault_list


def sample_variance(x):
    """Return the unbiased estimate of the variance of each row."""
    mean = x.mean(axis=-1, keepdims=True)
    squares = (x - mean) ** 2
    return squares.sum(axis=-1) / (x.shape[-1] - 1)


def cases():
    rng = np.random.default_rng(20270302)
    return (
        Case((np.array([[1.0, 2.0, 6.0]]),), "example"),
        *(Case((rng.normal(3, 2, size),)) for size in ((4, 3), (2, 7))),
    )


exercise = Exercise(
    sample_variance,
    place=10,
    minutes=10,
    level="medium",
    section="Samples",
    task="""
Write `sample_variance(x)`, the variance of the population that each row of `x` is a sample of,
estimated without bias.
""",
    cases=cases,
    built_ins=(BuiltIn("numpy.var"),),
    faults=fault_list("""
population: (x.shape[-1] - 1) → x.shape[-1]
    You divide by n = {x.last}. The sample's own mean is closer to its numbers than the true one is,
    so the squares come out too small on average: divide by n − 1.
deviation: squares.sum(axis=-1) / (x.shape[-1] - 1)
        → np.sqrt(squares.sum(axis=-1) / (x.shape[-1] - 1))
    You return {your.row}, the standard deviations. Their squares are asked for.
no-mean: (x - mean) ** 2 → x**2
    You square the numbers, not how far they are from their mean.
common-mean: x.mean(axis=-1, keepdims=True) → x.mean()
    You take one mean of all rows. Each row has its own.
"""),
    hints=(
        "How far is each number from its row's mean?",
        "With `keepdims=True` the means can be subtracted from the rows.",
        "A sum over the last axis, divided by one less than its length.",
    ),
)
