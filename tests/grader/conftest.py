"""What all tests of the checks share: no progress is recorded, no verdict raises."""

import pytest

from course_attn.checking import diagnose, repair


@pytest.fixture(autouse=True)
def no_progress_and_no_strictness(monkeypatch):
    monkeypatch.setenv("COURSE_ATTN_PROGRESS", "off")
    monkeypatch.delenv("COURSE_ATTN_STRICT", raising=False)
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)


@pytest.fixture(autouse=True)
def patient_searches(monkeypatch):
    """On a machine that is slow for a moment, the same is found as on a quick one."""
    monkeypatch.setattr(diagnose, "SECONDS", 3 * diagnose.SECONDS)
    monkeypatch.setattr(repair, "SECONDS", 3 * repair.SECONDS)
