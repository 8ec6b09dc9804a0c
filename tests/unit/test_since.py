"""Since when the launcher is stopped, in words, wherever it is shown."""

import io
import time

import pytest
from rich.console import Console

from cannon import telling
from cannon.core.causes import Latched
from cannon.core.events import Acknowledge, Failure, Start
from cannon.dating import Dated
from cannon.settings.texts import Texts
from cannon.terminal.screen import Screen
from cannon.web.hub import News
from cannon.web.launcher_view import Facts, LauncherNow
from tests.unit.core_tools import CLOSED, Played
from tests.unit.loop_tools import Looped, in_state

EVENING = 1_700_000_000.0  # 23:13 in Copenhagen, 2023-11-14
HOUR = 3600.0


@pytest.fixture(autouse=True)
def in_copenhagen(monkeypatch):
    monkeypatch.setenv("TZ", "Europe/Copenhagen")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


# --- on both clocks -------------------------------------------------------------------------------


class Wall:
    """A wall clock that stands until it is set."""

    now = EVENING

    def __call__(self):
        return self.now


def stopped():
    """A loop whose launcher is stopped, the wall clock, and what displays are shown of it."""
    here, wall = in_state("ready"), Wall()
    here.events.post(Failure("motor"))
    here.step()
    return here, wall, Dated(here.loop, wall)


def test_a_cause_of_this_run_gets_the_wall_clocks_time_of_when_it_came():
    here, _, look = stopped()
    here.wait(90)
    assert look().cause_wall_time == pytest.approx(EVENING - 90)


def test_it_stands_still_when_somebody_sets_the_clock_until_it_is_over():
    here, wall, look = stopped()
    before = look()
    wall.now += HOUR
    here.wait(60)
    assert look() == before
    here.events.post(Acknowledge("web"))
    here.step()
    assert look().cause_wall_time is None
    here.events.post(Failure("motor"))
    here.step()
    assert look().cause_wall_time == EVENING + HOUR


def test_one_of_an_earlier_run_has_that_of_its_record():
    here = Looped()
    here.loop.controller = Played(start=None, latched=Latched("motor", EVENING)).controller
    here.events.post(Start(CLOSED))
    here.step()
    assert Dated(here.loop)().cause_wall_time == EVENING


# --- in words -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "now", "said"),
    [
        ("en", EVENING + 600, "Since 23:13."),
        ("da", EVENING + 600, "Siden 23:13."),
        ("en", EVENING + HOUR, "Since 2023-11-14 23:13."),  # past midnight
    ],
)
def test_the_day_is_said_where_it_is_not_today(language, now, said):
    assert telling.since(Texts(language), EVENING, now) == said


STOPPED = Played(latched=Latched("motor", EVENING)).controller.snapshot()
SAID = "Since 2023-11-14 23:13."


def test_status_says_it_below_the_cause():
    lines = telling.standing(Texts("en"), STOPPED)
    assert lines[0] == "Fault"
    assert lines[2] == SAID
    assert len(telling.standing(Texts("en"), Played().controller.snapshot())) == 1


def test_the_page_is_told():
    launcher = LauncherNow(Facts(simulated=True, board="", counts=True))
    launcher.take(News(snapshot=STOPPED))
    assert launcher.as_object(Texts("en"))["since"] == SAID
    launcher.take(News(snapshot=Played().controller.snapshot()))
    assert launcher.as_object(Texts("en"))["since"] == ""


def test_the_screen_shows_it():
    console = Console(width=84, record=True, file=io.StringIO())
    console.print(Screen(Texts("en"), "", None).show(STOPPED))
    assert SAID in console.export_text()


def test_the_log_of_a_start_says_what_is_still_to_be_acknowledged():
    said = telling.latched(Texts("en"), Latched("motor", EVENING))
    assert said.startswith("Still from the last run: The motor could not be driven.")
    assert said.endswith(SAID)
