"""The cache that decoding keeps."""

import inspect

import numpy as np
import pytest
import torch

from tests.support.attention_inputs import normal
from tests.support.twin_table import convert, in_numpy, module, public, twin

Part = tuple[np.ndarray, ...]


def appended(library: str, *lengths: int) -> tuple[object, list[np.ndarray], Part]:
    """Append random keys and values of these lengths; return the cache, all parts and the end."""
    cache = module(library, "language_model").KVCache()
    keys, values, found = [], [], None
    for number, n in enumerate(lengths):
        keys.append(normal(2, 3, n, 5, seed=number))
        values.append(normal(2, 3, n, 7, seed=-number - 1 + 100))
        found = cache.append(*(convert(library, a) for a in (keys[-1], values[-1])))
    return cache, [np.concatenate(keys, -2), np.concatenate(values, -2)], found


@pytest.mark.parametrize("lengths", [(5,), (1,) * 9, (4, 1, 1, 3, 1), (0, 2, 0, 1)])
def test_kv_cache_gives_back_all_it_was_given(
    lengths: tuple[int, ...], library: str
) -> None:
    cache, wanted, found = appended(library, *lengths)
    assert len(cache) == sum(lengths)
    assert repr(cache) == f"KVCache of {sum(lengths)} positions"
    for part, all_of_it in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(in_numpy(part), all_of_it)


def test_kv_cache_leaves_what_it_gave_earlier_as_it_was(library: str) -> None:
    cache = module(library, "language_model").KVCache()
    seen = []
    for n in range(1, 9):
        new = [convert(library, normal(3, n, d, seed=n)) for d in (5, 7)]
        K, V = cache.append(*new)
        seen.append((K, V, in_numpy(K).copy(), in_numpy(V).copy()))
        new[0][:], new[1][:] = 0, 0  # the cache has copies of what it was given
    for K, V, K_then, V_then in seen:
        np.testing.assert_array_equal(in_numpy(K), K_then)
        np.testing.assert_array_equal(in_numpy(V), V_then)
        assert in_numpy(K).any(axis=-1).all()


def test_kv_cache_is_copied_as_it_doubles_only(library: str) -> None:
    """Of 1000 single appends, few move what is there to another place."""
    cache = module(library, "language_model").KVCache()
    places = set()
    for _ in range(1000):
        one = convert(library, np.ones((1, 2)))
        K, _ = cache.append(one, one)
        places.add(in_numpy(K).__array_interface__["data"][0])
    assert len(places) <= 11


def test_kv_cache_works_in_any_dtype(library: str) -> None:
    for dtype in ("float16", "float32", "float64"):
        cache = module(library, "language_model").KVCache()
        for _ in range(2):
            one = convert(library, np.ones((2, 3)), dtype)
            K, V = cache.append(one, one)
        assert str(K.dtype).endswith(dtype) and str(V.dtype).endswith(dtype)


@pytest.mark.without_hook
def test_kv_cache_refuses_what_does_not_fit(library: str) -> None:
    cache = public(library, "language_model.KVCache")

    def attempt(K: np.ndarray, V: np.ndarray, before: bool = True) -> None:
        kv = cache()
        if before:
            kv.append(*(convert(library, np.ones((2, 3, d))) for d in (5, 7)))
        kv.append(convert(library, K), convert(library, V))

    K, V = np.ones((2, 1, 5)), np.ones((2, 1, 7))
    attempt(K, V)
    for spoiled, error, says in (
        (
            (np.ones((2, 1, 4)), V),
            ValueError,
            r"K must have .*d_k = 5 from the KVCache",
        ),
        (
            (K, np.ones((2, 1, 5))),
            ValueError,
            r"V must have .*d_v = 7 from the KVCache",
        ),
        ((K, np.ones((2, 2, 7))), ValueError, r"V must have .*n = 1 from K"),
        (
            (K[0], V[0]),
            ValueError,
            r"K must have .*batch = \(2,\) from the KVCache",
        ),
        ((K.astype("f"), V.astype("f")), TypeError, "one dtype"),
        ((K.astype(int), V), TypeError, "K must be floating-point"),
    ):
        with pytest.raises(error, match=says):
            attempt(*spoiled)
    with pytest.raises(ValueError, match=r"V must have .*n = 1 from K"):
        attempt(K, np.ones((2, 2, 7)), before=False)
    with pytest.raises(TypeError, match="K must be a .* got builtins.list"):
        cache().append([[1.0]], convert(library, V))


@pytest.mark.without_hook
def test_kv_cache_stays_as_it_was_if_append_refuses(library: str) -> None:
    cache, keys = public(library, "language_model.KVCache")(), normal(2, 3, 3, 5)
    cache.append(convert(library, keys), convert(library, normal(2, 3, 3, 7)))
    with pytest.raises(ValueError, match="V must have"):
        cache.append(
            *(convert(library, np.ones((2, 3, n, d))) for n, d in ((1, 5), (2, 7)))
        )
    assert len(cache) == 3
    nothing = [convert(library, np.ones((2, 3, 0, d))) for d in (5, 7)]
    np.testing.assert_array_equal(in_numpy(cache.append(*nothing)[0]), keys)


N_MAX = 11


@pytest.mark.parametrize("lengths", [(5,), (1,) * 9, (4, 1, 0, 6)])
def test_kv_cache_of_fixed_size_makes_room_once(
    lengths: tuple[int, ...], library: str
) -> None:
    """Also after `clear`: nothing is left of what was there."""
    cache = module(library, "language_model").KVCache(N_MAX)
    for seed, pieces in ((0, lengths), (10, lengths[:1])):
        places, parts = set(), []
        for number, n in enumerate(pieces, seed):
            parts.append(normal(2, n, 5, seed=number))
            new = convert(library, parts[-1])
            found = [in_numpy(part) for part in cache.append(new, 2 * new)]
            places.add(found[0].__array_interface__["data"][0])
        n_all, wanted = sum(pieces), np.concatenate(parts, -2)
        assert len(places) == 1 and len(cache) == n_all
        assert repr(cache) == f"KVCache of {n_all} of 11 positions"
        for part, all_of_it in zip(found, (wanted, 2 * wanted), strict=True):
            assert part.shape[-2] == (N_MAX if library == "in_torch" else n_all)
            np.testing.assert_array_equal(part[:, :n_all], all_of_it)
            assert not part[:, n_all:].any()
        cache.clear()
        assert len(cache) == 0 and in_numpy(cache.positions(1)).tolist() == [0]


@pytest.mark.parametrize("n_max", [None, N_MAX])
@pytest.mark.parametrize("n_q", [0, 1, 3, 7])
def test_kv_cache_mask_hides_what_is_not_written(
    n_q: int, n_max: int | None, library: str
) -> None:
    cache = module(library, "language_model").KVCache(n_max)
    new = convert(library, np.ones((5, 2)))
    n_all = in_numpy(cache.append(new, new)[0]).shape[-2]
    for causal in (True, False):
        mask = in_numpy(cache.mask(n_q, causal=causal))
        assert mask.dtype == bool and mask.shape == (n_q, n_all)
        for i in range(n_q):
            last = 5 - n_q + i if causal else 4
            assert mask[i].tolist() == [j <= last for j in range(5)] + [False] * (
                n_all - 5
            )


def test_kv_cache_clear_leaves_what_a_growing_one_gave(library: str) -> None:
    cache = module(library, "language_model").KVCache()
    cache.clear()
    K, _ = cache.append(*[convert(library, np.ones((5, 2)))] * 2)
    cache.clear()
    again, _ = cache.append(*[convert(library, np.zeros((3, 2)))] * 2)
    assert in_numpy(K).all() and again.shape == (3, 2) and not in_numpy(again).any()


@pytest.mark.without_hook
def test_kv_cache_of_fixed_size_refuses_more(library: str) -> None:
    make = public(library, "language_model.KVCache")
    for n_max, error, says in (
        (0, ValueError, "n_max must be at least 1, got 0"),
        (2.0, TypeError, "n_max must be a whole number, got float 2.0"),
        (True, TypeError, "n_max must be a whole number, got bool True"),
    ):
        with pytest.raises(error, match=says):
            make(n_max)
    cache, new = make(N_MAX), [convert(library, np.ones((9, d))) for d in (5, 7)]
    cache.append(*new)
    left = " 2, what is left of n_max = 11 positions, got"
    with pytest.raises(
        ValueError, match=f"K must have a length of at most{left} 9"
    ):
        cache.append(*new)
    with pytest.raises(ValueError, match=f"n must be at most{left} 3"):
        cache.positions(3)
    with pytest.raises(ValueError, match=r"K must have .*d_k = 5 from the KVCache"):
        cache.append(*[convert(library, np.ones((1, 7)))] * 2)
    assert len(cache) == 9 and len(cache.positions(2)) == 2


@pytest.mark.without_hook
@pytest.mark.parametrize("n_max", [None, N_MAX])
def test_kv_cache_refuses_another_device(n_max: int | None) -> None:
    cache = public("in_torch", "language_model.KVCache")(n_max)
    new, elsewhere = torch.ones(1, 3), torch.ones(1, 3, device="meta")
    for _ in range(2):
        says = "V must be on cpu as the first keys are, got meta"
        with pytest.raises(ValueError, match=says):
            cache.append(new, elsewhere)
        cache.append(new, new)
    assert len(cache) == 2


def rotated(X: np.ndarray, first: int) -> np.ndarray:
    """Rotate pairs of features by an angle that grows with the position, as complex numbers."""
    n, d = X.shape[-2:]
    angles = np.arange(first, first + n)[:, None] * 10.0 ** -np.arange(d // 2)
    turned = (X[..., : d // 2] + 1j * X[..., d // 2 :]) * np.exp(1j * angles)
    return np.concatenate([turned.real, turned.imag], axis=-1)


@pytest.mark.parametrize(
    "chunks", [(1,) * 8, (5, 1, 1, 1), (3, 4, 1), (2, 2, 2, 2)]
)
@pytest.mark.parametrize("rotary", [False, True])
@pytest.mark.parametrize("n_max", [None, 8, 11])
def test_kv_cache_decoding_is_attending_to_all(
    n_max: int | None, rotary: bool, chunks: tuple[int, ...], library: str
) -> None:
    """A few tokens at a time; causal masks are bottom-right, positions are from the cache."""
    causal = twin(library, "masks.causal_attention")
    attend = twin(library, "qkv.attention")
    turn = rotated if rotary else lambda X, first: X
    Q, K, V = (
        normal(2, 3, 8, 4),
        normal(2, 3, 8, 4, seed=1),
        normal(2, 3, 8, 5, seed=2),
    )
    whole = causal(turn(Q, 0), turn(K, 0), V)
    cache, start = module(library, "language_model").KVCache(n_max), 0
    for n in chunks:
        rows = np.s_[..., start : start + n, :]
        assert in_numpy(cache.positions(n)).tolist() == [*range(start, start + n)]
        q, k = turn(Q[rows], len(cache)), turn(K[rows], len(cache))
        keys, values = cache.append(convert(library, k), convert(library, V[rows]))
        mask = in_numpy(cache.mask(n)).copy()
        step = attend(q, in_numpy(keys).copy(), in_numpy(values).copy(), mask=mask)
        np.testing.assert_allclose(step, whole[rows], rtol=1e-11, atol=1e-13)
        start += n


def test_kv_cache_has_one_face_in_both_libraries() -> None:
    ours = [
        module(library, "language_model").KVCache
        for library in ("in_numpy", "in_torch")
    ]
    names = {n for n in vars(ours[0]) if not n.startswith("_")}
    assert names == {"append", "clear", "mask", "positions"}
    for name in (*names, "__len__", "__init__"):
        methods = [getattr(cache, name) for cache in ours]
        names = [list(inspect.signature(m).parameters) for m in methods]
        assert names[0] == names[1]
        assert inspect.getdoc(methods[0]) == inspect.getdoc(methods[1])
    docs = [inspect.getdoc(cache).split("Examples")[0] for cache in ours]
    assert docs[0] == docs[1]
    public = [{n for n in vars(c) if not n.startswith("_")} for c in ours]
    assert public[0] == public[1]
