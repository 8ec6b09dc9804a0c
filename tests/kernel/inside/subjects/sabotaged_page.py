"""The page's process as it is; after SIGUSR1 it raises at the next news what nobody expects."""

from __future__ import annotations

import signal
from types import FrameType
from typing import NoReturn

from cannon.page import process


async def fails(*given: object) -> NoReturn:
    raise RuntimeError("sabotage")


def on_signal(number: int, frame: FrameType | None) -> None:
    process.Following.take = fails  # type: ignore[method-assign]


if __name__ == "__main__":
    signal.signal(signal.SIGUSR1, on_signal)
    process.main()
