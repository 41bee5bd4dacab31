"""``torchrun … -m tests.train.interfere``: the command, whose process 1 is sent a signal, once.

The environment variable INTERFERE says which signal, while which step is computed, and the path of
a file that tells those who are started again that it has been done.
"""

import os
import signal
import sys
from pathlib import Path

import numpy as np

from course_attn.train import loop
from course_attn.train.__main__ import main

drawn = loop.draw_starts


def draw_starts(seed: int, step: int, batch: int, n_starts: int) -> np.ndarray:
    """Draw a batch, unless the process is killed first."""
    name, at, done = os.environ["INTERFERE"].split(maxsplit=2)
    here = os.environ["RANK"] == "1" and step == int(at)
    if here and not Path(done).exists():
        Path(done).touch()
        os.kill(os.getpid(), signal.Signals[name])
    return drawn(seed, step, batch, n_starts)


if __name__ == "__main__":
    loop.draw_starts = draw_starts
    sys.exit(main())
