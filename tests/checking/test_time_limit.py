"""An answer that does not end is ended; key presses and alarms go where they belong."""

import os
import signal
import threading
import time

import pytest

from course_attn.checking import judge
from course_attn.checking.time_limit import KeyPressed, TimesUp, run_limited

from .cells import scaled, written

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


@pytest.mark.parametrize("loop", LOOPS)
def test_an_endless_loop_ends(toy, loop):
    started = time.monotonic()
    result = judge(
        toy, written(f"def scaled(x, factor):\n{LOOPS[loop]}\n    return x")
    )
    assert result.status == "crashed" and result.faults == ("endless",)
    assert time.monotonic() - started < 3 and "in line" in result.message


@pytest.mark.parametrize("loop", [name for name in LOOPS if name != "sleep"])
def test_an_endless_loop_ends_in_another_thread(toy, loop):
    results = []
    function = written(f"def scaled(x, factor):\n{LOOPS[loop]}\n    return x")
    thread = threading.Thread(
        target=lambda: results.append(judge(toy, function)), daemon=True
    )
    thread.start()
    thread.join(10)
    assert results and results[0].faults == ("endless",)


def test_a_right_answer_passes_in_another_thread(toy):
    results = []
    thread = threading.Thread(
        target=lambda: results.append(judge(toy, lambda x, f: x * f))
    )
    thread.start()
    thread.join(10)
    assert results[0].passed


def test_a_time_limit_that_is_swallowed_is_still_reported():
    def stubborn():
        try:
            time.sleep(5)
        except BaseException:
            return 1

    with pytest.raises(TimesUp):
        run_limited(stubborn, 0.05)


def test_the_alarm_of_somebody_else_is_given_back():
    rung = []
    old = signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        run_limited(lambda: time.sleep(0.05), 1.0)
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] < 0.2
        time.sleep(0.3)
        assert rung == [1]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def test_no_alarm_is_left_behind(toy):
    judge(toy, lambda x, factor: x * factor)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_key_press_ends_the_call_at_once():
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    started = time.monotonic()
    with pytest.raises(KeyPressed):
        run_limited(lambda: time.sleep(5), 10.0)
    assert time.monotonic() - started < 3


@pytest.mark.parametrize(
    "body", ["time.sleep(5)", "\n    try:\n        time.sleep(5)\n    except: pass"]
)
def test_a_real_key_press_gets_through(toy, body):
    before = signal.getsignal(signal.SIGINT)
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyPressed):
        judge(toy, scaled(body))
    assert signal.getsignal(signal.SIGINT) is before
