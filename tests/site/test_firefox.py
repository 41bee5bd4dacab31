"""What live pages build on, in Firefox: workers from text, scripts and the editor, from disk."""

import pytest

from tests.site.bare import bare_page

# As the page starts Python: a module, from text, that imports another from memory.
WORKER = """new Promise((resolve, reject) => {
  const code = `onmessage = async ({data}) => {
    const url = URL.createObjectURL(new Blob([data], {type: "text/javascript"}));
    postMessage((await import(url)).answer);
  };`;
  const worker = new Worker("data:text/javascript," + encodeURIComponent(code),
    {type: "module"});
  worker.onmessage = ({data}) => resolve(data);
  worker.onerror = () => reject(new Error("no worker"));
  worker.postMessage("export const answer = 42;");
})"""
AROUND = '<button id="before">B</button><div id="place"></div><button id="after">A</button>'
OPEN = """(async () => {
  globalThis.runs = 0;
  globalThis.editor = openEditor(document.querySelector("#place"), {
    text: "def f(x):", label: "Your f", onRun: () => ++runs,
  });
  return editor.ready;
})()"""


def test_firefox_runs_a_worker_and_the_editor_from_disk(firefox, tmp_path):
    firefox.open(bare_page(tmp_path, {"editor.js": "openEditor"}, AROUND))
    assert firefox.evaluate(WORKER) == 42
    assert firefox.evaluate(OPEN) is True
    firefox.click(".cm-content")
    firefox.press("Control+End")
    firefox.type("\nreturn x / 2")
    assert firefox.evaluate("editor.text()") == "def f(x):\n    return x / 2"
    firefox.press("Control+Enter")
    assert firefox.evaluate("runs") == 1
    firefox.press("Escape")
    firefox.press("Tab")
    assert firefox.evaluate("document.activeElement.id") == "after"
    firefox.press("Shift+Tab")
    firefox.press("Escape")
    firefox.press("Shift+Tab")
    assert firefox.evaluate("document.activeElement.id") == "before"
    assert firefox.errors() == []


def test_firefox_has_a_text_area_where_codemirror_does_not_load(firefox, tmp_path):
    firefox.open(
        bare_page(
            tmp_path,
            {"editor.js": "openEditor"},
            AROUND,
            vendor=False,
        )
    )
    assert firefox.evaluate(OPEN) is False
    firefox.click("textarea")
    firefox.press("Control+End")
    firefox.type("\nreturn x")
    firefox.press("Tab")
    firefox.type("2")
    assert firefox.evaluate("editor.text()") == "def f(x):\n    return x    2"
    firefox.press("Control+z")
    assert firefox.evaluate("editor.text()") == "def f(x):\n    return x    "
    assert firefox.errors() == []


def test_firefox_tells_what_goes_wrong(firefox, tmp_path):
    firefox.open(bare_page(tmp_path, {}, '<img src="http://127.0.0.1:8321/a.png">'))
    firefox.evaluate("void setTimeout(() => { globalThis.thrown = 1; nothing(); })")
    firefox.evaluate("console.error('said')")
    firefox.wait_for("globalThis.thrown")
    found = firefox.errors()
    assert "asked for: http://127.0.0.1:8321/a.png" in found
    assert "ReferenceError: nothing is not defined" in found
    assert "said" in found
    assert firefox.errors() == []
    with pytest.raises(AssertionError, match="nowhere is not defined"):
        firefox.evaluate("nowhere.at")
    with pytest.raises(TimeoutError, match=r"not true within 0\.1 s: 1 > 2"):
        firefox.wait_for("1 > 2", 0.1)
