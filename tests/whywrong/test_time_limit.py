"""An answer that does not end is ended; key presses and alarms go where they belong."""

import os
import signal
import threading
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from tests.whywrong.cells import scaled, written
from whywrong import Letters, Question, explain, judge, limits
from whywrong.declare import Property
from whywrong.limits import Clock, KeyPressed, TimesUp, run_limited
from whywrong.running import run_trial

# Seconds for which nothing here lasts: what is to be ended would, and is waited for no longer.
TOO_LONG = 600
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
    "sleep": "    time.sleep(TOO_LONG)",
    "for": "    import itertools\n    for i in itertools.count():\n        x = x + 1",
}


@pytest.fixture
def hurried(toy):
    """The small exercise, with as little time as an endless loop needs to be noticed."""
    return replace(toy, seconds=0.1)


@pytest.mark.parametrize("loop", LOOPS)
def test_endless_loop_ends(hurried, loop):
    source = f"def scaled(x, factor):\n{LOOPS[loop]}\n    return x"
    result = judge(hurried, written(source, TOO_LONG=TOO_LONG))
    assert result.status == "crashed" and result.faults == ("endless",)
    assert "in line" in result.message


@pytest.mark.parametrize("loop", [name for name in LOOPS if name != "sleep"])
def test_endless_loop_ends_in_another_thread(hurried, loop):
    results = []
    function = written(f"def scaled(x, factor):\n{LOOPS[loop]}\n    return x")
    thread = threading.Thread(
        target=lambda: results.append(judge(hurried, function)), daemon=True
    )
    thread.start()
    thread.join(TOO_LONG)
    assert results and results[0].faults == ("endless",)


def test_right_answer_passes_in_another_thread(toy):
    results = []
    thread = threading.Thread(
        target=lambda: results.append(judge(toy, lambda x, f: x * f))
    )
    thread.start()
    thread.join(TOO_LONG)
    assert results[0].passed


def test_call_that_only_waits_for_the_processor_is_not_ended():
    """A ring that comes before its share of the processor has been used sets the alarm anew."""
    assert run_limited(lambda: time.sleep(0.2) or 7, 0.1) == 7


def test_what_is_named_does_not_depend_on_how_long_the_search_took(toy):
    """Calls that an explanation makes have the time of a call, when all time is over, too."""
    patient = replace(toy, properties=(Property("asks-again", _asks_again),))
    trial = run_trial(patient, lambda x, factor: x * factor + 1e-3)
    late = replace(trial, clock=SpentClock(1.0))
    assert late.clock.is_over
    assert (
        explain.explained(late).message
        == explain.explained(trial).message
        == "Asked again."
    )


class SpentClock(Clock):
    """Its time was over before."""

    is_over, left = True, 1e-6


def _asks_again(c):
    changed = c.call(c.given["x"] + 1, c.given["factor"])
    return "Asked again." if changed is not None else None


def test_run_limited_reports_a_limit_that_was_swallowed():
    def stubborn():
        try:
            time.sleep(5)
        except BaseException:
            return 1

    with pytest.raises(TimesUp):
        run_limited(stubborn, 0.05)


def test_run_limited_gives_back_the_alarm_of_somebody_else():
    rung = threading.Event()
    old = signal.signal(signal.SIGALRM, lambda *_: rung.set())
    try:
        signal.setitimer(signal.ITIMER_REAL, TOO_LONG)
        run_limited(lambda: time.sleep(0.05), 2 * TOO_LONG)
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] < TOO_LONG - 0.04
        # One that was due meanwhile rings afterward.
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        run_limited(lambda: time.sleep(0.05), 2 * TOO_LONG)
        assert rung.wait(TOO_LONG)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def test_judge_leaves_no_alarm_behind(toy):
    judge(toy, lambda x, factor: x * factor)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_key_press_ends_the_call_at_once():
    with pytest.raises(KeyPressed):
        run_limited(sleep_until_a_key_is_pressed, 2 * TOO_LONG)


def sleep_until_a_key_is_pressed():
    """Press it only now, when somebody waits for it: else it would end the tests."""
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    time.sleep(TOO_LONG)


@pytest.mark.parametrize(
    "body", ["sleep()", "\n    try:\n        sleep()\n    except: pass"]
)
def test_key_press_gets_through_judge(toy, body):
    before = signal.getsignal(signal.SIGINT)
    patient = replace(toy, seconds=2 * TOO_LONG)
    with pytest.raises(KeyPressed):
        judge(patient, scaled(body, sleep=sleep_until_a_key_is_pressed))
    assert signal.getsignal(signal.SIGINT) is before


def test_all_calls_together_have_twice_the_time_of_one(toy, monkeypatch):
    """Each call is quick enough, and there are many."""
    now, passed = time.process_time, []
    monkeypatch.setattr(time, "process_time", lambda: now() + sum(passed))
    source = (
        "if sum(passed) > 2 * seconds:\n        time.sleep(seconds)\n"
        "    passed.append(0.9 * seconds)\n    return x * factor"
    )
    slow = scaled(source, passed=passed, seconds=TOO_LONG)
    result = judge(replace(toy, seconds=TOO_LONG), slow)
    assert result.faults == ("endless",)
    assert "all calls of the check together" in result.message


def test_import_is_not_cut_in_two(tmp_path, monkeypatch):
    """Half a module would be left behind, and the next import of it fails or crashes Python.

    The module waits until the time is up, which sets the alarm anew, and lets no other ring.
    """
    (tmp_path / "slow_module.py").write_text(
        "from signal import ITIMER_REAL, getitimer, setitimer\n"
        "left = getitimer(ITIMER_REAL)[0]\n"
        "while (now := getitimer(ITIMER_REAL)[0]) <= left:\n"
        "    left = now\n"
        "setitimer(ITIMER_REAL, 0)\n"
        "value = 7\n"
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

        time.sleep(TOO_LONG)

    with pytest.raises(TimesUp):
        run_limited(imports, 0.1)


def test_of_a_deep_recursion_the_nearest_calls_are_kept(monkeypatch):
    """It may be a million calls deep when the time is up, which is here as soon as it is deep."""
    monkeypatch.setattr(limits, "_MAY_TAKE", 0)

    def deeper(n):
        return deeper(n + 1) if n < 500 else signal.raise_signal(signal.SIGALRM)

    with pytest.raises(TimesUp) as caught:
        run_limited(lambda: deeper(0), TOO_LONG)
    depths = [frame.f_locals["n"] for frame, _ in caught.value.places]
    assert depths == [*range(401, 501)]


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


def test_result_that_cannot_be_read_is_told(toy):
    result = judge(replace(toy, seconds=1.0), lambda x, factor: Endless())
    assert result.status == "wrong" and "cannot be read" in result.message


class Talking(Exception):
    """Its text never ends."""

    def __str__(self):
        while True:
            pass


def test_exception_whose_text_never_ends_is_told(toy):
    def raises(x, factor):
        raise Talking

    result = judge(toy, raises)
    assert result.status == "crashed" and "Talking" in result.message


@pytest.mark.parametrize("answer", [lambda: iter(int, 1), lambda: Endless()])
def test_answer_to_a_question_that_never_ends_is_told(answer):
    question = Question(
        lambda: {"a"},
        10,
        "",
        "",
        ("", "", ""),
        read=Letters("abcd", "letters"),
        reasons=(),
        minutes=5,
        level="easy",
        seconds=1.0,
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


# --- what an attack has found --------------------------------------------------------------------


def test_result_is_looked_at_in_its_own_time_where_the_calls_have_used_theirs(
    toy, monkeypatch
):
    """Else a right answer that is slow hears that looking at what it returns takes for ever."""
    look = explain.form_problem

    def slowly(*args):
        time.sleep(0.05)
        return look(*args)

    monkeypatch.setattr(explain, "form_problem", slowly)
    trial = run_trial(toy, lambda x, factor: x * factor)
    late = replace(trial, clock=SimpleNamespace(left=0.01, seconds=20.0), kept={})
    assert explain.wrong_kind(late) is None


class Unsigned:
    """A function that is asked for ever what it takes, or what it is called."""

    def __call__(self, x, factor):
        return x * factor

    def _endless(self):
        while True:
            pass


@pytest.mark.parametrize("name", ["__signature__", "__name__", "__wrapped__"])
def test_property_of_an_answer_that_never_ends_is_ended(hurried, name):
    kind = type("Unsigned", (Unsigned,), {name: property(Unsigned._endless)})
    begun = time.monotonic()
    assert judge(hurried, kind()).status in ("right", "wrong", "crashed")
    assert time.monotonic() - begun < TOO_LONG / 10
