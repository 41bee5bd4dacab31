"""One number followed through a model: its arrays are the package's, and what it writes is true."""

import math
import re
from collections.abc import Iterator

import numpy as np
import pytest
import torch

from course_attn import in_numpy as npy
from course_attn import in_torch as pt
from course_attn.chapters.follow.widgets.follow import CHAPTERS, SECTIONS, follow
from course_attn.chapters.follow.widgets.follow_steps import (
    Read,
    Step,
    Table,
    Target,
    arrays_of,
    steps_of,
)
from course_attn.chapters.follow.widgets.follow_sums import (
    normalization,
    products,
    share,
)
from tests.support.output import data_of
from tests.support.tiny_gpt import CHARACTERS, TEXT, drawn, tokens_of
from tools.book import BOOK, markdown, pages, title

Followed = tuple[dict[str, Table], list[Step]]


@pytest.fixture(scope="module", params=[1, 2, 3])
def followed(request) -> Followed:
    """Return the tables and steps of a drawn model."""
    return steps_of(TEXT, drawn(request.param), n_heads=2, characters=CHARACTERS)


def entries(followed: Followed) -> Iterator[tuple[Step, Target, int, int, float]]:
    """Yield every entry that a step writes."""
    tables, steps = followed
    for step in steps:
        for target in step.targets:
            for (i, j), x in np.ndenumerate(tables[target.table].values):
                yield step, target, i, j, float(x)


# What a sum says

_SIGNS = {"−": "-", "·": "*", "÷": "/", "²": "**2", "∞": "inf", "e^": "E**"}


def value(expression: str) -> float:
    """Compute what a piece of a sum says."""
    expression = re.sub(r"√(\d+|\()", r"sqrt*\1", expression)
    for sign, python in _SIGNS.items():
        expression = expression.replace(sign, python)
    names = {"E": Power(), "sqrt": Root(), "Φ": below, "inf": math.inf}
    return float(eval(expression, {"__builtins__": {}}, names))


class Power:
    """The number e, of which powers are taken; e^(-inf) is 0."""

    def __pow__(self, x: float) -> float:
        return math.exp(x)


class Root:
    """A square root sign, which stands before a number."""

    def __mul__(self, x: float) -> float:
        return math.sqrt(x)

    def __rtruediv__(self, x: float) -> "Over":
        return Over(x)


class Over(float):
    """A number over the square root of what follows."""

    def __mul__(self, x: float) -> float:
        return float(self) / math.sqrt(x)


def below(x: float) -> float:
    return (1 + math.erf(x / math.sqrt(2))) / 2


def rounded_by(text: str) -> float:
    """Return by how much a written number may be off."""
    decimals = len(text.partition(".")[2])
    return 0.5 * 10**-decimals + 1e-9


def lines(text: str) -> list[tuple[list[str], list[str]]]:
    """Return the pieces of each line, and the signs between them."""
    found = []
    for line in text.split("\n"):
        chain = re.sub(r"^(mean|variance|result): ", "", line)
        found.append((re.split(r" [=≈] ", chain), re.findall(r" ([=≈]) ", chain)))
    return found


def test_value_reads_what_is_written():
    assert value("2·(3 − 2) ÷ √(4 + 0) + 0.5") == 1.5
    assert value("−1.5 ÷ √4") == -0.75
    assert value("e^0 ÷ (e^0 + e^(−∞))") == 1
    assert value("(1 − (−1))² + 1²") == 5
    assert value("0·Φ(0)") == 0 and value("1·Φ(0)") == 0.5


def test_every_sum_is_true_as_it_is_written(followed):
    tables, _ = followed
    n = 0
    for _, target, i, j, x in entries(followed):
        for pieces, signs in lines(target.sums[i][j]):
            values, last = [value(piece) for piece in pieces], pieces[-1]
            for found, after, sign in zip(values, values[1:], signs, strict=False):
                # Equal where it says so, and else what the last is, once it is rounded.
                if math.isinf(values[-1]):
                    assert found == after and sign == "="
                elif sign == "=":
                    assert abs(found - after) < 1e-9, target.sums[i][j]
                else:
                    assert abs(found - after) > 1e-13, target.sums[i][j]
                    assert abs(found - values[-1]) <= rounded_by(last), target.sums[
                        i
                    ][j]
        assert last == (f"{x:z.2f}".replace("-", "−").replace("inf", "∞"))
        n += 1
    assert n == sum(
        tables[t.table].values.size for step in followed[1] for t in step.targets
    )


def numbers(text: str) -> list[float]:
    """Return the numbers in a piece, in their order."""
    found = re.findall(r"(?:(?<=\()−|^−)?(?:\d+(?:\.\d+)?|∞)", text)
    return [float(x.replace("−", "-").replace("∞", "inf")) for x in found]


def places(given, i: int, j: int, n: int) -> range:
    """Return which rows or columns are read, as the page does."""
    if isinstance(given, tuple):
        return range(*given)
    if given == "*":
        return range(n)
    start = {"i": i, "j": j, "t": tokens_of(TEXT)[i]}[given[0]]
    k = int(start) + int(given[1:] or 0)
    assert 0 <= k < n
    return range(k, k + 1)


def numbers_read(read: Read, tables, i: int, j: int) -> list[float]:
    values = tables[read.table].values
    rows, columns = (
        places(given, i, j, n)
        for given, n in zip((read.rows, read.columns), values.shape, strict=True)
    )
    return [float(values[r, c]) for r in rows for c in columns]


def test_what_is_lit_is_what_the_sum_has(followed):
    tables, _ = followed
    for step, target, i, j, _ in entries(followed):
        read = [numbers_read(one, tables, i, j) for one in target.reads]
        pieces = [line[0] for line in lines(target.sums[i][j])]
        said = numbers(pieces[0][0])
        if "norm" in step.name:
            row, gain, bias = read
            end = numbers(pieces[2][0])
            assert said.pop() == len(row)
            said, read = [*said, end[0], end[-1]], [row, gain, bias]
        elif step.name in ("softmax", "probabilities"):
            assert said[0] == said[1 + j]
            said = said[1:]
        elif step.name == "scaling":
            assert said.pop() == 2
        elif step.name == "activation":
            assert said[0] == said.pop()
        elif len(read) > 1 and len(read[0]) > 1:
            x, y, *plus = read
            pairs = [number for pair in zip(x, y, strict=True) for number in pair]
            read = [pairs, *plus]
        wanted = [number for part in read for number in part]
        np.testing.assert_allclose(
            said, wanted, atol=0.00501, err_msg=str(step.name)
        )


def test_a_sum_that_its_numbers_do_not_give_is_refused():
    with pytest.raises(ValueError, match="result must be what the numbers give"):
        products([1.0, 2.0], [3.0, 4.0], 11.5)
    with pytest.raises(ValueError, match="result must be"):
        share([0.0, 1.0], 0, 0.5)
    with pytest.raises(ValueError, match="result must be"):
        normalization([1.0, 3.0], 0, 1.0, 0.0, 0.0, 1.0)


# The arrays


@pytest.mark.parametrize("n_heads", [1, 2, 4])
def test_arrays_of__are_what_the_package_computes_in_one_go(n_heads):
    params, tokens = drawn(7), tokens_of("yapp ")
    a = arrays_of(tokens, params, n_heads=n_heads)
    place = "transformer.blocks.0."
    W = {w: params[f"{place}attention.{w}"] for w in ("W_Q", "W_K", "W_V", "W_O")}
    attended = npy.multi_head_attention(
        a["LN_1"], **W, n_heads=n_heads, causal=True
    )
    block = W | {
        w: params[f"{place}feed_forward.{w}"] for w in ("W_1", "b_1", "W_2", "b_2")
    }
    for k in ("1", "2"):
        for name in ("gain", "bias"):
            block[f"{name}_{k}"] = params[f"{place}norm_{k}.{name}"]
    Y = npy.transformer_block(
        a["X"], block, n_heads=n_heads, causal=True, activation=npy.gelu
    )
    close = {"rtol": 1e-12, "atol": 1e-12}
    np.testing.assert_allclose(a["attended"], attended, **close)
    np.testing.assert_allclose(a["Y"], Y, **close)
    logits = npy.gpt(tokens, params, n_heads=n_heads)
    np.testing.assert_allclose(a["logits"], logits, **close)
    np.testing.assert_allclose(a["probs"].sum(axis=-1), 1, **close)


def test_arrays_of__end_as_the_model_in_pytorch_does():
    params, tokens = drawn(8), tokens_of(TEXT)
    sizes = {"n_vocab": 5, "n_context": 5, "n_layers": 1, "d_model": 4, "d_ff": 6}
    model = pt.GPT(pt.GPTConfig(**sizes, n_heads=2)).double()
    model.load_state_dict(
        {name: torch.from_numpy(array) for name, array in params.items()}
    )
    logits, (weights,) = model.forward_with_weights(torch.from_numpy(tokens))
    a = arrays_of(tokens, params, n_heads=2)
    close = {"rtol": 1e-9, "atol": 1e-12}
    np.testing.assert_allclose(a["logits"], logits.detach(), **close)
    np.testing.assert_allclose(a["weights"], weights.detach(), **close)


def test_the_tables_are_the_arrays():
    params = drawn(9)
    tables, steps = steps_of(TEXT, params, n_heads=2, characters=CHARACTERS)
    a = arrays_of(tokens_of(TEXT), params, n_heads=2)
    for name, table in tables.items():
        if name in a:
            np.testing.assert_array_equal(table.values, a[name])
        elif name[:-1] in a and name[-1].isdigit():
            np.testing.assert_array_equal(table.values, a[name[:-1]][int(name[-1])])
        assert table.values.shape == (len(table.rows), len(table.columns))
    written = [target.table for step in steps for target in step.targets]
    assert len(written) == len(set(written))
    shown = {
        *written,
        *(r.table for s in steps for t in s.targets for r in t.reads),
    }
    assert shown == set(tables)
    # What a step reads is given, or was written before.
    known = {name for name, table in tables.items() if table.given} | {"merged"}
    for step in steps:
        for target in step.targets:
            assert {read.table for read in target.reads} <= known
        known |= {target.table for target in step.targets}
    np.testing.assert_array_equal(
        tables["merged"].values,
        np.hstack([tables["heads0"].values, tables["heads1"].values]),
    )


# The page and what leads to it


def slugs() -> list[str]:
    _, steps = steps_of(TEXT, drawn(1), n_heads=2, characters=CHARACTERS)
    return [step.slug for step in steps]


def headings() -> list[str]:
    """Return what links to the steps' headings end in."""
    found = re.findall(r"^### (Step: .+)$", markdown(BOOK / "follow.ipynb"), re.M)
    return [
        re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        for heading in found
    ]


def test_every_step_has_its_code_on_the_page_in_the_same_order():
    assert headings() == slugs() and len(slugs()) == 18


EARLIER = [slug for slug in CHAPTERS if (BOOK / f"{slug}.ipynb").exists()]
TO_STEPS = re.compile(r"\]\(follow\.ipynb(#[\w-]*)?\)")


def test_every_chapter_that_explains_a_step_leads_to_steps_that_are_there():
    explained = {s["slug"]: s["chapter"][0] for s in data_of(page())["steps"]}
    assert len(EARLIER) >= 9 and set(explained.values()) == set(CHAPTERS)
    for path in pages():
        links = [link[1:] for link in TO_STEPS.findall(markdown(path)) if link]
        assert set(links) <= set(explained), path.name
        # The first nine chapters lead to a step of their own; the model that writes, to any.
        chapter = path.parent == BOOK and path.stem in EARLIER
        if chapter and path.stem != "language_model":
            assert path.stem in [explained[link] for link in links]
    assert TO_STEPS.search(markdown(BOOK / "language_model.ipynb"))


def test_chapters_have_the_titles_that_the_steps_say():
    for slug in EARLIER:
        assert title(BOOK / f"{slug}.ipynb") == CHAPTERS[slug]


def test_a_link_of_the_page_leads_to_a_chapter_that_explains_the_step():
    explained = {s["slug"]: s["chapter"][0] for s in data_of(page())["steps"]}
    parts = re.split(r"^### ", markdown(BOOK / "follow.ipynb"), flags=re.M)[1:]
    for part, slug in zip(parts, headings(), strict=True):
        links = re.findall(r"\]\((\w+)\.ipynb", part.split("\n## ")[0])
        assert not links or explained[slug] in links, slug


def test_the_section_that_a_step_names_is_in_its_chapter():
    steps = {s["name"]: s["chapter"] for s in data_of(page())["steps"]}
    assert set(SECTIONS) <= set(steps)
    for name, (slug, _, section) in steps.items():
        assert section == SECTIONS.get(name, "")
        text = markdown(BOOK / f"{slug}.ipynb")
        found = re.findall(r"^##+ (.+)$", text, re.M)
        anchors = [
            re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
            for heading in found
        ]
        assert not section or section in anchors, name


def test_the_code_of_each_step_leads_back_to_the_tables():
    text = markdown(BOOK / "follow.ipynb")
    assert re.findall(r"^## Eighteen steps$", text, re.M)
    parts = re.split(r"^### Step: ", text, flags=re.M)[1:]
    assert len(parts) == 18
    for part in parts:
        assert "[Back to the tables](#eighteen-steps)" in part.split("\n## ")[0]


# The widget


def page(**options):
    given = {
        "text": TEXT,
        "params": drawn(1),
        "n_heads": 2,
        "characters": CHARACTERS,
    }
    given |= {"caption": "Four letters. Try: pick a number."}
    return follow(**(given | options))


EXAMPLES = {"follow": page}


def test_follow_is_small():
    assert len(page()._repr_html_().encode()) < 150_000


def test_a_sum_with_digits_that_the_tables_hide_says_so():
    html, found = page()._repr_html_(), []
    for step, given in zip(
        steps_of(TEXT, drawn(1), n_heads=2, characters=CHARACTERS)[1],
        data_of(page())["steps"],
        strict=True,
    ):
        for target, data in zip(step.targets, given["targets"], strict=True):
            for row, line in zip(target.sums, data["finer"], strict=True):
                for text, finer in zip(row, line, strict=True):
                    numbers = re.findall(r"\d+\.?\d*", text.replace("0.00001)", ""))
                    longest = max(len(x.partition(".")[2]) for x in numbers)
                    assert finer == (longest > 2), text
                    found.append(finer)
    assert 0 in found and 1 in found
    assert " (with more decimals):" in html.partition('class="attn-plain"')[2]


def test_without_its_script_follow_is_a_table_for_each_array_and_one_sum():
    html = page()._repr_html_()
    plain = html.partition('class="attn-plain"')[2].partition("<figcaption")[0]
    tables, steps = steps_of(TEXT, drawn(1), n_heads=2, characters=CHARACTERS)
    captions = re.findall(r"<caption>(.*?)</caption>", plain)
    for step in steps:
        assert f". {step.name.capitalize()}." in plain
        for target in step.targets:
            table = tables[target.table]
            assert captions.count(table.title) == 1
            column = min(step.opened, len(table.columns) - 1)
            assert target.sums[-1][column].replace("\n", "<br>") in plain
    assert {t.title for t in tables.values() if t.given} <= set(captions)
    first = re.search(r"<caption>X</caption>.*?</table>", plain, re.S)[0]
    cells = re.findall(r"<td>([^<]+)</td>", first)
    found = [float(cell.replace("−", "-")) for cell in cells]
    np.testing.assert_allclose(found, tables["X"].values.ravel(), atol=1e-9)


def test_a_letter_that_has_no_picture_has_a_name():
    widget = page(text="p hp")
    assert "space₁" in data_of(widget)["tables"]["X"]["rows"]
    assert data_of(widget)["tables"]["E"]["rows"] == ["space", "a", "h", "p", "y"]


def test_weights_behind_the_mask_are_exactly_0_and_small_ones_are_not():
    params = drawn(1)
    params["transformer.blocks.0.attention.W_Q"] *= 50
    weights = data_of(page(params=params))["tables"]["weights0"]["values"]
    assert all(weights[i][j] == "0" for i in range(4) for j in range(i + 1, 4))
    below = [weights[i][j] for i in range(4) for j in range(i + 1)]
    assert "0.00" in below and "0" not in below


def without(name: str) -> dict[str, np.ndarray]:
    return {key: array for key, array in drawn(1).items() if key != name}


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"text": "a"}, ValueError, "text must be a str of 2 to 6 characters, got 'a'"),
        ({"text": "happy h"}, ValueError, "text must be a str of 2 to 6 characters"),
        ({"text": ["h", "a"]}, ValueError, "text must be a str of 2 to 6"),
        ({"text": "hat"}, ValueError, "text must have characters among ' ahpy' only, got 't'"),
        ({"text": "happyh"}, ValueError, "tokens"),
        ({"characters": " ahpp"}, ValueError, "characters must be a str without repetition"),
        ({"characters": " ahpyz"}, ValueError, "characters must have length 5, .* got 6"),
        ({"n_heads": 3}, ValueError, "n_heads"),
        ({"params": without("embedding")}, Exception, "embedding"),
        ({"params": drawn(1) | {"transformer.blocks.1.norm_1.gain": np.ones(4)}}, ValueError,
         "params must hold one block, got more"),
        ({"params": drawn(1) | {"positions.P": np.zeros((7, 4))}}, ValueError,
         r"params\['positions.P'\] must have at most 6 entries along each axis, got shape"),
        ({"params": drawn(1) | {"positions.P": np.full((5, 4), np.inf)}}, ValueError,
         "params.*must have finite entries only"),
        ({"params": drawn(1) | {"embedding": 400 * drawn(1)["embedding"]}}, ValueError,
         "params must give logits from -500 to 500, got"),
        ({"caption": " "}, ValueError, "caption must say something"),
    ],
)  # fmt: skip
def test_follow_names_an_argument_that_does_not_fit(options, error, message):
    with pytest.raises(error, match=message):
        page(**options)
