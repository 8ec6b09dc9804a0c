"""Nobody changes anything from outside: without token, by foreign pages or names, by too much."""

import json

import pytest

from cannon.web.launcher_view import Facts
from cannon.web.limits import BODY_BYTES
from tests.web.tools import HOST, PIN, Clock, Made, body, call, post, posting

ALL = {
    "table": {"version": 0, "action": {"do": "undo"}},
    "launcher": {"do": "refilled"},
    "hand": {"do": "press"},
    "settings": {"values": {"odds": "even"}},
    "power": {"do": "halt"},
    "pair": {"pin": PIN},
}
REAL = Facts(simulated=False, board="Toy", counts=True)
REMOTE = Facts(simulated=False, board="Toy", counts=True, remote_firing=True, shutdown=True)


def nothing_happened(made):
    return not made.wishes and made.keeper.version == 0 and not made.page.phones.pairings.paired


def paired(made):
    token = made.new_phone()
    assert post(made, "pair", token, pin=PIN).status == 200
    return token


@pytest.mark.parametrize("name", ALL)
def test_all_is_well_for_a_page_of_ours(name):
    made = Made(REMOTE if name == "power" else None)
    token = paired(made)
    answer = post(made, name, token, **ALL[name])
    refused = name == "table"  # there is nothing to undo
    assert answer.status == (409 if refused else 200), answer.body


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    ("head", "status"),
    [
        ({"x-cannon-token": None}, 403),
        ({"x-cannon-token": ""}, 403),
        ({"x-cannon-token": "0011223344556677.00000000000000000000000000000000"}, 403),
        ({"x-cannon-token": "ø\x80.ÿ"}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": f"http://{HOST}.evil.example"}, 403),
        ({"origin": "http://127.0.0.1"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"host": "evil.example:8080"}, 403),
        ({"host": "evil.example:8080", "origin": "http://evil.example:8080"}, 403),
        ({"host": "127.0.0.1.evil.example"}, 403),
        ({"host": ""}, 403),
        ({"host": "127.0.0.1:8080,evil.example"}, 403),
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "application/x-www-form-urlencoded"}, 415),
        ({"content-type": None}, 415),
        ({"content-length": str(BODY_BYTES + 1)}, 413),
        ({"content-length": "-1"}, 413),
        ({"content-length": "²"}, 413),
    ],
)
def test_nothing_from_outside_changes_anything(name, head, status):
    made = Made(REMOTE)
    answer = call(
        made.app,
        "POST",
        f"/api/{name}",
        posting(made.new_phone(), **head),
        body(made, **ALL[name]),
        host=head.get("host", HOST) or "",
    )
    assert answer.status == status
    assert nothing_happened(made)
    assert set(answer.json) == {"refused", "words"}
    assert answer.json["words"]


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_only_a_post_changes(name, method):
    if method in ("GET", "HEAD") and name == "settings":
        return  # there is something to read under that name; it is in the test below
    made = Made()
    answer = call(
        made.app, method, f"/api/{name}", posting(made.new_phone()), body(made, **ALL[name])
    )
    assert answer.status == 405
    assert nothing_happened(made)


def test_reading_changes_nothing():
    made = Made()
    version = made.page.parts.version
    for path in ("/", "/join", "/api/hello", "/api/state", "/api/settings", "/api/odds", "/qr.svg"):
        for method in ("GET", "HEAD"):
            assert call(made.app, method, path).status == 200, path
    assert nothing_happened(made)
    assert made.page.parts.version == version


@pytest.mark.parametrize(
    "host", ["evil.example", "cannon.evil.example", "", "localhost.evil.example"]
)
@pytest.mark.parametrize("path", ["/", "/api/hello", "/api/state", "/static/app.js"])
def test_nothing_is_read_under_a_foreign_name(path, host):
    assert call(Made().app, "GET", path, host=host).status == 403


@pytest.mark.parametrize("host", ["localhost:8080", "127.0.0.1", "[::1]:8080", "192.168.1.20:8080"])
def test_our_own_names_and_plain_addresses_are_fine(host):
    assert call(Made().app, "GET", "/api/hello", host=host).status == 200


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'"' + b"[" * 10_000,
        b"[" * 10_000,
        b'{"id": 5}',
        b'{"id": "short"}',
        b'{"id": "longenough", "more": 1}',
    ],
)
def test_a_wrong_body_is_told_and_does_nothing(name, sent):
    made = Made(REMOTE)
    answer = call(made.app, "POST", f"/api/{name}", posting(made.new_phone()), sent)
    assert answer.status == 422
    assert answer.json["refused"] == "body"
    assert nothing_happened(made)


@pytest.mark.parametrize("name", ALL)
def test_a_long_body_is_cut_off_even_if_it_says_it_is_short(name):
    made = Made()
    long = body(made, **ALL[name])[:-1] + b" " * BODY_BYTES + b"}"
    head = posting(made.new_phone(), **{"content-length": "10"})
    answer = call(made.app, "POST", f"/api/{name}", head, long)
    assert answer.status == 413
    assert answer.headers["connection"] == "close"
    assert nothing_happened(made)


STEERING = [
    "a\nb",
    "\x1b[2J",
    "\x9b2J",
    "a\u202eb",
    "a\u2066b",
    "\u200fa",
    "a\u2028b",
    "",
    "x" * 41,
]


@pytest.mark.parametrize("name", STEERING)
def test_a_name_that_steers_terminals_or_turns_the_writing_is_refused(name):
    made = Made()
    action = {"do": "start", "edition": "extreme", "players": ["A", name], "dealer": "A"}
    answer = post(made, "table", version=0, action=action)
    assert (answer.status, made.keeper.version) in ((422, 0), (409, 0))


def test_a_stale_phone_is_told_in_its_language():
    made = Made()
    answer = post(
        made, "table", head={"accept-language": "da-DK,en;q=0.5"}, version=3, action={"do": "undo"}
    )
    assert answer.json == {
        "refused": "stale",
        "words": "Nogen var hurtigere: Se på bordet, og tryk så igen.",
    }


def test_a_move_against_the_rules_is_told_in_words():
    made = Made()
    answer = post(made, "table", version=0, action={"do": "press", "by": "A"})
    assert (answer.status, answer.json["words"]) == (409, "No game has begun.")


# --- PIN, pairing, and what moves the motor -------------------------------------------------


def test_settings_and_power_need_pairing():
    made = Made(REMOTE)
    token = made.new_phone()
    for name in ("settings", "power"):
        assert post(made, name, token, **ALL[name]).json["refused"] == "pairing"
    assert post(made, "launcher", token, do="press").json["refused"] == "pairing"
    assert post(made, "launcher", token, do="acknowledge").json["refused"] == "pairing"
    assert not made.wishes
    assert post(made, "pair", token, pin=PIN).json == {"paired": True}
    for name in ("settings", "power"):
        assert post(made, name, token, **ALL[name]).status == 200
    assert post(made, "launcher", token, do="press").status == 200
    assert len(made.wishes) == 3
    assert post(made, "pair", token).json == {"paired": False}
    assert post(made, "settings", token, **ALL["settings"]).status == 403


def test_firing_from_afar_is_off_unless_allowed():
    made = Made(REAL)
    answer = post(made, "launcher", paired(made), do="press")
    assert (answer.status, answer.json["refused"]) == (403, "remote_off")
    assert not made.wishes


def test_a_double_tap_on_fire_is_one_shot():
    clock = Clock()
    made = Made(REMOTE, clock=clock)
    token = paired(made)
    first, second = (post(made, "launcher", token, do="press").status for _ in range(2))
    assert (first, second, len(made.wishes)) == (200, 429, 1)
    clock.now += 1.1
    assert post(made, "launcher", token, do="press").status == 200


def test_hands_reach_no_real_launcher():
    made = Made(REAL)
    assert post(made, "hand", do="press").json["refused"] == "not_simulated"
    assert not made.wishes


def test_wrong_pins_are_slowed_down():
    clock = Clock()
    made = Made(REMOTE, clock=clock)
    token = made.new_phone()
    codes = [post(made, "pair", token, pin=f"{n:06d}").json["refused"] for n in range(6)]
    assert codes == ["pin"] * 5 + ["pin_too_often"]
    assert post(made, "pair", token, pin=PIN).status == 429  # the right one comes too soon as well
    clock.now += 21
    assert post(made, "pair", token, pin=PIN).status == 200


def test_a_new_name_for_every_try_does_not_help():
    made = Made(REMOTE)
    codes = [post(made, "pair", made.new_phone(), pin="000000").json["refused"] for _ in range(11)]
    assert codes[-1] == "pin_too_often"
    assert not made.page.phones.pairings.paired


def test_without_a_pin_nothing_can_be_paired():
    made = Made(REMOTE, pin="")
    assert post(made, "pair", pin="").json["refused"] == "no_pin"
    assert not made.page.phones.pairings.paired


def test_a_wrong_setting_is_told():
    made = Made()
    answer = post(made, "settings", paired(made), values={"board": "x"})
    assert (answer.status, answer.json["refused"]) == (422, "setting")
    assert not made.wishes


def test_one_phone_cannot_write_all_the_time():
    clock = Clock()
    made = Made(clock=clock)
    token = made.new_phone()
    codes = [post(made, "hand", token, do="press").status for _ in range(60)]
    assert codes.count(200) == 40
    assert codes.count(429) == 20
    assert post(made, "hand", made.new_phone(), do="press").status == 200
    clock.now += 1
    assert post(made, "hand", token, do="press").status == 200


# --- what goes out ---------------------------------------------------------------------------


def test_every_answer_carries_the_policy():
    made = Made()
    for path in ("/", "/static/app.js", "/api/state", "/nothing", "/api/hand"):
        head = call(made.app, "GET", path).headers
        policy = head["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http:" not in policy
        assert "frame-ancestors 'none'" in policy
        assert head["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in head
        assert "set-cookie" not in head


def test_only_files_of_ours_are_served():
    made = Made()
    for name in ("../server.py", "..%2fserver.py", "%2e%2e/server.py", "/etc/passwd", "app.js/x"):
        assert call(made.app, "GET", f"/static/{name}").status == 404, name


def test_the_token_is_told_to_nobody_else():
    made = Made()
    hello = call(made.app, "GET", "/api/hello").json
    other = call(made.app, "GET", "/api/hello").json
    assert hello["token"] != other["token"]
    again = call(made.app, "GET", "/api/hello", {"x-cannon-token": hello["token"]}).json
    assert again["token"] == hello["token"]
    assert hello["token"] not in json.dumps(call(made.app, "GET", "/api/state").json)
    assert PIN not in json.dumps(again)


def test_simulation_is_announced():
    for simulated in (True, False):
        made = Made(Facts(simulated=simulated, board="Toy", counts=True))
        assert call(made.app, "GET", "/api/state").json["simulated"] is simulated
        assert call(made.app, "GET", "/api/hello").json["simulated"] is simulated
