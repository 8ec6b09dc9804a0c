"""Reads one TOML file into a struct and reports every wrong value at once.

Used for boards, settings, odds models, editions and sounds. It knows nothing of what the values
mean; checks that span several values belong to the one who asks.
"""

from __future__ import annotations

import difflib
import tomllib
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin

import msgspec

S = TypeVar("S", bound=msgspec.Struct)


class Problem(NamedTuple):
    """One wrong thing: `where` it stands, `what` is wrong, how to `fix` it (may be empty)."""

    where: str
    what: str
    fix: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" + (f"; {self.fix}" if self.fix else "")


class ConfigurationError(Exception):
    """Everything that is wrong with one or more files, in the order of the files."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems


def load_toml(path: Path) -> dict[str, Any]:
    """The tables of the file at `path`. Raises ConfigurationError with the line of the fault."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigurationError([Problem(str(path), "no such file")]) from None
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is not UTF-8 text"
        raise ConfigurationError([Problem(str(path), f"cannot be read: {reason}")]) from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError([Problem(str(path), f"is not valid TOML: {error}")]) from error


def read(path: Path, struct: type[S]) -> S:
    """The file at `path` as `struct`. Raises ConfigurationError with all its problems."""
    return convert(load_toml(path), struct, str(path))


def convert(data: Any, struct: type[S], where: str) -> S:
    """`data` as `struct`, or a ConfigurationError that names every wrong value below `where`.

    All structs in it must be made with `forbid_unknown_fields`.
    """
    try:
        return msgspec.convert(data, struct)
    except msgspec.ValidationError as error:
        problems = _problems(data, struct, where)
        # None is found where a struct's own __post_init__ objects.
        raise ConfigurationError(problems or [Problem(where, str(error))]) from None


@cache
def _fields(struct: type[msgspec.Struct]) -> dict[str, msgspec.structs.FieldInfo]:
    """The fields of `struct` by their names in a file. Finding them out is slow."""
    return {field.encode_name: field for field in msgspec.structs.fields(struct)}


def _problems(data: Any, struct: type[msgspec.Struct], where: str) -> list[Problem]:
    if not isinstance(data, dict):
        return [Problem(where, f"must be a table, not {data!r}")]
    found: list[Problem] = []
    fields = _fields(struct)
    for key in data.keys() - fields.keys():
        close = difflib.get_close_matches(key, fields, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"known here: {', '.join(fields)}"
        found.append(Problem(f"{where}: {key}", "is not a known setting", hint))
    for name, field in fields.items():
        place = f"{where}: {name}"
        if name not in data:
            if field.required:
                found.append(Problem(place, "is missing"))
            continue
        found.extend(_problems_of_value(data[name], field.type, place))
    return sorted(found)


def _problems_of_value(value: Any, annotation: Any, place: str) -> list[Problem]:
    """Looks into structs and into tables and lists of structs; the rest msgspec judges."""
    inner = _struct_in(annotation)
    if inner is not None and isinstance(value, dict):
        return _problems(value, inner, place)
    container, arguments = get_origin(annotation), get_args(annotation)
    if container is dict and _struct_in(arguments[1]) and isinstance(value, dict):
        entries = [(f"{place}.{key}", entry) for key, entry in value.items()]
        annotation = arguments[1]
    elif container in (list, tuple) and _struct_in(arguments[0]) and isinstance(value, list):
        entries = [(f"{place}[{number}]", entry) for number, entry in enumerate(value, 1)]
        annotation = arguments[0]
    else:
        try:
            msgspec.convert(value, annotation)
        except msgspec.ValidationError as error:
            if container is Literal:
                return [
                    Problem(place, f"must be {' or '.join(map(str, arguments))}, not {value!r}")
                ]
            return [Problem(place, f"{_plain(error)}, found {value!r}")]
        return []
    return [
        problem
        for where, entry in entries
        for problem in _problems_of_value(entry, annotation, where)
    ]


def _struct_in(annotation: Any) -> type[msgspec.Struct] | None:
    """The struct in `Struct` or `Struct | None`, if there is one."""
    options = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else [annotation]
    for option in options:
        if isinstance(option, type) and issubclass(option, msgspec.Struct):
            return option
    return None


def _plain(error: msgspec.ValidationError) -> str:
    text = str(error).replace("`", "")
    return text[0].lower() + text[1:]
