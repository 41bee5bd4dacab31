"""What a run is: all that its losses depend on."""

from dataclasses import asdict, dataclass, field, fields
from math import isfinite
from typing import Any

from course_attn.in_torch import GPTConfig

__all__ = ["DTYPES", "Settings"]

DTYPES = ("float32", "bfloat16")


def _setting(default: Any, about: str) -> Any:
    return field(default=default, metadata={"help": about})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of a run, each under the name of its option on the command line.

    Two runs with equal settings on the same text have the same losses, up to rounding where the
    number of processes or the machine differs. The defaults are those of the course's own model.

    Examples
    --------
    >>> Settings(layers=2, steps=10).differences(Settings(layers=3, steps=10))
    ['--layers 2, not 3']
    """

    layers: int = _setting(4, "blocks")
    width: int = _setting(96, "width d_model of every element")
    heads: int = _setting(4, "heads of every block; they divide the width")
    context: int = _setting(128, "characters that the model sees at once")
    dropout: float = _setting(0.0, "share of features that training sets to 0")
    steps: int = _setting(3000, "steps of training in all")
    batch: int = _setting(
        16, "sequences in a step, over all processes, whose number divides it"
    )
    lr: float = _setting(3e-3, "learning rate after the warm-up")
    warmup: int = _setting(100, "steps in which the learning rate grows evenly")
    final_lr: float = _setting(
        0.1, "share of --lr that is left at the end of the cosine"
    )
    weight_decay: float = _setting(0.1, "AdamW's decay of matrices and embeddings")
    clip: float = _setting(1.0, "longest gradient, longer ones are shortened to it")
    seed: int = _setting(0, "seed of the parameters, the batches and dropout")
    dtype: str = _setting(
        "float32", "of matrix products: float32, or bfloat16 for mixed precision"
    )

    def __post_init__(self) -> None:
        """Refuse what no model can be trained with."""
        for name in ("layers", "width", "heads", "context", "steps", "batch"):
            _check(self, name, "at least 1", getattr(self, name) >= 1)
        for name in ("warmup", "seed", "weight_decay"):
            _check(self, name, "at least 0", getattr(self, name) >= 0)
        for name in ("lr", "clip"):
            _check(self, name, "greater than 0", getattr(self, name) > 0)
        for name in ("dropout", "final_lr"):
            within = 0 <= getattr(self, name) <= 1
            _check(self, name, "between 0 and 1", within)
        _check(self, "dropout", "less than 1", self.dropout < 1)
        divides = f"a multiple of --heads = {self.heads}"
        _check(self, "width", divides, self.width % self.heads == 0)
        _check(self, "dtype", " or ".join(DTYPES), self.dtype in DTYPES)

    def config(self, n_vocab: int) -> GPTConfig:
        """Return the model's sizes."""
        return GPTConfig(
            n_vocab=n_vocab,
            n_context=self.context,
            n_layers=self.layers,
            d_model=self.width,
            n_heads=self.heads,
            dropout=self.dropout,
        )

    def differences(self, other: "Settings") -> list[str]:
        """Say what is not as in other settings."""
        mine, theirs = asdict(self), asdict(other)
        return [
            f"{option(name)} {value}, not {theirs[name]}"
            for name, value in mine.items()
            if value != theirs[name]
        ]

    @classmethod
    def names(cls) -> list[str]:
        """Return the names of all settings."""
        return [setting.name for setting in fields(cls)]


def option(name: str) -> str:
    """Return what a setting is called on the command line."""
    return "--" + name.replace("_", "-")


def _check(settings: Settings, name: str, must: str, holds: bool) -> None:
    value = getattr(settings, name)
    finite = not isinstance(value, float) or isfinite(value)
    if not (holds and finite):
        raise ValueError(f"{option(name)} must be {must}, got {value}")
