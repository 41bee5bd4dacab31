"""The command: ``python -m course_attn.train``."""

import argparse
import os
import shlex
import signal
import sys
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import torch

from course_attn.train import checkpoints
from course_attn.train.batches import read_corpus
from course_attn.train.checkpoints import CheckpointError
from course_attn.train.keep import keep
from course_attn.train.log import Row
from course_attn.train.loop import Run, Training, TrainingError
from course_attn.train.processes import Group, join, pick_device
from course_attn.train.settings import Settings, option

_COMMAND = "python -m course_attn.train"
_ABOUT = f"""\
Train a GPT on a text, character by character.

  {_COMMAND} --out runs/first                  the course's text: minutes
  {_COMMAND} --out runs/mine --text novel.txt  your own text, in UTF-8
  {_COMMAND} --out runs/first --resume         go on where it was stopped
  torchrun --standalone --nproc-per-node=2 -m course_attn.train --out runs/both

The folder gets checkpoints, losses.csv, losses.svg and samples.json.
"""


def parser() -> argparse.ArgumentParser:
    """Return what reads the command line; settings that are not given are left out."""
    made = argparse.ArgumentParser(
        prog=_COMMAND,
        description=_ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument("--out", type=Path, required=True, help="folder of this run")
    made.add_argument(
        "--text", help="text file in UTF-8 (default: the course's text)"
    )
    made.add_argument(
        "--resume",
        action="store_true",
        help="go on from the last checkpoint in --out, with its settings",
    )
    made.add_argument(
        "--resume-if-any",
        action="store_true",
        help="the same, but begin where there is none: for computers that come and go",
    )
    what = made.add_argument_group("what is trained: this decides the losses")
    for setting in fields(Settings):
        what.add_argument(
            option(setting.name),
            type=type(setting.default),
            default=argparse.SUPPRESS,
            metavar="N" if isinstance(setting.default, int) else "X",
            help=f"{setting.metadata['help']} (default: {setting.default})",
        )
    how = made.add_argument_group("how it is done")
    how.add_argument(
        "--device",
        default="auto",
        help="auto, cpu, cuda … (default: a GPU if there is one)",
    )
    how.add_argument(
        "--compile",
        action=argparse.BooleanOptionalAction,
        help="torch.compile (default: on a GPU, for more than 1000 steps)",
    )
    how.add_argument(
        "--threads", type=int, metavar="N", help="threads of each process"
    )
    for name, default, about in (
        ("log_every", 10, "write losses every N steps"),
        (
            "validate_every",
            100,
            "measure the validation loss every N steps, 0: never",
        ),
        ("checkpoint_every", 500, "save every N steps, 0: at the end only"),
    ):
        how.add_argument(
            option(name),
            type=int,
            default=default,
            metavar="N",
            help=f"{about} (default: {default})",
        )
    how.add_argument(
        "--sample-at",
        type=int,
        nargs="*",
        default=[10, 100, 1000, 3000],
        metavar="N",
        help="steps after which the model writes (default: 10 100 1000 3000)",
    )
    how.add_argument(
        "--keep",
        type=Path,
        metavar="FOLDER",
        help="at the end, write the weights there for course_attn.weights",
    )
    how.add_argument(
        "--keep-as",
        default="gpt",
        metavar="NAME",
        help="under this name (default: gpt)",
    )
    return made


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    argv = sys.argv[1:] if argv is None else list(argv)
    arguments = parser().parse_args(argv)
    try:
        _check(arguments)
        device = pick_device(arguments.device)
        if arguments.threads:
            torch.set_num_threads(arguments.threads)
        with join(device) as group:
            return _train(
                arguments, device, group, f"{_start()} {shlex.join(argv)}"
            )
    except KeyboardInterrupt:
        _say_error(f"stopped at once. {_go_on(arguments.out)}")
        return 128 + signal.SIGINT
    except (CheckpointError, TrainingError, ValueError) as error:
        _say_error(str(error))
        return 2 if isinstance(error, ValueError) else 1
    except OSError as error:
        _say_error(
            f"{error}. What was written before is whole; make room, or give access. "
            f"{_go_on(arguments.out)}"
        )
        return 1


def _train(
    arguments: argparse.Namespace, device: torch.device, group: Group, command: str
) -> int:
    settings, text, checkpoint = _plan(arguments, device, group)
    if settings.batch % group.size:
        raise ValueError(
            f"--batch must be a multiple of the number of processes = {group.size}, "
            f"got {settings.batch}"
        )
    corpus = read_corpus(text, settings.context)
    if checkpoint is not None:
        known = checkpoints.read_facts(checkpoint)
        command = known["command"]
        if known["text_sha256"] != corpus.sha256:
            raise CheckpointError(
                f"{checkpoint} was made with another text: --text must be the same, to the "
                "letter. (The course's own text comes with Python: each version has its own)"
            )
    group.together(lambda: arguments.out.mkdir(parents=True, exist_ok=True))
    compile_it = arguments.compile
    if compile_it is None:
        compile_it = device.type == "cuda" and settings.steps > 1000
    run = Run(
        out=arguments.out,
        device=device,
        compile=compile_it,
        log_every=arguments.log_every,
        validate_every=arguments.validate_every,
        checkpoint_every=arguments.checkpoint_every,
        sample_at=tuple(arguments.sample_at),
    )
    facts = {
        "command": command,
        "settings": asdict(settings),
        "text": text,
        "text_sha256": corpus.sha256,
    }
    training = Training(
        settings, corpus, run, group, facts=facts, checkpoint=checkpoint
    )
    with Progress(settings.steps, training.step, hidden=group.rank > 0) as show:
        number = training.go(show)
    if group.rank:
        return 128 + number if number else 0
    missing = training.log.draw(len(corpus.characters))
    if missing:
        print(missing)
    if number:
        print(
            f"Stopped after step {training.step}, which is saved. "
            f"{_go_on(arguments.out)}"
        )
        return 128 + number
    if arguments.keep is not None:
        keep(
            arguments.keep,
            arguments.keep_as,
            training.model,
            corpus,
            settings,
            training.log,
            command,
        )
    print(f"Done: {settings.steps} steps, in {arguments.out}")
    return 0


def _plan(
    arguments: argparse.Namespace, device: torch.device, group: Group
) -> tuple[Settings, str | None, Path | None]:
    """Return the settings, the text and the checkpoint: from the command line, or from before."""
    given = {n: v for n, v in vars(arguments).items() if n in Settings.names()}
    text = None if arguments.text is None else str(Path(arguments.text).resolve())
    found = checkpoints.latest(arguments.out)
    seen = group.gather(None if found is None else found.name)
    if len(set(seen)) > 1:
        raise ValueError(
            "--out must be a folder that all processes share, but its last checkpoint is "
            f"{' for one, '.join(map(str, seen))} for another"
        )
    # Where torchrun has started any of the processes again, all go on by themselves.
    n_restarts = int(os.environ.get("TORCHELASTIC_RESTART_COUNT", 0))
    again = any(group.gather(n_restarts > 0)) or arguments.resume_if_any
    if found is None or not (arguments.resume or again):
        if arguments.resume and not again:
            raise CheckpointError(
                f"--resume needs a checkpoint in --out, and {arguments.out} has none"
            )
        if not again and (found or (arguments.out / "losses.csv").exists()):
            add = (
                "--resume to go on with it"
                if found
                else (
                    "--resume-if-any to begin it anew, since it has no checkpoint"
                )
            )
            raise ValueError(
                f"--out must be a new folder, but {arguments.out} has a run already: "
                f"add {add}, or name another folder"
            )
        if "dtype" not in given and device.type == "cuda":
            given["dtype"] = (
                "bfloat16" if torch.cuda.is_bf16_supported() else "float32"
            )
        return Settings(**given), text, None
    known = checkpoints.read_facts(found)
    before = Settings(**known["settings"])
    wanted = Settings(**asdict(before) | given)
    different = wanted.differences(before)
    if different:
        raise CheckpointError(
            f"{found} was made with other settings: {'; '.join(different)}. Leave them out "
            "to go on, or name another folder for --out"
        )
    return before, text or known["text"], found


def _check(arguments: argparse.Namespace) -> None:
    """Refuse numbers that say nothing."""
    for name in ("log_every", "validate_every", "checkpoint_every"):
        least = 1 if name == "log_every" else 0
        if getattr(arguments, name) < least:
            raise ValueError(
                f"{option(name)} must be at least {least}, got {getattr(arguments, name)}"
            )
    for step in arguments.sample_at:
        if step < 1:
            raise ValueError(f"--sample-at must be at least 1, got {step}")
    if arguments.threads is not None and arguments.threads < 1:
        raise ValueError(f"--threads must be at least 1, got {arguments.threads}")


def _go_on(out: Path) -> str:
    """Say how to go on, which is another question where nothing is saved yet."""
    if checkpoints.latest(out) is None:
        return "Nothing was saved yet: begin again, in this folder with --resume-if-any"
    return f"Go on with: {_start()} --out {shlex.quote(str(out))} --resume"


def _start() -> str:
    """Return how this command is started, with as many processes as now."""
    size = int(os.environ.get("WORLD_SIZE", 1))
    if size == 1:
        return _COMMAND
    here = int(os.environ.get("LOCAL_WORLD_SIZE", size))
    how = "--standalone " if here == size else f"--nnodes={size // here} … "
    return f"torchrun {how}--nproc-per-node={here} -m course_attn.train"


def _say_error(message: str) -> None:
    rank = os.environ.get("RANK")
    who = f"process {rank}: " if rank else ""
    print(f"{who}error: {message}", file=sys.stderr)


class Progress:
    """A bar that moves, where someone looks, and a line for each validation."""

    def __init__(self, steps: int, done: int, *, hidden: bool) -> None:
        try:
            from tqdm import tqdm
        except ImportError:
            raise TrainingError(
                "the progress bar needs tqdm: pip install 'course_attn[train]'"
            ) from None
        self.hidden, self.steps = hidden, steps
        # None: the bar is shown only in a terminal.
        self.bar: Any = tqdm(
            total=steps, initial=done, unit="step", disable=hidden or None
        )

    def __enter__(self) -> "Progress":
        """Show the bar."""
        return self

    def __exit__(self, *error: object) -> None:
        """Leave the bar as it stands."""
        self.bar.close()

    def __call__(self, rows: list[Row]) -> None:
        """Show some more steps."""
        last = rows[-1]
        said = f"loss {last.loss:.3f}, {last.tokens_per_second:,.0f} tokens/s"
        self.bar.update(len(rows))
        self.bar.set_postfix_str(said)
        if last.validation is not None and not self.hidden:
            line = f"step {last.step} of {self.steps}: {said}, validation {last.validation:.3f}"
            self.bar.write(line)


if __name__ == "__main__":
    sys.exit(main())
