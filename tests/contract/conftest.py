"""Fixtures `rig` and `rig_with_light`: the launchers of `rigs.RIGS`, fresh for each test."""

import pytest

from tests.contract.rigs import RIGS, WITH_LIGHT


@pytest.fixture(params=RIGS)
def rig(request, tmp_path):
    made = RIGS[request.param](tmp_path)
    yield made
    made.close()


@pytest.fixture(params=WITH_LIGHT)
def rig_with_light(request, tmp_path):
    made = RIGS[request.param](tmp_path)
    yield made
    made.close()
