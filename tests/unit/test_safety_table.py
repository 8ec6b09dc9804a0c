"""The README's table of what switches the motor off is made of results, and says what they say."""

from __future__ import annotations

import pytest

from tests import readme
from tests.kernel import matrix, safety_table
from tests.kernel.matrix import BRIDGE, COLUMNS, PERSIST, ROWS, SAME, STRICT, TRIALS, As, Trial

WELL: Trial = {"off_s": 0.2, "again": False, "kept": True, "reason": "lid", "adds_up": True}
RESULTS = matrix.load()
CELLS = [(key, column) for column in COLUMNS for key in matrix.measured(column)]


@pytest.mark.parametrize(("key", "column"), CELLS)
def test_what_the_readme_tells_of_was_seen_often_enough_and_was_well(key: str, column: str) -> None:
    assert matrix.problems(key, column, RESULTS[key][column]) == []


def test_the_table_stands_in_the_readme() -> None:
    assert safety_table.table(RESULTS) in readme.README.read_text(encoding="utf-8")


def test_every_row_has_a_cell_for_every_column() -> None:
    for line in safety_table.table(RESULTS).splitlines()[2 : 2 + len(ROWS)]:
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
        ({"all_out": True}, "the feed went on to its end"),
        ({"high": [25]}, "outputs were left on: [25]"),
    ],
)
def test_a_trial_that_went_wrong_is_found(changed: Trial, said: str) -> None:
    trials = [WELL] * TRIALS
    assert matrix.problems("lid_opened", STRICT, trials) == []
    (found,) = matrix.problems("lid_opened", STRICT, [*trials, WELL | changed])
    assert said in found
    assert found.startswith(f"trial {TRIALS + 1}")


def test_a_feed_that_must_go_on_and_does_not_is_found() -> None:
    trials = [WELL | {"reason": "enough", "all_out": True}] * TRIALS
    assert matrix.problems("button_stuck", PERSIST, trials) == []
    (found,) = matrix.problems("button_stuck", PERSIST, [*trials, trials[0] | {"all_out": False}])
    assert "did not go on" in found


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
    results = {"lid_opened": {BRIDGE: trials, PERSIST: trials}}
    assert safety_table.cell("lid_opened", BRIDGE, results) == "off within 400 ms"


def test_cells_that_nothing_was_done_for_are_marked() -> None:
    lines = safety_table.table(RESULTS).splitlines()[2 : 2 + len(ROWS)]
    for row, line in zip(ROWS.values(), lines, strict=True):
        for column, said in zip(COLUMNS, line.strip("| ").split(" | ")[1:], strict=True):
            instead = row.instead.get(column)
            follows = instead is not None and instead not in (SAME, matrix.NOWHERE)
            assert said.endswith(safety_table.FOLLOWS) == follows, line


def test_what_follows_from_a_cell_says_what_was_measured_there() -> None:
    for row in ROWS.values():
        for instead in row.instead.values():
            assert not isinstance(instead, As) or instead.key in matrix.measured(instead.column)


@pytest.mark.parametrize(("key", "column"), CELLS)
def test_a_feed_that_must_be_stopped_lasts_twice_as_long_as_it_may(key: str, column: str) -> None:
    promise = ROWS[key].promise(column)
    assert (promise is None) == ROWS[key].plays_on
    if promise is not None:
        assert "enough" not in ROWS[key].reasons
        assert 2 * promise.limit_s(column) <= matrix.CARDS[column] * matrix.CARD_S


def test_what_is_off_later_than_promised_is_found() -> None:
    promise = ROWS["sigkill"].promise(STRICT)
    assert promise is not None
    late = promise.limit_s(STRICT) + 0.01
    trials = [WELL | {"reason": "interrupted"}] * TRIALS
    assert matrix.problems("sigkill", STRICT, trials) == []
    (found,) = matrix.problems("sigkill", STRICT, [*trials, trials[0] | {"off_s": late}])
    assert f"off after {late} s" in found


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "10 ms"),
        (0.0101, "15 ms"),
        (0.02, "20 ms"),
        (0.4999, "500 ms"),
        (0.504, "600 ms"),
        (0.95, "1 s"),
        (2.38, "3 s"),
        (7.0, "8 s"),
        (11.0, "15 s"),
    ],
)
def test_times_are_rounded_up_in_steps(seconds: float, words: str) -> None:
    assert safety_table.rounded(seconds) == words
