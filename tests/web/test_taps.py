"""What is tapped is done once, however often it arrives, and soon or not at all."""

import pytest

from cannon.web.launcher_view import Facts
from cannon.web.limits import TAP_S
from cannon.web.moments import Moments
from tests.web.tools import PIN, Clock, Made, Served, body, call, post, posting

START = {"do": "start", "edition": "extreme", "players": ["A", "B"], "dealer": "B"}
TAPS = {
    "table": {"version": 0, "action": START},
    "launcher": {"do": "refilled"},
    "hand": {"do": "press"},
    "settings": {"values": {"odds": "even"}},
    "power": {"do": "halt"},
    "pair": {"pin": PIN},
}
SIMULATED = Facts(simulated=True, board="Toy", counts=True, shutdown=True)


class Tapping:
    """A paired phone that sends one thing; `done` counts what came of it."""

    def __init__(self, name):
        self.clock = Clock()
        self.made = Made(SIMULATED, clock=self.clock)
        self.token = self.made.new_phone()
        assert post(self.made, "pair", self.token, pin=PIN).status == 200
        self.clock.now += 100
        self.made.pairings.clear()
        self.name = name

    def tap(self, **more):
        """What is sent when it is tapped now."""
        return body(self.made, **TAPS[self.name], **more)

    def send(self, sent, language="en"):
        head = posting(self.token, **{"accept-language": language})
        return call(self.made.app, "POST", f"/api/{self.name}", head, sent)

    @property
    def done(self):
        made = self.made
        return len(made.wishes) + made.keeper.version + len(made.pairings)


@pytest.fixture(params=TAPS)
def tapping(request):
    return Tapping(request.param)


def test_the_same_id_counts_once_and_gets_the_same_answer(tapping):
    sent = tapping.tap()
    answers = [tapping.send(sent) for _ in range(3)]
    assert [answer.status for answer in answers] == [200, 200, 200]
    assert len({answer.body for answer in answers}) == 1
    assert tapping.done == 1


def test_another_id_counts_again(tapping):
    tapping.send(tapping.tap())
    again = tapping.send(tapping.tap())
    there_is_a_game = tapping.name == "table"  # one cannot be begun over another
    assert again.status == (409 if there_is_a_game else 200)
    assert tapping.done == (1 if there_is_a_game else 2)


def test_what_was_tapped_a_moment_ago_is_done(tapping):
    sent = tapping.tap()
    tapping.clock.now += TAP_S
    assert tapping.send(sent).status == 200
    assert tapping.done == 1


@pytest.mark.parametrize(
    ("language", "said"), [("en", "took too long on its way"), ("da", "for længe undervejs")]
)
def test_what_was_tapped_long_ago_is_not_done(tapping, language, said):
    """A phone that froze before its second try makes that when it wakes."""
    sent = tapping.tap()
    tapping.clock.now += TAP_S + 0.1
    for _ in range(2):
        answer = tapping.send(sent, language)
        assert (answer.status, answer.json["refused"]) == (409, "late")
        assert said in answer.json["words"]
    assert tapping.done == 0


def test_what_was_done_in_time_is_answered_late_too(tapping):
    sent = tapping.tap()
    first = tapping.send(sent)
    tapping.clock.now += 600
    assert tapping.send(sent).body == first.body
    assert tapping.done == 1


def test_what_was_tapped_before_the_page_was_started_anew_is_not_done(tapping):
    """The page has forgotten the ids by then, so nobody knows whether it was done already."""
    before = Moments("0011aabb", tapping.clock).now()
    assert tapping.send(tapping.tap(moment=before)).json["refused"] == "late"
    assert tapping.done == 0


@pytest.mark.parametrize("wrong", ["", ".", "{run}", "{run}.", "{run}.-1", "{run}.²", "{run}.1e5"])
def test_a_moment_that_is_none_is_an_old_one(tapping, wrong):
    moment = wrong.format(run=tapping.made.page.parts.run)
    assert tapping.send(tapping.tap(moment=moment)).json["refused"] == "late"
    assert tapping.done == 0


def test_a_moment_to_come_is_none_of_ours(tapping):
    moment = f"{tapping.made.page.parts.run}.{10**12}"
    assert tapping.send(tapping.tap(moment=moment)).json["refused"] == "late"
    assert tapping.done == 0


def test_without_a_moment_nothing_is_done(tapping):
    assert tapping.send(b'{"id": "longenough"}').json["refused"] == "body"
    assert tapping.done == 0


def test_a_refusal_is_repeated_too():
    made = Made()
    token = made.new_phone()
    sent = body(made, version=7, action={"do": "undo"})
    first = call(made.app, "POST", "/api/table", posting(token), sent)
    again = call(made.app, "POST", "/api/table", posting(token), sent)
    assert (first.status, first.json["refused"]) == (409, "stale")
    assert again.body == first.body


def test_one_phone_does_not_use_up_the_ids_of_another():
    made = Made()
    sent = body(made, do="press")
    for _ in range(2):
        call(made.app, "POST", "/api/hand", posting(made.new_phone()), sent)
    assert len(made.wishes) == 2


def test_the_stream_tells_the_moment_with_every_event(monkeypatch):
    monkeypatch.setattr("cannon.web.stream.PING_S", 0.02)
    clock = Clock()
    clock.now = 12.5
    made = Made(clock=clock)
    with Served(made) as served:
        phone = served.stream()
        phone.state()
        assert phone.moment == f"{made.page.parts.run}.12500"
        clock.now = 13.0
        while phone.moment.endswith(".12500"):
            assert phone.next()[0] == "ping"
        assert phone.moment == made.page.moments.now() == f"{made.page.parts.run}.13000"
