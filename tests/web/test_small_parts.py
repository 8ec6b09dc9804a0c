"""The page's small parts: versions, phones, names of this machine, bounds, languages, verdicts."""

import asyncio
import json
import random
import socket
import subprocess
import sys

import pytest

from cannon.core.chances import chances_of
from cannon.core.drawing import Drawing
from cannon.settings.odds_models import compile_model, load_odds
from cannon.web import hosts
from cannon.web.hosts import host_of, is_loopback, is_ours, own_names, page_address
from cannon.web.limits import REMEMBERED, Once, Rate
from cannon.web.parts import Parts
from cannon.web.phones import MOST_PAIRED, Phones, new_pairings
from cannon.web.verdict import DOUBTFUL, FEW, FITS, OFF, chance_of_square, verdict
from cannon.web.wording import accepted, for_page, known
from tests.web.tools import PATIENCE_S, PIN, Clock

# --- parts -----------------------------------------------------------------------------------


def shown(parts, seen, language="en"):
    return json.loads(parts.since(seen, language))


def test_a_phone_gets_what_it_has_not_seen():
    async def play():
        parts = Parts()
        parts.put("a", lambda language: [language, 1])
        seen = parts.version
        parts.put("b", lambda language: 2)
        parts.put("b", lambda language: 3)
        assert shown(parts, 0)["parts"] == {"a": ["en", 1], "b": 3}
        assert shown(parts, 0, "da")["parts"]["a"] == ["da", 1]
        assert shown(parts, seen)["parts"] == {"b": 3}
        assert shown(parts, parts.version) == {"run": parts.run, "version": 3, "parts": {}}

    asyncio.run(play())


def test_a_part_is_made_once_for_all_that_read_a_language():
    async def play():
        parts, made = Parts(), []
        parts.put("a", lambda language: made.append(language))
        for _ in range(3):
            parts.since(0, "en")
            parts.since(0, "da")
        assert made == ["en", "da"]

    asyncio.run(play())


def test_waiting_for_news():
    async def play():
        parts = Parts()
        assert not await parts.news(0, 0.001)
        waiting = [asyncio.create_task(parts.news(0, 60)) for _ in range(5)]
        await asyncio.sleep(0)
        parts.put("a", lambda language: 1)
        assert await asyncio.gather(*waiting) == [True] * 5
        assert await parts.news(0, 0.001)

    asyncio.run(play())


@pytest.mark.parametrize("turns", range(4))
def test_who_goes_away_as_news_comes_is_gone(turns):
    async def play():
        parts = Parts()
        waiting = asyncio.create_task(parts.news(0, 60))
        await asyncio.sleep(0)
        parts.put("a", lambda language: 1)
        for _ in range(turns):
            await asyncio.sleep(0)
        too_late = not waiting.cancel()
        await asyncio.wait([waiting])
        assert waiting.cancelled() or too_late

    asyncio.run(play())


# --- phones ----------------------------------------------------------------------------------


def test_a_token_is_ours_or_it_is_not():
    phones = Phones(new_pairings(), PIN, Clock())
    token = phones.new_token()
    name, _, proof = token.partition(".")
    assert phones.phone(token) == name
    for wrong in (
        "",
        ".",
        name,
        f"{name}.",
        f".{proof}",
        f"{name}x.{proof}",
        token[:-1],
        token + "0",
    ):
        assert phones.phone(wrong) is None
    assert Phones(new_pairings(), PIN, Clock()).phone(token) is None


def test_pairings_survive_a_restart_and_not_a_new_pin():
    kept = new_pairings()
    phones = Phones(kept, PIN, Clock())
    assert phones.pair("a", PIN)
    assert not phones.pair("b", PIN + "1")
    assert Phones(kept, PIN, Clock()).paired("a")
    assert not Phones(kept, "1111", Clock()).paired("a")
    assert not Phones(kept, PIN, Clock()).paired("a")


def test_no_pin_pairs_nothing():
    phones = Phones(new_pairings(), "", Clock())
    assert not phones.can_pair
    assert not phones.pair("a", "")


def test_the_last_paired_phones_are_kept():
    phones = Phones(new_pairings(), PIN, Clock())
    for number in range(MOST_PAIRED + 5):
        phones.pair(f"phone{number}", PIN)
    assert len(phones.pairings.paired) == MOST_PAIRED
    assert not phones.paired("phone0")
    assert phones.paired(f"phone{MOST_PAIRED + 4}")


def test_the_key_does_not_give_away_the_pin_in_the_clear():
    kept = new_pairings()
    Phones(kept, PIN, Clock())
    assert PIN not in kept.pin


# --- names of this machine -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "host"),
    [
        ("localhost:80", "localhost"),
        ("LOCALHOST", "localhost"),
        ("192.0.2.1:8080", "192.0.2.1"),
        ("[::1]:8080", "::1"),
        ("[fe80::1]", "fe80::1"),
        ("::1", "::1"),
        ("", ""),
    ],
)
def test_the_host_of_a_header(header, host):
    assert host_of(header) == host


def test_ours_and_not_ours():
    names = own_names(["Cannon.Home"])
    for mine in (
        "localhost:1",
        "10.0.0.7:8080",
        "[2001:db8::1]:80",
        "cannon.home",
        "CANNON.HOME.:80",
    ):
        assert is_ours(mine, names), mine
    for other in (
        "evil.example",
        "localhost.evil.example",
        "1.2.3.4.evil.example",
        "",
        "[evil]",
        "a,b",
    ):
        assert not is_ours(other, names), other


def test_where_a_page_is_found():
    assert page_address("192.0.2.1", 8080) == "http://192.0.2.1:8080/"
    assert page_address("192.0.2.1", 80) == "http://192.0.2.1/"
    assert page_address("::1", 8080) == "http://[::1]:8080/"
    assert page_address("0.0.0.0", 8080).startswith("http://")
    assert "0.0.0.0" not in page_address("0.0.0.0", 8080)


@pytest.mark.parametrize(
    ("routed", "beside", "address"),
    [
        (["192.0.2.5"], ["172.17.0.1"], "192.0.2.5"),
        ([], ["127.0.0.1", "10.42.0.1"], "10.42.0.1"),
        ([], ["169.254.7.7", "81.2.69.142", "192.168.4.1"], "192.168.4.1"),
        ([], ["127.0.0.1", "169.254.7.7"], "169.254.7.7"),
        (["127.0.0.1"], ["10.42.0.1"], "10.42.0.1"),
        ([], ["127.0.0.1"], "127.0.0.1"),  # without a network there is nothing better
    ],
)
def test_the_address_follows_the_network(monkeypatch, routed, beside, address):
    only = {socket.AF_INET: routed, socket.AF_INET6: []}
    monkeypatch.setattr(hosts, "_routed", only.__getitem__)
    monkeypatch.setattr(hosts, "_of_interfaces", lambda: beside)
    for host in ("", "0.0.0.0", "::"):
        assert page_address(host, 8080) == f"http://{address}:8080/"


HOTSPOT = """
ip link set lo up
ip link add gone0 type bridge && ip addr add 10.9.0.1/24 dev gone0
ip link add bare0 type bridge && ip link set bare0 up
ip link add ap0 type bridge && ip addr add 10.42.0.1/24 dev ap0 && ip link set ap0 up
exec "$0" -c 'from cannon.web.hosts import page_address; print(page_address("0.0.0.0", 80))'
"""


@pytest.mark.long  # not for its time: only root may make networks everywhere
def test_a_network_that_leads_nowhere_has_an_address_too():
    """In a network of its own, made of bridges, as the kernel has it on a Pi that is a hotspot."""
    command = ["unshare", "-Urn", "sh", "-c", HOTSPOT, sys.executable]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S)
    assert (done.stdout, done.returncode) == ("http://10.42.0.1/\n", 0), done.stderr


def test_for_this_machine_only():
    assert all(is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "127.9.9.9"))
    assert not any(is_loopback(host) for host in ("0.0.0.0", "192.0.2.1", "::", "cannon", ""))


# --- bounds ----------------------------------------------------------------------------------


def test_a_rate_lets_a_burst_through_and_then_so_many_a_second():
    clock = Clock()
    rate = Rate((2.0, 3), clock)
    assert [rate.allows("a") for _ in range(5)] == [True] * 3 + [False] * 2
    assert rate.allows("b")
    clock.now += 0.5
    assert [rate.allows("a") for _ in range(2)] == [True, False]
    clock.now += 100
    assert [rate.allows("a") for _ in range(5)] == [True] * 3 + [False] * 2


def test_what_is_remembered_is_bounded():
    rate, once = Rate((1.0, 1), Clock()), Once()
    for number in range(3 * REMEMBERED):
        rate.allows(str(number))
        once.remember("phone", str(number), (200, b""))
    assert len(rate._buckets) == REMEMBERED
    assert len(once._answers) == REMEMBERED
    assert once.answer("phone", "0") is None
    assert once.answer("phone", str(3 * REMEMBERED - 1)) == (200, b"")


# --- languages -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("da", "da"),
        ("da-DK,da;q=0.9,en;q=0.8", "da"),
        ("sv,en;q=0.7,da;q=0.9", "da"),
        ("en-GB", "en"),
        ("fr-FR", "en"),
        ("", "en"),
        ("*;q=nonsense", "en"),
    ],
)
def test_the_language_a_phone_reads(header, language):
    assert accepted(header) == language


def test_a_language_by_its_name():
    assert known("DA-dk") == "da"
    assert known("xx") is None
    assert known(None) is None
    assert known("../en") is None


def test_the_page_gets_its_own_words_only():
    words = for_page("da")
    assert words["page.tab.play"] == "Spil"
    assert all(key.startswith("page.") for key in words)
    assert "page.refused.pin" not in words


# --- does it keep its odds? ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("square", "freedom", "chance"),
    [  # from printed tables of the chi-square distribution
        (3.841, 1, 0.05),
        (6.635, 1, 0.01),
        (5.991, 2, 0.05),
        (7.815, 3, 0.05),
        (13.277, 4, 0.01),
        (18.307, 10, 0.05),
        (29.588, 10, 0.001),
        (24.996, 15, 0.05),
        (0.0, 3, 1.0),
    ],
)
def test_chi_square(square, freedom, chance):
    assert chance_of_square(square, freedom) == pytest.approx(chance, rel=0.01)


@pytest.mark.parametrize("model", ["measured", "ascending", "even", "rare", "generous"])
def test_a_launcher_that_keeps_its_odds_passes(model):
    compiled = compile_model(load_odds(model))
    shares = chances_of(compiled).launch_share_by_wait
    doubted = 0
    for seed in range(200):
        drawing = Drawing(compiled, random.Random(seed))
        drawing.press(800)
        judged = verdict(shares, drawing.drawn.launches_by_wait)
        assert judged.code in (FITS, DOUBTFUL)
        doubted += judged.code == DOUBTFUL
    assert doubted <= 24  # 5 % of 200 are 10; 24 or more come once in 20,000 times


def test_another_model_is_told_apart():
    shares = chances_of(compile_model(load_odds("measured"))).launch_share_by_wait
    drawing = Drawing(compile_model(load_odds("even")), random.Random(3))
    drawing.press(800)
    assert verdict(shares, drawing.drawn.launches_by_wait).code == OFF


def test_few_launches_say_nothing_but_the_impossible_does():
    shares = {1: 0.2, 2: 0.5, 3: 0.3}
    assert verdict(shares, {1: 2, 2: 9, 3: 4}).code == FEW
    assert verdict(shares, {}).code == FEW
    assert verdict(shares, {7: 1}).code == OFF
    assert verdict(shares, {1: 40, 2: 100, 3: 60, 7: 1}).code == OFF
    assert verdict({1: 1.0}, {1: 500}).code == FEW  # there is nothing that could differ
