"""How two sequences miss each other: five mistakes in an encoder and a decoder, each trained.

Run ``python -m benchmarks.encoder_decoder``. A model that reads dates is trained as it should be,
and with one thing wrong, from the same seeds and on the same batches. A row has the loss that it
ends with, how much is right where the model is told the answer so far and where it writes alone,
and what each detector says.
"""

import argparse
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from benchmarks import learn
from course_attn.chapters.encoder_decoder import dates
from course_attn.in_torch import (
    EncoderDecoder,
    EncoderDecoderConfig,
    MultiHeadAttention,
)
from course_attn.train.translator import Given, train

CONFIG = EncoderDecoderConfig(
    n_source_vocab=len(dates.SOURCE),
    n_target_vocab=len(dates.TARGET),
    n_source_context=dates.N_SOURCE + 4,
    n_target_context=dates.N_SOURCE,
    n_layers=2,
    d_model=48,
    n_heads=2,
)
TRAINING = {"steps": 600, "batch": 64, "rate": 5e-3}


# --- mistakes -------------------------------------------------------------------------------------


class ReadsItself(MultiHeadAttention):
    """Cross-attention whose keys and values come from the decoder."""

    def forward(self, X: Any, Z: Any = None, **_: Any) -> Any:
        return super().forward(X)


class CausalAcross(MultiHeadAttention):
    """Cross-attention whose query i sees only the first i + 1 elements of the source."""

    def forward(self, X: Any, Z: Any = None, *, mask: Any = None, **_: Any) -> Any:
        lower = torch.ones(X.shape[-2], Z.shape[-2], dtype=torch.bool).tril()
        return super().forward(X, Z, mask=lower if mask is None else lower & mask)


class Exchanged(MultiHeadAttention):
    """Cross-attention whose queries come from the encoder, and keys and values from the decoder."""

    def forward(self, X: Any, Z: Any = None, **_: Any) -> Any:
        return super().forward(Z, X)


CROSS = {
    "keys and values from the decoder": ReadsItself,
    "a causal mask on cross-attention": CausalAcross,
    "queries exchanged with keys and values": Exchanged,
}
MISTAKES = (
    "none",
    "keys and values from the decoder",
    "a causal mask on cross-attention",
    "the source's padding not masked",
    "targets not shifted",
    "queries exchanged with keys and values",
)


def build(mistake: str, seed: int) -> EncoderDecoder:
    """Return a model with this mistake in its cross-attention, if it is one of those."""
    torch.manual_seed(seed)
    model = EncoderDecoder(CONFIG)
    if mistake in CROSS:
        for block in model.decoder.blocks:
            block.cross_attention.__class__ = CROSS[mistake]
    return model


def given(pairs: list[dates.Pair], mistake: str) -> Given:
    """Return what a model is given, and its goals; -100 where there is nothing to guess.

    Exchanged queries only fit where source and target have one length: both are filled up to it.
    """
    source, source_mask, target = map(torch.from_numpy, dates.as_batch(pairs))
    inputs, goals = target[:, :-1], target[:, 1:]
    if mistake == "targets not shifted":
        goals = inputs
    if mistake == "queries exchanged with keys and values":
        n = dates.N_SOURCE
        source = F.pad(source, (0, n - source.shape[1]), value=dates.PADDING)
        source_mask = F.pad(source_mask, (0, n - source_mask.shape[1]))
        inputs = F.pad(inputs, (0, n - inputs.shape[1]), value=dates.END)
        goals = F.pad(goals, (0, n - goals.shape[1]), value=-100)
    is_unmasked = mistake == "the source's padding not masked"
    return Given(source, None if is_unmasked else source_mask, inputs, goals)


@torch.no_grad()
def written(model: EncoderDecoder, pairs: list[dates.Pair], mistake: str) -> Any:
    """Let the model write an answer to each pair; (n, N_TARGET) tokens."""
    source, source_mask, inputs, _ = given(pairs, mistake)
    target = torch.full_like(inputs, dates.END)
    target[:, 0] = dates.START
    for i in range(dates.N_TARGET):
        # One place at a time, all of its width, since exchanged queries need it.
        width = target.shape[1] if mistake in CROSS else i + 1
        logits = model(source, target[:, :width], source_mask=source_mask)
        if i + 1 < target.shape[1]:
            target[:, i + 1] = logits[:, i].argmax(dim=-1)
    last = logits[:, dates.N_TARGET - 1].argmax(dim=-1, keepdim=True)
    return torch.cat([target[:, 1 : dates.N_TARGET], last], dim=1)


def right(model: EncoderDecoder, pairs: list[dates.Pair], mistake: str) -> float:
    """Return the share of whole answers that are right."""
    goals = torch.from_numpy(dates.as_batch(pairs).target[:, 1:])
    return (
        (written(model, pairs, mistake) == goals).all(dim=1).float().mean().item()
    )


def detect(
    model: EncoderDecoder, mistake: str, pairs: list[dates.Pair]
) -> learn.Row:
    """Ask five questions of a model, with pairs whose sources are equally long.

    `leak`: the first row of the logits that moves where only later inputs of the target change.
    `source`: how far the logits move where the source is another. `unseen`: the share of the
    encoder's elements that a row of the logits does not depend on. `padding`: how far the logits
    move where four characters of padding are added, masked as the model was trained to have it.
    `copies`: the share of rows whose likeliest token is their own input, for random inputs.
    """
    source, source_mask, inputs, _ = given(pairs, mistake)
    rng = torch.Generator().manual_seed(0)
    drawn = torch.randint(len(dates.TARGET), inputs.shape, generator=rng)
    other = (drawn + 1) % len(dates.TARGET)
    Z = model.encode(source, source_mask=source_mask).detach().requires_grad_()
    logits = model.decode(drawn, Z, source_mask=source_mask)
    towards = torch.randn(logits.shape[-1], generator=rng)
    reached = [
        torch.autograd.grad((row @ towards).sum(), Z, retain_graph=True)[0]
        if mistake != "keys and values from the decoder"
        else torch.zeros_like(Z)
        for row in logits[:, : dates.N_TARGET].unbind(dim=1)
    ]
    seen = torch.stack(reached, dim=1).abs().sum(dim=-1) > 0
    if source_mask is not None:
        seen = seen[source_mask[:, None].expand_as(seen)]
    found = {
        "unseen": 1 - seen.float().mean().item(),
        "leak": None,
        "padding": None,
    }
    with torch.no_grad():
        for i in range(dates.N_TARGET - 1):
            mixed = torch.cat([drawn[:, : i + 1], other[:, i + 1 :]], dim=1)
            moved = model(source, mixed, source_mask=source_mask) - logits
            if found["leak"] is None and moved[:, i].abs().max() > 1e-4:
                found["leak"] = i
        turned = source.roll(1, dims=0)
        # The sources are equally long, and so their masks are the same.
        moved = model(turned, drawn, source_mask=source_mask) - logits
        found["source"] = moved.abs().max().item()
        if mistake != "queries exchanged with keys and values":
            wide = F.pad(source, (0, 4), value=dates.PADDING)
            mask = None if source_mask is None else F.pad(source_mask, (0, 4))
            moved = model(wide, drawn, source_mask=mask) - logits
            found["padding"] = moved.abs().max().item()
    copied = (
        logits[:, : dates.N_TARGET].argmax(dim=-1) == drawn[:, : dates.N_TARGET]
    )
    return found | {"copies": copied.float().mean().item()}


@torch.no_grad()
def told(model: EncoderDecoder, pairs: list[dates.Pair], mistake: str) -> float:
    """Return the share of whole answers that are right where all tokens before each are told."""
    source, source_mask, inputs, goals = given(pairs, mistake)
    best = model(source, inputs, source_mask=source_mask).argmax(dim=-1)
    return ((best == goals) | (goals < 0)).all(dim=1).float().mean().item()


@torch.no_grad()
def aligned(model: EncoderDecoder, pairs: list[dates.Pair]) -> learn.Row:
    """Return the share of digits whose largest weight lies where the digit comes from.

    A share for each of the eight digits, on `pairs`: of the mean cross-attention over heads and
    layers, and of a place drawn at random.
    """
    digits = [0, 1, 2, 3, 5, 6, 8, 9]
    hits, chances = [], []
    for pair in pairs:
        source, _, target = (torch.from_numpy(a)[0] for a in dates.as_batch([pair]))
        _, weights = model.forward_with_weights(source, target[:-1])
        looked = torch.stack(weights.cross).mean(dim=(0, 1))[digits].argmax(dim=-1)
        known = dates.alignment(pair)[digits]
        hits.append(known[range(8), looked.numpy()])
        chances.append(known.mean(axis=1))
    return {
        "hits": np.mean(hits, axis=0).tolist(),
        "chances": np.mean(chances, axis=0).tolist(),
    }


def mistaken(
    mistake: str, seed: int, *, steps: int, batch: int, rate: float
) -> learn.Row:
    """Train a model with one mistake, and say what one sees of it."""
    clock, rng = learn.Clock(), np.random.default_rng(seed)
    training, kept = dates.split_dates()
    model = build(mistake, seed)

    def draw() -> Given:
        return given(dates.draw_pairs(training, batch, rng), mistake)

    losses = train(model, draw, steps=steps, rate=rate)
    seconds = round(clock(), 1)
    test = dates.draw_pairs(kept, 1000, np.random.default_rng(99))
    model.eval()
    row = {
        "mistake": mistake,
        "seed": seed,
        "loss": float(np.mean(losses[-20:])),
        "told": told(model, test, mistake),
        "free": right(model, test, mistake),
        "alone": float(
            np.mean([right(model, [pair], mistake) for pair in test[:200]])
        ),
    }
    if mistake == "none":
        row |= aligned(model, test[:300])
    same = [pair for pair in test if len(pair.source) == 18][:8]
    answers = written(model, test[:3], mistake)
    row["samples"] = [
        [pair.source, dates.TARGET.decode(answer.tolist())]
        for pair, answer in zip(test[:3], answers, strict=True)
    ]
    return row | detect(model, mistake, same) | {"seconds": seconds}


def main(arguments: list[str] | None = None) -> None:
    """Train all models, print what is found, and save the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="30 steps each; nothing is saved"
    )
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    plan = TRAINING | ({"steps": 30} if options.quick else {})
    clock, rows = learn.Clock(), []
    for mistake in MISTAKES:
        for seed in range(options.seeds):
            rows.append(mistaken(mistake, seed, **plan))
            print(rows[-1], flush=True)
    if not options.quick:
        settings = {"config": vars(CONFIG), "training": plan}
        saved = learn.save("encoder_decoder", rows, settings, clock())
        print(f"saved as {saved.name}")


if __name__ == "__main__":
    main()
