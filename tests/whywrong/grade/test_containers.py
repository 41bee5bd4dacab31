"""Answers in containers: the engine's command line, by an engine that is none."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from course_attn.grade import main
from tests.support.sampled import every
from tests.whywrong.grade.classroom import COURSE, ROOT, graded
from tests.whywrong.grade.test_isolation import RIGHT
from whywrong.grade.launch import CannotStart, Containers
from whywrong.grade.limits import Limits

HANGS = "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 60))\nwhile 1: pass"

# It notes how it was called, drops what is the engine's, and runs the rest without a container.
ENGINE = """#!{python}
import json, os, sys
with open({log!r}, "a") as log:
    log.write(json.dumps(sys.argv[1:]) + "\\n")
if sys.argv[1] == "run":
    if "no-such-image" in sys.argv:
        sys.exit("Unable to find image 'no-such-image:latest' locally")
    os.environ["PYTHONPATH"] = {root!r}
    if "--overrides" in sys.argv:
        spec = json.loads(sys.argv[sys.argv.index("--overrides") + 1])["spec"]
        program = spec["containers"][0]["command"]
    else:
        at = sys.argv.index("course_attn-grade", sys.argv.index("--workdir"))
        program = sys.argv[at + 1 :]
    program = [{python!r} if word == "python" else word for word in program]
    os.execvp(program[0], program)
"""


@pytest.fixture
def calls(tmp_path, monkeypatch):
    """Put an engine on the path; return how it was called."""
    log = tmp_path / "calls"
    for name in ("docker", "podman", "kubectl"):
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
        COURSE, Limits(memory=700, files=8), engine, "course_attn-grade", 30
    )
    assert graded(launcher, "softmax", RIGHT).passed
    launcher.close()
    (run, *_) = calls()
    at = run.index("course_attn-grade", run.index("--workdir"))
    options, limit, program = run[:at], run[at + 1 : at + 5], run[at + 5 :]
    assert limit == ["timeout", "-s", "KILL", "150"]
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
        ("--label", "whywrong-grade"),
    ):
        assert pair in pairs
    assert {"--rm", "--read-only", "--interactive"} <= set(options)
    space = options[options.index("--tmpfs") + 1]
    assert "size=32m" in space and ("nr_inodes" in space) == (engine == "docker")
    assert not {"--volume", "-v", "--mount", "--privileged"} & set(options)
    assert program[:4] == ["python", "-P", "-m", "whywrong.grade.answer"]
    assert program[4:6] == ["--course", COURSE]
    limits = [
        "--memory",
        "700",
        "--files",
        "8",
        "--seconds",
        "60",
        "--processes",
        "0",
    ]
    assert program[6:14] == limits


def test_each_submission_has_a_container_and_a_hanging_one_is_removed(calls):
    launcher = Containers(COURSE, Limits(), "docker", "course_attn-grade", 30)
    assert graded(launcher, "softmax", HANGS, seconds=1).status == "crashed"
    assert graded(launcher, "softmax", RIGHT).passed
    launcher.close()
    names = [call[call.index("--name") + 1] for call in calls() if call[0] == "run"]
    assert (
        len(set(names)) == len(names) == 3
    )  # the last one waits for a third submission
    assert ["rm", "--force", names[0]] in calls()


def test_pod_has_no_rights_no_secrets_and_one_submission(calls):
    limits = Limits(memory=700, files=8)
    launcher = Containers(COURSE, limits, "kubectl", "course_attn-grade", 30)
    assert graded(launcher, "softmax", RIGHT).passed
    launcher.close()
    run, *others = calls()
    name = run[1]
    assert ["delete", "pod", "--now", name] in others
    assert {"--rm", "--stdin", "--quiet"} <= set(run)
    spec = json.loads(run[run.index("--overrides") + 1])["spec"]
    assert spec["automountServiceAccountToken"] is False
    rights = spec["securityContext"]
    assert rights["runAsNonRoot"] and rights["runAsUser"] == 65534
    assert rights["seccompProfile"] == {"type": "RuntimeDefault"}
    (container,) = spec["containers"]
    assert container["image"] == "course_attn-grade"
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert container["resources"]["limits"] == {"cpu": "1", "memory": "1400Mi"}
    (volume,) = spec["volumes"]
    assert volume["emptyDir"] == {"medium": "Memory", "sizeLimit": "32Mi"}
    assert spec["activeDeadlineSeconds"] == 150


def test_image_that_is_missing_is_said(calls):
    launcher = Containers(COURSE, Limits(), "docker", "no-such-image", 30)
    with pytest.raises(
        CannotStart, match="docker: Unable to find image 'no-such-image"
    ):
        launcher.start(torch=False)


def test_engine_that_is_missing_is_said(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    launcher = Containers(COURSE, Limits(), "podman", "any", 30)
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


@pytest.fixture
def hanging(calls, tmp_path):
    """Start the command for answers that hang; return it, and its first one's container."""
    (tmp_path / "submitted").mkdir()
    for student in ("ada", "bob"):
        (tmp_path / f"submitted/{student}.py").write_text(
            f"{RIGHT}\n{HANGS}", "utf-8"
        )
    options = ("--exercises", "softmax", "--workers", "2", "--seconds", "3000")
    run = subprocess.Popen(
        [sys.executable, "-m", "course_attn.grade", "submitted", *options,
         "--container", "docker", "--image", "course_attn-grade"],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    family = psutil.Process(run.pid)
    until = time.monotonic() + 600
    answers = []
    while len(answers) < 2 and time.monotonic() < until:
        time.sleep(0.1)
        below = family.children(recursive=True)
        answers = [one for one in below if "whywrong.grade.answer" in line_of(one)]
        answers = [one for one in answers if one.cpu_times().user > 1.5]
    assert answers
    yield run, below
    for one in below:
        with contextlib.suppress(psutil.NoSuchProcess):
            one.kill()


def line_of(process) -> list[str]:
    """Return a process's command line."""
    with contextlib.suppress(psutil.Error):
        return process.cmdline()
    return []


@pytest.mark.parametrize("number", every(2, [signal.SIGKILL, signal.SIGINT]))
def test_nothing_is_left_where_the_grader_is_stopped(hanging, calls, number):
    run, below = hanging
    os.kill(run.pid, number)
    assert run.wait(600) == (130 if number == signal.SIGINT else -number)
    # Their own time would be up later.
    gone, alive = psutil.wait_procs(below, 600)
    assert not alive
    names = {call[call.index("--name") + 1] for call in calls() if call[0] == "run"}
    assert {call[2] for call in calls() if call[0] == "rm"} == names
