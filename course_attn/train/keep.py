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
from course_attn.train.batches import Corpus
from course_attn.train.log import Log
from course_attn.train.loop import validation_loss
from course_attn.train.settings import Settings
from whywrong.files import write_whole

__all__ = ["keep"]


def keep(
    folder: Path,
    name: str,
    model: GPT,
    corpus: Corpus,
    settings: Settings,
    log: Log,
    command: str,
) -> None:
    """Write the weights in float16 as <name>.npz, and all about them as <name>.json.

    The validation loss beside them is that of the rounded weights, in float32.
    """
    arrays = {
        entry: array.detach().cpu().numpy().astype(np.float16)
        for entry, array in model.state_dict().items()
    }
    packed = io.BytesIO()
    np.savez(packed, **arrays)
    rounded = GPT(model.config)
    rounded.load_state_dict(
        {
            entry: torch.from_numpy(a.astype(np.float32))
            for entry, a in arrays.items()
        }
    )
    about: dict[str, Any] = {
        "sha256": hashlib.sha256(packed.getvalue()).hexdigest(),
        "config": asdict(model.config),
        "characters": corpus.characters.characters,
        "validation_of_these": validation_loss(rounded, corpus.validation),
        "command": command,
        "settings": asdict(settings),
        "text": {
            "sha256": corpus.sha256,
            "training": len(corpus.training),
            "validation": len(corpus.validation),
        },
        "machine": _machine(model.embedding.device),
        "losses": [round(r.loss, 5) for r in log.rows if r.loss is not None],
        "validation": {
            r.step: round(r.validation, 5)
            for r in log.rows
            if r.validation is not None
        },
        "prompt": corpus.prompt,
        "samples": log.samples,
    }
    lines = (f" {json.dumps(k)}: {json.dumps(v)}" for k, v in about.items())
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / f"{name}.npz", packed.getvalue())
    write_whole(
        folder / f"{name}.json", ("{\n" + ",\n".join(lines) + "\n}\n").encode()
    )


def _machine(device: torch.device) -> dict[str, Any]:
    """Return on what the training ran."""
    gpu = device.type == "cuda"
    return {
        "processor": torch.cuda.get_device_name(device) if gpu else _processor(),
        "threads": torch.get_num_threads(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
        "course_attn": course_attn.__version__,
    }


def _processor() -> str:
    """Return the processor's name as the system gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [
        line.partition(": ")[2] for line in lines if line.startswith("model name")
    ]
    return names[0] if names else platform.processor()
