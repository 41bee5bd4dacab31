"""How a model learns: step after step, until the last or until someone stops it."""

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.parallel import DistributedDataParallel

from course_attn.in_torch import GPT, generate
from course_attn.train import checkpoints
from course_attn.train.batches import Corpus, batch_starts, stretches, window_starts
from course_attn.train.log import Log, Row
from course_attn.train.processes import Group
from course_attn.train.settings import Settings

__all__ = ["Run", "Training", "TrainingError", "learning_rate", "validation_loss"]

_SAMPLE = 300  # characters
_TEMPERATURE = 0.8
_WINDOWS = 512  # stretches of the text at most for a validation


class TrainingError(Exception):
    """Training cannot go on; the message says why."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """How a run is carried out: nothing here changes its losses. Every 0 steps means never."""

    out: Path
    device: torch.device
    compile: bool = False
    log_every: int = 10
    validate_every: int = 100
    checkpoint_every: int = 500
    sample_at: tuple[int, ...] = ()


class Training:
    """A model, what it learns from, and how far it is.

    `facts` are written into each checkpoint; with `checkpoint` the training goes on from there.
    """

    def __init__(
        self,
        settings: Settings,
        corpus: Corpus,
        run: Run,
        group: Group,
        *,
        facts: dict[str, Any],
        checkpoint: Path | None = None,
    ) -> None:
        self.settings, self.corpus, self.run, self.group = (
            settings,
            corpus,
            run,
            group,
        )
        self.facts = facts
        self.model = GPT(settings.config(len(corpus.characters)))
        self.model.reset_parameters(torch.Generator().manual_seed(settings.seed))
        self.model.to(run.device)
        self.optimizer = _optimizer(self.model, settings, run.device)
        self.step = 0
        if checkpoint is not None:
            checkpoints.load(checkpoint, self.model, self.optimizer, group)
            self.step = checkpoints.read_facts(checkpoint)["step"]
        # The first process writes the log; the others keep theirs to themselves.
        self.log = Log(run.out)
        if group.rank == 0:
            self.log = Log.up_to(run.out, self.step)
        # What is called in training: the same model, with what is around it.
        self.learner: torch.nn.Module = self.model
        if group.size > 1:
            # After each backward pass the gradients are averaged over all processes.
            self.learner = DistributedDataParallel(self.model)
        if run.compile:
            self.learner = torch.compile(self.learner)  # type: ignore[assignment]
        self.tokens = corpus.training.to(run.device)
        # The losses of steps that are not in the log yet.
        self.waiting: list[Tensor] = []

    def go(self, show: Callable[[list[Row]], None]) -> int | None:
        """Train up to the last step; return the number of the signal, if one ended it before.

        `show` gets the rows of the log as they come.
        """
        last = self.settings.steps
        with _signals() as asked:
            if self.step == 0 and self.run.validate_every:
                self._write([Row(0, validation=self._validate())])
            clock = time.perf_counter()
            while self.step < last:
                self.waiting.append(self.learn())
                due = self._due()
                # Several processes stop together, when they next tell each other anything.
                if not due and not (asked and self.group.size == 1):
                    continue
                rows = self._measured(clock)
                if "validate" in due:
                    rows[-1].validation = self._validate()
                self._write(rows)
                show(rows)
                if "sample" in due and self.group.rank == 0:
                    self.log.add_sample(self.step, self._sample())
                stopped = max(self.group.gather(asked[0] if asked else 0))
                if stopped or "save" in due:
                    self._save()
                if stopped and self.step < last:
                    return stopped
                clock = time.perf_counter()
        return None

    def _due(self) -> set[str]:
        """Return what is to be done after this step, besides learning."""
        run, last = self.run, self.step == self.settings.steps
        every = {
            "log": run.log_every,
            "validate": run.validate_every,
            "save": run.checkpoint_every,
        }
        due = {
            what for what, n in every.items() if n and (last or self.step % n == 0)
        }
        if last:
            due |= {"log", "save"}
        if self.step in run.sample_at:
            due.add("sample")
        return due

    def learn(self) -> Tensor:
        """Take the next step, against the gradient of a batch's loss; return the loss before it."""
        self.step += 1
        settings, step = self.settings, self.step
        if settings.dropout:
            # As the batch: drawn from the number of the step, and not from what came before.
            numbers = np.random.SeedSequence([settings.seed, step, self.group.rank])
            torch.manual_seed(int(numbers.generate_state(1)[0]))
        for part in self.optimizer.param_groups:
            part["lr"] = learning_rate(settings, step)
        n_starts = len(self.tokens) - settings.context
        starts = batch_starts(settings.seed, step, settings.batch, n_starts)
        mine = stretches(self.tokens, self.group.share(starts), settings.context)
        self.learner.train()
        loss = _loss(self.learner, mine, settings.dtype)
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), settings.clip)
        self.optimizer.step()
        return loss.detach()

    def _measured(self, clock: float) -> list[Row]:
        """Return the rows of the steps that wait; all that processes tell each other is here."""
        # .tolist() waits until a GPU has done these steps.
        losses = (
            self.group.sum(torch.stack(self.waiting)) / self.group.size
        ).tolist()
        seconds = time.perf_counter() - clock
        settings, n = self.settings, len(losses)
        speed = round(n * settings.batch * settings.context / seconds, 1)
        steps = range(self.step - n + 1, self.step + 1)
        self.waiting = []
        for step, loss in zip(steps, losses, strict=True):
            if not math.isfinite(loss):
                raise TrainingError(
                    f"the loss of step {step} is {loss}: training has come apart, and goes on "
                    "no further. A smaller --lr or a longer --warmup may help. Checkpoints "
                    "written before are untouched"
                )
        return [
            Row(step, loss, learning_rate(settings, step), None, speed)
            for step, loss in zip(steps, losses, strict=True)
        ]

    def _validate(self) -> float:
        return validation_loss(
            self.model, self.corpus.validation, self.settings.dtype, self.group
        )

    def _sample(self) -> str:
        """Let the model write, with the same draws at every step."""
        characters = self.corpus.characters
        prompt = torch.from_numpy(characters.encode(self.corpus.prompt))
        start = prompt.to(self.run.device)
        rng = torch.Generator(self.run.device).manual_seed(self.settings.seed)
        self.model.eval()
        tokens = generate(
            self.model, start, _SAMPLE, temperature=_TEMPERATURE, rng=rng
        )
        return characters.decode(tokens[len(prompt) :].tolist())

    def _write(self, rows: list[Row]) -> None:
        self.group.together(lambda: self.log.add(rows))

    def _save(self) -> None:
        self.group.together(self.log.flush)
        checkpoints.save(
            self.run.out,
            self.step,
            self.model,
            self.optimizer,
            self.facts,
            self.group,
        )


def learning_rate(settings: Settings, step: int) -> float:
    """Return the learning rate of a step, counted from 1: a rise, then half a cosine down.

    Examples
    --------
    >>> settings = Settings(steps=10, warmup=2, lr=1.0, final_lr=0.0)
    >>> [round(learning_rate(settings, step), 2) for step in (1, 2, 6, 10)]
    [0.5, 1.0, 0.5, 0.0]
    """
    if step <= settings.warmup:
        return settings.lr * step / settings.warmup
    share = (step - settings.warmup) / max(1, settings.steps - settings.warmup)
    fall = (1 + math.cos(math.pi * share)) / 2
    return settings.lr * (settings.final_lr + (1 - settings.final_lr) * fall)


@torch.no_grad()
def validation_loss(
    model: GPT, tokens: Tensor, dtype: str = "float32", group: Group | None = None
) -> float:
    """Return the mean loss over stretches of a text that lie side by side, in nats per token."""
    group = group or Group()
    model.eval()
    device = model.embedding.device
    starts = window_starts(len(tokens), model.n_context, _WINDOWS)
    total = torch.zeros(2, dtype=torch.float64, device=device)
    mine = group.share(starts)
    for some in np.array_split(mine, -(-len(mine) // 32)) if len(mine) else []:
        windows = stretches(tokens, some, model.n_context).to(device)
        loss = _loss(model, windows, dtype)
        total += torch.tensor([loss.item() * len(some), len(some)], device=device)
    loss_sum, n = group.sum(total).tolist()
    return loss_sum / n


def _loss(model: torch.nn.Module, windows: Tensor, dtype: str) -> Tensor:
    """Return the mean loss of a batch: that of `cross_entropy`, from PyTorch's own kernel."""
    with torch.autocast(
        windows.device.type, torch.bfloat16, enabled=dtype == "bfloat16"
    ):
        logits = model(windows[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten())


def _optimizer(
    model: GPT, settings: Settings, device: torch.device
) -> torch.optim.Optimizer:
    """Return AdamW, which lets matrices and embeddings decay, and no gains and biases."""
    parameters = list(model.parameters())
    groups = [
        {
            "params": [p for p in parameters if p.ndim >= 2],
            "weight_decay": settings.weight_decay,
        },
        {"params": [p for p in parameters if p.ndim < 2], "weight_decay": 0.0},
    ]
    fused = device.type in ("cpu", "cuda")
    return torch.optim.AdamW(groups, lr=settings.lr, betas=(0.9, 0.95), fused=fused)


@contextmanager
def _signals() -> Iterator[list[int]]:
    """Give a list to which Ctrl-C and a polite request to end add their number.

    Asked for a second time, the program ends at once.
    """
    asked: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return

    def note(number: int, frame: FrameType | None) -> None:
        asked.append(number)
        # Not what was before: started in the background by a shell, that ignores Ctrl-C.
        end = (
            signal.default_int_handler
            if number == signal.SIGINT
            else signal.SIG_DFL
        )
        signal.signal(number, end)

    before: dict[int, Any] = {
        number: signal.signal(number, note)
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
