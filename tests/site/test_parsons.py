"""Lines to put in order, from disk: by mouse, touch and keys; and a solution shown line by line."""

import json
import random
from functools import cache
from itertools import permutations

import numpy as np
import pytest

from book._parts.parsons.lines import orders, solution_steps
from book._parts.parsons.parsons import parsons_of
from course_attn.exercises import catalog, check
from tests.site.bare import bare_page
from tests.site.soundness import accessibility_violations, page_errors
from tests.support.gestures import swipe
from tests.support.sampled import every
from tests.support.scripts import path_of
from tools.deno import deno

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")

NAMES = {"parsons.js": "parsonsProblem, revealLines"}
AROUND = (
    '<div class="attn-panel" id="place"></div><button>After</button>'
    '<div style="height: 90vh">The page goes on.</div>'
)
START = """data => {
  globalThis.copied = []; globalThis.checked = [];
  globalThis.problem = parsonsProblem(document.querySelector("#place"), data, {
    onSolved: (text) => copied.push(text), onCheck: (right) => checked.push(right),
  });
}"""
REVEAL = """lines => {
  globalThis.shown = [];
  revealLines(document.querySelector("#place"), lines, {onShown: (...now) => shown.push(now)});
}"""


@cache
def data_of(name):
    return parsons_of(catalog.find(name)).as_data(name)


def steps_of(name):
    return solution_steps(catalog.find(name).source)


class Opened:
    """A problem in a bare page."""

    def __init__(self, page, data):
        self.page, self.keys = page, page.keyboard
        self.data = data
        self.pool = page.get_by_role("list", name="Lines to choose from")
        self.answer = page.get_by_role("list", name="Your answer")
        self.said = page.get_by_role("status")

    def line(self, text, list=None):
        """The button of a line."""
        exact = self.page.get_by_role("button", name=text, exact=True)
        return (list or self.page.locator("#place")).locator(exact)

    def texts(self, list):
        return [
            "\n".join(row.strip() for row in text.strip().split("\n"))
            for text in list.locator(".attn-line code").all_text_contents()
        ]

    def put(self, *texts):
        """Press some lines, one after the other."""
        for text in texts:
            self.line(text, self.pool).click()

    def tool(self, name):
        return self.page.get_by_role("button", name=name, exact=True)

    def check(self):
        self.tool("Check the order").click()
        return self.said.inner_text()

    @property
    def right(self):
        """The lines of the solution below its head."""
        return [line["text"] for line in self.data["lines"] if not line["fixed"]]


@pytest.fixture
def opened(open_tab, tmp_path):
    """Open a problem."""

    def open_it(data, theme="light", start=START, **settings):
        address = bare_page(tmp_path, NAMES, AROUND, theme=theme, vendor=False)
        view = {"viewport": {"width": 1000, "height": 800}} | settings
        page = open_tab(address, **view)
        page.evaluate(start, data)
        return Opened(page, data)

    return open_it


# --- what is right --------------------------------------------------------------------------------

JUDGE = """
const { judgeOrder } = await import(Deno.args[0]);
const [data, orders] = await new Response(Deno.stdin.readable).json();
console.log(JSON.stringify(orders.map((order) => judgeOrder(data, order))));"""


def judged(data, orders):
    """What the page says of some orders."""
    script = path_of("parsons_order.js").as_uri()
    text = json.dumps([data, orders])
    ran = deno("eval", "--no-remote", JUDGE, script, text=text)
    assert not ran.returncode, ran.stderr
    return json.loads(ran.stdout)


SMALL = (
    "softmax",
    "project_qkv",
    "entropy",
    "masked_block",
    "score_variance",
    "layer_norm",
)
WITH_BLOCKS = (
    "find_leak",
    "is_equivariant",
    "Stack",
    "cosine_scores",
    "LearnedPositions",
)


@pytest.mark.parametrize("name", SMALL + WITH_BLOCKS)
def test_page_accepts_the_orders_that_python_accepts(name):
    problem = parsons_of(catalog.find(name))
    accepted = {
        tuple(line.number for line in order)
        for order in orders(problem.lines, problem.needs)
    }
    first, *others = [line.number for line in problem.lines]
    rng = random.Random(0)
    tried = (
        [(first, *order) for order in permutations(others)]
        if len(others) < 6
        else [(first, *rng.sample(others, len(others))) for _ in range(500)]
    )
    some = [*accepted, *tried]
    verdicts = judged(problem.as_data(name), some)
    found = {
        order
        for order, verdict in zip(some, verdicts, strict=True)
        if verdict["right"]
    }
    assert found == accepted
    sentences = [verdict["says"] for verdict in verdicts if not verdict["right"]]
    assert sentences and all(said.startswith("Line ") for said in sentences)


# --- by mouse -------------------------------------------------------------------------------------


def test_lines_pressed_in_a_right_order_are_right_and_can_be_copied(opened):
    given = opened(data_of("softmax"))
    assert given.texts(given.answer) == ["def softmax(scores):"]
    assert not given.tool("Copy into the editor").is_visible()
    given.put(*given.right)
    assert given.check() == "Right: these lines, in this order, solve the exercise."
    given.tool("Copy into the editor").click()
    (text,) = given.page.evaluate("copied")
    namespace = {"np": np}
    exec(text, namespace)
    assert check(namespace["softmax"]).passed
    assert given.page.evaluate("checked") == [True]


def test_what_was_right_is_open_again_after_a_change(opened):
    given = opened(data_of("project_qkv"))
    given.put(*given.right)
    given.check()
    given.line(given.right[2], given.answer).click()
    assert given.tool(
        "Copy into the editor"
    ).is_visible()  # nothing has changed yet
    given.tool("Move up").click()
    assert not given.tool("Copy into the editor").is_visible()
    assert given.said.inner_text() == f"{given.right[2]} is line 3 now."


def test_wrong_line_is_marked_until_something_changes(opened):
    given = opened(data_of("softmax"))
    wrong = given.data["wrong"][0]
    given.put(given.right[0], wrong["text"])
    said = given.check()
    assert said == f"Line 3 does not belong here. {wrong['says']}".replace("`", "")
    assert given.answer.locator(".attn-off").count() == 1
    given.tool("Take out").click()
    assert given.answer.locator(".attn-off").count() == 0
    assert given.texts(given.pool)[-1] == wrong["text"]


def drag(given, source, target, steps=8):
    """Drag one element onto another with the mouse, but do not let go."""
    box, end = source.bounding_box(), target.bounding_box()
    given.page.mouse.move(box["x"] + 120, box["y"] + box["height"] / 2)
    given.page.mouse.down()
    y = end["y"] + end["height"] * 0.9
    given.page.mouse.move(end["x"] + 130, y, steps=steps)


def test_lines_are_dragged_in_around_and_out(opened):
    given = opened(data_of("softmax"), viewport={"width": 1000, "height": 1100})
    one, two, *_ = given.right
    drag(given, given.line(two), given.line("def softmax(scores):"))
    given.page.mouse.up()
    assert given.texts(given.answer)[1:] == [two]
    assert given.said.inner_text() == f"{two} is line 2 now."
    drag(given, given.line(one), given.line(two))
    given.page.mouse.up()
    assert given.texts(given.answer)[1:] == [two, one]
    drag(given, given.line(one), given.line("def softmax(scores):"))
    given.page.mouse.up()
    assert given.texts(given.answer)[1:] == [one, two]
    drag(given, given.line(two), given.pool.locator("li").first)
    given.page.mouse.up()
    assert given.texts(given.answer)[1:] == [one]
    assert two in given.texts(given.pool)
    assert "among the lines to choose from" in given.said.inner_text()


def test_drag_above_the_head_ends_below_it(opened):
    given = opened(
        data_of("SelfAttention"), viewport={"width": 1000, "height": 1400}
    )
    last = given.right[-1]
    drag(given, given.line(last), given.line("super().__init__()"))
    box = given.answer.bounding_box()
    given.page.mouse.move(box["x"] + 130, box["y"] + 2)
    given.page.mouse.up()
    assert given.texts(given.answer)[3] == last


def test_drag_that_is_given_up_changes_nothing(opened):
    given = opened(data_of("softmax"), viewport={"width": 1000, "height": 1100})
    before = given.texts(given.pool)
    drag(given, given.line(given.right[0]), given.line("def softmax(scores):"))
    assert given.texts(given.pool) != before
    given.keys.press("Escape")
    assert given.texts(given.pool) == before
    given.page.mouse.up()
    assert given.texts(given.pool) == before


# --- by touch -------------------------------------------------------------------------------------


def in_steps(start, end):
    """Return the points by which a finger goes from one to another."""
    return [
        tuple(a + (b - a) * i / 10 for a, b in zip(start, end, strict=True))
        for i in range(11)
    ]


PHONE = {
    "viewport": {"width": 360, "height": 740},
    "has_touch": True,
    "is_mobile": True,
}


def test_lines_are_tapped_and_dragged_by_their_grip(opened):
    given = opened(data_of("init_projection"), **PHONE)
    one, two, three = given.right
    for text in (two, one):
        given.line(text).tap()
    assert given.texts(given.answer)[1:] == [two, one]
    given.line(two).scroll_into_view_if_needed()
    grip = given.line(one).locator(".attn-grip").bounding_box()
    head = given.line(two).bounding_box()
    x, y = grip["x"] + 10, grip["y"] + 10
    swipe(given.page, *in_steps((x, y), (x, head["y"] + 4)))
    assert given.texts(given.answer)[1:] == [one, two]
    given.page.wait_for_timeout(300)  # after a drag no finger taps at once
    given.line(two).tap()
    given.line(three).tap()
    given.page.wait_for_function("document.querySelectorAll('ol li').length === 4")
    given.tool("Check the order").tap()
    given.page.wait_for_function("checked.length")
    assert given.said.inner_text().startswith("Right:")


def test_finger_on_the_code_scrolls_the_page(opened):
    given = opened(data_of("SelfAttention"), **PHONE)
    before = given.texts(given.pool)
    code = given.pool.locator("code").nth(4).bounding_box()
    x, y = code["x"] + 60, code["y"] + 10
    swipe(given.page, *in_steps((x, y), (x, y - 200)))
    given.page.wait_for_function("scrollY > 50")
    assert given.texts(given.pool) == before


# --- by keys --------------------------------------------------------------------------------------


FOCUSED = """() => {
  const focused = document.activeElement;
  return (focused.querySelector("code") ?? focused).textContent.trim();
}"""


def go_to(given, text):
    """Go to a line by the arrow keys."""
    all_lines = given.texts(given.pool) + given.texts(given.answer)
    by = all_lines.index(text) - all_lines.index(given.page.evaluate(FOCUSED))
    for _ in range(abs(by)):
        given.keys.press("ArrowDown" if by > 0 else "ArrowUp")
    assert given.page.evaluate(FOCUSED) == text


def test_everything_can_be_done_by_keys(opened):
    given = opened(data_of("project_qkv"))
    given.keys.press("Tab")
    for text in given.right:
        go_to(given, text)
        given.keys.press("Enter")
    assert given.texts(given.answer)[1:] == given.right
    *_, third, last = given.right
    go_to(given, last)
    given.keys.press("Alt+ArrowUp")
    assert given.texts(given.answer)[3:] == [last, third]
    assert given.page.evaluate(FOCUSED) == last
    assert given.said.inner_text() == f"{last} is line 4 now."
    given.keys.press("Shift+ArrowDown")
    given.keys.press("ArrowUp")
    given.keys.press("Delete")
    assert third in given.texts(given.pool)
    go_to(given, third)
    given.keys.press("Space")
    for name in ("Check the order", "Copy into the editor"):
        while given.page.evaluate(FOCUSED) != name:
            assert given.page.evaluate(FOCUSED) != "After"
            given.keys.press("Tab")
        given.keys.press("Enter")
    assert given.said.inner_text().startswith("Right:")
    assert len(given.page.evaluate("copied")) == 1


def test_a_key_acts_on_the_line_with_the_focus(opened):
    given = opened(data_of("project_qkv"))
    upper, lower = given.right[:2]
    given.put(upper, lower)
    given.line(lower, given.answer).click()
    # As a screen reader does it: the focus moves, and neither a key nor a pointer marked the line.
    given.line(upper, given.answer).evaluate(
        "line => line.focus({ focusVisible: false })"
    )
    given.keys.press("Delete")
    assert given.texts(given.answer)[1:] == [lower]
    given.line(upper, given.pool).focus()
    given.keys.press("Delete")
    assert given.texts(given.answer)[1:] == [lower]


def test_tab_stops_at_each_list_once_and_leaves(opened):
    given = opened(data_of("SelfAttention"))
    given.put(given.right[0])
    given.page.locator("h1").click()
    stops = []
    while len(stops) < 12 and stops[-1:] != ["After"]:
        given.keys.press("Tab")
        stops.append(given.page.evaluate(FOCUSED))
    in_answer = [given.right[0], "↑", "↓", "✕"]
    assert stops[1:] == [*in_answer, "Check the order", "Start over", "After"]


# --- classes and blocks ---------------------------------------------------------------------------


def test_lines_of_a_class_go_into_the_method_whose_head_is_marked(opened):
    given = opened(data_of("LearnedPositions"))
    texts = given.right
    given.put(texts[0])
    given.line("def forward(self, X):").click()
    given.put(*texts[1:])
    assert given.check().startswith("Right:")
    given.tool("Copy into the editor").click()
    (text,) = given.page.evaluate("copied")
    assert "\n\n    def forward(self, X):\n        n = X.shape[-2]\n" in text
    torch = pytest.importorskip("torch")
    namespace = {"torch": torch}
    exec(text, namespace)
    assert check(namespace["LearnedPositions"]).passed


# --- starting, and starting over ------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", every(3, ["softmax", "causal_mask", "SelfAttention"])
)
def test_pool_is_shuffled_in_the_same_way_each_time_and_never_solved(opened, name):
    one, other = opened(data_of(name)), opened(data_of(name))
    assert one.texts(one.pool) == other.texts(other.pool)
    assert sorted(one.texts(one.pool)) == sorted(
        "\n".join(row.strip() for row in text.split("\n"))
        for text in [*one.right, *(wrong["text"] for wrong in one.data["wrong"])]
    )
    in_pool = [text for text in one.texts(one.pool) if text in one.right]
    assert in_pool != one.right


def test_start_over_puts_every_line_back(opened):
    given = opened(data_of("softmax"))
    before = given.texts(given.pool)
    given.put(*given.right[::-1])
    given.check()
    given.tool("Start over").click()
    assert given.texts(given.pool) == before
    assert given.texts(given.answer) == ["def softmax(scores):"]
    assert given.said.inner_text() == "All lines are back where they were."
    given.put(given.right[0])
    given.page.evaluate("problem.reset()")
    assert given.texts(given.pool) == before


def test_empty_answer_and_empty_pool_are_told(opened):
    given = opened(data_of("softmax"))
    assert given.check() == "Nothing is chosen yet. Press a line to put it in."
    given.put(*given.texts(given.pool))
    assert given.texts(given.pool) == []
    assert given.pool.evaluate("e => getComputedStyle(e, '::before').content") == (
        '"No line is left."'
    )


# --- how it looks ---------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", every(2, ["light", "dark"]))
@pytest.mark.parametrize("width", [360, 1000])
@pytest.mark.parametrize(
    "name", every(2, ["SelfAttention", "multi_head_attention"])
)
def test_problem_is_sound_in_both_themes_on_every_width(opened, theme, width, name):
    given = opened(data_of(name), theme, viewport={"width": width, "height": 800})
    given.put(given.right[0], given.data["wrong"][0]["text"])
    given.check()
    assert not page_errors(given.page)
    assert not accessibility_violations(given.page)
    assert given.page.evaluate("document.documentElement.scrollWidth") <= width
    for row in given.page.locator(".attn-line").all():
        assert row.bounding_box()["height"] >= 24


def test_text_is_never_markup(opened):
    data = data_of("softmax") | {"lines": [*data_of("softmax")["lines"]]}
    data["lines"][1] = data["lines"][1] | {"text": "<img src=x onerror=alert(1)>"}
    data["wrong"] = [data["wrong"][0] | {"says": "Is `<b>` *or* <i> it?"}]
    data["pool"] = [1, 2, 3, 4, 5, data["wrong"][0]["id"]]
    given = opened(data)
    given.put("<img src=x onerror=alert(1)>", data["wrong"][0]["text"])
    assert given.check().endswith("Is <b> or <i> it?")
    assert given.page.locator("#place :is(img, b, i)").count() == 0
    assert given.said.locator("code, em").all_inner_texts() == ["<b>", "or"]


def test_problem_and_solution_are_left_out_on_paper(opened):
    given = opened(data_of("softmax"))
    given.page.emulate_media(media="print")
    assert not given.pool.is_visible()


# --- a solution line by line ----------------------------------------------------------------------


def test_solution_is_shown_one_line_more_at_a_time(opened):
    lines = steps_of("entropy")
    given = opened(lines, start=REVEAL)
    code = given.page.locator("#place pre")
    assert code.inner_text().strip() == "def entropy(weights):"
    given.tool("Show one more line").click()
    assert code.inner_text() == "\n".join(lines[:2])
    assert given.said.inner_text().startswith(
        f"Line 2 of {len(lines)}: # log 1 = 0"
    )
    given.tool("Show all").click()
    assert code.inner_text() == "\n".join(lines)
    assert given.said.inner_text() == "All lines are shown."
    assert given.tool("Show one more line").get_attribute("aria-disabled") == "true"
    given.tool("Show one more line").click(force=True)
    assert code.inner_text() == "\n".join(lines)
    given.tool("Hide").click()
    assert code.inner_text() == lines[0]
    shown = given.page.evaluate("shown")
    assert shown == [[2, len(lines)], [len(lines), len(lines)], [1, len(lines)]]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_solution_is_sound_on_a_phone_and_never_markup(opened, theme):
    lines = [*steps_of("multi_head_attention"), "    <b>x</b>"]
    given = opened(lines, theme, REVEAL, viewport={"width": 360, "height": 740})
    given.tool("Show all").click()
    assert given.page.locator("#place b").count() == 0
    assert not page_errors(given.page)
    assert not accessibility_violations(given.page)
    assert given.page.evaluate("document.documentElement.scrollWidth") <= 360
