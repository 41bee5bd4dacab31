"""The command: ``python -m course_attn.train``."""

import os
import shlex
import signal
import sys
from argparse import SUPPRESS, ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Sequence
from dataclasses import MISSING, fields, replace
from typing import Any, NamedTuple

try:
    import torch
    from tqdm import tqdm
except ImportError as error:
    sys.exit(f"training needs {error.name}: pip install 'course_attn[train]'")

from course_attn.train import checkpoints
from course_attn.train.batches import Corpus, read_corpus
from course_attn.train.keep import keep
from course_attn.train.log import Row
from course_attn.train.loop import Training
from course_attn.train.processes import Group, join
from course_attn.train.settings import Run, Settings, TrainingError, name_option

_COMMAND = "python -m course_attn.train"
_ABOUT = f"""\
Train a GPT on a text, character by character.

  {_COMMAND} --out runs/first                  the course's text: minutes
  {_COMMAND} --out runs/mine --text novel.txt  your own text, in UTF-8
  {_COMMAND} --out runs/first --resume         go on where it was stopped
  torchrun --standalone --nproc-per-node=2 -m course_attn.train --out runs/both

The folder gets checkpoints, losses.csv, losses.svg and samples.json.
"""


def make_parser() -> ArgumentParser:
    """Return what reads the command line; settings that are not given are left out."""
    parser = ArgumentParser(
        prog=_COMMAND,
        usage=f"{_COMMAND} --out FOLDER [options]; --help lists them",
        description=_ABOUT,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    for kind in (Run, Settings):
        group = parser.add_argument_group(str(kind.__doc__).partition(".")[0])
        for field in fields(kind):
            unset = SUPPRESS if kind is Settings else field.default
            given = {"default": unset, **field.metadata}
            given |= {"required": True} if field.default is MISSING else {}
            if type(field.default) in (str, int, float):  # no switch
                given["help"] += f" (default: {field.default})"
            group.add_argument(name_option(field.name), **given)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    argv = sys.argv[1:] if argv is None else list(argv)
    given = vars(make_parser().parse_args(argv))
    run = Run(**{field.name: given.pop(field.name) for field in fields(Run)})
    if run.threads:
        torch.set_num_threads(run.threads)
    try:
        with join(run.device) as group:
            return _train(given, run, group, shlex.join(argv))
    except KeyboardInterrupt:
        _say_error(f"stopped at once. {_advise(run)}")
        return 128 + signal.SIGINT
    except (TrainingError, ValueError) as error:
        _say_error(str(error))
        return 2 if isinstance(error, ValueError) else 1
    except OSError as error:
        _say_error(
            f"{error}. What was written before is whole; make room, or give access. "
            f"{_advise(run)}"
        )
    except (MemoryError, RuntimeError) as error:
        if "memory" not in repr(error).lower():
            raise
        _say_error(
            f"there is not enough memory for this model and --batch: {error}"
        )
    return 1


class _Plan(NamedTuple):
    """What a training begins with: at its first step, or at that of a checkpoint."""

    settings: Settings
    corpus: Corpus
    command: str
    state: dict[str, Any] | None = None


def _train(given: dict[str, Any], run: Run, group: Group, options: str) -> int:
    # Where torchrun has started any of the processes again, all go on by themselves.
    restarts = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
    if any(count != "0" for count in group.gather(restarts)):
        run = replace(run, resume_if_any=True)
    plan = group.let_first(lambda: _make_plan(given, run, group.size, options))
    settings, corpus, command, state = plan
    training = Training(settings, corpus, run, group, command=command, state=state)
    # None: the bar is shown only in a terminal.
    hidden = True if group.rank else None
    with tqdm(
        total=settings.steps, initial=training.step, unit="step", disable=hidden
    ) as bar:

        def show(rows: list[Row]) -> None:
            last = rows[-1]
            said = f"loss {last.loss:.3f}, {last.tokens_per_second:,.0f} tokens/s"
            bar.update(len(rows))
            bar.set_postfix_str(said)
            if last.validation is not None and not group.rank:
                step = f"step {last.step} of {settings.steps}"
                bar.write(f"{step}: {said}, validation {last.validation:.3f}")

        stopped = training.go(show)
    # The others wait: torchrun ends the first as soon as one of them is gone.
    group.let_first(lambda: _finish(training, stopped))
    return 128 + stopped if stopped else 0


def _finish(training: Training, stopped: int) -> None:
    """Write what a run leaves behind, and say where it is."""
    run = training.run
    training.log.draw(len(training.corpus.characters))
    if stopped:
        step = f"Stopped after step {training.step}, which is saved."
        print(f"{step} {_advise(run)}", flush=True)
        return
    if run.keep is not None:
        keep(training, run.keep, run.keep_as)
    print(f"Done: {training.settings.steps} steps, in {run.out}", flush=True)


def _make_plan(
    given: dict[str, Any], run: Run, n_processes: int, options: str
) -> _Plan:
    """Check all that can be checked before anything is trained or written."""
    plan = _resume(given, run) or _begin(given, run, f"{_name_start()} {options}")
    if plan.settings.batch % n_processes:
        raise ValueError(
            "--batch must be a multiple of the number of processes = "
            f"{n_processes}, got {plan.settings.batch}"
        )
    for folder in (run.out, run.keep):
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
    return plan


def _begin(given: dict[str, Any], run: Run, command: str) -> _Plan:
    """Plan the first step."""
    if "dtype" not in given and run.device.type == "cuda":
        supported = torch.cuda.is_bf16_supported()
        given = given | {"dtype": "bfloat16" if supported else "float32"}
    settings = Settings(**given)
    return _Plan(settings, read_corpus(run.text, settings.context), command)


def _resume(given: dict[str, Any], run: Run) -> _Plan | None:
    """Plan the step after the last checkpoint, if that is wanted."""
    found = checkpoints.find_latest(run.out)
    if found is None or not (run.resume or run.resume_if_any):
        if not run.resume_if_any:
            _refuse_to_begin(run, found is not None)
        return None
    state = checkpoints.load(found)
    before = Settings(**state["settings"])
    different = replace(before, **given).differences(before)
    if different:
        raise TrainingError(
            f"{found} was made with other settings: {'; '.join(different)}. Leave them out "
            "to go on, or name another folder for --out"
        )
    corpus = read_corpus(run.text or state["text"], before.context)
    if state["text_sha256"] != corpus.sha256:
        raise TrainingError(
            f"{found} was made with another text: --text must be the same, to the "
            "letter. (The course's own text comes with Python: each version has its own)"
        )
    return _Plan(before, corpus, state["command"], state)


def _refuse_to_begin(run: Run, saved: bool) -> None:
    """Refuse --resume without a checkpoint, and the folder of another run without it."""
    if run.resume:
        raise TrainingError(
            f"--resume needs a checkpoint in --out, and {run.out} has none"
        )
    if saved or (run.out / "losses.csv").exists():
        anew = "--resume-if-any to begin it anew, since it has no checkpoint"
        raise ValueError(
            f"--out must be a new folder, but {run.out} has a run already: "
            f"add {'--resume to go on with it' if saved else anew}, or name another folder"
        )


def _advise(run: Run) -> str:
    """Say how to go on, which is another question where nothing is saved yet."""
    if checkpoints.find_latest(run.out) is None:
        return "Nothing was saved yet: begin again, in this folder with --resume-if-any"
    return f"Go on with: {_name_start()} --out {shlex.quote(str(run.out))} --resume"


def _name_start() -> str:
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


if __name__ == "__main__":
    sys.exit(main())
