"""Dates in words: what is written, what is known of it, and what is kept for testing."""

from datetime import date

import numpy as np
import pytest

from course_attn.chapters.encoder_decoder import dates

A_SUNDAY = date(1998, 5, 3)


def test_write_has_seven_forms() -> None:
    assert [dates.write(A_SUNDAY, form).source for form in dates.FORMS] == [
        "3 May 1998",
        "May 3, 1998",
        "the 3rd of May 1998",
        "the third of May 1998",
        "Sunday, 3 May 1998",
        "1998, May 3",
        "3.5.1998",
    ]
    assert {dates.write(A_SUNDAY, form).target for form in dates.FORMS} == {
        "1998-05-03"
    }


@pytest.mark.parametrize(
    ("day", "ordinal"),
    [
        (1, "1st first"), (2, "2nd second"), (3, "3rd third"), (4, "4th fourth"),
        (11, "11th eleventh"), (12, "12th twelfth"), (13, "13th thirteenth"),
        (20, "20th twentieth"), (21, "21st twenty-first"), (22, "22nd twenty-second"),
        (23, "23rd twenty-third"), (29, "29th twenty-ninth"), (30, "30th thirtieth"),
        (31, "31st thirty-first"),
    ],
)  # fmt: skip
def test_write_ends_ordinals_as_english_does(day: int, ordinal: str) -> None:
    written = dates.write(date(2001, 1, day), "{day_th} {ordinal}")
    assert written.source == ordinal


@pytest.mark.parametrize("form", dates.FORMS)
def test_alignment_points_at_what_says_the_digit(form: str) -> None:
    """Digits of the year at the same digit; those of month and day at their words."""
    pair = dates.write(date(2027, 9, 27), form)
    found = dates.alignment(pair)
    assert found.shape == (10, len(pair.source))
    pointed = ["".join(np.array([*pair.source])[row]) for row in found]
    assert pointed[:4] == ["2", "0", "2", "7"] and pointed[4] == pointed[7] == ""
    assert pointed[5] == pointed[6] and pointed[8] == pointed[9]
    assert pointed[5] in ("September", "Sep", "9")
    assert pointed[8] in ("27", "27th", "twenty-seventh")
    stretches = [np.flatnonzero(row) for row in found if row.any()]
    assert all((np.diff(stretch) == 1).all() for stretch in stretches)


def test_alignment_of_the_year_moves_on_by_one() -> None:
    found = dates.alignment(dates.write(A_SUNDAY, "{year}, {short_month} {day}"))
    assert [np.flatnonzero(row).tolist() for row in found[:4]] == [
        [0],
        [1],
        [2],
        [3],
    ]


def test_split_dates_has_each_day_once_and_the_same_ones_for_a_seed() -> None:
    training, test = dates.split_dates(first=1999, last=2000)
    assert len(training) + len(test) == len({*training, *test}) == 365 + 366
    assert len(test) == 73
    assert dates.split_dates(first=1999, last=2000) == (training, test)
    assert dates.split_dates(first=1999, last=2000, seed=1)[1] != test


def test_draw_pairs_draws_days_of_the_list_in_all_forms() -> None:
    days = dates.split_dates(first=2000, last=2000)[1]
    pairs = dates.draw_pairs(days, 400, np.random.default_rng(0))
    assert {pair.target for pair in pairs} == {day.isoformat() for day in days}
    lead = {pair.parts[1][0] for pair in pairs}
    assert {"day", "month", "day_th", "ordinal", "weekday", "year"} <= lead
    assert pairs == dates.draw_pairs(days, 400, np.random.default_rng(0))


def test_as_batch_fills_up_the_short_ones_and_marks_what_is_real() -> None:
    pairs = [
        dates.write(A_SUNDAY, form) for form in (dates.FORMS[0], dates.FORMS[6])
    ]
    batch = dates.as_batch(pairs)
    assert batch.source.shape == batch.source_mask.shape == (2, 10)
    assert dates.SOURCE.decode(batch.source[1]) == "3.5.1998__"
    assert (batch.source_mask == (batch.source != dates.PADDING)).all()
    assert dates.TARGET.decode(batch.target[0]) == "<1998-05-03>"


def test_the_sizes_hold_for_every_date_and_form() -> None:
    """The longest source fills the context, and no character is missing."""
    sources = [
        dates.write(date(year, month, day), form).source
        for form in dates.FORMS
        for year in (1900, 2027)
        for month in range(1, 13)
        for day in range(1, 29)
    ] + [dates.write(date(2048, 7, day), dates.FORMS[3]).source for day in (30, 31)]
    assert max(map(len, sources)) == dates.N_SOURCE
    used = set("".join(sources)) | {"_"}
    assert used <= set(dates.SOURCE.characters)
    assert dates.as_batch([dates.write(A_SUNDAY, dates.FORMS[0])]).target.shape == (
        1, dates.N_TARGET + 1,
    )  # fmt: skip
