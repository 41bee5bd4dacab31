"""The GPT as a good `nn.Module`, how it writes, and what one sees inside."""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import FrozenInstanceError, asdict, replace
from math import log
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from course_attn.in_torch import (
    GPT,
    GPTConfig,
    KVCache,
    attention_maps,
    cross_entropy,
    generate,
    logit_lens,
)
from course_attn.text import Characters
from tests.support.block_layers import shaken
from tests.support.comparison import assert_close
from tests.support.sampled import every
from tests.support.twin_table import public, twin

N_VOCAB, N_CONTEXT, LAYERS, HEADS, D, D_FF = 23, 11, 2, 3, 15, 19
CONFIG = GPTConfig(
    n_vocab=N_VOCAB,
    n_context=N_CONTEXT,
    n_layers=LAYERS,
    d_model=D,
    n_heads=HEADS,
    d_ff=D_FF,
)


def made(**changed: Any) -> GPT:
    """Return a model in float64 whose parameters are all drawn, in evaluation mode."""
    return shaken(GPT(replace(CONFIG, **changed))).eval()


def text(*batch: int, n: int = 7, seed: int = 0) -> torch.Tensor:
    """Draw tokens."""
    rng = np.random.default_rng([seed, n, *batch])
    return torch.from_numpy(rng.integers(0, N_VOCAB, size=(*batch, n)))


# --- what it computes -----------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [(), (2,), (2, 3), (0,)])
def test_gpt_is_the_function_of_its_state_dict(
    batch: tuple[int, ...], library: str
) -> None:
    model, tokens = made(), text(*batch)
    params = {name: p.detach().numpy() for name, p in model.state_dict().items()}
    wanted = twin(library, "language_model.gpt")(
        tokens.numpy(), params, n_heads=HEADS
    )
    assert_close(model(tokens), wanted, 1e-12)


def test_gpt_is_pytorchs_encoder_layers_between_two_uses_of_one_matrix() -> None:
    """With a causal mask, and no biases in their attention."""
    model, tokens = made(), text(2, n=N_CONTEXT)
    x = F.embedding(tokens, model.embedding) + model.positions.P
    mask = torch.nn.Transformer.generate_square_subsequent_mask(
        N_CONTEXT, dtype=torch.float64
    )
    for block in model.transformer.blocks:
        layer = torch.nn.TransformerEncoderLayer(
            D, HEADS, D_FF, 0.0, "gelu", batch_first=True, norm_first=True
        ).double()
        attention, feed = block.attention, block.feed_forward
        W = [attention.W_Q.T, attention.W_K.T, attention.W_V.T]
        layer.load_state_dict(
            {
                "self_attn.in_proj_weight": torch.cat(W),
                "self_attn.in_proj_bias": torch.zeros(3 * D),
                "self_attn.out_proj.weight": attention.W_O.T,
                "self_attn.out_proj.bias": torch.zeros(D),
                "linear1.weight": feed.W_1.T,
                "linear1.bias": feed.b_1,
                "linear2.weight": feed.W_2.T,
                "linear2.bias": feed.b_2,
                "norm1.weight": block.norm_1.gain,
                "norm1.bias": block.norm_1.bias,
                "norm2.weight": block.norm_2.gain,
                "norm2.bias": block.norm_2.bias,
            }
        )
        x = layer(x, src_mask=mask, is_causal=True)
    last = model.transformer.final_norm
    x = F.layer_norm(x, (D,), last.gain, last.bias)
    assert_close(model(tokens), x @ model.embedding.T, 1e-12)


def test_gpt_sees_nothing_of_later_tokens() -> None:
    """Change token j: the logits before it stay as they are, and those from it on do not."""
    model, tokens = made(), text(2)
    before = model(tokens)
    for j in range(tokens.shape[-1]):
        changed = tokens.clone()
        changed[:, j] = (changed[:, j] + 1) % N_VOCAB
        after = model(changed)
        assert_close(after[:, :j], before[:, :j], 1e-13)
        assert ((after - before).abs().amax(dim=-1) > 1e-6)[:, j:].all()


@pytest.mark.parametrize(
    "pieces", [[1] * N_CONTEXT, [3, 1, 1, 4, 2], [5, 6], [0, 4, 0, 7]]
)
@pytest.mark.parametrize("n_max", [None, N_CONTEXT])
def test_gpt_with_caches_gives_the_rows_of_the_full_run(
    n_max: int | None, pieces: list[int]
) -> None:
    model, tokens = made(), text(2, n=N_CONTEXT)
    wanted, of_all = model.forward_with_weights(tokens)
    caches, out, start = [KVCache(n_max) for _ in range(LAYERS)], [], 0
    for n in pieces:
        rows = slice(start, start + n)
        with torch.no_grad():
            found, weights = model.forward_with_weights(
                tokens[:, rows], caches=caches
            )
        for ours, full in zip(weights, of_all, strict=True):
            assert_close(
                ours[..., : rows.stop], full[..., rows, : rows.stop], 1e-12
            )
        out.append(found)
        start += n
    assert_close(torch.cat(out, dim=1), wanted, 1e-12)
    assert [len(cache) for cache in caches] == [N_CONTEXT] * LAYERS


def test_gpt_takes_no_tokens_and_no_texts() -> None:
    model = made()
    assert model(text(2, n=0)).shape == (2, 0, N_VOCAB)
    assert model(text(0)).shape == (0, 7, N_VOCAB)
    one = model(text(n=1))
    assert one.shape == (1, N_VOCAB) and one.isfinite().all()


def test_gpt_takes_tokens_of_any_integer_dtype() -> None:
    model, tokens = made(), text(2)
    for dtype in (torch.int8, torch.int16, torch.int32):
        assert torch.equal(model(tokens.to(dtype)), model(tokens))
    assert generate(model, tokens.int(), 2).dtype == torch.int32


def test_gradients_reach_every_parameter_that_was_used() -> None:
    model, tokens = made(), text(2)
    cross_entropy(model(tokens[:, :-1]), tokens[:, 1:]).backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        used = (
            parameter.grad[: tokens.shape[-1] - 1]
            if name == "positions.P"
            else parameter.grad
        )
        assert (used != 0).double().mean() > 0.5, name
    assert not model.positions.P.grad[tokens.shape[-1] - 1 :].any()


def test_gpt_learns_what_comes_next() -> None:
    """A text that repeats: after a few steps it is known by heart, and written on."""
    torch.manual_seed(0)
    model = GPT(replace(CONFIG, n_vocab=5))
    tokens = torch.tensor([0, 1, 2, 3, 4] * 5)
    windows = tokens.unfold(0, N_CONTEXT + 1, 1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(60):
        optimizer.zero_grad()
        loss = cross_entropy(model(windows[:, :-1]), windows[:, 1:])
        loss.backward()
        optimizer.step()
    assert loss < 0.05
    written = generate(model.eval(), tokens[:N_CONTEXT], 15, temperature=0)
    assert torch.equal(written[N_CONTEXT:], torch.tensor([1, 2, 3, 4, 0] * 3))


# --- its parameters -------------------------------------------------------------------------------


def test_state_dict_of_a_gpt_has_the_names_that_the_function_wants() -> None:
    names = (
        *(f"attention.W_{x}" for x in "QKVO"),
        *("norm_1.gain", "norm_1.bias"),
        *(f"feed_forward.{name}" for name in ("W_1", "b_1", "W_2", "b_2")),
        *("norm_2.gain", "norm_2.bias"),
    )
    assert list(GPT(CONFIG).state_dict()) == [
        "embedding",
        "positions.P",
        *(
            f"transformer.blocks.{l}.{name}"
            for l in range(LAYERS)
            for name in names
        ),
        *("transformer.final_norm.gain", "transformer.final_norm.bias"),
    ]


def test_state_dict_of_a_gpt_makes_the_round_trip(tmp_path: Any) -> None:
    one, other = GPT(CONFIG), GPT(CONFIG)
    tokens = text(2)
    assert not torch.equal(one(tokens), other(tokens))
    torch.save(one.state_dict(), tmp_path / "weights.pt")
    other.load_state_dict(torch.load(tmp_path / "weights.pt", weights_only=True))
    assert torch.equal(one(tokens), other(tokens))
    assert torch.equal(copy.deepcopy(one)(tokens), one(tokens))


def test_gpt_is_made_on_the_meta_device_and_given_its_weights_later() -> None:
    with torch.device("meta"):
        hollow = GPT(CONFIG)
        assert hollow(torch.zeros(2, 7, dtype=torch.int64)).shape == (2, 7, N_VOCAB)
    assert all(p.is_meta for p in hollow.parameters())
    full, tokens = GPT(CONFIG), text(2)
    filled = hollow.to_empty(device="cpu")
    filled.load_state_dict(full.state_dict())
    assert torch.equal(filled(tokens), full(tokens))


def test_reset_parameters_of_a_gpt_draws_all_of_them_as_at_first() -> None:
    torch.manual_seed(0)
    model = GPT(CONFIG)
    first = {n: p.clone() for n, p in model.named_parameters()}
    torch.manual_seed(0)
    assert all(torch.equal(p, first[n]) for n, p in GPT(CONFIG).named_parameters())
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(torch.nan)
    draws = []
    for _ in range(2):
        model.reset_parameters(torch.Generator().manual_seed(3))
        draws.append([p.clone() for p in model.parameters()])
    assert all(map(torch.equal, *draws))
    assert all(p.isfinite().all() for p in draws[0])
    drawn = [p for p in draws[0] if p.ndim == 2]
    assert not any(
        map(torch.equal, drawn, (p for p in first.values() if p.ndim == 2))
    )


def test_gpt_starts_with_the_spreads_that_it_says() -> None:
    """Vectors of 0.02; W_O and W_2 smaller by the root of twice the number of layers."""
    model = GPT(
        GPTConfig(n_vocab=500, n_context=300, n_layers=8, d_model=64, n_heads=4)
    )
    model.reset_parameters(torch.Generator().manual_seed(0))
    wanted = {"embedding": 0.02, "P": 0.02, "W_O": 1 / 8 / 4, "W_2": 1 / 16 / 4}
    wanted |= dict.fromkeys(("W_Q", "W_K", "W_V", "W_1"), 1 / 8)
    for name, parameter in model.named_parameters():
        last = name.rpartition(".")[2]
        if last in wanted:
            # 5 times the standard error
            relative = 5 / (2 * parameter.numel()) ** 0.5
            assert float(parameter.detach().std()) == pytest.approx(
                wanted[last], rel=relative
            )
        else:
            value = 1.0 if last == "gain" else 0.0
            assert (parameter == value).all()
    assert {p.rpartition(".")[2] for p in model.state_dict()} >= set(wanted)


@pytest.mark.parametrize("seed", range(3))
def test_gpt_starts_with_nearly_even_predictions(seed: int) -> None:
    """Near log n_vocab; a unit-variance embedding would start far above."""
    torch.manual_seed(seed)
    model = GPT(
        GPTConfig(n_vocab=96, n_context=32, n_layers=4, d_model=64, n_heads=4)
    )
    tokens = torch.randint(96, (8, 33))
    loss = cross_entropy(model(tokens[:, :-1]), tokens[:, 1:])
    assert abs(float(loss.detach()) - log(96)) < 0.1


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_gpt_works_in_its_dtype(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    model, tokens = GPT(CONFIG).to(dtype), text(2)
    out = model(tokens)
    assert out.dtype == dtype
    assert attention_maps(model, tokens).dtype == dtype
    assert generate(model, tokens, 6).shape == (2, 13)
    exact = copy.deepcopy(model).double()(tokens)
    assert_close(out, exact, {torch.float32: 1e-5, torch.bfloat16: 0.05}[dtype])


def test_gpt_dropout_acts_in_training_only_and_on_the_elements_too() -> None:
    torch.manual_seed(0)
    model, tokens = GPT(replace(CONFIG, dropout=0.5)).double(), text(2)
    assert not torch.equal(model(tokens), model(tokens))
    zeros = [(model.embed(tokens) == 0).double().mean() for _ in range(20)]
    assert 0.4 < float(torch.stack(zeros).mean()) < 0.6
    assert model.transformer.blocks[0].attention.dropout == 0.5
    assert model.transformer.blocks[0].feed_forward.dropout.p == 0.5
    model.eval()
    assert torch.equal(model(tokens), model(tokens))
    without = GPT(CONFIG).double()
    without.load_state_dict(model.state_dict())
    assert torch.equal(model(tokens), without(tokens))


@pytest.mark.slow
@pytest.mark.without_hook
def test_gpt_can_be_exported() -> None:
    """With texts of any number, and of any length up to the context."""
    model, tokens = public("in_torch", "language_model.GPT")(CONFIG).eval(), text(2)
    sizes = {
        "tokens": {
            0: torch.export.Dim("batch", min=2),
            1: torch.export.Dim("n", min=2, max=N_CONTEXT),
        }
    }
    program = torch.export.export(model, (tokens,), dynamic_shapes=sizes)
    for more in (text(5, n=3), text(3, n=N_CONTEXT)):
        assert_close(program.module()(more), model(more), 1e-6)


def test_repr_of_a_gpt_says_its_sizes() -> None:
    assert repr(GPT(CONFIG)).startswith(
        f"GPT(\n  n_vocab={N_VOCAB}, n_context={N_CONTEXT}\n"
    )


def test_config_fills_in_the_width_and_can_be_kept() -> None:
    sizes = asdict(CONFIG)
    assert GPTConfig(**sizes) == CONFIG and sizes["d_ff"] == D_FF
    del sizes["d_ff"]
    four = GPTConfig(**sizes)
    assert four.d_ff == 4 * D and GPTConfig(**asdict(four)) == four
    assert GPT(four).transformer.blocks[0].feed_forward.W_1.shape == (D, 4 * D)
    with pytest.raises(FrozenInstanceError):
        four.d_ff = 3  # type: ignore[misc]
    assert four.dropout == 0.0


# --- writing --------------------------------------------------------------------------------------


@contextmanager
def lengths_read(model: GPT) -> Iterator[list[int]]:
    """Give a list that takes up how many tokens each call of the model reads."""
    read: list[int] = []

    def note(module: Any, given: tuple[torch.Tensor, ...]) -> None:
        read.append(given[0].shape[-1])

    hook = model.register_forward_pre_hook(note)
    try:
        yield read
    finally:
        hook.remove()


def written_anew(model: GPT, tokens: torch.Tensor, n: int) -> torch.Tensor:
    """Choose the largest logit each time, and read the whole text again for it."""
    rows = [row.tolist() for row in tokens]
    forgotten = 0
    for _ in range(n):
        if len(rows[0]) - forgotten > N_CONTEXT:
            forgotten = len(rows[0]) - (N_CONTEXT + 1) // 2
        seen = torch.tensor([row[forgotten:] for row in rows])
        for row, logits in zip(rows, model(seen)[:, -1], strict=True):
            row.append(int(logits.argmax()))
    return torch.tensor(rows)


@pytest.mark.parametrize("n_start", every(3, [1, 4, N_CONTEXT, N_CONTEXT + 1, 30]))
def test_generate_with_caches_writes_what_it_writes_without(n_start: int) -> None:
    """Greedily and drawn, also where the context is full, once and again."""
    model, tokens = made(), text(2, n=n_start)
    n = 3 * N_CONTEXT
    ways: list[dict[str, Any]] = [
        {"temperature": 0},
        {},
        {"temperature": 0.7, "top_k": 9, "top_p": 0.8},
    ]
    for options in ways:
        both = [
            generate(
                model,
                tokens,
                n,
                rng=torch.Generator().manual_seed(1),
                **way,
                **options,
            )
            for way in ({}, {"cached": False}, {"graph": True})
        ]
        assert both[0].shape == (2, n_start + n)
        assert all(torch.equal(both[0], other) for other in both[1:])
        assert torch.equal(both[0][:, :n_start], tokens)
    greedy = generate(model, tokens, n, temperature=0)
    assert torch.equal(greedy, written_anew(model, tokens, n))
    assert torch.equal(greedy[1], generate(model, tokens[1], n, temperature=0))


def test_generate_reads_each_token_once_until_the_context_is_full() -> None:
    """Then the newer half of the text, and each token once again."""
    model, tokens = made(), text(n=4)
    with lengths_read(model) as read:
        generate(model, tokens, 15)
    half = (N_CONTEXT + 1) // 2
    assert (
        read
        == [4, *[1] * (N_CONTEXT - 4), half, *[1] * (N_CONTEXT - half), half][:15]
    )
    with lengths_read(model) as read:
        generate(model, tokens, 10, cached=False)
    assert read == [*range(4, N_CONTEXT + 1), half, half + 1]
    with lengths_read(model) as read:
        generate(model, text(n=30), 2, graph=True)
    assert read == [half, 1]


def test_generate_with_graph_keeps_the_caches_in_their_place() -> None:
    """Also where the context is full: else a CUDA graph would read what is no longer there."""
    model, places = made(), set()

    def note(_: Any, __: Any, given: dict[str, Any]) -> None:
        caches = given["caches"]
        assert {cache.n_max for cache in caches} == {N_CONTEXT}
        if len(caches[0]):
            places.add(tuple(c._K.data_ptr() for c in caches))
            places.add(caches[0]._length.data_ptr())

    model.register_forward_pre_hook(note, with_kwargs=True)
    generate(model, text(2), 2 * N_CONTEXT, graph=True)
    assert len(places) == 2


def test_generate_draws_as_sample_logits_does() -> None:
    model, tokens = made(), text(2)
    best = generate(model, tokens, 20, temperature=0)
    for options in ({"top_k": 1}, {"top_p": 1e-9}, {"temperature": 1e-300}):
        assert torch.equal(generate(model, tokens, 20, **options), best)
    draws = [
        generate(
            model, tokens, 20, temperature=5.0, rng=torch.Generator().manual_seed(s)
        )
        for s in (0, 0, 1)
    ]
    assert torch.equal(draws[0], draws[1])
    assert not torch.equal(draws[0], draws[2]) and not torch.equal(draws[0], best)
    many = generate(model, tokens[0].expand(5000, -1), 1, top_k=2)[:, -1]
    assert set(many.tolist()) == set(model(tokens[0])[-1].topk(2).indices.tolist())


def test_generate_leaves_its_arguments_as_they_were() -> None:
    for training in (True, False):
        model, tokens = made().train(training), text(2)
        state = {n: p.clone() for n, p in model.state_dict().items()}
        before = tokens.clone()
        for n in (0, 3):
            found = generate(model, tokens, n)
            found[:] = 0
            assert torch.equal(tokens, before)
        assert model.training is training
        assert all(torch.equal(p, state[n]) for n, p in model.state_dict().items())
        assert all(p.grad is None for p in model.parameters())


def test_generate_writes_nothing_and_for_nobody() -> None:
    model = made()
    assert torch.equal(generate(model, text(2), 0), text(2))
    assert generate(model, text(0), 3).shape == (0, 10)


def test_generate_keeps_nothing_for_gradients() -> None:
    model, logits = made(), []
    model.register_forward_hook(lambda _, __, out: logits.append(out))
    generate(model, text(), 2)
    assert not any(found.requires_grad for found in logits)


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.without_hook
@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"n_vocab": 0}, ValueError, "n_vocab must be at least 1, got 0"),
        ({"n_context": 0}, ValueError, "n_context must be at least 1, got 0"),
        ({"n_layers": 0}, ValueError, "n_layers must be at least 1, got 0"),
        (
            {"n_layers": 2.0},
            TypeError,
            "n_layers must be a whole number, got float 2.0",
        ),
        ({"d_model": 16}, ValueError, r"n_heads.*16.*3|d_model.*3.*16"),
        ({"n_heads": 2}, ValueError, r"n_heads.*15.*2|d_model.*2.*15"),
        ({"n_heads": 0}, ValueError, "n_heads must be at least 1, got 0"),
        ({"d_ff": 0}, ValueError, "d_ff must be at least 1, got 0"),
        ({"dropout": 1.5}, ValueError, "dropout must lie between 0 and 1, got 1.5"),
    ],
)
def test_config_refuses_sizes_that_make_no_sense(
    changed: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        public("in_torch", "language_model.GPTConfig")(**asdict(CONFIG) | changed)


@pytest.mark.without_hook
def test_gpt_refuses_what_is_no_config() -> None:
    make = public("in_torch", "language_model.GPT")
    with pytest.raises(
        TypeError, match="config must be a GPTConfig, got builtins.dict"
    ):
        make(asdict(CONFIG))


@pytest.mark.without_hook
@pytest.mark.parametrize("token", [-1, N_VOCAB, 10**6])
def test_tokens_outside_the_vocabulary_are_refused_wherever_they_are_read(
    token: int,
) -> None:
    model = made()
    tokens = torch.tensor([[0, token], [1, 2]])
    says = f"tokens must lie between 0 and n_vocab - 1 = 22, got {token}"
    for read in (
        lambda: model(tokens),
        lambda: model.embed(tokens),
        lambda: generate(model, tokens, 1),
        lambda: attention_maps(model, tokens),
        lambda: logit_lens(model, tokens),
    ):
        with pytest.raises(ValueError, match=says):
            read()
    assert model(torch.tensor([[0, N_VOCAB - 1]])).isfinite().all()


@pytest.mark.without_hook
def test_a_text_beyond_the_context_is_refused() -> None:
    model, tokens = made(), text(2, n=N_CONTEXT + 1)
    says = "tokens must have at most n_context = 11 positions, got 12$"
    for read in (
        model,
        lambda t: attention_maps(model, t),
        lambda t: logit_lens(model, t),
    ):
        with pytest.raises(ValueError, match=says):
            read(tokens)
        read(tokens[:, 1:])
    caches = [KVCache() for _ in range(LAYERS)]
    model(tokens[:, :9], caches=caches)
    says = (
        "tokens must have at most n_context = 11 positions, got 3 behind 9 others$"
    )
    with pytest.raises(ValueError, match=says):
        model(tokens[:, 9:], caches=caches)
    assert [len(cache) for cache in caches] == [9] * LAYERS
    model(tokens[:, 9:11], caches=caches)
    caches = [KVCache(N_CONTEXT) for _ in range(LAYERS)]
    model(tokens[:, :9], caches=caches)
    says = "n must be at most 2, what is left of n_max = 11 positions, got 3$"
    with pytest.raises(ValueError, match=says):
        model(tokens[:, 9:], caches=caches)
    caches = [KVCache(N_CONTEXT + 1) for _ in range(LAYERS)]
    says = "caches must have an n_max of at most n_context = 11, got 12$"
    with pytest.raises(ValueError, match=says):
        model(tokens[:, 9:], caches=caches)


@pytest.mark.without_hook
@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"n": -1}, ValueError, "n must be at least 0, got -1"),
        ({"n": 2.0}, TypeError, "n must be a whole number, got float 2.0"),
        (
            {"temperature": -0.5},
            ValueError,
            "temperature must be at least 0, got -0.5",
        ),
        ({"temperature": None}, TypeError, "temperature must be a real number"),
        ({"top_k": 0}, ValueError, "top_k must be at least 1, got 0"),
        ({"top_k": 24}, ValueError, "top_k must be at most n_vocab = 23, got 24"),
        (
            {"top_p": 0.0},
            ValueError,
            "top_p must be greater than 0 and at most 1, got 0",
        ),
        ({"top_p": 1.01}, ValueError, "top_p must be greater than 0 and at most 1"),
        (
            {"top_p": 90},
            ValueError,
            "top_p must be greater than 0 and at most 1, got 90",
        ),
        ({"rng": 0}, TypeError, "rng must be a Generator, got builtins.int"),
        ({"cached": 1}, TypeError, "cached must be True or False, got int 1"),
        ({"graph": 1}, TypeError, "graph must be True or False, got int 1"),
        (
            {"graph": True, "cached": False},
            ValueError,
            "graph must be False where cached is False, got True",
        ),
        (
            {"tokens": torch.zeros(2, 0, dtype=torch.int64)},
            ValueError,
            r"tokens must have at least one element along axis -1, got \(2, 0\)",
        ),
        (
            {"tokens": torch.zeros(3)},
            TypeError,
            "tokens must be of an integer dtype",
        ),
        (
            {"tokens": [1, 2]},
            TypeError,
            "tokens must be a torch.Tensor, got builtins.list",
        ),
        ({"model": 3}, TypeError, "model must be a GPT, got builtins.int"),
    ],
)
def test_generate_refuses_what_makes_no_sense(
    options: dict[str, Any], error: type[Exception], words: str
) -> None:
    arguments = {"model": made(), "tokens": text(), "n": 1} | options
    with pytest.raises(error, match=words):
        public("in_torch", "language_model.generate")(**arguments)


@pytest.mark.without_hook
def test_an_empty_text_is_refused_from_characters_to_writing() -> None:
    vocabulary = Characters("abc")
    with pytest.raises(ValueError, match="tokens must have at least one element"):
        generate(made(), torch.from_numpy(vocabulary.encode("")), 3)
    with pytest.raises(ValueError, match="characters must be at least one"):
        Characters.of("")
    with pytest.raises(ValueError, match="got 'd' at place 1"):
        vocabulary.encode("ad")


@pytest.mark.without_hook
def test_caches_must_be_one_for_each_block() -> None:
    model, tokens = made(), text(2)
    one = KVCache()
    for caches, n, different in (([], 0, 0), ([one], 1, 1), ([one] * 2, 2, 1)):
        says = f"caches must be 2 different caches, .*got {n}, {different} of them"
        with pytest.raises(ValueError, match=says):
            model(tokens, caches=caches)
    assert len(one) == 0
    with pytest.raises(TypeError, match="caches must be a Sequence, got .*KVCache"):
        model(tokens, caches=one)


@pytest.mark.gpu
def test_gpt_runs_and_writes_on_the_gpu() -> None:
    model, tokens = made(), text(2)
    wanted, lens = model(tokens), logit_lens(model, tokens)
    written = generate(model, tokens, 30, temperature=0)
    model, on_gpu = model.to("cuda"), tokens.to("cuda")
    assert model(on_gpu).device.type == "cuda"
    assert_close(model(on_gpu), wanted, 1e-11)
    assert_close(logit_lens(model, on_gpu), lens, 1e-11)
    assert torch.equal(generate(model, on_gpu, 30, temperature=0).cpu(), written)
    rng = torch.Generator("cuda").manual_seed(0)
    assert generate(model, on_gpu, 3, rng=rng).device.type == "cuda"


@pytest.mark.gpu
@pytest.mark.parametrize("options", [{"temperature": 0}, {"top_k": 9}])
def test_generate_with_graph_writes_the_same_on_the_gpu(
    options: dict[str, Any],
) -> None:
    """The step is replayed, also where the context is full, and again with other texts."""
    model = made().to("cuda")
    for tokens in (text(2), text(3, n=1), text(n=30)):
        plain, replayed = (
            generate(
                model,
                tokens.to("cuda"),
                3 * N_CONTEXT,
                rng=torch.Generator("cuda").manual_seed(1),
                graph=graph,
                **options,
            )
            for graph in (False, True)
        )
        assert torch.equal(plain, replayed)
