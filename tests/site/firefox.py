"""A headless Firefox, found on the PATH or named by COURSE_ATTN_FIREFOX.

Playwright drives a Firefox of its own only. Any other understands WebDriver BiDi, which is JSON
through a web socket: this is the little of it that the tests need.
"""

import itertools
import json
import os
import re
import shutil
import subprocess
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import pytest

from tests.site.chromium import PATIENCE

NAMES = ("firefox-esr", "firefox")
FIREFOX = os.environ.get("COURSE_ATTN_FIREFOX") or next(
    filter(None, map(shutil.which, NAMES)), None
)
MISSING = "needs Firefox: `apt-get install firefox-esr`, or COURSE_ATTN_FIREFOX=/path/to/it"
ARGUMENTS = ["--headless", "--no-remote", "--remote-debugging-port=0"]
# Firefox starts without a look at the network, and without pages of its own.
PREFERENCES = {
    "app.normandy.enabled": False,
    "app.update.disabledForTesting": True,
    "browser.aboutwelcome.enabled": False,
    "browser.newtabpage.enabled": False,
    "browser.safebrowsing.update.enabled": False,
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "extensions.getAddons.cache.enabled": False,
    "extensions.systemAddon.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "remote.prefs.recommended": True,
    "services.settings.server": "data:,",
    "toolkit.telemetry.enabled": False,
}
# The numbers that WebDriver gives to keys without a letter.
KEYS = {
    "Backspace": "\ue003",
    "Tab": "\ue004",
    "Enter": "\ue007",
    "Shift": "\ue008",
    "Control": "\ue009",
    "Alt": "\ue00a",
    "Escape": "\ue00c",
    "Space": " ",
    "PageUp": "\ue00e",
    "PageDown": "\ue00f",
    "End": "\ue010",
    "Home": "\ue011",
    "ArrowLeft": "\ue012",
    "ArrowUp": "\ue013",
    "ArrowRight": "\ue014",
    "ArrowDown": "\ue015",
    "Delete": "\ue017",
    "Meta": "\ue03d",
}
ON_DISK = ("file:", "data:", "blob:", "about:", "resource:", "chrome:")


class Firefox:
    """One tab: what a reader does in it, what is in the page, and what went wrong."""

    def __init__(self, address: str) -> None:
        websocket = pytest.importorskip(
            "websocket", reason="needs websocket-client"
        )
        self._socket = websocket.create_connection(
            address, timeout=PATIENCE / 1000, suppress_origin=True
        )
        self._numbers = itertools.count(1)
        self._errors: list[str] = []
        self._send("session.new", capabilities={})
        self._tab = self._send("browsingContext.getTree")["contexts"][0]["context"]
        events = ["log.entryAdded", "network.beforeRequestSent"]
        self._send("session.subscribe", events=events)

    def open(self, url: str) -> None:
        """Open a page, and wait until it is loaded."""
        self._send(
            "browsingContext.navigate", context=self._tab, url=url, wait="complete"
        )

    def evaluate(self, js: str) -> Any:
        """Return the value of an expression, of a promise that it gives as well."""
        text = f"(async () => JSON.stringify(await ({js})) ?? null)()"
        return json.loads(self._value(text).get("value", "null"))

    def wait_for(self, js: str, seconds: float = PATIENCE / 1000) -> Any:
        """Wait until an expression is true, and return its value."""
        end = time.monotonic() + seconds
        while not (value := self.evaluate(js)):
            if time.monotonic() > end:
                raise TimeoutError(f"not true within {seconds} s: {js}")
            time.sleep(0.05)
        return value

    def click(self, selector: str) -> None:
        """Click in the middle of an element."""
        element = f"document.querySelector({json.dumps(selector)})"
        self.evaluate(f"{element}.scrollIntoView({{block: 'center'}})")
        origin = {
            "type": "element",
            "element": {"sharedId": self._value(element)["sharedId"]},
        }
        press = [
            {"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")
        ]
        move = {"type": "pointerMove", "x": 0, "y": 0, "origin": origin}
        self._act("pointer", [move, *press])

    def drag(self, selector: str, right: int, down: int) -> None:
        """Drag an element by its middle, in two steps."""
        element = f"document.querySelector({json.dumps(selector)})"
        self.evaluate(f"{element}.scrollIntoView({{block: 'center'}})")
        box = self.evaluate(f"{element}.getBoundingClientRect().toJSON()")
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        there, half, end = (
            {
                "type": "pointerMove",
                "x": round(x + t * right),
                "y": round(y + t * down),
            }
            for t in (0, 0.5, 1)
        )
        press, release = (
            {"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")
        )
        self._act("pointer", [there, press, half, end, release])

    def type(self, text: str) -> None:
        """Press the key of each letter."""
        for letter in text:
            self.press("Enter" if letter == "\n" else letter)

    def press(self, key: str) -> None:
        """Press one key, or several at once: ``Control+Enter``."""
        keys = [KEYS.get(name, name) for name in re.split(r"(?<=.)\+", key)]
        down = [{"type": "keyDown", "value": value} for value in keys]
        up = [{"type": "keyUp", "value": value} for value in reversed(keys)]
        self._act("key", down + up)

    def errors(self) -> list[str]:
        """Return what went wrong since the last call, and which addresses were asked for."""
        self._send(
            "browsingContext.getTree"
        )  # all that was said before has arrived
        found, self._errors = self._errors, []
        return found

    def close(self) -> None:
        self._send("browser.close")
        self._socket.close()

    def _act(self, kind: str, actions: list[dict[str, Any]]) -> None:
        device = {"type": kind, "id": kind, "actions": actions}
        self._send("input.performActions", context=self._tab, actions=[device])

    def _value(self, js: str) -> dict[str, Any]:
        answer = self._send(
            "script.evaluate",
            expression=js,
            target={"context": self._tab},
            awaitPromise=True,
            userActivation=True,
        )
        if answer["type"] == "exception":
            raise AssertionError(answer["exceptionDetails"]["text"])
        return answer["result"]

    def _send(self, method: str, **params: Any) -> Any:
        number = next(self._numbers)
        self._socket.send(
            json.dumps({"id": number, "method": method, "params": params})
        )
        while True:
            message = json.loads(self._socket.recv())
            if message["type"] == "event":
                self._note(message["method"], message["params"])
            elif message["type"] == "error":
                raise RuntimeError(f"{method}: {message['message']}")
            elif message["id"] == number:
                return message["result"]

    def _note(self, event: str, said: dict[str, Any]) -> None:
        if event == "log.entryAdded" and said["level"] == "error":
            self._errors.append(said["text"])
        elif event == "network.beforeRequestSent":
            url = said["request"]["url"]
            if not url.startswith(ON_DISK):
                self._errors.append(f"asked for: {url}")


def _listening(output: IO[str]) -> str:
    """Return the address that Firefox names, and read on, or it would stop at a full pipe."""
    said: deque[str] = deque(maxlen=20)
    for line in output:
        said.append(line)
        if found := re.search(r"WebDriver BiDi listening on (ws://\S+)", line):
            threading.Thread(target=deque, args=(output, 0), daemon=True).start()
            return found[1] + "/session"
    raise RuntimeError("Firefox did not start:\n" + "".join(said))


@contextmanager
def running_firefox() -> Iterator[Firefox]:
    """Start a Firefox with a new profile, and end it; where there is none, skip the test."""
    if FIREFOX is None:
        pytest.skip(MISSING)
    with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        lines = [
            f"user_pref({json.dumps(name)}, {json.dumps(value)});"
            for name, value in PREFERENCES.items()
        ]
        Path(profile, "user.js").write_text("\n".join(lines))
        process = subprocess.Popen(
            [FIREFOX, *ARGUMENTS, "--profile", profile],
            # A home of its own: as root, Firefox refuses that of another user.
            env=os.environ | {"HOME": profile, "MOZ_DISABLE_CONTENT_SANDBOX": "1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            firefox = Firefox(_listening(process.stderr))
            yield firefox
            with suppress(Exception):
                firefox.close()
                process.wait(10)
        finally:
            process.kill()
            process.wait()
