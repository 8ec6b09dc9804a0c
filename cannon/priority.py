"""Which of our threads give way: all but those that stop the motor.

The service has a better priority than other programs. On one processor the thread that brings the
lid's edge still had to wait for the loop and the journal, that had the same: the motor was off
1.4 times as late as with a bare callback, and 1.05 times with them `STEP` behind.
"""

from __future__ import annotations

import logging
import os
from functools import cache

STEP = 10  # of niceness

log = logging.getLogger(__name__)


def give_way() -> None:
    """Lets the calling thread come after those that stop the motor.

    Only as far as the usual priority, 0: one that was started by hand stays as it is, since there
    it would come after everybody else's programs too.
    """
    own = os.getpriority(os.PRIO_PROCESS, 0)
    if own < 0:
        try:
            os.setpriority(os.PRIO_PROCESS, 0, min(own + STEP, 0))
        except PermissionError as error:  # of a sandbox that is not ours
            _refused(str(error))


@cache  # said once, not by each thread
def _refused(why: str) -> None:
    log.warning("loop and journal do not come after the threads that stop the motor: %s", why)
