"""The cache that decoding keeps."""

import inspect

import numpy as np
import pytest

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
def test_kv_cache_decoding_is_attending_to_all(
    rotary: bool, chunks: tuple[int, ...], library: str
) -> None:
    """A few tokens at a time; causal masks are bottom-right, positions are from the cache."""
    causal = twin(library, "masks.causal_attention")
    turn = rotated if rotary else lambda X, first: X
    Q, K, V = (
        normal(2, 3, 8, 4),
        normal(2, 3, 8, 4, seed=1),
        normal(2, 3, 8, 5, seed=2),
    )
    whole = causal(turn(Q, 0), turn(K, 0), V)
    cache, start = module(library, "language_model").KVCache(), 0
    for n in chunks:
        rows = np.s_[..., start : start + n, :]
        q, k = turn(Q[rows], len(cache)), turn(K[rows], len(cache))
        keys, values = cache.append(convert(library, k), convert(library, V[rows]))
        step = causal(q, in_numpy(keys).copy(), in_numpy(values).copy())
        np.testing.assert_allclose(step, whole[rows], rtol=1e-11, atol=1e-13)
        start += n


def test_kv_cache_has_one_face_in_both_libraries() -> None:
    ours = [
        module(library, "language_model").KVCache
        for library in ("in_numpy", "in_torch")
    ]
    for name in ("append", "__len__", "__init__"):
        methods = [getattr(cache, name) for cache in ours]
        names = [list(inspect.signature(m).parameters) for m in methods]
        assert names[0] == names[1]
        assert inspect.getdoc(methods[0]) == inspect.getdoc(methods[1])
    docs = [inspect.getdoc(cache).split("Examples")[0] for cache in ours]
    assert docs[0] == docs[1]
    public = [{n for n in vars(c) if not n.startswith("_")} for c in ours]
    assert public[0] == public[1] == {"append"}
