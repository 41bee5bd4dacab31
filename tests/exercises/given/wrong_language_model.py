"""Wrong answers to the exercises of `language_model`, none copied from the known mistakes."""

import numpy as np

from tests.exercises.answers import Answers

wrong = Answers()


@wrong(
    "shift_targets",
    "found-by-inputs",
    mistake="the mask is made from the inputs' places by length, one too long",
)
def shift_length_off_by_one(tokens, pad):
    lengths = (tokens != pad).sum(axis=-1, keepdims=True)
    place = np.arange(tokens.shape[-1] - 1)
    targets = np.where(place < lengths, tokens[..., 1:], -100)
    return tokens[..., :-1], targets


@wrong("shift_targets", mistake="writes -100 into the array it was given")
def shift_in_place(tokens, pad):
    targets = tokens[..., 1:]
    targets[targets == pad] = -100
    return tokens[..., :-1], targets


@wrong(
    "shift_targets",
    "all-places",
    mistake="the targets keep all places, with -100 at the end",
)
def shift_filled_at_the_end(tokens, pad):
    targets = np.full_like(tokens, -100)
    targets[..., :-1] = tokens[..., 1:]
    targets[targets == pad] = -100
    return tokens, targets


@wrong("shift_targets", mistake="returns targets first")
def shift_other_order(tokens, pad):
    targets = np.where(tokens[..., 1:] == pad, -100, tokens[..., 1:])
    return targets, tokens[..., :-1]


@wrong("shift_targets", "texts-shifted", mistake="for one text only")
def shift_one_text(tokens, pad):
    inputs, targets = tokens[:-1], tokens[1:]
    targets = np.where(targets == pad, -100, targets)
    return inputs, targets


@wrong("shift_targets", mistake="drops the padding, which makes one flat array")
def shift_boolean_index(tokens, pad):
    inputs, targets = tokens[..., :-1], tokens[..., 1:]
    keep = targets != pad
    return inputs[keep], targets[keep]


@wrong("shift_targets", mistake="NaN, so that the targets are floats")
def shift_nan(tokens, pad):
    return tokens[..., :-1], np.where(
        tokens[..., 1:] == pad, np.nan, tokens[..., 1:]
    )


@wrong("shift_targets", mistake="only one array")
def shift_stacked(tokens, pad):
    targets = np.where(tokens[..., 1:] == pad, -100, tokens[..., 1:])
    return np.stack([tokens[..., :-1], targets])


@wrong("cross_entropy", mistake="an epsilon in the logarithm of a stable softmax")
def ce_epsilon(logits, targets):
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    keep = targets != -100
    p = np.take_along_axis(p, np.where(keep, targets, 0)[..., None], -1)[..., 0]
    return -np.log(p[keep] + 1e-12).mean()


@wrong("cross_entropy", mistake="probabilities are clipped, as Keras did")
def ce_clipped(logits, targets):
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    p = np.clip(e / e.sum(axis=-1, keepdims=True), 1e-7, 1 - 1e-7)
    keep = targets != -100
    p = np.take_along_axis(p, np.where(keep, targets, 0)[..., None], -1)[..., 0]
    return -np.log(p)[keep].mean()


@wrong("cross_entropy", mistake="works for one text only, and -100 is an index")
def ce_no_ignore(logits, targets):
    z = logits - logits.max(axis=-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    return -log_p[np.arange(len(targets)), targets].mean()


@wrong(
    "cross_entropy",
    "padding-counted",
    mistake="flattened, but -100 clipped to 0 and counted",
)
def ce_clipped_targets(logits, targets):
    z = (logits - logits.max(axis=-1, keepdims=True)).reshape(-1, logits.shape[-1])
    log_p = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    return -log_p[np.arange(len(z)), targets.ravel().clip(0)].mean()


@wrong("cross_entropy", mistake="divides by the number of logits")
def ce_over_vocabulary(logits, targets):
    one_hot = targets[..., None] == np.arange(logits.shape[-1])
    z = logits - logits.max(axis=-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    return -(one_hot * log_p).mean()


@wrong("cross_entropy", mistake="binary cross-entropy over all tokens")
def ce_binary(logits, targets):
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    y = targets[..., None] == np.arange(logits.shape[-1])
    losses = np.where(y, -np.log(p), -np.log(1 - p)).sum(axis=-1)
    return losses[targets != -100].mean()


@wrong(
    "cross_entropy",
    "sum-per-text",
    mistake="adds up over each text and averages over the texts",
)
def ce_sum_per_text(logits, targets):
    z = logits - logits.max(axis=-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    keep = targets != -100
    picked = np.take_along_axis(log_p, np.where(keep, targets, 0)[..., None], -1)[
        ..., 0
    ]
    return -(picked * keep).sum(axis=-1).mean()


@wrong("cross_entropy", mistake="the softmax's sum is not in the logarithm")
def ce_sum_not_logged(logits, targets):
    z = logits - logits.max(axis=-1, keepdims=True)
    log_p = z - np.exp(z).sum(axis=-1, keepdims=True)
    keep = targets != -100
    picked = np.take_along_axis(log_p, np.where(keep, targets, 0)[..., None], -1)[
        ..., 0
    ]
    return -picked[keep].mean()


@wrong(
    "cross_entropy",
    "shifted-again",
    mistake="shifts by hand, as in code where the labels are the inputs",
)
def ce_labels_are_inputs(logits, targets):
    rows, flat = (
        logits[..., :-1, :].reshape(-1, logits.shape[-1]),
        targets[..., 1:].ravel(),
    )
    rows, flat = rows[flat != -100], flat[flat != -100]
    z = rows - rows.max(axis=-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    return -log_p[np.arange(len(flat)), flat].mean()


@wrong("bigram_perplexity", "base-2", mistake="2 to a loss in nats, in a loop")
def bp_two_to_nats(table, tokens):
    loss = sum(
        -np.log(table[a, b]) for a, b in zip(tokens, tokens[1:], strict=False)
    )
    return 2 ** (loss / (len(tokens) - 1))


@wrong(
    "bigram_perplexity",
    "circle",
    mistake="begins with a step into the first token, from the last",
)
def bp_minus_one(table, tokens):
    logs = [np.log(table[tokens[i - 1], tokens[i]]) for i in range(len(tokens))]
    return np.exp(-np.mean(logs))


@wrong(
    "bigram_perplexity", "product", mistake="the root of a product that underflows"
)
def bp_product(table, tokens):
    p = np.prod(table[tokens[:-1], tokens[1:]])
    return p ** (-1 / (len(tokens) - 1))


@wrong(
    "bigram_perplexity",
    "first-counted",
    mistake="root of the product of n, not n - 1, numbers",
)
def bp_root_n(table, tokens):
    logs = np.log(table[tokens[:-1], tokens[1:]])
    return np.exp(-logs.sum() / tokens.size)


@wrong(
    "bigram_perplexity",
    mistake="takes the logarithm of the whole table's mean of the rows",
)
def bp_rows(table, tokens):
    return np.exp(-np.log(table[tokens]).mean())


@wrong("bigram_perplexity", mistake="normalizes the columns of the table first")
def bp_columns_normalized(table, tokens):
    table = table / table.sum(axis=0)
    return np.exp(-np.log(table[tokens[:-1], tokens[1:]]).mean())


@wrong(
    "bigram_perplexity",
    "sign",
    mistake="logarithm to base 10 and then 10 to mean, without the minus",
)
def bp_base_10(table, tokens):
    return 10 ** np.log10(table[tokens[:-1], tokens[1:]]).mean()


@wrong("gpt_from_parts", mistake="the mask is as large as the context")
def gp_mask_of_context(tokens, E, P, blocks, norm):
    X = E[tokens] + P[: tokens.shape[-1]]
    mask = np.tri(len(P), dtype=bool)
    for block in blocks:
        X = block(X, mask)
    return norm(X) @ E.T


@wrong("gpt_from_parts", mistake="n is the number of texts in a batch")
def gp_len(tokens, E, P, blocks, norm):
    n = len(tokens)
    X = E[tokens] + P[:n]
    for block in blocks:
        X = block(X, np.tri(n, dtype=bool))
    return norm(X) @ E.T


@wrong(
    "gpt_from_parts",
    "norm-of-the-stream",
    mistake="the norm before the unembedding is also added in each block",
)
def gp_norm_before_each(tokens, E, P, blocks, norm):
    X = E[tokens] + P[: tokens.shape[-1]]
    mask = np.tri(tokens.shape[-1], dtype=bool)
    for block in blocks:
        X = block(norm(X), mask)
    return norm(X) @ E.T


@wrong("gpt_from_parts", mistake="positions are added at the end, too, to E")
def gp_positions_at_the_end(tokens, E, P, blocks, norm):
    n = tokens.shape[-1]
    X = E[tokens] + P[:n]
    for block in blocks:
        X = block(X, np.tri(n, dtype=bool))
    return norm(X + P[:n]) @ E.T


@wrong(
    "gpt_from_parts",
    "each-from-the-start",
    mistake="the blocks all read the embeddings and the last one wins",
)
def gp_overwritten(tokens, E, P, blocks, norm):
    n = tokens.shape[-1]
    X = E[tokens] + P[:n]
    for block in blocks:
        H = block(X, np.tri(n, dtype=bool))
    return norm(H) @ E.T


@wrong(
    "gpt_from_parts", "mask-flipped", mistake="a mask of numbers, -inf where hidden"
)
def gp_additive_mask(tokens, E, P, blocks, norm):
    n = tokens.shape[-1]
    mask = np.triu(np.full((n, n), -np.inf), 1)
    X = E[tokens] + P[:n]
    for block in blocks:
        X = block(X, mask)
    return norm(X) @ E.T


@wrong(
    "gpt_from_parts",
    "likeliest",
    mistake="the likeliest tokens instead of the logits",
)
def gp_argmax(tokens, E, P, blocks, norm):
    n = tokens.shape[-1]
    X = E[tokens] + P[:n]
    for block in blocks:
        X = block(X, np.tri(n, dtype=bool))
    return (norm(X) @ E.T).argmax(axis=-1)


@wrong(
    "token_probabilities",
    mistake="0 instead of -inf for the logits that are left out",
)
def tp_zero_logits(logits, temperature, top_k, top_p):
    z = logits / temperature
    order = np.argsort(-z)
    z[order[top_k:]] = 0
    p = np.exp(z - z.max())
    p = p / p.sum()
    order = np.argsort(-p)
    keep = np.cumsum(p[order]) - p[order] < top_p
    out = np.zeros_like(p)
    out[order[keep]] = p[order[keep]]
    return out / out.sum()


@wrong(
    "token_probabilities", "unused", mistake="temperature divides the probabilities"
)
def tp_temperature_of_probabilities(logits, temperature, top_k, top_p):
    p = np.exp(logits - logits.max())
    p = p / p.sum() / temperature
    p = np.where(p >= np.sort(p)[-top_k], p, 0)
    p = p / p.sum()
    order = np.argsort(-p)
    out = np.zeros_like(p)
    total = 0
    for i in order:
        if total >= top_p:
            break
        out[i] = p[i]
        total += p[i]
    return out / out.sum()


@wrong(
    "token_probabilities", mistake="breaks before the token that crosses is kept"
)
def tp_breaks_early(logits, temperature, top_k, top_p):
    z = logits / temperature
    p = np.exp(z - z.max())
    p = np.where(z >= np.sort(z)[-top_k], p, 0)
    p = p / p.sum()
    out = np.zeros_like(p)
    total = 0
    for i in np.argsort(-p):
        total += p[i]
        if total > top_p:
            break
        out[i] = p[i]
    return out / out.sum()


@wrong("token_probabilities", "top-p-of-all", mistake="top-p first, then top-k")
def tp_other_order(logits, temperature, top_k, top_p):
    z = logits / temperature
    p = np.exp(z - z.max())
    p = p / p.sum()
    order = np.argsort(-p)
    keep = np.cumsum(p[order]) - p[order] < top_p
    keep[top_k:] = False
    out = np.zeros_like(p)
    out[order[keep]] = p[order[keep]]
    return out / out.sum()


@wrong(
    "token_probabilities",
    "one-more",
    mistake="top-k is a threshold one too low: `>=` on the k+1-th",
)
def tp_threshold_index(logits, temperature, top_k, top_p):
    z = logits / temperature
    p = np.exp(z - z.max())
    ranked = np.sort(p)[::-1]
    p = np.where(p >= ranked[min(top_k, len(p) - 1)], p, 0)
    p = p / p.sum()
    order = np.argsort(-p)
    keep = np.cumsum(p[order]) - p[order] < top_p
    out = np.zeros_like(p)
    out[order[keep]] = p[order[keep]]
    return out / out.sum()


@wrong("token_probabilities", mistake="not divided after top-k, nor at the end")
def tp_never_renormalized(logits, temperature, top_k, top_p):
    z = logits / temperature
    p = np.exp(z - z.max())
    p = p / p.sum()
    order = np.argsort(-p)
    out = np.zeros_like(p)
    sums = np.cumsum(p[order])
    keep = (sums - p[order] < top_p) & (np.arange(len(p)) < top_k)
    out[order[keep]] = p[order[keep]]
    return out


@wrong("token_probabilities", "no-shift", mistake="exp of large logits")
def tp_overflow(logits, temperature, top_k, top_p):
    p = np.exp(logits / temperature)
    order = np.argsort(-logits)
    p[order[top_k:]] = 0
    p /= p.sum()
    keep = np.cumsum(p[order]) - p[order] < top_p
    p[order[~keep]] = 0
    return p / p.sum()


@wrong(
    "token_probabilities", mistake="min-p: keeps what is above a share of the best"
)
def tp_min_p(logits, temperature, top_k, top_p):
    z = logits / temperature
    p = np.exp(z - z.max())
    p = np.where(z >= np.sort(z)[-top_k], p, 0)
    p = np.where(p >= (1 - top_p) * p.max(), p, 0)
    return p / p.sum()


@wrong("draw_tokens", "zero-drawn", mistake="side left")
def dt_left(probabilities, u):
    return np.searchsorted(np.cumsum(probabilities), u)


@wrong("draw_tokens", mistake="one number for all draws")
def dt_first_only(probabilities, u):
    return np.array([np.searchsorted(np.cumsum(probabilities), u[0], side="right")])


@wrong("draw_tokens", mistake="np.random in place of u")
def dt_random(probabilities, u):
    return np.random.choice(len(probabilities), size=len(u), p=probabilities)


@wrong(
    "draw_tokens",
    "first-probability",
    mistake="the first probability that exceeds u",
)
def dt_first_probability(probabilities, u):
    return (probabilities > u[:, None]).argmax(axis=1)


@wrong("draw_tokens", "nearest", mistake="the nearest sum")
def dt_nearest(probabilities, u):
    return np.abs(np.cumsum(probabilities) - u[:, None]).argmin(axis=1)


@wrong(
    "draw_tokens",
    "one-too-far",
    mistake="a leading 0 in the sums shifts all by one",
)
def dt_leading_zero(probabilities, u):
    edges = np.concatenate([[0.0], np.cumsum(probabilities)])
    return np.searchsorted(edges, u, side="right")


@wrong(
    "draw_tokens",
    "likeliest-first",
    mistake="each u removes its token for the next draw",
)
def dt_largest_first(probabilities, u):
    order = np.argsort(-probabilities)
    return order[np.searchsorted(np.cumsum(probabilities[order]), u, side="right")]


@wrong(
    "induction_score",
    "one-row-too-many",
    mistake="the whole diagonal, also the row before the period",
)
def is_whole_diagonal(weights, period):
    return np.diagonal(weights, 1 - period, -2, -1).mean(-1)


@wrong("induction_score", "own-token", mistake="the diagonal at -period")
def is_wrong_diagonal(weights, period):
    return np.diagonal(weights, -period, -2, -1).mean(-1)


@wrong(
    "induction_score",
    "transposed",
    mistake="upper diagonal: the sign of the offset",
)
def is_upper(weights, period):
    return np.diagonal(weights, period - 1, -2, -1)[..., 1:].mean(-1)


@wrong("induction_score", mistake="np.diagonal of the first two axes")
def is_first_axes(weights, period):
    return np.diagonal(weights, 1 - period)[..., 1:].mean(-1)


@wrong(
    "induction_score",
    "own-token",
    mistake="the trace of the part below the period: the columns begin at 0",
)
def is_part(weights, period):
    part = weights[..., period:, : weights.shape[-1] - period]
    return np.trace(part, axis1=-2, axis2=-1) / part.shape[-1]


@wrong(
    "induction_score",
    mistake="the sum of all rows' weights on all earlier occurrences' next",
)
def is_all_earlier(weights, period):
    n = weights.shape[-1]
    total = np.zeros(weights.shape[:-2])
    for i in range(period, n):
        for j in range(i - period, -1, -period):
            total = total + weights[..., i, j + 1]
    return total / (n - period)


@wrong(
    "induction_score",
    mistake="the mean over rows from the second period on, of the column i % period + 1",
)
def is_first_occurrence(weights, period):
    n = weights.shape[-1]
    i = np.arange(period, n)
    return weights[..., i, np.minimum(i % period + 1, i)].mean(-1)


@wrong("induction_score", mistake="for one map only")
def is_one_map(weights, period):
    n = len(weights)
    return np.mean([weights[i, i - period + 1] for i in range(period, n)])


@wrong("two_losses", "a-base-10", mistake="log10")
def tl_log10():
    return np.log10(64), np.log2(64), 64, np.log10(4), 2, 4


@wrong("two_losses", "b-mean-probability", mistake="mean before the logarithm")
def tl_mean_first():
    p = (0.5 + 0.125) / 2
    return np.log(64), 6, 64, -np.log(p), -np.log2(p), 1 / p


@wrong("two_losses", "negative")
def tl_negative():
    return -4.159, -6, 64, -1.386, -2, 4


@wrong("two_losses", "by-kind")
def tl_by_kind():
    return np.log(64), np.log(4), 6, 2, 64, 4


@wrong("two_losses", "b-mean-of-inverses")
def tl_mean_of_perplexities():
    return np.log(64), 6, 64, np.log(4), 2, 5


@wrong("two_losses", "other-3")
def tl_two_thirds():
    return np.log(64), 6, 64, 1.0, 2, 4


@wrong("two_losses", said="six finite numbers")
def tl_three_numbers():
    return np.log(64), 6, 64


def _small_gpt(forward, change=None):
    """Make a model with a forward of its own, and perhaps another `__init__`."""

    def made(n_vocab, n_context, d_model, n_layers, make_block):
        from torch import nn

        class Mine(nn.Module):
            def __init__(self):
                super().__init__()
                self.embedding = nn.Embedding(n_vocab, d_model)
                self.positions = nn.Embedding(n_context, d_model)
                self.final_norm = nn.LayerNorm(d_model)
                self.blocks = nn.ModuleList(make_block() for _ in range(n_layers))
                if change is not None:
                    change(self, nn)

            def forward(self, tokens):
                import torch

                return forward(self, tokens, torch)

        return Mine()

    return made


def _stream(m, tokens, torch):
    n = tokens.shape[-1]
    mask = torch.ones(n, n, dtype=torch.bool).tril()
    X = m.embedding(tokens) + m.positions(torch.arange(n))
    for block in m.blocks:
        X = block(X, mask)
    return X


@wrong("SmallGPT", "not-tied", mistake="a head of its own")
def sg_own_head(*sizes):
    def head(m, nn):
        m.head = nn.Linear(
            m.embedding.embedding_dim, m.embedding.num_embeddings, bias=False
        )

    def forward(m, tokens, torch):
        return m.head(m.final_norm(_stream(m, tokens, torch)))

    return _small_gpt(forward, head)(*sizes)


@wrong("SmallGPT", "more-parameters", mistake="a tied head with a bias")
def sg_head_with_bias(*sizes):
    def head(m, nn):
        m.head = nn.Linear(m.embedding.embedding_dim, m.embedding.num_embeddings)
        m.head.weight = m.embedding.weight

    def forward(m, tokens, torch):
        return m.head(m.final_norm(_stream(m, tokens, torch)))

    return _small_gpt(forward, head)(*sizes)


@wrong(
    "SmallGPT", "not-tied", mistake="copies the embedding's numbers at the start"
)
def sg_copied_head(*sizes):
    def head(m, nn):
        m.head = nn.Parameter(m.embedding.weight.detach().clone().T)

    def forward(m, tokens, torch):
        return m.final_norm(_stream(m, tokens, torch)) @ m.head

    return _small_gpt(forward, head)(*sizes)


@wrong("SmallGPT", "plain-list", mistake="the blocks in a plain list")
def sg_list(*sizes):
    def plain(m, nn):
        blocks = [*m.blocks]
        del m.blocks
        m.blocks = blocks

    def forward(m, tokens, torch):
        return m.final_norm(_stream(m, tokens, torch)) @ m.embedding.weight.T

    return _small_gpt(forward, plain)(*sizes)


@wrong("SmallGPT", "blocks", mistake="one block, several times")
def sg_same_block(n_vocab, n_context, d_model, n_layers, make_block):
    import torch

    class Mine(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = torch.nn.Embedding(n_vocab, d_model)
            self.positions = torch.nn.Embedding(n_context, d_model)
            self.final_norm = torch.nn.LayerNorm(d_model)
            self.blocks = torch.nn.ModuleList([make_block()] * n_layers)

        def forward(self, tokens):
            return (
                self.final_norm(_stream(self, tokens, torch))
                @ self.embedding.weight.T
            )

    return Mine()


@wrong("SmallGPT", "attribute", mistake="positions as an nn.Parameter")
def sg_parameter(*sizes):
    def parameter(m, nn):
        m.positions = nn.Parameter(m.positions.weight.detach())

    def forward(m, tokens, torch):
        X = m.embedding(tokens) + m.positions[: tokens.shape[-1]]
        for block in m.blocks:
            X = block(X, torch.ones(len(X), len(X)).tril().bool())
        return m.final_norm(X) @ m.embedding.weight.T

    return _small_gpt(forward, parameter)(*sizes)


@wrong(
    "SmallGPT",
    "cosine",
    mistake="the norm of the logits' dot products: cosine similarity",
)
def sg_cosine(*sizes):
    def forward(m, tokens, torch):
        X = m.final_norm(_stream(m, tokens, torch))
        X = X / X.norm(dim=-1, keepdim=True)
        E = m.embedding.weight / m.embedding.weight.norm(dim=-1, keepdim=True)
        return X @ E.T

    return _small_gpt(forward)(*sizes)


@wrong(
    "SmallGPT", "positions-backward", mistake="positions from the end of the text"
)
def sg_positions_backward(*sizes):
    def forward(m, tokens, torch):
        n = tokens.shape[-1]
        X = m.embedding(tokens) + m.positions(torch.arange(n).flip(0))
        for block in m.blocks:
            X = block(X, torch.ones(n, n, dtype=torch.bool).tril())
        return m.final_norm(X) @ m.embedding.weight.T

    return _small_gpt(forward)(*sizes)


@wrong("SmallGPT", "log-probabilities", mistake="log-softmax at the end")
def sg_log_softmax(*sizes):
    def forward(m, tokens, torch):
        logits = m.final_norm(_stream(m, tokens, torch)) @ m.embedding.weight.T
        return torch.log_softmax(logits, dim=-1)

    return _small_gpt(forward)(*sizes)


@wrong("SmallGPT", mistake="nothing learns: no_grad")
def sg_no_grad(*sizes):
    def forward(m, tokens, torch):
        with torch.no_grad():
            return m.final_norm(_stream(m, tokens, torch)) @ m.embedding.weight.T

    return _small_gpt(forward)(*sizes)
