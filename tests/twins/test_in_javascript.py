"""The third twin, course_attn/drawing/twin.js, runs through the tables of the other two."""

import inspect
import json
import re
from typing import Any

import numpy as np
import pytest

from course_attn.drawing.page import FOLDER
from tests.support.comparison import assert_close
from tests.support.scripts import needs_deno
from tests.support.twin_table import Case, named, public, twin
from tests.twins.cases import BY_HAND, CASES, FUNCTIONS
from tools.deno import deno

TWIN = FOLDER / "twin.js"
NAMES = re.findall(
    r"^export (?:function|const) (\w+)", TWIN.read_text("utf-8"), re.M
)
PATHS = {path.split(".")[1]: path for path in FUNCTIONS}

# Python writes infinities as JavaScript does. Nested arrays come from an array's shape and numbers;
# one without entries says its shape. JSON has no name for what is not finite, and gets a text.
_CALLS = """
import * as twins from "{twin}";
const nested = ({shape, flat}) => {
  if (!shape.length) return flat[0];
  const size = flat.length / shape[0];
  return Object.assign(Array.from({length: shape[0]}, (_, i) =>
    nested({shape: shape.slice(1), flat: flat.slice(i * size, (i + 1) * size)})), {shape});
};
const turned = (value) => value?.shape ? nested(value) : value ?? undefined;
const found = {calls}.map(([name, given, options]) => {
  const all = Object.fromEntries(Object.entries(options).map(([k, v]) => [k, turned(v)]));
  return twins[name](...given.map(turned), all);
});
const finite = (_, x) => typeof x === "number" && !Number.isFinite(x) ? String(x) : x;
console.log(JSON.stringify(found, finite));
"""


def for_javascript(value: Any) -> Any:
    """Return an argument as JavaScript takes it."""
    if not isinstance(value, np.ndarray):
        return value
    return {"shape": list(value.shape), "flat": value.ravel().tolist()}


def call(case: Case) -> list[Any]:
    """Return the name and the arguments of a call."""
    arguments = case.arrays | case.options
    arguments.pop("dtype", None)  # There is one kind of numbers.
    given, options = [], {}
    signature = inspect.signature(public("in_numpy", case.function))
    for name, parameter in signature.parameters.items():
        value = for_javascript(arguments.get(name))
        if parameter.kind is parameter.KEYWORD_ONLY:
            options |= {name: value} if name in arguments else {}
        else:
            given.append(value)
    return [case.function.split(".")[1], given, options]


def in_javascript(cases: list[Case]) -> list[Any]:
    """Return what twin.js gives for each call, as nested lists."""
    calls = json.dumps([call(case) for case in cases])
    text = _CALLS.replace("{twin}", TWIN.as_uri()).replace("{calls}", calls)
    done = deno("run", "--quiet", "--no-remote", "--no-config", "-", text=text)
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


def assert_same(found: Any, wanted: np.ndarray) -> None:
    """Compare nested lists with an array: the shape, as far as lists have one, and the numbers."""
    if wanted.size == 0 or wanted.dtype == bool:
        assert found == wanted.tolist()
    else:
        assert_close(np.array(found, dtype=float), wanted, 1e-12)


@needs_deno
@pytest.mark.parametrize("name", NAMES)
def test_the_twin_in_javascript_gives_what_numpy_gives(name):
    assert name in PATHS, f"course_attn.in_numpy has no {name}"
    cases = [case for case in CASES + BY_HAND if case.function == PATHS[name]]
    assert cases, f"no case for {name}"
    for case, found in zip(cases, in_javascript(cases), strict=True):
        with named(case):
            wanted = twin("in_numpy", case.function)(**case.arrays, **case.options)
            assert_same(found, wanted)
            if case.expected is not None:
                assert_same(found, np.asarray(case.expected))


def test_the_twin_in_javascript_has_what_the_widgets_teach():
    taught = "softmax scaled_scores attention masked_softmax split_heads layer_norm rotary"
    taught += " softmax_backward relative_position_scores conv2d_as_attention hopfield_update"
    assert set(taught.split()) <= set(NAMES)
