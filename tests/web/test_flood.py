"""A flood of requests at the page's process; the launcher plays on as if there were none."""

import subprocess
import sys

import pytest

from tests.web.playing import Playing
from tests.web.tools import wait_until

RATE, SECONDS, PROCESSES = 5_000, 10, 2
MOST = 80  # presses of one card each; the launcher holds 83


def flood(port, requests, rate):
    command = [sys.executable, "-m", "tests.web.flooding", str(port), str(requests), str(rate)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def played_through(playing, floods):
    """Presses as long as the flood lasts; gives how many, requests sent, and requests a second."""
    while playing.presses < MOST and any(one.poll() is None for one in floods):
        playing.press()
    told = [one.communicate()[0].split() for one in floods]
    sent = sum(int(number) for number, _ in told)
    return playing.presses, sent, sent / max(float(seconds) for _, seconds in told)


def launcher_has_noticed_nothing(playing, page):
    now = playing.live.loop.controller.snapshot()
    assert (now.state, now.cause, now.owed) == ("ready", "", 0)
    assert playing.told == []
    assert playing.link.pid == page
    shown = []
    wait_until(
        lambda: playing.reached(lambda: shown.append(playing.client().parts["launcher"]) or shown)
    )
    assert shown[0]["presses"] == playing.presses
    assert {shot["cards"] for shot in shown[0]["shots"]} == {1}


@pytest.mark.parametrize(
    ("requests", "processes"),
    [(2_500, 1), pytest.param(RATE * SECONDS, PROCESSES, marks=pytest.mark.long)],
)
def test_a_flood_at_the_page_is_nothing_to_the_launcher(tmp_path, requests, processes):
    with Playing(tmp_path, *[1] * MOST) as playing:
        page = playing.link.pid
        share = requests // processes
        floods = [flood(playing.port, share, RATE / processes) for _ in range(processes)]
        presses, sent, rate = played_through(playing, floods)
        print(f"{sent} of {requests} requests sent, {rate:.0f} a second; {presses} presses")
        assert presses >= 1
        assert sent > 0
        launcher_has_noticed_nothing(playing, page)
