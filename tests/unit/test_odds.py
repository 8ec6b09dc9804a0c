"""What a press decides: the models' law, their bounds, their state, and what must not matter."""

import itertools
import json
import math
import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cannon.core.chances import chances_of
from cannon.core.drawing import Drawing
from cannon.core.odds import Odds
from cannon.seeds import fresh_seed
from cannon.settings.odds_models import compile_model, load_odds, odds_names

SEQUENCE_96 = [
    *(2, 6, 9, 13, 17, 21, 24, 26, 27, 29, 32, 36, 37, 41, 44, 47, 48, 51, 54, 57, 58, 62, 66),
    *(69, 72, 73, 77, 81, 84, 85, 88, 92, 93, 96),
]
UNHURRIED_S = 100.0


def model_of(**changes):
    """A compiled model: one card with a chance of a half on each press, at most 9 blanks."""
    plain = {
        "name": "test",
        "chances": [0.5],
        "max_blanks": 9,
        "max_launches": None,
        "rapid": None,
        "sequence": None,
        "length": None,
        "reset_on": [],
        "cards": [[[1, 1.0]]],
    }
    return plain | changes


def built_in(name):
    return compile_model(load_odds(name))


class Given:
    """A random source that gives these numbers, one after the other, over and over."""

    def __init__(self, *numbers):
        self.numbers = numbers
        self.drawn = 0

    def random(self):
        self.drawn += 1
        return self.numbers[(self.drawn - 1) % len(self.numbers)]


def firing_presses(odds, presses, rng=None):
    rng = rng or random.Random(1)
    return [n for n in range(1, presses + 1) if odds.press(rng, n * UNHURRIED_S)]


# --- the exact law and the drawn presses agree ------------------------------------------------


def chi_square_limit(freedom):
    """Above this a fair draw comes once in a million (Wilson and Hilferty's approximation)."""
    spread = 2 / (9 * freedom)
    return freedom * (1 - spread + 4.753 * math.sqrt(spread)) ** 3


def chi_square(found, shares):
    total = sum(found.values())
    assert set(found) <= set(shares), "something came that cannot come"
    return sum((found.get(k, 0) - total * p) ** 2 / (total * p) for k, p in shares.items())


@pytest.mark.parametrize("name", odds_names())
def test_drawn_presses_follow_the_exact_law(name):
    model = built_in(name)
    chances = chances_of(model)
    drawing = Drawing(model, random.Random(20_260))
    drawing.press(60_000)
    drawn = drawing.drawn
    if not model["sequence"]:
        by_wait = chi_square(drawn.launches_by_wait, chances.launch_share_by_wait)
        assert by_wait < chi_square_limit(len(chances.launch_share_by_wait) - 1)
    by_count = chi_square(drawn.launches_by_count, chances.count_share)
    assert by_count < chi_square_limit(len(chances.count_share) - 1)
    assert drawn.longest_blank_streak == chances.longest_blank_streak
    assert drawn.cards / drawn.presses == pytest.approx(chances.cards_per_press, abs=0.05)


def test_the_chi_square_test_would_notice_a_plain_chance_on_every_press():
    """A plain `random() < p` with the right mean wait is not what the launcher does."""
    plain = model_of(chances=[323 / 801], max_blanks=4)
    drawing = Drawing(plain, random.Random(5))
    drawing.press(5_000)
    shares = chances_of(built_in("measured")).launch_share_by_wait
    assert chi_square(drawing.drawn.launches_by_wait, shares) > chi_square_limit(4)


def test_measured_has_the_published_figures():
    chances = chances_of(built_in("measured"))
    shares = [58 / 323, 132 / 323, 78 / 323, 30 / 323, 25 / 323]
    assert list(chances.launch_share_by_wait.values()) == pytest.approx(shares, abs=1e-12)
    hazards = [58 / 323, 132 / 265, 78 / 133, 30 / 55, 1]
    assert list(chances.chance_by_wait.values()) == pytest.approx(hazards, abs=1e-12)
    means = [4.66, 5.39, 4.72, 5.07, 7.20]
    assert list(chances.mean_cards_by_wait.values()) == pytest.approx(means, abs=1e-9)
    assert chances.launches_per_press == pytest.approx(323 / 801, abs=1e-12)
    assert chances.cards_per_press == pytest.approx(2.10, abs=0.005)
    assert chances.longest_blank_streak == 4
    counts = chances.count_share_by_wait
    assert [(min(law), max(law)) for law in counts.values()] == [(1, 9)] * 4 + [(1, 13)]


def test_ascending_waits_one_to_five_presses_each_equally_likely():
    chances = chances_of(built_in("ascending"))
    assert chances.launch_share_by_wait == pytest.approx(dict.fromkeys(range(1, 6), 0.2))
    assert chances.mean_wait == pytest.approx(3)


def law_by_trying(model, steps=20):
    """Launch shares by wait from every state the odds can be in, with chances in 1/`steps`.

    Each number of a fine grid stands for an equal part of all random numbers, so counting those
    that fire gives the chance exactly. The share of each state is found by stepping the chain.
    """
    grid = [(i + 0.5) / steps for i in range(steps)]
    start = (0, 0)
    ways = {}
    unseen = [start]
    while unseen:
        state = unseen.pop()
        if state in ways:
            continue
        ways[state] = []
        for number in grid:
            odds = Odds(model, {"blanks": state[0], "in_a_row": state[1], "position": 0})
            fired = odds.press(Given(number, 0.5), 0.0) > 0
            # Without a bound on launches all states after a launch do the same.
            in_a_row = odds.state()["in_a_row"]
            row = in_a_row if model["max_launches"] else min(in_a_row, 1)
            ways[state].append(((odds.wait, row), fired))
            unseen.append((odds.wait, row))
    part = dict.fromkeys(ways, 1 / len(ways))
    for _ in range(4000):
        after = dict.fromkeys(ways, 0.0)
        for state, outcomes in ways.items():
            for target, _ in outcomes:
                after[target] += part[state] / steps
        # Half of the old one, so that a chain that goes round in a circle settles too.
        part = {state: (part[state] + after[state]) / 2 for state in ways}
    shares = {}
    for state, outcomes in ways.items():
        fired = sum(fires for _, fires in outcomes) / steps * part[state]
        if fired:
            shares[state[0] + 1] = shares.get(state[0] + 1, 0.0) + fired
    total = sum(shares.values())
    return {wait: share / total for wait, share in sorted(shares.items())}, total


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"chances": [0.2, 0.5, 0.6, 0.55, 1.0], "max_blanks": 4},
        {"chances": [0.2, 0.5, 0.6], "max_blanks": 4},
        {"chances": [0.25, 0.75], "max_blanks": 1},
        {"chances": [0.5], "max_blanks": 3, "max_launches": 2},
        {"chances": [0.9, 0.1], "max_blanks": 6, "max_launches": 1},
        {"chances": [1.0], "max_blanks": 1, "max_launches": 3},
        {"chances": [1.0], "max_blanks": 0},
        {"chances": [0.5], "max_blanks": 0},
        {"chances": [0.0, 0.0, 1.0], "max_blanks": 2},
        {"chances": [0.0, 0.5, 0.0, 0.25], "max_blanks": 5, "max_launches": 4},
    ],
)
def test_the_exact_law_is_that_of_the_odds_themselves(changes):
    model = model_of(**changes)
    shares, launches_per_press = law_by_trying(model)
    chances = chances_of(model)
    assert chances.launch_share_by_wait == pytest.approx(shares, abs=1e-9)
    assert chances.launches_per_press == pytest.approx(launches_per_press, abs=1e-9)
    assert chances.longest_blank_streak == max(shares) - 1


# --- the sequence -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sequence-96", "sequence-96-reset"])
def test_sequence_96_gives_the_34_numbers_over_and_over(name):
    odds = Odds(built_in(name))
    assert firing_presses(odds, 96) == SEQUENCE_96
    assert firing_presses(odds, 96) == SEQUENCE_96
    assert len(SEQUENCE_96) == 34


def test_sequence_96_gives_3_to_8_cards():
    law = chances_of(built_in("sequence-96")).count_share
    assert law == pytest.approx(dict.fromkeys(range(3, 9), 1 / 6))


@pytest.mark.parametrize("what", ["lid_opened", "powered_on"])
def test_lid_and_power_reset_the_sequence_only_where_the_model_says_so(what):
    kept, reset = Odds(built_in("sequence-96")), Odds(built_in("sequence-96-reset"))
    for odds in (kept, reset):
        assert firing_presses(odds, 8) == [2, 6]
        getattr(odds, what)()
    assert firing_presses(kept, 5) == [1, 5]  # presses 9 and 13
    assert firing_presses(reset, 9) == [2, 6, 9]


def test_the_restored_sequence_is_reset_by_power_alone():
    odds = Odds(built_in("sequence-96-reset"))
    firing_presses(odds, 8)
    again = Odds(built_in("sequence-96-reset"), odds.state())
    assert firing_presses(again, 1) == [1]
    again.powered_on()
    assert firing_presses(again, 6) == [2, 6]


# --- what must not matter ---------------------------------------------------------------------


@pytest.mark.parametrize("name", [n for n in odds_names() if n != "sequence-96-reset"])
def test_a_refill_and_a_restart_change_nothing(name):
    """The same random numbers give the same cards, whatever is done to lid and power."""
    model = built_in(name)
    undisturbed, disturbed = Odds(model), Odds(model)
    first, second = random.Random(3), random.Random(3)
    for number in range(2_000):
        disturbed.lid_opened()
        if number % 7 == 0:
            disturbed = Odds(model, json.loads(json.dumps(disturbed.state())))
            disturbed.powered_on()
        now_s = number * UNHURRIED_S
        assert undisturbed.press(first, now_s) == disturbed.press(second, now_s)


def test_the_first_press_after_a_refill_fires_as_often_as_the_model_says():
    model = built_in("measured")
    presses = 4_000
    fired = 0
    rng = random.Random(11)
    for _ in range(presses):
        odds = Odds(model)
        odds.lid_opened()
        fired += odds.press(rng, 0.0) > 0
    chance = 58 / 323
    assert abs(fired / presses - chance) < 3 * math.sqrt(chance * (1 - chance) / presses)


def test_500_sessions_with_fresh_seeds_all_differ():
    model = built_in("measured")
    sessions = set()
    for _ in range(500):
        odds, rng = Odds(model), random.Random(fresh_seed())
        sessions.add(tuple(odds.press(rng, n * UNHURRIED_S) > 0 for n in range(60)))
    assert len(sessions) == 500


def test_a_fixed_seed_gives_the_same_run():
    def run():
        drawing = Drawing(built_in("measured"), random.Random(42))
        drawing.press(1_000)
        return drawing.drawn

    assert run() == run()


# --- bounds -----------------------------------------------------------------------------------


chances_lists = st.lists(st.floats(0, 1), min_size=1, max_size=6)
rapids = st.none() | st.fixed_dictionaries(
    {"within_s": st.just(1.5), "factors": st.lists(st.floats(0, 1), min_size=1, max_size=4)}
)


@settings(deadline=None)
@given(
    chances=chances_lists,
    max_blanks=st.integers(1, 8),
    max_launches=st.none() | st.integers(1, 4),
    rapid=rapids,
    numbers=st.lists(st.floats(0, 1, exclude_max=True), min_size=1, max_size=40),
    gaps_s=st.lists(st.sampled_from([0.0, 0.3, 1.5, 2.0, -5.0]), min_size=1, max_size=9),
)
def test_no_random_numbers_and_no_haste_break_a_bound(
    chances, max_blanks, max_launches, rapid, numbers, gaps_s
):
    model = model_of(chances=chances, max_blanks=max_blanks, max_launches=max_launches, rapid=rapid)
    odds = Odds(model)
    rng = Given(*numbers)
    blanks = launches = 0
    now_s = 0.0
    for press in range(60):
        now_s += gaps_s[press % len(gaps_s)]
        if odds.press(rng, now_s):
            blanks, launches = 0, launches + 1
        else:
            blanks, launches = blanks + 1, 0
        assert blanks <= max_blanks
        assert max_launches is None or launches <= max_launches
        assert odds.wait == blanks
        Odds(model, odds.state())  # every state it gets into can be restored


def test_hammering_a_calm_launcher_never_gives_five_blanks():
    odds = Odds(built_in("measured-calm"))
    rng = random.Random(9)
    longest = 0
    for press in range(50_000):
        odds.press(rng, press * 0.2)
        longest = max(longest, odds.wait)
    assert longest == 4


@settings(deadline=None)
@given(numbers=st.floats(0, 1, exclude_max=True), name=st.sampled_from(odds_names()))
def test_every_random_number_gives_a_possible_count(numbers, name):
    model = built_in(name)
    possible = chances_of(model).count_share
    odds = Odds(model | {"sequence": None, "chances": [1.0], "max_blanks": 0})
    assert odds.press(Given(numbers), 0.0) in possible


# --- rapid presses ----------------------------------------------------------------------------


def chance_of_each_press(model, times_s):
    """The chance that each of the presses at `times_s` has, found by halving; all are blank."""
    chances = []
    for last in range(1, len(times_s) + 1):
        low, high = 0.0, 1.0
        for _ in range(40):
            middle = (low + high) / 2
            odds = Odds(model)
            for now_s in times_s[: last - 1]:
                odds.press(Given(0.999999), now_s)
            if odds.press(Given(middle), times_s[last - 1]):
                low = middle
            else:
                high = middle
        chances.append(low)
    return chances


def test_each_further_rapid_press_has_a_lower_chance_until_there_is_a_pause():
    rapid = {"within_s": 1.5, "factors": [0.85, 0.70, 0.55, 0.40]}
    model = model_of(chances=[0.5], max_blanks=50, rapid=rapid)
    times_s = [10.0, 11.5, 12.0, 12.1, 13.0, 14.0, 15.6, 15.7]
    factors = [1, 0.85, 0.70, 0.55, 0.40, 0.40, 1, 0.85]
    assert chance_of_each_press(model, times_s) == pytest.approx([0.5 * f for f in factors])


def test_rapid_presses_are_off_by_default():
    model = built_in("measured")
    assert model["rapid"] is None
    hasty, calm = chance_of_each_press(model, [0, 0.1]), chance_of_each_press(model, [0, 60])
    assert hasty == calm


def test_the_ready_made_figures_for_rapid_presses():
    rapid = built_in("measured-calm")["rapid"]
    assert rapid == {"within_s": 1.5, "factors": [0.85, 0.70, 0.55, 0.40]}


# --- state ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("measured", []),
        ("measured", 3),
        ("measured", "blanks"),
        ("measured", {}),
        ("measured", {"blanks": 1}),
        ("measured", {"blanks": 1, "in_a_row": 0, "position": 0, "more": 0}),
        ("measured", {"blanks": 1, "in_a_row": 0, 3: 0}),
        ("measured", {"blanks": -1, "in_a_row": 0, "position": 0}),
        ("measured", {"blanks": True, "in_a_row": 0, "position": 0}),
        ("measured", {"blanks": 1.0, "in_a_row": 0, "position": 0}),
        ("measured", {"blanks": None, "in_a_row": 0, "position": 0}),
        ("measured", {"blanks": "1", "in_a_row": 0, "position": 0}),
        ("measured", {"blanks": 5, "in_a_row": 0, "position": 0}),
        ("measured", {"blanks": 1, "in_a_row": 1, "position": 0}),
        ("measured", {"blanks": 0, "in_a_row": 1, "position": 3}),
        ("sequence-96", {"blanks": 0, "in_a_row": 1, "position": 97}),
    ],
)
def test_a_state_that_cannot_be_is_refused(name, state):
    with pytest.raises(ValueError, match=r"state|blank"):
        Odds(built_in(name), state)


def test_a_state_beyond_the_bound_on_launches_is_refused():
    with pytest.raises(ValueError, match="more launches in a row"):
        Odds(model_of(max_launches=2), {"blanks": 0, "in_a_row": 3, "position": 0})


# --- laws of the count ------------------------------------------------------------------------


@pytest.mark.parametrize("name", odds_names())
def test_a_compiled_model_survives_json_and_has_sound_laws(name):
    model = built_in(name)
    assert json.loads(json.dumps(model)) == model
    for law in model["cards"]:
        counts = [count for count, _ in law]
        up_to = [chance for _, chance in law]
        assert counts == sorted(set(counts)) and counts[0] >= 1
        assert up_to == sorted(set(up_to)) and up_to[0] > 0 and up_to[-1] == 1


def test_the_tilt_keeps_the_shape_and_meets_the_mean(tmp_path):
    """Tilting multiplies each weight by a power of one number: checked against the untilted law."""
    file = tmp_path / "mine.toml"
    head = "chances = [1]\n[[cards]]\nsum_of = [[1, 4], [0, 3], [0, 2]]\n"
    file.write_text(head)
    flat = chances_of(compile_model(load_odds(file))).count_share
    ways = [Fraction(n, 48) for n in (1, 3, 6, 9, 10, 9, 6, 3, 1)]
    assert list(flat.values()) == pytest.approx([float(n) for n in ways])
    for mean in (2, 3, 5, 6.5, 8):
        file.write_text(head + f"mean = {mean}\n")
        tilted = chances_of(compile_model(load_odds(file)))
        assert tilted.cards_per_launch == pytest.approx(mean, abs=1e-9)
        logs = [math.log(tilted.count_share[n] / flat[n]) for n in range(1, 10)]
        steps = [b - a for a, b in itertools.pairwise(logs)]
        assert steps == pytest.approx([steps[0]] * 8, abs=1e-6)
