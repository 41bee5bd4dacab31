"""The language model that a reader loads into the page: its numbers, its switches, its words."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from course_attn import in_numpy
from course_attn.chapters.language_model.widgets.writing_model import writing_model
from course_attn.weights import load
from tests.chapters.language_model.test_gpt_in_javascript import (
    encoded,
    in_numpy_with,
)
from tests.site.soundness import accessibility_violations, page_errors
from tests.site.visits import DISK, VIEWS, visit
from tests.support.sampled import every
from tests.support.widget_page import (
    PHONE,
    WidgetPage,
    expect,
    page_of_model,
)

KEPT = load("gpt")
N_HEADS, N_CONTEXT = KEPT.config["n_heads"], KEPT.config["n_context"]
WIDE = {name: array.astype(float) for name, array in KEPT.params.items()}
TEXT = 'The "assert" statement is a conv'
LOAD = r"^Load the model \(\d\.\d MB\)"


def written_page(folder: Path, theme: str = "light", *, missing: str = "") -> str:
    """Write a page with the model's picture and what lies beside it; return its address."""
    shown = writing_model(KEPT.params, KEPT.characters, TEXT, n_heads=N_HEADS)
    options = {"theme": theme, "missing": missing}
    return page_of_model(folder, "writing_model", shown, **options)


# The pixels of a canvas, read from a copy: it stays one that is only drawn.
_COPY = """
  const copy = new OffscreenCanvas(e.width, e.height).getContext("2d", {willReadFrequently: true});
  copy.drawImage(e, 0, 0);
  const {data} = copy.getImageData(0, 0, e.width, e.height);
"""


class Writer(WidgetPage):
    """The model in a page as a reader finds it."""

    FIGURE = "figure.attn-live[data-widget='writing_model']"

    @property
    def text(self):
        return self.root.get_by_label("Your text")

    def load(self) -> "Writer":
        self.button(LOAD).click()
        expect(self.text).to_be_visible()
        return self

    def stop_the_clock(self) -> "Writer":
        """From now on, time passes in the page only while somebody waits."""
        self.page.clock.install(time=0)
        self.page.clock.pause_at(1)
        return self

    def wait(self, milliseconds: int) -> None:
        """Let time pass in the page whose clock is stopped."""
        self.page.clock.run_for(milliseconds)

    def says(self, pattern: str) -> str:
        super().says(pattern)
        return self.said.inner_text()

    def click(self, name: str, *, refused: bool = False) -> None:
        """Click on a button, also on one that says that it cannot be used now."""
        button = self.button(f"^{name}$")
        expect(button).to_be_enabled(enabled=not refused)
        button.click(force=refused)

    def switch(self, name: str):
        return self.root.get_by_role("checkbox", name=re.compile(name))

    def head(self, layer: int, head: int):
        return self.button(f"^Block {layer + 1}, head {head + 1}:")

    def probabilities(self) -> list[tuple[str, float]]:
        """Return the characters that the page expects, with their probabilities."""
        found = self.root.locator(".choice").evaluate_all(
            "(all) => all.map((e) => [e.dataset.character, e.querySelector('.model').textContent])"
        )
        numbers = [0.0005 if p == "< 0.001" else float(p) for _, p in found]
        return [
            (character, p) for (character, _), p in zip(found, numbers, strict=True)
        ]

    def expects(self, logits: np.ndarray) -> None:
        """Compare what the page expects with the last row of logits."""
        probs = in_numpy.token_probabilities(logits[-1])
        best = np.argsort(-probs, kind="stable")[:8]
        shown = self.probabilities()
        for (character, p), token in zip(shown, best, strict=True):
            own = probs[KEPT.characters.index(character)]
            assert p == pytest.approx(own, abs=0.00061)
            assert own == pytest.approx(probs[token], abs=1e-4)

    def weights(self, canvas) -> np.ndarray:
        """Return the weights that a map shows, out of its pixels."""
        pixels = canvas.evaluate(f"(e) => {{ {_COPY} return [e.width, ...data]; }}")
        alpha = np.reshape(pixels[1:], (pixels[0], pixels[0], 4))[..., 3]
        return (alpha / 255) ** 2

    @property
    def large(self):
        return self.root.locator(".map canvas")


@pytest.fixture
def opened(browser, tmp_path):
    """Open pages; in the end, find no errors, and nothing asked for but what lies beside them."""
    pages: list[Writer] = []

    def open_one(theme="light", **options) -> Writer:
        address = written_page(tmp_path / str(len(pages)), theme)
        page = browser.new_context(**options).new_page()
        pages.append(Writer(page, address))
        return pages[-1]

    yield open_one
    for number, writer in enumerate(pages):
        assert writer.problems == []
        home = (tmp_path / str(number)).as_uri()
        assert all(url.startswith(home) for url in writer.requests)
        writer.page.context.close()


def run(text: str, **switches) -> tuple[np.ndarray, np.ndarray]:
    return in_numpy_with(encoded(text), WIDE, n_heads=N_HEADS, **switches)


def loss(text: str, logits: np.ndarray) -> float:
    return float(in_numpy.cross_entropy(logits[:-1], encoded(text)[1:]))


# --- before, and without it -----------------------------------------------------------------------


def test_nothing_is_loaded_before_the_reader_asks(opened):
    writer = opened()
    assert [Path(url).name for url in writer.requests] == ["page.html", "live.js"]
    assert writer.root.locator(".attn-plain table").is_visible()
    assert writer.root.locator(".attn-plain svg").is_visible()
    assert "Try: " not in writer.root.inner_text()
    writer.load()
    loaded = [Path(url) for url in writer.requests[2:]]
    assert [path.name for path in loaded] == ["model.js", "writing_model.js"]
    assert writer.root.locator(".attn-plain").is_hidden()
    assert writer.root.locator(".attn-offer").count() == 0
    assert writer.root.locator(".attn-stage > .attn-todo").is_visible()
    assert writer.page.evaluate("document.activeElement.className") == "attn-stage"


def test_without_javascript_and_on_paper_there_is_the_picture(open_tab, opened):
    writer = opened()
    writer.page.emulate_media(media="print")
    assert writer.button(LOAD).is_hidden()
    writer.page.emulate_media(media="screen")
    writer.load().page.emulate_media(media="print")
    assert writer.root.locator(".attn-plain svg").is_visible()
    assert writer.root.locator(".attn-stage").is_hidden()
    page = open_tab(writer.page.url, java_script_enabled=False, **PHONE)
    expect(page.locator(".attn-plain svg")).to_be_visible()
    expect(page.locator(".attn-plain table")).to_be_visible()
    assert page.locator("button, input, textarea").count() == 0
    assert page_errors(page) == []


@pytest.mark.parametrize(
    ("missing", "why"),
    [("model.js", "is not beside"), ("writing_model.js", "is not beside")],
)
def test_a_file_that_is_not_there_is_told(open_tab, tmp_path, missing, why):
    writer = Writer(open_tab(), written_page(tmp_path, missing=missing))
    writer.button(LOAD).click()
    writer.says(rf"^The model cannot be used here: .*{why} .*above stays")
    assert writer.root.locator(".attn-plain svg").is_visible()


@pytest.mark.parametrize(
    ("theme", "view"),
    every(
        2,
        [
            ("dark", PHONE | {"has_touch": True}),
            ("light", {"viewport": {"width": 900, "height": 900}}),
        ],
    ),
    ids=["phone in the dark", "desktop"],
)
def test_the_page_is_sound(opened, theme, view):
    writer = opened(theme, **view)
    for _ in range(2):
        assert page_errors(writer.page) == []
        assert accessibility_violations(writer.page) == []
        if writer.button(LOAD).count():
            writer.load()
    for control in writer.root.locator("button, input, label").all():
        box = control.bounding_box()
        assert box["height"] >= 24 or control.get_attribute("type") in (
            "checkbox",
            "range",
        )
    shown = writer.root.inner_text()
    assert "NaN" not in shown and "undefined" not in shown


# --- what it says is what the model says ----------------------------------------------------------


def test_the_page_gives_the_numbers_of_numpy(opened):
    writer = opened().load()
    for text in (TEXT, "a", "  x = [1, 2, 3]\nfor"):
        writer.text.fill(text)
        logits, maps = run(text)
        writer.expects(logits)
        if len(text) == 1:
            writer.says(
                r"^The most probable next character is [^.]* \(\d\.\d\d\)\.$"
            )
        else:
            writer.says(rf"Loss on this text: {loss(text, logits):.2f} nats per ch")
        for layer, heads in enumerate(maps):
            for head, weights in enumerate(heads):
                canvas = writer.head(layer, head).locator("canvas")
                np.testing.assert_allclose(
                    writer.weights(canvas), weights, atol=0.0045
                )


def test_a_head_opens_with_its_row_in_words(opened):
    writer = opened().load()
    _, maps = run(TEXT)
    writer.head(2, 3).click()
    writer.says(
        r"^Block 3, head 4\. On this text it (gives|spreads) .* [Ll]ook for "
    )
    np.testing.assert_allclose(
        writer.weights(writer.large), maps[2, 3], atol=0.0045
    )
    writer.set("the character that asks", 8)
    row = maps[2, 3, 8]
    told = writer.slider("the character that asks").get_attribute("aria-valuetext")
    assert told.startswith("“e” at place 8 looks most at")
    assert told.endswith(f": {row.max():.2f}")
    place = int(np.argmax(row))
    assert ("itself" if place == 8 else f"at place {place}:") in told


def habits(text: str, weights: np.ndarray) -> dict[str, float]:
    """Return what each way to look gets of a head's weights, on average over those who can."""
    n = len(text)
    i, j = np.mgrid[:n, :n]
    is_space = np.array([character.isspace() for character in text])
    same = np.array([[a == b for b in text] for a in text])
    spaces_between = np.cumsum(is_space)[:, None] - np.cumsum(is_space)[None, :]
    ways = {
        "before": j == i - 1,
        "itself": j == i,
        "first": (j == 0) & (i > 1),
        "spaces": (j < i) & is_space[None, :],
        "same": (j < i) & same,
        "after same": (j > 0) & (j < i) & np.roll(same, 1, axis=1),
        "its word": (j <= i)
        & ~is_space[:, None]
        & ~is_space
        & (spaces_between == 0),
        "5 before": (j < i) & (j >= i - 5),
    }
    found = {}
    for name, counts in ways.items():
        counts = counts & (i > 0)
        rows = counts.any(axis=1)
        if rows.sum() >= 3:
            found[name] = float((weights * counts).sum(axis=1)[rows].mean())
    return found


@pytest.mark.parametrize(
    "text", [TEXT, "for x in range(10):\n    pr", "abc abc abc abc"]
)
def test_what_is_said_of_a_head_is_what_it_does(opened, text):
    writer = opened().load()
    writer.text.fill(text)
    _, maps = run(text)
    least = {"its word": 0.6, "5 before": 0.6}
    for layer, heads in enumerate(maps):
        for head, weights in enumerate(heads):
            shares = habits(text, weights)
            name = max(shares, key=lambda way: shares[way] / least.get(way, 0.4))
            label = writer.head(layer, head).get_attribute("aria-label")
            said = label.split(": ", 1)[1]
            if shares[name] < least.get(name, 0.4):
                logs = np.log(np.where(weights > 0, weights, 1))
                keys = np.exp(-(weights * logs).sum(axis=1)).mean()
                number = re.fullmatch(r"spread: (\d+\.\d) characters", said)[1]
                assert float(number) == pytest.approx(keys, abs=0.051)
            else:
                number = said.removeprefix(f"{name} ")
                assert float(number) == pytest.approx(shares[name], abs=0.0051)


# --- switches -------------------------------------------------------------------------------------

SWITCHES = [
    ("^mask", "the mask", {"mask": False}),
    ("÷ √d", "÷ √d", {"scale": False}),
    ("^positions", "positions", {"positions": False}),
    ("^additions", "the additions", {"residual": False}),
    ("^norms", "norms", {"norm": False}),
    (r"^Block 1, head 2", "head 2 of block 1", {"off": [(0, 1)]}),
]


def told_of(character: str) -> str:
    return {" ": "a space", "\n": "a new line"}.get(character, f"“{character}”")


def test_each_switch_does_what_it_says_and_can_be_undone(opened):
    writer = opened().load()
    whole, _ = run(TEXT)
    before = writer.probabilities()
    for control, name, switches in SWITCHES:
        if "off" in switches:
            writer.head(0, 1).click()
        writer.switch(control).uncheck()
        said = writer.says(f"^Without {re.escape(name)}: the most probable next ")
        logits, maps = run(TEXT, **switches)
        writer.expects(logits)
        layer, head = writer.page.evaluate(
            """() => [...document.querySelector("[aria-pressed=true]").ariaLabel
              .matchAll(/\\d+/g)].slice(0, 2).map(Number)"""
        )
        np.testing.assert_allclose(
            writer.weights(writer.large), maps[layer - 1, head - 1], atol=0.0045
        )
        probs = in_numpy.token_probabilities(logits[-1])
        was = in_numpy.token_probabilities(whole[-1])
        now, then = (KEPT.characters[np.argmax(p)] for p in (probs, was))
        assert f"({probs.max():.2f}" in said and f"{was.max():.2f})" in said
        assert f"{'still' if now == then else 'now'} {told_of(now)}" in said
        assert f"Loss on this text: {loss(TEXT, logits):.2f} nats" in said
        assert f"before {loss(TEXT, whole):.2f}." in said
        assert ("sees the one that it is to predict" in said) == (
            "mask" in switches
        )
        writer.click("Back to the trained model")
        writer.says(r"^This is the trained model again\.")
        assert writer.probabilities() == before
        assert writer.switch(control).is_checked()


@pytest.mark.exhaustive
def test_switches_work_together_and_on_a_new_text(opened):
    writer = opened().load()
    writer.switch("^positions").uncheck()
    writer.head(3, 0).click()
    writer.switch("^Block 4, head 1").uncheck()
    writer.switch("^mask").uncheck()
    writer.says("^Without the mask, positions and head 1 of block 4: ")
    assert "switched off" in writer.head(3, 0).get_attribute("aria-label")
    switches = {"mask": False, "positions": False, "off": [(3, 0)]}
    for text in (TEXT + "e", "for x in x"):
        writer.text.fill(text)
        writer.expects(run(text, **switches)[0])
    writer.switch("^mask").check()
    writer.expects(run(text, positions=False, off=[(3, 0)])[0])


def test_without_a_mask_heads_look_ahead(opened):
    writer = opened().load()
    above = np.triu(np.ones((len(TEXT), len(TEXT)), dtype=bool), 1)
    assert not writer.weights(writer.large)[above].any()
    writer.switch("^mask").uncheck()
    assert writer.weights(writer.large)[above].max() > 0.05


# --- writing --------------------------------------------------------------------------------------


def greedily(text: str, n: int) -> str:
    """Let PyTorch's side go on with the most probable characters."""
    torch = pytest.importorskip("torch")
    from course_attn.in_torch import GPT, GPTConfig, generate

    model = GPT(GPTConfig(**KEPT.config))
    model.load_state_dict(
        {name: torch.tensor(array) for name, array in KEPT.params.items()}
    )
    tokens = generate(model, torch.tensor(encoded(text)), n, temperature=0)
    return "".join(KEPT.characters[token] for token in tokens.tolist())


@pytest.mark.parametrize("start", [TEXT, "The value of x is not what y was. " * 3])
def test_the_model_writes_what_generate_writes(opened, start):
    writer = opened(reduced_motion="reduce").load()
    writer.text.fill(start)
    writer.set("temperature", 0)
    writer.says("is drawn with 1.00; no other character can be drawn")
    writer.click("Write 60 characters")
    writer.says("^The model has written 60 characters: ")
    assert writer.text.input_value() == greedily(start, 60)
    writer.click("Take back")
    writer.says("^What the model wrote is taken back")
    assert writer.text.input_value() == start
    writer.click("Take back", refused=True)
    writer.says("^There is nothing to take back")


def test_writing_can_be_watched_and_stopped(opened):
    writer = opened().load().stop_the_clock()
    begin_writing(writer)
    writer.click("Stop")
    said = writer.says("^The model has written ")
    text = writer.text.input_value()
    assert text.startswith(TEXT) and len(TEXT) < len(text) < len(TEXT) + 60
    assert f"written {len(text) - len(TEXT)} characters: “{text[len(TEXT) :]}”" in (
        said if "\n" not in text else writer.said.text_content()
    )
    writer.wait(5_000)
    assert writer.text.input_value() == text
    writer.expects(run(text)[0])


def begin_writing(writer) -> None:
    """Let the model write a few characters."""
    before = len(writer.text.input_value())
    writer.click("Write 60 characters")
    writer.wait(200)
    assert len(writer.text.input_value()) > before + 2


@pytest.mark.exhaustive
def test_while_it_writes_it_says_how_far_it_is(opened):
    writer = opened().load().stop_the_clock()
    begin_writing(writer)
    writer.says(r"^Writing: \d+ of 60\.$")
    assert writer.said.get_attribute("aria-busy") == "true"
    # What a setting does is said when nothing is written.
    writer.page.evaluate(
        """() => new MutationObserver((changes) => {
          window.told = (window.told ?? "") + changes[0].target.textContent;
        }).observe(document.querySelector(".attn-said"), {childList: true})"""
    )
    writer.set("temperature", 0.5)
    writer.wait(600)
    assert re.fullmatch(r"(Writing: \d+ of 60\.)+", writer.page.evaluate("told"))
    writer.click("Stop")
    writer.says("^The model has written ")
    assert writer.said.get_attribute("aria-busy") is None


@pytest.mark.parametrize("how", ["focus", "click", "key", "change"])
def test_who_comes_to_the_text_stops_the_writing(opened, how):
    writer = opened().load().stop_the_clock()
    begin_writing(writer)
    # Whatever had the focus before.
    if how == "focus":
        writer.text.focus()
    elif how == "click":
        writer.text.evaluate(
            "(e) => e.dispatchEvent(new PointerEvent('pointerdown', {bubbles: true}))"
        )
    elif how == "key":
        writer.text.dispatch_event("keydown", {"key": "a"})
    else:
        writer.text.dispatch_event("beforeinput")
    written = writer.text.input_value()
    writer.says("^The model has written ")
    assert writer.button("Write 60 characters").is_visible()
    writer.wait(5_000)
    assert writer.text.input_value() == written
    writer.click("Take back")
    assert writer.text.input_value() == TEXT


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_what_is_typed_while_it_writes_is_not_mixed_with_it(opened, motion):
    writer = opened(reduced_motion=motion).load().stop_the_clock()
    for text in ("If the s", "for x in"):
        writer.click("Write 60 characters")
        writer.wait(80)
        writer.text.evaluate("(e) => { e.focus(); e.select(); }")
        writer.wait(80)
        writer.page.keyboard.insert_text(text)
        writer.wait(80)
        assert writer.text.input_value() == text
        writer.expects(run(text)[0])
    for text in ("a text", "café"):
        writer.click("Write 60 characters")
        writer.wait(80)
        writer.text.evaluate(
            "(e, text) => { e.value = text; e.dispatchEvent(new Event('input')); }",
            text,
        )
        writer.wait(80)
        assert writer.text.input_value() == text


def test_a_stop_shows_what_was_written_out_of_sight(opened):
    writer = opened(reduced_motion="reduce").load()
    writer.page.evaluate(
        """async () => {
          const [write] = document.querySelectorAll(".writes button");
          write.click();
          const said = document.querySelector(".attn-said");
          while (!/^Writing: [4-9]/.test(said.textContent)) {
            await new Promise((go) => setTimeout(go));
          }
          write.click();
        }"""
    )
    said = writer.says("^The model has written ")
    count = int(re.search(r"written (\d+) characters", said)[1])
    assert len(writer.text.input_value()) == len(TEXT) + count
    assert 4 <= count < 60


@pytest.mark.exhaustive
def test_without_a_mask_the_page_rests_within_a_character(opened):
    """Some timers run between two characters: the work is cut into parts."""
    writer = opened().load()
    writer.text.fill(("The value of x is not what y was. " * 4)[:120])
    writer.switch("^mask").uncheck()
    ticks = writer.page.evaluate(
        """async () => {
          const area = document.querySelector("textarea"), [write] =
            document.querySelectorAll(".writes button");
          const counts = [];
          write.click();
          for (let k = 0; k < 4; k++) {
            const before = area.value;
            let ticks = 0;
            while (area.value === before) {
              await new Promise((done) => {
                const {port1, port2} = new MessageChannel();
                port1.onmessage = () => setTimeout(done, 0);
                port2.postMessage(null);
              });
              // One that is long is a part of the work.
              ticks++;
            }
            counts.push(ticks);
          }
          write.click();
          return counts;
        }"""
    )
    assert min(ticks[1:]) > 3


def test_there_is_something_to_take_back_only_after_writing(opened):
    writer = opened().load()
    for change in (
        lambda: writer.text.fill("good"),
        lambda: writer.root.locator(".choice").first.click(),
        lambda: writer.click("Back to the text’s sentence"),
        lambda: writer.click("Take back"),
    ):
        expect(writer.button("Take back")).to_be_disabled()
        writer.click("Write one")
        writer.says("^The model has written a character: ")
        expect(writer.button("Take back")).to_be_enabled()
        change()
        expect(writer.button("Take back")).to_be_disabled()


def test_two_numbers_have_their_heads(opened):
    writer = opened().load()
    heads = writer.root.locator(".next > .heading span")
    assert not any(head.is_visible() for head in heads.all())
    names = writer.root.locator(".choice").first
    assert re.search(r"probability [^,]*: put", names.get_attribute("aria-label"))
    writer.set("temperature", 0.5)
    assert all(head.is_visible() for head in heads.all())
    assert heads.all_inner_texts() == ["guess", "drawn"]
    assert re.search(
        r"probability .*, drawn with .*: put", names.get_attribute("aria-label")
    )
    for column in (".model", ".draws"):
        right = writer.root.locator(f".next {column}").evaluate_all(
            "(all) => all.map((e) => e.getBoundingClientRect().right)"
        )
        assert max(right) - min(right) < 1


def test_a_single_character_has_one_place_to_look_at(opened):
    writer = opened().load().stop_the_clock()
    writer.text.fill("a")
    writer.head(1, 2).click()
    writer.wait(1000)  # what is said when the keys rest would be said by now
    writer.says(r"^Block 2, head 3\. There is only one place to look at\.$")
    labels = writer.root.locator(".short").all_inner_texts()
    assert set(labels) == {"one place"}


@pytest.mark.parametrize("width", [340, 390])
def test_the_words_below_the_maps_are_whole_on_a_phone(opened, width):
    writer = opened(viewport={"width": width, "height": 800}).load()
    labels = writer.root.locator(".short")
    assert any("charac" in text for text in labels.all_inner_texts())
    assert labels.evaluate_all(
        "(all) => all.every((e) => e.scrollWidth <= e.clientWidth)"
    )
    assert "layer" not in writer.root.locator(".attn-stage").inner_text().lower()


def test_what_is_wrong_with_the_text_stands_next_to_it_on_a_phone(opened):
    writer = opened(viewport={"width": 360, "height": 800}).load()
    bars = writer.root.locator(".choices")

    def top(place) -> float:
        return place.bounding_box()["y"]

    assert top(writer.said) > top(bars)
    for text in ("café is", ""):
        writer.text.fill(text)
        writer.says("Bars and maps are still those of “The")
        assert top(writer.text) < top(writer.said) < top(bars)
        assert float(bars.evaluate("(e) => getComputedStyle(e).opacity")) < 0.8
        after = writer.root.locator("fieldset, .heads")
        assert min(map(top, after.all())) > top(bars)
    writer.text.fill("cafe is")
    assert top(writer.said) > top(bars)


def test_the_caption_of_the_picture_goes_with_it(opened):
    writer = opened().load()
    caption = writer.root.locator("figcaption")
    assert caption.is_hidden()
    writer.page.emulate_media(media="print")
    assert caption.is_visible()


def test_what_is_drawn_depends_on_temperature_and_cuts(opened):
    writer = opened().load()
    logits, _ = run(TEXT)
    for name, option, value in (
        ("temperature", "temperature", 0.5),
        ("top-k", "top_k", 3),
        ("top-p", "top_p", 0.6),
    ):
        writer.set(name, value)
        probs = in_numpy.token_probabilities(logits[-1], **{option: value})
        left = int((probs > 0).sum())
        counts = {1: "no other character", 96: "every character"}.get(
            left, f"{left} ch"
        )
        best = told_of(KEPT.characters[np.argmax(probs)])
        writer.says(f"{re.escape(best)} is drawn with {probs.max():.2f}; {counts}")
        draws = writer.root.locator(".choice .draws").all_inner_texts()
        for (character, _), drawn in zip(
            writer.probabilities(), draws, strict=True
        ):
            p = probs[KEPT.characters.index(character)]
            if p < 0.0005:
                assert drawn == ("< 0.001" if p else "never")
            else:
                assert float(drawn) == pytest.approx(p, abs=0.0006)
        writer.click("Back to the text’s sentence")
        for column in writer.root.locator(".draws").all():
            assert not column.is_visible()


def test_a_character_can_be_picked(opened):
    writer = opened().load()
    character = writer.probabilities()[1][0]
    writer.root.locator(".choice").nth(1).click()
    writer.says("^Put behind the text: ")
    assert writer.text.input_value() == TEXT + character
    writer.expects(run(TEXT + character)[0])
    writer.click("Back to the text’s sentence")
    assert writer.text.input_value() == TEXT


# --- texts that do not fit ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "café",
            r"^The model does not know “é” \(place 3\): its 96 characters are ",
        ),
        ("", "^There is no text: the model predicts a character from those before"),
    ],
)
def test_a_text_that_the_model_cannot_read_is_explained(opened, text, said):
    writer = opened().load()
    before = writer.probabilities()
    writer.text.fill(text)
    writer.says(said)
    assert writer.probabilities() == before
    assert writer.text.get_attribute("aria-invalid") == "true"
    for name in ("Write 60 characters", "Write one"):
        writer.click(name, refused=True)
    writer.root.locator(".choice").first.click(force=True)
    writer.says(said)
    assert writer.said.inner_text().endswith(
        f"Bars and maps are still those of “{TEXT[:20]}…”."
    )
    assert writer.text.input_value() == text
    writer.text.fill("good")
    writer.says("^The most probable")
    assert writer.text.get_attribute("aria-invalid") is None


def test_the_signs_of_phones_become_plain(opened):
    writer = opened().load()
    writer.text.fill("it’s “so” – now…")
    assert writer.text.input_value() == 'it\'s "so" - now...'
    writer.expects(run('it\'s "so" - now...')[0])


def test_markup_stays_text(opened):
    writer = opened().load()
    writer.text.fill("<b>x</b><img src=y>")
    writer.says("^The most probable")
    assert writer.root.locator(".attn-stage :is(b, img)").count() == 0


@pytest.mark.exhaustive
def test_a_text_longer_than_the_context_says_what_is_used(opened):
    writer = opened().load()
    text = ("The quick brown fox. " * 10)[: N_CONTEXT + 30]
    writer.text.fill(text)
    first = N_CONTEXT + 1 - (N_CONTEXT + 1) // 2
    used = text[first:]
    writer.says(
        f"The model sees at most {N_CONTEXT} characters. When they are full, it "
        "forgets the older half and goes on: here it uses the last "
        rf"{len(used)} of {len(text)}\."
    )
    writer.expects(run(used)[0])
    writer.text.fill(text[:N_CONTEXT])
    writer.says(r"^The most probable .* nats per character\.$")
    writer.expects(run(text[:N_CONTEXT])[0])


# --- keys, themes and other browsers --------------------------------------------------------------


def test_everything_is_reached_and_used_by_the_keyboard(opened):
    writer = opened()
    page = writer.page
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(writer.text).to_be_visible()
    reached = []
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate(
                "[...document.querySelectorAll('.attn-stage *')].indexOf(document.activeElement)"
            )
        )
        if reached[-1] < 0:
            break
    stops = page.evaluate(
        """() => {
          const all = [...document.querySelectorAll('.attn-stage *')];
          return all.filter((e) => e.matches("button, input, textarea") && e.tabIndex >= 0)
            .map((e) => all.indexOf(e));
        }"""
    )
    assert sorted(reached[:-1]) == stops and reached[:-1] == sorted(reached[:-1])
    writer.switch("^norms").focus()
    page.keyboard.press("Space")
    writer.says("^Without norms: ")
    writer.head(0, 0).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    writer.says(r"^Block 2, head 2\. ")
    asker = writer.slider("the character that asks")
    asker.focus()
    page.keyboard.press("Home")
    assert "“T” at place 0 looks most at itself: 1.00" == asker.get_attribute(
        "aria-valuetext"
    )
    writer.switch("Block 2, head 2").focus()
    page.keyboard.press("Space")
    writer.says("^Without norms and head 2 of block 2: ")


def test_maps_take_the_colors_of_the_theme(opened):
    writer = opened().load()
    color = f"""(e) => {{ {_COPY}
      return "#" + [...data.slice(0, 3)].map((x) => x.toString(16).padStart(2, "0")).join("");
    }}"""
    wanted = (
        "() => getComputedStyle(document.querySelector('.attn-stage'))"
        ".getPropertyValue('--weight').trim().toLowerCase()"
    )
    colors = []
    for theme in ("light", "dark"):
        writer.page.evaluate(
            f"() => {{ document.documentElement.dataset.theme = '{theme}'; }}"
        )
        colors.append(writer.page.evaluate(wanted))
        small = writer.head(0, 0).locator("canvas")
        assert small.evaluate(color) == writer.large.evaluate(color) == colors[-1]
    assert colors[0] != colors[1]


def test_the_model_runs_in_firefox(firefox, tmp_path):
    firefox.open(written_page(tmp_path))
    firefox.click(".attn-offer button")
    firefox.wait_for("Boolean(document.querySelector('.attn-on'))")
    said = firefox.evaluate(
        "document.querySelector('.attn-stage .attn-said').textContent"
    )
    logits, _ = run(TEXT)
    assert (
        f"Loss on this text: {loss(TEXT, logits):.2f} nats per character." in said
    )
    firefox.click(".switch")
    firefox.wait_for(
        "/^Without the mask/.test(document.querySelector('.attn-said').textContent)"
    )
    assert firefox.errors() == []


@pytest.mark.exhaustive
@pytest.mark.usefixtures("html")
@pytest.mark.parametrize("view", ["phone", "desktop"])
def test_the_chapter_of_the_built_book_runs_the_model(browser, view):
    with visit(browser, DISK, "book/language_model.html", **VIEWS[view]) as opened:
        model = Writer(opened.page)
        data = model.root.locator("script[type='application/json']").text_content()
        text = json.loads(data)["text"]
        model.load()
        logits, _ = run(text)
        model.says(
            rf"Loss on this text: {loss(text, logits):.2f} nats per character"
        )
        model.expects(logits)
        model.switch("^positions").uncheck()
        model.says("^Without positions: ")
        opened.is_laid_out()
        assert page_errors(opened.page) == []
        assert accessibility_violations(opened.page) == []
    assert opened.problems == []
