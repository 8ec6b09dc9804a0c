"""The doctor's checks of Python and the libraries that move pins."""

from __future__ import annotations

import re

from cannon.service.finding import Case, Finding, bad, not_here, well

OLDEST_PYTHON = (3, 11)
LAST_WHEEL = (3, 12)  # lgpio has no ready-made files for a later Python
RPI_GPIO_BROKEN = (6, 6)  # the kernel since which RPi.GPIO sees no edges
OLDEST_GPIOZERO = (2, 0, 1)
OWN_VENV = (
    "sudo apt install python3-lgpio python3-venv && "
    "python3 -m venv --system-site-packages ~/card-cannon && "
    "~/card-cannon/bin/pip install card-cannon"
)


def system(case: Case) -> Finding:
    """The operating system, and whether its programs are of 32 or 64 bits."""
    release = case.machine.text("/etc/os-release") or ""
    found = re.search(r'^PRETTY_NAME="?([^"\n]*)', release, re.MULTILINE)
    name = found[1] if found else "unknown system"
    return well(f"{name}, Python of {case.machine.python.bits} bits")


def python(case: Case) -> Finding:
    """Whether Python is new enough."""
    version = ".".join(map(str, case.machine.python.version))
    if case.machine.python.version < OLDEST_PYTHON:
        return bad(f"Python {version} is too old", "use Python 3.11 or newer: Raspberry Pi OS 12")
    return well(f"Python {version} at {case.machine.python.executable}")


def venv(case: Case) -> Finding:
    """Whether the venv still fits the Python that it was made with."""
    here = case.machine.python
    if here.prefix == here.base:
        return not_here("cannon runs without a venv")
    settings = _pyvenv(case)
    made_with = settings.get("version") or settings.get("version_info", "")
    now = ".".join(map(str, here.version[:2]))
    if made_with and not f"{made_with}.".startswith(f"{now}."):
        fix = f"make it anew: rm -r {here.prefix} && {OWN_VENV}"
        return bad(f"{here.prefix} was made with Python {made_with}, but runs {now}", fix)
    sees = settings.get("include-system-site-packages") == "true"
    return well(f"{here.prefix}, {'with' if sees else 'without'} the system's packages")


def lgpio(case: Case) -> Finding:
    """Whether the library that moves pins is there, and a real one."""
    if not case.drives_pins:
        return not_here("the launcher hangs on a microcontroller")
    found = case.machine.package("lgpio", "lgpio")
    if found is not None and "def gpiochip_open" in found.text:
        source = "Debian" if "/dist-packages/" in found.path else "a wheel"
        return well(f"lgpio {found.version} of {source}")
    fix = f"{case.machine.python.executable} -m pip install 'lgpio>=0.2.2.0'"
    if found is not None:
        return bad(f"the lgpio that is installed ({found.version}) is an empty one", fix)
    if not case.on_a_pi:
        return not_here("no Raspberry Pi, no lgpio")
    here = case.machine.python
    if here.version[:2] > LAST_WHEEL:
        fix = OWN_VENV
        if here.prefix != here.base and _pyvenv(case).get("include-system-site-packages") == "true":
            fix = "sudo apt install python3-lgpio"
    return bad("lgpio, which moves the pins, is not installed for this Python", fix)


def rpi_gpio(case: Case) -> Finding:
    """Whether there is an RPi.GPIO that no longer works with this kernel."""
    found = case.machine.package("RPi.GPIO", "RPi.GPIO")
    if found is None:
        return well("no RPi.GPIO, which is not needed")
    if case.kernel >= RPI_GPIO_BROKEN:
        detail = (
            f"RPi.GPIO {found.version} sees no edges on kernel {case.kernel[0]}.{case.kernel[1]}"
        )
        fix = f"{case.machine.python.executable} -m pip uninstall -y RPi.GPIO"
        if "/dist-packages/" in found.path:
            fix = "sudo apt remove python3-rpi.gpio && sudo apt install python3-rpi-lgpio"
        return bad(f"{detail}; other programs may choose it", fix)
    return well(f"RPi.GPIO {found.version}, which is not used")


def pin_factory(case: Case) -> Finding:
    """Whether gpiozero is new enough, and told nothing that contradicts lgpio."""
    wanted = case.machine.environment.get("GPIOZERO_PIN_FACTORY", "")
    if wanted not in ("", "lgpio"):
        fix = "unset GPIOZERO_PIN_FACTORY"
        return bad(f"GPIOZERO_PIN_FACTORY={wanted} asks for other pins than the real ones", fix)
    found = case.machine.package("gpiozero", "gpiozero")
    version = found.version if found else "none"
    numbers = tuple(int(number) for number in re.findall(r"\d+", version)[:3])
    if numbers < OLDEST_GPIOZERO:
        fix = f"{case.machine.python.executable} -m pip install 'gpiozero>=2.0.1.post3'"
        return bad(f"gpiozero {version} does not find the pins of a Pi 5", fix)
    return well(f"gpiozero {version} with lgpio, nothing else is ever used")


def working_folder(case: Case) -> Finding:
    """Whether lgpio can put its files where it wants to."""
    machine = case.machine
    folder = machine.environment.get("LG_WD") or machine.cwd
    if not case.drives_pins:
        return not_here("the launcher hangs on a microcontroller")
    if not machine.exists(folder) or not machine.writable(folder):
        why = "LG_WD" if machine.environment.get("LG_WD") else "the working folder"
        fix = "cd ~  # or: export LG_WD=/tmp"
        return bad(f"{folder} ({why}) cannot be written to, and lgpio has to", fix)
    return well(f"lgpio can write to {folder}")


def _pyvenv(case: Case) -> dict[str, str]:
    text = case.machine.text(f"{case.machine.python.prefix}/pyvenv.cfg") or ""
    pairs = (line.partition("=") for line in text.splitlines())
    return {key.strip(): value.strip().lower() for key, _, value in pairs}


CHECKS = {
    "system": system,
    "python": python,
    "venv": venv,
    "lgpio": lgpio,
    "rpi_gpio": rpi_gpio,
    "pin_factory": pin_factory,
    "working_folder": working_folder,
}
