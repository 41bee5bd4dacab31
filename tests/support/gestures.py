"""What a reader does to a page with a finger and with the mouse."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

Point = tuple[float, float]


def is_painted(page: "Page") -> None:
    """Wait until a page has answered to what was done, and was painted."""
    page.evaluate(
        """() => new Promise((done) =>
          requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"""
    )


def middle(element: "Locator") -> Point:
    box = element.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: "Page", *path: Point) -> None:
    """Draw with the mouse from point to point, and let go."""
    page.mouse.move(*path[0])
    page.mouse.down()
    for point in path[1:]:
        page.mouse.move(*point, steps=4)
    page.mouse.up()


def swipe(page: "Page", *path: Point) -> None:
    """Draw with a finger from point to point, and lift it."""
    session = page.context.new_cdp_session(page)

    def touch(kind: str, *points: Point) -> None:
        session.send(
            "Input.dispatchTouchEvent",
            {
                "type": kind,
                "touchPoints": [{"x": float(x), "y": float(y)} for x, y in points],
            },
        )
        is_painted(page)  # or else two moves may come to the page as one

    touch("touchStart", path[0])
    for point in path[1:]:
        touch("touchMove", point)
    touch("touchEnd")
