"""The machinery itself: chip, library, mechanism, systemd. Nothing of the cannon runs here."""

from __future__ import annotations

import os
import shlex
import signal
import sys
import time
from typing import Any

from tests.kernel.inside.chip import Chip
from tests.kernel.inside.mechanism import Mechanism
from tests.kernel.inside.service import Service
from tests.kernel.inside.subject import SUBJECTS, Subject
from tests.kernel.inside.watch import Watch
from tests.kernel.inside.wiring import Contact, Wiring

BUTTON, LID, SENSOR, MOTOR = 17, 27, 22, 23
WIRING = Wiring(
    forward=MOTOR, button=Contact(BUTTON, 0), lid=Contact(LID, 1), exit_sensor=Contact(SENSOR, 0)
)


def lgpio_callback() -> dict[str, Any]:
    """The output's levels after a press and a release, with a bare lgpio callback between."""
    return _follows("bare_lgpio")


def gpiozero_devices() -> dict[str, Any]:
    """The same through gpiozero's Button and OutputDevice on LGPIOFactory."""
    return _follows("bare_gpiozero")


def _follows(script: str) -> dict[str, Any]:
    with Chip() as chip, Watch(chip) as watch:
        chip.pull(BUTTON, 1)
        with Subject.script(script, chip.number, BUTTON, MOTOR) as subject:
            subject.wait_for("ready")
            chip.pull(BUTTON, 0)
            rose = watch.until(MOTOR, 1, timeout_s=5)
            chip.pull(BUTTON, 1)
            fell = watch.until(MOTOR, 0, timeout_s=5)
            return {"rose": rose is not None, "fell": fell is not None}


def finger_beats_pull() -> dict[str, Any]:
    """Levels of two lines that a program claims with a pull-up, one of them held down before."""
    with Chip() as chip:
        chip.pull(BUTTON, 0)
        with Subject.script("bare_lgpio", chip.number, BUTTON, MOTOR, LID) as subject:
            subject.wait_for("ready")
            return {"held_down": chip.level(BUTTON), "untouched": chip.level(LID)}


def killed_while_high() -> dict[str, Any]:
    """The level of an output before and after its owner gets SIGKILL."""
    with Chip() as chip, Subject.script("hold_high", chip.number, MOTOR) as subject:
        subject.wait_for("ready")
        before = chip.level(MOTOR)
        subject.process.kill()
        subject.process.wait()
        return {"before": before, "after": chip.level(MOTOR)}


def claimed_low_after_kill() -> dict[str, Any]:
    """The level of an output after its owner got SIGKILL and another program claimed it low."""
    with Chip() as chip:
        with Subject.script("hold_high", chip.number, MOTOR) as subject:
            subject.wait_for("ready")
        with Subject.script("claim_low", chip.number, MOTOR) as second:
            return {"exit_code": second.process.wait(), "after": chip.level(MOTOR)}


def mechanism_feeds() -> dict[str, Any]:
    """Cards counted by a bare feeding program and by the mechanism; one hopper runs empty."""
    result = {}
    with Chip() as chip:
        for name, cards in (("enough", 8), ("too_few", 2)):
            with (
                Mechanism(chip, WIRING, cards) as mechanism,
                Subject.script("bare_feed", chip.number, MOTOR, SENSOR, 5) as subject,
            ):
                subject.wait_for("counted")
                said = subject.output.strip()
                time.sleep(0.2)
                out, left = mechanism.cards_out, mechanism.cards_left
                result[name] = {"said": said, "out": out, "left": left}
    return result


def service_killed() -> dict[str, Any]:
    """A service that holds an output high gets SIGKILL; its ExecStopPost claims the line low."""
    return _service_dies(signal.SIGKILL)


def service_hangs() -> dict[str, Any]:
    """A service that holds an output high stops petting the watchdog."""
    return _service_dies(signal.SIGUSR1)


def _service_dies(with_signal: signal.Signals) -> dict[str, Any]:
    with (
        Chip() as chip,
        Watch(chip) as watch,
        Service("lane-hold.service", _unit(chip)) as service,
    ):
        service.start()
        before = chip.level(MOTOR)
        sent_s = time.monotonic()
        os.kill(int(service.get("MainPID")), with_signal)
        low = watch.until(MOTOR, 0, timeout_s=60)
        state = service.wait_for("ActiveState", "failed", "inactive")
        return {
            "before": before,
            "state": state,
            "result": service.get("Result"),
            "after": chip.level(MOTOR),
            "low_after_s": low and round(low.at_s - sent_s, 3),
        }


def _unit(chip: Chip) -> str:
    hold, claim = (
        shlex.join([sys.executable, str(SUBJECTS / name), str(chip.number), str(MOTOR)])
        for name in ("hold_high.py", "claim_low.py")
    )
    return f"""[Service]
Type=notify
WatchdogSec=3
Environment=LG_WD=/tmp
ExecStart={hold}
ExecStopPost={claim}
"""
