"""`cannon odds`: what it prints, draws and refuses."""

import json
import sys

import pytest

from cannon.cli import main

KEYS = {
    *("model", "presses", "launches", "cards", "cards_per_press", "launch_share_by_wait"),
    *("mean_cards_by_wait", "longest_blank_streak", "seed"),
}


@pytest.fixture
def odds(capsys):
    """Runs `cannon odds ...`; gives its exit code, standard output and standard error."""

    def run(*words):
        with pytest.raises(SystemExit) as ended:
            main(["odds", *words])
        return (ended.value.code or 0, *capsys.readouterr())

    return run


def test_a_million_presses_of_the_measured_model_are_near_the_published_figures(odds):
    code, out, _ = odds("measured", "--check", "1000000", "--seed", "7", "--json")
    found = json.loads(out)
    assert code == 0 and set(found) == KEYS
    assert (found["model"], found["presses"], found["seed"]) == ("measured", 1_000_000, 7)
    shares = dict(zip("12345", [0.1796, 0.4087, 0.2415, 0.0929, 0.0774], strict=True))
    assert found["launch_share_by_wait"] == pytest.approx(shares, abs=0.003)
    means = dict(zip("12345", [4.66, 5.39, 4.72, 5.07, 7.20], strict=True))
    assert found["mean_cards_by_wait"] == pytest.approx(means, abs=0.05)
    assert found["cards_per_press"] == pytest.approx(2.10, abs=0.02)
    assert found["cards_per_press"] == found["cards"] / found["presses"]
    assert found["longest_blank_streak"] == 4


def test_the_same_seed_gives_the_same_and_none_gives_a_fresh_one(odds):
    words = ("even", "--check", "30000", "--json")
    _, first, _ = odds(*words, "--seed", "1")
    _, again, _ = odds(*words, "--seed", "1")
    assert first == again
    _, fresh, _ = odds(*words)
    _, other, _ = odds(*words)
    assert json.loads(fresh)["seed"] != json.loads(other)["seed"]
    _, repeated, _ = odds(*words, "--seed", str(json.loads(fresh)["seed"]))
    assert repeated == fresh


def test_one_drawn_press_may_be_a_blank(odds):
    _, out, _ = odds("sequence-96", "--check", "1", "--json")
    found = json.loads(out)
    assert (found["launches"], found["longest_blank_streak"]) == (0, 1)
    assert found["launch_share_by_wait"] == {}
    code, out, _ = odds("sequence-96", "--check", "1")
    assert code == 0 and "1 presses, 0 launches" in out


def test_without_a_model_the_default_is_shown_and_the_others_are_listed(odds):
    code, out, _ = odds()
    assert code == 0 and out.startswith("measured")
    for figure in ("17.96 %", "49.81 %", "40.87 %", "7.20"):
        assert figure in out
    for name in ("ascending", "even", "sequence-96", "sequence-96-reset", "measured-calm"):
        assert f"  {name} " in out


def test_exact_figures_as_json(odds):
    _, out, _ = odds("ascending", "--json")
    found = json.loads(out)
    assert found["launch_share_by_wait"] == pytest.approx(dict.fromkeys("12345", 0.2))
    assert "presses" not in found


def test_drawn_figures_stand_beside_the_exact_ones(odds):
    _, out, _ = odds("measured", "--check", "20000", "--seed", "3")
    assert "drawn: 20000 presses" in out and "seed 3" in out


def test_the_sequence_and_the_options_are_shown(odds):
    _, out, _ = odds("sequence-96-reset")
    assert "2 6 9 13 17" in out and "begins anew when the lid is opened or power comes on" in out
    _, out, _ = odds("measured-calm")
    assert "85%, 70%, 55%, 40%" in " ".join(out.split())


@pytest.mark.parametrize(("ending", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_a_picture_is_drawn(odds, tmp_path, ending, magic):
    picture = tmp_path / f"odds.{ending}"
    code, _, _ = odds("measured", "--check", "1000", "--seed", "1", "--plot", str(picture))
    assert code == 0
    data = picture.read_bytes()
    assert data.startswith(magic) and len(data) > 10_000


def test_without_matplotlib_the_extra_is_named(odds, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    code, out, err = odds("--plot", str(tmp_path / "odds.png"))
    assert (code, out) == (1, "")
    assert "needs matplotlib" in err and "card-cannon[plot]" in err


@pytest.mark.parametrize("name", ["no/such/folder/odds.png", "odds.xyz"])
def test_a_picture_that_cannot_be_written(odds, tmp_path, name):
    code, _, err = odds("--plot", str(tmp_path / name))
    assert code == 1 and len(err.splitlines()) == 2


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["measurd"], 78, "there is no model 'measurd'"),
        (["none.toml"], 78, "none.toml: no such file"),
        (["--check", "0"], 2, "0 is not in the range"),
        (["--check", "-1"], 2, "-1 is not in the range"),
        (["--check", "many"], 2, "'many' is not a valid integer"),
        (["--seed", "3"], 2, "--seed is for drawn presses"),
    ],
)
def test_wrong_use(odds, words, code, said):
    ended, out, err = odds(*words, "--json")
    assert (ended, out) == (code, "")
    assert said in err and "Traceback" not in err
