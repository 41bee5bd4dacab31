"""An answer that does not end is ended; key presses and alarms go where they belong."""

import os
import signal
import sys
import threading
import time
from dataclasses import replace

import pytest

from tests.whywrong.cells import scaled, written
from whywrong import Question, as_letters, judge
from whywrong.running import KeyPressed, TimesUp, run_limited

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


def test_all_calls_together_have_twice_the_time_of_one(hurried):
    """Each call is quick enough, and there are many."""
    slow = scaled("time.sleep(0.06)\n    return x * factor")
    result = judge(hurried, slow)
    assert result.faults == ("endless",)
    assert "all calls of the check together" in result.message


def test_import_is_not_cut_in_two(tmp_path, monkeypatch):
    """Half a module would be left behind, and the next import of it fails or crashes Python."""
    (tmp_path / "slow_module.py").write_text(
        "import time\ntime.sleep(0.3)\nvalue = 7\n"
    )
    monkeypatch.syspath_prepend(tmp_path)

    def imports():
        import slow_module

        return slow_module.value

    assert run_limited(imports, 0.1) == 7


def test_time_after_an_import_is_limited(tmp_path, monkeypatch):
    (tmp_path / "slow_module_2.py").write_text("import time\ntime.sleep(0.15)\n")
    monkeypatch.syspath_prepend(tmp_path)

    def imports():
        import slow_module_2  # noqa: F401

        time.sleep(60)

    with pytest.raises(TimesUp):
        run_limited(imports, 0.1)


def test_endless_recursion_with_a_high_limit_is_told_soon():
    """Of a million frames only the nearest are kept."""

    def deeper(n):
        return deeper(n + 1)

    old = sys.getrecursionlimit()
    sys.setrecursionlimit(3 * 10**5)
    try:
        with pytest.raises(TimesUp) as caught:
            run_limited(lambda: deeper(0), 0.05)
    except RecursionError:  # the machine was quicker than the clock
        return
    finally:
        sys.setrecursionlimit(old)
    assert 0 < len(caught.value.places) <= 100


class Endless:
    """Reading it never ends."""

    shape = (2,)

    def __array__(self, *args, **kwargs):
        while True:
            pass

    def __len__(self):
        return 2

    def __getitem__(self, i):
        while True:
            pass


def test_result_that_cannot_be_read_is_told(hurried):
    result = judge(hurried, lambda x, factor: Endless())
    assert result.status == "wrong" and "cannot be read" in result.message


class Talking(Exception):
    """Its text never ends."""

    def __str__(self):
        while True:
            pass


def test_exception_whose_text_never_ends_is_told(hurried):
    def raises(x, factor):
        raise Talking

    result = judge(hurried, raises)
    assert result.status == "crashed" and "Talking" in result.message


@pytest.mark.parametrize("answer", [lambda: iter(int, 1), lambda: Endless()])
def test_answer_to_a_question_that_never_ends_is_told(answer):
    question = Question(
        lambda: {"a"},
        10,
        "",
        "",
        ("", "", ""),
        read=as_letters,
        reasons=(),
        minutes=5,
        level="easy",
        seconds=0.2,
    )
    assert judge(question, answer).faults == ("form",)


@pytest.mark.parametrize("seconds", [1e-6, 1e-5, 1e-4])
def test_limit_that_is_over_at_once_leaves_no_alarm_behind(seconds):
    """The first ring may come before the call has begun."""
    handler = signal.getsignal(signal.SIGALRM)
    for _ in range(50):
        try:
            run_limited(lambda: sum(range(100)), seconds)
        except TimesUp:
            pass
        assert signal.getsignal(signal.SIGALRM) is handler
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
