"""The models before the transformer: one fixed vector, and the first attention."""

from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from course_attn.in_torch import (
    AdditiveEncoderDecoder,
    RecurrentEncoderDecoder,
    cross_entropy,
)
from tests.chapters.encoder_decoder.inputs import (
    N_SOURCE,
    N_TARGET,
    real,
    source,
    target,
    vectors,
)
from tests.support.block_layers import shaken
from tests.support.comparison import assert_close

D = 11
SIZES = {"n_source_vocab": 23, "n_target_vocab": 13, "d_model": D}
BOTH = [RecurrentEncoderDecoder, AdditiveEncoderDecoder]
MASK = real(3, 1)

both = pytest.mark.parametrize("kind", BOTH)


def made(kind: Any) -> RecurrentEncoderDecoder:
    """Return a model in float64 whose parameters are all drawn."""
    return shaken(kind(**SIZES))


def by_loops(model: Any, S: np.ndarray, T: np.ndarray) -> tuple[Any, Any]:
    """Work through one pair by the equations of a GRU, with arrays of NumPy."""
    p = {name: a.detach().numpy() for name, a in model.state_dict().items()}

    def sigmoid(x: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-x))

    def gru(x: np.ndarray, h: np.ndarray, part: str, end: str) -> np.ndarray:
        given = p[f"{part}.weight_ih{end}"] @ x + p[f"{part}.bias_ih{end}"]
        kept = p[f"{part}.weight_hh{end}"] @ h + p[f"{part}.bias_hh{end}"]
        (r_x, u_x, n_x), (r_h, u_h, n_h) = np.split(given, 3), np.split(kept, 3)
        reset, update = sigmoid(r_x + r_h), sigmoid(u_x + u_h)
        return (1 - update) * np.tanh(n_x + reset * n_h) + update * h

    X = p["source_embedding.weight"][S]
    forward, backward = [np.zeros(D)], [np.zeros(D)]
    for x in X:
        forward.append(gru(x, forward[-1], "encoder", "_l0"))
    for x in X[::-1]:
        backward.append(gru(x, backward[-1], "encoder", "_l0_reverse"))
    Z = [np.append(f, b) for f, b in zip(forward[1:], backward[:0:-1], strict=True)]
    s = np.tanh(p["start.weight"] @ backward[-1] + p["start.bias"])
    rows, weights = [], []
    for y in p["target_embedding.weight"][T]:
        c = np.append(forward[-1], backward[-1])
        if "v" in p:
            odds = [
                np.exp(p["v"] @ np.tanh(s @ p["W_Q"] + z @ p["W_K"])) for z in Z
            ]
            weights.append(np.array(odds) / sum(odds))
            c = sum(a * z for a, z in zip(weights[-1], Z, strict=True))
        s = gru(np.append(y, c), s, "cell", "")
        rows.append(p["unembed.weight"] @ np.append(s, c) + p["unembed.bias"])
    return np.array(rows), np.array(weights)


@both
def test_recurrent_models_are_their_equations(kind: Any) -> None:
    model, S, T = made(kind), source(2), target(2)
    for i, n in enumerate((3, 1)):
        rows, weights = by_loops(model, S[i, :n].numpy(), T[i].numpy())
        assert_close(model(S, T, source_mask=MASK)[i], rows, 1e-12)
        assert_close(model(S[i : i + 1, :n], T[i : i + 1])[0], rows, 1e-12)
        if isinstance(model, AdditiveEncoderDecoder):
            _, found = model.forward_with_weights(S, T, source_mask=MASK)
            assert_close(found[i, :, :n], weights, 1e-12)
            assert not found[i, :, n:].any()


@both
def test_padding_changes_nothing_however_much_there_is(kind: Any) -> None:
    model, S, T = made(kind), source(2), target(2)
    wanted = model(S, T, source_mask=MASK)
    more = torch.cat([S, source(2, seed=9)], dim=1)
    longer = F.pad(MASK, (0, N_SOURCE))
    assert_close(model(more, T, source_mask=longer), wanted, 1e-13)
    assert model.encode(more, source_mask=longer).shape == (2, 2 * N_SOURCE, 2 * D)


@both
def test_decode_with_its_state_gives_the_rows_of_the_full_run(kind: Any) -> None:
    model, S, T = made(kind), source(2), target(2)
    Z = model.encode(S, source_mask=MASK)
    wanted = model.decode(T, Z, source_mask=MASK)
    assert_close(wanted, model(S, T, source_mask=MASK), 1e-13)
    state, out = model.new_caches(), []
    for rows in T.split([2, 1, 2], dim=1):
        out.append(model.decode(rows, Z, source_mask=MASK, caches=state))
    assert_close(torch.cat(out, dim=1), wanted, 1e-13)
    assert state.s.shape == (2, D)


def test_one_vector_is_all_that_is_left_of_a_source_without_attention() -> None:
    """Other elements between the ends change nothing, if the ends are the same."""
    model, T = made(RecurrentEncoderDecoder), target(2)
    Z = vectors(2, N_SOURCE, 2 * D)
    other = vectors(2, N_SOURCE, 2 * D, seed=3)
    other[:, 0, D:], other[:, -1, :D] = Z[:, 0, D:], Z[:, -1, :D]
    assert_close(model.decode(T, other), model.decode(T, Z), 1e-13)
    attends = made(AdditiveEncoderDecoder)
    moved = (attends.decode(T, other) - attends.decode(T, Z)).abs()
    assert (moved > 0).all()


def test_attention_alone_tells_the_two_apart() -> None:
    """All else has the same names and shapes."""
    shapes = [
        {n: p.shape for n, p in kind(**SIZES).named_parameters()} for kind in BOTH
    ]
    more = {"W_Q": (D, D), "W_K": (2 * D, D), "v": (D,)}
    assert shapes[1] == shapes[0] | more


@both
def test_recurrent_models_see_nothing_of_later_targets(kind: Any) -> None:
    model, S, T = made(kind), source(2), target(2)
    before = model(S, T)
    for j in range(N_TARGET):
        changed = T.clone()
        changed[:, j] = (changed[:, j] + 1) % 13
        after = model(S, changed)
        assert_close(after[:, :j], before[:, :j], 1e-13)
        assert ((after - before).abs().amax(dim=-1) > 1e-9)[:, j:].all()


@both
def test_gradients_reach_every_parameter(kind: Any) -> None:
    model, S, T = made(kind), source(2), target(2)
    cross_entropy(model(S, T[:, :-1]), T[:, 1:]).backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None and parameter.grad.any(), name


@both
def test_reset_parameters_draws_all_of_them_as_at_first(kind: Any) -> None:
    torch.manual_seed(0)
    model = kind(n_source_vocab=300, n_target_vocab=300, d_model=64)
    first = {name: p.clone() for name, p in model.named_parameters()}
    draws = []
    for _ in range(2):
        model.reset_parameters(torch.Generator().manual_seed(3))
        draws.append([p.clone() for p in model.parameters()])
    assert all(map(torch.equal, *draws))
    for name, parameter in model.named_parameters():
        assert not torch.equal(parameter, first[name])
        # 5 times the standard error of each, of numbers that are normal at the most
        relative = 5 * (1 / parameter.numel()) ** 0.5
        spread = float(first[name].detach().std())
        assert float(parameter.detach().std()) == pytest.approx(
            spread, rel=relative
        )


@both
def test_recurrent_models_work_in_single_precision_and_with_narrow_tokens(
    kind: Any,
) -> None:
    model, S, T = made(kind), source(2), target(2)
    exact = model(S, T, source_mask=MASK)
    found = model.float()(S.int(), T.int(), source_mask=MASK)
    assert found.dtype == torch.float32
    assert_close(found, exact, 1e-5)


def test_repr_of_a_recurrent_model_says_its_sizes() -> None:
    said = repr(made(AdditiveEncoderDecoder)).splitlines()
    assert said[0] == "AdditiveEncoderDecoder("
    assert said[1].strip() == "n_source_vocab=23, n_target_vocab=13, d_model=11"


@pytest.mark.without_hook
@both
def test_padding_must_stand_behind_the_source(kind: Any) -> None:
    model = made(kind)
    between = torch.tensor([[True, False, True]]).expand(2, 3)
    for mask in (between, ~real(1, 2, n=3), torch.zeros(2, 3, dtype=torch.bool)):
        with pytest.raises(
            ValueError, match="source_mask must be True for the firs"
        ):
            model(source(2, n=3), target(2), source_mask=mask)


@pytest.mark.without_hook
@both
def test_recurrent_models_refuse_what_does_not_fit(kind: Any) -> None:
    model, S, T = made(kind), source(2), target(2)
    for given, error, words in (
        ((S[:, :0], T), ValueError, "at least one element along axis 1, got"),
        ((S[:0], T[:0]), ValueError, "at least one element along axis 0, got"),
        ((S, T[:, :0]), ValueError, "target must have at least one element"),
        (
            (S + 23, T),
            ValueError,
            "source must lie between 0 and n_source_vocab - 1",
        ),
        (
            (S, T - 20),
            ValueError,
            "target must lie between 0 and n_target_vocab - 1",
        ),
        ((S, target(3)), ValueError, "target must have .* batch = 2 from source"),
        ((S[0], T[0]), ValueError, "source must have shape .*got 1 axes"),
    ):
        with pytest.raises(error, match=words):
            model(*given)
    with pytest.raises(ValueError, match="source_mask must have .* n_source = 7"):
        model(S, T, source_mask=MASK[:, 1:])
    with pytest.raises(ValueError, match="Z must have .* d_z = 22 from the"):
        model.decode(T, vectors(2, N_SOURCE, D))
    for name in SIZES:
        with pytest.raises(ValueError, match=f"{name} must be at least 1, got 0"):
            kind(**SIZES | {name: 0})
