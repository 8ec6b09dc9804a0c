"""Every scenario of the library comes out as it says, and breaks no promise."""

import pytest

from cannon.twin.scenario import load_scenario
from tests.twin.scenario_tools import LIBRARY, played_file

FILES = sorted(LIBRARY.glob("*.txt"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_scenario(path):
    result, stage = played_file(path)
    assert [str(failed) for failed in result.failed] == []
    assert stage.twin.account.violation_count == 0
    assert result.expectations > 0


def test_the_library_is_there_and_says_what_each_scenario_is():
    assert len(FILES) >= 25
    abouts = [load_scenario(path).about for path in FILES]
    assert all(len(about) > 20 for about in abouts)
    assert len(set(abouts)) == len(abouts)
