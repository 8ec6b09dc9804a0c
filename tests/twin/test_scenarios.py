"""Every scenario of the library comes out as it says, and breaks no promise."""

import pytest

from cannon.settings.scenarios import scenario_names
from cannon.simulation import load_scenario
from tests.twin.scenario_tools import played


@pytest.mark.parametrize("name", scenario_names())
def test_scenario(name):
    result, stage = played(load_scenario(name))
    assert [str(failed) for failed in result.failed] == []
    assert stage.twin.account.violation_count == 0
    assert result.expectations > 0


@pytest.mark.long
@pytest.mark.parametrize("seed", [2, 3])
@pytest.mark.parametrize("name", scenario_names())
def test_no_scenario_comes_out_well_by_a_lucky_seed_alone(name, seed):
    scenario = load_scenario(name)
    scenario.setup.seed = seed
    result, _ = played(scenario)
    assert [str(failed) for failed in result.failed] == []


def test_the_library_is_there_and_says_what_each_scenario_is():
    names = scenario_names()
    assert len(names) >= 25
    abouts = [load_scenario(name).about for name in names]
    assert all(len(about) > 20 for about in abouts)
    assert len(set(abouts)) == len(abouts)
