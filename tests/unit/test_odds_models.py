"""Models of odds as files: what a user may write, and what is said about what one may not."""

import pytest

from cannon.core.chances import chances_of
from cannon.settings.odds_models import DEFAULT_ODDS, compile_model, load_odds, odds_names
from hardware.reading import ConfigurationError

CARDS = "[[cards]]\nsum_of = [[1, 3]]\n"
GOOD = "chances = [0.5, 1]\n" + CARDS


@pytest.fixture
def file(tmp_path):
    def write(text):
        path = tmp_path / "mine.toml"
        path.write_text(text)
        return path

    return write


def problems(path):
    """What is said about the file, without its path."""
    with pytest.raises(ConfigurationError) as caught:
        load_odds(path)
    texts = [str(problem) for problem in caught.value.problems]
    assert all(text.startswith(f"{path}: ") for text in texts)
    return [text.removeprefix(f"{path}: ") for text in texts]


def test_the_models_that_come_along():
    assert odds_names()[0] == DEFAULT_ODDS == "measured"
    assert {"sequence-96", "sequence-96-reset", "ascending", "even"} < set(odds_names())
    for name in odds_names():
        model = load_odds(name)
        assert model.name == name and model.about


def test_a_users_own_file_works_by_path(file):
    model = load_odds(file('about = "ours"\n' + GOOD))
    assert (model.name, model.about) == ("mine", "ours")
    chances = chances_of(compile_model(model))
    assert chances.launch_share_by_wait == {1: 0.5, 2: 0.5}
    assert chances.cards_per_launch == pytest.approx(2)


def test_waits_are_turned_into_chances(file):
    model = compile_model(load_odds(file("waits = [1, 0, 2, 1, 0]\n" + CARDS)))
    assert model["chances"] == pytest.approx([1 / 4, 0, 2 / 3, 1])
    assert model["max_blanks"] == 3
    assert chances_of(model).launch_share_by_wait == pytest.approx({1: 0.25, 3: 0.5, 4: 0.25})


def test_a_file_can_be_like_another_model(file):
    model = load_odds(file('like = "measured"\nmax_blanks = 2\nmax_cards = 6\n'))
    chances = chances_of(compile_model(model))
    assert chances.longest_blank_streak == 2
    assert chances.launch_share_by_wait[1] == pytest.approx(58 / 323)
    assert max(chances.count_share) == 6
    assert chances.count_share[6] > 0.3  # all that would have been more


def test_a_file_like_another_can_have_other_times(file):
    model = load_odds(file('like = "sequence-96-reset"\nchances = [0.25, 1]\n'))
    assert (model.sequence, model.length, model.reset_on) == (None, None, [])
    assert chances_of(compile_model(model)).cards_per_launch == pytest.approx(5.5)


def test_rapid_presses_can_be_switched_on_for_any_model_with_chances(file):
    text = "[rapid_presses]\nwithin_s = 2\nfactors = [0.5]\n"
    model = compile_model(load_odds(file('like = "ascending"\n' + text)))
    assert model["rapid"] == {"within_s": 2, "factors": [0.5]}


def test_a_bound_that_agrees_with_the_sequence_is_accepted(file):
    load_odds(file('like = "sequence-96"\nmax_blanks = 3\nmax_launches = 2\n'))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CARDS, "waits: nothing says when cards come; give exactly one"),
        ("waits = [1]\n" + GOOD, "waits: found waits and chances; give exactly one"),
        ("chances = []\n" + CARDS, "chances: cards would never come"),
        ("chances = [0, 0]\nmax_blanks = 3\n" + CARDS, "chances: cards would never come"),
        ("chances = [1.5]\n" + CARDS, "chances: must be from 0 to 1, found 1.5"),
        ("chances = [-0.1, 1]\n" + CARDS, "chances: must be from 0 to 1, found -0.1"),
        ("chances = [nan, 1]\n" + CARDS, "chances: must be from 0 to 1, found nan"),
        ("chances = [0.5]\n" + CARDS, "max_blanks: is missing: with a last chance of 0.5"),
        ("chances = [0.5, 1, 0.5]\nmax_blanks = 4\n" + CARDS, "chances: number 2 is 1, so those"),
        ("max_blanks = 0\n" + GOOD, "max_blanks: 0 makes every press fire, against the chance"),
        ("max_blanks = -1\n" + GOOD, "max_blanks: must be from 0 to 99, found -1"),
        ("max_launches = 0\n" + GOOD, "max_launches: must be from 1 to 99, found 0"),
        ("chances = [1]\nmax_launches = 2\n" + CARDS, "max_launches: 2 asks for a blank"),
        ("max_cards = 0\n" + GOOD, "max_cards: must be from 1 to 112, found 0"),
        ("length = 5\n" + GOOD, "length: has a meaning only with a sequence"),
        ('reset_on = ["lid"]\n' + GOOD, "reset_on: has a meaning only with a sequence"),
        ('reset_on = ["door"]\n' + GOOD, "reset_on: "),
        ("waits = [0, 0]\n" + CARDS, "waits: cards would never come"),
        ("waits = []\n" + CARDS, "waits: cards would never come"),
        ("waits = [3, -1]\n" + CARDS, "waits: must be numbers from 0 on, found -1"),
        ("waits = [3, inf]\n" + CARDS, "waits: must be numbers from 0 on, found inf"),
        ("sequence = []\nlength = 4\n" + CARDS, "sequence: cards would never come"),
        ("sequence = [2, 2]\nlength = 4\n" + CARDS, "sequence: must be rising numbers from 1"),
        ("sequence = [0, 2]\nlength = 4\n" + CARDS, "sequence: must be rising numbers from 1"),
        ("sequence = [2]\n" + CARDS, "length: is missing"),
        ("sequence = [2, 5]\nlength = 4\n" + CARDS, "length: must be from 5 (the last number)"),
        ('like = "sequence-96"\nmax_blanks = 0\n', "max_blanks: 0 contradicts the sequence, "),
        ('like = "sequence-96"\nmax_launches = 1\n', "max_launches: 1 contradicts the sequence"),
        ("chances = [1]\n", "cards: nothing says how many cards come"),
        ("chances = [1]\n[[cards]]\n", "cards: sum_of: give exactly one of sum_of and weights"),
        ("chances = [1]\n[[cards]]\nsum_of = [[3, 1]]\n", "cards: sum_of: must be [low, high]"),
        ("chances = [1]\n[[cards]]\nsum_of = [[0, 2]]\n", "cards: sum_of: a launch could have 0"),
        ("chances = [1]\n[[cards]]\nsum_of = [[3, 4]]\nup_to = 2\n", "cards: sum_of: no number"),
        ("chances = [1]\n[[cards]]\nweights = { 2 = -1, 3 = 1 }\n", "cards: weights: 2: must be"),
        ("chances = [1]\n[[cards]]\nweights = { 2 = 0 }\n", "cards: weights: no number of cards"),
        ("chances = [1]\n[[cards]]\nweights = { 0 = 1 }\n", "cards: weights: a number of cards"),
        ("chances = [1]\n[[cards]]\nweights = { two = 1 }\n", "cards: weights: a number of cards"),
        ("chances = [1]\n[[cards]]\nweights = {}\n", "cards: weights: no number of cards is left"),
        (
            "max_cards = 2\nchances = [1]\n[[cards]]\nsum_of = [[3, 4]]\n",
            "cards: sum_of: begins at",
        ),
        (GOOD + "mean = 3.5\n", "cards: mean: must be between 1 and 3, found 3.5"),
        (GOOD + "mean = nan\n", "cards: mean: must be between 1 and 3, found nan"),
        (GOOD + "[rapid_presses]\nwithin_s = 0\nfactors = [1]\n", "rapid_presses: within_s: must"),
        (GOOD + "[rapid_presses]\nwithin_s = 1\nfactors = [2]\n", "rapid_presses: factors: must"),
        (GOOD + "[rapid_presses]\nwithin_s = 1\nfactors = []\n", "rapid_presses: factors: must"),
        (
            'like = "sequence-96"\n[rapid_presses]\nwithin_s = 1\nfactors = [1]\n',
            "rapid_presses: a sequence has no chances to lower",
        ),
        ('like = "mesured"\n', "like: there is no model 'mesured' among those that come along"),
        ("like = 3\n", "like: there is no model 3 among those that come along"),
        ("chance = 1\n" + GOOD, "chance: is not a known setting; did you mean 'chances'?"),
        ("chances = [1]\ncards = 3\n", "cards: "),
        ("chances = [1]\n[[cards]]\nsum = 3\n", "cards 1: sum: is not a known setting"),
    ],
)
def test_one_wrong_thing_is_one_problem_with_its_place(file, text, expected):
    (problem,) = problems(file(text))
    assert problem.startswith(expected)


def test_all_wrong_values_are_said_at_once(file):
    text = """
    chances = [0.5, 1.2]
    max_blanks = 500
    [rapid_presses]
    within_s = -1
    factors = [0.5]
    [[cards]]
    sum_of = [[1, 3]]
    mean = 9
    [[cards]]
    weights = { 2 = -1 }
    """
    assert [problem.split(": must")[0] for problem in problems(file(text))] == [
        "chances",
        "max_blanks",
        "rapid_presses: within_s",
        "cards 1: mean",
        "cards 2: weights: 2",
    ]


def test_all_unknown_keys_and_wrong_types_are_said_at_once(file):
    text = 'chances = "often"\nmax_blank = 3\n[[cards]]\nmean = "3"\n[[cards]]\nsum_of = 3\n'
    found = problems(file(text))
    assert [problem.split(":")[0] for problem in found] == [
        *("cards 1", "cards 2", "chances", "max_blank"),
    ]


@pytest.mark.parametrize("text", ["chances = [", "\x00\x00", ""])
def test_a_file_that_is_no_toml_or_empty_is_refused(file, text):
    assert problems(file(text))


def test_a_missing_file_and_an_unknown_name_are_refused(tmp_path):
    assert problems(tmp_path / "none.toml") == ["no such file"]
    with pytest.raises(ConfigurationError, match="no model 'measurd'; known: measured, asc"):
        load_odds("measurd")
