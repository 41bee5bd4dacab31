"""Train the model that reads dates: ``python -m course_attn.train.translator --keep FOLDER``.

It is the model of the chapter `encoder_decoder`, with the same sizes, the same first weights and
the same batches. The folder gets its weights as `course_attn.weights` reads them; those of the
course are in `course_attn/kept`.
"""

import shlex
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F

from course_attn.chapters.encoder_decoder import dates
from course_attn.in_torch import EncoderDecoder, EncoderDecoderConfig, translate
from course_attn.train.keep import describe_machine, halved, keep_arrays

__all__ = ["Given", "main", "share_right", "train"]

_COMMAND = "python -m course_attn.train.translator"
_SETTINGS = {"steps": 700, "batch": 64, "rate": 5e-3, "seed": 0}


class Given(NamedTuple):
    """What a model learns from: tokens of both sides, which of the source are real, and goals."""

    source: torch.Tensor
    source_mask: torch.Tensor | None
    target: torch.Tensor
    goals: torch.Tensor


def train(
    model: torch.nn.Module,
    draw: Callable[[], Given],
    *,
    steps: int,
    rate: float,
    warmup: int = 50,
) -> list[float]:
    """Train an encoder and decoder with AdamW on drawn batches; return the loss of every step.

    The rate rises for `warmup` steps while it falls on a line to nothing; a gradient longer than 1
    is shortened to 1. Goals of -100 do not count.
    """
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, betas=(0.9, 0.99))
    losses = []
    for step in range(steps):
        rise, fall = min(1.0, (step + 1) / warmup), 1 - step / steps
        optimizer.param_groups[0]["lr"] = rate * rise * fall
        source, source_mask, target, goals = draw()
        logits = model(source, target, source_mask=source_mask)
        loss = F.cross_entropy(logits.flatten(0, 1), goals.flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


def share_right(model: EncoderDecoder, pairs: Sequence[dates.Pair]) -> float:
    """Return how many of the whole answers that the model writes are right."""
    source, mask, target = map(torch.from_numpy, dates.as_batch(pairs))
    found = translate(
        model,
        source,
        source_mask=mask,
        start=dates.START,
        end=dates.END,
        n_max=dates.N_TARGET,
    )
    # Who ends too early is wrong all the same: each right answer has N_TARGET tokens.
    found = F.pad(found, (0, dates.N_TARGET - found.shape[1]), value=dates.END)
    return (found == target[:, 1:]).all(dim=1).float().mean().item()


def main(arguments: Sequence[str] | None = None) -> None:
    """Train the model, keep its weights, and say how many unseen dates it gets right."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    parser = ArgumentParser(
        prog=_COMMAND,
        description="Train the model that reads dates, and keep its weights.",
    )
    about = "the folder that gets dates.npz and dates.json"
    parser.add_argument("--keep", type=Path, required=True, help=about)
    steps = _SETTINGS["steps"]
    about = f"how many steps to train (default: {steps})"
    parser.add_argument("--steps", type=int, default=steps, help=about)
    options = parser.parse_args(given)
    # More threads only wait on arrays this small, and would round otherwise.
    torch.set_num_threads(1)
    settings = _SETTINGS | {"steps": options.steps}
    model, losses = _trained(settings)
    arrays = halved(model)
    rounded = {name: torch.from_numpy(a).float() for name, a in arrays.items()}
    model.load_state_dict(rounded)
    test = dates.draw_pairs(dates.split_dates()[1], 1000, np.random.default_rng(99))
    content = {
        "config": asdict(model.config),
        "characters": dates.SOURCE.characters,
        "target_characters": dates.TARGET.characters,
        "right_of_1000_unseen": round(share_right(model, test), 4),
        "command": f"{_COMMAND} {shlex.join(given)}",
        "settings": settings,
        "machine": describe_machine(torch.device("cpu")),
        "losses": [round(loss, 5) for loss in losses],
    }
    options.keep.mkdir(parents=True, exist_ok=True)
    keep_arrays(arrays, content, options.keep, "dates")
    print(
        f"Done: {content['right_of_1000_unseen']:.1%} of 1000 unseen dates are right"
    )


def _trained(settings: dict[str, Any]) -> tuple[EncoderDecoder, list[float]]:
    """Return the chapter's model after its training, and the loss of every step."""
    torch.manual_seed(settings["seed"])
    rng = np.random.default_rng(settings["seed"])
    model = EncoderDecoder(
        EncoderDecoderConfig(
            n_source_vocab=len(dates.SOURCE),
            n_target_vocab=len(dates.TARGET),
            n_source_context=dates.N_SOURCE,
            n_target_context=dates.N_TARGET,
            n_layers=2,
            d_model=48,
            n_heads=2,
        )
    )
    days = dates.split_dates()[0]

    def draw() -> Given:
        pairs = dates.draw_pairs(days, settings["batch"], rng)
        source, mask, target = map(torch.from_numpy, dates.as_batch(pairs))
        return Given(source, mask, target[:, :-1], target[:, 1:])

    losses = train(model, draw, steps=settings["steps"], rate=settings["rate"])
    return model, losses


if __name__ == "__main__":
    main()
