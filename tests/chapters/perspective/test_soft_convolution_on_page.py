"""`soft_convolution` in Chromium from disk: kernels, borders, sharpness, pixels; in Firefox."""

import re

import numpy as np
from scipy.ndimage import correlate

from course_attn import in_numpy
from tests.chapters.perspective.test_soft_convolution import (
    IMAGE,
    KERNELS,
)
from tests.support.output import assert_written, numbers


def error_of(kernel: str, alpha: float, mode: str) -> float:
    K = np.array(KERNELS[kernel], float)
    total = np.zeros(IMAGE.size)
    for a, b in np.ndindex(3, 3):
        scores = in_numpy.relative_position_scores(
            6, 7, (a - 1, b - 1), sharpness=alpha
        )
        total += K[a, b] * (in_numpy.softmax(scores) @ IMAGE.ravel())
    return np.abs(total.reshape(6, 7) - correlate(IMAGE, K, mode=mode)).max()


def chosen(live):
    """Choose each kernel with each border; give both, and what SciPy calls the border."""
    for kernel in KERNELS:
        live.button(f"^{kernel}$").click()
        for border, mode in (("continued", "nearest"), ("zeros", "constant")):
            live.button(f"^{border}$").click()
            yield kernel, border, mode


def test_soft_convolution_tells_the_error_of_any_sharpness_kernel_and_border(
    opened,
):
    live = opened()
    for kernel, border, mode in chosen(live):
        heights = []
        for alpha in (0, 0.5, 3, 20):
            live.set("sharpness", alpha)
            live.says(f"^α = {alpha:g}: the largest error is ")
            found = re.search(r"error is (.+?),", live.said.inner_text())[1]
            wanted = error_of(kernel, alpha, mode)
            assert_written(found, wanted)
            dot = live.root.locator("circle.dot")
            heights.append(float(dot.get_attribute("cy")))
            power = np.clip(np.log10(wanted), -8, 2)
            assert abs(heights[-1] - (2 - power) * 15) < 0.1
        # What stays is told with zeros, and only there.
        stays = re.search(r"However sharp the heads, an error of (\S+) stays: softmax never "
                          r"looks at nothing\. A ring of keys with the value 0 cures it\.$",
                          live.said.inner_text())  # fmt: skip
        assert bool(stays) == (border == "zeros")
        if stays:
            assert_written(stays[1], wanted)
        note = live.root.get_by_text("dashed: what it cannot exceed")
        assert note.is_visible() == (border == "continued")
        falls = heights[-1] - heights[-2] > 15
        assert falls == (border == "continued")
        bound = live.root.locator("path.bound").get_attribute("d")
        assert bool(bound) == (border == "continued")


def test_soft_convolution_has_a_scale_of_its_shades(opened):
    live = opened()
    for kernel, _, mode in chosen(live):
        goal = correlate(IMAGE, np.array(KERNELS[kernel], float), mode=mode)
        wanted = [
            (IMAGE.min(), IMAGE.max()),
            (0, 1),
            *[(goal.min(), goal.max())] * 2,
        ]
        scales = live.root.locator(".scale")
        assert scales.count() == 4
        for scale, (low, high) in zip(scales.all(), wanted, strict=True):
            ends = scale.locator(".end").all_inner_texts()
            np.testing.assert_allclose(numbers(ends), [low, high], atol=0.00501)
            zero = scale.locator(".zero")
            assert zero.is_visible() == (low < 0 < high)
            if low < 0 < high:
                bar, at = (x.bounding_box() for x in (scale.locator(".bar"), zero))
                share = (at["x"] - bar["x"]) / bar["width"]
                assert abs(share - low / (low - high)) < 0.02


def test_soft_convolution_shows_where_a_head_looks(opened):
    live = opened()
    row = lambda r, c, head, alpha: in_numpy.softmax(  # noqa: E731
        in_numpy.relative_position_scores(6, 7, head, sharpness=alpha)
    )[r * 7 + c]
    live.says(f"looks up and left gives {row(3, 3, (-1, -1), 1.0).max():.2f} of the weight of "
              "row 3, column 3 to row 2, column 2, the pixel meant")  # fmt: skip
    shown = live.root.locator(
        "svg[aria-label='where the head looks'] rect:not([class])"
    )
    shades = [
        float(square.evaluate("(e) => e.style.getPropertyValue('--g')").rstrip("%"))
        for square in shown.all()
    ]
    np.testing.assert_allclose(shades, 100 * row(3, 3, (-1, -1), 1.0), atol=1e-3)
    live.button("^down: ").click()
    live.says("looks down gives .* to row 4, column 3, the pixel meant")
    live.button("^row 5, column 3: ").click()
    live.says("row 5, column 3 to row 5, column 3; what is meant lies outside")
    frames = live.root.locator("svg[aria-label='where the head looks'] rect.meant")
    assert (frames.get_attribute("x"), frames.get_attribute("y")) == ("3", "6")
    for key, where in {
        "ArrowLeft": "row 5, column 2",
        "ArrowUp": "row 4, column 2",
    }.items():
        live.press(key)
        live.says(f"of the weight of {where} to")
    live.button("^at the pixel itself: 8").focus()
    live.says("looks at the pixel itself gives")
    live.set("sharpness", 7)
    live.back()
    live.says("^α = 1: .*looks up and left gives .* row 3, column 3 to")


def test_soft_convolution_changes_its_border_in_firefox(said_in_firefox):
    zeros = "[...document.querySelectorAll('button')].find((b) => b.innerText === 'zeros')"
    said = said_in_firefox(lambda f: f.evaluate(f"{zeros}.click()"))
    assert said.startswith("α = 1: the largest error is")
