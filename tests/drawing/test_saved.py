"""What the benchmarks have saved is found by its name."""

import json

import pytest

from course_attn.drawing import saved


def test_read_looks_in_both_places_and_names_the_command(tmp_path, monkeypatch):
    monkeypatch.setattr(saved, "RESULTS", (tmp_path / "none", tmp_path))
    (tmp_path / "heads.json").write_text(json.dumps({"rows": [1]}), "utf-8")
    assert saved.read("heads") == {"rows": [1]}
    with pytest.raises(
        FileNotFoundError, match=r"no tails\.json in .*`make bench`"
    ):
        saved.read("tails")
    with pytest.raises(FileNotFoundError, match=r"run `weave` in the repository"):
        saved.read("tails", "weave")
