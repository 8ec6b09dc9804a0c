"""The doctor: what is wrong with this computer for a launcher, and what to do about it.

The checks are a table of small functions; each looks at one thing and changes nothing. One that
itself fails is a finding too, and the others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from cannon.service.checks import bridge, keeping, pi, python, service
from cannon.service.finding import Case, Finding, Say, bad, in_words, said

CHECKS: dict[str, Callable[[Case], Finding]] = {
    **pi.CHECKS,
    **python.CHECKS,
    **bridge.CHECKS,
    **keeping.CHECKS,
    **service.CHECKS,
}


class Checked(NamedTuple):
    """What a check has found, with its name."""

    name: str
    ok: bool
    detail: str
    fix: str


def examine(case: Case, say: Say) -> Iterator[Checked]:
    """Makes all checks, one after the other, and puts what they find into words."""
    for name, check in CHECKS.items():
        try:
            found = check(case)
        except Exception as error:  # a check that is wrong must not hide what the others find
            found = bad("check_failed", said("report_it"), error=repr(error))
        detail = in_words(found.found, say)
        if not found.here:
            detail = say("doctor.not_here", why=detail)
        yield Checked(name, found.ok, detail, in_words(found.fix, say, "fix"))
