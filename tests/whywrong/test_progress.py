"""The progress file: nothing is lost, nothing is raised, everything is said."""

import json
import os
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from course_attn import exercises
from whywrong import files, store


@pytest.fixture
def path(tmp_path, monkeypatch):
    path = tmp_path / "folder" / "progress.json"
    monkeypatch.setenv("COURSE_ATTN_PROGRESS", str(path))
    return path


def in_another_process(code):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        stdout=subprocess.PIPE,
        env=os.environ.copy(),
    )


def test_record_pass_remembers_a_pass_once(path):
    assert store.record_pass("softmax") is None
    first = store.passed_exercises()
    assert store.record_pass("softmax") is None
    assert store.passed_exercises() == first and list(first[0]) == ["softmax"]
    assert json.loads(path.read_text())["version"] == 1


def test_passed_exercises_needs_no_file(path):
    assert store.passed_exercises() == ({}, None)


def test_record_pass_writes_nothing_when_off(monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_ATTN_PROGRESS", "off")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert store.record_pass("softmax") is None
    assert list(tmp_path.iterdir()) == []
    assert "switched off" in store.passed_exercises()[1]


@pytest.mark.parametrize(
    ("platform", "variable", "folder"),
    [
        ("linux", "XDG_DATA_HOME", "course_attn"),
        ("win32", "LOCALAPPDATA", "course_attn"),
    ],
)
def test_store_path_suits_the_system(
    monkeypatch, tmp_path, platform, variable, folder
):
    monkeypatch.delenv("COURSE_ATTN_PROGRESS")
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv(variable, str(tmp_path))
    assert store.store_path() == tmp_path / folder / "progress.json"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"passed": 3}',
        b"\xff\xfe",
        b'{"passed": {}',
        b"[" * 10**5,
    ],
)
def test_broken_file_is_set_aside_with_a_message(path, content):
    path.parent.mkdir()
    path.write_bytes(content)
    message = store.record_pass("softmax")
    assert "kept as" in message
    assert store.passed_exercises()[0].keys() == {"softmax"}
    aside = [file for file in path.parent.iterdir() if "broken" in file.name]
    assert aside[0].read_bytes() == content


def test_file_of_a_newer_edition_is_read_and_left_as_it_is(path):
    path.parent.mkdir()
    newer = {"version": 9, "passed": {"softmax": "2026"}, "unknown": [1]}
    path.write_text(json.dumps(newer))
    assert store.passed_exercises() == ({"softmax": "2026"}, None)
    said = store.record_pass("causal_mask")
    assert "could not be saved" in said and "newer edition" in said
    assert json.loads(path.read_text()) == newer


def test_folder_in_the_way_of_the_file_is_said(path):
    path.mkdir(parents=True)
    assert "could not be saved" in store.record_pass("softmax")
    assert "could not be read" in store.passed_exercises()[1]


def test_file_in_place_of_the_folder_is_said(path):
    path.parent.write_text("in the way")
    assert "could not be saved" in store.record_pass("softmax")


def test_folder_that_refuses_a_file_is_said(path, monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    path.parent.mkdir()
    monkeypatch.setattr(files.os, "open", refuse)
    assert "Permission denied" in store.record_pass("softmax")


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root writes anywhere"
)
def test_folder_without_write_permission_is_said(path):
    path.parent.mkdir()
    path.parent.chmod(stat.S_IRUSR | stat.S_IXUSR)
    assert "could not be saved" in store.record_pass("softmax")


def test_record_pass_killed_while_writing_leaves_the_old_file(path, monkeypatch):
    store.record_pass("first")

    class Killed(BaseException):
        pass

    def kill(*args):
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(store.os, "fsync", kill)
        with pytest.raises(Killed):
            store.record_pass("second")
    assert store.passed_exercises()[0].keys() == {"first"}
    assert {file.name for file in path.parent.iterdir()} == {
        "progress.json",
        "progress.json.lock",
    }
    assert store.record_pass("second") is None


def test_lock_is_free_again_when_its_process_is_killed(path):
    store.record_pass("first")
    process = in_another_process("""
        import time
        from whywrong import store
        with store._lock(store.store_path()):
            print("locked", flush=True)
            time.sleep(10_000)
    """)
    assert process.stdout.readline() == b"locked\n"
    process.kill()
    process.wait()
    assert store.record_pass("second") is None
    assert store.passed_exercises()[0].keys() == {"first", "second"}


def test_lock_held_for_long_is_said(path, monkeypatch):
    monkeypatch.setattr(store, "_PATIENCE", 0.1)
    path.parent.mkdir()
    process = in_another_process("""
        import time
        from whywrong import store
        with store._lock(store.store_path()):
            print("locked", flush=True)
            time.sleep(10_000)
    """)
    process.stdout.readline()
    try:
        assert "lock" in store.record_pass("softmax")
    finally:
        process.kill()
        process.wait()


def test_record_pass_loses_nothing_in_two_processes_at_once(path):
    code = """
        import sys
        from whywrong import store
        store._PATIENCE = 600
        for i in range(40):
            assert store.record_pass(f"{name}-{{i}}") is None
    """
    processes = [
        in_another_process(
            code.replace("{name}", n).replace("{{", "{").replace("}}", "}")
        )
        for n in "ab"
    ]
    assert [process.wait(600) for process in processes] == [0, 0]
    assert len(store.passed_exercises()[0]) == 80


def test_pass_is_told_where_there_is_no_home(monkeypatch):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("COURSE_ATTN_PROGRESS", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    assert "could not be saved" in store.record_pass("softmax")
    assert store.passed_exercises()[0] == {}


def test_file_with_a_byte_order_mark_is_read(monkeypatch, tmp_path):
    path = tmp_path / "progress.json"
    path.write_text(
        '{"version": 1, "passed": {"softmax": "2026"}}', encoding="utf-8-sig"
    )
    monkeypatch.setenv("COURSE_ATTN_PROGRESS", str(path))
    assert store.passed_exercises() == ({"softmax": "2026"}, None)


def test_link_stays_a_link(monkeypatch, tmp_path):
    (tmp_path / "synced").mkdir()
    link = tmp_path / "progress.json"
    link.symlink_to(tmp_path / "synced" / "real.json")
    monkeypatch.setenv("COURSE_ATTN_PROGRESS", str(link))
    assert store.record_pass("softmax") is None
    assert (
        link.is_symlink()
        and "softmax" in (tmp_path / "synced" / "real.json").read_text()
    )


# --- a file from a page of the book ---------------------------------------------------------------


def saved(folder, **content):
    """A file as the book's pages write it."""
    whole = {"book": "course_attn", "version": 2, "passed": {}} | content
    file = folder / "saved.json"
    file.write_text(json.dumps(whole))
    return file


def test_take_over_adds_what_is_new_and_keeps_what_was_there(path, tmp_path):
    store.record_pass("softmax")
    own = store.passed_exercises()[0]["softmax"]
    file = saved(tmp_path, passed={"softmax": "1999", "entropy": "2026-01-02"})
    assert "1 exercise that was not here yet" in store.take_over(file)
    passed = {"softmax": own, "entropy": "2026-01-02"}
    assert store.passed_exercises() == (passed, None)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"book": "another"}, "another book, 'another'"),
        ({"version": 3}, "newer edition"),
        ({"version": None}, "newer edition"),
        ({"passed": ["softmax"]}, "not a file of this course"),
    ],
)
def test_take_over_says_what_is_wrong_with_a_file(path, tmp_path, content, said):
    assert said in store.take_over(saved(tmp_path, **content))
    assert not path.exists()


@pytest.mark.parametrize("text", ["", "[", "\ud800", "[" * 100_000, "3"])
def test_take_over_survives_damaged_files(path, tmp_path, text):
    file = tmp_path / "saved.json"
    file.write_text(text, errors="surrogatepass")
    said = store.take_over(file)
    assert "damaged" in said or "not a file of this course" in said
    assert not path.exists()


def test_take_over_names_a_file_that_is_not_there(path, tmp_path):
    assert "nowhere.json could not be read" in store.take_over(
        tmp_path / "nowhere.json"
    )


def test_take_over_names_the_folder_of_nobody(path):
    said = store.take_over("~nobody-of-this-name/saved.json")
    assert "~nobody-of-this-name/saved.json could not be read" in said


def test_progress_reads_a_saved_file(path, tmp_path):
    file = saved(tmp_path, passed={"softmax": "2026-01-02"})
    overview = exercises.progress(file)
    assert overview.done == 1 and "Taken over" in overview.message
    assert exercises.progress().done == 1
