"""For all tests: hypothesis sets no deadlines, since a busy machine could break them; no test
leaves a quieter log to the next one; what a test has measured (`record_property`) is shown at the
end."""

from __future__ import annotations

import gc
import logging
from collections.abc import Iterator

import pytest
from hypothesis import settings

gc.set_threshold(50_000, 20, 100)  # as often as usual it takes a tenth of the time
settings.register_profile("no deadlines", deadline=None)
settings.load_profile("no deadlines")


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
