"""How quick and how large attention is: ours beside others', on this machine.

Run ``make bench``, or ``python -m benchmarks.attention --help``. Times of one section are taken in
one process, all contenders in turn, and compared as ratios; a busy machine spoils them less than
seconds. Results go to `benchmarks/results/`, which the chapter `fast` draws from.
"""

import argparse
import os
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks import contenders, results
from benchmarks.measure import interleaved, peak_in_child, peak_on_gpu
from course_attn.in_torch import KVCache, Transformer

Rows = list[results.Row]


def timed(
    section: str, make: Callable[..., Any], settings: dict[str, Any], options: Any
) -> Rows:
    """Time all contenders of one setting against each other."""
    found = make(**settings)
    _check_that_all_agree(found)
    times = interleaved(found, rounds=options.rounds, threads=options.threads)
    return [
        results.row(section, name, settings, seconds=t) for name, t in times.items()
    ]


def _check_that_all_agree(found: contenders.Contenders) -> None:
    """Refuse to compare attention that computes different things."""
    outs = [
        np.asarray(found[name]()).squeeze()
        for name in found
        if name.split()[-1] in ("explicit", "fused", "tiled")
    ]
    for out in outs[1:]:
        np.testing.assert_allclose(out, outs[0], atol=1e-4)


def numpy_attention(options: Any) -> Rows:
    """Compare NumPy's fused attention with the other ways and with PyTorch's kernel."""
    n = 1024 if options.quick else 4096
    rows = [
        row
        for dtype in ("float32", "float64")
        for row in timed(
            "numpy", contenders.numpy_attention, {"n": n, "dtype": dtype}, options
        )
    ]
    settings = {"n": 4 * n, "dtype": "float32"}
    for name in ("PyTorch fused", "NumPy fused"):
        peak = peak_in_child(
            "numpy_attention", name, settings, threads=options.threads
        )
        rows.append(results.row("numpy", name, settings, extra_bytes=peak))
    return rows


def modules(options: Any) -> Rows:
    """Compare modules of multi-head attention, without and with gradients."""
    settings = {"n": 256 if options.quick else 1024, "batch": 4, "d_model": 512}
    return [
        row
        for name in ("forward", "forward_and_backward")
        for row in timed(name, getattr(contenders, name), settings, options)
    ]


def decoding(options: Any) -> Rows:
    """Time one more token after n, with caches and by computing everything again."""
    lengths = (32, 64, 128) if options.quick else (64, 128, 256, 512, 1024, 2048)
    model, tokens = contenders.decoder(max(lengths) + 4096)
    rows: Rows = []
    for n in lengths:
        found = {
            "with caches": _steps(model, tokens, n),
            "everything again": partial(_again, model, tokens[:, : n + 1]),
        }
        with torch.no_grad():
            times = interleaved(
                found, rounds=options.rounds, threads=options.threads
            )
        rows += [
            results.row("decoding", name, {"n": n}, seconds=t)
            for name, t in times.items()
        ]
    return rows


def _again(model: Transformer, tokens: torch.Tensor) -> torch.Tensor:
    return model(tokens, causal=True)[:, -1]


def _steps(model: Transformer, tokens: torch.Tensor, n: int) -> Callable[[], Any]:
    """Return a function that decodes one token, after n at first; caches start anew in time."""
    state: dict[str, Any] = {"end": None}

    def step() -> torch.Tensor:
        if state["end"] is None or state["end"] >= n + max(32, n // 8):
            state["caches"] = [KVCache() for _ in model.blocks]
            model(tokens[:, :n], causal=True, caches=state["caches"])
            state["end"] = n
        token = tokens[:, state["end"] : state["end"] + 1]
        out = model(token, causal=True, caches=state["caches"])
        state["end"] += 1
        return out

    return step


def growth(options: Any) -> Rows:
    """Measure time and memory against n."""
    sizes = (128, 256, 512) if options.quick else (512, 1024, 2048, 4096, 8192)
    rows: Rows = []
    for n in sizes:
        settings = {"n": n, "dtype": "float32"}
        found = contenders.growing(**settings)
        if n > 4096:  # explicit weights would take several times 2 GiB
            found = {k: f for k, f in found.items() if "explicit" not in k}
        times = interleaved(found, rounds=options.rounds, threads=options.threads)
        for name, t in times.items():
            peak = peak_in_child("growing", name, settings, threads=options.threads)
            row = results.row("growth", name, settings, seconds=t, extra_bytes=peak)
            rows.append(row)
    return rows


# The makers of what is compared side by side.
_COMPARED = (
    "attention",
    "attention_and_backward",
    "forward",
    "forward_and_backward",
    "one_token",
)


def compared(options: Any) -> Rows:
    """Compare attention alone, modules and their decoding: on a GPU if there is one."""
    on_gpu = torch.cuda.is_available()
    sizes = (1024, 2048, 4096, 8192, 16384) if on_gpu else (256, 1024)
    rows: Rows = []
    for dtype in ("float32", "bfloat16") if on_gpu else ("float32",):
        for n in sizes[:1] if options.quick else sizes:
            for maker in _COMPARED:
                settings: dict[str, Any] = {"n": n, "dtype": dtype}
                if not maker.startswith("attention"):
                    settings |= {"batch": 1, "d_model": 512}
                # Without a GPU each peak takes a process of its own: a few must do.
                weigh = on_gpu or (
                    n == sizes[-1] and maker in ("attention", "forward")
                )
                rows += _side_by_side(maker, settings, on_gpu, weigh, options)
    return rows


def _side_by_side(
    maker: str, settings: dict[str, Any], on_gpu: bool, weigh: bool, options: Any
) -> Rows:
    """Measure the memory of each contender if asked to, then the times of all in turn.

    What cannot run, or needs more memory than there is, gets a row that says so.
    """
    # Attention alone is the section "cpu" or "gpu" itself.
    section = f"{'gpu' if on_gpu else 'cpu'} {maker}".removesuffix(" attention")
    device = "cuda" if on_gpu else "cpu"
    found = getattr(contenders, maker)(**settings, device=device)
    memory: dict[str, dict[str, int]] = {}
    rows: Rows = []
    first = next(iter(found.values()))()
    for name, run in found.items():
        try:
            out = run()
            if maker == "attention":
                _check_close(name, out, first)
            memory[name] = {}
            if weigh:
                peak = (
                    peak_on_gpu(run)
                    if on_gpu
                    else peak_in_child(
                        maker, name, settings, threads=options.threads
                    )
                )
                memory[name] = {"extra_bytes": peak}
        except (contenders.NotHere, torch.cuda.OutOfMemoryError) as error:
            memory.pop(name, None)
            why = str(error).splitlines()[0]
            rows.append(results.row(section, name, settings, not_measured=why))
    running = {name: found[name] for name in memory}
    times = interleaved(running, rounds=options.rounds, threads=options.threads)
    return [
        results.row(section, name, settings, seconds=t, **memory[name])
        for name, t in times.items()
    ] + rows


def _check_close(name: str, out: torch.Tensor, first: torch.Tensor) -> None:
    """Refuse to compare attention that computes something else than the first."""
    near = 1e-3 if out.dtype == torch.float32 else 5e-2
    torch.testing.assert_close(out, first, atol=near, rtol=near, msg=name)


SECTIONS = {
    "numpy": numpy_attention,
    "modules": modules,
    "decoding": decoding,
    "growth": growth,
    "compared": compared,
}


def exponents(rows: Iterable[results.Row]) -> str:
    """Write the fitted exponents of time and memory beside what theory says."""
    rows = [r for r in rows if r["section"] == "growth"]
    if not rows:
        return ""
    least = min(1024, sorted({r["settings"]["n"] for r in rows})[-2])
    lines = [f"exponents of n, from n = {least} on"]
    for name in dict.fromkeys(r["contender"] for r in rows):
        time, memory = (
            results.growth(rows, name, of, least)
            for of in ("seconds", "extra_bytes")
        )
        theory = (1 if "linear" in name else 2, 2 if "explicit" in name else 1)
        lines.append(
            f"  {name:36}time {time:5.2f} (theory {theory[0]})"
            f"   memory {memory:5.2f} (theory {theory[1]})"
        )
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    """Measure the sections asked for, print a table, and save the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "sections", nargs="*", help=f"of {', '.join(SECTIONS)}; default all"
    )
    parser.add_argument(
        "--quick", action="store_true", help="small sizes, nothing is saved"
    )
    parser.add_argument(
        "--rounds", type=int, default=9, help="rounds of each comparison"
    )
    cores = len(os.sched_getaffinity(0))
    parser.add_argument("--threads", type=int, default=cores, help="of PyTorch")
    parser.add_argument("--folder", type=Path, default=results.FOLDER)
    options = parser.parse_args(arguments)
    if unknown := set(options.sections) - set(SECTIONS):
        parser.error(f"no such section: {', '.join(sorted(unknown))}")
    rows: Rows = []
    for name in options.sections or SECTIONS:
        print(f"measuring {name} ...", flush=True)
        rows += (found := SECTIONS[name](options))
        print(results.table(found) or "nothing", end="\n\n", flush=True)
        if not options.quick and rows:  # after each section: a stop loses nothing
            saved = results.save(
                results.collect(rows, options.threads), options.folder
            )
            print(f"saved as {saved.name}", end="\n\n", flush=True)
    print(exponents(rows))


if __name__ == "__main__":
    main()
