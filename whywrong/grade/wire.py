"""What the judge and an answer say to each other: frames of JSON and plain arrays, never pickles.

A frame is a text of JSON and the bytes of the arrays in it. What comes in is checked before memory
is set aside for it; whatever is not plain arrives as the name of its type.
"""

import json
import math
import os
import re
import select
import struct
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["KNOWN_ERRORS", "MOST_BYTES", "Line", "LineBroken", "Other"]
__all__ += ["Packer", "unpack"]

# What one side may expect the other to raise; everything else has only a name.
KNOWN_ERRORS = {
    error.__name__: error
    for error in (
        ArithmeticError, AttributeError, IndexError, KeyError, LookupError, MemoryError,
        NameError, NotImplementedError, RecursionError, RuntimeError, TypeError, ValueError,
        ZeroDivisionError,
    )
}  # fmt: skip

_HEAD = struct.Struct(">II")
MOST_TEXT = 4 << 20
MOST_BYTES = 64 << 20
_PIECE = 1 << 16
_MOST_NODES = 100_000
_DTYPE = re.compile(r"[<>|=](b1|[iuf](1|2|4|8|16)|c(8|16|32))")
_TORCH_DTYPES = {
    "float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint8", "bool",
    "complex64", "complex128",
}  # fmt: skip


class LineBroken(Exception):
    """What came makes no sense, is too large, or nobody is there anymore."""


@dataclass(frozen=True)
class Other:
    """Stands for a value that is not plain."""

    kind: str  # the name of its type

    def __repr__(self) -> str:
        """Name the type only."""
        return f"<{self.kind}>"


class Line:
    """Two file descriptors, over which frames go in and out.

    One socket may be both. Where a time is kept, they do not block.
    """

    def __init__(self, incoming: int, outgoing: int) -> None:
        self.incoming, self.outgoing = incoming, outgoing

    def send(
        self, message: Mapping[str, Any], blob: bytes = b"", until: float = math.inf
    ) -> None:
        """Send a message that is ready for JSON, and its arrays' bytes, until some time at most."""
        try:
            text = json.dumps(message).encode()
        except (ValueError, RecursionError) as error:
            raise LineBroken(
                f"this cannot be sent: {type(error).__name__}"
            ) from None
        if len(text) > MOST_TEXT or len(blob) > MOST_BYTES:
            raise LineBroken("this is too large to be sent")
        rest = memoryview(_HEAD.pack(len(text), len(blob)) + text + blob)
        while rest:
            try:
                rest = rest[os.write(self.outgoing, rest[:_PIECE]) :]
            except BlockingIOError:
                self._wait(self.outgoing, select.POLLOUT, until)
            except OSError as error:
                raise LineBroken("nobody is there anymore") from error
            self._hurry(until)

    def receive(
        self, until: float = math.inf, most: int = MOST_BYTES
    ) -> tuple[dict[str, Any], bytes]:
        """Return the next frame; raise ``TimeoutError`` or `LineBroken`."""
        n_text, n_blob = _HEAD.unpack(self._read_exactly(_HEAD.size, until))
        if n_text > MOST_TEXT or n_blob > most:
            raise LineBroken("the other side sends more than is allowed")
        text, blob = (
            self._read_exactly(n_text, until),
            self._read_exactly(n_blob, until),
        )
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            raise LineBroken(
                "the other side sends something that is not a message"
            ) from None
        if not isinstance(message, dict):
            raise LineBroken("the other side sends something that is not a message")
        return message, blob

    def _read_exactly(self, size: int, until: float) -> bytes:
        parts, missing = [], size
        while missing:
            try:
                part = os.read(self.incoming, min(missing, _PIECE))
            except BlockingIOError:
                self._wait(self.incoming, select.POLLIN, until)
                continue
            except OSError as error:
                raise LineBroken("nobody is there anymore") from error
            if not part:
                raise LineBroken("nobody is there anymore")
            parts.append(part)
            missing -= len(part)
            self._hurry(until)
        return b"".join(parts)

    @staticmethod
    def _wait(descriptor: int, event: int, until: float) -> None:
        left = until - time.monotonic()
        ready = select.poll()
        ready.register(descriptor, event)
        if left <= 0 or not ready.poll(None if left == math.inf else 1000 * left):
            raise TimeoutError

    @staticmethod
    def _hurry(until: float) -> None:
        """Stop a conversation that never rests."""
        if time.monotonic() > until:
            raise TimeoutError


# --- values ---------------------------------------------------------------------------------------


class Packer:
    """Turns values into what JSON holds, and collects the bytes of their arrays.

    ``refer`` returns a number for a function, by which the other side may call it; without it, a
    function is not plain.
    """

    def __init__(self, refer: Callable[[Any], int] | None = None) -> None:
        self._refer = refer
        self._parts: list[bytes] = []
        self._size = 0
        self.tensors: list[Any] = []

    @property
    def blob(self) -> bytes:
        """The bytes of all arrays so far."""
        return b"".join(self._parts)

    def pack(self, value: Any) -> Any:
        """Return a value as JSON holds it."""
        kind = type(value)
        if value is None or kind in (bool, int, float, str):
            return value
        if kind is complex:
            return {"complex": [value.real, value.imag]}
        if isinstance(value, np.ndarray | np.generic):
            return self._array(value)
        if isinstance(value, np.random.Generator):
            return {"generator": value.bit_generator.state}
        if isinstance(value, tuple | list | set | frozenset):
            names = {"tuple": tuple, "list": list, "set": set}
            name = next(
                (n for n, t in names.items() if isinstance(value, t)), "set"
            )
            return {name: [self.pack(part) for part in value]}
        if isinstance(value, dict):
            return {"dict": [[*map(self.pack, pair)] for pair in value.items()]}
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(value, torch.Tensor):
            return self._tensor(value, torch)
        if callable(value) and self._refer is not None:
            return {"function": self._refer(value)}
        return _other(value)

    def _array(self, value: Any) -> Any:
        array = np.asarray(value)
        if not _DTYPE.fullmatch(array.dtype.str):
            return _other(value)
        node: dict[str, Any] = {
            "array": array.dtype.str,
            "shape": list(array.shape),
        }
        if isinstance(value, np.generic):
            node["scalar"] = True
        return node | {"at": self._put(array)}

    def _tensor(self, value: Any, torch: Any) -> Any:
        try:
            plain, name = value.detach(), str(value.dtype).removeprefix("torch.")
            if name == "bfloat16":
                plain = plain.view(torch.int16)
            elif name not in _TORCH_DTYPES:
                return _other(value)
            at = self._put(plain.cpu().resolve_conj().resolve_neg().numpy())
        except (RuntimeError, TypeError):  # sparse, meta, quantized …
            return _other(value)
        node = {"tensor": name, "shape": list(value.shape), "at": at}
        if value.requires_grad:
            node["gradient"] = len(self.tensors)
            self.tensors.append(value)
        return node

    def _put(self, array: np.ndarray) -> int:
        at, self._size = self._size, self._size + array.nbytes
        if self._size > MOST_BYTES:
            raise LineBroken(
                f"an array of {array.nbytes:,} bytes is too large to be sent"
            )
        self._parts.append(np.ascontiguousarray(array).tobytes())
        return at


def _other(value: Any) -> dict[str, str]:
    return {"other": type.__getattribute__(type(value), "__name__")[:80]}


def unpack(
    node: Any,
    blob: bytes,
    *,
    function: Callable[[int], Any] | None = None,
    tensors: list[Any] | None = None,
) -> Any:
    """Return the value that `Packer` packed; raise `LineBroken` if none can have packed it so.

    ``function`` makes a function of its number; ``tensors`` takes those that have a gradient.
    """
    try:
        reader = _Reader(blob, function, [] if tensors is None else tensors)
        return reader.value(node)
    except (LookupError, TypeError, ValueError, RuntimeError, OverflowError):
        raise LineBroken(
            "the other side sends something that is not a value"
        ) from None


class _Reader:
    """Makes the values of one message; `unpack` says of what.

    A message takes no more memory than it has bytes: what is in it is read once.
    """

    def __init__(
        self,
        blob: bytes,
        function: Callable[[int], Any] | None,
        tensors: list[Any],
    ) -> None:
        self._blob, self._function, self._tensors = blob, function, tensors
        self._nodes, self._bytes = _MOST_NODES, len(blob)

    def value(self, node: Any) -> Any:
        self._nodes -= 1
        if self._nodes < 0:
            raise ValueError
        if node is None or isinstance(node, bool | int | float | str):
            return node
        for name, make in (("tuple", tuple), ("list", list), ("set", frozenset)):
            if name in node:
                return make([self.value(part) for part in node[name]])
        if "dict" in node:
            pairs = ((self.value(k), self.value(v)) for k, v in node["dict"])
            return dict(pairs)
        if "array" in node:
            if not _DTYPE.fullmatch(node["array"]):
                raise ValueError
            array = self._array(node, np.dtype(node["array"]))
            return array[()] if node.get("scalar") else array
        if "tensor" in node:
            return self._tensor(node)
        if "complex" in node:
            real, imaginary = map(float, node["complex"])
            return complex(real, imaginary)
        if "generator" in node:
            generator = np.random.Generator(np.random.PCG64())
            generator.bit_generator.state = node["generator"]
            return generator
        if "function" in node and self._function is not None:
            return self._function(int(node["function"]))
        return Other(str(node["other"])[:80])

    def _tensor(self, node: Any) -> Any:
        import torch

        name = node["tensor"]
        if name == "bfloat16":
            tensor = torch.from_numpy(self._array(node, np.dtype("i2")))
            tensor = tensor.view(torch.bfloat16)
        elif name in _TORCH_DTYPES:
            tensor = torch.from_numpy(self._array(node, np.dtype(name)))
        else:
            raise ValueError
        if "gradient" in node:
            tensor.requires_grad_()
            self._tensors.append(tensor)
        return tensor

    def _array(self, node: Any, dtype: np.dtype[Any]) -> np.ndarray:
        sizes, at = tuple(node["shape"]), node["at"]
        whole = (type(size) is int and size >= 0 for size in (*sizes, at))
        if len(sizes) > 32 or not all(whole):
            raise ValueError
        n_bytes = math.prod(sizes) * dtype.itemsize
        self._bytes -= n_bytes
        if at + n_bytes > len(self._blob) or self._bytes < 0:
            raise ValueError
        part = self._blob[at : at + n_bytes]
        return np.frombuffer(part, dtype).reshape(sizes).copy()
