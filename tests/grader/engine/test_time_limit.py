"""An answer that does not end is ended; key presses and alarms go where they belong."""

import os
import signal
import threading
import time
from dataclasses import replace

import pytest

from course_attn.checking import judge
from course_attn.checking.time_limit import KeyPressed, TimesUp, run_limited
from tests.grader.engine.cells import scaled, written

LOOPS = {
    "plain": "    while True:\n        pass",
    "bare except": "    while 1:\n        try:\n            x + 1\n        except:\n            0",
    "base exception": "    while True:\n        try:\n            x.sum()\n"
    "        except BaseException:\n            continue",
    "nested": "    while True:\n        try:\n            while True:\n                try:\n"
    "                    x.sum()\n                except:\n                    x.sum()\n"
    "        except:\n            x.sum()",
    "helper": "    def f():\n        return 1\n    while True:\n        try:\n            f()\n"
    "        except:\n            pass",
    "sleep": "    time.sleep(60)",
    "for": "    import itertools\n    for i in itertools.count():\n        x = x + 1",
}


@pytest.fixture
def hurried(toy):
    """The small exercise, with as little time as an endless loop needs to be noticed."""
    return replace(toy, seconds=0.1)


@pytest.mark.parametrize("loop", LOOPS)
def test_endless_loop_ends(hurried, loop):
    started = time.monotonic()
    result = judge(
        hurried, written(f"def scaled(x, factor):\n{LOOPS[loop]}\n    return x")
    )
    assert result.status == "crashed" and result.faults == ("endless",)
    assert time.monotonic() - started < 30 and "in line" in result.message


@pytest.mark.parametrize("loop", [name for name in LOOPS if name != "sleep"])
def test_endless_loop_ends_in_another_thread(hurried, loop):
    results = []
    function = written(f"def scaled(x, factor):\n{LOOPS[loop]}\n    return x")
    thread = threading.Thread(
        target=lambda: results.append(judge(hurried, function)), daemon=True
    )
    thread.start()
    thread.join(10)
    assert results and results[0].faults == ("endless",)


def test_right_answer_passes_in_another_thread(toy):
    results = []
    thread = threading.Thread(
        target=lambda: results.append(judge(toy, lambda x, f: x * f))
    )
    thread.start()
    thread.join(10)
    assert results[0].passed


def test_run_limited_reports_a_limit_that_was_swallowed():
    def stubborn():
        try:
            time.sleep(5)
        except BaseException:
            return 1

    with pytest.raises(TimesUp):
        run_limited(stubborn, 0.05)


def test_run_limited_gives_back_the_alarm_of_somebody_else():
    rung = []
    old = signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
    signal.setitimer(signal.ITIMER_REAL, 1.0)
    try:
        run_limited(lambda: time.sleep(0.05), 10.0)
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] < 1.0
        for _ in range(1000):
            if not rung:
                time.sleep(0.01)
        assert rung == [1]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def test_judge_leaves_no_alarm_behind(toy):
    judge(toy, lambda x, factor: x * factor)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_key_press_ends_the_call_at_once():
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    started = time.monotonic()
    with pytest.raises(KeyPressed):
        run_limited(lambda: time.sleep(60), 120.0)
    assert time.monotonic() - started < 30


@pytest.mark.parametrize(
    "body", ["time.sleep(5)", "\n    try:\n        time.sleep(5)\n    except: pass"]
)
def test_key_press_gets_through_judge(toy, body):
    before = signal.getsignal(signal.SIGINT)
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyPressed):
        judge(toy, scaled(body))
    assert signal.getsignal(signal.SIGINT) is before
