"""The stream of states, on real sockets: many phones, slow ones, broken ones, and a flood."""

import contextlib
import http.client
import itertools
import json
import socket
import threading
import time

import pytest

from cannon.web.hub import News
from cannon.web.limits import STREAMS
from tests.web.tools import PATIENCE_S, READY, Made, Served, body, posting, wait_until


@pytest.fixture
def served():
    with Served(Made(clock=time.monotonic)) as running:
        yield running


def show(served, presses):
    """The launcher has a new state."""

    def change():
        page = served.made.page
        page.launcher.take(News(snapshot=READY._replace(presses=presses)))
        page.show_launcher()

    served.do(change)


def listening(served):
    return served.made.page.phones_listening


def test_all_of_the_state_first_and_then_what_is_new(served):
    phone = served.stream()
    first = phone.state()
    assert set(first["parts"]) == {"launcher", "table", "deck"}
    show(served, 5)
    news = phone.state()
    assert news["version"] > first["version"]
    assert news["run"] == first["run"]
    assert set(news["parts"]) == {"launcher"}
    assert news["parts"]["launcher"]["presses"] == 5


def test_after_a_reconnect_all_of_the_present_state(served):
    phone = served.stream()
    phone.state()
    show(served, 7)
    again = served.stream().state()
    assert set(again["parts"]) == {"launcher", "table", "deck"}
    assert again["parts"]["launcher"]["presses"] == 7


def test_a_quiet_stream_says_that_it_is_alive(served, monkeypatch):
    monkeypatch.setattr("cannon.web.stream.PING_S", 0.02)
    phone = served.stream()
    state = phone.state()
    assert phone.next() == ("ping", state["version"])


def test_each_phone_in_its_language(served):
    phones = {
        language: served.stream(path=f"/api/stream?lang={language}") for language in ("en", "da")
    }
    said = {
        language: phone.state()["parts"]["launcher"]["headline"]
        for language, phone in phones.items()
    }
    assert said == {"en": "Ready – press the button", "da": "Klar – tryk på knappen"}


def test_who_goes_away_is_forgotten(served):
    phones = [served.stream() for _ in range(10)]
    wait_until(lambda: listening(served) == 10)
    for phone in phones:
        phone.close()
    wait_until(lambda: listening(served) == 0)


def test_two_hundred_phones_at_once(served):
    phones = [served.stream() for _ in range(200)]
    for phone in phones:
        phone.state()
    assert listening(served) == 200
    show(served, 3)
    seen = [phone.state()["parts"]["launcher"]["presses"] for phone in phones]
    assert seen == [3] * 200


def test_more_phones_than_there_is_room_for(served):
    phones = [served.stream() for _ in range(STREAMS)]
    for phone in phones:
        phone.state()
    refused = served.stream()
    assert refused.status == 503
    phones.pop().close()
    wait_until(lambda: listening(served) < STREAMS)
    late = served.stream()
    assert late.status == 200


def test_a_slow_phone_holds_up_nobody_and_gets_the_newest(served):
    slow = served.stream(receive_buffer=16_384)
    quick = served.stream()
    quick.state()
    many = 2000
    for presses in range(1, many + 1):
        show(served, presses)
    latest = 0
    while latest < many:
        latest = quick.state()["parts"]["launcher"]["presses"]
    received = []
    while not received or received[-1] < many:
        received.append(slow.state()["parts"]["launcher"]["presses"])
    assert received == sorted(received)
    assert len(received) < many  # what it had no time for was replaced, not kept


def test_a_connection_that_asks_for_nothing_is_cut_off(monkeypatch):
    monkeypatch.setattr("cannon.web.connections.REQUEST_S", 0.05)
    with Served(Made(clock=time.monotonic)) as served:
        for sent in (b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: localhost\r\nX: "):
            with socket.create_connection(("127.0.0.1", served.port), PATIENCE_S) as lazy:
                lazy.sendall(sent)
                assert lazy_end(lazy) == b""


def test_a_phone_that_takes_nothing_in_is_cut_off(monkeypatch):
    monkeypatch.setattr("cannon.web.connections.SLOW_S", 0.05)
    monkeypatch.setattr("cannon.web.connections.WAITING_BYTES", 1024)
    with Served(Made(clock=time.monotonic)) as served:
        served.stream(receive_buffer=1024)
        wait_until(lambda: listening(served) == 1)
        number = itertools.count()
        wait_until(lambda: show(served, next(number)) or not listening(served))


def test_a_body_that_does_not_come_is_given_up(monkeypatch):
    monkeypatch.setattr("cannon.web.server.BODY_S", 0.05)
    with Served(Made(clock=time.monotonic)) as served:
        token = served.made.new_phone()
        head = posting(token, origin=f"http://{served.host}", host=served.host)
        lines = [f"{name}: {value}" for name, value in head.items()]
        with socket.create_connection(("127.0.0.1", served.port), PATIENCE_S) as lazy:
            request = "\r\n".join(
                ["POST /api/hand HTTP/1.1", *lines, "Content-Length: 50", "", "{"]
            )
            lazy.sendall(request.encode())
            assert b" 408 " in lazy_end(lazy).partition(b"\r\n")[0]


def lazy_end(lazy):
    """All that comes until the server closes."""
    received = b""
    with contextlib.suppress(ConnectionResetError):
        while data := lazy.recv(4096):
            received += data
    return received


def flood(served, rounds, connections=4, at_once=25):
    """Requests of one phone as fast as the server takes them; gives how often each status came."""
    statuses = {}
    head = posting(served.made.new_phone(), origin=f"http://{served.host}", host=served.host)
    lines = "\r\n".join(f"{name}: {value}" for name, value in head.items())

    def request():
        sent = body(served.made, do="press")
        start = f"POST /api/hand HTTP/1.1\r\n{lines}\r\nContent-Length: {len(sent)}\r\n\r\n"
        return start.encode() + sent

    def work():
        for _ in range(rounds):
            with socket.create_connection(("127.0.0.1", served.port), PATIENCE_S) as connection:
                with contextlib.suppress(ConnectionError):  # refused ones are closed
                    connection.sendall(b"".join(request() for _ in range(at_once)))
                    connection.shutdown(socket.SHUT_WR)
                for line in lazy_end(connection).split(b"\r\n"):
                    if line.startswith(b"HTTP/1.1 "):
                        status = int(line.split()[1])
                        statuses[status] = statuses.get(status, 0) + 1

    threads = [threading.Thread(target=work) for _ in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return statuses


def survives(served, rounds):
    phone = served.stream()
    phone.state()
    statuses = flood(served, rounds)
    assert set(statuses) <= {200, 429}, statuses
    assert statuses[429] > statuses.get(200, 0)
    assert len(served.made.wishes) >= statuses.get(200, 0)  # some answers were cut off
    show(served, 99)
    while phone.state()["parts"]["launcher"]["presses"] != 99:
        pass


def test_a_flood_is_turned_away_and_leaves_nothing_behind(served):
    survives(served, 20)


def test_a_state_is_json_all_through(served):
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=PATIENCE_S)
    connection.request("GET", "/api/state")
    state = json.loads(connection.getresponse().read())
    connection.close()
    assert state["run"] == served.made.page.parts.run
