"""Exercises checked in the browser, from disk: the engine's verdicts, and whatever goes wrong."""

import json
from pathlib import Path

import pytest

from book._parts.exercise import on_page
from course_attn.exercises import catalog
from tests.exercises.answers import answers_that_are
from tests.site.page_python import (
    NUMPY,
    asking,
    check_of,
    needs_runtime,
    page_with_python,
    runs_without_torch,
    text_of,
)
from tests.support.sampled import every

pytestmark = needs_runtime
RIGHT, WRONG = answers_that_are("right"), answers_that_are("wrong")
BROWSERS = ["chromium", "firefox"]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    return page_with_python(tmp_path_factory.mktemp("python"))


class InChromium:
    """A page in Chromium, as `Firefox` is one: opened from disk, with what goes wrong noted."""

    def __init__(self, browser) -> None:
        self._page = browser.new_page()
        self._errors: list[str] = []
        self._page.on("pageerror", lambda error: self._errors.append(str(error)))
        self._page.on("request", lambda request: self._note(request.url))

    def _note(self, url: str) -> None:
        if not url.startswith(("file:", "data:", "blob:")):
            self._errors.append(f"asked for: {url}")

    def open(self, url: str) -> None:
        self._page.goto(url)

    def evaluate(self, js: str) -> object:
        return self._page.evaluate(js)

    def errors(self) -> list[str]:
        found, self._errors = self._errors, []
        return found

    def close(self) -> None:
        self._page.close()


@pytest.fixture
def opened(request, page):
    """Give the page in the browser that the test names."""
    if request.param == "firefox":
        found = request.getfixturevalue("firefox")
    else:
        found = InChromium(request.getfixturevalue("browser"))
    found.open(page)
    yield found
    assert found.errors() == []
    if request.param == "chromium":
        found.close()


# Each browser starts Python once for all of them.
@pytest.mark.slow
@pytest.mark.parametrize("opened", every(2, BROWSERS), indirect=True)
def test_every_exercise_is_judged_in_the_browser(opened):
    for name in NUMPY:
        exercise = catalog.find(name)
        right = text_of(exercise.solution, name)
        verdict = opened.evaluate(asking(check_of(name, right)))
        assert verdict.get("status") == "right", f"{name}: {verdict}"
        patched = [
            fault for fault in getattr(exercise, "faults", ()) if fault.patches
        ]
        for fault in patched[:1]:
            wrong = right.replace(exercise.source, exercise.wrong_source(fault))
            assert wrong != right
            verdict = opened.evaluate(asking(check_of(name, wrong)))
            assert fault.id in verdict.get("faults", ()), f"{name}: {verdict}"


def verdicts_agree(opened, answers) -> None:
    """Compare what the page says with what a notebook says.

    A browser beside busy processes may run out of time, and then says so: one in fifty may.
    """
    late = 0
    for name, answer in answers:
        text = text_of(answer.function, name)
        here = on_page.checked(name, text)
        there = opened.evaluate(asking(check_of(name, text)))
        is_late = known(there) == ("wrong", ["no-time"])
        late += is_late
        assert is_late or known(there) == known(here), (
            f"{name}, {answer.name}: {there.get('text', there)}\n{here['text']}"
        )
    assert 50 * late <= len(answers)


def known(verdict) -> tuple:
    """Return the status of a verdict, and the mistakes that were recognized."""
    faults = verdict.get("faults", ())
    return verdict.get("status"), [f for f in faults if not f.startswith("mend-")]


ALL = [
    (name, answer)
    for name in NUMPY
    for answers in (RIGHT, WRONG)
    for answer in answers[name].values()
    # Compares the bits of sums, which another processor may add in another order.
    if runs_without_torch(answer) and answer.name != "ip_blind_equal_bits"
]


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("opened", ["chromium"], indirect=True)
def test_a_sample_of_verdicts_agrees_with_the_notebooks(opened):
    verdicts_agree(opened, ALL[7::40])


@pytest.mark.exhaustive
@pytest.mark.parametrize("opened", ["chromium", "firefox"], indirect=True)
@pytest.mark.parametrize("part", range(10))
def test_all_verdicts_agree_with_the_notebooks(opened, part):
    verdicts_agree(opened, ALL[part::10])


SLOW = """\
def init_projection(rng, d_in, d_out):
    W = np.empty((d_in, d_out))
    for i in range(d_in):
        for j in range(d_out):
            W[i, j] = rng.normal() / d_in**0.5
    return W
"""
CALLS = """\
def softmax(scores):
    def without_end(n):
        return without_end(n - 1) + without_end(n - 2) if n > 1 else 1
    return without_end(100) * scores
"""


@pytest.mark.exhaustive
@pytest.mark.parametrize("opened", BROWSERS, indirect=True)
def test_loops_that_end_have_their_time_and_calls_without_end_do_not(opened):
    verdict = opened.evaluate(asking(check_of("init_projection", SLOW)))
    assert verdict["status"] == "right", verdict["text"]
    verdict = opened.evaluate(asking(check_of("softmax", CALLS)))
    assert verdict["faults"] == ["endless"], verdict["text"]


RIGHT_SOFTMAX = """\
def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)
"""


@pytest.mark.exhaustive
@pytest.mark.parametrize("opened", BROWSERS, indirect=True)
def test_the_page_outlives_what_an_answer_does(opened):
    loop = f"while True:\n    pass\n{RIGHT_SOFTMAX}"
    verdict = opened.evaluate(asking(check_of("softmax", loop)))
    assert verdict["status"] == "crashed" and "endless loop" in verdict["text"]
    # One step of C, which nothing within Python can stop.
    stuck = f"sum(range(10 ** 12))\n{RIGHT_SOFTMAX}"
    one = asking(check_of("softmax", stuck), seconds=5)
    other = asking(check_of("softmax", RIGHT_SOFTMAX))
    answers = opened.evaluate(f"Promise.all([{one}, {other}])")
    assert answers[0]["trouble"] == "slow" and answers[1]["status"] == "right"
    much = f"much = [np.empty(10 ** 8) for _ in range(9)]\n{RIGHT_SOFTMAX}"
    answer = opened.evaluate(asking(check_of("softmax", much)))
    assert "memory" in json.dumps(answer).lower()
    verdict = opened.evaluate(asking(check_of("softmax", RIGHT_SOFTMAX)))
    assert verdict["status"] == "right"


def test_without_its_files_python_says_that_it_cannot_start(
    browser, tmp_path: Path
):
    page = page_with_python(tmp_path)
    (tmp_path / "_static" / "live" / "python.js").unlink()
    opened = InChromium(browser)
    opened.open(page)
    answer = opened.evaluate(asking(check_of("softmax", "")))
    assert (
        answer["trouble"] == "unavailable"
        and "not beside this page" in answer["said"]
    )
    opened.close()
