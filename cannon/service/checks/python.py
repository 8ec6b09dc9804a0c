"""The doctor's checks of Python and the libraries that move pins."""

from __future__ import annotations

import re

from cannon.service.finding import Case, Finding, Said, bad, not_here, said, well

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
    name = found[1] if found else said("unknown_system")
    return well("system", name=name, bits=case.machine.python.bits)


def python(case: Case) -> Finding:
    """Whether Python is new enough."""
    version = ".".join(map(str, case.machine.python.version))
    if case.machine.python.version < OLDEST_PYTHON:
        return bad("python_old", said("newer_python"), version=version)
    return well("python", version=version, path=case.machine.python.executable)


def venv(case: Case) -> Finding:
    """Whether the venv still fits the Python that it was made with."""
    here = case.machine.python
    if here.prefix == here.base:
        return not_here("no_venv")
    settings = _pyvenv(case)
    made_with = settings.get("version") or settings.get("version_info", "")
    now = ".".join(map(str, here.version[:2]))
    if made_with and not f"{made_with}.".startswith(f"{now}."):
        fix = said("make_anew", command=f"rm -r {here.prefix} && {OWN_VENV}")
        return bad("venv_old", fix, path=here.prefix, made_with=made_with, now=now)
    sees = settings.get("include-system-site-packages") == "true"
    return well("venv_with" if sees else "venv_without", path=here.prefix)


def lgpio(case: Case) -> Finding:
    """Whether the library that moves pins is there, and a real one."""
    if not case.drives_pins:
        return not_here("on_bridge")
    found = case.machine.package("lgpio", "lgpio")
    if found is not None and "def gpiochip_open" in found.text:
        debians = "/dist-packages/" in found.path
        return well("lgpio_of_debian" if debians else "lgpio_of_wheel", version=found.version)
    fix = f"{case.machine.python.executable} -m pip install 'lgpio>=0.2.2.0'"
    if found is not None:
        return bad("lgpio_empty", fix, version=found.version)
    if not case.on_a_pi:
        return not_here("no_pi_no_lgpio")
    here = case.machine.python
    if here.version[:2] > LAST_WHEEL:
        fix = OWN_VENV
        if here.prefix != here.base and _pyvenv(case).get("include-system-site-packages") == "true":
            fix = "sudo apt install python3-lgpio"
    return bad("no_lgpio", fix)


def rpi_gpio(case: Case) -> Finding:
    """Whether there is an RPi.GPIO that no longer works with this kernel."""
    found = case.machine.package("RPi.GPIO", "RPi.GPIO")
    if found is None:
        return well("no_rpi_gpio")
    if case.kernel >= RPI_GPIO_BROKEN:
        fix = f"{case.machine.python.executable} -m pip uninstall -y RPi.GPIO"
        if "/dist-packages/" in found.path:
            fix = "sudo apt remove python3-rpi.gpio && sudo apt install python3-rpi-lgpio"
        kernel = f"{case.kernel[0]}.{case.kernel[1]}"
        return bad("rpi_gpio_blind", fix, version=found.version, kernel=kernel)
    return well("rpi_gpio", version=found.version)


def pin_factory(case: Case) -> Finding:
    """Whether gpiozero is new enough, and told nothing that contradicts lgpio."""
    wanted = case.machine.environment.get("GPIOZERO_PIN_FACTORY", "")
    if wanted not in ("", "lgpio"):
        fix = "unset GPIOZERO_PIN_FACTORY"
        return bad("other_pin_factory", fix, wanted=wanted)
    found = case.machine.package("gpiozero", "gpiozero")
    version = found.version if found else "0"
    numbers = tuple(int(number) for number in re.findall(r"\d+", version)[:3])
    if numbers < OLDEST_GPIOZERO:
        fix = f"{case.machine.python.executable} -m pip install 'gpiozero>=2.0.1.post3'"
        return bad("gpiozero_old", fix, version=version) if found else bad("no_gpiozero", fix)
    return well("gpiozero", version=version)


def working_folder(case: Case) -> Finding:
    """Whether lgpio can put its files where it wants to."""
    machine = case.machine
    folder = machine.environment.get("LG_WD") or machine.cwd
    if not case.drives_pins:
        return not_here("on_bridge")
    if not machine.exists(folder) or not machine.writable(folder):
        why: str | Said = "LG_WD" if machine.environment.get("LG_WD") else said("working_folder")
        return bad("folder_closed", "cd ~; export LG_WD=/tmp", folder=folder, why=why)
    return well("folder_open", folder=folder)


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
