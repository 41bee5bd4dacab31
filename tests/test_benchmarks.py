"""The harness of the benchmarks: what it computes from times, not how quick anything is."""

import json
import platform
import statistics
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from benchmarks import attention, contenders, measure, results
from course_attn.chapters.fast import figures as figures
from course_attn.chapters.how_fast.figures import CONTENDERS, QUESTIONS

SAVED = sorted(results.FOLDER.glob("20*.json"))  # the others are reports


def measured(times: list[float]) -> dict[str, Any]:
    return {"seconds": results.seconds(times)}


def growing_rows() -> list[results.Row]:
    """Make up times that grow with n to the power of 2 and memory that grows with n."""
    rows = []
    for n in (512, 1024, 2048, 4096):
        for name, power in (
            ("NumPy explicit", 2),
            ("NumPy fused", 1),
            ("PyTorch fused", 1),
        ):
            times = [1e-8 * n**2 * noise for noise in (0.99, 1.0, 1.02)]
            memory = {"extra_bytes": 100 * n**power}
            rows.append(
                results.row("growth", name, {"n": n}, **measured(times), **memory)
            )
    return rows


def complete(rows: list[results.Row]) -> dict[str, Any]:
    return results.collect(rows, threads=2)


# --- what follows from numbers --------------------------------------------------------------------


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0, 3.0])
def test_exponent_of_a_power_is_found(power: float) -> None:
    sizes = [100, 200, 800, 1600]
    amounts = [7.0 * n**power for n in sizes]
    assert results.exponent(sizes, amounts) == pytest.approx(power, rel=1e-12)


def test_exponent_is_the_slope_of_the_best_line() -> None:
    """With noise, as NumPy fits it."""
    rng = np.random.default_rng(0)
    sizes = np.array([100, 200, 400, 800, 1600])
    amounts = sizes**1.7 * np.exp(rng.normal(size=5) / 10)
    wanted = np.polyfit(np.log(sizes), np.log(amounts), 1)[0]
    assert results.exponent(sizes, amounts) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize(
    ("sizes", "amounts"), [([5, 5], [1, 2]), ([1, 2], [0, 1]), ([1], [1])]
)
def test_exponent_needs_two_sizes_and_positive_amounts(
    sizes: list[float], amounts: list[float]
) -> None:
    with pytest.raises(ValueError, match="two different sizes"):
        results.exponent(sizes, amounts)


def test_growth_looks_at_long_sequences_only() -> None:
    rows = growing_rows()
    rows[0]["seconds"]["median"] = 1e3  # at n = 512, the overhead of starting, say
    assert results.growth(rows, "NumPy explicit", "seconds") == pytest.approx(2)
    assert results.growth(rows, "NumPy explicit", "extra_bytes") == pytest.approx(2)
    assert results.growth(rows, "NumPy fused", "extra_bytes") == pytest.approx(1)


def test_ratios_are_taken_round_by_round() -> None:
    """A busy moment that meets both contenders of one round changes nothing."""
    one = results.row("s", "one", {}, **measured([2.0, 20.0, 2.2, 2.0, 200.0]))
    other = results.row("s", "other", {}, **measured([1.0, 10.0, 1.1, 1.0, 100.0]))
    assert results.ratio(one, other) == pytest.approx(2)
    assert results.ratio(other, one) == pytest.approx(0.5)


def test_times_are_summarized_by_median_and_quartiles() -> None:
    found = results.seconds([5.0, 1.0, 2.0, 4.0, 3.0])
    assert (found["median"], found["iqr"]) == (3.0, 2.0)
    assert found["times"] == [5.0, 1.0, 2.0, 4.0, 3.0]


def test_table_shows_every_row_and_ratios_to_the_first() -> None:
    rows = [
        results.row("numpy", "one", {"n": 5}, **measured([0.001] * 3)),
        results.row(
            "numpy",
            "two",
            {"n": 5},
            **measured([0.0025] * 3),
            extra_bytes=3 * 2**20,
        ),
        results.row("numpy", "two", {"n": 7}, extra_bytes=2**20),
        results.row("numpy", "three", {"n": 7}, not_measured="no compiler"),
    ]
    first, second = results.table(rows).split("\n\n")
    assert first.splitlines()[0] == "numpy: n = 5"
    assert first.splitlines()[2].split() == [
        "one",
        "1.00",
        "ms",
        "0.00",
        "ms",
        "1.00",
    ]
    assert first.splitlines()[3].split()[5:] == ["2.50", "3.0", "MiB"]
    assert second.splitlines()[0] == "numpy: n = 7"
    assert second.splitlines()[2].split() == ["two", "1.0", "MiB"]
    assert second.splitlines()[3].split(maxsplit=1) == [
        "three",
        "not measured: no compiler",
    ]


def test_exponents_are_written_beside_the_theory() -> None:
    text = attention.exponents(growing_rows()).splitlines()
    assert text[0] == "exponents of n, from n = 1024 on"
    assert "time  2.00 (theory 2)   memory  2.00 (theory 2)" in text[1]
    assert "time  2.00 (theory 2)   memory  1.00 (theory 1)" in text[2]
    assert attention.exponents([]) == ""


# --- files ----------------------------------------------------------------------------------------


def test_results_come_back_as_they_were_saved(tmp_path: Path) -> None:
    found = complete(growing_rows())
    path = results.save(found, tmp_path)
    assert path.name == f"{found['date']}-{found['machine']}.json"
    assert results.load(path) == json.loads(json.dumps(found))


def test_results_keep_sections_not_measured_anew(tmp_path: Path) -> None:
    others = [results.row("numpy", "one", {"n": 5}, **measured([1.0, 2.0, 3.0]))]
    results.save(complete(growing_rows() + others), tmp_path)
    again = [results.row("numpy", "two", {"n": 5}, **measured([1.0, 2.0, 3.0]))]
    path = results.save(complete(again), tmp_path)
    assert results.load(path)["rows"] == growing_rows() + again


def spoiled(change: Any) -> dict[str, Any]:
    found = complete(growing_rows())
    change(found)
    return found


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda r: r.pop("versions"), "versions must be there"),
        (lambda r: r.update(threads="2"), "threads must be .* of type int"),
        (lambda r: r.update(schema=99), "schema must be 1, got 99"),
        (lambda r: r.update(date="today"), "date must be like"),
        (lambda r: r.update(machine="My Box"), "machine must be a slug"),
        (lambda r: r["rows"][3].pop("contender"), r"rows\[3\]: contender"),
        (lambda r: r["rows"][1].update(extra_bytes=-1), r"rows\[1\]: extra_bytes"),
        (lambda r: r["rows"][1]["seconds"].update(times=[1.0]), "at least 3"),
        (lambda r: r["rows"][1]["seconds"].update(median=9.0), "median must lie"),
        (
            lambda r: r["rows"].append(results.row("s", "c", {})),
            "seconds, extra_bytes or not_measured",
        ),
    ],
)
def test_results_that_are_incomplete_are_refused(
    change: Any, says: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=says):
        results.save(spoiled(change), tmp_path)


@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.stem)
def test_results_that_are_committed_are_complete(path: Path) -> None:
    """And named after their date and hardware."""
    found = results.load(path)
    assert path.stem == f"{found['date']}-{found['machine']}"
    assert results.machine(found["hardware"]) == found["machine"]


def test_saved_results_are_those_that_the_chapter_is_about() -> None:
    """Whatever else is saved: its sentences have these numbers."""
    found = figures.saved_results()
    assert (found["date"], found["machine"]) == ("2026-11-21", "amd-epyc-2-cores")
    assert {"numpy", "growth", "decoding"} <= {r["section"] for r in found["rows"]}
    figures.growth_with_length(found)
    figures.decoding_times(found)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("Intel(R) Xeon(R) CPU @ 2.20GHz", "intel-xeon"),
        ("AMD EPYC 9554 64-Core Processor", "amd-epyc-9554-64-core"),
        ("NVIDIA H100 80GB HBM3", "nvidia-h100-80gb-hbm3"),
    ],
)
def test_machines_are_named_by_their_hardware(name: str, wanted: str) -> None:
    assert results.slug(name) == wanted
    assert platform.node().lower() not in results.machine(results.hardware())


# --- measuring ------------------------------------------------------------------------------------


def test_contenders_run_in_turn_and_equally_often(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After warming up, each round has every contender once, and starts with the next one."""
    calls: list[str] = []
    ticks = iter(range(10_000))
    monkeypatch.setattr(measure.benchmark, "timer", lambda: float(next(ticks)))
    found = measure.interleaved(
        {name: lambda name=name: calls.append(name) for name in "abc"},
        rounds=4,
        threads=1,
    )
    assert "".join(calls[6:]) == "abc" + "bca" + "cab" + "abc"
    assert calls[:6] == list("aabbcc")
    for summary in found.values():
        assert summary["times"] == [1.0] * 4
        assert summary["median"] == 1.0 and summary["iqr"] == 0.0


def test_runs_that_are_short_are_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run of 10 ms is made 5 times a round, and its time is the mean."""
    now = [0.0]
    monkeypatch.setattr(measure.benchmark, "timer", lambda: now[0])

    def run() -> None:
        now[0] += 0.010

    found = measure.interleaved({"a": run}, rounds=3, threads=1, least=0.05)
    assert found["a"]["times"] == pytest.approx([0.010] * 3)
    assert found["a"]["runs"] == 5


def test_summary_is_pytorchs(monkeypatch: pytest.MonkeyPatch) -> None:
    times = [0.1, 0.2, 0.4, 0.8]
    found = measure._summary("a", times, 1, 2)
    assert found["median"] == pytest.approx(statistics.median(times))
    low, high = np.quantile(times, [0.25, 0.75])
    assert found["iqr"] == pytest.approx(high - low)


def test_peak_memory_is_found_in_another_process() -> None:
    """Three arrays of n^2 float32 scores in eight heads, more or less; fused a few tiles only."""
    settings = {"n": 512, "dtype": "float32"}
    matrix = 8 * 512**2 * 4
    explicit, fused = (
        measure.peak_in_child("growing", name, settings, threads=1)
        for name in ("NumPy explicit", "NumPy fused")
    )
    assert 2 * matrix < explicit < 5 * matrix
    assert fused < matrix


def test_peak_memory_is_that_of_so_many_threads(monkeypatch) -> None:
    """The kernel keeps a buffer for each thread; and all run once, at full length, to warm up."""
    seen = []
    found = {"any": lambda: seen.append((n, torch.get_num_threads()))}
    n, before = 3, torch.get_num_threads()
    monkeypatch.setattr(contenders, "growing", lambda n: found)
    try:
        measure._peak_here("growing", "any", {"n": n}, before + 1)
        assert seen == [(3, before + 1)] * 2
    finally:
        torch.set_num_threads(before)


# --- contenders -----------------------------------------------------------------------------------


def test_contenders_compute_the_same_attention() -> None:
    found = contenders.numpy_attention(n=70, dtype="float32")
    outs = {name: np.asarray(run()).squeeze() for name, run in found.items()}
    for name in (
        "NumPy fused",
        "NumPy tiled",
        "NumPy explicit",
        "PyTorch explicit",
        "NumPy fused, BLAS threads only",
    ):
        np.testing.assert_allclose(outs[name], outs["PyTorch fused"], atol=1e-5)
    causal = outs["NumPy fused, causal"]
    np.testing.assert_allclose(causal, outs["PyTorch fused, causal"], atol=1e-5)


def test_contenders_that_compute_something_else_are_refused() -> None:
    found = contenders.numpy_attention(n=20, dtype="float32")
    attention._check_that_all_agree(found)
    found["NumPy fused"] = found["NumPy fused, causal"]
    with pytest.raises(AssertionError):
        attention._check_that_all_agree(found)


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile nothing: what is computed is the same, in less than half a minute."""
    monkeypatch.setattr(torch, "compile", lambda function, **options: function)


def test_modules_are_causal_and_have_gradients(eager: None) -> None:
    torch.manual_seed(0)
    X = torch.randn(2, 9, 64)
    changed = X.clone()
    changed[:, 5:] += 1
    found = contenders.modules(64, 9)
    assert {"linear + fused + linear", "per-head loop"} < set(found)
    for name, module in found.items():
        with torch.set_grad_enabled(name != contenders.FLEX):  # none on a CPU
            before, after = module(X), module(changed)
        assert before.shape == X.shape, name
        torch.testing.assert_close(before[:, :5], after[:, :5], msg=name)
        assert (before[:, 5:] - after[:, 5:]).abs().max() > 1e-3, name
        if not before.requires_grad:
            continue
        before.sum().backward()
        assert all(p.grad is not None for p in module.parameters()), name


def test_attention_alone_is_the_same_of_all_with_the_same_gradients(
    eager: None,
) -> None:
    found = contenders.attention(37, "float32")
    wanted = found["PyTorch fused"]()
    for run in found.values():
        torch.testing.assert_close(run(), wanted, atol=1e-5, rtol=0)
    found = contenders.attention_and_backward(37, "float32")
    wanted = found["PyTorch fused"]()
    with pytest.raises(
        contenders.NotHere, match="does not support backward on CPU"
    ):
        found.pop(contenders.FLEX)()
    for run in found.values():
        torch.testing.assert_close(run(), wanted, atol=1e-4, rtol=0)


def test_one_token_is_the_last_of_the_whole_sequence_again_and_again(
    eager: None,
) -> None:
    steps = contenders.one_token(11, batch=2, d_model=512)
    torch.manual_seed(0)
    X = torch.randn(2, 11, 512)
    modules = contenders.modules(512, 11)
    for name, step in steps.items():
        with torch.no_grad():
            wanted = modules[name.removesuffix(", n_max")](X)[:, -1:]
        for _ in range(3):
            torch.testing.assert_close(
                step(), wanted, atol=1e-5, rtol=1e-4, msg=name
            )


def options(**more: Any) -> SimpleNamespace:
    return SimpleNamespace(quick=True, rounds=3, threads=1, **more)


@pytest.mark.parametrize(
    ("place", "dtypes"), [("cpu", ["float32"]), ("gpu", ["float32", "bfloat16"])]
)
def test_compared_has_a_row_for_every_contender_and_says_what_cannot_run(
    place: str, dtypes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the page asks for: each group of each question, in the section where it looks."""

    def make(n: int, dtype: str, device: str, **more: int) -> contenders.Contenders:
        def out_of_memory() -> None:
            raise torch.cuda.OutOfMemoryError("Tried to allocate\nmore")

        return {"PyTorch fused": lambda: torch.ones(1), "large": out_of_memory}

    monkeypatch.setattr(torch.cuda, "is_available", lambda: place == "gpu")
    monkeypatch.setattr(attention, "peak_on_gpu", lambda run: 5)
    for maker in attention._COMPARED:
        monkeypatch.setattr(contenders, maker, make)
    rows = attention.compared(options())
    wanted = {
        f"{place}{s}"
        for sections, _ in QUESTIONS.values()
        for s in sections.values()
    }
    assert {r["section"] for r in rows} == wanted
    for section in wanted:
        found = [r for r in rows if r["section"] == section]
        assert [r["settings"]["dtype"] for r in found[::2]] == dtypes
        for quick, large in zip(found[::2], found[1::2], strict=True):
            assert len(quick["seconds"]["times"]) == 3
            assert quick.get("extra_bytes") == (5 if place == "gpu" else None)
            assert large["not_measured"] == "Tried to allocate"
            assert "seconds" not in large
    monkeypatch.undo()
    results.check(complete(rows))


@pytest.mark.gpu
def test_compared_measures_all_on_a_gpu() -> None:
    """Also FlexAttention, which compiles there, and its gradients."""
    rows = attention.compared(options())
    assert not [r for r in rows if "not_measured" in r]


def test_compared_refuses_attention_that_computes_something_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def make(n: int, dtype: str, device: str) -> contenders.Contenders:
        return {
            "PyTorch fused": lambda: torch.ones(1),
            "ours": lambda: torch.zeros(1),
        }

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(contenders, "attention", make)
    with pytest.raises(AssertionError, match="ours"):
        attention.compared(options())


@pytest.mark.parametrize("maker", attention._COMPARED)
def test_contenders_are_those_that_the_page_shows(maker: str, eager: None) -> None:
    """And the first of each group is what the others are compared with."""
    more = {} if maker.startswith("attention") else {"batch": 1, "d_model": 512}
    found = getattr(contenders, maker)(n=5, dtype="float32", **more)
    sections = [s for s, _ in QUESTIONS.values()]
    section = f" {maker}".removesuffix(" attention")
    (group,) = {g for names in sections for g, s in names.items() if s == section}
    assert set(found) == set(CONTENDERS[group])


def test_decoding_with_caches_computes_what_everything_again_does() -> None:
    model, tokens = contenders.decoder(40, d_model=64, n_layers=2)
    with torch.no_grad():
        whole = model(tokens, causal=True)
        step = attention._steps(model, tokens, 5)
        for n in range(5, 40):
            wanted = attention._again(model, tokens[:, : n + 1])
            torch.testing.assert_close(wanted, whole[:, n], atol=1e-5, rtol=1e-4)
            if n < 37:
                torch.testing.assert_close(
                    step()[:, 0], wanted, atol=1e-5, rtol=1e-4
                )


def test_decoder_cache_starts_anew_before_it_has_grown_much() -> None:
    model, tokens = contenders.decoder(80, d_model=64, n_layers=1)
    with torch.no_grad():
        step = attention._steps(model, tokens, 7)
        first = step()
        for _ in range(31):
            step()
        torch.testing.assert_close(step(), first)


def test_command_measures_prints_and_saves(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A section of made-up rows in place of real ones."""
    asked: list[SimpleNamespace] = []
    monkeypatch.setitem(
        attention.SECTIONS,
        "growth",
        lambda options: asked.append(options) or growing_rows(),
    )
    attention.main(["growth", "--rounds", "3", "--folder", str(tmp_path)])
    assert [options.rounds for options in asked] == [3]
    printed = capsys.readouterr().out
    assert "growth: n = 4096" in printed and "theory 2" in printed
    (path,) = tmp_path.iterdir()
    assert results.load(path)["rows"] == growing_rows()
    attention.main(["growth", "--quick", "--folder", str(tmp_path / "none")])
    assert not (tmp_path / "none").exists()
    with pytest.raises(SystemExit):
        attention.main(["grwth"])


# --- figures --------------------------------------------------------------------------------------


def test_figures_are_drawn_from_results() -> None:
    times = [results.row("decoding", name, {"n": n}, **measured([0.1 * n, 0.2 * n, 0.3 * n]))
             for n in (64, 128) for name in ("with caches", "everything again")]  # fmt: skip
    found = complete(growing_rows() + times)
    growth = figures.growth_with_length(found)
    labels = [t.get_text() for t in growth.axes[1].get_legend().get_texts()]
    assert labels[0] == "explicit: 2.00"
    assert labels[1] == "fused: 1.00"
    assert len(figures.decoding_times(found).axes[0].lines) == 2
    bars = figures.benchmark_bars(found, "decoding", n=128)
    texts = [t.get_text() for t in bars.axes[0].texts]
    assert texts == ["25,600 ms", "25,600 ms, 1.00\N{MULTIPLICATION SIGN}"]
    with pytest.raises(KeyError):
        figures.benchmark_bars(found, "decoding", ["nobody"], n=128)
