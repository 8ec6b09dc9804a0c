"""Tunes and light patterns: complete, tell-apart-able in both forms, and wrong ones are told."""

from itertools import combinations, groupby

import pytest

from cannon.core import states
from cannon.settings.signals import SOUNDS, TUNES, load_signals
from hardware.reading import ConfigurationError

SIGNALS = load_signals()
CLEARLY = 1.2  # two lengths or pitches sound different from this ratio on (a minor third)


def sounded(steps):
    """[(value, seconds)] with neighbours of the same value made one, silence at the ends away."""
    joined = [
        (value, sum(seconds for _, seconds in same))
        for value, same in groupby(steps, lambda s: s[0])
    ]
    while joined and not joined[-1][0]:
        joined.pop()
    return joined


def differ(one, other, ratio):
    """Whether two tunes differ in the number of their steps, or in one of them by `ratio`."""
    one, other = sounded(one), sounded(other)
    if len(one) != len(other):
        return True
    return any(
        max(a, b) >= ratio * min(a, b)
        for step, there in zip(one, other, strict=True)
        for a, b in zip(step, there, strict=True)
    )


@pytest.mark.parametrize("form", ["tones", "beats"])
@pytest.mark.parametrize(("one", "other"), list(combinations(TUNES, 2)))
def test_any_two_tunes_can_be_told_apart_in_both_forms(form, one, other):
    tunes = getattr(SIGNALS, form)
    ratio = 1.1 if one[:-1] == other[:-1] == "suspense-" else CLEARLY
    assert differ(tunes[one], tunes[other], ratio)


def test_every_tune_that_the_program_plays_is_there_and_sounds():
    assert set(TUNES) <= set(SIGNALS.tones) == set(SIGNALS.beats)
    for tunes in (SIGNALS.tones, SIGNALS.beats):
        for name, steps in tunes.items():
            assert any(value for value, _ in steps), name
            assert all(seconds > 0 for _, seconds in steps), name
            assert sum(seconds for _, seconds in steps) < 2.0, name


def test_an_active_beeper_is_only_switched():
    assert {value for steps in SIGNALS.beats.values() for value, _ in steps} == {0, 1}


def test_every_state_has_a_light_and_the_patterns_differ():
    assert set(states.LIGHT.values()) <= set(SIGNALS.lights)
    for one, other in combinations(SIGNALS.lights.values(), 2):
        assert one != other


STANDARD = (SOUNDS / "standard.toml").read_text()


@pytest.mark.parametrize(
    ("change", "to", "told"),
    [
        ("[[1760, 150]]", "[[9000, 150]]", "tunes.beep.tones"),
        ("[[1760, 150]]", "[[1760, -5]]", "tunes.beep.tones"),
        ("[[1760, 150]]", "[[1760, nan]]", "tunes.beep.tones"),
        ("[[1760, 150]]", "[[nan, 150]]", "tunes.beep.tones"),
        ("[[1760, 150]]", "[[1760, inf]]", "tunes.beep.tones"),
        ("[[1760, 150]]", "[]", "tunes.beep.tones"),
        ("beats = [[1, 60]]", "beats = []", "tunes.ding.beats"),
        ("beats = [[1, 60]]", "beats = [[440, 60]]", "tunes.ding.beats"),
        ("beats = [[1, 60]]", "beats = [[1, 0]]", "tunes.ding.beats"),
        ("beats = [[1, 60]]", "beats = [[1, nan]]", "tunes.ding.beats"),
        ("quick = [[1, 150], [0, 150]]", "quick = [[1, -5], [0, -5]]", "lights.quick"),
        ("quick = [[1, 150], [0, 150]]", "quick = [[1, 0], [0, 150]]", "lights.quick"),
        ("quick = [[1, 150], [0, 150]]", "quick = [[1, 1], [0, 1]]", "lights.quick"),
        ("quick = [[1, 150], [0, 150]]", "quick = [[2, 150], [0, 150]]", "lights.quick"),
        ("quick = [[1, 150], [0, 150]]", "quick = [[1, nan]]", "lights.quick"),
        ("quick = [[1, 150], [0, 150]]", "quick = []", "lights"),
        ("[tunes.beep]", "[tunes.bepp]", "'beep' is missing"),
    ],
)
def test_a_wrong_file_of_ones_own_is_told_with_its_place(tmp_path, change, to, told):
    assert change in STANDARD
    path = tmp_path / "mine.toml"
    path.write_text(STANDARD.replace(change, to, 1))
    with pytest.raises(ConfigurationError) as raised:
        load_signals(path)
    for problem in raised.value.problems:
        assert str(path) in str(problem)
        assert told in str(problem)


def test_all_that_is_wrong_is_told_at_once(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        STANDARD.replace("[[1760, 150]]", "[[9, 0]]").replace("[[1, 60]]", "[[7, 60]]", 1)
    )
    with pytest.raises(ConfigurationError) as raised:
        load_signals(path)
    assert len(raised.value.problems) == 2
