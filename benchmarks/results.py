"""Results of benchmarks: where they stand, what they must contain, what follows from them.

A file of results is a JSON object: `schema`, `date`, `machine` (a name for the hardware),
`hardware`, `versions`, `threads`, `rows`. A row says what was measured: `section`, `contender`,
`settings`, and `seconds` (the `median` and the interquartile range `iqr` of `times`, one for each
round, each a mean over the runs of that round), `extra_bytes` (the peak of memory beyond the
inputs, the output included), or both; or it says why nothing was, as `not_measured`. Rows of one
section and equal settings were measured in one process, round by round, so that their times can be
compared.
"""

import importlib.metadata
import json
import math
import os
import platform
import re
import statistics
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "results"
SCHEMA = 1
_TOP = {
    "schema": int,
    "date": str,
    "machine": str,
    "hardware": dict,
    "versions": dict,
    "threads": int,
    "rows": list,
}

Row = dict[str, Any]


def row(
    section: str, contender: str, settings: dict[str, Any], **measured: Any
) -> Row:
    """Make a row."""
    return {
        "section": section,
        "contender": contender,
        "settings": settings,
    } | measured


def seconds(times: Sequence[float]) -> dict[str, Any]:
    """Summarize the times of the rounds."""
    low, _, high = statistics.quantiles(times, n=4, method="inclusive")
    return {
        "median": statistics.median(times),
        "iqr": high - low,
        "times": [float(f"{t:.4g}") for t in times],
    }


def slug(text: str) -> str:
    """Write a name in lower-case letters, digits and hyphens."""
    text = re.sub(r"\((r|tm)\)|\bcpu\b|@.*|processor", " ", text.lower())
    return re.sub(r"[^a-z0-9]+", "-", text).strip("-")


def hardware() -> dict[str, Any]:
    """Describe the processor, the memory and the GPU, never a host."""
    import torch

    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else None
    gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "cpu": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(gib),
        "gpu": gpu,
    }


def _processor() -> str:
    """Return what the processor calls itself."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    found = re.search(r"^model name\s*:\s*(.+)$", text, flags=re.M)
    return found[1].strip() if found else platform.processor() or platform.machine()


def machine(found: dict[str, Any]) -> str:
    """Name a machine by its hardware."""
    return slug(f"{found['gpu'] or found['cpu']} {found['cores']} cores")


def versions() -> dict[str, str]:
    """Return the versions of what was measured."""
    names = ("numpy", "torch", "threadpoolctl", "x-transformers")
    found = {"python": platform.python_version()}
    for name in names:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def today() -> str:
    """Return the date, in UTC."""
    return datetime.now(UTC).date().isoformat()


def collect(rows: list[Row], threads: int) -> dict[str, Any]:
    """Put rows, the machine and the date together."""
    found = hardware()
    return {
        "schema": SCHEMA,
        "date": today(),
        "machine": machine(found),
        "hardware": found,
        "versions": versions(),
        "threads": threads,
        "rows": rows,
    }


def save(results: dict[str, Any], folder: Path = FOLDER) -> Path:
    """Check results and write them; rows of sections not measured anew are kept from today's."""
    check(results)
    path = folder / f"{results['date']}-{results['machine']}.json"
    if path.exists():
        new = {r["section"] for r in results["rows"]}
        old = load(path)["rows"]
        kept = [r for r in old if r["section"] not in new]
        results = results | {"rows": kept + results["rows"]}
    folder.mkdir(exist_ok=True)
    head = {name: value for name, value in results.items() if name != "rows"}
    lines = ",\n".join(f"  {json.dumps(r)}" for r in results["rows"])
    text = json.dumps(head, indent=1)[:-2] + f',\n "rows": [\n{lines}\n ]\n}}\n'
    path.write_text(text, encoding="utf-8")
    return path


def load(path: Path) -> dict[str, Any]:
    """Read a file of results and check it."""
    results = json.loads(path.read_text(encoding="utf-8"))
    check(results)
    return results


def check(results: dict[str, Any]) -> None:
    """Check that results are complete.

    Raises
    ------
    ValueError
        If something is missing, of the wrong type or impossible; it says what and where.
    """
    for name, kind in _TOP.items():
        if not isinstance(results.get(name), kind):
            raise ValueError(f"{name} must be there and of type {kind.__name__}")
    if results["schema"] != SCHEMA:
        raise ValueError(f"schema must be {SCHEMA}, got {results['schema']}")
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", results["date"]):
        raise ValueError(f"date must be like 2026-01-31, got {results['date']}")
    if slug(results["machine"]) != results["machine"]:
        raise ValueError(f"machine must be a slug, got {results['machine']}")
    for number, found in enumerate(results["rows"]):
        _check_row(f"rows[{number}]", found)


def _check_row(where: str, found: Row) -> None:
    for name, kind in (("section", str), ("contender", str), ("settings", dict)):
        if not isinstance(found.get(name), kind):
            raise ValueError(f"{where}: {name} must be there and a {kind.__name__}")
    if not {"seconds", "extra_bytes", "not_measured"} & set(found):
        raise ValueError(
            f"{where}: seconds, extra_bytes or not_measured must be there"
        )
    if "extra_bytes" in found and not found["extra_bytes"] >= 0:
        raise ValueError(f"{where}: extra_bytes must not be negative")
    if "seconds" in found:
        times = found["seconds"].get("times", [])
        if len(times) < 3 or not all(t > 0 for t in times):
            raise ValueError(f"{where}: times must be at least 3 positive numbers")
        if not min(times) * 0.99 <= found["seconds"]["median"] <= max(times) * 1.01:
            raise ValueError(f"{where}: the median must lie among the times")


def ratio(one: Row, other: Row) -> float:
    """Return how many times as long one took: the median over the rounds of both."""
    pairs = zip(one["seconds"]["times"], other["seconds"]["times"], strict=True)
    return statistics.median(a / b for a, b in pairs)


def exponent(sizes: Sequence[float], amounts: Sequence[float]) -> float:
    """Fit amount = c size^p by least squares on the logarithms, and return p.

    Raises
    ------
    ValueError
        If there are not two different positive sizes, or an amount is not positive.
    """
    if len(set(sizes)) < 2 or min(*sizes, *amounts) <= 0:
        raise ValueError("two different sizes and positive numbers are needed")
    x, y = ([math.log(v) for v in values] for values in (sizes, amounts))
    mean_x, mean_y = statistics.fmean(x), statistics.fmean(y)
    products = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return products / sum((a - mean_x) ** 2 for a in x)


def growth(
    rows: Sequence[Row], contender: str, of: str, least: int = 1024
) -> float:
    """Fit how time (`of="seconds"`) or memory (`of="extra_bytes"`) grows with n from `least` on."""
    found = [
        (r["settings"]["n"], r[of]["median"] if of == "seconds" else r[of])
        for r in rows
        if r["contender"] == contender and of in r and r["settings"]["n"] >= least
    ]
    return exponent(*zip(*found, strict=True))


def table(rows: Sequence[Row]) -> str:
    """Write rows as text, a block for each section and setting; ratios are to the first row."""
    blocks: dict[str, list[Row]] = {}
    for found in rows:
        settings = ", ".join(f"{k} = {v}" for k, v in found["settings"].items())
        blocks.setdefault(f"{found['section']}: {settings}", []).append(found)
    return "\n\n".join(_block(title, found) for title, found in blocks.items())


def _block(title: str, rows: list[Row]) -> str:
    lines = [
        title,
        f"  {'':36}{'median':>12}{'IQR':>10}{'ratio':>8}{'extra memory':>15}",
    ]
    first = next((r for r in rows if "seconds" in r), None)
    for found in rows:
        time = f"{'':30}"
        if "seconds" in found:
            median, iqr = (1000 * found["seconds"][k] for k in ("median", "iqr"))
            time = f"{median:9.2f} ms{iqr:7.2f} ms{ratio(found, first):8.2f}"
        memory = (
            f"{found['extra_bytes'] / 2**20:11.1f} MiB"
            if "extra_bytes" in found
            else ""
        )
        if "not_measured" in found:
            memory = f"  not measured: {found['not_measured']}"
        lines.append(f"  {found['contender']:36}{time}{memory}".rstrip())
    return "\n".join(lines)
