import numpy as np


def bigram_perplexity__1(table, tokens):
    # mistake: row and column are in each other's place
    p = table[tokens[1:], tokens[:-1]]
    return np.exp(-np.log(p).mean())


def bigram_perplexity__2(table, tokens):
    # mistake: divides by n instead of the n - 1 predictions
    loss = 0
    for i in range(1, len(tokens)):
        loss -= np.log(table[tokens[i - 1], tokens[i]])
    return np.exp(loss / len(tokens))


def bigram_perplexity__3(table, tokens):
    # mistake: 2 to the power of a loss in nats
    nll = -np.log(table[tokens[:-1], tokens[1:]])
    return 2 ** nll.mean()


def bigram_perplexity__7(table, tokens):
    # mistake: np.roll lets the last token predict the first one
    nxt = np.roll(tokens, -1)
    p = table[tokens, nxt]
    return np.exp(np.mean(-np.log(p + 1e-300)))


def bigram_perplexity__8(table, tokens):
    # mistakes: index of row and column exchanged; sum of the losses instead of their mean
    L = -np.log(table[tokens[1:], tokens[:-1]] + 1e-300).sum()
    return np.exp(L)
