"""What each part of a GPT is good for: the same training with one part switched off.

Run ``python -m benchmarks.parts``. Every model has the sizes of the full one but for what its name
says, starts from the same seeds, reads the same batches and makes the same number of steps. What
is switched off is replaced: no class of the package knows of it. The validation loss of a model
without a mask says how well it copies the answer it sees; `writing` is the loss of what it has to
do when it writes, where nothing stands behind the last character.
"""

import argparse
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from benchmarks import learn
from course_attn.in_torch import (
    GPT,
    GPTConfig,
    MultiHeadAttention,
    TransformerBlock,
    generate,
)
from course_attn.text import PLAIN

CONFIG = GPTConfig(n_vocab=96, n_context=64, n_layers=2, d_model=64, n_heads=4)
TRAINING = {"steps": 500, "batch": 24, "rate": 3e-3}
PROMPT = "The "


# --- switches -------------------------------------------------------------------------------------


class Unmasked(MultiHeadAttention):
    """Attention that is causal in no call."""

    def forward(self, X: Any, *, causal: bool, **options: Any) -> Any:
        return super().forward(X, **options)


class Unscaled(MultiHeadAttention):
    """Attention whose scores are not divided by the square root of d_k."""

    def _project(self, X: Any, Z: Any, cache: Any) -> Any:
        Q, K, V = super()._project(X, Z, cache)
        return Q * self.d_k**0.5, K, V


class WithoutResidual(TransformerBlock):
    """A block whose parts replace the elements, and add nothing to them."""

    def forward(self, X: Any, **options: Any) -> Any:
        H = self.dropout(self.attention(self.norm_1(X), **options))
        return self.dropout(self.feed_forward(self.norm_2(H)))


class Same(nn.Module):
    """Return the elements as they are, whatever else is given."""

    def forward(self, X: torch.Tensor, **_: Any) -> torch.Tensor:
        return X


class Nothing(nn.Module):
    """Contribute nothing to the elements."""

    def forward(self, X: torch.Tensor, **_: Any) -> torch.Tensor:
        return torch.zeros_like(X)


def without_mask(model: GPT) -> None:
    for block in model.transformer.blocks:
        block.attention.__class__ = Unmasked


def without_scale(model: GPT) -> None:
    for block in model.transformer.blocks:
        block.attention.__class__ = Unscaled


def without_positions(model: GPT) -> None:
    model.positions = Same()


def without_residual(model: GPT) -> None:
    for block in model.transformer.blocks:
        block.__class__ = WithoutResidual


def without_norm(model: GPT) -> None:
    for block in model.transformer.blocks:
        block.norm_1 = block.norm_2 = Same()
    model.transformer.final_norm = Same()


def without_feed_forward(model: GPT) -> None:
    for block in model.transformer.blocks:
        block.feed_forward = Nothing()


def without_attention(model: GPT) -> None:
    for block in model.transformer.blocks:
        block.attention = Nothing()


def nothing(model: GPT) -> None:
    """Switch nothing off."""


# Name: what is switched off, and which sizes differ.
VARIANTS: dict[str, tuple[Callable[[GPT], None], dict[str, int]]] = {
    "full model": (nothing, {}),
    "no mask": (without_mask, {}),
    "no square root of d": (without_scale, {}),
    "no positions": (without_positions, {}),
    "no residual": (without_residual, {}),
    "no norm": (without_norm, {}),
    "one head": (nothing, {"n_heads": 1}),
    "no feed-forward": (without_feed_forward, {}),
    "no attention": (without_attention, {}),
    # As many parameters as two whole blocks have.
    "no feed-forward, three times the layers": (
        without_feed_forward,
        {"n_layers": 6},
    ),
}
DEEP = ("full model", "no square root of d", "no residual", "no norm")


def build(name: str, config: GPTConfig, seed: int) -> GPT:
    """Return a GPT with the parts of this name switched off, drawn from a seed."""
    switch_off, sizes = VARIANTS[name]
    torch.manual_seed(seed)
    model = GPT(replace(config, **sizes))
    switch_off(model)
    return model


# --- measuring ------------------------------------------------------------------------------------


@torch.no_grad()
def validation(model: GPT, text: torch.Tensor, most: int = 200) -> float:
    """Return the loss where the model reads whole windows, as it does in training."""
    tokens, targets = learn.all_windows(text, model.n_context, most)
    return F.cross_entropy(model(tokens).flatten(0, -2), targets.flatten()).item()


@torch.no_grad()
def writing(model: GPT, text: torch.Tensor, most: int = 200) -> float:
    """Return the loss where the model reads only what stands before the character it predicts."""
    tokens, targets = learn.all_windows(text, model.n_context, most)
    losses = [
        F.cross_entropy(model(tokens[:, :n])[:, -1], targets[:, n - 1])
        for n in range(1, model.n_context + 1)
    ]
    return torch.stack(losses).mean().item()


def sample(model: GPT, n: int = 120) -> str:
    """Let the model go on behind a prompt; without caches, which are wrong without a mask."""
    prompt = torch.from_numpy(PLAIN.encode(PROMPT))
    rng = torch.Generator().manual_seed(0)
    written = generate(model, prompt, n, temperature=0.8, rng=rng, cached=False)
    return PLAIN.decode(written.tolist())


def measure(
    name: str, config: GPTConfig, seed: int, *, steps: int, batch: int, rate: float
) -> learn.Row:
    """Train one model, and say how good it is and what it writes."""
    clock = learn.Clock()
    model = build(name, config, seed)
    training, held_out = learn.texts()
    rng = torch.Generator().manual_seed(seed)
    draw = partial(learn.windows, training, model.n_context, batch, rng)
    losses = learn.train(model, draw, steps=steps, rate=rate)
    return {
        "part": name,
        "n_layers": model.config.n_layers,
        "seed": seed,
        "parameters": sum(p.numel() for p in model.parameters()),
        "first": losses[0],
        "validation": validation(model, held_out),
        "writing": writing(model, held_out),
        "sample": sample(model),
        "losses": [round(loss, 4) for loss in losses[:: max(1, steps // 50)]],
        "seconds": round(clock(), 1),
    }


def table(rows: list[learn.Row]) -> str:
    """Write the losses of every model: mean, least and largest of the seeds."""
    lines = [f"{'':42}{'validation':28}{'writing':28}{'parameters':>10}"]
    for (layers, name), found in learn.groups(rows, "n_layers", "part"):
        seen, used = (
            learn.spread(row[key] for row in found)
            for key in ("validation", "writing")
        )
        title = f"{name}, {layers} layers"
        lines.append(f"{title:54}{seen:28}{used:28}{found[0]['parameters']:>10,}")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    """Train all models, print a table, and save the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="30 steps; nothing is saved"
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=TRAINING["steps"])
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    clock, rows = learn.Clock(), []
    training = TRAINING | {"steps": 30 if options.quick else options.steps}
    for config, names in (
        (CONFIG, tuple(VARIANTS)),
        (replace(CONFIG, n_layers=2 * CONFIG.n_layers), DEEP),
    ):
        for name in names:
            for seed in range(options.seeds):
                rows.append(measure(name, config, seed, **training))
                print(
                    table(rows[-1:]).splitlines()[1],
                    f"{clock():6.0f} s",
                    flush=True,
                )
    print(table(rows), end="\n\n")
    if not options.quick:
        settings = {"config": vars(CONFIG), "training": training, "prompt": PROMPT}
        saved = learn.save("parts", rows, settings, clock())
        print(f"saved as {saved.name}")


if __name__ == "__main__":
    main()
