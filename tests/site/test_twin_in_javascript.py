"""The third twin, course_attn/drawing/twin.js, runs through the tables of the other two."""

import inspect
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from course_attn.drawing.joined import joined
from tests.site.chromium import needs_chromium
from tests.support.comparison import assert_close
from tests.support.twin_table import Case, public, twin
from tests.twins.cases import BY_HAND, CASES, FUNCTIONS

TWIN = Path(inspect.getfile(joined)).with_name("twin.js")
NAMES = re.findall(
    r"^export (?:function|const) (\w+)", TWIN.read_text("utf-8"), re.M
)
PATHS = {path.split(".")[1]: path for path in FUNCTIONS}

pytestmark = needs_chromium

# Nested arrays from an array's shape and numbers; one without entries says its shape.
_CALL = """([name, given, options]) => {
  const nested = ({shape, flat}) => {
    if (!shape.length) return flat[0];
    const size = flat.length / shape[0];
    return Object.assign(Array.from({length: shape[0]}, (_, i) =>
      nested({shape: shape.slice(1), flat: flat.slice(i * size, (i + 1) * size)})), {shape});
  };
  const turned = (value) => value?.shape ? nested(value) : value ?? undefined;
  const all = Object.fromEntries(Object.entries(options).map(([k, v]) => [k, turned(v)]));
  return twins[name](...given.map(turned), all);
}"""


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    """A page that has the functions of twin.js."""
    folder = tmp_path_factory.mktemp("twin")
    shutil.copy(TWIN, folder / "twin.js")
    entry = folder / "entry.js"
    entry.write_text(
        f'import {{ {", ".join(NAMES)} }} from "./twin.js";\n'
        f"Object.assign(window, {{twins: {{{', '.join(NAMES)}}}}});\n"
    )
    opened = browser.new_page()
    opened.add_script_tag(content=joined(entry))
    yield opened
    opened.close()


def for_javascript(value: Any) -> Any:
    """Return an argument as the page takes it."""
    if not isinstance(value, np.ndarray):
        return value
    return {"shape": list(value.shape), "flat": value.ravel().tolist()}


def in_javascript(page: Any, case: Case) -> Any:
    """Return what twin.js gives, as nested lists."""
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
    return page.evaluate(_CALL, [case.function.split(".")[1], given, options])


def assert_same(found: Any, wanted: np.ndarray) -> None:
    """Compare nested lists with an array: the shape, as far as lists have one, and the numbers."""
    if wanted.size == 0 or wanted.dtype == bool:
        assert found == wanted.tolist()
    else:
        assert_close(np.array(found, dtype=float), wanted, 1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_the_twin_in_javascript_gives_what_numpy_gives(page, name, subtests):
    assert name in PATHS, f"course_attn.in_numpy has no {name}"
    cases = [case for case in CASES + BY_HAND if case.function == PATHS[name]]
    assert cases, f"no case for {name}"
    for case in cases:
        with subtests.test(str(case)):
            found = in_javascript(page, case)
            wanted = twin("in_numpy", case.function)(**case.arrays, **case.options)
            assert_same(found, wanted)
            if case.expected is not None:
                assert_same(found, np.asarray(case.expected))


def test_the_twin_in_javascript_is_small_and_has_what_the_widgets_teach():
    assert len(TWIN.read_text("utf-8").splitlines()) <= 240
    taught = "softmax scaled_scores attention masked_softmax split_heads layer_norm rotary"
    taught += " softmax_backward relative_position_scores conv2d_as_attention hopfield_update"
    assert set(taught.split()) <= set(NAMES)
