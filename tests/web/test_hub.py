"""The control loop leaves things in the hub and never waits: newest state, numbered records."""

import threading

from cannon.core import records
from cannon.core.commands import FORWARD, REVERSE, Feed, Light, Off, Record, Run, Sound
from cannon.loop import IDLE_S
from cannon.web.hub import KEPT, Hub
from tests.web.tools import READY


def hub_of(states):
    return Hub(lambda: states[-1])


def test_the_newest_state_replaces_the_last():
    states = [READY]
    hub = hub_of(states)
    for number in range(5):
        states.append(READY._replace(presses=number))
        hub.watch()
    assert hub.wait(0)
    assert hub.since(0).snapshot.presses == 4
    assert not hub.wait(0)


def test_nothing_new_wakes_nobody():
    hub = hub_of([READY])
    hub.watch()
    assert hub.wait(0)
    hub.watch()
    assert not hub.wait(0)


def test_a_button_full_of_noise_is_told_now_and_then_and_at_last_as_it_is():
    states, now, told = [READY], [100.0], []
    hub = Hub(lambda: states[-1], clock=lambda: now[0])
    hub.watch()
    hub.wait(0)
    for number in range(999):  # a second of edges
        states.append(READY._replace(button_down=number % 2 == 0))
        now[0] += 0.001
        hub.watch()
        if hub.wait(0):
            told.append((now[0], hub.since(0).snapshot.button_down))
    assert told[0] == (100.001, True), "the first one at once"
    assert 15 <= len(told) <= 21
    now[0] += IDLE_S
    hub.watch()
    assert hub.since(0).snapshot == states[-1]


def test_noise_of_the_button_holds_back_nothing_else():
    states = [READY]
    hub = Hub(lambda: states[-1], clock=lambda: 100.0)
    hub.watch()
    for number in range(5):
        states.append(READY._replace(button_down=number % 2 == 0, presses=number + 1))
        hub.watch()
        assert hub.since(0).snapshot == states[-1]
    states.append(states[-1]._replace(button_down=False))
    hub.watch()  # told at once, since the button has not been told of by itself before
    states.append(states[-1]._replace(button_down=True))
    hub.record(Record(records.NOTICE, {"code": "x"}))
    hub.watch()
    assert hub.since(0).snapshot == states[-1], "a record takes it along"


def test_what_commands_show():
    hub = hub_of([READY])
    seen = []
    for command in (
        Run(FORWARD, 1.0, 0.5),
        Run(REVERSE, 1.0, 0.1),
        Off(),
        Feed(3),
        Off(),
        Light("quick"),
        Sound("ding"),
        Sound("ding"),
    ):
        hub.tell(command)
        hub.watch()
        news = hub.since(0)
        seen.append((news.motor, news.light, news.tune))
    assert seen == [
        (1, "off", ("", 0)),
        (-1, "off", ("", 0)),
        (0, "off", ("", 0)),
        (1, "off", ("", 0)),
        (0, "off", ("", 0)),
        (0, "quick", ("", 0)),
        (0, "quick", ("ding", 1)),
        (0, "quick", ("ding", 2)),
    ]


def test_records_are_numbered_and_kept_in_order():
    hub = hub_of([READY])
    for press in range(1, 4):
        hub.tell(Record(records.PRESS, {"wait": 1}, press))
    hub.watch()
    assert [(told.number, told.press) for told in hub.since(0).records] == [(1, 1), (2, 2), (3, 3)]
    assert [told.number for told in hub.since(3).records] == [3]
    assert hub.since(hub.next_number).records == []


def test_a_record_alone_wakes_the_reader():
    hub = hub_of([READY])
    hub.watch()
    hub.wait(0)
    hub.tell(Record(records.LID, {"open": True}))
    hub.watch()
    assert hub.wait(0)


def test_a_reader_that_sleeps_costs_the_oldest_records_only():
    hub = hub_of([READY])
    for press in range(1, 2 * KEPT + 1):
        hub.tell(Record(records.CARD, {"cards": press}, press))
        hub.watch()
    kept = hub.since(0).records
    assert len(kept) == KEPT
    assert kept[0].number == KEPT + 1
    assert kept[-1].number == 2 * KEPT


def test_reading_and_telling_at_once():
    hub = hub_of([READY])
    stop = threading.Event()

    def tell():
        while not stop.is_set():
            hub.tell(Record(records.CARD, {"cards": 1}, 1))
            hub.watch()

    teller = threading.Thread(target=tell)
    teller.start()
    try:
        last = 0
        for _ in range(300):
            following = hub.next_number
            numbers = [told.number for told in hub.since(last + 1).records]
            assert numbers == sorted(numbers)
            last = max(last, following - 1)
    finally:
        stop.set()
        teller.join()


def test_what_a_simulation_knows_beside():
    hub = Hub(lambda: READY, lambda: {"stack": 12, "faults": ["jam"]})
    hub.watch()
    assert (hub.since(0).stack, hub.since(0).faults) == (12, ["jam"])
