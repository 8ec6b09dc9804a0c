"""Files that are read into structs: what the reader relies on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import msgspec
import pytest

from cannon.settings.calibrated import Calibration
from cannon.settings.cannon_toml import CannonToml
from cannon.settings.odds_models import CardLaw, OddsModel
from cannon.settings.signals import SignalFile
from cannon.table.edition import Edition
from hardware.board import Board

READ = (Board, CannonToml, OddsModel, CardLaw, SignalFile, Edition, Calibration)


def structs_in(annotation: Any) -> Iterator[type[msgspec.Struct]]:
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        yield annotation
        for field in msgspec.structs.fields(annotation):
            yield from structs_in(field.type)
    for part in get_args(annotation):
        yield from structs_in(part)


@pytest.mark.parametrize("struct", READ)
def test_no_struct_of_a_file_swallows_what_it_does_not_know(struct: type[msgspec.Struct]) -> None:
    found = list(structs_in(struct))
    assert found
    for one in found:
        config = one.__struct_config__
        assert config.forbid_unknown_fields or config.array_like, one
