"""Wrong wires and parts: a good board with one thing changed gets the right sentence."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from hardware import board_names
from hardware.budget import current_budget
from hardware.checks import RATINGS, WIRING_CHECKS, advise
from hardware.netlist import Netlist
from hardware.parts import Part, catalogue
from hardware.reading import convert
from tests.unit.boards_changed import Change, changed, raw, rewired, sentences

TB6612 = {
    "motor.part": "tb6612",
    "wiring.motor.parts.U2": "tb6612",
    "wiring.motor.wires": [
        ["U2.VM", "VM", "red"],
        ["U2.VCC", "3V3", "red"],
        ["U2.PWMA", "3V3", "leg"],
        ["U2.GND", "GND", "black"],
        ["U1.GPIO23", "U2.AIN1", "yellow"],
        ["U1.GPIO24", "U2.AIN2", "green"],
        ["U1.GPIO25", "U2.STBY", "blue"],
        ["R1.1", "U2.STBY", "leg"],
        ["R1.2", "GND", "leg"],
        ["U2.AO1", "M1.+", "toy"],
        ["U2.AO2", "M1.-", "toy"],
        ["C2.1", "M1.+", "leg"],
        ["C2.2", "M1.-", "leg"],
    ],
}
L9110S = {
    "motor.part": "l9110s",
    "motor.enable": None,
    "wiring.motor.parts.U2": "l9110s",
    "wiring.motor.wires": [
        ["U2.VCC", "VM", "red"],
        ["U2.GND", "GND", "black"],
        ["U1.GPIO23", "U2.IA", "yellow"],
        ["U1.GPIO24", "U2.IB", "green"],
        ["R1.1", "U2.IA", "leg"],
        ["R1.2", "GND", "leg"],
        ["U2.OA", "M1.+", "toy"],
        ["U2.OB", "M1.-", "toy"],
        ["C2.1", "M1.+", "leg"],
        ["C2.2", "M1.-", "leg"],
    ],
}
BARE_BUZZER = {
    "parts": {"LS1": "buzzer-5v"},
    "wires": [["U1.GPIO12", "LS1.+", "red"], ["LS1.-", "GND", "black"]],
}

UNREADABLE: list[tuple[Change, str]] = [
    # changes to launcher-pi after which the wiring makes no sense
    ({"wiring.motor.parts.R1": "r-10"}, "wiring: motor: R1: no part is called 'r-10'; did you me"),
    (rewired("launcher-pi", "motor", "R1.2 GND", "R1.3 GND"), "wiring: motor: 'R1.3' is no term"),
    (rewired("launcher-pi", "motor", "R1.2 GND", "R99.2 GND"), "wiring: motor: 'R99.2' names no "),
    (rewired("launcher-pi", "supply", "U1.6 GND", "U1.66 GND"), "wiring: supply: U1.66 is not on"),
    ({"wiring.light": {"parts": {"H9": "led"}}}, "wiring: light: H9: has no wire; wire it up or "),
    ({"wiring.light": {"parts": {"R1": "led"}}}, "wiring: light: R1: is used twice; give each pa"),
    (
        {"wiring.supply.parts.U1": None, "wiring.supply.parts.PS1": None},
        "wiring: names no computer; list it, such as parts.U1",
    ),
]

WRONG: list[tuple[str, Change, str]] = [
    # --- do the wires lead where the pins say?
    ("launcher-pi", {"motor.part": "tb6612"}, "motor: part: U2 in the wiring is drv8833, but [mo"),
    ("launcher-pi", {"motor.forward": 16}, "motor: forward: no wire leads from GPIO16 to U2.IN1;"),
    ("launcher-pi", {"motor.forward": 16}, "wiring: GPIO23 is wired, but no table of the board u"),
    (
        "launcher-pi",
        {"motor.enable": None} | rewired("launcher-pi", "motor", "U1.GPIO25 U2.SLP"),
        "motor: forward: no resistor holds U2.IN1 low",
    ),
    (
        "launcher-pi",
        {"motor.enable": None, "wiring.motor.parts.R1": None}
        | {
            "wiring.motor.wires": [
                ["U2.VM", "VM", "red"],
                ["U2.GND", "GND", "black"],
                ["U1.GPIO23", "U2.IN1", "yellow"],
                ["U1.GPIO24", "U2.IN2", "green"],
                ["U2.OUT1", "M1.+", "toy"],
                ["U2.OUT2", "M1.-", "toy"],
                ["C2.1", "M1.+", "leg"],
                ["C2.2", "M1.-", "leg"],
            ]
        },
        "motor: enable: nothing is wired to U2.SLP, the driver sleeps for ever; name a pin",
    ),
    ("launcher-pi", {"beeper.pin": 16}, "beeper: pin: no wire leads from GPIO16 to a piezo or b"),
    (
        "launcher-pi",
        rewired("launcher-pi", "button", "U1.GPIO17 R3.2", "U1.GPIO17 U1.GPIO27"),
        "wiring: GPIO17 and GPIO27 are joined by the wires; each pin has a wire of its own",
    ),
    (
        "launcher-pi",
        rewired("launcher-pi", "supply", "C1.- GND", "C1.- GND", "3V3 GND"),
        "wiring: 3V3, GND are joined: a short circuit",
    ),
    (
        "launcher-pi",
        rewired("launcher-pi", "supply", "C1.- GND", "C1.- GND", "BT1.+ GND"),
        "wiring: BT1.+, GND are joined: a short circuit",
    ),
    (
        "launcher-pi",
        rewired("launcher-pi", "supply", "BT1.- GND", "BT1.- U2.OUT2"),
        "wiring: BT1.- is not joined with the computer's ground; run a black wire from BT1.-",
    ),
    # --- what stops the motor without a program, what the driver bears
    (
        "launcher-pi",
        rewired("launcher-pi", "supply", "BT1.+ S4.1", "BT1.- S4.1"),
        "wiring: supply: no supply leads to the motor",
    ),
    (
        "launcher-pi",
        rewired("launcher-pi", "supply", "F1.2 S3.C", "F1.2 VM", "F1.2 S3.C"),
        "wiring: supply: the motor's supply does not pass a lid switch: opening the lid cannot s",
    ),
    (
        "launcher-pi",
        rewired("launcher-pi", "supply", "F1.2 S3.C", "F1.1 S3.C", "F1.2 F1.1"),
        "wiring: supply: there is no fuse between the supply and the motor driver; put a res",
    ),
    (
        "launcher-pi",
        {"wiring.supply.parts.F1": "ptc-1a1"},
        "wiring: supply: F1: F1 trips at 2.2 A, above the driver's 1.5 A; use a smaller fuse",
    ),
    (
        "diy-pi",
        {"wiring.supply.parts.D9": "diode-small"}
        | rewired("diy-pi", "supply", "S3.NO VM", "S3.NO D9.A", "D9.K VM"),
        "wiring: supply: D9: D9 is made for 0.15 A, but the fuse lets 0.8 A pass; use a stronger",
    ),
    (
        "launcher-pi",
        {"measured.motor_free_a": 0.2},
        "wiring: supply: F1: the motor draws 0.2 A running free and about 0.4 A with cards, F1 may "
        "trip from 0.25 A on; use a larger fuse",
    ),
    ("launcher-pi", TB6612, "motor: part: tb6612 needs 4.5 V, half-used cells give 4.05 V; use a"),
    ("launcher-pi", {"measured.motor_ohms": 0.9}, "motor: part: the held motor draws 1.6 A, drv"),
    (
        "launcher-pi",
        rewired("launcher-pi", "motor", "R1.2 GND", "R1.2 3V3"),
        "motor: enable: no resistor holds U2.SLP low while nobody steers it; put 10 kΩ between "
        "U2.SLP and GND",
    ),
    (
        "launcher-pi-basic",
        rewired("launcher-pi-basic", "motor", "R1.1 Q1.G", "R1.1 3V3"),
        "motor: forward: no resistor holds Q1.G low while nobody steers it; put 10 kΩ between",
    ),
    (
        "launcher-pi-basic",
        rewired("launcher-pi-basic", "motor", "D3.A Q1.D", "D3.A GND"),
        "wiring: motor: no diode takes the motor's kick when the transistor switches off; put",
    ),
    ("launcher-pi", {"wiring.supply.parts.C1": "cap-10u"}, "wiring: supply: there is no large c"),
    (
        "launcher-pi",
        {
            "wiring.low_battery.wires": [
                ["R12.1", "F1.1", "red"],
                ["R12.2", "U3.IN", "leg"],
                ["C5.-", "U3.IN", "leg"],
                ["C5.+", "GND", "leg"],
                ["U3.GND", "GND", "leg"],
                ["R13.1", "3V3", "leg"],
                ["R13.2", "U3.OUT", "leg"],
                ["U1.GPIO5", "U3.OUT", "brown"],
            ]
        },
        "wiring: low_battery: C5: the + of C5 is at GND; turn it round",
    ),
    (
        "diy-pico",
        {"wiring.supply.parts.PS2": "toy-battery-box", "measured.motor_ohms": 0.8},
        "wiring: supply: a held motor leaves 1.",
    ),
    # --- what comes into the pins, and what they drive
    (
        "launcher-pi",
        rewired("launcher-pi", "exit_sensor", "R7.1 3V3", "R7.1 VM"),
        "exit_sensor: pin: exit_sensor can get 4.8 V on GPIO22, made for 3.3 V; pull up to the",
    ),
    (
        "launcher-pi",
        rewired("launcher-pi", "lid", "R4.1 3V3", "R4.1 U1.5V"),
        "lid: pin: lid can get 5.25 V on GPIO27, made for 3.3 V",
    ),
    (
        "launcher-pi",
        {"lid.pull": "external-up"} | rewired("launcher-pi", "lid", "R4.1 3V3", "R4.1 GND"),
        'lid: pull: pull = "external-up", but no resistor leads from its wire to 3V3; add 10 kΩ',
    ),
    (
        "diy-pi",
        {"hopper_sensor.pull": "none"} | rewired("diy-pi", "hopper_sensor", "R9.1 3V3", "R9.1 GND"),
        'hopper_sensor: pull: pull = "none", but its output can only pull down and never rises',
    ),
    (
        "launcher-pi",
        rewired("launcher-pi", "lid", "S2.C GND", "S2.C 3V3"),
        "wiring: lid: its switch does not lead to GND, the pin never changes; join the switch's",
    ),
    (
        "launcher-pi",
        rewired("launcher-pi", "button", "C3.2 GND", "C3.2 3V3"),
        "wiring: button: its long wire has no filter, so motor noise can look like a press; add",
    ),
    ("launcher-pi", {"wiring.exit_sensor.parts.R6": "r-100"}, "exit_sensor: pin: it draws 0.021"),
    ("launcher-pi", {"wiring.exit_sensor.parts.R7": "r-10k"}, "wiring: exit_sensor: B1 can sink"),
    (
        "diy-pi",
        {
            "wiring.light": {
                "parts": {"H1": "led"},
                "wires": [["U1.GPIO16", "H1.A", "red"], ["H1.K", "GND", "black"]],
            }
        },
        "light: pin: no resistor limits its current; one pin supplies at most 0.016 A; put 330 Ω",
    ),
    ("launcher-pi", {"beeper.kind": "active"}, 'beeper: kind: kind = "active", but the wiring ha'),
    ("launcher-pi-basic", {"wiring.beeper": BARE_BUZZER}, "wiring: beeper: LS1 draws 0.03 A, one"),
]


@pytest.mark.parametrize(("change", "sentence"), UNREADABLE)
def test_wiring_that_makes_no_sense(change: Change, sentence: str) -> None:
    found = sentences(changed("launcher-pi", change))
    assert any(line.startswith(sentence) for line in found), found


@pytest.mark.parametrize(("name", "change", "sentence"), WRONG)
def test_a_wrong_board_gets_its_sentence(name: str, change: Change, sentence: str) -> None:
    found = sentences(changed(name, change))
    assert any(line.startswith(sentence) for line in found), found


def test_every_check_of_wires_is_tried_by_a_wrong_board() -> None:
    tried = set()
    for name, change, _ in WRONG:
        board = changed(name, change)
        assert board.wiring is not None
        netlist = Netlist(board.wiring, board.computer)
        tried |= {check.__name__ for check in WIRING_CHECKS if list(check(board, netlist))}
    assert tried == {check.__name__ for check in WIRING_CHECKS}


OWN_DRIVER = {
    "title": "A driver of my own",
    "kind": "driver",
    "terminals": ["VM", "GND", "IN1", "IN2", "SLP", "OUT1", "OUT2"],
    "inputs": {"forward": "IN1", "backward": "IN2", "enable": "SLP"},
    "outputs": {"forward": "OUT1", "backward": "OUT2"},
    "power": "VM",
    "clamped": True,
}


def own(driver: Change, **more: object) -> Change:
    return {
        "wiring.own": {"mine": driver, **more},
        "motor.part": "mine",
        "wiring.motor.parts.U2": "mine",
        "measured.motor_ohms": 5.0,
    }


def test_a_part_that_the_catalogue_has_not_is_described_in_the_board_s_file() -> None:
    board = changed("launcher-pi", own({**OWN_DRIVER, "needs_v": 2.7, "most_v": 6, "most_a": 1.2}))
    assert sentences(board) == []
    assert advise(board) == []


def test_its_ratings_are_checked_like_those_of_the_catalogue() -> None:
    board = changed("launcher-pi", own({**OWN_DRIVER, "needs_v": 4.5, "most_v": 6, "most_a": 0.4}))
    found = sentences(board)
    assert "motor: part: mine needs 4.5 V, half-used cells give 4.05 V" in "\n".join(found)
    assert "motor: part: the held motor draws 0.7 A, mine bears 0.4 A" in "\n".join(found)
    assert any(line.startswith("wiring: supply: F1: F1 trips at") for line in found)


def test_ratings_that_are_left_out_are_told_and_accuse_nobody() -> None:
    board = changed("launcher-pi", own(OWN_DRIVER))
    assert sentences(board) == []
    (advice,) = advise(board)
    assert str(advice) == (
        "wiring: own: mine: U2 has no needs_v (least supply), no most_v (most supply), no most_a "
        "(current that it bears): this could not be checked; look into its data sheet and add it"
    )


@pytest.mark.parametrize("kind", RATINGS)
def test_a_part_of_each_kind_may_lack_all_its_ratings(kind: str) -> None:
    """Nothing breaks, and each rating that is missing is named."""
    name, place, part = next(
        (name, (section, ref), known)
        for name in board_names()
        for section, content in raw(name)["wiring"].items()
        if "parts" in content
        for ref, part in content["parts"].items()
        if (known := catalogue()[part]).kind == kind
    )
    bare = {
        field: getattr(part, field)
        for field in ("title", "kind", "terminals", "header", "inputs", "outputs", "power")
    }
    bare["clamped"] = True
    section, ref = place
    change: Change = {"wiring.own": {"mine": bare}, f"wiring.{section}.parts.{ref}": "mine"}
    if kind == "driver":
        change["motor.part"] = "mine"
    board = changed(name, change)
    assert [line for line in sentences(board) if "mine" in line and "names no" in line] == []
    told = [problem for problem in advise(board) if problem.where == "wiring: own: mine"]
    assert told
    for rating in RATINGS[kind]:
        assert f"no {rating} (" in told[0].what
    assert current_budget(board)


def test_the_own_part_of_the_guide_is_one() -> None:
    page = Path("hardware/README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    parts = tomllib.loads(example)["wiring"]["own"]
    assert list(parts) == ["big-driver"]
    assert convert(parts["big-driver"], Part, "README").most_a == 5.0
    change = {
        "wiring.own": parts,
        "motor.part": "big-driver",
        "wiring.motor.parts.U2": "big-driver",
    }
    assert sentences(changed("diy-pi", change)) == []


def test_an_own_part_may_not_take_a_name_of_the_catalogue() -> None:
    board = changed("launcher-pi", {"wiring.own": {"drv8833": OWN_DRIVER}})
    assert sentences(board)[0].startswith("wiring: own: drv8833: is the name of a part in parts.to")


def test_the_catalogue_lacks_no_rating_and_no_price() -> None:
    for name, part in catalogue().items():
        assert part.price, name
        for rating in RATINGS.get(part.kind, {}):
            in_the_toy = part.price == "in the toy"  # unknown, and carries it already
            assert getattr(part, rating) not in (None, ()) or in_the_toy, (name, rating)


def test_an_h_bridge_may_be_held_off_at_both_inputs_instead() -> None:
    change = dict(L9110S)
    change["wiring.motor.parts.R15"] = "r-10k"
    change["wiring.motor.wires"] = [
        *L9110S["wiring.motor.wires"],  # type: ignore[misc]
        ["R15.1", "U2.IB", "leg"],
        ["R15.2", "GND", "leg"],
    ]
    found = sentences(changed("launcher-pi", change))
    assert [line for line in found if "holds" in line] == []
