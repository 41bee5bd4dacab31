"""Trained weights as two small files, which `course_attn.weights` reads without PyTorch."""

import hashlib
import io
import json
import os
import platform
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch

import course_attn
from course_attn.in_torch import GPT
from course_attn.train.loop import Training, validation_loss
from whywrong.files import write_whole

__all__ = ["describe_machine", "halved", "keep", "keep_arrays"]


def keep(training: Training, folder: Path, name: str) -> None:
    """Write a GPT's weights in float16 as <name>.npz, and all about them as <name>.json."""
    arrays = halved(training.model)
    keep_arrays(arrays, _describe(training, arrays), folder, name)


def halved(model: torch.nn.Module) -> dict[str, Any]:
    """Return a model's weights in float16."""
    return {
        entry: array.detach().cpu().numpy().astype(np.float16)
        for entry, array in model.state_dict().items()
    }


def keep_arrays(
    arrays: dict[str, Any], about: dict[str, Any], folder: Path, name: str
) -> None:
    """Write arrays as <name>.npz, and what is said about them as <name>.json."""
    packed = io.BytesIO()
    np.savez(packed, **arrays)
    whole = {"sha256": hashlib.sha256(packed.getvalue()).hexdigest()} | about
    lines = (f" {json.dumps(k)}: {json.dumps(v)}" for k, v in whole.items())
    write_whole(folder / f"{name}.npz", packed.getvalue())
    write_whole(folder / f"{name}.json", "{\n" + ",\n".join(lines) + "\n}\n")


def _describe(training: Training, arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    """Return all about the weights; the validation loss is that of the rounded ones."""
    model, corpus, log = training.model, training.corpus, training.log
    rounded = GPT(model.config)
    rounded.load_state_dict(
        {name: torch.from_numpy(a.astype(np.float32)) for name, a in arrays.items()}
    )
    return {
        "config": asdict(model.config),
        "characters": corpus.characters.characters,
        "validation_of_these": validation_loss(rounded, corpus.validation),
        "command": training.command,
        "settings": asdict(training.settings),
        "text": {
            "sha256": corpus.sha256,
            "training": len(corpus.training),
            "validation": len(corpus.validation),
        },
        "machine": describe_machine(model.embedding.device),
        "losses": [round(r.loss, 5) for r in log.rows if r.loss is not None],
        "validation": {
            r.step: round(r.validation, 5)
            for r in log.rows
            if r.validation is not None
        },
        "prompt": corpus.prompt,
        "samples": log.samples,
    }


def describe_machine(device: torch.device) -> dict[str, Any]:
    """Return on what the training ran."""
    gpu = device.type == "cuda"
    return {
        "processor": torch.cuda.get_device_name(device) if gpu else _name_cpu(),
        "threads": torch.get_num_threads(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
        "course_attn": course_attn.__version__,
    }


def _name_cpu() -> str:
    """Return the processor's name as the system gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(": ")[2] for line in lines if "model name" in line]
    return names[0] if names else platform.processor()
