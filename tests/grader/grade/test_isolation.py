"""What an answer's process may use up, what it sees and whom it reaches."""

import os
import socket
import time

import numpy as np
import psutil
import pytest

from course_attn.grade.jail import LEVELS, Jail, mine_to_hide
from course_attn.grade.launch import CannotStart, Processes
from course_attn.grade.proxy import Answer, Ended
from tests.grader.grade.classroom import COURSE, IMPORTS, graded, probed

RIGHT = IMPORTS + (
    "def softmax(scores):\n"
    "    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))\n"
    "    return powers / powers.sum(axis=-1, keepdims=True)\n"
)


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
    with socket.create_server(("127.0.0.1", 0)) as server:
        cell = (
            "import os, socket\n"
            "def probe(port):\n"
            "    try:\n"
            "        socket.create_connection(('127.0.0.1', port), 1)\n"
            "    except OSError as error:\n"
            "        return error.strerror, os.getpid(), os.getppid()\n"
        )
        found = probed(shut_in, cell, server.getsockname()[1])
    assert found == ("Network is unreachable", 1, 0)


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


def test_processes_that_hoard_memory_together_are_ended(shut_in):
    cell = (
        "import os, time\n"
        "def probe():\n"
        "    for _ in range(6):\n"
        "        if os.fork() == 0:\n"
        "            hoard = b'x' * (400 << 20)\n"
        "            time.sleep(1000)\n"
        "    time.sleep(1000)\n"
    )
    with pytest.raises(Ended, match="nobody is there"):
        probed(shut_in, cell, seconds=100)
    assert graded(shut_in, "softmax", RIGHT).passed


def test_processes_without_end_are_ended_and_say_so(launcher):
    cell = "import os, time\nwhile True:\n    if os.fork() == 0:\n        time.sleep(1000)\n"
    result = graded(launcher, "softmax", cell, RIGHT, seconds=100)
    # Where the system refuses the next one, which it never does to root, only the cell fails.
    system_refuses = os.getuid() != 0 and result.passed
    assert system_refuses or "it started more than 64 others" in result.message
    assert graded(launcher, "softmax", RIGHT).passed


def test_loop_that_nothing_interrupts_is_ended_and_others_do_without_its_cell(
    launcher,
):
    from course_attn.exercises import catalog
    from course_attn.grade.verdicts import Grader
    from tests.grader.grade.classroom import code_of

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


def test_folders_that_python_needs_are_not_hidden(tmp_path):
    (tmp_path / "submitted").mkdir()
    places = [str(tmp_path / "submitted"), os.path.dirname(np.__path__[0]), "/"]
    assert mine_to_hide(places) == (str(tmp_path / "submitted"),)


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
        with pytest.raises(Ended, match="within 2 seconds"):
            answer.cells([(i, cell) for i in range(10)], lambda number: None)
        assert time.monotonic() - begun >= 2
    finally:
        launcher.end()
