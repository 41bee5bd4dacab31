"""The recurrent models that came before: one fixed vector for a source, and the first attention."""

from dataclasses import dataclass
from math import inf
from typing import Annotated

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor as Array

from course_attn._contracts import Count, NonEmpty, check_arguments
from course_attn._rules import Below
from course_attn.in_torch.masks import masked_softmax
from course_attn.in_torch.scores import additive_scores
from course_attn.in_torch.weighted_sum import weighted_sum

__all__ = ["AdditiveEncoderDecoder", "RecurrentEncoderDecoder", "RecurrentState"]


@dataclass
class RecurrentState:
    """What a recurrent decoder keeps of the target so far: one vector for each sequence.

    It is None before the first token.
    """

    s: Array | None = None


class RecurrentEncoderDecoder(torch.nn.Module):
    """Predict every next token of a target from one fixed vector that a source was read into.

    A GRU reads the source in both directions: z_j = (forward state, backward state), 2 d_model
    features. A second GRU writes: s_i = GRU(s_(i-1), (E_t[y_i], c)), and logits_i = (s_i, c) W + b.
    It starts from s_0 = tanh(W_s b_0 + b_s), where b_0 is the backward state at the first token,
    and c is the same at every position: what either direction ends with.
    Source: Cho et al. (2014), section 2; the start and both directions, Bahdanau, Cho and
    Bengio (2015), appendix A.2.

    Examples
    --------
    >>> model = RecurrentEncoderDecoder(n_source_vocab=7, n_target_vocab=5, d_model=8)
    >>> model(torch.tensor([[6, 0, 1]]), torch.tensor([[4, 2]])).shape
    torch.Size([1, 2, 5])
    """

    # A recurrent model has no last position.
    n_target_context = inf

    @check_arguments
    def __init__(
        self, *, n_source_vocab: Count, n_target_vocab: Count, d_model: Count
    ) -> None:
        super().__init__()
        self.n_source_vocab, self.n_target_vocab = n_source_vocab, n_target_vocab
        self.d_model, self.d_z = d_model, 2 * d_model
        self.source_embedding = torch.nn.Embedding(n_source_vocab, d_model)
        self.target_embedding = torch.nn.Embedding(n_target_vocab, d_model)
        self.encoder = torch.nn.GRU(
            d_model, d_model, batch_first=True, bidirectional=True
        )
        self.start = torch.nn.Linear(d_model, d_model)
        self.cell = torch.nn.GRUCell(d_model + self.d_z, d_model)
        self.unembed = torch.nn.Linear(d_model + self.d_z, n_target_vocab)

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw the parameters anew, as PyTorch's modules draw theirs.

        The vectors of tokens have unit variance; all else lies evenly within 1 over the square root
        of a width, that of the states or of what is read off.
        """
        for embedding in (self.source_embedding, self.target_embedding):
            torch.nn.init.normal_(embedding.weight, generator=generator)
        for part, width in (
            (self.encoder, self.d_model),
            (self.cell, self.d_model),
            (self.start, self.d_model),
            (self.unembed, self.d_model + self.d_z),
        ):
            for parameter in part.parameters():
                most = width**-0.5
                torch.nn.init.uniform_(parameter, -most, most, generator=generator)

    def extra_repr(self) -> str:
        """Say the sizes."""
        names = ("n_source_vocab", "n_target_vocab", "d_model")
        return ", ".join(f"{name}={getattr(self, name)}" for name in names)

    @check_arguments
    def forward(
        self,
        source: Int[Array, "batch n_source"],
        target: Int[Array, "batch n_target"],
        *,
        source_mask: Bool[Array, "batch n_source"] | None = None,
    ) -> Float[Array, "batch n_target n_target_vocab"]:
        """Return the logits (batch, n_target, n_target_vocab); row i is about target token i + 1.

        True in `source_mask` marks a real token; padding stands behind all of these.
        """
        Z = self.encode(source, source_mask=source_mask)
        return self.decode(target, Z, source_mask=source_mask)

    @check_arguments
    def encode(
        self,
        source: Annotated[
            Int[Array, "batch n_source"],
            NonEmpty("batch", "n_source"),
            Below("n_source_vocab"),
        ],
        *,
        source_mask: Bool[Array, "batch n_source"] | None = None,
    ) -> Float[Array, "batch n_source d_z"]:
        """Return both states at each token of the source, side by side; zeros at padding."""
        X = self.source_embedding(source.long())
        lengths = _lengths(source, source_mask)
        packed = torch.nn.utils.rnn.pack_padded_sequence(
            X, lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        states, _ = self.encoder(packed)
        Z, _ = torch.nn.utils.rnn.pad_packed_sequence(
            states, batch_first=True, total_length=source.shape[-1]
        )
        return Z

    @check_arguments
    def decode(
        self,
        target: Annotated[
            Int[Array, "batch n_target"],
            NonEmpty("n_target"),
            Below("n_target_vocab"),
        ],
        Z: Float[Array, "batch n_source d_z"],
        *,
        source_mask: Bool[Array, "batch n_source"] | None = None,
        caches: RecurrentState | None = None,
    ) -> Float[Array, "batch n_target n_target_vocab"]:
        """Return the logits for a target, given what `encode` made of the source.

        With `caches`, what `new_caches` gave, `target` are only the new tokens: they stand behind
        those of earlier calls.
        """
        return self._decode(target, Z, source_mask, caches)[0]

    def new_caches(self) -> RecurrentState:
        """Return what `decode` keeps its state in."""
        return RecurrentState()

    def _decode(
        self,
        target: Array,
        Z: Array,
        source_mask: Array | None,
        caches: RecurrentState | None,
    ) -> tuple[Array, list[Array | None]]:
        """Return the logits, and how each position weighted the source."""
        state = RecurrentState() if caches is None else caches
        d = self.d_model
        s = torch.tanh(self.start(Z[:, 0, d:])) if state.s is None else state.s
        rows, weights = [], []
        for y in self.target_embedding(target.long()).unbind(dim=1):
            c, of_step = self._read(s, Z, source_mask)
            s = self.cell(torch.cat([y, c], dim=-1), s)
            rows.append(torch.cat([s, c], dim=-1))
            weights.append(of_step)
        state.s = s
        return self.unembed(torch.stack(rows, dim=1)), weights

    def _read(
        self, s: Array, Z: Array, source_mask: Array | None
    ) -> tuple[Array, Array | None]:
        """Return what each direction ends with, whatever has been written."""
        last = _lengths(Z[..., 0], source_mask).to(Z.device) - 1
        rows = torch.arange(len(Z), device=Z.device)
        ends = Z[rows, last, : self.d_model], Z[:, 0, self.d_model :]
        return torch.cat(ends, dim=-1), None


class AdditiveEncoderDecoder(RecurrentEncoderDecoder):
    """Predict every next token of a target while attending to a source: the first of its kind.

    A `RecurrentEncoderDecoder` whose vector is made anew at every position: c_i = sum over j of
    a_ij z_j, with a_i = softmax of `additive_scores` between the state s_(i-1), the query, and all
    z_j, the keys and values.
    Source: Bahdanau, Cho and Bengio (2015), section 3.1; there the next token is read off by a
    layer more.

    Examples
    --------
    >>> model = AdditiveEncoderDecoder(n_source_vocab=7, n_target_vocab=5, d_model=8)
    >>> source, target = torch.tensor([[6, 0, 1]]), torch.tensor([[4, 2]])
    >>> logits, weights = model.forward_with_weights(source, target)
    >>> weights.shape
    torch.Size([1, 2, 3])
    """

    @check_arguments
    def __init__(
        self, *, n_source_vocab: Count, n_target_vocab: Count, d_model: Count
    ) -> None:
        super().__init__(
            n_source_vocab=n_source_vocab,
            n_target_vocab=n_target_vocab,
            d_model=d_model,
        )
        self.W_Q = torch.nn.Parameter(torch.empty(d_model, d_model))
        self.W_K = torch.nn.Parameter(torch.empty(self.d_z, d_model))
        self.v = torch.nn.Parameter(torch.empty(d_model))
        self._reset_scores(None)

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw the parameters anew; those of the scores with variance 1 over their rows."""
        super().reset_parameters(generator)
        self._reset_scores(generator)

    def _reset_scores(self, generator: torch.Generator | None) -> None:
        """Draw what only the scores need."""
        for W in (self.W_Q, self.W_K, self.v):
            torch.nn.init.normal_(W, std=W.shape[0] ** -0.5, generator=generator)

    @check_arguments
    def forward_with_weights(
        self,
        source: Int[Array, "batch n_source"],
        target: Int[Array, "batch n_target"],
        *,
        source_mask: Bool[Array, "batch n_source"] | None = None,
    ) -> tuple[Array, Array]:
        """Return what `forward` does, and the weights (batch, n_target, n_source)."""
        Z = self.encode(source, source_mask=source_mask)
        logits, weights = self._decode(target, Z, source_mask, None)
        return logits, torch.stack([w for w in weights if w is not None], dim=1)

    def _read(
        self, s: Array, Z: Array, source_mask: Array | None
    ) -> tuple[Array, Array | None]:
        """Attend from the state to all elements of the source."""
        mask = None if source_mask is None else source_mask[:, None]
        scores = additive_scores(s[:, None], Z, self.W_Q, self.W_K, self.v)
        weights = masked_softmax(scores, mask)
        return weighted_sum(weights, Z)[:, 0], weights[:, 0]


def _lengths(source: Array, source_mask: Array | None) -> Array:
    """Count the real tokens of each sequence, which must be its first ones."""
    batch, n = source.shape
    if source_mask is None:
        return torch.full((batch,), n)
    lengths = source_mask.sum(dim=-1)
    is_first = torch.arange(n, device=source.device) < lengths[:, None]
    if not (torch.equal(is_first, source_mask) and (lengths > 0).all()):
        raise ValueError(
            "source_mask must be True for the first tokens of each sequence, one at least, and "
            "False for the padding behind them: a recurrent model reads them in a row"
        )
    return lengths
