"""Write a file as a whole, or not at all."""

import os
import secrets
from pathlib import Path

__all__ = ["write_whole"]


def write_whole(path: Path, text: str, mode: int = 0o666) -> None:
    """Write a text so that whoever reads the file finds the old one or the new one, never a part.

    Parameters
    ----------
    path : Path
        The file; its folder is there.
    text : str
        What it is to hold, in UTF-8.
    mode : int
        Who may read and write a new file, less what the user's umask takes away.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(
            os.open(temporary, flags, mode), "w", encoding="utf-8", newline=""
        ) as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
