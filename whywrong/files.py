"""Write a file as a whole, or not at all."""

import os
import secrets
from pathlib import Path

__all__ = ["flush_folder", "write_whole"]


def write_whole(path: Path, content: str | bytes, mode: int = 0o666) -> None:
    """Write a file so that who reads it finds the old content or the new, never a part.

    path: the file; its folder is there.
    content: what it is to hold; a text is written in UTF-8.
    mode: who may read and write a new file, less what the user's umask takes away.
    """
    data = content.encode() if isinstance(content, str) else content
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(temporary, flags, mode), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    flush_folder(path.parent)


def flush_folder(folder: Path) -> None:
    """Let the disk know the names in a folder, where the system can be told to."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
