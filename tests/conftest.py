"""For all tests: hypothesis sets no deadlines, since a busy machine could break them; no test
leaves a quieter log to the next one, and no file of tests a default for its pins; what a test has
measured (`record_property`) is shown at the end.

With CANNON_TEST_SEED, any text, the tests run in an order of that seed.
"""

from __future__ import annotations

import gc
import logging
import os
import random
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

gc.set_threshold(50_000, 20, 100)  # as often as usual it takes a tenth of the time
settings.register_profile("no deadlines", deadline=None)
settings.load_profile("no deadlines")

SEED = os.environ.get("CANNON_TEST_SEED", "")


def pytest_report_header() -> str | None:
    """How to get that order again."""
    return f"in an order of its own: CANNON_TEST_SEED={SEED}" if SEED else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The files in any order, and the tests in each; what they share is made once as ever. Every
    worker has to find the same order."""
    if SEED:
        random.Random(SEED).shuffle(items)
        place = {item.path: number for number, item in enumerate(items)}
        items.sort(key=lambda item: place[item.path])


@pytest.fixture(autouse=True, scope="module")
def no_default_for_pins() -> Iterator[None]:
    """Every device is given its pins. With a default one that is not would work here, and each
    test after it would use the same pins."""
    yield
    gpiozero = sys.modules.get("gpiozero")
    if gpiozero is not None:
        left, gpiozero.Device.pin_factory = gpiozero.Device.pin_factory, None
        assert left is None


@pytest.fixture(autouse=True)
def the_log_as_it_was() -> Iterator[None]:
    """A command that is run in this process may set the levels of the log."""
    loggers = [logging.getLogger(name) for name in ("", "cannon", "transitions")]
    before = [(logger, logger.level) for logger in loggers]
    yield
    for logger, level in before:
        logger.setLevel(level)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Figures of tests that have passed are of interest, too."""
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            terminalreporter.write_line(f"{report.nodeid}: {name}: {value}")
