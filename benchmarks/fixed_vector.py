"""What one fixed vector can carry: strings of any length, copied with attention and without.

Run ``python -m benchmarks.fixed_vector``. It repeats the experiment of Bahdanau, Cho and Bengio
(2015), figure 2, with random strings: recurrent models learn to copy strings of 1 to 20 symbols.
Two read a single vector, the wider of them with more parameters than the third, which attends. A
row has the share of whole strings that are right, by their length.
"""

import argparse

import numpy as np
import torch
import torch.nn.functional as F

from benchmarks import learn
from course_attn.in_torch import (
    AdditiveEncoderDecoder,
    RecurrentEncoderDecoder,
    translate,
)
from course_attn.train.translator import Given, train

SYMBOLS, LONGEST = 10, 20
LENGTHS = (2, 5, 10, 15, 20, 25, 30)
TRAINING = {"steps": 1000, "batch": 64, "rate": 5e-3}


def strings(n: int, length: int, rng: np.random.Generator) -> Given:
    """Draw strings to copy; a target begins with one token more, and ends with another."""
    source = torch.from_numpy(rng.integers(SYMBOLS, size=(n, length)))
    start, end = (torch.full((n, 1), SYMBOLS + k) for k in (0, 1))
    target = torch.cat([start, source, end], dim=1)
    return Given(source, None, target[:, :-1], target[:, 1:])


MODELS = {
    "one fixed vector": (RecurrentEncoderDecoder, 64),
    "one fixed vector, wider": (RecurrentEncoderDecoder, 80),
    "attention": (AdditiveEncoderDecoder, 64),
}


def by_length(
    name: str, seed: int, *, steps: int, batch: int, rate: float
) -> learn.Row:
    """Train a recurrent model to copy strings, and count what is right by their length."""
    clock, rng = learn.Clock(), np.random.default_rng(seed)
    torch.manual_seed(seed)
    kind, d_model = MODELS[name]
    n_vocab = SYMBOLS + 2
    model = kind(n_source_vocab=n_vocab, n_target_vocab=n_vocab, d_model=d_model)

    def draw() -> Given:
        return strings(batch, int(rng.integers(1, LONGEST + 1)), rng)

    losses = train(model, draw, steps=steps, rate=rate)
    whole, symbols = {}, {}
    for length in LENGTHS:
        source, _, _, goals = strings(300, length, np.random.default_rng(99))
        answer = translate(
            model, source, start=SYMBOLS, end=SYMBOLS + 1, n_max=length + 1
        )
        wide = F.pad(answer, (0, length + 1 - answer.shape[1]), value=SYMBOLS + 1)
        is_right = (wide == goals).float()
        whole[length] = is_right.all(dim=1).float().mean().item()
        symbols[length] = is_right.mean().item()
    return {
        "model": name,
        "seed": seed,
        "parameters": sum(p.numel() for p in model.parameters()),
        "loss": float(np.mean(losses[-20:])),
        "whole": whole,
        "symbols": symbols,
        "seconds": round(clock(), 1),
    }


def main(arguments: list[str] | None = None) -> None:
    """Train all models, print what is found, and save the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="30 steps each; nothing is saved"
    )
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    plan = TRAINING | ({"steps": 30} if options.quick else {})
    clock, rows = learn.Clock(), []
    for name in MODELS:
        for seed in range(options.seeds):
            rows.append(by_length(name, seed, **plan))
            print(rows[-1], flush=True)
    if not options.quick:
        settings = {"symbols": SYMBOLS, "longest": LONGEST, "training": plan}
        saved = learn.save("fixed_vector", rows, settings, clock())
        print(f"saved as {saved.name}")


if __name__ == "__main__":
    main()
