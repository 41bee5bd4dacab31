"""What an answer's process may use up, what it sees and whom it reaches."""

import os
import platform
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

from course_attn.grade import main
from tests.whywrong.grade.classroom import COURSE, IMPORTS, ROOT, graded, probed
from whywrong.grade.hiding import CannotHide, places_to_hide
from whywrong.grade.jail import LEVELS, Jail
from whywrong.grade.launch import CannotStart, Processes, best_level
from whywrong.grade.proxy import Answer, ProcessEnded

RIGHT = IMPORTS + (
    "def softmax(scores):\n"
    "    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))\n"
    "    return exps / exps.sum(axis=-1, keepdims=True)\n"
)


def is_filtered() -> bool:
    """Return whether the kernel refuses some calls of answers here."""
    known = platform.machine() in ("x86_64", "aarch64")
    return sys.platform == "linux" and known


@pytest.fixture(scope="module")
def class_folder(tmp_path_factory):
    """Return a folder that answers must not see, and a file."""
    folder = tmp_path_factory.mktemp("class")
    (folder / "submitted").mkdir()
    (folder / "submitted" / "right.py").write_text("right", "utf-8")
    (folder / "gradebook.db").write_text("points", "utf-8")
    return folder


@pytest.fixture(scope="module")
def shut_in(level, class_folder):
    """Return what starts processes with namespaces of their own."""
    if not level.startswith("namespaces"):
        pytest.skip("this system allows no namespaces")
    hidden = tuple(
        str(class_folder / name) for name in ("submitted", "gradebook.db")
    )
    processes = Processes(COURSE, Jail(level, "", hidden, memory=512, files=4))
    yield processes
    processes.close()


@pytest.mark.skipif(not shutil.which("unshare"), reason="nothing to compare with")
def test_namespaces_are_used_where_the_system_allows_them(level):
    allowed = [
        "unshare",
        "--user",
        "--map-root-user",
        "--mount",
        "mount",
        "-t",
        "tmpfs",
    ]
    run = subprocess.run([*allowed, "none", "/mnt"], capture_output=True)
    assert level.startswith("namespaces") or run.returncode != 0


def test_class_is_hidden_and_files_are_read_only(shut_in, class_folder):
    cell = (
        "import os\n"
        "def probe(folder):\n"
        "    seen = os.listdir(folder + '/submitted'), open(folder + '/gradebook.db').read()\n"
        "    try:\n"
        "        open(folder + '/more', 'w')\n"
        "    except OSError as error:\n"
        "        return (*seen, error.strerror, os.listdir('.'))\n"
    )
    found = probed(shut_in, cell, str(class_folder))
    assert found == ([], "", "Read-only file system", [])


def test_no_network_and_no_other_process(shut_in):
    cell = (
        "import os\n"
        "def probe():\n"
        "    lines = open('/proc/net/dev').read().splitlines()[2:]\n"
        "    return [x.split(':')[0].strip() for x in lines], os.getpid(), os.getppid()\n"
    )
    assert probed(shut_in, cell) == (["lo"], 1, 0)


def test_calls_that_no_limit_sees_are_refused(launcher, tmp_path):
    if not is_filtered():
        pytest.skip("no filter of calls for this processor")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        server.listen()
        cell = (
            "import ctypes, os, socket\n"
            "libc = ctypes.CDLL(None, use_errno=True)\n"
            "def connects(path):\n"
            "    socket.socket(socket.AF_UNIX).connect(path)\n"
            "def shares():\n"
            "    assert libc.shmget(0, 1 << 20, 0o1600) >= 0, os.strerror(ctypes.get_errno())\n"
            "def said(do, *args):\n"
            "    try:\n"
            "        do(*args)\n"
            "    except (OSError, AssertionError) as error:\n"
            "        return getattr(error, 'strerror', None) or str(error)\n"
            "def probe(path):\n"
            "    return [said(connects, path), said(socket.socket), said(shares),\n"
            "            said(os.memfd_create, 'a')]\n"
        )
        found = probed(launcher, cell, str(tmp_path / "socket"))
    assert found == ["Operation not permitted"] * 4


def test_devices_are_those_that_do_nothing(shut_in):
    cell = (
        "import os\n"
        "def probe():\n"
        "    with open('/dev/null', 'w') as file:\n"
        "        file.write('text')\n"
        "    return sorted(os.listdir('/dev')), os.access('/dev', os.W_OK)\n"
    )
    harmless = ["full", "null", "random", "urandom", "zero"]
    assert probed(shut_in, cell) == (harmless, False)


def test_places_of_sockets_are_empty(level, shut_in, tmp_path, monkeypatch):
    monkeypatch.setenv("SSH_AUTH_SOCK", str(tmp_path / "agent"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "mine"))
    monkeypatch.setenv(
        "DBUS_SESSION_BUS_ADDRESS", f"unix:path={tmp_path / 'bus'},guid=1"
    )
    hidden = places_to_hide(COURSE, [], [])
    for place in ("agent", "mine", "bus"):
        assert str(tmp_path / place) in hidden
    if os.path.realpath("/run") not in hidden:
        pytest.skip("Python's files lie there")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/socket").touch()
    processes = Processes(COURSE, Jail(level, "", hidden))
    cell = (
        "import os\n"
        "def probe(path):\n"
        "    return [os.path.exists(path), *os.listdir('/run')]\n"
    )
    try:
        found = probed(processes, cell, str(tmp_path / "mine/socket"))
    finally:
        processes.close()
    assert found == [False]


def test_folder_to_write_in_is_small_and_new_for_each_answer(shut_in):
    cell = (
        "import os\n"
        "def probe():\n"
        "    first, written = os.listdir('.'), 0\n"
        "    try:\n"
        "        for i in range(100):\n"
        "            with open(f'{i}', 'wb') as file:\n"
        "                written += file.write(bytes(2**20))\n"
        "    except OSError as error:\n"
        "        return first, written >> 20, error.strerror\n"
    )
    for _ in range(2):
        assert probed(shut_in, cell) == ([], 16, "No space left on device")


def test_environment_tells_nothing(shut_in, monkeypatch):
    monkeypatch.setenv("TOKEN_OF_THE_TEACHER", "secret")
    processes = Processes(COURSE, Jail("limits only", ""))
    try:
        cell = "import os\ndef probe():\n    return sorted(os.environ)\n"
        assert "TOKEN_OF_THE_TEACHER" not in probed(processes, cell)
    finally:
        processes.close()


def test_what_an_answer_leaves_running_is_ended(launcher):
    cell = (
        "import subprocess\n"
        "def probe():\n"
        "    command = ['sh', '-c', 'setsid sleep 98765 & setsid sleep 98765 &']\n"
        "    return subprocess.run(command, start_new_session=True).returncode\n"
    )
    assert probed(launcher, cell) == 0
    assert not [
        p
        for p in psutil.process_iter(["cmdline"])
        if "98765" in (p.info["cmdline"] or ())
    ]


def test_memory_has_a_limit(shut_in):
    cell = (
        "def probe():\n"
        "    try:\n"
        "        return len(bytearray(2**30))\n"
        "    except MemoryError:\n"
        "        return 'refused'\n"
    )
    assert probed(shut_in, cell) == "refused"


OWN = "hoard = b'x' * (400 << 20)"
SHARED = "hoard = mmap.mmap(-1, 400 << 20); fill(hoard); os.fork() or hoard[::4096]"


@pytest.mark.parametrize(
    "hoard", [OWN, pytest.param(SHARED, marks=pytest.mark.exhaustive)]
)
def test_processes_that_hoard_memory_together_are_ended(shut_in, hoard):
    cell = (
        "import mmap, os, time\n"
        "def fill(memory):\n"
        "    for i in range(0, len(memory), 1 << 20):\n"
        "        memory[i : i + (1 << 20)] = bytes(1 << 20)\n"
        "def probe():\n"
        "    for _ in range(6):\n"
        "        full, tell = os.pipe()\n"
        "        if os.fork() == 0:\n"
        f"            {hoard}\n"
        "            os.write(tell, b'x')\n"
        "            time.sleep(1000)\n"
        "        os.read(full, 1)\n"
        "    time.sleep(1000)\n"
    )
    with pytest.raises(ProcessEnded, match="nobody is there"):
        probed(shut_in, cell, seconds=1_000)
    assert graded(shut_in, "softmax", RIGHT).passed


@pytest.mark.exhaustive
def test_processes_without_end_are_ended_and_say_so(launcher):
    cell = "import os, time\nwhile True:\n    if os.fork() == 0:\n        time.sleep(1000)\n"
    result = graded(launcher, "softmax", cell, RIGHT, seconds=1_000)
    # Where the system refuses the next one, which it never does to root, only the cell fails.
    system_refuses = os.getuid() != 0 and result.passed
    assert system_refuses or "it started more than 64 others" in result.message
    assert graded(launcher, "softmax", RIGHT).passed


def test_loop_that_nothing_interrupts_is_ended_and_others_do_without_its_cell(
    launcher,
):
    from course_attn.exercises import catalog
    from tests.whywrong.grade.classroom import code_of
    from whywrong.grade.verdicts import Grader

    loop = "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 60))\nwhile True: pass"
    answer = "def true_of_softmax():\n    return {'b', 'd', 'e'}\n"
    grader = Grader(launcher, catalog.find, "a seed", 3)
    results = grader.results(
        code_of(RIGHT, loop, answer), ["softmax", "true_of_softmax"]
    )
    assert results["softmax"].message == (
        "It did not come to an end within 3 seconds. It was running cell 2."
    )
    assert results["true_of_softmax"].passed


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "level", [level for level in LEVELS if "nobody" not in level]
)
def test_each_level_runs_answers_or_says_why_not(level):
    processes = Processes(COURSE, Jail(level, ""))
    try:
        assert graded(processes, "softmax", RIGHT).passed
    except CannotStart as problem:
        assert level.startswith("namespaces") and str(problem)
    finally:
        processes.close()


@pytest.mark.skipif(os.getuid() != 0, reason="only root may take another's rights")
def test_nobody_has_no_rights(class_folder):
    processes = Processes(COURSE, Jail("nobody's rights", ""), slot=7)
    (class_folder / "gradebook.db").chmod(0o600)
    cell = (
        "import os\n"
        "def probe(path):\n"
        "    return os.getuid(), os.access(path, os.R_OK), os.getgroups()\n"
    )
    try:
        assert probed(processes, cell, str(class_folder / "gradebook.db")) == (
            64007,
            False,
            [],
        )
    finally:
        processes.close()


def test_what_python_needs_cannot_be_hidden_and_that_is_said(tmp_path):
    (tmp_path / "submitted").mkdir()
    submitted = str(tmp_path / "submitted")
    assert places_to_hide(COURSE, [Path(submitted)], [])[0] == submitted
    for place in (os.path.dirname(np.__path__[0]), "/"):
        for places in ([Path(place)], []), ([], [Path(place)]):
            with pytest.raises(CannotHide, match="answers would see it"):
                places_to_hide(COURSE, *places)


def test_folder_where_the_command_is_given_is_hidden(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(os.getcwd())  # as "python -m" does
    assert str(tmp_path) in places_to_hide(COURSE, [Path()], [])


def test_others_in_the_folder_of_a_file_are_hidden(tmp_path):
    places = [tmp_path / "bob.py", tmp_path / "ada.py"]
    for path in places:
        path.touch()
    assert places_to_hide(COURSE, places, [])[:1] == (str(tmp_path),)
    assert str(tmp_path / "bob.py") not in places_to_hide(COURSE, places, [])


def test_what_nbgrader_keeps_of_the_class_is_hidden(tmp_path):
    kept = ("submitted", "source", "autograded", "gradebook.db")
    (tmp_path / "submitted/ada").mkdir(parents=True)
    for name in ("source", "autograded", "scripts"):
        (tmp_path / name).mkdir()
    (tmp_path / "gradebook.db").touch()
    for place in ("submitted", "submitted/ada"):
        hidden = places_to_hide(COURSE, [tmp_path / place], [])
        assert {str(tmp_path / name) for name in kept} <= set(hidden)
        assert str(tmp_path / "scripts") not in hidden


def test_any_number_of_places_is_hidden(level, class_folder):
    hidden = tuple(f"{class_folder}/{'x' * 90}{i}" for i in range(2000))
    processes = Processes(COURSE, Jail(level, "", hidden))
    try:
        assert probed(processes, "def probe():\n    return 1\n") == 1
    finally:
        processes.close()


def test_limits_alone_are_for_those_who_ask_for_them(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(
        "whywrong.grade.__main__.best_level", lambda *args, **options: LEVELS[-1]
    )
    (tmp_path / "submitted").mkdir()
    (tmp_path / "submitted/ada.py").write_text(RIGHT, "utf-8")
    arguments = [str(tmp_path / "submitted"), "-o", str(tmp_path / "graded")]
    assert main([*arguments, "--workers", "1"]) == 2
    said = capsys.readouterr()
    assert "an answer could read and write your files" in said.err
    assert "--isolation limits" in said.err and not said.out


def test_without_namespaces_nobody_is_still_tried():
    level = best_level(COURSE, Jail("", ""), namespaces=False)
    assert level in LEVELS[2:]


def test_full_disk_is_said(monkeypatch):
    def full(*args, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.mkdtemp", full)
    with pytest.raises(CannotStart, match="No space left"):
        Processes(COURSE, Jail("limits only", "")).start(torch=False)
    with pytest.raises(CannotStart, match="No space left"):
        best_level(COURSE, Jail("limits only", ""))


def test_answers_that_cannot_start_are_said(launcher):
    processes = Processes(COURSE, Jail("namespaces", "", ("/",)))
    processes._jail = Jail("namespaces", "", ("/proc",), files=-1)
    try:
        with pytest.raises(CannotStart, match="Error"):
            processes.start(torch=False)
    finally:
        processes.close()


def test_time_for_all_is_kept_where_an_answer_trickles(launcher):
    answer = Answer(launcher.start(torch=False), 2)
    try:
        begun = time.monotonic()
        cell = "import time\nfor _ in range(100):\n    time.sleep(0.1)\n"
        with pytest.raises(ProcessEnded, match="within 2 seconds"):
            answer.cells([(i, cell) for i in range(10)], lambda number: None)
        assert time.monotonic() - begun >= 2
    finally:
        launcher.end()


def test_windows_is_told_where_the_command_runs():
    program = (
        "import whywrong, runpy, sys\n"
        "sys.platform = 'win32'\n"
        "runpy.run_module('whywrong.grade', run_name='__main__')\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert run.returncode == 1
    assert run.stderr == "grade: on Windows it runs in WSL\n"
