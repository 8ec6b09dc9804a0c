"""The README's picture is the one that the program draws today."""

from __future__ import annotations

from tests import pictures


def test_the_picture_in_the_repository_is_what_is_drawn() -> None:
    assert pictures.PICTURE.read_text(encoding="utf-8") == pictures.draw()
