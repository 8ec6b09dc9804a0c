"""Reading looks into structs within structs, tables and lists, and names every wrong value."""

from __future__ import annotations

import msgspec
import pytest

from hardware.reading import ConfigurationError, convert


class Inner(msgspec.Struct):
    size: int


class Outer(msgspec.Struct):
    by_name: dict[str, Inner]
    listed: list[Inner] = []
    maybe: Inner | None = None


def test_right_values_are_read() -> None:
    read = convert({"by_name": {"a": {"size": 1}}, "listed": [{"size": 2}]}, Outer, "file")
    assert read == Outer(by_name={"a": Inner(1)}, listed=[Inner(2)])


def test_every_wrong_value_is_named_with_its_place() -> None:
    data = {
        "by_name": {"a": {"size": "big"}, "b": {"sice": 1}},
        "listed": [{"size": 1}, {"size": 1.5}, 7],
        "maybe": {},
    }
    with pytest.raises(ConfigurationError) as caught:
        convert(data, Outer, "file")
    assert [problem.where for problem in caught.value.problems] == [
        "file: by_name.a: size",
        "file: by_name.b: sice",
        "file: by_name.b: size",
        "file: listed[2]: size",
        "file: listed[3]",
        "file: maybe: size",
    ]
    assert "did you mean 'size'?" in str(caught.value)
