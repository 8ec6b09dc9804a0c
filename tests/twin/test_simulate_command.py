"""`cannon simulate`: what it prints, counts and refuses."""

import json

import pytest

from cannon.cli import main
from tests.share import share

KEYS = {
    *("presses", "launches", "blanks", "cards_decided", "cards_delivered", "cards_owed"),
    *("refills", "faults", "invariant_violations", "virtual_s", "wall_s", "presses_per_s", "seed"),
}
OF_THE_MACHINE = {"wall_s", "presses_per_s"}


@pytest.fixture
def simulate(capsys):
    """Runs `cannon simulate ...`; gives its exit code, standard output and standard error."""

    def run(*words):
        with pytest.raises(SystemExit) as ended:
            main(["simulate", *words])
        return (ended.value.code or 0, *capsys.readouterr())

    return run


def figures(simulate, *words):
    code, out, err = simulate(*words, "--json")
    assert (code, err, out.count("\n")) == (0, "", 1), "one JSON object, and nothing else"
    found = json.loads(out)
    return {name: value for name, value in found.items() if name not in OF_THE_MACHINE}


def balance(found):
    assert found["invariant_violations"] == 0
    assert found["cards_decided"] == found["cards_delivered"] + found["cards_owed"]
    assert found["presses"] == found["launches"] + found["blanks"] + found["rests"]


def test_presses_without_trouble(simulate):
    code, out, err = simulate("--presses", "300", "--seed", "7", "--json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert found.keys() >= KEYS
    balance(found)
    assert (found["presses"], found["seed"], found["board"]) == (300, 7, "launcher-pi")
    assert found["faults"] == found["refusals"] == found["mishaps"] == {}
    assert found["cards_out"] == found["cards_delivered"]
    assert found["refills"] > 3
    assert found["launches"] / (found["presses"] - found["rests"]) == pytest.approx(0.403, abs=0.06)
    assert found["wall_s"] > 0 and found["presses_per_s"] > 0
    assert found["virtual_s"] > 300


def test_the_same_seed_gives_the_same_and_another_seed_another(simulate):
    words = ["--presses", "60", "--scenario", "field"]
    first = figures(simulate, *words, "--seed", "7")
    assert figures(simulate, *words, "--seed", "7") == first
    assert figures(simulate, *words, "--seed", "8") != first


def test_without_a_seed_each_run_is_another_and_tells_its_seed(simulate):
    seeds = {figures(simulate, "--presses", "1")["seed"] for _ in range(3)}
    assert len(seeds) == 3


@pytest.mark.parametrize("seed", ["7", "8", "9"])
def test_the_field_is_survived(simulate, seed):
    found = figures(simulate, "--presses", "250", "--seed", seed, "--scenario", "field")
    balance(found)
    assert found["presses"] == 250
    assert sum(found["mishaps"].values()) > 20
    assert "failed" not in found, "at the end the launcher is ready again"


@pytest.mark.long
@pytest.mark.timeout(3600)  # ten minutes on a quiet machine
@pytest.mark.parametrize("words", [[], ["--scenario", "field"]])
def test_a_hundred_thousand_presses(simulate, words):
    presses = share(100_000)
    words = ["--presses", str(presses), "--seed", "7", *words]
    found = figures(simulate, *words)
    balance(found)
    assert found["presses"] == presses
    assert bool(found["faults"]) == ("field" in words)
    assert "failed" not in found, "at the end the launcher is ready again"
    assert figures(simulate, *words) == found, "the same seed gives the same"


def test_odds_and_board_of_ones_choice(simulate):
    words = ["--presses", "40", "--seed", "1"]
    found = figures(simulate, "--presses", "20", "--seed", "1", "--odds", "sequence-96")
    assert (found["launches"], found["rests"]) == (5, 0)  # on the presses 2 6 9 13 17
    found = figures(simulate, *words, "--board", "launcher-pi-basic")
    assert (found["board"], found["cards_delivered"], found["cards_owed"]) == (
        "launcher-pi-basic",
        None,
        None,
    )
    assert found["invariant_violations"] == 0
    found = figures(simulate, "--scenario", "field", *words, "--odds", "even")
    assert found["odds"] == "even"


def test_a_report_for_people(simulate):
    code, out, err = simulate("--presses", "20", "--seed", "7")
    assert (code, err) == (0, "")
    for words in ("presses", "cards decided", "faults", "broken promises", "seconds of play"):
        assert words in out


def test_a_scenario_is_held_against_its_expectations(simulate, tmp_path):
    code, out, err = simulate("--scenario", "lid-at-card-2")
    assert (code, err) == (0, "") and "expectations, all met" in out
    path = tmp_path / "mine.txt"
    path.write_text("odds 2\nswitch on\npress\nwait 4 s\nexpect cards 3\n")
    code, out, err = simulate("--scenario", str(path))
    assert (code, err) == (1, "")
    assert "line 5: expect cards 3: found 2 (at 4.000 s)" in out
    code, out, err = simulate("--scenario", str(path), "--json")
    assert code == 1
    assert json.loads(out)["failed"] == ["line 5: expect cards 3: found 2 (at 4.000 s)"]
    assert json.loads(out)["scenario"] == "mine"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "say --presses N, --scenario F, or --games N"),
        (["--presses", "-1"], "-1 is not in the range x>=1"),
        (["--presses", "0"], "0 is not in the range x>=1"),
        (["--presses", "many"], "'many' is not a valid integer"),
        (["--presses", "5", "--scenario", "spikes"], "'play N presses'; spikes has none"),
        (["--presses", "5", "--edition", "classic"], "--edition goes with --games only"),
        (["--games", "5", "--presses", "5"], "--presses goes without --games"),
        (["--games", "5", "--players", "11"], "11 is not in the range"),
        (["--pressed", "5"], "No such option"),
    ],
)
def test_wrong_use_is_one_line(simulate, words, said):
    code, out, err = simulate(*words)
    assert (code, out) == (2, "")
    assert said in err
    assert err.startswith("cannon simulate: ") and err.endswith("see cannon simulate --help\n")
    assert err.count("\n") == 1


def test_wrong_configuration_is_78_and_says_all_of_it(simulate, tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("setting play.suspens_s 2\nbord launcher-pi\nswitch on\nexpect stat ready\n")
    code, out, err = simulate("--scenario", str(path))
    assert (code, out) == (78, "")
    assert f"{path}:2: 'bord' is not known here; did you mean 'board launcher-pi'?" in err
    assert f"{path}:4: 'stat' is not known here; did you mean 'expect state ready'?" in err
    path.write_text("setting play.suspens_s 2\nswitch on\nexpect state ready\n")
    code, out, err = simulate("--scenario", str(path))
    assert code == 78 and "suspens_s: is not a known setting; did you mean 'suspense_s'?" in err
    for words in (["--board", "nix"], ["--odds", "nix"], ["--scenario", "nix"]):
        code, out, err = simulate("--presses", "1", *words)
        assert (code, out) == (78, "") and "nix" in err


def test_whole_games(simulate, tmp_path):
    picture = tmp_path / "games.png"
    words = ["--games", "3", "--players", "3", "--edition", "classic", "--seed", "7"]
    code, out, err = simulate(*words, "--json", "--plot", str(picture))
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert (found["games"], found["players"], found["edition"], found["seed"]) == (
        3,
        3,
        "classic",
        7,
    )
    assert picture.stat().st_size > 1000
    code, out, err = simulate(*words)
    assert (code, err) == (0, "") and "turns per game" in out
