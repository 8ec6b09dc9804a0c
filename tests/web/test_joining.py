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


def test_the_page_shows_a_code_of_the_address(networked):
    hello = call(networked.app, "GET", "/api/hello").json
    assert (hello["address"], hello["local"]) == (ADDRESS, False)
    picture = call(networked.app, "GET", "/qr.svg")
    assert picture.headers["content-type"].startswith("image/svg+xml")
    wanted = segno.make(ADDRESS, micro=False, error="m")
    dark = sum(map(sum, wanted.matrix))
    lengths = re.findall(r"h(\d+)", picture.body.decode().partition("stroke")[2])
    assert sum(int(length) for length in lengths) == dark
    assert f'width="{wanted.symbol_size(border=3)[0]}"' in picture.body.decode()


def test_the_way_in_is_a_page_of_its_own(networked):
    joining = call(networked.app, "GET", "/join")
    assert joining.status == 200
    assert joining.headers["content-type"].startswith("text/html")
