"""The cheat sheet: every line of its code is run, and the libraries and the course agree."""

import math
import re

import numpy as np
import pytest
import torch

from book._extensions.verified_equations import claims
from course_attn import costs, in_numpy, in_torch
from tests.site.cheat_sheet import (
    BLOCKS,
    BOTH,
    LIBRARIES,
    PAGE,
    SECTIONS,
    SIZES,
    Block,
    functions,
    inputs_of,
    results,
    run,
    shape_of,
    sizes_of,
)
from tests.site.sources import CHAPTERS
from tools.book import title

ROWS = ["Equation", "Shapes", "NumPy", "PyTorch", "Course", "Pitfall"]
LONGEST_LINE = 64
every_block = pytest.mark.parametrize("block", BLOCKS, ids=lambda b: b.title)


@pytest.fixture(autouse=True)
def _double_precision():
    """Let PyTorch make numbers of 64 bits, as NumPy does."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


# What must agree


@every_block
def test_the_libraries_and_the_course_agree(block):
    names = results(block.rows.get("Course") or block.code("NumPy"))
    found = {
        side.label: run(block, block.code(side.label), library)
        for library, side in LIBRARIES.items()
    }
    if "Course" in block.rows:
        found |= {
            f"course in {library}": run(
                block, block.rows["Course"], library, course=True
            )
            for library in LIBRARIES
        }
    for name in names:
        values = {
            who: LIBRARIES["torch" if "orch" in who else "numpy"].numbers(
                all_[name]
            )
            for who, all_ in found.items()
        }
        expected = values["NumPy"]
        assert np.isfinite(expected).all() or name == "bias"
        assert np.unique(expected).size > 1 or expected.ndim == 0
        for who, value in values.items():
            assert value.shape == expected.shape, who
            assert (value.dtype == bool) == (expected.dtype == bool), who
            np.testing.assert_allclose(value, expected, 1e-9, 1e-12, err_msg=who)


def _normalized(given: dict) -> np.ndarray:
    return np.einsum(
        "bij,bi->bij", given["R"], 1 / np.einsum("bij->bi", given["R"])
    )


def _linear(given: dict) -> np.ndarray:
    layer = torch.nn.Linear(SIZES["d_model"], SIZES["d_k"])
    layer.weight.data, layer.bias.data = map(
        torch.tensor, (given["weight"], given["b"])
    )
    return layer(torch.tensor(given["X"])).detach().numpy()


def _packed(given: dict) -> np.ndarray:
    """Find the packed matrix that makes PyTorch's layer agree with the course's function."""
    W = {k: torch.tensor(given[k]) for k in ("W_Q", "W_K", "W_V")}
    d_model, n_heads = given["d_model"], given["n_heads"]
    layer = torch.nn.MultiheadAttention(
        d_model, n_heads, bias=False, batch_first=True
    )
    packed = np.block([[given[k].T] for k in ("W_Q", "W_K", "W_V")])
    layer.in_proj_weight.data = torch.tensor(packed)
    layer.out_proj.weight.data = torch.eye(d_model)
    X = torch.tensor(given["X"])
    attend = functions("torch")["multi_head_attention"]
    ours = attend(X, *W.values(), torch.eye(d_model), n_heads=n_heads)
    torch.testing.assert_close(layer(X, X, X)[0], ours)
    return packed


WITHOUT_THE_COURSE = {
    "Weights from non-negative numbers": _normalized,
    "A layer of PyTorch": _linear,
    "PyTorch's packed matrix": _packed,
    "Parameters of GPT-2": lambda given: np.array(124_439_808),
}


def test_the_whole_computation_is_causal_attention_with_several_heads():
    (source,) = re.findall(
        r"^```python\n(def self_attention.*?)\n```", PAGE, re.M | re.S
    )
    lines = source.splitlines()
    assert len(lines) <= 12
    assert max(map(len, lines)) <= LONGEST_LINE
    names = {"np": np, "math": math}
    exec(source, names)
    rng = np.random.default_rng(0)
    X, matrices = rng.normal(size=(2, 5, 6)), rng.normal(size=(4, 6, 6))
    expected = functions("numpy")["multi_head_attention"](
        X, *matrices, n_heads=3, mask=np.tri(5, dtype=bool)
    )
    np.testing.assert_allclose(
        names["self_attention"](X, *matrices, 3), expected, 1e-12
    )


def test_the_page_names_the_functions_that_are_not_among_the_twins():
    (told,) = re.findall(
        r"in `course_attn\.costs`, for both libraries: (.*)\.", PAGE
    )
    used = " ".join(block.rows.get("Course", "") for block in BLOCKS)
    called = {name for name in re.findall(r"(\w+)\(", used) if hasattr(costs, name)}
    assert called == set(re.findall(r"`(\w+)`", told))
    for twin in (in_numpy, in_torch):
        assert not any(hasattr(twin, name) for name in called)


@pytest.mark.parametrize("side", LIBRARIES.values(), ids=LIBRARIES)
def test_merging_two_parts_without_keys_gives_a_part_without_keys(side):
    (block,) = [b for b in BLOCKS if b.title == "Merge two partial results"]
    empty = {"m": np.full(5, -np.inf), "l": np.zeros(5), "o": np.zeros((5, 13))}
    given = {
        f"{name}{k}": side.own(value)
        for name, value in empty.items()
        for k in (1, 2)
    }
    names = {"np": np, "torch": torch} | given
    exec(block.code(side.label), names)
    for name, value in empty.items():
        np.testing.assert_array_equal(side.numbers(names[name]), value)


@pytest.mark.filterwarnings("error")
def test_linear_attention_does_not_overflow():
    (block,) = [b for b in BLOCKS if b.title == "Linear attention"]
    found = run(block, block.rows["NumPy"], "numpy")
    names = {"np": np} | {name: 1000 * found[name] for name in ("Q", "K", "V")}
    exec(block.rows["NumPy"], names)
    assert np.isfinite(names["out"]).all()


def test_only_blocks_with_another_check_do_without_the_course():
    without = {b.title for b in BLOCKS if "Course" not in b.rows}
    assert without == set(WITHOUT_THE_COURSE)


@pytest.mark.parametrize("title", WITHOUT_THE_COURSE)
def test_what_the_course_has_no_function_for_is_right(title):
    (block,) = (b for b in BLOCKS if b.title == title)
    (name,) = results(block.code("NumPy"))
    expected = WITHOUT_THE_COURSE[title](inputs_of(block))
    found = run(block, block.code("NumPy"), "numpy")[name]
    np.testing.assert_allclose(found, expected, 1e-12)


def shapes_said(block: Block) -> dict[str, str]:
    """Return the shapes that a block states, by the names of the arrays."""
    stated = re.findall(
        r"((?:`\w+`(?:, | and ))*`\w+`) \(([^)]*)\)", block.rows["Shapes"]
    )
    return {
        name: dims.replace(",", " ").replace(" · ", "*")
        for names, dims in stated
        for name in re.findall(r"`(\w+)`", names)
    }


@every_block
def test_the_shapes_are_those_stated(block):
    for library, side in LIBRARIES.items():
        found = run(block, block.code(side.label), library)
        for name, dims in shapes_said(block).items():
            # Names that the code gives a new value, such as K in a step with a cache, have the new.
            assert name in found, (library, name)
            shape = tuple(found[name].shape)
            assert shape == shape_of(dims, sizes_of(block)), (library, name)


# What the page must have


def test_every_chapter_has_its_section_in_order():
    assert [heading.strip() for heading, _ in SECTIONS] == [*map(title, CHAPTERS)]
    for path, (_, section) in zip(CHAPTERS, SECTIONS, strict=True):
        assert f"\n[Read the chapter]({path.name})\n" in section


def test_every_formula_has_its_rows_in_order():
    assert len(BLOCKS) == PAGE.count("\n$$\n\nEquation\n: ") > 0
    assert len(BLOCKS) + len(CHAPTERS) == PAGE.count("\n### ")
    assert len({block.title for block in BLOCKS}) == len(BLOCKS)
    for block in BLOCKS:
        names = [part for name in block.rows for part in name.split(", ")]
        assert names == [row for row in ROWS if row in names], block.title
        assert {*ROWS} - {"Course"} <= {*names}, block.title
        assert len(block.rows["Pitfall"].split()) <= 22, block.title


def test_every_formula_refers_to_an_equation_of_its_chapter():
    labels = {claim.label: claim.chapter for claim in claims()}
    for path, (_, section) in zip(CHAPTERS, SECTIONS, strict=True):
        named = re.findall(r"(?<=\(#)eq-[^)]+|(?<=\{prf:ref\}`)[^`]+", section)
        order = [p.stem for p in CHAPTERS]
        assert {labels[label] for label in named} <= {
            *order[: order.index(path.stem) + 1]
        }
        assert sum(labels[label] == path.stem for label in named) >= 4
    for block in BLOCKS:
        assert "](#eq-" in block.rows["Equation"], block.title


@every_block
def test_lines_of_code_fit_the_page(block):
    for row in ("NumPy", "PyTorch", BOTH):
        for line in block.rows.get(row, "").splitlines():
            assert len(line) <= LONGEST_LINE, line
