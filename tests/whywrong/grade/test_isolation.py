"""What an answer's process may use up, what it sees and whom it reaches.

Each attack that ever got through is here, as an answer that asks the sandbox itself.
"""

import os
import subprocess
import sys
import time

import psutil
import pytest

from course_attn.exercises import catalog
from course_attn.grade import main
from tests.support.sampled import every
from tests.whywrong.grade.classroom import (
    COURSE,
    IMPORTS,
    ROOT,
    code_of,
    graded,
    probed,
    why_no_sandbox,
)
from whywrong.grade import sandbox
from whywrong.grade.launch import CannotStart, Sandboxes, Trusted
from whywrong.grade.limits import Limits
from whywrong.grade.proxy import Answer, ProcessEnded
from whywrong.grade.verdicts import Grader

RIGHT = IMPORTS + (
    "def softmax(scores):\n"
    "    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))\n"
    "    return exps / exps.sum(axis=-1, keepdims=True)\n"
)
REFUSED = "Operation not permitted"
SAID = """
import ctypes, os, socket
libc, long = ctypes.CDLL(None, use_errno=True), ctypes.c_long

def said(do, *args):
    try:
        got = do(*args)
    except OSError as error:
        return error.strerror
    return os.strerror(ctypes.get_errno()) if got == -1 else "done"

def call(number, *args):
    plain = [long(a) if isinstance(a, int) else a for a in args]
    return libc.syscall(long(number), *plain)
"""


# --- attacks that once got through ----------------------------------------------------------------


def test_root_escape_by_the_kernels_settings(shut_in):
    """Whoever writes core_pattern runs any program as root, outside of everything."""
    cell = (
        SAID
        + """
def probe():
    places = ["kernel/core_pattern", "kernel/hostname", "vm/drop_caches"]
    open_it = lambda place: open(f"/proc/sys/{place}", "r+").close()
    return os.getuid(), [said(open_it, place) for place in places]
"""
    )
    uid, settings = probed(shut_in, cell)
    assert uid == 65534
    assert set(settings) <= {"Permission denied", "Read-only file system"}


def test_memory_that_counts_to_no_process(shut_in):
    cell = (
        SAID
        + """
def probe():
    size = 32000
    asked = [(libc.semget, 0, size, 0o1600), (libc.msgget, 0, 0o1600),
             (libc.mq_open, b"/a", 0o102, 0o600, None), (libc.shmget, 0, size, 0o1600),
             (os.memfd_create, "a")]
    return [said(*one) for one in asked]
"""
    )
    assert probed(shut_in, cell) == [REFUSED] * 5


def test_number_of_files_is_bounded(shut_in):
    cell = """
def probe():
    try:
        for number in range(100_000):
            open(f"{number}", "w").close()
    except OSError as error:
        return number, error.strerror
"""
    number, said = probed(shut_in, cell)
    assert 9_000 < number < 10_000 and said == "No space left on device"


X86 = pytest.mark.skipif(os.uname().machine != "x86_64", reason="numbers of x86-64")


@X86
def test_keyrings_of_the_kernel(shut_in):
    """The teacher's session ring may hold tickets, and a user's ring outlives an answer."""
    cell = (
        SAID
        + """
def probe():
    asked = [(248, b"user", b"note", b"7", 1, -4), (249, b"user", b"note", None, -4),
             (250, 10, -3, b"user", b"note", 0), (250, 11, 1, b"", 0)]
    return [said(call, *one) for one in asked]
"""
    )
    assert probed(shut_in, cell) == [REFUSED] * 4


def test_sockets_of_every_kind(shut_in):
    cell = (
        SAID
        + """
import asyncio

async def sleeps():
    await asyncio.sleep(0.01)
    return "asyncio runs"

def probe():
    unix, stream, datagram = socket.AF_UNIX, socket.SOCK_STREAM, socket.SOCK_DGRAM
    kinds = [(unix, stream), (unix, datagram), (socket.AF_INET, stream), (socket.AF_NETLINK, 3)]
    pairs = [said(socket.socketpair, unix, datagram), said(socket.socketpair, unix, 5)]
    a, b = socket.socketpair()
    named = [said(a.sendto, b"secret", "/tmp/listener"), said(a.sendmsg, [b"secret"])]
    return [*(said(socket.socket, *kind) for kind in kinds), *pairs, *named], asyncio.run(sleeps())
"""
    )
    refused, runs = probed(shut_in, cell)
    assert refused == [REFUSED] * 8 and runs == "asyncio runs"


def test_notes_between_submissions(shut_in):
    """What everybody may write somewhere is read by the next answer, or fills the disk."""
    cell = (
        SAID
        + """
def probe():
    seen = [*os.listdir("/tmp"), *os.listdir("/dev")]
    places = ["/tmp", "/var/tmp", "/dev/shm", "/run/lock", "/", "/dev", "/proc", "/usr"]
    keep = lambda place: open(f"{place}/note", "w").close()
    return seen, [place for place in places if said(keep, place) == "done"]
"""
    )
    devices = {"null", "zero", "full", "random", "urandom"}
    for _ in range(2):
        seen, written = probed(shut_in, cell)
        assert set(seen) == devices and written == ["/tmp"]


@pytest.mark.skipif(os.getuid() != 0, reason="only root may take another's rights")
def test_sandboxes_of_root_are_of_different_users(shut_in):
    users = set()
    for _ in range(2):
        process = shut_in.start(torch=False)
        inside = process._family.children(recursive=True)
        users |= {one.uids().real for one in inside}
        shut_in.finish()
    assert len(users) == 2 and 0 not in users


@X86
def test_namespaces_within(shut_in):
    cell = (
        SAID
        + """
def probe():
    new = 0x10000000 | 0x20000
    asked = [(libc.unshare, new), (libc.setns, 0, 0), (call, 56, new | 17, 0, 0, 0, 0),
             (libc.mount, b"none", b"/tmp", b"tmpfs", 0, None), (libc.umount2, b"/usr", 2),
             (libc.chroot, b"/tmp"), (call, 428, -100, b"/", 1), (call, 101, 0, 0, 0, 0)]
    return [said(*one) for one in asked], said(call, 435, b"", 0)
"""
    )
    refused, clone3 = probed(shut_in, cell)
    assert refused == [REFUSED] * 8 and clone3 == "Function not implemented"


HUGE = """
import numpy as np
import whywrong.grade.answer as a
a._Answer.tutor = lambda self, name: {'status': 'right', 'message': ''}
def softmax(scores):
    return np.zeros(8 * 10**6)
"""


def test_results_of_64_mb_cost_no_multiple_of_the_time(launcher):
    begun = time.monotonic()
    result = graded(launcher, "softmax", HUGE, seconds=20)
    assert "the other side sends more than is allowed" in result.message
    assert time.monotonic() - begun < 20


def test_right_answer_that_closes_stdout_is_right(launcher):
    assert graded(
        launcher, "softmax", "import sys\nsys.stdout.close()", RIGHT
    ).passed


# --- what is seen, and what may be used up --------------------------------------------------------


def test_only_python_and_the_course_can_be_read(shut_in, tmp_path):
    (tmp_path / "submitted").mkdir()
    (tmp_path / "submitted/seed.txt").write_text("7", "utf-8")
    cell = """
import os
def probe(*places):
    return [os.path.exists(place) for place in places]
"""
    hidden = [
        str(tmp_path),
        str(ROOT / "tests"),
        "/etc/passwd",
        "/etc/shadow",
        "/var",
        "/run",
    ]
    seen = [str(ROOT / "course_attn"), sys.prefix, "/usr/lib"]
    found = probed(shut_in, cell, *hidden, *seen)
    assert found == [False] * len(hidden) + [True] * len(seen)


def test_of_tmp_only_python_is_seen_where_it_lies_there(shut_in, tmp_path):
    python = tmp_path / "python"
    python.mkdir()
    (tmp_path / "secret").write_text("7", "utf-8")
    cell = """
import os
def probe(top, python):
    try:
        open(f"{python}/mine", "w")
    except OSError as error:
        return os.listdir(top), error.strerror
"""
    launcher = Sandboxes(COURSE, Limits())
    launcher._readable += (str(python),)
    try:
        seen, said = probed(launcher, cell, str(tmp_path), str(python))
    finally:
        launcher.close()
    assert seen == ["python"] and said == "Read-only file system"


def test_every_mount_but_the_folder_is_read_only(shut_in):
    cell = """
def probe():
    lines = [line.split() for line in open("/proc/self/mountinfo")]
    return [w[4] for w in lines if "ro" not in w[5].split(",")]
"""
    devices = [
        f"/dev/{name}" for name in ("full", "null", "random", "urandom", "zero")
    ]
    assert sorted(probed(shut_in, cell)) == [*devices, "/tmp"]


def test_answer_has_no_capability_and_gets_none(shut_in):
    cell = """
def probe():
    lines = [line.split() for line in open("/proc/self/status")]
    return [w[1] for w in lines if w[0].startswith(("Cap", "NoNewPrivs", "Seccomp:"))]
"""
    *capabilities, no_more, filtered = probed(shut_in, cell)
    assert {int(mask, 16) for mask in capabilities} == {0}
    assert (no_more, filtered) == ("1", "2")


def test_no_network_and_no_other_process(shut_in):
    cell = (
        "import os\n"
        "def probe():\n"
        "    lines = open('/proc/net/dev').read().splitlines()[2:]\n"
        "    seen = [name for name in os.listdir('/proc') if name.isdigit()]\n"
        "    return [x.split(':')[0].strip() for x in lines], len(seen)\n"
    )
    # the one that starts answers, and the answer
    assert probed(shut_in, cell) == (["lo"], 2)


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


def test_environment_tells_nothing(monkeypatch):
    monkeypatch.setenv("TOKEN_OF_THE_TEACHER", "secret")
    launcher = (Trusted if why_no_sandbox() else Sandboxes)(COURSE, Limits())
    try:
        cell = "import os\ndef probe():\n    return sorted(os.environ)\n"
        assert "TOKEN_OF_THE_TEACHER" not in probed(launcher, cell)
    finally:
        launcher.close()


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


@pytest.mark.parametrize("hoard", every(2, [OWN, SHARED]))
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
    # Where each sandbox has its own count, the next one is refused, and only the cell fails.
    is_refused = not why_no_sandbox() and result.passed
    assert is_refused or "it started more than 64 others" in result.message
    assert graded(launcher, "softmax", RIGHT).passed


def test_loop_that_nothing_interrupts_is_ended_and_others_do_without_its_cell(
    launcher,
):

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


def test_step_of_c_that_never_ends_is_ended(launcher):
    """Nothing cuts it in the Python in which it runs, so that a notebook's check cannot."""
    cell = "import itertools\ndef softmax(scores):\n    return sum(itertools.repeat(1))\n"
    result = graded(launcher, "softmax", cell, seconds=3)
    assert result.message == "It did not come to an end within 3 seconds."


def test_next_exercise_of_a_submission_begins_anew_in_the_same_sandbox(shut_in):
    """So that PyTorch is loaded once for all of them."""
    cell = (
        "import os\ndef probe():\n    return os.getppid(), 'mine' in os.environ\n"
    )
    marks = "import os\nos.environ['mine'] = '1'\n"
    found, used = [], []
    for source in (cell + marks, cell):
        used.append(shut_in.start(torch=False))
        answer = Answer(used[-1], 20)
        answer.cells([(1, source)], lambda number: None)
        call = answer.function("probe", [], seconds=9, used=False, torch=False)
        answer.look("probe")
        found.append(call())
        assert shut_in.end() == ""
    shut_in.finish()
    assert found == [(1, True), (1, False)] and used[0] is used[1]


def test_answer_that_ends_itself_costs_no_other_sandbox(shut_in):
    """Nothing of it is left there, and PyTorch need not be loaded again."""
    used = []
    for cell in ("import os\nos._exit(3)\n", "mine = 1\n"):
        used.append(shut_in.start(torch=False))
        answer = Answer(used[-1], 20)
        try:
            assert answer.cells([(1, cell)], lambda number: None) == {}
            assert answer.look("mine")["found"]
        except ProcessEnded:
            assert "exit status 3" in shut_in.end(gone=True)
    shut_in.finish()
    assert used[0] is used[1]


def test_answer_cannot_end_what_has_started_it(shut_in):
    cell = "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n"
    assert graded(shut_in, "softmax", cell, RIGHT).passed


def test_sandbox_in_which_something_still_runs_is_not_used_again(shut_in):
    first = shut_in.start(torch=False)
    answer = Answer(first, 20)
    # It waits until the other has left its group, with which it would be ended.
    cell = (
        "import os, time\nr, w = os.pipe()\nif os.fork() == 0:\n    os.setsid()\n"
        "    os.write(w, b'.')\n    time.sleep(1000)\nos.read(r, 1)\n"
    )
    answer.cells([(1, cell)], lambda number: None)
    shut_in.end()
    assert shut_in.start(torch=False) is not first
    shut_in.finish()


def test_next_sandbox_waits_with_all_loaded(shut_in):
    shut_in.start(torch=True)
    waiting = shut_in._ahead
    shut_in.finish()
    assert shut_in.start(torch=True) is waiting
    shut_in.finish()


def test_sandbox_that_is_gone_while_it_waits_is_replaced(shut_in):
    shut_in.start(torch=False)
    shut_in._ahead.kill()
    shut_in.finish()
    assert graded(shut_in, "softmax", RIGHT).passed


# --- where nothing shuts answers in ---------------------------------------------------------------


def handed_in(tmp_path) -> list[str]:
    """Hand in one answer; return what the command is told."""
    (tmp_path / "submitted").mkdir()
    (tmp_path / "submitted/ada.py").write_text(RIGHT, "utf-8")
    places = [str(tmp_path / "submitted"), "-o", str(tmp_path / "graded")]
    return [*places, "--exercises", "softmax", "--workers", "1"]


@pytest.mark.parametrize(
    "missing, said",
    [
        ("bwrap", "bubblewrap is not installed (apt-get install bubblewrap)"),
        ("pyseccomp", "pyseccomp is not installed (pip install pyseccomp)"),
    ],
)
def test_without_a_sandbox_nothing_is_graded_and_one_line_says_why(
    tmp_path, monkeypatch, capsys, missing, said
):
    if missing == "bwrap":
        monkeypatch.setenv("PATH", str(tmp_path))
    else:
        monkeypatch.setattr("shutil.which", lambda name: name)
        monkeypatch.setitem(sys.modules, "pyseccomp", None)
    assert main(handed_in(tmp_path)) == 2
    out, err = capsys.readouterr()
    assert err.startswith(f"grade: answers cannot be shut in here: {said}; ")
    assert "--trust-answers runs answers with your own rights" in err
    assert err.count("\n") == 1 and not out


def test_sandbox_that_the_system_refuses_is_said_in_one_line(
    tmp_path, monkeypatch, capsys
):
    program = tmp_path / "bin/unshare"
    program.parent.mkdir()
    program.write_text(
        "#!/bin/sh\necho 'unshare: not allowed' >&2; exit 1\n", "utf-8"
    )
    program.chmod(0o755)
    monkeypatch.setattr("whywrong.grade.__main__.why_no_sandbox", lambda: "")
    monkeypatch.setattr(sandbox, "_rules", lambda: b"")
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    assert main(handed_in(tmp_path)) == 2
    said = capsys.readouterr().err
    assert "answers cannot be shut in here: unshare: not allowed; " in said
    assert said.count("\n") == 1


def test_class_among_pythons_files_is_refused(tmp_path, monkeypatch, capsys):
    arguments = handed_in(tmp_path)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert f"{tmp_path / 'submitted'}: answers would see it" in said


def test_answers_that_are_trusted_have_ones_own_rights_and_that_is_said(
    tmp_path, capsys
):
    assert main([*handed_in(tmp_path), "--trust-answers"]) == 0
    assert (
        "Answers run with your own rights: they can read" in capsys.readouterr().out
    )
    launcher = Trusted(COURSE, Limits())
    cell = "import os\ndef probe(place):\n    return os.getuid(), os.path.exists(place)\n"
    try:
        assert probed(launcher, cell, str(tmp_path)) == (os.getuid(), True)
    finally:
        launcher.close()
    assert not os.path.exists(launcher._now or "gone")


def test_full_disk_is_said(monkeypatch):
    def full(*args, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.mkdtemp", full)
    launcher = Trusted(COURSE, Limits())
    with pytest.raises(CannotStart, match="No space left"):
        launcher.start(torch=False)
    launcher.close()


def test_course_that_cannot_be_loaded_there_is_said():
    launcher = Trusted("no_such_course", Limits())
    with pytest.raises(CannotStart, match="No module named 'no_such_course'"):
        launcher.start(torch=False)
    launcher.close()


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
