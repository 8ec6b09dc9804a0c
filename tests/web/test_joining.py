"""How phones find the page: the address and its code, on the terminal and on the page."""

import re

import pytest
import segno

from cannon.page.opening import Opened
from cannon.web.page import Place
from tests.web.tools import Made, call

ADDRESS = "http://192.0.2.5:8080/"
HALVES = {" ": (1, 1), "▀": (0, 1), "▄": (1, 0), "█": (0, 0)}  # dark where the terminal is


@pytest.fixture
def networked(monkeypatch):
    monkeypatch.setattr("cannon.web.hosts.network_address", lambda: "192.0.2.5")
    made = Made()
    made.page.place = Place("0.0.0.0", 8080)
    return made


def modules(border):
    """The dark modules that a code of the address has."""
    rows = segno.make(ADDRESS, micro=False).matrix_iter(border=border)
    return [[bool(module) for module in row] for row in rows]


def test_the_terminal_shows_a_code_of_the_address():
    poster = Opened(None, None, ADDRESS, local=False).poster()
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in poster.splitlines()]
    rows = []
    for line in filter(None, lines):
        rows += [[bool(HALVES[sign][half]) for sign in line] for half in (0, 1)]
    wanted = modules(border=2)
    assert rows[: len(wanted)] == wanted


def test_no_code_where_no_phone_could_follow_it():
    assert Opened(None, None, "http://127.0.0.1:8080/", local=True).poster() == ""


def shows_a_code_of(address, picture):
    """By its size and the number of its dark modules."""
    code, drawn = segno.make(address, micro=False, error="m"), picture.body.decode()
    lengths = re.findall(r"h(\d+)", drawn.partition("stroke")[2])
    as_many = sum(map(int, lengths)) == sum(map(sum, code.matrix))
    return as_many and f'width="{code.symbol_size(border=3)[0]}"' in drawn


def test_the_page_shows_a_code_of_the_address(networked):
    hello = call(networked.app, "GET", "/api/hello").json
    assert (hello["address"], hello["local"]) == (ADDRESS, False)
    picture = call(networked.app, "GET", "/qr.svg")
    assert picture.headers["content-type"].startswith("image/svg+xml")
    assert shows_a_code_of(ADDRESS, picture)


def test_address_and_code_follow_the_network_also_on_a_phone_that_has_the_old_code(
    networked, monkeypatch
):
    old = call(networked.app, "GET", "/qr.svg")
    moved = "http://192.0.2.99:8080/"
    monkeypatch.setattr("cannon.web.hosts.network_address", lambda: "192.0.2.99")
    assert call(networked.app, "GET", "/api/hello").json["address"] == moved
    known = {"if-none-match": old.headers["etag"]}
    new = call(networked.app, "GET", "/qr.svg", known)
    assert new.status == 200
    assert new.headers["etag"] != old.headers["etag"]
    assert shows_a_code_of(moved, new)
    assert not shows_a_code_of(ADDRESS, new)
    assert new.headers["cache-control"] == "no-cache"
    monkeypatch.setattr("cannon.web.hosts.network_address", lambda: "192.0.2.5")
    assert call(networked.app, "GET", "/qr.svg", known).status == 304


def test_the_way_in_is_a_page_of_its_own(networked):
    joining = call(networked.app, "GET", "/join")
    assert joining.status == 200
    assert joining.headers["content-type"].startswith("text/html")
