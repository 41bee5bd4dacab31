import numpy as np


def sliding_window_mask__1(n_q, n_k, window):
    # mistake: aligned to the top left, n_k - n_q forgotten
    i = np.arange(n_q)[:, None]
    j = np.arange(n_k)[None, :]
    return (j <= i) & (j > i - window)


def sliding_window_mask__2(n_q, n_k, window):
    # mistake: one key too many: p - window counts as seen
    p = np.arange(n_q)[:, None] + n_k - n_q
    j = np.arange(n_k)
    return (j <= p) & (j >= p - window)


def sliding_window_mask__3(n_q, n_k, window):
    # mistake: window on both sides, later keys are seen
    p = np.arange(n_q)[:, None] + n_k - n_q
    j = np.arange(n_k)[None]
    return np.abs(p - j) < window


def sliding_window_mask__4(n_q, n_k, window):
    # mistake: only too old keys are hidden, the future is open
    p = np.arange(n_q)[:, None] + (n_k - n_q)
    return np.arange(n_k)[None, :] > p - window


def sliding_window_mask__15(n_q, n_k, window):
    # mistakes: aligned to the top left; one key too many
    i, j = np.indices((n_q, n_k))
    return (j <= i) & (i - j <= window)
