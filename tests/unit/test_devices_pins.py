"""Real pins: which chip is taken, and what is said where there is none, no right, or no lgpio."""

import ast
import builtins
import getpass
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from cannon.devices import pins
from cannon.errors import CannonError, NotYet
from tests.unit.play_tools import Machine


class LgpioError(Exception):
    """lgpio's."""


class Chips:
    """Stands in for lgpio: chips by number with their labels; None for one without the right."""

    error = LgpioError

    def __init__(self, labels):
        self.labels = labels
        self.open = set()

    def gpiochip_open(self, number):
        if self.labels[number] is None:
            raise LgpioError("can not open gpiochip")
        self.open.add(number)
        return number

    def gpiochip_close(self, number):
        self.open.remove(number)

    def gpio_get_chip_info(self, number):
        return 0, 54, f"gpiochip{number}", self.labels[number]


@pytest.fixture
def dev(tmp_path, monkeypatch):
    """A /dev of one's own; makes the chips that are named."""
    monkeypatch.setattr(pins, "DEV", tmp_path)

    def make(*names, **links):
        for name in names:
            (tmp_path / name).touch()
        for name, target in links.items():
            (tmp_path / name).symlink_to(target)
        return tmp_path

    return make


def found(labels, wanted=""):
    chips = Chips(labels)
    number, label = pins._find_chip(chips, wanted)
    assert not chips.open, "what was looked at is closed again"
    assert labels[number] == label
    return number


RP1 = "pinctrl-rp1"


def test_the_chip_of_the_header_is_found_by_its_label_whatever_its_number(dev):
    dev("gpiochip0", "gpiochip4")
    assert found({0: RP1, 4: "gpio-brcmstb"}) == 0
    assert found({0: "gpio-brcmstb", 4: RP1}) == 4


@pytest.mark.parametrize("label", ["pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835"])
def test_each_model_of_the_pi_has_its_own_label(dev, label):
    dev("gpiochip0", "gpiochip1")
    assert found({0: label, 1: "raspberrypi-exp-gpio"}) == 0


def test_a_link_from_the_old_number_to_the_new_one_is_no_trouble(dev):
    dev("gpiochip0", gpiochip4="gpiochip0")
    assert found({0: RP1, 4: RP1}) == 0


def test_what_is_no_chip_by_its_name_is_not_opened(dev):
    dev("gpiochip0", "gpiochipX", "gpiochip")
    assert found({0: RP1}) == 0


@pytest.mark.parametrize("wanted", ["1", "my-sim"])
def test_another_chip_is_taken_by_number_or_label(dev, wanted):
    dev("gpiochip0", "gpiochip1")
    assert found({0: RP1, 1: "my-sim"}, wanted) == 1


def test_another_chip_is_taken_by_its_path(dev):
    folder = dev("gpiochip0", "gpiochip1")
    assert found({0: RP1, 1: "my-sim"}, f"{folder}/gpiochip1") == 1


def refused(labels, wanted=""):
    with pytest.raises(CannonError) as raised:
        pins._find_chip(Chips(labels), wanted)
    return raised.value


def test_no_chip_at_all_names_what_was_looked_for_and_the_simulation(dev):
    dev()
    error = refused({})
    assert error.what == (
        "There is no usable GPIO chip: looked for the GPIO chip of a Raspberry Pi, "
        "found no /dev/gpiochip* at all."
    )
    assert "cannon play --simulate" in error.fix
    assert error.exit_code == 1


def test_only_other_chips_are_named_and_none_is_taken_instead(dev):
    folder = dev("gpiochip0", "gpiochip1")
    error = refused({0: "gpio-ich", 1: "gpio-mockup-A"})
    assert (
        f"found {folder}/gpiochip0 is gpio-ich; {folder}/gpiochip1 is gpio-mockup-A" in error.what
    )
    error = refused({0: RP1, 1: "gpio-ich"}, "7")
    assert "looked for the GPIO chip '7'" in error.what


def test_a_chip_that_may_not_be_opened_names_user_device_group_and_command(dev, monkeypatch):
    folder = dev("gpiochip0")
    (folder / "gpiochip0").chmod(0o660)
    real = Path.stat

    def stat(path, **how):
        about = real(path, **how)
        if path.name != "gpiochip0":
            return about
        return SimpleNamespace(st_mode=about.st_mode, st_gid=54321)

    monkeypatch.setattr(Path, "stat", stat)
    monkeypatch.setattr(pins.grp, "getgrgid", lambda number: SimpleNamespace(gr_name="gpio"))
    error = refused({0: None})
    assert isinstance(error, NotYet), "the rights may come a moment after the chip"
    assert error.what == (
        f"The user {getpass.getuser()} may not use {folder}/gpiochip0 (-rw-rw----, group gpio)."
    )
    assert error.fix == f"sudo adduser {getpass.getuser()} gpio, log in anew"


def test_a_chip_that_no_group_may_use_is_not_cured_by_joining_the_group_root(dev):
    folder = dev("gpiochip0")
    (folder / "gpiochip0").chmod(0o600)
    error = refused({0: None})
    assert "cannon install" in error.fix
    assert f"sudo adduser {getpass.getuser()} gpio" in error.fix


def test_a_user_and_a_group_without_a_name_are_told_by_number(dev, monkeypatch):
    dev("gpiochip0")

    def unknown(number):
        raise KeyError(number)

    monkeypatch.setattr(pins.pwd, "getpwuid", unknown)
    monkeypatch.setattr(pins.grp, "getgrgid", unknown)
    assert f"The user {os.geteuid()} may not use" in refused({0: None}).what


def test_a_locked_chip_that_was_not_asked_for_is_not_the_trouble(dev):
    dev("gpiochip0", "gpiochip1")
    assert found({0: None, 1: RP1}) == 1
    assert "looked for the GPIO chip '2'" in refused({0: None, 1: RP1}, "2").what


# --- lgpio itself -------------------------------------------------------------------------------


def without_lgpio(monkeypatch):
    monkeypatch.delitem(sys.modules, "lgpio", raising=False)
    real = builtins.__import__

    def refuse(name, *rest):
        if name == "lgpio":
            raise ImportError("no module named lgpio")
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)


def test_without_lgpio_it_is_an_error_with_the_fix_and_no_other_factory(monkeypatch, tmp_path):
    monkeypatch.setenv("LG_WD", str(tmp_path))
    without_lgpio(monkeypatch)
    with pytest.raises(CannonError) as raised:
        pins.open_pins()
    assert "lgpio, which moves the pins, is not installed" in raised.value.what
    assert "card-cannon[pi]" in raised.value.fix
    assert "--simulate" in raised.value.fix


def test_the_empty_lgpio_of_the_index_is_told(monkeypatch, tmp_path):
    monkeypatch.setenv("LG_WD", str(tmp_path))
    monkeypatch.setitem(sys.modules, "lgpio", SimpleNamespace())
    with pytest.raises(CannonError, match="empty one"):
        pins.open_pins()


@pytest.mark.parametrize("folder", ["/proc", "/nowhere/at/all"])
def test_a_folder_that_lgpio_cannot_write_in_is_told_before_lgpio_is_loaded(monkeypatch, folder):
    monkeypatch.setenv("LG_WD", folder)
    monkeypatch.delitem(sys.modules, "lgpio", raising=False)
    with pytest.raises(CannonError) as raised:
        pins.open_pins()
    assert f"{folder} is not writable" in raised.value.what
    assert "LG_WD" in raised.value.fix
    assert "lgpio" not in sys.modules


def test_a_folder_that_is_gone_is_told(monkeypatch, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    monkeypatch.delenv("LG_WD", raising=False)
    gone.rmdir()
    with pytest.raises(CannonError, match="is gone"):
        pins.open_pins()


def test_the_factory_is_named_and_never_left_to_gpiozero():
    """gpiozero would try others, silently."""
    tree = ast.parse(Path(pins.__file__).read_text())
    imported = {
        node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module
    }
    assert {module for module in imported if module.startswith("gpiozero")} == {
        "gpiozero.pins",
        "gpiozero.pins.lgpio",
    }
    for path in Path("cannon").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in (
                "InputDevice",
                "DigitalOutputDevice",
                "PWMOutputDevice",
                "Buzzer",
                "TonalBuzzer",
                "Button",
                "Motor",
                "LED",
            ):
                given = {keyword.arg for keyword in node.keywords}
                assert "pin_factory" in given, f"{path}:{node.lineno}"


STRAIGHT = """
import lgpio
from gpiozero import InputDevice, PWMOutputDevice
from cannon.devices.pins import open_pins

pins = open_pins().factory
asked, mode, write = [], lgpio.gpio_get_mode, lgpio.gpio_write
lgpio.gpio_get_mode = lambda handle, line: asked.append(line) or mode(handle, line)
lgpio.gpio_write = lambda *given: print("write", *given[1:]) or write(*given)
output = PWMOutputDevice(23, frequency=None, pin_factory=pins)
button = InputDevice(17, pin_factory=pins)
asked.clear()
for level in (1, 0):
    output.pin.state = level
button.pin.state = 1
print("asked", asked)
output.pin.frequency = 500
for level in (0.6, 0):
    output.pin.state = level
"""


def test_an_output_is_set_without_a_question_before_and_an_input_is_left_to_lgpio(tmp_path):
    machine = Machine(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", STRAIGHT], cwd=machine.cwd, env=machine.env, capture_output=True
    )
    said = done.stdout.decode().splitlines()
    assert said[-4:] == ["write 23 True", "write 23 False", "write 17 True", "asked []"]
    assert [line for line in machine.out() if line.startswith("23 ")][-2:] == ["23 60", "23 0"]
