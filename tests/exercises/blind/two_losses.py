import numpy as np


def two_losses__1():
    # mistake: nats and bits exchanged
    return 6, np.log(64), 64, 2, np.log(4), 4


def two_losses__2():
    # mistake: perplexity of A taken from the bits with base e
    return np.log(64), 6, np.exp(6), np.log(4), 2, 4


def two_losses__13():
    # mistake: B: 64 characters share it, only the place with 1/2 counted
    return np.log(64), 6, 64, np.log(2), 1, 2


def two_losses__14():
    # mistakes: nats and bits exchanged; B's perplexity a mean of 2 and 8
    return 6, np.log(64), 64, 2, np.log(4), 5


def two_losses__15():
    # mistakes: sum instead of mean for B; perplexity as reciprocal
    return np.log(64), 6, 1 / 64, np.log(16), 4, 1 / 16
