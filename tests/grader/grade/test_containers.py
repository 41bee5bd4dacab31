"""Answers in containers: the engine's command line, by an engine that is none."""

import json
import os
import sys

import pytest

from course_attn.grade.__main__ import main
from course_attn.grade.jail import Jail
from course_attn.grade.launch import CannotStart, Containers
from tests.grader.grade.classroom import COURSE, ROOT, graded
from tests.grader.grade.test_isolation import RIGHT

# It notes how it was called, drops what is the engine's, and runs the rest without a container.
ENGINE = """#!{python}
import json, os, sys
with open({log!r}, "a") as log:
    log.write(json.dumps(sys.argv[1:]) + "\\n")
if sys.argv[1] == "run":
    at = sys.argv.index("python")
    if "no-such-image" in sys.argv:
        sys.exit("Unable to find image 'no-such-image:latest' locally")
    os.environ["PYTHONPATH"] = {root!r}
    os.execv({python!r}, [{python!r}, *sys.argv[at + 1 :]])
"""


@pytest.fixture
def calls(tmp_path, monkeypatch):
    """Put an engine on the path; return how it was called."""
    log = tmp_path / "calls"
    for name in ("docker", "podman"):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(
            ENGINE.format(python=sys.executable, log=str(log), root=str(ROOT)),
            "utf-8",
        )
        program.chmod(0o755)
    monkeypatch.setenv(
        "PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    )

    def read() -> list[list[str]]:
        return [json.loads(line) for line in log.read_text("utf-8").splitlines()]

    return read


@pytest.mark.parametrize("engine", ["docker", "podman"])
def test_container_is_cut_off_limited_and_removed(calls, engine):
    launcher = Containers(
        engine, "course_attn-grade", COURSE, Jail("", "", memory=700, files=8)
    )
    assert graded(launcher, "softmax", RIGHT).passed
    launcher.close()
    (run, *_) = calls()
    options, program = (
        run[: run.index("course_attn-grade")],
        run[run.index("python") :],
    )
    assert options[0] == "run"
    pairs = list(zip(options, options[1:], strict=False))
    for pair in (
        ("--network", "none"),
        ("--user", "65534:65534"),
        ("--cap-drop", "ALL"),
        ("--security-opt", "no-new-privileges"),
        ("--memory", "1400m"),
        ("--memory-swap", "1400m"),
        ("--pids-limit", "64"),
    ):
        assert pair in pairs
    assert {"--rm", "--read-only", "--interactive"} <= set(options)
    assert not {"--volume", "-v", "--mount", "--privileged"} & set(options)
    assert program[:4] == ["python", "-P", "-m", "course_attn.grade.answer"]
    assert program[4:] == ["--course", COURSE, "--memory", "700", "--files", "8"]


def test_each_answer_has_a_container_and_a_hanging_one_is_removed(calls):
    launcher = Containers("docker", "course_attn-grade", COURSE, Jail("", ""))
    hangs = "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 60))\nwhile 1: pass"
    assert graded(launcher, "softmax", hangs, seconds=1).status == "crashed"
    assert graded(launcher, "softmax", RIGHT).passed
    launcher.close()
    names = [call[call.index("--name") + 1] for call in calls() if call[0] == "run"]
    assert len(set(names)) == 2
    assert ["rm", "--force", names[0]] in calls()


def test_image_that_is_missing_is_said(calls):
    launcher = Containers("docker", "no-such-image", COURSE, Jail("", ""))
    with pytest.raises(
        CannotStart, match="docker: Unable to find image 'no-such-image"
    ):
        launcher.start(torch=False)


def test_engine_that_is_missing_is_said(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    launcher = Containers("podman", "any", COURSE, Jail("", ""))
    with pytest.raises(CannotStart, match="podman: No such file"):
        launcher.start(torch=False)


def test_command_grades_in_containers(calls, tmp_path, capsys):
    (tmp_path / "submitted").mkdir()
    (tmp_path / "submitted/ada.py").write_text(RIGHT, "utf-8")
    arguments = [
        str(tmp_path / "submitted"),
        "-o",
        str(tmp_path / "graded"),
        "--workers",
        "1",
    ]
    assert (
        main([*arguments, "--container", "docker", "--image", "course_attn-grade"])
        == 0
    )
    assert "1 submissions graded, 0 not: 1 of 1 points" in capsys.readouterr().out
