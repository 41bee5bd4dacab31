"""How quick the GPT is: ours beside others', with caches, on several cores, on a GPU.

Run ``python -m benchmarks.language_model``, or name sections. Times of one section are taken in one
process, all contenders in turn, and compared as ratios; those of `processes` are taken from whole
runs of ``course_attn.train``, which take turns as well. The sizes are those of the kept model.
Results go to `benchmarks/results/language_model.json`, or where there is a GPU, to
`language_model_gpu.json`.
"""

import argparse
import csv
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import nn

from benchmarks import learn, results
from benchmarks.measure import ROOT, interleaved
from course_attn.in_torch import GPT, GPTConfig, generate

Rows = list[results.Row]
CONFIG = GPTConfig(n_vocab=96, n_context=128, n_layers=4, d_model=96, n_heads=4)
BATCH = 16


# --- contenders -----------------------------------------------------------------------------------


class BareBlock(nn.Module):
    """What a block computes, by `nn.Linear` and the fused kernel: nothing could be left out."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        d, self.n_heads = config.d_model, config.n_heads
        self.norm_1, self.norm_2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.into = nn.Linear(d, 3 * d, bias=False)
        self.out = nn.Linear(d, d, bias=False)
        self.expand = nn.Linear(d, config.d_ff)
        self.reduce = nn.Linear(config.d_ff, d)

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        Q, K, V = (
            part.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
            for part in self.into(self.norm_1(X)).chunk(3, dim=-1)
        )
        heads = F.scaled_dot_product_attention(Q, K, V, is_causal=True)
        X = X + self.out(heads.transpose(1, 2).flatten(-2))
        return X + self.reduce(F.gelu(self.expand(self.norm_2(X))))


class _Embedded(nn.Module):
    """A model between embeddings and logits with the same matrix."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.tokens = nn.Embedding(config.n_vocab, config.d_model)
        self.places = nn.Embedding(config.n_context, config.d_model)
        self.norm = nn.LayerNorm(config.d_model)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        X = self.tokens(tokens) + self.places.weight[: tokens.shape[1]]
        return F.linear(self.norm(self.blocks(X)), self.tokens.weight)


class BareGPT(_Embedded):
    """The same model as `GPT`, by `nn.Linear` and `scaled_dot_product_attention`."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__(config)
        self.blocks = nn.Sequential(
            *(BareBlock(config) for _ in range(config.n_layers))
        )

    @torch.no_grad()
    def copy(self, model: GPT) -> "BareGPT":
        """Take over the parameters of a GPT."""
        ours = model.transformer
        self.tokens.weight.copy_(model.embedding)
        self.places.weight.copy_(model.positions.P)
        _copy_norm(self.norm, ours.final_norm)
        for bare, block in zip(self.blocks, ours.blocks, strict=True):
            attention, process = block.attention, block.feed_forward
            W = (attention.W_Q, attention.W_K, attention.W_V)
            bare.into.weight.copy_(torch.cat(W, dim=1).T)
            bare.out.weight.copy_(attention.W_O.T)
            bare.expand.weight.copy_(process.W_1.T)
            bare.expand.bias.copy_(process.b_1)
            bare.reduce.weight.copy_(process.W_2.T)
            bare.reduce.bias.copy_(process.b_2)
            _copy_norm(bare.norm_1, block.norm_1)
            _copy_norm(bare.norm_2, block.norm_2)
        return self


def _copy_norm(norm: nn.LayerNorm, ours: Any) -> None:
    norm.weight.copy_(ours.gain)
    norm.bias.copy_(ours.bias)


class EncoderGPT(_Embedded):
    """The same again, by `nn.TransformerEncoderLayer`, whose attention has biases."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__(config)
        layer = nn.TransformerEncoderLayer(
            config.d_model,
            config.n_heads,
            config.d_ff,
            dropout=0.0,
            activation="gelu",
            batch_first=True,
            norm_first=True,
        )
        self.stack = nn.TransformerEncoder(
            layer, config.n_layers, enable_nested_tensor=False
        )

    def blocks(self, X: torch.Tensor) -> torch.Tensor:
        later = nn.Transformer.generate_square_subsequent_mask(X.shape[1])
        return self.stack(X, mask=later.to(X), is_causal=True)


def models(config: GPTConfig) -> dict[str, nn.Module]:
    """Return the three models; the bare one has our parameters."""
    torch.manual_seed(0)
    ours = GPT(config)
    return {
        "nn.Linear and fused kernel": BareGPT(config).copy(ours),
        "ours": ours,
        "nn.TransformerEncoderLayer": EncoderGPT(config),
    }


def training_step(
    model: nn.Module,
    tokens: torch.Tensor,
    dtype: torch.dtype = torch.float32,
    **optimizer: Any,
) -> Callable[[], torch.Tensor]:
    """Return a function that makes one step of training on the same tokens again and again.

    With another dtype than float32, autocast chooses where products of matrices can have it.
    """
    parameters = torch.optim.AdamW(model.parameters(), lr=1e-4, **optimizer)
    mixed = partial(
        torch.autocast, tokens.device.type, dtype, enabled=dtype != torch.float32
    )

    def step() -> torch.Tensor:
        with mixed():
            logits = model(tokens[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, -2), tokens[:, 1:].flatten())
        parameters.zero_grad()
        loss.backward()
        parameters.step()
        return loss.detach()

    return step


# --- sections -------------------------------------------------------------------------------------


def training(options: Any) -> Rows:
    """Compare steps of training: forward, backward and the optimizer."""
    tokens = torch.randint(CONFIG.n_vocab, (BATCH, CONFIG.n_context + 1))
    found = {
        name: training_step(model, tokens) for name, model in models(CONFIG).items()
    }
    settings = vars(CONFIG) | {"batch": BATCH, "threads": options.threads}
    times = interleaved(
        found, rounds=options.rounds, threads=options.threads, least=options.least
    )
    return [
        results.row("training", name, settings, seconds=t)
        for name, t in times.items()
    ]


def writing(options: Any) -> Rows:
    """Compare writing with caches and without; the context has room for all characters."""
    rows: Rows = []
    for n in (64,) if options.quick else (128, 512, 1024):
        torch.manual_seed(0)
        model = GPT(replace(CONFIG, n_context=n + 1)).eval()
        start = torch.zeros(1, 1, dtype=torch.long)
        found = {
            name: partial(generate, model, start, n, temperature=0, cached=cached)
            for name, cached in (("without", False), ("with caches", True))
        }
        # A run without caches takes long: two rounds fewer would do, three are the least.
        rounds = max(3, options.rounds // 3)
        times = interleaved(found, rounds=rounds, threads=options.threads, least=0)
        settings = vars(model.config) | {"n": n, "threads": options.threads}
        rows += [
            results.row("writing", name, settings, seconds=t)
            for name, t in times.items()
        ]
    return rows


def processes(options: Any) -> Rows:
    """Compare training in two processes on two cores with one process of one thread.

    Each run is the command of the course; its tokens a second are those that it writes beside the
    losses, without the first lines, in which everything starts. Two processes wait for the slower
    one at each step, so that others on either core spoil the comparison: such rounds are repeated.
    """
    if len(os.sched_getaffinity(0)) < 2:
        print("processes: there are not two cores here")
        return []
    steps, batch = (20, 8) if options.quick else (40, 32)
    rounds = 3
    alone = [sys.executable, "-m"]
    together = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    starts = {
        "one process": [*alone, "course_attn.train"],
        "two processes": [
            *together,
            "--nproc-per-node=2",
            "-m",
            "course_attn.train",
        ],
    }
    times: dict[str, list[float]] = {name: [] for name in starts}
    others: list[float] = []
    for turn in range(rounds):
        names = sorted(starts, reverse=bool(turn % 2))
        for _ in range(TRIES):
            before = elsewhere()
            found = [_step_of_a_run(starts[name], steps, batch) for name in names]
            share = elsewhere().since(before)
            if share < DISTURBED:
                break
            print(f"processes: others took {share:.2f} cores", flush=True)
        others.append(round(share, 3))
        for name, seconds in zip(names, found, strict=True):
            times[name].append(seconds)
    settings = vars(CONFIG) | {"batch": batch, "steps": steps}
    return [
        results.row(
            "processes",
            name,
            settings,
            seconds=results.seconds(found),
            cores_of_others=others,
        )
        for name, found in times.items()
    ]


# A round in which others took more than this many cores is repeated, so many times in all.
DISTURBED, TRIES = 0.15, 20


class Elsewhere(NamedTuple):
    """The time now, and the time for which cores have worked for others than this command."""

    now: float
    worked: float

    def since(self, before: "Elsewhere") -> float:
        """Return how many cores have worked for others since then."""
        return (self.worked - before.worked) / (self.now - before.now)


def elsewhere() -> Elsewhere:
    """Read Linux's account of all cores, without what this command and its children took."""
    try:
        text = Path("/proc/stat").read_text(encoding="utf-8")
    except OSError:  # another system: nobody is known to disturb
        return Elsewhere(time.perf_counter(), 0.0)
    user, nice, system, _, _, *rest = map(int, text.split("\n", 1)[0].split()[1:9])
    all_cores = (user + nice + system + sum(rest)) / os.sysconf("SC_CLK_TCK")
    mine = sum(os.times()[:4])
    return Elsewhere(time.perf_counter(), all_cores - mine)


def _step_of_a_run(start: list[str], steps: int, batch: int) -> float:
    """Run the command in a folder of its own; return the median time of a step."""
    with tempfile.TemporaryDirectory() as folder:
        options = {"steps": steps, "batch": batch, "threads": 1, "warmup": 10}
        options |= {"log-every": 10, "validate-every": 0, "checkpoint-every": 0}
        words = [f"--{name}={value}" for name, value in options.items()]
        out = Path(folder) / "run"
        subprocess.run(
            [*start, f"--out={out}", *words, "--sample-at"],
            cwd=ROOT,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
            check=True,
            capture_output=True,
        )
        return seconds_of_a_step(out / "losses.csv", batch * CONFIG.n_context)


def seconds_of_a_step(log: Path, tokens: int) -> float:
    """Read the median time of a step of so many tokens, without the first line of the log."""
    with log.open(encoding="utf-8") as file:
        found = [row["tokens_per_second"] for row in csv.DictReader(file)]
    rates = [float(rate) for rate in found if rate]
    return tokens / sorted(rates[1:])[len(rates[1:]) // 2]


# Dense bf16 operations a second, as their maker states them; without sparsity.
PEAKS = {"H100": 989e12, "H200": 989e12, "A100": 312e12}


def gpu(options: Any) -> Rows:
    """Train on a GPU in bf16: tokens a second, and the share of what the GPU can calculate."""
    if not torch.cuda.is_available():
        print("gpu: there is no CUDA device here")
        return []
    sizes = (
        ((4, 96, 128, 64),)
        if options.quick
        else ((4, 96, 128, 64), (12, 768, 1024, 16))
    )
    rows: Rows = []
    for n_layers, d_model, n_context, batch in sizes:
        config = replace(
            CONFIG,
            n_layers=n_layers,
            d_model=d_model,
            d_ff=4 * d_model,
            n_context=n_context,
            n_heads=max(4, d_model // 64),
        )
        tokens = torch.randint(
            config.n_vocab, (batch, n_context + 1), device="cuda"
        )
        found = _on_gpu(config, tokens)
        times = interleaved(found, rounds=options.rounds, threads=options.threads)
        settings = vars(config) | {"batch": batch, "dtype": "bfloat16"}
        for name, t in times.items():
            rate = batch * n_context / t["median"]
            most = peak()
            row = results.row(
                "gpu", name, settings, seconds=t, tokens_per_second=rate
            )
            rows.append(
                row | {"share_of_peak": most and rate * operations(config) / most}
            )
    return rows


def _on_gpu(
    config: GPTConfig, tokens: torch.Tensor
) -> dict[str, Callable[[], torch.Tensor]]:
    """Return the steps of all models in bf16, and of ours compiled, if that works."""
    options = {"dtype": torch.bfloat16, "fused": True}
    found = {name: model.cuda() for name, model in models(config).items()}
    steps = {
        name: training_step(model, tokens, **options)  # type: ignore[arg-type]
        for name, model in found.items()
    }
    compiled = training_step(torch.compile(found["ours"]), tokens, **options)  # type: ignore[arg-type]
    try:
        compiled()
    except RuntimeError as error:
        print(f"gpu: torch.compile fails here: {type(error).__name__}")
        return steps
    return steps | {"ours, compiled": compiled}


def peak() -> float | None:
    """Return the dense bf16 operations a second of this GPU, if they are known."""
    name = torch.cuda.get_device_name()
    return next((most for key, most in PEAKS.items() if key in name), None)


def operations(config: GPTConfig) -> float:
    """Count the operations of a step of training for each token: products of matrices only.

    Two for each entry of a matrix, and as many for each pair of a query and a key, of which the
    causal mask leaves half; the gradients take twice what the forward pass takes.
    """
    d, n = config.d_model, config.n_context
    d_ff = config.d_ff or 4 * d
    entries = config.n_layers * (4 * d * d + 2 * d * d_ff) + config.n_vocab * d
    pairs = config.n_layers * 2 * d * (n + 1) / 2
    return 3 * 2 * (entries + pairs)


SECTIONS: dict[str, Callable[[Any], Rows]] = {
    "training": training,
    "writing": writing,
    "processes": processes,
    "gpu": gpu,
}


def kept(path: Path, measured: Rows) -> Rows:
    """Return the rows of this machine's last report whose sections were not measured anew."""
    if not path.exists():
        return []
    last = learn.load(path)
    if last["machine"] != results.machine(results.hardware()):
        return []
    new = {row["section"] for row in measured}
    return [row for row in last["rows"] if row["section"] not in new]


def main(arguments: list[str] | None = None) -> None:
    """Measure the sections asked for, print a table, and save the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "sections", nargs="*", help=f"of {', '.join(SECTIONS)}; default all"
    )
    parser.add_argument(
        "--quick", action="store_true", help="small; nothing is saved"
    )
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, default=1, help="of PyTorch")
    parser.add_argument(
        "--least", type=float, default=0.3, help="seconds of a contender in a round"
    )
    parser.add_argument("--folder", type=Path, default=results.FOLDER)
    options = parser.parse_args(arguments)
    if unknown := set(options.sections) - set(SECTIONS):
        parser.error(f"no such section: {', '.join(sorted(unknown))}")
    torch.set_num_threads(options.threads)
    rows: Rows = []
    for name in options.sections or SECTIONS:
        print(f"measuring {name} ...", flush=True)
        found = SECTIONS[name](options)
        rows += found
        print(results.table(found) or "nothing", end="\n\n", flush=True)
    if rows and not options.quick:
        name = (
            "language_model_gpu" if torch.cuda.is_available() else "language_model"
        )
        rows = kept(options.folder / f"{name}.json", rows) + rows
        sections = list(dict.fromkeys(row["section"] for row in rows))
        sizes = vars(CONFIG)
        saved = learn.save(name, rows, sizes, None, options.folder, sections)
        print(f"saved as {saved.name}")


if __name__ == "__main__":
    main()
