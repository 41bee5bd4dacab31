"""Exercises of `order`: a known mistake is named where the error asked for is missing, too."""

import numpy as np

from course_attn.exercises import check


def sines_and_cosines(n, d_model):
    """Leave the last column of an odd width empty."""
    P = np.zeros((n, d_model))
    for f in range(d_model // 2):
        P[:, 2 * f] = np.sin(np.arange(1, n + 1) / 10000 ** (2 * f / d_model))
        P[:, 2 * f + 1] = np.cos(np.arange(1, n + 1) / 10000 ** (2 * f / d_model))
    return P


def test_sinusoidal_encoding_names_the_mistake_and_the_missing_error():
    result = check(sines_and_cosines, "sinusoidal_encoding")
    assert result.faults == ("from-one", "odd-left-empty")
    assert "raise ValueError" in result.message


def test_sinusoidal_encoding_says_what_error_is_missing():
    def right_otherwise(n, d_model):
        P = np.zeros((n, d_model))
        angles = np.arange(n)[:, None] / 10000 ** (
            np.arange(0, d_model - 1, 2) / d_model
        )
        P[:, : d_model - d_model % 2 : 2] = np.sin(angles)
        P[:, 1::2] = np.cos(angles)
        return P

    result = check(right_otherwise, "sinusoidal_encoding")
    assert result.faults == ("odd-left-empty",) and "ValueError" in result.message
