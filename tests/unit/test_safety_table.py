"""The README's table of what switches the motor off is made of results, and says what they say."""

from __future__ import annotations

import pytest

from tests import readme
from tests.kernel import matrix
from tests.kernel.matrix import BRIDGE, COLUMNS, PERSIST, ROWS, SAME, STRICT, TRIALS, Trial

WELL: Trial = {"off_s": 0.3, "again": False, "kept": True, "reason": "lid", "adds_up": True}
RESULTS = matrix.load()
CELLS = [(key, column) for column in COLUMNS for key in matrix.measured(column)]


@pytest.mark.parametrize(("key", "column"), CELLS)
def test_what_the_readme_tells_of_was_seen_often_enough_and_was_well(key: str, column: str) -> None:
    assert matrix.problems(key, column, RESULTS[key][column]) == []


def test_the_table_stands_in_the_readme() -> None:
    assert matrix.table(RESULTS) in readme.README.read_text(encoding="utf-8")


def test_every_row_has_a_cell_for_every_column() -> None:
    for line in matrix.table(RESULTS).splitlines()[2 : 2 + len(ROWS)]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert len(cells) == 1 + len(COLUMNS)
        assert all(cells)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"off_s": None}, "the motor was off after None s"),
        ({"again": True}, "came on again without a press"),
        ({"kept": False}, "a record was lost"),
        ({"reason": "enough"}, "the shot's outcome is 'enough'"),
        ({"adds_up": False}, "decided is not delivered and owed"),
    ],
)
def test_a_trial_that_went_wrong_is_found(changed: Trial, said: str) -> None:
    trials = [WELL] * TRIALS
    assert matrix.problems("lid_opened", STRICT, trials) == []
    (found,) = matrix.problems("lid_opened", STRICT, [*trials, WELL | changed])
    assert said in found
    assert found.startswith(f"trial {TRIALS + 1}")


def test_too_few_trials_are_found() -> None:
    assert matrix.problems("lid_opened", STRICT, [WELL]) == ["only 1 trials"]


def test_where_the_motor_must_stay_on_it_has_to_have_stayed_on() -> None:
    killed = WELL | {"reason": "interrupted"}
    assert matrix.problems("killed_by_hand", PERSIST, [killed] * TRIALS)
    on = killed | {"off_s": None}
    assert matrix.problems("killed_by_hand", PERSIST, [on] * TRIALS) == []
    assert matrix.problems("killed_by_hand", STRICT, [on] * TRIALS)


def test_where_the_motor_would_stay_on_strict_gpiod_is_done_for_real() -> None:
    same = [key for key, row in ROWS.items() if row.instead.get(STRICT) == SAME]
    assert same
    assert not any(PERSIST in ROWS[key].stays_on for key in same)
    assert not any(
        ROWS[key].instead.get(column) == SAME for key in ROWS for column in (PERSIST, BRIDGE)
    )


def test_cells_say_the_longest_time_rounded_up() -> None:
    trials = [WELL | {"off_s": seconds} for seconds in (0.001, 0.31, 0.02)]
    assert (
        matrix.cell("lid_opened", BRIDGE, {"lid_opened": {BRIDGE: trials}}) == "off within 500 ms"
    )


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "10 ms"),
        (0.0101, "20 ms"),
        (0.02, "20 ms"),
        (0.4999, "500 ms"),
        (0.51, "1 s"),
        (2.38, "5 s"),
        (7.0, "10 s"),
        (11.0, "20 s"),
    ],
)
def test_times_are_rounded_up_to_one_two_five(seconds: float, words: str) -> None:
    assert matrix.rounded(seconds) == words
