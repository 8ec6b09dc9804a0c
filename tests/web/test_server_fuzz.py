"""Whatever is sent, the server answers, stays well, and the game stays a game of the engine.

Hypothesis makes the bodies: close to the forms and far from them. Nothing may end in a 500, and
after each the whole state can still be shown in both languages.
"""

import asyncio
import json
import uuid
from typing import get_args

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cannon.settings.wording import refusal_words
from cannon.table.actions import Move, NotAnAction, from_object
from cannon.table.history import Game, apply
from cannon.table.state import Refusal
from cannon.web.launcher_view import Facts
from cannon.web.wording import texts_in
from tests.web.tools import Clock, Made, acall, posting

QUICK = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
LONG = settings(QUICK, max_examples=1_000)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
names = st.sampled_from(["A", "B", "C", "Zoë", "<b>x</b>", "\u202eevil", "A" * 40]) | st.text(
    max_size=45
)
cards = st.sampled_from(
    ["red 7", "blue 7", "red hit-2", "wild", "extreme-hit", "red discard-all", "green skip",
     "yellow reverse", "no such card"]
)  # fmt: skip
numbers = st.integers(-2, 600) | st.none() | st.just("unknown")
fields = {
    "by": names,
    "card": cards,
    "colour": st.sampled_from(["red", "blue", "pink"]) | names,
    "player": names,
    "with": numbers,
    "last": st.booleans() | st.none(),
    "cards": numbers | st.lists(cards, max_size=3),
    "points": numbers,
    "presses": numbers,
    "dealer": names,
    "name": names,
    "after": names,
    "owed": st.sampled_from(["waive", "hand-on", "both"]),
    "verdict": st.sampled_from(["guilty", "innocent", "maybe"]),
    "at": numbers,
    "to": numbers,
    "edition": st.sampled_from(["extreme", "classic", "nothing", "../x.toml"]),
    "players": st.lists(names, max_size=11),
    "options": st.dictionaries(st.sampled_from(["limit", "uno", "scoring", "x"]), json_values),
}
KINDS = """start first lay play jump-in keep colour press pressed draw jam empty refill taken
    appeared waive uno catch advice wrong penalty challenge hand count won next join leave take-over
    end undo redo correct nonsense"""
kinds = st.sampled_from(KINDS.split())


def of_its_kind(kind):
    """An action with fields of its own kind only, each there or left out."""
    own = {field.encode_name for field in msgspec.structs.fields(kind)}
    return st.fixed_dictionaries(
        {"do": st.just(kind.__struct_config__.tag)},
        optional={name: fields[name] for name in own & fields.keys()},
    )


actions = (
    st.one_of([of_its_kind(kind) for kind in get_args(Move)])
    | st.fixed_dictionaries({"do": kinds}, optional=fields)
    | json_values
)
starts = st.just(
    {
        "do": "start",
        "edition": "extreme",
        "players": ["A", "B", "C"],
        "dealer": "C",
        "first": "red 5",
    }
)


async def posted(made, token, name, value):
    return await acall(made.app, "POST", f"/api/{name}", posting(token), json.dumps(value).encode())


def any_actions_at_the_table(tried):
    made = Made(clock=Clock())

    async def play():
        token = made.new_phone()
        for action in [
            {"do": "start", "edition": "extreme", "players": ["A", "B", "C"], "dealer": "C"},
            *tried,
        ]:
            made.clock.now += 1
            version = made.keeper.version
            body = {
                "id": uuid.uuid4().hex,
                "moment": made.page.moments.now(),
                "version": version,
                "action": action,
            }
            answer = await posted(made, token, "table", body)
            assert answer.status in (200, 409, 422), (action, answer.body)
            assert (made.keeper.version == version) == (answer.status != 200)
            if answer.status != 200:
                assert json.loads(answer.body)["words"]
                continue
            for language in ("en", "da"):
                state = await acall(made.app, "GET", f"/api/state?lang={language}")
                assert state.status == 200, action
                assert json.loads(state.body)["parts"]["table"]["version"] == made.keeper.version

    asyncio.run(play())


def the_game_on_the_server_is_that_of_the_engine(tried):
    """What the server took, done over again, gives the same state; what it refused, the same."""
    made = Made()
    game: Game = made.keeper.game

    async def play():
        nonlocal game
        for action in tried:
            try:
                read = from_object(action)
            except NotAnAction:
                continue
            refused = await made.keeper.act(read, made.keeper.version)
            result = apply(game, read)
            if isinstance(result, Refusal):
                assert refused == result
                assert refusal_words(texts_in("da"), game.state, result)
            else:
                assert refused is None
                game = result
            assert made.keeper.game.state == game.state

    asyncio.run(play())


@QUICK
@given(
    st.sampled_from(["table", "launcher", "hand", "settings", "power", "pair"]),
    json_values
    | st.dictionaries(
        st.sampled_from(["id", "moment", "do", "pin", "values", "fault"]), json_values
    ),
)
def test_any_body_anywhere(name, value):
    made = Made(Facts(simulated=True, board="Toy", counts=True), pin="99999999")

    async def play():
        answer = await posted(made, made.new_phone(), name, value)
        assert answer.status in (200, 403, 409, 422), (name, value, answer.body)
        assert not made.page.phones.pairings.paired

    asyncio.run(play())


@QUICK
@given(
    st.sampled_from(["GET", "POST", "HEAD", "PUT"]),
    st.text(max_size=40),
    st.dictionaries(
        st.sampled_from(["host", "origin", "accept-language", "if-none-match", "accept-encoding",
                         "x-cannon-token", "content-type", "content-length"]),
        st.text(st.characters(max_codepoint=255), max_size=30),
    ),
)  # fmt: skip
def test_any_address_and_headers(method, path, head):
    made = Made()

    async def play():
        answer = await acall(made.app, method, f"/{path}", head)
        assert answer.status in (200, 304, 403, 404, 405, 413, 415, 422, 307)
        assert not made.wishes

    asyncio.run(play())


some_actions = st.lists(actions, min_size=1, max_size=20)
test_any_actions_at_the_table = QUICK(given(some_actions)(any_actions_at_the_table))
test_the_game_on_the_server_is_that_of_the_engine = QUICK(
    given(some_actions)(the_game_on_the_server_is_that_of_the_engine)
)


@pytest.mark.long
@LONG
@given(some_actions)
def test_many_actions_at_the_table(tried):
    any_actions_at_the_table(tried)


@pytest.mark.long
@LONG
@given(some_actions)
def test_many_games_on_the_server(tried):
    the_game_on_the_server_is_that_of_the_engine(tried)
