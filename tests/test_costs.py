"""What attention costs: every count of `course_attn.costs`, by hand and by others' code.

The rows are like those of `tests/twins/cases.py`. There is one module for both libraries, so
nothing is compared between twins.
"""

from typing import Any

import numpy as np
import pytest
import scipy.stats
import torch
from torch.utils.flop_counter import FlopCounterMode

from course_attn import costs
from tests.support.refusals import bad_count, bad_flag, bad_number
from tests.support.twin_table import Bad

SIZES = {"n_q": 7, "n_k": 11, "d_k": 5, "d_v": 13, "n_heads": 3}
CACHE = {"n": 11, "d_k": 5, "d_v": 13, "n_kv_heads": 3}
ATTENTION = ("attention_flops", "explicit_bytes", "fused_bytes")

CALLS: dict[str, list[dict[str, Any]]] = {
    **{
        name: [SIZES, SIZES | {"n_heads": 1, "n_q": 1}, SIZES | {"n_k": 0}]
        for name in ATTENTION
    },
    "kv_cache_bytes": [
        CACHE,
        CACHE | {"n_layers": 7, "itemsize": 2},
        CACHE | {"n": 0},
    ],
    "head_widths": [
        {"d_model": 15, "n_heads": 5},
        {"d_model": 19, "n_heads": 5, "d_k": 13, "d_v": 17},
        {"d_model": 15, "n_heads": 5, "d_k": None, "d_v": 7},
    ],
    "n_parameters": [
        {"d_model": 15, "n_heads": 5},
        {"d_model": 15, "n_heads": 5, "biases": True},
        {"d_model": 19, "n_heads": 5, "d_k": 13, "d_v": 17},
        {"d_model": 19, "n_heads": 5, "d_k": 13, "d_v": 17, "biases": True},
        {"d_model": 15, "n_heads": 5, "d_k": None, "d_v": 7},
    ],
    "expected_score_variance": [
        {"d_k": d_k} | options
        for d_k in (1, 64)
        for options in (
            {},
            {"mean": -0.7},
            {"shared": True},
            {"mean": 3.0, "shared": True},
        )
    ],
}
RING = {"n_bytes": 3_000_017, "n_processes": 7, "bandwidth": 2e9}
TEAM = RING | {"compute_seconds": 0.0071}
CALLS["all_reduce_seconds"] = [
    RING,
    RING | {"latency": 1.3e-5},
    RING | {"n_processes": 1, "latency": 1.3e-5},
    RING | {"n_bytes": 0, "latency": 1.3e-5},
]
CALLS["data_parallel_speedup"] = [
    TEAM,
    TEAM | {"latency": 1.3e-5, "hidden_seconds": 1.1e-3},
    TEAM | {"hidden_seconds": 1.0},
    TEAM | {"n_processes": 1, "latency": 1.3e-5},
]
PASSED = {"n": 84, "d_k": 5, "d_v": 13, "n_kv_heads": 3, "n_processes": 7}
SHARED = {"n": 84, "d_k": 5, "d_v": 13, "n_heads": 3, "n_processes": 7}
CALLS["ring_bytes"] = [
    PASSED | options
    for options in (
        {},
        {"backward": True},
        {"itemsize": 2},
        {"itemsize": 2, "backward": True},
        {"itemsize": 8, "backward": True},
        {"n_processes": 1, "backward": True},
        {"n": 0},
    )
]
CALLS["ring_flops"] = [
    SHARED | options | {"backward": backward}
    for options in ({}, {"causal": True}, {"causal": True, "n_processes": 3})
    for backward in (False, True)
]
CALLS["explicit_bytes"].append(SIZES | {"itemsize": 2})
CALLS["fused_bytes"].append(SIZES | {"itemsize": 2})

TWO = {"n": 4, "d_k": 1, "d_v": 1, "n_processes": 2}
BY_HAND = [
    # One score: 2 products and 1 addition in q k, rounded up to 2; 3 for the values.
    ("attention_flops", 10, {"n_q": 1, "n_k": 1, "d_k": 2, "d_v": 3, "n_heads": 1}),
    (
        "attention_flops",
        2**35,
        {"n_q": 4096, "n_k": 4096, "d_k": 64, "d_v": 64, "n_heads": 8},
    ),
    # Eight numbers of four bytes, and four more.
    ("fused_bytes", 40, {"n_q": 1, "n_k": 1, "d_k": 2, "d_v": 3, "n_heads": 1}),
    ("explicit_bytes", 56, {"n_q": 1, "n_k": 1, "d_k": 2, "d_v": 3, "n_heads": 1}),
    (
        "kv_cache_bytes",
        2 * 2**30,
        {"n": 4096, "d_k": 128, "d_v": 128, "n_kv_heads": 32}
        | {"n_layers": 32, "itemsize": 2},
    ),
    ("head_widths", (3, 3), {"d_model": 6, "n_heads": 2}),
    ("head_widths", (7, 3), {"d_model": 6, "n_heads": 2, "d_k": 7}),
    ("head_widths", (7, 5), {"d_model": 10, "n_heads": 3, "d_k": 7, "d_v": 5}),
    # 4 * 6^2, as many for six heads, and 4 * 6 more.
    ("n_parameters", 144, {"d_model": 6, "n_heads": 2}),
    ("n_parameters", 144, {"d_model": 6, "n_heads": 6}),
    ("n_parameters", 168, {"d_model": 6, "n_heads": 3, "biases": True}),
    # W_Q and W_K 6 x 2 each, W_V 6 x 10, W_O 10 x 6; biases 2 + 2 + 10 + 6.
    ("n_parameters", 144, {"d_model": 6, "n_heads": 2, "d_k": 1, "d_v": 5}),
    (
        "n_parameters",
        164,
        {"d_model": 6, "n_heads": 2, "d_k": 1, "d_v": 5, "biases": True},
    ),
    # Two send half of 8 bytes, twice, 1 byte a second; three a third of 9, four times, at 2 s more.
    ("all_reduce_seconds", 8, {"n_bytes": 8, "n_processes": 2, "bandwidth": 1.0}),
    (
        "all_reduce_seconds",
        4 * (3 + 2),
        {"n_bytes": 9, "n_processes": 3, "bandwidth": 1.0, "latency": 2.0},
    ),
    ("all_reduce_seconds", 0, {"n_bytes": 8, "n_processes": 1, "bandwidth": 1.0}),
    # 8 seconds of computing and 8 of telling: two are as quick as one. Hidden: twice as quick.
    (
        "data_parallel_speedup",
        1,
        {"n_bytes": 8, "n_processes": 2, "bandwidth": 1.0, "compute_seconds": 8.0},
    ),
    (
        "data_parallel_speedup",
        2,
        {"n_bytes": 8, "n_processes": 2, "bandwidth": 1.0, "compute_seconds": 8.0}
        | {"hidden_seconds": 9.0},
    ),
    # Two exchange two keys and two values of one number each; back, also their gradients, twice.
    *(
        ("ring_bytes", wanted, TWO | {"n_kv_heads": 1} | options)
        for wanted, options in (
            (16, {}),
            (48, {"backward": True}),
            (8, {"itemsize": 2}),
            (40, {"itemsize": 2, "backward": True}),
        )
    ),
    # Two queries see four keys, at 4 operations each, or 10; causal, 5 of 8 pairs of chunks.
    *(
        ("ring_flops", wanted, TWO | {"n_heads": 1} | options)
        for wanted, options in (
            (32, {}),
            (20, {"causal": True}),
            (80, {"backward": True}),
            (50, {"causal": True, "backward": True}),
        )
    ),
    # A width that no default fits.
    ("n_parameters", 160, {"d_model": 10, "n_heads": 1, "d_k": 3, "d_v": 5}),
    # d, d (1 + 2 m^2), 2 d and 2 d + 4 d m^2.
    ("expected_score_variance", 64, {"d_k": 64}),
    ("expected_score_variance", 192, {"d_k": 64, "mean": 1.0}),
    ("expected_score_variance", 3 * 19, {"d_k": 3, "mean": -3.0}),
    ("expected_score_variance", 128, {"d_k": 64, "shared": True}),
    ("expected_score_variance", 3 * 38, {"d_k": 3, "mean": 3.0, "shared": True}),
]


# --- others' code ---------------------------------------------------------------------------------


def flops_by_torch(n_q: int, n_k: int, d_k: int, d_v: int, n_heads: int) -> int:
    """Let PyTorch count the operations of two products."""
    with FlopCounterMode(display=False) as counter:
        scores = torch.empty(n_heads, n_q, d_k) @ torch.empty(n_heads, d_k, n_k)
        scores @ torch.empty(n_heads, n_k, d_v)
    return counter.get_total_flops()


def bytes_of(*shapes: tuple[int, ...], itemsize: int) -> int:
    """Add up the sizes of arrays."""
    kind = {2: torch.float16, 4: torch.float32, 8: torch.float64}[itemsize]
    arrays = [torch.empty(*shape, dtype=kind, device="meta") for shape in shapes]
    return sum(a.numel() * a.element_size() for a in arrays)


def moved(
    n_q: int,
    n_k: int,
    d_k: int,
    d_v: int,
    n_heads: int,
    itemsize: int = 4,
    *,
    times: int,
) -> int:
    """Add up Q, K, V, Y, and so many matrices of scores."""
    inputs = (n_heads, n_q, d_k), (n_heads, n_k, d_k), (n_heads, n_k, d_v)
    rest = (n_heads, n_q, d_v), *[(n_heads, n_q, n_k)] * times
    return bytes_of(*inputs, *rest, itemsize=itemsize)


def cached(
    n: int,
    d_k: int,
    d_v: int,
    n_kv_heads: int,
    n_layers: int = 1,
    itemsize: int = 4,
) -> int:
    """Add up the keys and values of every layer."""
    shapes = [(n_kv_heads, n, d_k), (n_kv_heads, n, d_v)] * n_layers
    return bytes_of(*shapes, itemsize=itemsize)


def widths_of_torch(
    d_model: int, n_heads: int, d_k: int | None = None, d_v: int | None = None
) -> tuple[int, int]:
    """Ask PyTorch's layer for the width of a head, where none is given."""
    if d_k is not None and d_v is not None:
        return d_k, d_v
    head_dim = torch.nn.MultiheadAttention(d_model, n_heads, device="meta").head_dim
    return head_dim if d_k is None else d_k, head_dim if d_v is None else d_v


def linear_layers(
    d_model: int,
    n_heads: int,
    d_k: int | None = None,
    d_v: int | None = None,
    biases: bool = False,
) -> int:
    """Count what four `nn.Linear` for all heads hold."""
    d_k, d_v = widths_of_torch(d_model, n_heads, d_k, d_v)
    shapes = [(d_model, n_heads * d) for d in (d_k, d_k, d_v)]
    shapes.append((n_heads * d_v, d_model))
    layers = [torch.nn.Linear(*shape, bias=biases) for shape in shapes]
    return sum(p.numel() for layer in layers for p in layer.parameters())


def ring(
    n_bytes: int, n_processes: int, bandwidth: float, latency: float = 0.0
) -> float:
    """Pass parts around: each round, every process sends one, and the next begins when all have."""
    # Which processes' numbers are in each part that a process has.
    parts = np.repeat(np.eye(n_processes, dtype=int)[:, None], n_processes, axis=1)
    clock = 0.0
    for final in (False, True):
        for n_done in range(n_processes - 1):
            before = parts.copy()
            for sender in range(n_processes):
                receiver = (sender + 1) % n_processes
                place = (sender + final - n_done) % n_processes
                sent = before[sender, place]
                parts[receiver, place] = (
                    sent if final else parts[receiver, place] + sent
                )
            clock += latency + n_bytes / n_processes / bandwidth
    # Every process has every part, in it what each has added, once.
    assert (parts == 1).all()
    return clock


def passed_on(
    n: int,
    d_k: int,
    d_v: int,
    n_kv_heads: int,
    n_processes: int,
    backward: bool = False,
    itemsize: int = 4,
) -> int:
    """Follow the keys and values of the first process, and their gradients, until they rest."""
    at, visited, sent = 0, {0}, 0
    keys_and_values = [(n_kv_heads, n // n_processes, d) for d in (d_k, d_v)]
    while len(visited) < n_processes:
        at = (at + 1) % n_processes
        visited.add(at)
        sent += bytes_of(*keys_and_values, itemsize=itemsize)
        if backward:
            sent += bytes_of(*keys_and_values, itemsize=max(itemsize, 4))
    if backward and at != 0:
        sent += bytes_of(*keys_and_values, itemsize=max(itemsize, 4))  # home
    return sent


def products_of_chunks(
    n: int,
    d_k: int,
    d_v: int,
    n_heads: int,
    n_processes: int,
    causal: bool = False,
    backward: bool = False,
) -> int:
    """Let PyTorch count the products of each process, a pair of chunks after the other."""
    c = n // (2 * n_processes)
    found = set()
    for p in range(n_processes):
        pairs = [
            (i, j)
            for i in (p, 2 * n_processes - 1 - p)
            for j in range(2 * n_processes)
            if j <= i or not causal
        ]
        flops = len(pairs) * flops_by_torch(c, c, d_k, d_v, n_heads)
        # dy v^T as the product with v, dv as that with dy; dq and dk as the scores.
        if backward:
            flops += len(pairs) * flops_by_torch(c, c, 2 * d_k, d_v, n_heads)
        found.add(flops)
    (of_each,) = found
    return of_each


def several(
    n_processes: int,
    compute_seconds: float,
    n_bytes: int,
    bandwidth: float,
    latency: float = 0.0,
    hidden_seconds: float = 0.0,
) -> float:
    """Count sequences per second, of one process and of all."""
    told = ring(n_bytes, n_processes, bandwidth, latency)
    seconds = compute_seconds + (told - hidden_seconds) * (told > hidden_seconds)
    return (n_processes * 5 / seconds) / (5 / compute_seconds)


def variance_by_quadrature(
    d_k: int, mean: float = 0.0, shared: bool = False
) -> np.floating:
    """Integrate (q k)^2 and q k over one Gaussian component each, exactly; components add up."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(9)
    x, weights = mean + nodes, weights / weights.sum()
    product = x * x if shared else x[:, None] * x
    density = weights if shared else weights[:, None] * weights
    return d_k * ((density * product**2).sum() - (density * product).sum() ** 2)


def variance_of_ncx2(d_k: int, mean: float = 0.0, shared: bool = False) -> float:
    """For q = k, the score has a noncentral chi-squared distribution."""
    if shared:
        return scipy.stats.ncx2.var(d_k, d_k * mean**2)
    return variance_by_quadrature(d_k, mean)


ORACLES = {
    "all_reduce_seconds": [ring],
    "data_parallel_speedup": [several],
    "attention_flops": [flops_by_torch],
    "explicit_bytes": [lambda **sizes: moved(**sizes, times=4)],
    "fused_bytes": [lambda **sizes: moved(**sizes, times=0)],
    "kv_cache_bytes": [cached],
    "ring_bytes": [passed_on],
    "ring_flops": [products_of_chunks],
    "head_widths": [widths_of_torch],
    "n_parameters": [linear_layers],
    "expected_score_variance": [variance_by_quadrature, variance_of_ncx2],
}


# These are no counts.
REAL = ("all_reduce_seconds", "data_parallel_speedup", "expected_score_variance")


# --- what is refused ------------------------------------------------------------------------------


def bad_sizes(name: str, good: dict[str, Any], **least: int) -> list[Bad]:
    """Try what is too small or not an integer for each of these sizes."""
    return [
        bad
        for size, smallest in least.items()
        for bad in bad_count(
            name, size, smallest - 1, **{k: v for k, v in good.items() if k != size}
        )
    ]


def not_none(rows: list[Bad]) -> list[Bad]:
    """Leave out the calls with None, where None is the default."""
    return [bad for bad in rows if not bad.about.endswith("None")]


def undivided(name: str, **options: Any) -> Bad:
    """Give a width that the number of heads does not divide."""
    says = ("a multiple of n_heads = 3", "got 10")
    given = {"d_model": 10, "n_heads": 3} | options
    return Bad(name, f"{given}", given, ValueError, "d_model", says)


def uncut(name: str, n_chunks: int, **given: Any) -> Bad:
    """Give a number of positions that cannot be cut into so many chunks."""
    says = (f"a multiple of {n_chunks}", f"got {given['n']}")
    return Bad(name, f"{given}", given, ValueError, "n must", says)


ONE = {"n_q": 0, "n_k": 0, "d_k": 1, "d_v": 1, "n_heads": 1}
HEADS = {"d_model": 6, "n_heads": 2}
BAD_INPUT = [
    *bad_sizes("attention_flops", SIZES, **ONE),
    *bad_sizes("explicit_bytes", SIZES, **ONE, itemsize=1),
    *bad_sizes("fused_bytes", SIZES, **ONE, itemsize=1),
    *bad_sizes(
        "kv_cache_bytes",
        CACHE,
        n=0,
        d_k=1,
        d_v=1,
        n_kv_heads=1,
        n_layers=1,
        itemsize=1,
    ),
    *(
        bad
        for name in ("head_widths", "n_parameters")
        for bad in (
            *bad_count(name, "d_model", 0, n_heads=1),
            *bad_count(name, "n_heads", 0, d_model=6),
            *not_none(bad_count(name, "d_k", 0, **HEADS)),
            *not_none(bad_count(name, "d_v", 0, **HEADS)),
            undivided(name),
            undivided(name, d_k=2),
        )
    ),
    *bad_sizes("all_reduce_seconds", RING, n_bytes=0, n_processes=1),
    *bad_sizes("data_parallel_speedup", TEAM, n_bytes=0, n_processes=1),
    *(
        bad
        for name, good in (
            ("all_reduce_seconds", RING),
            ("data_parallel_speedup", TEAM),
        )
        for number in ("bandwidth", "latency", "compute_seconds", "hidden_seconds")
        if number in good or name == "data_parallel_speedup" or number == "latency"
        for bad in bad_number(
            name,
            number,
            positive=number in ("bandwidth", "compute_seconds"),
            **{k: v for k, v in good.items() if k != number},
        )
    ),
    *bad_sizes(
        "ring_bytes",
        PASSED,
        **{"n": 0, "d_k": 1, "d_v": 1, "n_kv_heads": 1},
        n_processes=1,
        itemsize=1,
    ),
    *bad_sizes("ring_flops", SHARED, n=0, d_k=1, d_v=1, n_heads=1, n_processes=1),
    *bad_flag("ring_bytes", "backward", **PASSED),
    *bad_flag("ring_flops", "backward", **SHARED),
    *bad_flag("ring_flops", "causal", **SHARED),
    uncut("ring_bytes", 7, **PASSED | {"n": 85}),
    uncut("ring_flops", 7, **SHARED | {"n": 85}),
    uncut("ring_flops", 14, **SHARED | {"n": 7, "causal": True}),
    *bad_flag("n_parameters", "biases", **HEADS),
    *bad_count("expected_score_variance", "d_k", 0),
    *bad_number("expected_score_variance", "mean", positive=False, d_k=64),
    *bad_flag("expected_score_variance", "shared", d_k=64),
]


@pytest.mark.parametrize("name", costs.__all__)
def test_costs_are_what_others_count(name: str, subtests: pytest.Subtests) -> None:
    count = getattr(costs, name)
    for call in CALLS[name]:
        for oracle in ORACLES[name]:
            with subtests.test(call=call, oracle=oracle):
                found, wanted = count(**call), oracle(**call)
                if name in REAL:
                    assert type(found) is float
                    assert found == pytest.approx(wanted, rel=1e-12)
                else:
                    assert found == wanted
                    assert type(found) in (int, tuple)


@pytest.mark.parametrize("name", costs.__all__)
def test_costs_are_what_was_worked_out_by_hand(
    name: str, subtests: pytest.Subtests
) -> None:
    rows = [
        (wanted, call) for function, wanted, call in BY_HAND if function == name
    ]
    assert rows, "give a case that was worked out by hand"
    for wanted, call in rows:
        with subtests.test(call=call):
            assert getattr(costs, name)(**call) == wanted


@pytest.mark.without_hook
@pytest.mark.parametrize("name", costs.__all__)
def test_costs_refuse_bad_input(name: str, subtests: pytest.Subtests) -> None:
    rows = [bad for bad in BAD_INPUT if bad.function == name]
    assert rows, "give a call that must be refused"
    for bad in rows:
        with subtests.test(str(bad)):
            with pytest.raises(bad.error) as caught:
                getattr(costs, name)(**bad.arguments)
            assert type(caught.value) is bad.error
            assert all(part in str(caught.value) for part in (bad.names, *bad.says))
