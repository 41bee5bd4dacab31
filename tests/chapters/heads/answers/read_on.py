"""Answers to `read_on`."""

import collections

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def ro_dictionary(tokens):
    behind, guesses = {}, []
    for i, token in enumerate(tokens):
        if i:
            behind[tokens[i - 1]] = token
        guesses.append(behind.get(token, -1))
    return np.array(guesses)


@right()
def ro_backwards(tokens):
    n = len(tokens)
    guesses = np.zeros(n, dtype=int)
    for i in range(n):
        j = i - 1
        while j >= 0 and tokens[j] != tokens[i]:
            j -= 1
        guesses[i] = tokens[j + 1] if j >= 0 else -1
    return guesses


@right()
def ro_table(tokens):
    i, j = np.indices((len(tokens), len(tokens)))
    same = (tokens[:, None] == tokens) & (j < i)
    last = np.where(same, j, -1).max(axis=1)
    return np.where(last < 0, -1, tokens[np.minimum(last + 1, len(tokens) - 1)])


# the dictionary keeps the first pair and never learns a newer one
@wrong("first-occurrence")
def ro_first_pair(tokens):
    behind, guesses = {}, []
    for i, token in enumerate(tokens):
        if i:
            behind.setdefault(tokens[i - 1], token)
        guesses.append(behind.get(token, -1))
    return np.array(guesses)


# the most frequent successor
@wrong("most-frequent")
def ro_most_frequent(tokens):
    guesses = []
    for i in range(len(tokens)):
        behind = [tokens[j + 1] for j in range(i) if tokens[j] == tokens[i]]
        guesses.append(max(sorted(behind), key=behind.count) if behind else -1)
    return np.array(guesses)


# only the guess at the end
@wrong()
def ro_last_only(tokens):
    earlier = np.flatnonzero(tokens[:-1] == tokens[-1])
    return tokens[earlier[-1] + 1] if len(earlier) else -1


# looks for a later place
@wrong("whole-text")
def ro_everywhere(tokens):
    n = len(tokens)
    guesses = np.full(n, -1)
    for i in range(n):
        last = np.flatnonzero(tokens == tokens[i])[-1]
        guesses[i] = tokens[min(last + 1, n - 1)]
    return guesses


# index() finds the first earlier place, not the last; Returns the position after it, not the
# token that stands there
@wrong("first-occurrence", "place", author="blind")
def fd_read_on_2(tokens):
    seq = list(tokens)
    out = []
    for i, t in enumerate(seq):
        before = seq[:i]
        if t in before:
            out.append(before.index(t) + 1)
        else:
            out.append(-1)
    return np.array(out, dtype=int)


# 'if j' instead of 'if j is not None': an earlier place 0 counts as none
@wrong("zero-is-false", author="blind")
def b8_falsy(tokens):
    seen = {}
    guesses = []
    for i, t in enumerate(tokens.tolist()):
        j = seen.get(t)
        if j:
            guesses.append(int(tokens[j + 1]))
        else:
            guesses.append(-1)
        seen[t] = i
    return np.array(guesses, dtype=int)


# the table token -> next token is filled from the whole text first: it looks into the future
@wrong("whole-text", author="blind")
def b8_future(tokens):
    follows = {}
    for a, b in zip(tokens[:-1], tokens[1:]):
        follows[int(a)] = int(b)
    out = np.full(len(tokens), -1)
    been = set()
    for i, t in enumerate(tokens):
        if int(t) in been:
            out[i] = follows[int(t)]
        been.add(int(t))
    return out


# the first earlier place instead of the last AND 0 instead of -1 where there is none
@wrong("first-occurrence", "zero-default", author="blind")
def b8_both(tokens):
    result = np.zeros(len(tokens), dtype=int)
    for i in range(len(tokens)):
        hits = np.flatnonzero(tokens[:i] == tokens[i])
        if len(hits) > 0:
            result[i] = tokens[hits[0] + 1]
    return result


# the search backwards stops before place 0
@wrong("zero-is-false", author="blind")
def r32_not_place_zero(tokens):
    n = len(tokens)
    out = -np.ones(n, dtype=int)
    for i in range(n):
        j = i - 1
        while j > 0:
            if tokens[j] == tokens[i]:
                out[i] = tokens[j + 1]
                break
            j -= 1
    return out


# a guess of token 0 counts as 'nothing found' (0 is falsy) and becomes -1
@wrong("guess-is-false", author="blind")
def r33_zero_is_false(tokens):
    follower = {}
    result = []
    previous = None
    for t in tokens.tolist():
        if previous is not None:
            follower[previous] = t
        guess = follower.get(t)
        result.append(guess if guess else -1)
        previous = t
    return np.array(result, dtype=int)


# the follower is noted only after the guess: a token that repeats at once misses its last place
@wrong("noted-late", author="blind")
def u34_late_update(tokens):
    follows = {}
    out = np.full(len(tokens), -1)
    for i in range(len(tokens)):
        t = int(tokens[i])
        out[i] = follows.get(t, -1)
        if i > 0:
            follows[int(tokens[i - 1])] = t
    return out


# returns the token BEFORE the earlier place, AND 0 instead of -1 if the token is new
@wrong("before", "zero-default", author="blind")
def u36_before_and_zero(tokens):
    g = np.zeros(len(tokens), dtype=int)
    for i in range(len(tokens)):
        for j in range(i - 1, -1, -1):
            if tokens[j] == tokens[i]:
                g[i] = tokens[j - 1] if j > 0 else 0
                break
    return g


# returns the token before the earlier place, which before place 0 is the last one of all
@wrong("before-wrapped")
def ro_before(tokens):
    guesses = []
    for i, token in enumerate(tokens):
        earlier = [j for j in range(i) if tokens[j] == token]
        guesses.append(tokens[earlier[-1] - 1] if earlier else -1)
    return np.array(guesses)


# a token directly before is not looked at, and 0 in place of -1 where there is none
@wrong("noted-late", "zero-default", said="3, 3 you guess 1", author="blind")
def ro_blind_late_and_zero(tokens):
    n = len(tokens)
    guess = np.zeros(n, dtype=int)
    for i in range(n):
        for j in range(i - 1):
            if tokens[j] == tokens[i]:
                guess[i] = tokens[j + 1]
    return guess


# -1 is set once before the loop: a new token keeps the guess of the place before
@wrong("kept", author="blind")
def q21_stale(tokens):
    n = tokens.shape[0]
    out = np.zeros(n, dtype=int)
    g = -1
    for i in range(n):
        for j in range(i):
            if tokens[j] == tokens[i]:
                g = tokens[j + 1]
        out[i] = g
    return out


# guesses the most frequent follower, not the last AND returns n - 1 guesses
@wrong("most-frequent", said="a guess per token", author="blind")
def f32_frequent(tokens):
    followers = collections.defaultdict(collections.Counter)
    result = []
    for now, after in zip(tokens[:-1].tolist(), tokens[1:].tolist(), strict=True):
        seen = followers[now]
        result.append(seen.most_common(1)[0][0] if seen else -1)
        seen[after] += 1
    return np.array(result, dtype=int)


# an occurrence at place 0 counts as none (0 is falsy) AND the token before the place is given,
# not the one after
@wrong("before", said="for place 0", author="blind")
def o15_falsy_and_before(tokens):
    last = {}
    res = []
    for pos, t in enumerate(tokens.tolist()):
        where = last.get(t)
        if where:
            res.append(int(tokens[where - 1]))
        else:
            res.append(-1)
        last[t] = pos
    return np.array(res, dtype=int)
