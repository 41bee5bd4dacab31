"""Right answers to the exercises of `language_model`, each written in another way."""

import numpy as np

from tests.exercises.answers import Answers

right = Answers()


@right("shift_targets")
def shift_copies(tokens, pad):
    inputs = tokens[..., 0:-1].copy()
    targets = tokens[..., 1:].copy()
    targets[targets == pad] = -100
    return inputs, targets


@right("shift_targets")
def shift_by_length(tokens, pad):
    lengths = (tokens != pad).sum(axis=-1, keepdims=True)
    place = np.arange(1, tokens.shape[-1])
    targets = np.where(place < lengths, tokens[..., 1:], -100)
    return tokens[..., :-1], targets


@right("shift_targets")
def shift_rolled_and_cut(tokens, pad):
    following = np.roll(tokens, -1, axis=-1)
    following[following == pad] = -100
    return [tokens[..., :-1], following[..., :-1]]


@right("shift_targets")
def shift_loops(tokens, pad):
    shape = (*tokens.shape[:-1], tokens.shape[-1] - 1)
    inputs, targets = np.empty(shape, dtype=int), np.empty(shape, dtype=int)
    for where in np.ndindex(shape):
        *text, i = where
        inputs[where] = tokens[(*text, i)]
        after = tokens[(*text, i + 1)]
        targets[where] = -100 if after == pad else after
    return inputs, targets


@right("shift_targets")
def shift_masked_array(tokens, pad):
    marked = np.ma.masked_equal(tokens, pad).filled(-100)
    return np.delete(tokens, -1, axis=-1), np.delete(marked, 0, axis=-1)


@right("cross_entropy")
def ce_loops(logits, targets):
    losses = []
    for where in np.ndindex(targets.shape):
        if targets[where] == -100:
            continue
        row = logits[where]
        top = row.max()
        losses.append(top + np.log(np.exp(row - top).sum()) - row[targets[where]])
    return np.mean(losses)


@right("cross_entropy")
def ce_flat(logits, targets):
    rows = logits.reshape(-1, logits.shape[-1])
    flat = targets.reshape(-1)
    rows, flat = rows[flat != -100], flat[flat != -100]
    log_sums = np.logaddexp.reduce(rows, axis=-1)
    return (log_sums - rows[np.arange(len(flat)), flat]).mean()


@right("cross_entropy")
def ce_course_log_softmax(logits, targets):
    from course_attn.in_numpy import log_softmax

    keep = targets >= 0
    chosen = log_softmax(logits)[keep]
    return -chosen[np.arange(keep.sum()), targets[keep]].sum() / keep.sum()


@right("cross_entropy")
def ce_one_hot(logits, targets):
    one_hot = targets[..., None] == np.arange(logits.shape[-1])
    centered = logits - logits.max(-1)[..., None]
    log_p = centered - np.log(np.exp(centered).sum(-1))[..., None]
    return float(-(one_hot * log_p).sum() / one_hot.sum())


@right("cross_entropy")
def ce_scipy(logits, targets):
    from scipy.special import logsumexp

    valid = targets != -100
    safe = targets * valid
    picked = np.take_along_axis(logits, np.expand_dims(safe, -1), -1).squeeze(-1)
    losses = logsumexp(logits, axis=-1) - picked
    return np.average(losses, weights=valid)


@right("cross_entropy")
def ce_masked_array(logits, targets):
    z = logits - np.max(logits, axis=-1, keepdims=True)
    log_p = z - np.log(np.sum(np.exp(z), axis=-1, keepdims=True))
    hidden = np.ma.masked_equal(targets, -100)
    index = np.indices(targets.shape)
    of_targets = log_p[(*index, hidden.filled(0))]
    return -np.ma.array(of_targets, mask=np.ma.getmaskarray(hidden)).mean()


@right("bigram_perplexity")
def bp_loop(table, tokens):
    total = 0.0
    for i in range(1, len(tokens)):
        total -= np.log(table[tokens[i - 1], tokens[i]])
    return np.exp(total / (len(tokens) - 1))


@right("bigram_perplexity")
def bp_bits(table, tokens):
    bits = -np.log2(table[tokens[:-1], tokens[1:]])
    return 2 ** bits.mean()


@right("bigram_perplexity")
def bp_geometric_mean(table, tokens):
    from scipy.stats import gmean

    return 1 / gmean(table[tokens[:-1], tokens[1:]])


@right("bigram_perplexity")
def bp_counts(table, tokens):
    counts = np.zeros(table.shape)
    np.add.at(counts, (tokens[:-1], tokens[1:]), 1)
    safe = np.where(counts > 0, table, 1)
    return np.exp(-(counts * np.log(safe)).sum() / counts.sum())


@right("bigram_perplexity")
def bp_roots(table, tokens):
    import itertools
    import math

    pairs = list(itertools.pairwise(tokens.tolist()))
    return math.prod(float(table[a, b]) ** (-1 / len(pairs)) for a, b in pairs)


@right("bigram_perplexity")
def bp_flat_index(table, tokens):
    p = table.ravel()[tokens[:-1] * len(table) + tokens[1:]]
    return np.power(np.e, np.log(1 / p).sum() / p.size)


@right("gpt_from_parts")
def gp_causal_mask(tokens, E, P, blocks, norm):
    from course_attn.in_numpy import causal_mask

    X = E[tokens]
    X = X + P[: tokens.shape[-1]]
    mask = causal_mask(tokens.shape[-1], tokens.shape[-1])
    for block in blocks:
        X = block(X, mask=mask)
    return np.einsum("...nd,vd->...nv", norm(X), E)


@right("gpt_from_parts")
def gp_reduce(tokens, E, P, blocks, norm):
    from functools import reduce

    n = tokens.shape[-1]
    i = np.arange(n)
    see = i[:, None] >= i
    return norm(reduce(lambda X, f: f(X, see), blocks, E[tokens] + P[i])) @ E.T


@right("gpt_from_parts")
def gp_one_hot(tokens, E, P, blocks, norm):
    one_hot = np.eye(len(E))[tokens]
    H = one_hot @ E + P[0 : one_hot.shape[-2]]
    mask = ~np.triu(np.ones((H.shape[-2], H.shape[-2]), dtype=bool), 1)
    for layer in range(len(blocks)):
        H = blocks[layer](H, mask)
    return np.dot(norm(H), E.T)


@right("gpt_from_parts")
def gp_text_by_text(tokens, E, P, blocks, norm):
    if tokens.ndim > 1:
        return np.stack([gp_text_by_text(t, E, P, blocks, norm) for t in tokens])
    X = np.array([E[token] + P[i] for i, token in enumerate(tokens)])
    mask = np.tril(np.ones((len(X), len(X)))) == 1
    for block in blocks:
        X = block(X, mask)
    X = norm(X)
    return np.array([[x @ e for e in E] for x in X])


@right("gpt_from_parts")
def gp_growing_text(tokens, E, P, blocks, norm):
    """Row i needs only what came up to i: a model that reads prefixes."""
    rows = []
    for end in range(1, tokens.shape[-1] + 1):
        X = np.take(E, tokens[..., :end], axis=0) + P[:end]
        for block in blocks:
            X = block(X, np.tri(end, dtype=bool))
        rows.append(norm(X)[..., -1, :] @ E.T)
    return np.stack(rows, axis=-2)


@right("token_probabilities")
def tp_mask_logits(logits, temperature, top_k, top_p):
    z = logits / temperature
    order = np.argsort(z)[::-1]
    z[order[top_k:]] = -np.inf
    p = np.exp(z - z.max())
    p /= p.sum()
    total = 0.0
    keep = np.zeros(len(p), dtype=bool)
    for token in order:
        keep[token] = True
        total += p[token]
        if total >= top_p:
            break
    p = np.where(keep, p, 0)
    return p / p.sum()


@right("token_probabilities")
def tp_huggingface(logits, temperature, top_k, top_p):
    """The way of many libraries: from the least likely up."""
    from scipy.special import softmax

    scores = (logits / temperature).copy()
    scores[scores < np.sort(scores)[-top_k]] = -1e9
    upward = np.argsort(scores)
    sums = np.cumsum(softmax(scores[upward]))
    drop = sums <= 1 - top_p
    drop[-1] = False
    scores[upward[drop]] = -1e9
    return softmax(scores)


@right("token_probabilities")
def tp_searchsorted(logits, temperature, top_k, top_p):
    ids = np.argsort(-logits)[:top_k]
    powers = np.exp((logits[ids] - logits[ids[0]]) / temperature)
    p = powers / powers.sum()
    n = min(np.searchsorted(np.cumsum(p), top_p - 1e-12) + 1, len(p))
    out = np.zeros(len(logits))
    out[ids[:n]] = p[:n] / p[:n].sum()
    return out


@right("token_probabilities")
def tp_dictionary(logits, temperature, top_k, top_p):
    import math

    top = float(max(logits))
    shares = {
        i: math.exp((float(v) - top) / temperature) for i, v in enumerate(logits)
    }
    best = sorted(shares, key=shares.get, reverse=True)[:top_k]
    total = sum(shares[i] for i in best)
    chosen, so_far = [], 0.0
    for i in best:
        if so_far >= top_p:
            break
        chosen.append(i)
        so_far += shares[i] / total
    norm = sum(shares[i] for i in chosen)
    return np.array(
        [shares[i] / norm if i in chosen else 0.0 for i in range(len(logits))]
    )


@right("token_probabilities")
def tp_rank_of_each(logits, temperature, top_k, top_p):
    from course_attn.in_numpy import softmax

    p = softmax(logits, temperature=temperature)
    rank = np.argsort(np.argsort(-p))
    p = p * (rank < top_k)
    p = p / p.sum()
    above = np.array([p[rank < r].sum() for r in rank])
    p = p * (above < top_p)
    return p / p.sum()


@right("token_probabilities")
def tp_inverse_permutation(logits, temperature, top_k, top_p):
    order = np.flip(np.argsort(logits))
    p = np.exp(logits[order] / temperature - np.max(logits) / temperature)
    p = p * (np.arange(p.size) < top_k)
    p = p / p.sum()
    p = p * (np.concatenate([[0], np.cumsum(p)[:-1]]) < top_p)
    return (p / p.sum())[np.argsort(order)]


@right("draw_tokens")
def dt_searchsorted(probabilities, u):
    return np.searchsorted(np.cumsum(probabilities), u, side="right")


@right("draw_tokens")
def dt_argmax(probabilities, u):
    return (np.cumsum(probabilities)[None] > u[:, None]).argmax(axis=1)


@right("draw_tokens")
def dt_loops(probabilities, u):
    tokens = []
    for number in u:
        token, total = 0, probabilities[0]
        while total <= number:
            token += 1
            total += probabilities[token]
        tokens.append(token)
    return np.array(tokens)


@right("draw_tokens")
def dt_subtracting(probabilities, u):
    tokens = np.zeros(len(u), dtype=int)
    left = u.astype(float)
    for token, p in enumerate(probabilities):
        here = (left >= 0) & (left < p)
        tokens[here] = token
        left = left - p
    return tokens


@right("draw_tokens")
def dt_digitize(probabilities, u):
    return np.digitize(u, np.cumsum(probabilities)).astype(np.int32)


@right("induction_score")
def is_diagonal(weights, period):
    diagonal = np.diagonal(weights, offset=1 - period, axis1=-2, axis2=-1)
    return diagonal[..., 1:].mean(axis=-1)


@right("induction_score")
def is_loop(weights, period):
    n = weights.shape[-1]
    total = np.zeros(weights.shape[:-2])
    for i in range(period, n):
        total = total + weights[..., i, i - period + 1]
    return total / (n - period)


@right("induction_score")
def is_mask(weights, period):
    i, j = np.indices(weights.shape[-2:])
    wanted = (i - j == period - 1) & (i >= period)
    return np.where(wanted, weights, 0).sum(axis=(-2, -1)) / wanted.sum()


@right("induction_score")
def is_einsum(weights, period):
    n = weights.shape[-1]
    part = weights[..., period:, 1 : n - period + 1]
    return np.einsum("...ii->...", part) / (n - period)


@right("induction_score")
def is_from_transpose(weights, period):
    columns = np.moveaxis(weights, (-2, -1), (0, 1))
    j = np.arange(1, columns.shape[0] - period + 1)
    return np.mean(columns[j + period - 1, j], axis=0)


@right("two_losses")
def tl_array():
    p_a = np.full(64, 1 / 64)
    p_b = np.array([0.5, 0.125])
    rows = [
        [-np.log(p).mean(), -np.log2(p).mean(), np.exp(-np.log(p).mean())]
        for p in (p_a, p_b)
    ]
    return np.array(rows)


@right("two_losses")
def tl_rounded():
    return [4.16, 6, 64, 1.39, 2, 4]


@right("two_losses")
def tl_by_entropy():
    nats = np.log(2) * np.array([6, 2])
    return tuple(np.stack([nats, nats / np.log(2), np.exp(nats)], axis=1).ravel())


@right("two_losses")
def tl_math():
    import math

    b = (math.log(2) + math.log(8)) / 2
    return math.log(64), math.log2(64), 64.0, b, b / math.log(2), math.e**b


def _small_gpt(forward, *, make=None):
    """Make a model whose `__init__` is right, with a forward of its own."""

    def made(n_vocab, n_context, d_model, n_layers, make_block):
        from torch import nn

        class Mine(nn.Module):
            def __init__(self):
                super().__init__()
                self.embedding = nn.Embedding(n_vocab, d_model)
                self.positions = nn.Embedding(n_context, d_model)
                self.final_norm = nn.LayerNorm(d_model)
                self.layers = nn.ModuleList(make_block() for _ in range(n_layers))
                if make is not None:
                    make(self, nn, d_model, n_vocab, n_context)

            def forward(self, tokens):
                return forward(self, tokens)

        return Mine()

    return made


def _tied_head(m, nn, d_model, n_vocab, n_context):
    m.head = nn.Linear(d_model, n_vocab, bias=False)
    m.head.weight = m.embedding.weight
    m.dropout = nn.Dropout(0.0)


@right("SmallGPT")
def sg_tied_linear(n_vocab, n_context, d_model, n_layers, make_block):
    def forward(m, tokens):
        import torch

        n = tokens.size(-1)
        mask = torch.tril(torch.ones(n, n)) == 1
        X = m.dropout(m.positions(torch.arange(n)) + m.embedding(tokens))
        for layer in m.layers:
            X = layer(X, mask=mask)
        return m.head(m.final_norm(X))

    return _small_gpt(forward, make=_tied_head)(
        n_vocab, n_context, d_model, n_layers, make_block
    )


def _registered_mask(m, nn, d_model, n_vocab, n_context):
    import torch

    m.register_buffer("mask", torch.ones(n_context, n_context, dtype=bool).tril())


@right("SmallGPT")
def sg_registered_mask(n_vocab, n_context, d_model, n_layers, make_block):
    def forward(m, tokens):
        import torch

        n = tokens.shape[-1]
        X = torch.nn.functional.embedding(tokens, m.embedding.weight)
        X = X + m.positions.weight[:n]
        for layer in m.layers:
            X = layer(X, m.mask[:n, :n])
        return torch.nn.functional.linear(m.final_norm(X), m.embedding.weight)

    return _small_gpt(forward, make=_registered_mask)(
        n_vocab, n_context, d_model, n_layers, make_block
    )


@right("SmallGPT")
def sg_einsum(n_vocab, n_context, d_model, n_layers, make_block):
    def forward(m, tokens):
        import torch

        i = torch.arange(tokens.shape[-1], device=tokens.device)
        X = m.embedding(tokens) + m.positions(i)
        for k in range(len(m.layers)):
            X = m.layers[k](X, i[:, None] >= i)
        return torch.einsum("...d,vd->...v", m.final_norm(X), m.embedding.weight)

    return _small_gpt(forward)(n_vocab, n_context, d_model, n_layers, make_block)


@right("SmallGPT")
def sg_functional_norm(n_vocab, n_context, d_model, n_layers, make_block):
    def forward(m, tokens):
        from functools import reduce

        import torch
        from torch.nn import functional as F

        n = tokens.shape[-1]
        mask = ~torch.triu(torch.ones((n, n), dtype=torch.bool), diagonal=1)
        start = m.embedding.weight[tokens] + m.positions.weight[torch.arange(n)]
        X = reduce(lambda x, block: block(x, mask), m.layers, start)
        X = F.layer_norm(X, (d_model,), m.final_norm.weight, m.final_norm.bias)
        return torch.matmul(X, m.embedding.weight.transpose(0, 1))

    return _small_gpt(forward)(n_vocab, n_context, d_model, n_layers, make_block)
