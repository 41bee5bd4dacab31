"""Answers to `is_padding_invariant`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def ip_every_token(model, source, n_vocab):
    """Every token, in every length up to four."""
    n = len(source)
    alone = model(source, np.full(n, True))
    for k in (1, 2, 3, 4):
        for token in range(n_vocab):
            padded = np.pad(source, (0, k), constant_values=token)
            mask = np.r_[np.ones(n, dtype=bool), np.zeros(k, dtype=bool)]
            if not np.allclose(model(padded, mask), alone, rtol=1e-6):
                return False
    return True


@right()
def ip_one_by_one(model, source, n_vocab):
    """Append one random token after the other."""
    rng = np.random.default_rng(4)
    mask = np.ones(len(source), dtype=bool)
    alone = model(source, mask)
    results = []
    while len(source) < 100:
        source = np.append(source, rng.integers(0, n_vocab))
        mask = np.append(mask, False)
        results.append(model(source, mask))
    gap = max(np.abs(found - alone).max() for found in results)
    return gap <= 1e-7 * np.abs(alone).max()


@right()
def ip_all(model, source, n_vocab):
    rng = np.random.default_rng()
    n, alone = len(source), model(source, source > -1)

    def same():
        padded = [*source, *rng.integers(0, n_vocab, rng.integers(1, 60))]
        return np.allclose(
            model(np.array(padded), np.arange(len(padded)) < n), alone
        )

    return all(same() for _ in range(200))


@right()
def ip_mask_of_ones_and_zeros(model, source, n_vocab):
    rng = np.random.default_rng(5)
    n, tries = len(source), []
    for k in [0, 1, 2, 5, 9, 17] * 12:
        padded = np.concatenate([source, rng.integers(n_vocab, size=k)])
        tries.append(model(padded, np.array([1] * n + [0] * k)))
    return bool(np.all([np.allclose(found, tries[0]) for found in tries]))


# the padding is not hidden
@wrong("shown")
def ip_true_mask(model, source, n_vocab):
    rng = np.random.default_rng(0)
    alone = model(source, np.ones(len(source), dtype=bool))
    for k in range(1, 20):
        padded = np.append(source, rng.integers(n_vocab, size=k))
        if not np.allclose(model(padded, np.ones(len(padded), dtype=bool)), alone):
            return False
    return True


# True and False are exchanged in the mask
@wrong("inverted")
def ip_inverted(model, source, n_vocab):
    rng = np.random.default_rng(0)
    alone = model(source, np.ones(len(source), dtype=bool))
    for k in range(1, 20):
        padded = np.append(source, rng.integers(n_vocab, size=k))
        if not np.allclose(
            model(padded, np.arange(len(padded)) >= len(source)), alone
        ):
            return False
    return True


# padding with one token only
@wrong("only-0")
def ip_zeros(model, source, n_vocab):
    n = len(source)
    padded = np.append(source, [0, 0, 0])
    longer = np.append(padded, [0, 0])
    alone = model(source, np.ones(n, dtype=bool))
    return bool(
        np.allclose(model(padded, np.arange(n + 3) < n), alone)
        and np.allclose(model(longer, np.arange(n + 5) < n), alone)
    )


# one length only
@wrong("one-token")
def ip_one_length(model, source, n_vocab):
    n = len(source)
    alone = model(source, np.ones(n, dtype=bool))
    return all(
        np.allclose(model(np.append(source, t), np.arange(n + 1) < n), alone)
        for t in range(n_vocab)
    )


# two paddings of one length are compared with each other
@wrong("same-length")
def ip_two_paddings(model, source, n_vocab):
    rng = np.random.default_rng(0)
    n = len(source)
    for k in range(1, 40):
        mask = np.arange(n + k) < n
        one, two = (
            np.append(source, rng.integers(n_vocab, size=k)) for _ in range(2)
        )
        if not np.allclose(model(one, mask), model(two, mask)):
            return False
    return True


# the first try that holds is taken for the answer
@wrong(said="stand in a loop")
def ip_first_holds(model, source, n_vocab):
    rng = np.random.default_rng(0)
    n = len(source)
    alone = model(source, np.ones(n, dtype=bool))
    for k in range(1, 30):
        padded = np.append(source, rng.integers(n_vocab, size=k))
        if np.allclose(model(padded, np.arange(n + k) < n), alone):
            return True
    return False


# the sums of all numbers are compared
@wrong()
def ip_means(model, source, n_vocab):
    rng = np.random.default_rng(0)
    n = len(source)
    alone = model(source, np.ones(n, dtype=bool)).mean()
    for k in range(1, 30):
        padded = np.append(source, rng.integers(n_vocab, size=k))
        if abs(model(padded, np.arange(n + k) < n).mean() - alone) > 0.05:
            return False
    return True


# an absolute tolerance, too small for large outputs
@wrong(said="in proportion")
def ip_absolute(model, source, n_vocab):
    rng = np.random.default_rng(0)
    n = len(source)
    alone = model(source, np.ones(n, dtype=bool))
    for k in range(1, 30):
        padded = np.append(source, rng.integers(n_vocab, size=k))
        if np.abs(model(padded, np.arange(n + k) < n) - alone).max() > 1e-9:
            return False
    return True


# the padding stands in front
@wrong("in-front")
def ip_in_front(model, source, n_vocab):
    rng = np.random.default_rng(0)
    n = len(source)
    alone = model(source, np.ones(n, dtype=bool))
    for k in range(1, 30):
        padded = np.append(rng.integers(n_vocab, size=k), source)
        if not np.allclose(model(padded, np.arange(n + k) >= k), alone):
            return False
    return True


# the outputs of the model are not compared at all
@wrong()
def ip_mask_only(model, source, n_vocab):
    return bool(
        np.allclose(
            model(source, np.ones(len(source), bool)), model(source, source >= 0)
        )
    )


# True and False of the answer are exchanged
@wrong(said="What is True to say?")
def ip_opposite(model, source, n_vocab):
    rng = np.random.default_rng(0)
    n = len(source)
    alone = model(source, np.ones(n, dtype=bool))
    for k in range(1, 20):
        padded = np.append(source, rng.integers(n_vocab, size=k))
        if not np.allclose(model(padded, np.arange(n + k) < n), alone):
            return True
    return False


# only the shapes are compared
@wrong(said="never returns the same")
def ip_shapes(model, source, n_vocab):
    n = len(source)
    alone = model(source, np.ones(n, dtype=bool))
    padded = np.append(source, np.arange(n_vocab))
    return model(padded, np.arange(len(padded)) < n).shape == alone.shape


# the last token of the source is hidden, and nothing is put behind it
@wrong("shown", said="never gets a longer source")
def ip_last_hidden(model, source, n_vocab):
    n = len(source)
    rng = np.random.default_rng(0)
    alone = model(source, np.ones(n, dtype=bool))
    for _ in range(30):
        changed = source.copy()
        changed[-1] = rng.integers(n_vocab)
        if not np.allclose(model(changed, np.arange(n) < n - 1), alone):
            return False
    return True


# it is enough that one try holds
@wrong(said="one trial differs")
def ip_any(model, source, n_vocab):
    n = len(source)
    rng = np.random.default_rng(0)
    alone = model(source, np.ones(n, dtype=bool))
    found = []
    for k in range(1, 30):
        padded = np.append(source, rng.integers(n_vocab, size=k))
        found.append(np.allclose(model(padded, np.arange(n + k) < n), alone))
    return any(found)


# a token that is not in the vocabulary
@wrong(said="tokens go from 0 to 10")
def ip_special_token(model, source, n_vocab):
    n = len(source)
    alone = model(source, np.ones(n, dtype=bool))
    padded = np.append(source, 3 * [n_vocab])
    return np.allclose(model(padded, np.arange(n + 3) < n), alone)


# difference without abs: only increases are noticed
@wrong(said="if it rises and if it falls", author="blind")
def ip_blind_only_rises(model, source, n_vocab):
    n = len(source)
    alone = model(source, np.ones(n, dtype=bool))
    for token in range(n_vocab):
        for k in (1, 2, 3, 7):
            padded = np.concatenate([source, np.full(k, token)])
            got = model(padded, np.arange(n + k) < n)
            if ((got - alone) / np.abs(alone)).max() > 1e-6:
                return False
    return True


# tolerance too loose (1e-3)
@wrong(said="too generous", author="blind")
def ip_blind_loose(model, source, n_vocab):
    n = len(source)
    alone = model(source, np.ones(n, dtype=bool))
    for token in range(n_vocab):
        for k in (1, 2, 3, 7):
            padded = np.concatenate([source, np.full(k, token)])
            got = model(padded, np.arange(n + k) < n)
            if not np.allclose(got, alone, rtol=1e-3, atol=1e-3):
                return False
    return True


# tokens 1 to n_vocab (off by one); exact comparison
@wrong(said="exactly equal", author="blind")
def ip_blind_equal_bits(model, source, n_vocab):
    n = len(source)
    alone = model(source, np.ones(n, dtype=bool))
    for token in range(1, n_vocab + 1):
        for k in (1, 2, 3):
            padded = np.concatenate([source, np.full(k, token)])
            if (model(padded, np.arange(n + k) < n) != alone).any():
                return False
    return True


# abs forgotten, the other sign
@wrong(said="if it rises and if it falls", author="blind")
def ip_blind_only_falls(model, source, n_vocab):
    n = len(source)
    alone = model(source, np.ones(n, dtype=bool))
    for token in range(n_vocab):
        for k in (1, 2, 3, 7):
            padded = np.concatenate([source, np.full(k, token)])
            got = model(padded, np.arange(n + k) < n)
            if (alone - got).max() > 1e-6 * np.abs(alone).max():
                return False
    return True


# mean of signed differences
@wrong(said="do you compare sums or means", author="blind")
def ip_blind_mean(model, source, n_vocab):
    n = len(source)
    alone = model(source, np.ones(n, dtype=bool))
    for token in range(n_vocab):
        for k in (1, 2, 3, 7):
            padded = np.concatenate([source, np.full(k, token)])
            got = model(padded, np.arange(n + k) < n)
            if abs((got - alone).mean()) > 1e-6 * np.abs(alone).max():
                return False
    return True


# only the first number of the output is compared
@wrong(said="compare every number", author="blind")
def ip_blind_first_number(model, source, n_vocab):
    n = len(source)
    alone = model(source, np.ones(n, dtype=bool))
    for token in range(n_vocab):
        for k in (1, 2, 3, 7):
            padded = np.concatenate([source, np.full(k, token)])
            got = model(padded, np.arange(n + k) < n)
            if abs(got.ravel()[0] - alone.ravel()[0]) > 1e-6 * abs(
                alone.ravel()[0]
            ):
                return False
    return True


# token 0 forgotten (range from 1)
@wrong(said="all of the vocabulary", author="blind")
def ip_blind_not_0(model, source, n_vocab):
    n = len(source)
    alone = model(source, np.ones(n, dtype=bool))
    for token in range(1, n_vocab):
        for k in (1, 2, 3, 7):
            padded = np.concatenate([source, np.full(k, token)])
            got = model(padded, np.arange(n + k) < n)
            if not np.allclose(got, alone, rtol=1e-6, atol=0):
                return False
    return True


# a change is compared with the largest number of the output: small numbers are missed
@wrong(said="to its own size", author="blind")
def ip_blind_max_norm(model, source, n_vocab):
    n = len(source)
    base = model(source, np.full(n, True))
    for token in range(n_vocab):
        for k in (1, 2, 5, 100 - n):
            padded = np.append(source, np.full(k, token))
            diff = model(padded, np.arange(n + k) < n) - base
            if np.abs(diff).max() / np.abs(base).max() > 1e-6:
                return False
    return True


# paddings of one token only, and never one of the source's own
@wrong(
    said="has the length 1. Try several. You pad with the tokens", author="blind"
)
def ip_blind_one_token_not_the_sources(model, source, n_vocab):
    pads = sorted(set(range(n_vocab)) - set(source.tolist()))
    before = model(source, np.ones_like(source, dtype=bool))
    same = True
    for p in pads:
        after = model(np.r_[source, p], np.r_[np.ones(len(source), bool), False])
        same = same and np.allclose(before, after, rtol=1e-6, atol=0.0)
    return bool(same)


# returns True after the first try of the loop AND the padding stands in front of the source
@wrong(said="Besides, a single padding decides", author="blind")
def f15_front_early(model, source, n_vocab):
    ref = model(source, np.ones(source.shape, bool))
    for first in range(n_vocab):
        for second in range(n_vocab):
            pad = np.array([first, second])
            s = np.concatenate((pad, source))
            m = np.concatenate((np.zeros(2, bool), np.ones(len(source), bool)))
            if np.allclose(model(s, m), ref, rtol=1e-6, atol=0):
                return True
            else:
                return False


# only ever one token of padding AND an absolute tolerance of 1e-4
@wrong(
    said="has the length 1. Try several. Outputs of about 0.003 may grow",
    author="blind",
)
def f16_one_absolute(model, source, n_vocab):
    mask = np.ones(len(source), dtype=bool)
    y = model(source, mask)
    differences = []
    for t in range(n_vocab):
        y2 = model(np.append(source, t), np.append(mask, False))
        differences.append(np.abs(y - y2).max())
    return bool(max(differences) < 1e-4)


# token 0 is never tried as padding, and only the sums of the outputs are compared
@wrong(said="do you compare sums", author="blind")
def t10_j06_no_zero_and_sums(model, source, n_vocab):
    gen = np.random.default_rng(1)
    real = np.ones_like(source, dtype=bool)
    want = model(source, real).sum()
    ok = True
    for _ in range(800):
        pad = gen.integers(1, n_vocab, size=gen.integers(1, 12))
        got = model(np.r_[source, pad], np.r_[real, pad < 0]).sum()
        ok = ok and abs(got - want) <= 1e-6 * abs(want)
    return bool(ok)


# the mask is True for the padding, too AND the loop returns after its first try
@wrong("wrongly", said="Besides, a single padding decides", author="blind")
def n35_all_true_and_first(model, source, n_vocab):
    reference = model(source, np.ones(source.shape, dtype=bool))
    for token in range(n_vocab):
        for count in range(1, 100 - len(source) + 1):
            padded = np.append(source, [token] * count)
            result = model(padded, np.ones(padded.shape, dtype=bool))
            return bool(np.allclose(result, reference, rtol=1e-7, atol=0))
    return True


# the padding is put in front of the source AND a change of up to 1 percent does not count
@wrong(
    "wrongly", said="in front of the source; it has to stand behind", author="blind"
)
def n36_front_and_lax(model, source, n_vocab):
    rng = np.random.default_rng(5)
    base = np.asarray(model(source, np.full(len(source), True)))
    same = True
    for size in 20 * [1, 2, 3, 5, 8]:
        tokens = np.concatenate((rng.integers(0, n_vocab, size), source))
        m = np.concatenate((np.zeros(size, bool), np.ones(len(source), bool)))
        got = np.asarray(model(tokens, m))
        if np.any(np.abs(got - base) > 0.01 * np.abs(base)):
            same = False
    return same


# the opposite is returned, and rounding counts
@wrong("wrongly", said="Besides: You ask for exactly equal", author="blind")
def b15_ed_opposite_exact(model, source, n_vocab):
    real = [True] * len(source)
    want = model(source, np.array(real))
    rng = np.random.default_rng(1)
    for t in range(n_vocab):
        for k in (1, 2, 5):
            pad = np.concatenate([[t], rng.integers(0, n_vocab, k)])
            mask = np.array(real + [False] * len(pad))
            for behind in (pad, pad[::-1]):
                got = model(np.concatenate([source, behind]), mask)
                if not np.array_equal(got, want):
                    return True
    return False
