"""The judge's side of the conversation with an answer: a function that computes elsewhere."""

import inspect
import sys
import time
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from whywrong.declare import WrongForm
from whywrong.grade.launch import AnswerProcess
from whywrong.grade.wire import (
    KNOWN_ERRORS,
    MOST_BYTES,
    LineBroken,
    Other,
    Packer,
    unpack,
)
from whywrong.limits import TimesUp

__all__ = ["Answer", "ProcessEnded"]

# Seconds for the way there and back, on a machine that has much else to do.
_GRACE = 3.0


class ProcessEnded(Exception):
    """The process of an answer is of no use anymore; the text says why, for its author."""


class _UnknownError(Exception):
    """The answer raised something that is known by its name only."""


class _Conversation:
    """What is said to the process of an answer and heard from it, each in its time."""

    def __init__(self, running: AnswerProcess, seconds: float) -> None:
        self._running = running
        self._until = time.monotonic() + seconds
        self._seconds = seconds
        self._callables: list[Callable[..., Any]] = []
        self._on_cell: Callable[[int], None] = lambda number: None
        self.ended, self.is_late = "", False
        self.most_bytes = MOST_BYTES

    def _ask(self, what: str, of: Any) -> dict[str, Any]:
        return self._exchange({"do": what, "of": of}, b"", self._until)[0]

    def _exchange(
        self, order: dict[str, Any], blob: bytes, until: float
    ) -> tuple[dict[str, Any], bytes]:
        """Send an order; call what the answer wants called meanwhile; return the reply."""
        try:
            self._send(order, blob, until)
            while True:
                reply, blob = self._receive(until)
                if "cell" in reply:
                    self._on_cell(_as_int(reply["cell"]))
                elif "callback" in reply:
                    self._call_back(reply, blob, until)
                else:
                    return reply, blob
        except ProcessEnded:
            raise
        except TimesUp:  # it was cut short: half a message may be left
            self.ended = self.ended or "It did not come to an end in time."
            raise
        except BaseException as error:  # the judge's own
            self.ended = f"It could not be judged ({type(error).__name__})."
            raise

    def _call_back(self, asked: dict[str, Any], blob: bytes, until: float) -> None:
        packer = Packer(self._reference)
        try:
            function = self._callables[asked["callback"]]
            options = dict(asked["options"])
            nodes = [asked["args"], *options.values()]
            args, *values = unpack({"list": nodes}, blob)
            options = dict(zip(options, values, strict=True))
        except (LineBroken, LookupError, TypeError, ValueError):
            raise self._end("It calls what it was not given.") from None
        reply: dict[str, Any]
        try:
            reply = {"value": packer.pack(function(*args, **options))}
        except TimesUp:
            raise
        except Exception as error:
            packer = Packer()
            reply = {"error": [type(error).__name__, str(error)[:2000]]}
        self._send(reply, packer.blob, until)

    def _reference(self, function: Callable[..., Any]) -> int:
        self._callables.append(function)
        return len(self._callables) - 1

    def _send(self, message: dict[str, Any], blob: bytes, until: float) -> None:
        self._before_deadline(self._running.line.send, message, blob, until)

    def _receive(self, until: float) -> tuple[dict[str, Any], bytes]:
        receive = self._running.line.receive
        reply, blob = self._before_deadline(receive, until, self.most_bytes)
        if "over" in reply:
            self._running.how = str(reply["over"])[:200]
            raise self._end("Its process does not answer: nobody is there anymore.")
        return reply, blob

    def _before_deadline(self, do: Callable[..., Any], *args: Any) -> Any:
        if self.ended:
            raise ProcessEnded(self.ended)
        try:
            return do(*args)
        except TimeoutError:
            if time.monotonic() >= self._until:
                self.is_late = True
                said = (
                    f"It did not come to an end within {self._seconds:g} seconds."
                )
                raise self._end(said) from None
            self.ended = "It did not come to an end in time."
            raise TimesUp from None
        except LineBroken as problem:
            raise self._end(f"Its process does not answer: {problem}.") from None

    def _end(self, why: str) -> ProcessEnded:
        self.ended = why
        return ProcessEnded(why)


class Answer(_Conversation):
    """An answer that runs in another process.

    Once it has ``ended``, which then says why, it is of no use anymore; ``is_late`` tells whether
    its time was up. Who asked for the check in its process says if it has ``passed_inside``, and
    how many bytes the arrays of a message may have (``most_bytes``).
    """

    passed_inside = has_torch = False

    def cells(
        self, cells: Sequence[tuple[int, str]], on_cell: Callable[[int], None]
    ) -> dict[int, str]:
        """Run the cells of a notebook; return which failed, and how.

        Each begins with its number being told to ``on_cell``.
        """
        self._on_cell = on_cell
        failed = self._ask("cells", list(map(list, cells))).get("failed")
        if not isinstance(failed, dict):
            raise self._end(_ODD)
        return {
            _as_int(number): str(said)[:2000] for number, said in failed.items()
        }

    def look(self, name: str) -> dict[str, Any]:
        """Return what the function for an exercise looks like."""
        seen = self._ask("look", name)
        self.has_torch = seen.get("torch") is True
        return seen

    def tutor(self, name: str) -> dict[str, Any]:
        """Return what the exercise's own check says of the answer, over there."""
        return self._ask("tutor", name)

    def function(
        self, name: str, parameters: Any, *, seconds: float, used: bool, torch: bool
    ) -> Callable[..., Any]:
        """Return the answer as a function that can be judged.

        It has the parameters that `look` tells of, and each call its seconds. Where it is ``used``,
        it is put to use over there, as the exercise says, and takes the arguments of a case.
        Gradients can be asked for where it is PyTorch's.
        """
        answer = _without_source(
            name, lambda *args: self._call(args, seconds, used, torch)
        )
        if not used:
            answer.__signature__ = _signature(parameters)
        return answer

    def _call(
        self, args: tuple[Any, ...], seconds: float, used: bool, torch: bool
    ) -> Any:
        packer = Packer(self._reference)
        packed = packer.pack(args)
        order = {"do": "call", "args": packed, "seconds": seconds, "used": used}
        until = min(time.monotonic() + seconds + _GRACE, self._until)
        if not (torch and packer.tensors):
            reply, blob = self._exchange(order, packer.blob, until)
            return self._result(reply, blob, args)
        return _remote().apply(
            self, order, packer.blob, args, until, *packer.tensors
        )

    def _result(
        self,
        reply: dict[str, Any],
        blob: bytes,
        args: tuple[Any, ...],
        tensors: list[Any] | None = None,
    ) -> Any:
        """Return the value of a reply; those of its tensors that have a gradient are listed."""
        try:
            _change_arguments(reply, blob, args)
        except _NO_VALUES:
            why = "It does to its arguments what cannot be understood."
            raise self._end(why) from None
        printed = reply.get("printed")
        if isinstance(printed, str):
            sys.stdout.write(printed)  # the judge reads it there
        if "error" in reply:
            raise _error_from(reply["error"]) or self._end(_ODD)
        try:
            value = unpack(reply["value"], blob, tensors=tensors)
            for tensor in tensors or ():
                tensor.requires_grad_(False)
            return value
        except (LineBroken, KeyError):
            raise self._end("It returns what cannot be understood.") from None

    def back(self, graph: int, weights: Sequence[Any]) -> list[Any]:
        """Return the gradients of a result that came back earlier."""
        packer = Packer()
        packed = [packer.pack(weight) for weight in weights]
        order = {"do": "back", "graph": graph, "weights": packed}
        reply, blob = self._exchange(order, packer.blob, self._until)
        if "failed" in reply:
            raise RuntimeError(str(reply["failed"])[:2000])
        try:
            return list(unpack({"list": reply["gradients"]}, blob))
        except (LineBroken, LookupError, TypeError):
            raise self._end("Its gradients cannot be understood.") from None


def _without_source(name: str, call: Callable[..., Any]) -> Any:
    """Return a function in whose source the judge looks for no mistakes: it has none."""
    names: dict[str, Any] = {"call": call}
    exec("def answer(*args): return call(*args)", names)
    answer = names["answer"]
    answer.__name__ = answer.__qualname__ = name
    answer.is_elsewhere = True
    return answer


_ODD = "It does not answer as it should."
_NO_VALUES = (
    LineBroken,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
    RuntimeError,
)


def _change_arguments(
    reply: dict[str, Any], blob: bytes, args: tuple[Any, ...]
) -> None:
    """Change the arguments as the call has changed them over there."""
    changed = list(reply.get("changed", ()))
    values = unpack({"list": [node for _, node in changed]}, blob)
    for (i, _), value in zip(changed, values, strict=True):
        _overwrite(args[i], value)


def _error_from(error: Any) -> BaseException | None:
    """Return the exception that a reply describes; None if it describes none."""
    try:
        kind, text = str(error["kind"]), str(error["text"])[:2000]
        if kind == "WrongForm":
            return WrongForm(text, str(error["fault"])[:60])
        kinds = [kind, *map(str, error.get("kinds", ()))]
    except (TypeError, LookupError):
        return None
    if kind == "TimesUp":
        return TimesUp()
    name = kind[:60] if kind.isidentifier() else "Error"
    known = [KNOWN_ERRORS[name] for name in kinds if name in KNOWN_ERRORS]
    made: Any = known[0] if known else type(name, (_UnknownError,), {})
    return made(text)


def _as_int(number: Any) -> int:
    try:
        return int(number)
    except (TypeError, ValueError, OverflowError):
        return -1


def _signature(parameters: Any) -> inspect.Signature:
    """Return a signature as the answer's process tells it; any arguments where it tells none."""
    try:
        made = []
        for name, kind, has_default in parameters:
            default = None if has_default else inspect.Parameter.empty
            kind = inspect._ParameterKind(kind)
            made.append(inspect.Parameter(str(name), kind, default=default))
        return inspect.Signature(made)
    except (TypeError, ValueError):
        return inspect.signature(lambda *args: None)


def _overwrite(value: Any, after: Any) -> None:
    if isinstance(value, np.random.Generator):
        value.bit_generator.state = after.bit_generator.state
        return
    if (
        isinstance(after, Other)
        or value.shape != after.shape
        or value.dtype != after.dtype
    ):
        raise ValueError
    if isinstance(value, np.ndarray):
        value[...] = after
    else:
        value.detach().copy_(after)


@cache
def _remote() -> Any:
    """Return a step of PyTorch's graph that is computed, and differentiated, over there."""
    import torch

    class Remote(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, answer: Answer, order: Any, *given: Any) -> Any:
            blob, args, until, *_ = given
            reply, back = answer._exchange(order, blob, until)
            tensors: list[Any] = []
            value = answer._result(reply, back, args, tensors)
            outputs = value if isinstance(value, tuple) else (value,)
            ctx.answer, ctx.graph = answer, reply.get("graph")
            ctx.places = [
                i for i, o in enumerate(outputs) for t in tensors if o is t
            ]
            without = [o for o in outputs if not any(o is t for t in tensors)]
            plain = [o for o in without if isinstance(o, torch.Tensor)]
            ctx.mark_non_differentiable(*plain)
            return value

        @staticmethod
        def backward(ctx: Any, *weights: Any) -> Any:
            asked = [weights[i] for i in ctx.places]
            return (None,) * 5 + tuple(ctx.answer.back(ctx.graph, asked))

    return Remote
