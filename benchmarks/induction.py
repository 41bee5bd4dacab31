"""One layer cannot continue a text that repeats, two can; and which heads do it.

Run ``python -m benchmarks.induction``. A text starts with 16 different letters out of 24 and goes
on with pieces of them: after each letter the text continues as before, or, once in four times,
jumps to another of the 16. Where a piece goes on, the next letter is known to whoever finds the
last occurrence of the present one. The distance helps until the first jump only, since the
jumps are random. Attention only: the feed-forward networks contribute nothing.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import torch

from benchmarks import learn
from benchmarks.parts import without_feed_forward
from course_attn.in_torch import (
    GPT,
    GPTConfig,
    ablate_heads,
    attention_maps,
    induction_score,
    previous_token_score,
)

LETTERS, PERIOD, JUMPS = 24, 16, 0.25
CONFIG = GPTConfig(
    n_vocab=LETTERS, n_context=3 * PERIOD, n_layers=2, d_model=32, n_heads=4
)
TRAINING = {"steps": 400, "batch": 64, "rate": 1e-2}
Head = tuple[int, int]


def pieces(
    batch: int, rng: torch.Generator, *, n: int = 3 * PERIOD, jumps: float = JUMPS
) -> learn.Batch:
    """Draw texts of n letters and their targets: -100 where a letter cannot be known."""
    letters = torch.rand(batch, LETTERS, generator=rng).argsort(-1)[:, :PERIOD]
    place = torch.arange(n + 1).expand(batch, -1)
    jump = (torch.rand(batch, n + 1, generator=rng) < jumps) & (place >= PERIOD)
    last = torch.where(jump, place, 0).cummax(-1).values
    to = torch.randint(PERIOD, (batch, n + 1), generator=rng).gather(1, last)
    source = (torch.where(last > 0, to, 0) + place - last) % PERIOD
    text = letters.gather(1, source)
    # A letter follows from the one before if that pair stands in the first piece.
    unknown = jump | (place < PERIOD) | (source == 0)
    return text[:, :-1], text[:, 1:].masked_fill(unknown[:, 1:], -100)


def build(config: GPTConfig, seed: int, *, whole: bool = False) -> GPT:
    """Return a GPT drawn from a seed, without feed-forward networks unless it is to be whole."""
    torch.manual_seed(seed)
    model = GPT(config)
    if not whole:
        without_feed_forward(model)
    return model


@torch.no_grad()
def accuracy(model: GPT, texts: int = 1000, jumps: float = JUMPS) -> float:
    """Return the share of right guesses among the letters that can be known, on new texts."""
    rng = torch.Generator().manual_seed(1_000_000)
    tokens, targets = pieces(texts, rng, n=model.n_context, jumps=jumps)
    right = model(tokens).argmax(-1) == targets
    return right[targets != -100].float().mean().item()


def scores(model: GPT, texts: int = 200) -> tuple[torch.Tensor, torch.Tensor]:
    """Return every head's previous-token and induction score on letters that come twice."""
    rng = torch.Generator().manual_seed(1_000_000)
    tokens, _ = pieces(texts, rng, n=2 * PERIOD, jumps=0.0)
    weights = attention_maps(model, tokens)
    found = previous_token_score(weights), induction_score(weights, PERIOD)
    return found[0].mean(dim=0), found[1].mean(dim=0)


def measure(
    config: GPTConfig,
    seed: int,
    *,
    whole: bool,
    steps: int,
    batch: int,
    rate: float,
) -> tuple[GPT, learn.Row]:
    """Train one model; return it, how often it is right, and its heads' scores."""
    clock = learn.Clock()
    model = build(config, seed, whole=whole)
    draw = partial(pieces, batch, torch.Generator().manual_seed(seed))
    losses = learn.train(model, draw, steps=steps, rate=rate)
    seconds = clock()
    before, behind = (found.tolist() for found in scores(model))
    return model, {
        "experiment": "layers",
        "n_layers": config.n_layers,
        "d_model": config.d_model,
        "feed_forward": whole,
        "steps": steps,
        "seed": seed,
        "accuracy": accuracy(model),
        "accuracy_without_jumps": accuracy(model, jumps=0.0),
        "previous_token_score": rounded(before),
        "induction_score": rounded(behind),
        "losses": [round(loss, 4) for loss in losses[:: max(1, steps // 50)]],
        "seconds": round(seconds, 1),
    }


def rounded(values: Any) -> Any:
    """Round numbers in nested lists."""
    return [rounded(v) if isinstance(v, list) else round(v, 4) for v in values]


def removals(model: GPT) -> list[list[Head]]:
    """Return which heads to take away: none, each, pairs of a layer, all but one, a layer."""
    n_layers, n_heads = model.config.n_layers, model.config.n_heads
    of_layers = [[(layer, h) for h in range(n_heads)] for layer in range(n_layers)]
    taken: list[list[Head]] = [[]]
    for heads in of_layers:
        for size in range(1, n_heads + 1):
            taken += [list(chosen) for chosen in combinations(heads, size)]
    return taken


def ablations(model: GPT, seed: int) -> list[learn.Row]:
    """Say how often the model is right without these heads, for all sets within a layer."""
    return [
        {
            "experiment": "ablation",
            "seed": seed,
            "without": [list(head) for head in heads],
            "accuracy": accuracy(ablate_heads(model, heads)),
        }
        for heads in removals(model)
    ]


def table(rows: Sequence[learn.Row]) -> str:
    """Write accuracies by layers, and what is left without heads."""
    lines = []
    trained = [row for row in rows if row["experiment"] == "layers"]
    keys = ("n_layers", "d_model", "feed_forward", "steps")
    for (layers, d, whole, steps), found in learn.groups(trained, *keys):
        kind = "whole blocks" if whole else "attention only"
        title = f"{layers} layers, d_model {d}, {kind}, {steps} steps"
        lines.append(f"{title:52}{learn.spread(r['accuracy'] for r in found)}")
    for row in rows:
        if row["experiment"] == "ablation":
            without = ", ".join(f"({layer}, {h})" for layer, h in row["without"])
            title = f"seed {row['seed']} without {without or 'nothing off'}"
            lines.append(f"{title:52}{row['accuracy']:6.3f}")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    """Train all models, take heads away, print a table, and save the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="20 steps; nothing is saved"
    )
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    clock, rows = learn.Clock(), []
    steps = 20 if options.quick else TRAINING["steps"]
    one, wide = (
        replace(CONFIG, n_layers=1),
        replace(CONFIG, n_layers=1, d_model=64, d_ff=256),
    )
    for config, whole, times in (
        (one, False, 1),
        (CONFIG, False, 1),
        (one, True, 1),
        (CONFIG, True, 1),
        (wide, True, 4),
    ):
        for seed in range(options.seeds):
            training = TRAINING | {"steps": times * steps}
            model, row = measure(config, seed, whole=whole, **training)
            rows.append(row)
            print(table([row]), f"{clock():6.0f} s", flush=True)
            if config.n_layers == 2 and not whole:
                rows += ablations(model, seed)
    print(table(rows), end="\n\n")
    if not options.quick:
        settings = {"config": vars(CONFIG), "training": TRAINING}
        settings |= {"letters": LETTERS, "period": PERIOD, "jumps": JUMPS}
        print(f"saved as {learn.save('induction', rows, settings, clock()).name}")


if __name__ == "__main__":
    main()
