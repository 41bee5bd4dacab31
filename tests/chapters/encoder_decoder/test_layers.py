"""The decoder block, the two stacks and the whole model as good `nn.Module`s."""

import copy
from dataclasses import FrozenInstanceError, asdict, replace
from math import log
from typing import Any

import pytest
import torch

from course_attn.in_torch import (
    Decoder,
    DecoderBlock,
    DecoderCache,
    Encoder,
    EncoderDecoder,
    EncoderDecoderConfig,
    KVCache,
    cross_entropy,
    decoder_block,
    post_norm_residual,
    pre_norm_residual,
)
from course_attn.in_torch.block import gelu
from tests.chapters.encoder_decoder.inputs import (
    CONFIG,
    D_FF,
    HEADS,
    LAYERS,
    N_SOURCE,
    N_TARGET,
    D,
    made,
    real,
    source,
    target,
    vectors,
)
from tests.chapters.encoder_decoder.refused import ONCE
from tests.support.block_layers import each_norm, shaken
from tests.support.comparison import assert_close
from tests.support.twin_table import public, twin

MASK = real(N_SOURCE, 3)


# --- what they compute ----------------------------------------------------------------------------


@each_norm
def test_decoder_block_without_biases_is_the_function(norm: Any) -> None:
    block = shaken(
        DecoderBlock(D, HEADS, D_FF, norm=norm, biases=False, activation=gelu)
    )
    params = {}
    for name, parameter in block.state_dict().items():
        part, _, last = name.partition(".")
        kind = "cross_" if part == "cross_attention" else ""
        number = part.removeprefix("norm") if part.startswith("norm") else ""
        params[f"{kind}{last}{number}"] = parameter
    X, Z = vectors(2, N_TARGET, D), vectors(2, N_SOURCE, D)
    residual = {"pre": pre_norm_residual, "post": post_norm_residual}[norm]
    for causal in (True, False):
        limits = {"causal": causal, "context_mask": MASK[:, None]}
        wanted = decoder_block(
            X,
            Z,
            params,
            n_heads=HEADS,
            residual=residual,
            activation=gelu,
            **limits,
        )
        assert_close(block(X, Z, **limits), wanted, 1e-12)


@pytest.mark.parametrize("batch", [(), (2,), (2, 3), (0,)])
@pytest.mark.parametrize("masked", [False, True])
def test_encoder_decoder_is_the_function_of_its_state_dict(
    batch: tuple[int, ...], masked: bool, library: str
) -> None:
    model, S, T = made(), source(*batch), target(*batch)
    mask = (S % 3 > 0) if masked else None
    params = {name: p.detach().numpy() for name, p in model.state_dict().items()}
    wanted = twin(library, "encoder_decoder.encoder_decoder")(
        S.numpy(),
        T.numpy(),
        params,
        n_heads=HEADS,
        source_mask=None if mask is None else mask.numpy(),
    )
    assert_close(model(S, T, source_mask=mask), wanted, 1e-12)


def test_forward_with_weights_gives_the_same_and_the_weights_of_all_layers() -> (
    None
):
    model, S, T = made(), source(2), target(2)
    logits, weights = model.forward_with_weights(S, T, source_mask=MASK)
    assert_close(logits, model(S, T, source_mask=MASK), 1e-12)
    for of_layers, n_q, n_k in (
        (weights.source, N_SOURCE, N_SOURCE),
        (weights.target, N_TARGET, N_TARGET),
        (weights.cross, N_TARGET, N_SOURCE),
    ):
        assert len(of_layers) == LAYERS
        for found in of_layers:
            assert found.shape == (2, HEADS, n_q, n_k)
            assert_close(found.sum(dim=-1), torch.ones(2, HEADS, n_q), 1e-12)
    for found in (*weights.source, *weights.cross):
        assert not found[1, ..., 3:].any() and (found[1, ..., :3] > 0).all()
    for found in weights.target:
        assert (
            not found.triu(1).any()
            and (found.tril() > 0).sum()
            == found[..., 0].numel() * (N_TARGET + 1) / 2
        )


def test_forward_is_encode_and_decode() -> None:
    model, S, T = made(), source(2), target(2)
    Z = model.encode(S, source_mask=MASK)
    assert_close(
        model.decode(T, Z, source_mask=MASK), model(S, T, source_mask=MASK), 1e-13
    )
    assert Z.shape == (2, N_SOURCE, D)


def test_encoder_decoder_sees_all_of_the_source_and_nothing_of_later_targets() -> (
    None
):
    """Change one token: what may see it changes, and nothing else."""
    model, S, T = made(), source(2), target(2)
    before = model(S, T)
    for j in range(N_TARGET):
        changed = T.clone()
        changed[:, j] = (changed[:, j] + 1) % CONFIG.n_target_vocab
        after = model(S, changed)
        assert_close(after[:, :j], before[:, :j], 1e-13)
        assert ((after - before).abs().amax(dim=-1) > 1e-9)[:, j:].all()
    for j in range(N_SOURCE):
        changed = S.clone()
        changed[:, j] = (changed[:, j] + 1) % CONFIG.n_source_vocab
        assert ((model(changed, T) - before).abs().amax(dim=-1) > 1e-9).all()


# --- caches ---------------------------------------------------------------------------------------

# No annotation of the attention can say that a mask counts what a cache keeps, too.


@pytest.mark.without_hook
@pytest.mark.parametrize("pieces", [[1] * N_TARGET, [2, 1, 2], [5]])
@pytest.mark.parametrize("fixed", [False, True])
def test_decode_with_caches_gives_the_rows_of_the_full_run(
    fixed: bool, pieces: list[int]
) -> None:
    model, S, T = made(), source(2), target(2)
    Z = model.encode(S, source_mask=MASK)
    wanted = model.decode(T, Z, source_mask=MASK)
    caches, out, start = model.new_caches(), [], 0
    if fixed:
        sizes = N_TARGET + 2, N_SOURCE
        caches = [DecoderCache(*map(KVCache, sizes)) for _ in range(LAYERS)]
    for n in pieces:
        rows = T[:, start : start + n]
        with torch.no_grad():
            out.append(model.decode(rows, Z, source_mask=MASK, caches=caches))
        start += n
    assert_close(torch.cat(out, dim=1), wanted, 1e-12)
    assert [len(cache) for cache in caches] == [N_TARGET] * LAYERS
    assert [len(cache.source) for cache in caches] == [N_SOURCE] * LAYERS


@pytest.mark.without_hook
def test_decoder_with_caches_gives_the_weights_of_the_full_run() -> None:
    decoder = shaken(Decoder(LAYERS, D, HEADS))
    X, Z = vectors(2, N_TARGET, D), vectors(2, N_SOURCE, D)
    wanted, of_all = decoder.forward_with_weights(X, Z, source_mask=MASK)
    caches = [DecoderCache() for _ in range(LAYERS)]
    for i in range(N_TARGET):
        row = slice(i, i + 1)
        found, weights = decoder.forward_with_weights(
            X[:, row], Z, source_mask=MASK, caches=caches
        )
        assert_close(found, wanted[:, row], 1e-12)
        for ours, full in zip(weights, of_all, strict=True):
            assert_close(ours.target, full.target[:, :, row, : i + 1], 1e-12)
            assert_close(ours.cross, full.cross[:, :, row], 1e-12)


def test_keys_and_values_of_the_source_are_computed_once() -> None:
    """After the first call the context could be anything: only its kept keys are looked at."""
    block, X = shaken(DecoderBlock(D, HEADS)), vectors(2, N_TARGET, D)
    Z, cache = vectors(2, N_SOURCE, D), DecoderCache()
    wanted = block(X, Z)
    lengths = []

    def note(K: torch.Tensor, V: torch.Tensor) -> Any:
        lengths.append(K.shape[-2])
        return kept(K, V)

    kept = cache.source.append
    cache.source.append = note  # type: ignore[method-assign]
    for i in range(N_TARGET):
        context = Z if i == 0 else torch.full_like(Z, torch.nan)
        found = block(X[:, i : i + 1], context, cache=cache)
        assert_close(found, wanted[:, i : i + 1], 1e-12)
    assert lengths == [N_SOURCE, *[0] * (N_TARGET - 1)]


def test_decode_needs_a_cache_for_each_block() -> None:
    model, T = made(), target(2)
    Z, one = model.encode(source(2)), DecoderCache()
    for caches, n, different in (([], 0, 0), ([one], 1, 1), ([one] * 2, 2, 1)):
        says = f"caches must be 2 different caches, .*got {n}, {different} of them"
        with pytest.raises(ValueError, match=says):
            model.decode(T, Z, caches=caches)
    assert len(one) == 0 and len(one.source) == 0


# --- learning -------------------------------------------------------------------------------------


def test_gradients_reach_every_parameter_that_was_used() -> None:
    model, S, T = made(), source(2), target(2)
    cross_entropy(model(S, T[:, :-1]), T[:, 1:]).backward()
    n_read = {
        "source_positions.P": N_SOURCE,
        "target_positions.P": N_TARGET - 1,
        "source_embedding": None,
    }
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        used = parameter.grad
        if name in n_read:
            used = (
                used[S.unique()] if n_read[name] is None else used[: n_read[name]]
            )
        assert (used != 0).double().mean() > 0.5, name
    assert not model.source_positions.P.grad[N_SOURCE:].any()


@pytest.mark.exhaustive
def test_encoder_decoder_learns_to_write_a_source_backward() -> None:
    """After 200 steps; the target begins with a token of its own."""
    torch.manual_seed(0)
    config = replace(CONFIG, n_source_vocab=5, n_target_vocab=6, n_layers=1)
    model = EncoderDecoder(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(200):
        S = torch.randint(5, (32, 4))
        T = torch.cat([torch.full((32, 1), 5), S.flip(1)], dim=1)
        loss = cross_entropy(model(S, T[:, :-1]), T[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss < 0.02


# --- parameters -----------------------------------------------------------------------------------


def test_state_dict_has_the_names_that_the_function_wants() -> None:
    matrices = [f"W_{x}" for x in "QKVO"]
    network = [f"feed_forward.{name}" for name in ("W_1", "b_1", "W_2", "b_2")]

    def norm(i: int) -> list[str]:
        return [f"norm_{i}.gain", f"norm_{i}.bias"]

    of_encoder = [f"attention.{W}" for W in matrices] + norm(1) + network + norm(2)
    of_decoder = [f"self_attention.{W}" for W in matrices] + norm(1)
    of_decoder += [f"cross_attention.{W}" for W in matrices] + norm(2)
    of_decoder += network + norm(3)
    wanted = set(ONCE) | {
        f"{stack}.blocks.{layer}.{name}"
        for stack, names in (("encoder", of_encoder), ("decoder", of_decoder))
        for layer in range(LAYERS)
        for name in names
    }
    assert set(EncoderDecoder(CONFIG).state_dict()) == wanted


def test_state_dict_makes_the_round_trip(tmp_path: Any) -> None:
    one, other = EncoderDecoder(CONFIG), EncoderDecoder(CONFIG)
    S, T = source(2), target(2)
    assert not torch.equal(one(S, T), other(S, T))
    torch.save(one.state_dict(), tmp_path / "weights.pt")
    other.load_state_dict(torch.load(tmp_path / "weights.pt", weights_only=True))
    assert torch.equal(one(S, T), other(S, T))
    assert torch.equal(copy.deepcopy(one)(S, T), one(S, T))


def test_encoder_decoder_is_made_on_the_meta_device_and_given_its_weights_later() -> (
    None
):
    S, T = source(2), target(2)
    with torch.device("meta"):
        hollow = EncoderDecoder(CONFIG)
        logits = hollow(torch.zeros_like(S), torch.zeros_like(T))
        assert logits.shape == (2, N_TARGET, CONFIG.n_target_vocab)
    full = EncoderDecoder(CONFIG)
    filled = hollow.to_empty(device="cpu")
    filled.load_state_dict(full.state_dict())
    assert torch.equal(filled(S, T), full(S, T))


def test_reset_parameters_draws_all_of_them_as_at_first() -> None:
    torch.manual_seed(0)
    model = EncoderDecoder(CONFIG)
    first = {name: p.clone() for name, p in model.named_parameters()}
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(torch.nan)
    draws = []
    for _ in range(2):
        model.reset_parameters(torch.Generator().manual_seed(3))
        draws.append([p.clone() for p in model.parameters()])
    assert all(map(torch.equal, *draws))
    for (name, parameter), old in zip(
        model.named_parameters(), first.values(), strict=True
    ):
        assert parameter.isfinite().all(), name
        assert torch.equal(parameter, old) == (parameter.ndim == 1), name


def test_encoder_decoder_starts_with_the_spreads_that_it_says() -> None:
    """Vectors of 0.02; W_O and W_2 smaller by the root of the number of additions."""
    sizes = {"n_source_vocab": 500, "n_target_vocab": 500}
    sizes |= {"n_source_context": 300, "n_target_context": 300}
    model = EncoderDecoder(
        EncoderDecoderConfig(**sizes, n_layers=3, d_model=64, n_heads=4)
    )
    model.reset_parameters(torch.Generator().manual_seed(0))
    for name, parameter in model.named_parameters():
        last = name.rpartition(".")[2]
        n_added = (2 if name.startswith("encoder") else 3) * 3
        wanted = parameter.shape[0] ** -0.5
        if last in ("W_O", "W_2"):
            wanted *= n_added**-0.5
        if last.endswith("embedding") or last == "P":
            wanted = 0.02
        if parameter.ndim == 2:
            # 5 times the standard error
            relative = 5 / (2 * parameter.numel()) ** 0.5
            spread = float(parameter.detach().std())
            assert spread == pytest.approx(wanted, rel=relative), name
        else:
            assert (parameter == (1.0 if last == "gain" else 0.0)).all(), name


@pytest.mark.parametrize("seed", range(3))
def test_encoder_decoder_starts_with_nearly_even_predictions(seed: int) -> None:
    torch.manual_seed(seed)
    model = EncoderDecoder(replace(CONFIG, d_model=63, d_ff=None))
    loss = cross_entropy(model(source(50), target(50)), target(50, seed=2))
    assert abs(float(loss.detach()) - log(CONFIG.n_target_vocab)) < 0.1


@pytest.mark.parametrize("make", [Encoder, Decoder])
def test_stacks_draw_their_parameters_anew(make: Any) -> None:
    stack = make(LAYERS, D, HEADS)
    before = [p.clone() for p in stack.parameters()]
    draws = []
    for _ in range(2):
        stack.reset_parameters(torch.Generator().manual_seed(1))
        draws.append([p.clone() for p in stack.parameters()])
    assert all(map(torch.equal, *draws))
    assert not any(
        torch.equal(new, old)
        for new, old in zip(draws[0], before, strict=True)
        if new.ndim == 2
    )


# --- dtypes, dropout, and the rest ----------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_encoder_decoder_works_in_its_dtype(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    model, S, T = EncoderDecoder(CONFIG).to(dtype), source(2), target(2)
    out = model(S, T, source_mask=MASK)
    assert out.dtype == dtype
    exact = copy.deepcopy(model).double()(S, T, source_mask=MASK)
    assert_close(out, exact, {torch.float32: 1e-5, torch.bfloat16: 0.05}[dtype])
    for narrow in (torch.int8, torch.int16, torch.int32):
        again = model(S.to(narrow), T.to(narrow), source_mask=MASK)
        assert torch.equal(again, out)


def test_dropout_acts_in_training_only_and_in_both_stacks() -> None:
    torch.manual_seed(0)
    model = EncoderDecoder(replace(CONFIG, dropout=0.5)).double()
    S, T = source(2), target(2)
    assert not torch.equal(model(S, T), model(S, T))
    for embedded in (model.embed_source(S), model.embed_target(T)):
        assert 0.3 < float((embedded == 0).double().mean()) < 0.7
    for block in (model.encoder.blocks[0], model.decoder.blocks[0]):
        assert block.dropout.p == block.feed_forward.dropout.p == 0.5
    of_decoder = model.decoder.blocks[0]
    assert of_decoder.self_attention.dropout == 0.5
    assert of_decoder.cross_attention.dropout == 0.5
    model.eval()
    without = EncoderDecoder(CONFIG).double()
    without.load_state_dict(model.state_dict())
    assert torch.equal(model(S, T), without(S, T))


def test_decoder_block_dropout_of_everything_leaves_the_residual_path() -> None:
    X, Z = vectors(N_TARGET, D), vectors(N_SOURCE, D)
    block = DecoderBlock(D, HEADS, dropout=1.0).double()
    assert torch.equal(block(X, Z), X)


def test_a_source_of_padding_gives_finite_numbers() -> None:
    """Nothing to read gives zeros, not NaN."""
    model, mask = made(), torch.zeros(2, N_SOURCE, dtype=torch.bool)
    logits = model(source(2), target(2), source_mask=mask)
    assert logits.isfinite().all()
    other = model(source(2, seed=5), target(2), source_mask=mask)
    assert_close(logits, other, 1e-13)


def test_repr_says_the_sizes() -> None:
    said = repr(EncoderDecoder(CONFIG)).splitlines()[1].strip()
    assert said == (
        "n_source_vocab=23, n_target_vocab=13, n_source_context=17, n_target_context=11"
    )
    assert "norm='post'" in repr(DecoderBlock(6, 2, norm="post"))
    cache = repr(DecoderCache())
    assert cache.count("KVCache of 0 positions") == 2


def test_config_fills_in_the_width_and_can_be_kept() -> None:
    sizes = asdict(CONFIG)
    assert EncoderDecoderConfig(**sizes) == CONFIG and sizes["d_ff"] == D_FF
    del sizes["d_ff"]
    assert EncoderDecoderConfig(**sizes).d_ff == 4 * D
    with pytest.raises(FrozenInstanceError):
        CONFIG.d_ff = 3  # type: ignore[misc]


@pytest.mark.slow
@pytest.mark.without_hook
def test_encoder_decoder_is_compiled_without_a_break() -> None:
    """Without a back end: PyTorch's tracer runs what it has found."""
    model = public("in_torch", "encoder_decoder.EncoderDecoder")(CONFIG).eval()
    compiled = torch.compile(model, backend="eager", fullgraph=True)
    S, T = source(2), target(2)
    assert_close(
        compiled(S, T, source_mask=MASK), model(S, T, source_mask=MASK), 1e-6
    )


@pytest.mark.slow
@pytest.mark.without_hook
def test_encoder_decoder_can_be_exported() -> None:
    """With any number of texts, and a source of any length up to the context."""
    model = public("in_torch", "encoder_decoder.EncoderDecoder")(CONFIG).eval()
    batch, n = (
        torch.export.Dim("batch", min=2),
        torch.export.Dim("n", min=2, max=17),
    )
    sizes = {"source": {0: batch, 1: n}, "target": {0: batch}}
    program = torch.export.export(
        model, (source(2), target(2)), dynamic_shapes=sizes
    )
    S, T = source(5, n=3), target(5)
    assert_close(program.module()(S, T), model(S, T), 1e-6)


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.without_hook
@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        *(
            (
                {f"n_{side}_{what}": 0},
                ValueError,
                f"n_{side}_{what} must be at least 1",
            )
            for side in ("source", "target")
            for what in ("vocab", "context")
        ),
        ({"n_layers": 0}, ValueError, "n_layers must be at least 1, got 0"),
        ({"n_layers": 2.0}, TypeError, "n_layers must be a whole number"),
        ({"d_model": 16}, ValueError, "d_model must be a multiple of n_heads = 3"),
        ({"d_ff": 0}, ValueError, "d_ff must be at least 1, got 0"),
        ({"dropout": 1.5}, ValueError, "dropout must lie between 0 and 1, got 1.5"),
    ],
)
def test_config_refuses_sizes_that_make_no_sense(
    changed: dict[str, Any], error: type[Exception], words: str
) -> None:
    make = public("in_torch", "encoder_decoder.EncoderDecoderConfig")
    with pytest.raises(error, match=words):
        make(**asdict(CONFIG) | changed)


NONE = torch.zeros(2, 0, dtype=torch.int64)


@pytest.mark.without_hook
@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"source": NONE}, ValueError, "source must have at least one element"),
        ({"target": NONE}, ValueError, "target must have at least one element"),
        (
            {"source": source(2) + 23},
            ValueError,
            "between 0 and n_source_vocab - 1",
        ),
        (
            {"target": target(2) - 20},
            ValueError,
            "between 0 and n_target_vocab - 1",
        ),
        (
            {"source": source(2, n=18)},
            ValueError,
            "source must have at most n_source_context = 17 elements along n_source, got 18",
        ),
        (
            {"target": target(2, n=12)},
            ValueError,
            "target must have at most n_target_context = 11 positions, got 12$",
        ),
        ({"target": target(3)}, ValueError, r"batch = \(2,\) from source"),
        (
            {"source_mask": real(3, 3, n=5)},
            ValueError,
            "source_mask must have .* n_source = 7 from source, got",
        ),
        (
            {"source_mask": real(3)},
            ValueError,
            r"source_mask must have .* batch = \(2,\)",
        ),
        (
            {"source_mask": MASK.int()},
            TypeError,
            "source_mask must be of dtype bool",
        ),
        ({"source": [[1]]}, TypeError, "source must be a torch.Tensor"),
        (
            {"target": vectors(2, 5)},
            TypeError,
            "target must be of an integer dtype",
        ),
    ],
)
def test_encoder_decoder_refuses_what_does_not_fit(
    changed: dict[str, Any], error: type[Exception], words: str
) -> None:
    arguments = {"source": source(2), "target": target(2)} | changed
    with pytest.raises(error, match=words):
        made()(**arguments)


@pytest.mark.without_hook
def test_decode_refuses_a_source_of_another_width_and_a_target_beyond_its_end() -> (
    None
):
    model, T = made(), target(2)
    with pytest.raises(
        ValueError, match="Z must have .* d_model = 15 from the Enc"
    ):
        model.decode(T, vectors(2, N_SOURCE, 11))
    with pytest.raises(TypeError, match="one dtype"):
        model.decode(T, vectors(2, N_SOURCE, D).float())
    Z, caches = model.encode(source(2)), model.new_caches()
    with torch.no_grad():
        model.decode(target(2, n=9), Z, caches=caches)
    says = "at most n_target_context = 11 positions, got 3 behind 9 others$"
    with pytest.raises(ValueError, match=says):
        model.decode(target(2, n=3), Z, caches=caches)


@pytest.mark.without_hook
def test_decoder_block_names_what_does_not_fit_as_it_is_called() -> None:
    block = public("in_torch", "encoder_decoder.DecoderBlock")(6, 2)
    X, Z = torch.ones(2, 5, 6), torch.ones(2, 7, 6)
    wrong = torch.ones(5, 3, dtype=torch.bool)
    for changed, words in (
        (
            {"Z": torch.ones(2, 7, 5)},
            "Z must have .* d_model = 6 from the DecoderB",
        ),
        ({"Z": torch.ones(3, 7, 6)}, "Z must have .* batch = "),
        ({"context_mask": wrong}, "context_mask must broadcast .* n_k = 7 from Z"),
    ):
        for call in (block, block.forward_with_weights):
            with pytest.raises(ValueError, match=words):
                call(**{"X": X, "Z": Z} | changed)
    with pytest.raises(TypeError, match="causal must be True or False"):
        block(X, Z, causal=1)


@pytest.mark.without_hook
@pytest.mark.parametrize("name", ["DecoderBlock", "Encoder", "Decoder"])
def test_stacks_and_blocks_refuse_sizes_that_make_no_sense(name: str) -> None:
    make = public("in_torch", f"encoder_decoder.{name}")
    sizes = (6, 2) if name == "DecoderBlock" else (2, 6, 2)
    for options, words in (
        ({"norm": "mid"}, "'pre' or 'post'"),
        ({"dropout": 2.0}, "dropout must lie between 0 and 1"),
        ({"eps": -1.0}, "eps must be at least 0"),
        ({"d_ff": 0}, "d_ff must be at least 1"),
    ):
        with pytest.raises(ValueError, match=words):
            make(*sizes, **options)
    with pytest.raises(ValueError, match="n_heads = 4"):
        make(*sizes[:-1], 4)


@pytest.mark.gpu
def test_encoder_decoder_runs_on_the_gpu() -> None:
    model, S, T = made(), source(2), target(2)
    wanted = model(S, T, source_mask=MASK)
    model, mask = model.to("cuda"), MASK.to("cuda")
    found = model(S.to("cuda"), T.to("cuda"), source_mask=mask)
    assert found.device.type == "cuda"
    assert_close(found, wanted, 1e-11)
