"""How a model learns: step after step, until the last or until someone stops it."""

import math
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from types import FrameType
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.parallel import DistributedDataParallel

from course_attn.in_torch import GPT, generate
from course_attn.train import checkpoints
from course_attn.train.batches import (
    Corpus,
    draw_starts,
    place_windows,
    take_stretches,
)
from course_attn.train.log import Log, Row
from course_attn.train.processes import Group
from course_attn.train.settings import Run, Settings, TrainingError

__all__ = ["Training", "learning_rate", "validation_loss"]

_SAMPLE = 300  # characters
_TEMPERATURE = 0.8
_WINDOWS = 512  # stretches of the text at most for a validation


class Training:
    """A model, what it learns from, and how far it is: at the start, or where `state` ends."""

    def __init__(
        self,
        settings: Settings,
        corpus: Corpus,
        run: Run,
        group: Group | None = None,
        *,
        command: str = "",
        state: dict[str, Any] | None = None,
    ) -> None:
        self.settings, self.corpus, self.run = settings, corpus, run
        self.group, self.command = group or Group(), command
        self.model = GPT(settings.config(len(corpus.characters)))
        self.model.reset_parameters(torch.Generator().manual_seed(settings.seed))
        self.model.to(run.device)
        self.optimizer = _make_optimizer(self.model, settings)
        self.step, self.log = 0, Log(run.out)
        if state is not None:
            self._restore(state)
        # What is called in training: the same model, with what is around it.
        self.learner: Any = self.model
        if self.group.size > 1:
            # After each backward pass the gradients are averaged over all processes.
            self.learner = DistributedDataParallel(self.model)
        if run.compile or (
            run.compile is None
            and run.device.type == "cuda"
            and settings.steps > 1000
        ):
            self.learner = torch.compile(self.learner)
        self.tokens = corpus.training.to(run.device)
        # The losses of steps that are not in the log yet.
        self.waiting: list[Tensor] = []

    def go(self, show: Callable[[list[Row]], None]) -> int:
        """Train up to the last step; return the number of the signal that ended it before, or 0.

        `show` gets the rows of the log as they come.
        """
        with _note_signals() as signals:
            self.group.let_first(self.log.flush)
            if self.step == 0 and self.run.validate_every:
                self._write([Row(0, validation=self._validate())])
            clock = time.perf_counter()
            while self.step < self.settings.steps:
                self.waiting.append(self.learn())
                due = self._list_due()
                # Several processes stop together, when they next tell each other anything.
                if not due and not (signals and self.group.size == 1):
                    continue
                rows = self._measure(clock, validate="validate" in due)
                self._write(rows)
                show(rows)
                if "sample" in due and self.group.rank == 0:
                    self.log.samples[self.step] = self._sample()
                stopped = max(self.group.gather(signals[0] if signals else 0))
                if stopped or "save" in due:
                    self.group.let_first(self._save)
                if stopped and self.step < self.settings.steps:
                    return stopped
                clock = time.perf_counter()
        return 0

    def _list_due(self) -> set[str]:
        """Return what is to be done after this step, besides learning."""
        run, last = self.run, self.step == self.settings.steps
        due = {"log", "save"} if last else set()
        for what, every in (
            ("log", run.log_every),
            ("validate", run.validate_every),
            ("save", run.checkpoint_every),
        ):
            if every and (last or self.step % every == 0):
                due.add(what)
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
        starts = draw_starts(settings.seed, step, settings.batch, n_starts)
        mine = self.group.share(starts)
        windows = take_stretches(self.tokens, mine, settings.context)
        self.learner.train()
        loss = _predict(self.learner, windows, settings.dtype)
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), settings.clip)
        self.optimizer.step()
        return loss.detach()

    def _measure(self, clock: float, *, validate: bool) -> list[Row]:
        """Return the rows of the steps that wait."""
        losses = self.group.sum(torch.stack(self.waiting)) / self.group.size
        found = losses.tolist()  # waits until a GPU has done these steps
        seconds = time.perf_counter() - clock
        self.waiting = []
        settings, rows = self.settings, []
        n_tokens = len(found) * settings.batch * settings.context
        for step, loss in enumerate(found, self.step - len(found) + 1):
            if not math.isfinite(loss):
                raise TrainingError(
                    f"the loss of step {step} is {loss}: training has come apart, and goes on "
                    "no further. A smaller --lr or a longer --warmup may help. Checkpoints "
                    "written before are untouched"
                )
            speed = round(n_tokens / seconds, 1)
            rows.append(Row(step, loss, learning_rate(settings, step), None, speed))
        if validate:
            rows[-1] = rows[-1]._replace(validation=self._validate())
        return rows

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
        self.group.let_first(lambda: self.log.add(rows))

    def _save(self) -> None:
        self.log.flush()
        state = {
            "command": self.command,
            "settings": asdict(self.settings),
            "text": self.corpus.path,
            "text_sha256": self.corpus.sha256,
            "rows": [list(row) for row in self.log.rows],
            "samples": self.log.samples,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
        }
        checkpoints.save(self.run.out, self.step, state)

    def _restore(self, state: dict[str, Any]) -> None:
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.step = state["step"]
        self.log.rows = [Row(*row) for row in state["rows"]]
        self.log.samples = state["samples"]


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
    mine = group.share(place_windows(len(tokens), model.n_context, _WINDOWS))
    total = torch.zeros(2, dtype=torch.float64, device=device)
    for some in np.array_split(mine, -(-len(mine) // 32)) if len(mine) else []:
        windows = take_stretches(tokens, some, model.n_context).to(device)
        loss = _predict(model, windows, dtype)
        total += torch.tensor([loss.item() * len(some), len(some)], device=device)
    loss_sum, n = group.sum(total).tolist()
    return loss_sum / n


def _predict(model: torch.nn.Module, windows: Tensor, dtype: str) -> Tensor:
    """Return the mean loss of a batch: that of `cross_entropy`, from PyTorch's own kernel."""
    with torch.autocast(
        windows.device.type, torch.bfloat16, enabled=dtype == "bfloat16"
    ):
        logits = model(windows[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten())


def _make_optimizer(model: GPT, settings: Settings) -> torch.optim.Optimizer:
    """Return AdamW, which lets matrices and embeddings decay, and no gains and biases."""
    parameters = list(model.parameters())
    matrices = [p for p in parameters if p.ndim >= 2]
    rest = [p for p in parameters if p.ndim < 2]
    return torch.optim.AdamW(
        [
            {"params": matrices, "weight_decay": settings.weight_decay},
            {"params": rest, "weight_decay": 0.0},
        ],
        lr=settings.lr,
        betas=(0.9, 0.95),
        fused=parameters[0].device.type in ("cpu", "cuda"),
    )


@contextmanager
def _note_signals() -> Iterator[list[int]]:
    """Give a list to which Ctrl-C and a polite request to end add their number.

    Asked for a second time, the program ends at once.
    """
    noted: list[int] = []
    # Not what was before: started in the background by a shell, that ignores Ctrl-C.
    ends: dict[int, Any] = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: signal.SIG_DFL,
    }

    def note(number: int, frame: FrameType | None) -> None:
        noted.append(number)
        signal.signal(number, ends[number])

    before = {number: signal.signal(number, note) for number in ends}
    try:
        yield noted
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
