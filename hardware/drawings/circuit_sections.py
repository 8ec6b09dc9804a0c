"""One small function for the circuit of each section of a build.

Each draws from left to right what it finds in the wiring, so a board with other values or with
parts left out is drawn as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hardware.board import Board
from hardware.drawings.canvas import wrapped
from hardware.drawings.circuit_pen import Circuit
from hardware.drawings.rows import strip_name
from hardware.supply import MotorSupply, series_path, supply_net


def draw_switch(c: Circuit, pin: int) -> None:
    """Button or lid: pull-up, switch to ground, and the filter before the pin."""
    s, near = c.symbols, c.netlist.pin(pin)
    series, node = c.beyond(near, "resistor")
    pull = c.one(node, c.high, "resistor")
    noise = c.one(near, c.ground, "capacitor")
    switch = c.on(node, "button", "lever-switch")
    c.draw(s.Dot(open=True).label(c.pin(pin), loc="left"))
    c.draw(s.Line().right(1.2))
    if noise:
        c.draw(s.Dot())
        c.pen.push()
        c.add(noise, s.Capacitor().down(), "bottom")
        c.draw(s.Ground())
        c.pen.pop()
    if series:
        c.add(series, s.Resistor().right(2.6))
    c.draw(s.Dot())
    c.pen.push()
    if pull:
        c.add(pull, s.Resistor().up(), "bottom")
        c.draw(s.Vdd().label("3V3"))
    c.pen.pop()
    c.draw(s.Line().right(1.4))
    shut = c.netlist.parts[switch].kind == "lever-switch"  # drawn with the lid shut
    c.add(switch, s.Switch(nc=shut).down(), "bottom")
    c.draw(s.Ground())


def draw_light_sensor(c: Circuit, pin: int, emitter: int | None) -> None:
    """The light and its resistor at the left, the phototransistor and its pull-up at the right."""
    s, out = c.symbols, c.netlist.pin(pin)
    sensor = c.on(out, "light-sensor")
    anode = c.netlist.net(sensor, "A")
    feed = next(
        (ref for ref, _ in c.netlist.other_ends(anode, "resistor") if ref not in c.drawn), ""
    )
    source = "3V3" if emitter is None else c.pin(emitter)
    c.draw(s.Dot(open=True).label(source, loc="left"))
    c.add(feed, s.Resistor().right(2.6))
    c.draw(s.Line().right(0.6))
    c.draw(s.LED().down())
    c.draw(s.Ground())
    c.pen.here = (6.2, 0)
    photo = c.draw(s.NpnPhoto().theta(0).anchor("collector").at((6.2, -0.4)))
    c.draw(s.Line().down(0.3).at(photo.emitter))
    c.draw(s.Ground())
    label = f"{sensor}\n{c.netlist.parts[sensor].short}"
    c.draw(s.Label().at((4.6, -3.3)).label(label, fontsize=10))
    c.drawn.add(sensor)
    c.draw(s.Line().up(0.4).at(photo.collector))
    c.draw(s.Dot())
    c.pen.push()
    pull = c.one(out, c.high, "resistor")
    if pull:
        c.add(pull, s.Resistor().up(), "bottom")
        c.draw(s.Vdd().label("3V3"))
    c.pen.pop()
    c.draw(s.Line().right(1.2))
    c.draw(s.Dot(open=True).label(c.pin(pin), loc="right"))


def draw_beeper(c: Circuit, pin: int) -> None:
    """A piezo behind a resistor, or a buzzer behind a transistor."""
    s = c.symbols
    series, node = c.beyond(c.netlist.pin(pin), "resistor")
    c.draw(s.Dot(open=True).label(c.pin(pin), loc="left"))
    if series:
        c.add(series, s.Resistor().right(2.6))
    transistor = c.on(node, "npn")
    if not transistor:
        sounder = c.on(node, "piezo", "buzzer")
        c.draw(s.Line().right(0.8))
        speaker = c.add(sounder, s.Speaker().anchor("in1").right(), "right")
        c.draw(s.Line().left(0.4).at(speaker.in2))
        c.draw(s.Line().down(0.5))
        c.draw(s.Ground())
        return
    npn = c.add(transistor, s.BjtNpn().anchor("base").right(), "right")
    c.draw(s.Line().down(0.3).at(npn.emitter))
    c.draw(s.Ground())
    low = c.netlist.net(transistor, "C")
    buzzer = c.on(low, "buzzer")
    high = c.netlist.net(buzzer, "+")
    diode = c.one(low, high, "diode")
    c.draw(s.Line().up(0.4).at(npn.collector))
    c.draw(s.Dot())
    start = c.pen.here
    c.add(buzzer, s.RBox().up(), "top")
    c.draw(s.Dot())
    c.draw(s.Vdd().label("5V"))
    if diode:
        c.draw(s.Line().right(1.8).at(start))
        c.add(diode, s.Diode().up(), "bottom")
        c.draw(s.Line().left(1.8))


def draw_light(c: Circuit, pin: int) -> None:
    """An LED behind a resistor."""
    s = c.symbols
    series, node = c.beyond(c.netlist.pin(pin), "resistor")
    c.draw(s.Dot(open=True).label(c.pin(pin), loc="left"))
    if series:
        c.add(series, s.Resistor().right(2.6))
    c.add(c.on(node, "led"), s.LED().right())
    c.draw(s.Line().down(0.4))
    c.draw(s.Ground())


def draw_low_battery(c: Circuit, pin: int) -> None:
    """The detector behind its filter, with its pull-up."""
    s, out = c.symbols, c.netlist.pin(pin)
    detector = c.on(out, "detector")
    inlet = c.netlist.net(detector, "IN")
    series, source = c.beyond(inlet, "resistor")
    noise = c.one(inlet, c.ground, "capacitor")
    fed = f"from {strip_name(c.netlist, sorted(source)[0], c.name)}"
    c.draw(s.Dot(open=True).label(fed, loc="left"))
    c.add(series, s.Resistor().right(2.6))
    c.draw(s.Dot())
    c.pen.push()
    c.add(noise, s.Capacitor().down(), "bottom")
    c.draw(s.Ground())
    c.pen.pop()
    c.draw(s.Line().right(1.6))
    ic = _block(c, detector, ["IN"], ["OUT"], anchor="IN")
    c.draw(s.Ground().at(ic.GND))
    c.draw(s.Line().right(0.8).at(ic.OUT))
    c.draw(s.Dot())
    c.pen.push()
    c.add(c.one(out, c.high, "resistor"), s.Resistor().up(), "bottom")
    c.draw(s.Vdd().label("3V3"))
    c.pen.pop()
    c.draw(s.Line().right(1.2))
    c.draw(s.Dot(open=True).label(c.pin(pin), loc="right"))


def _block(
    c: Circuit, ref: str, left: list[str], right: list[str], *, top: str = "", anchor: str = ""
) -> Any:
    """A part as a box, its terminals by name at the sides; ground (and `top`) in the middle."""
    s = c.symbols
    pins = [s.IcPin(name=name, side="left") for name in left[::-1]]
    places = [0.5] if len(right) == 1 else [0.1, 0.9]
    pins += [
        s.IcPin(name=name, side="right", pos=place)
        for name, place in zip(right[::-1], places, strict=True)
    ]
    pins.append(s.IcPin(side="bot", anchorname="GND"))
    if top:
        pins.append(s.IcPin(side="top", anchorname=top))
    height = max(1.6, 1.2 * len(left))
    ic = s.Ic(pins=pins, size=(4.2, height), leadlen=0.4, lblsize=11).theta(0)
    c.drawn.add(ref)
    placed = c.draw(ic.anchor(anchor) if anchor else ic)
    label = "\n".join([ref, *wrapped(c.netlist.parts[ref].short, 9)])
    c.draw(s.Label().at(placed.center).label(label, fontsize=10))
    return placed


def draw_motor(c: Circuit) -> None:
    """Driver and motor: a bridge chip as a block, or one transistor."""
    driver = next(iter(c.netlist.of_kind("driver")))
    if c.netlist.parts[driver].power:
        _draw_bridge(c, driver)
    else:
        _draw_transistor(c, driver)


def _draw_bridge(c: Circuit, driver: str) -> None:
    s, part = c.symbols, c.netlist.parts[driver]
    roles = [role for role in ("forward", "backward", "enable") if role in part.inputs]
    inputs = [part.inputs[role] for role in roles]
    outputs = [part.outputs["forward"], part.outputs["backward"]]
    ic = _block(c, driver, inputs, outputs, top=part.power)
    c.draw(s.Vdd().at(getattr(ic, part.power)).label("VM"))
    c.draw(s.Ground().at(ic.GND))
    for role, terminal in zip(roles, inputs, strict=True):
        number = getattr(c.board.motor, role)
        end = getattr(ic, terminal)
        hold = c.one(c.netlist.net(driver, terminal), c.ground, "resistor")
        c.draw(s.Line().left(1.0).at(end))
        if hold:
            c.draw(s.Dot())
            c.pen.push()
            c.add(hold, s.Resistor().down(), "bottom")
            c.draw(s.Ground())
            c.pen.pop()
        c.draw(s.Line().left(1.0))
        c.draw(s.Dot(open=True).label(c.pin(number), loc="left"))
    _draw_motor_between(c, getattr(ic, outputs[0]), getattr(ic, outputs[1]))


def _draw_motor_between(c: Circuit, plus: Any, minus: Any) -> None:
    """The motor and its capacitor between two points, the upper one first."""
    s = c.symbols
    motor = next(iter(c.netlist.of_kind("motor")))
    noise = c.one(c.netlist.net(motor, "+"), c.netlist.net(motor, "-"), "capacitor")
    c.draw(s.Line().right(1.0).at(plus))
    upper = c.draw(s.Dot() if noise else s.Line().right(0.01))
    if noise:
        c.add(noise, s.Capacitor().endpoints(upper.start, (upper.start[0], minus[1])), "bottom")
        c.draw(s.Dot())
    c.draw(s.Line().right(2.4).at(upper.start))
    corner = c.pen.here
    c.add(
        motor,
        s.Motor().endpoints(corner, (corner[0], minus[1])),
        "bottom",
    )
    c.draw(s.Label().at((corner[0] + 0.25, corner[1] + 0.05)).label("+"))
    c.draw(s.Line().endpoints((corner[0], minus[1]), minus))


def _draw_transistor(c: Circuit, driver: str) -> None:
    s, netlist = c.symbols, c.netlist
    pin = c.board.motor.forward
    gate, drain = netlist.net(driver, "G"), netlist.net(driver, "D")
    series = c.one(netlist.pin(pin), gate, "resistor")
    hold = c.one(gate, c.ground, "resistor")
    c.draw(s.Dot(open=True).label(c.pin(pin), loc="left"))
    if series:
        c.add(series, s.Resistor().right(2.6))
    c.draw(s.Dot())
    c.pen.push()
    c.add(hold, s.Resistor().down(), "bottom")
    c.draw(s.Ground())
    c.pen.pop()
    c.draw(s.Line().right(1.6))
    fet = c.add(driver, s.NFet().theta(180).flip().anchor("gate"), "right")
    c.draw(s.Line().down(0.5).at(fet.source))
    c.draw(s.Ground())
    c.draw(s.Line().up(0.5).at(fet.drain))
    c.draw(s.Dot())
    low = c.pen.here
    motor = next(iter(netlist.of_kind("motor")))
    high = netlist.net(motor, "+")
    c.add(motor, s.Motor().up(), "top")
    c.draw(s.Label().at((low[0] - 0.4, c.pen.here[1] - 0.35)).label("+"))
    c.draw(s.Dot())
    top = c.pen.here
    c.draw(s.Vdd().label("VM"))
    x = low[0]
    for kind, symbol in (("diode", s.Diode), ("capacitor", s.Capacitor)):
        ref = c.one(drain, high, kind)
        if ref:
            x += 2.0
            c.draw(s.Line().endpoints((x - 2.0, low[1]), (x, low[1])))
            c.add(ref, symbol().endpoints((x, low[1]), (x, top[1])), "bottom")
            c.draw(s.Line().endpoints((x, top[1]), (x - 2.0, top[1])))


def draw_supply(c: Circuit) -> None:
    """From the supply through switch, fuse and lid switch to VM; a Pico's share before the fuse."""
    s, netlist = c.symbols, c.netlist
    source = next(ref for ref in netlist.of_kind("supply") if "-" in netlist.parts[ref].terminals)
    symbols = {
        "power-switch": s.Switch,
        "lever-switch": lambda: s.Switch(nc=True),
        "fuse": s.FuseIEC,
        "diode": s.Diode,
    }
    battery = c.add(source, s.Battery().up().reverse(), "top")
    c.draw(s.Ground().at(battery.start if battery.start[1] < battery.end[1] else battery.end))
    c.pen.here = battery.end if battery.end[1] > battery.start[1] else battery.start
    c.draw(s.Line().right(0.6))
    supply = MotorSupply(netlist, c.board.measured)
    start = supply_net(netlist, source)
    share = series_path(netlist, start, netlist.named("VSYS")) or []
    aside = next((ref for ref in share if netlist.parts[ref].kind == "diode"), "")
    for ref in supply.path:
        c.add(ref, symbols[netlist.parts[ref].kind]().right(2.4))
        if aside and netlist.net(aside, "A") in netlist.legs(ref) and aside not in c.drawn:
            c.draw(s.Dot())
            c.pen.push()
            c.add(aside, s.Diode().down(), "bottom")
            c.draw(s.Dot(open=True).label("VSYS (39)", loc="right"))
            c.pen.pop()
    c.draw(s.Line().right(0.8))
    bulk = c.one(supply.rail, c.ground, "capacitor")
    if bulk:
        c.draw(s.Dot())
        c.pen.push()
        c.add(bulk, s.Capacitor2().down(), "bottom")
        c.draw(s.Ground())
        c.pen.pop()
    c.draw(s.Line().right(1.0))
    c.draw(s.Dot(open=True).label("VM", loc="right"))
    for ref in netlist.of_kind("supply"):
        if "-" not in netlist.parts[ref].terminals:
            c.drawn.add(ref)  # a cable from socket to socket: nothing to draw


def drawers(board: Board) -> dict[str, Callable[[Circuit], None]]:
    """Who draws which section of this board."""
    found: dict[str, Callable[[Circuit], None]] = {
        "supply": draw_supply,
        "motor": draw_motor,
        "lid": lambda c: draw_switch(c, board.lid.pin),
        "button": lambda c: draw_switch(c, board.button.pin),
    }
    exit_sensor, hopper = board.exit_sensor, board.hopper_sensor
    beeper, light, low = board.beeper, board.light, board.low_battery
    if exit_sensor:
        found["exit_sensor"] = lambda c: draw_light_sensor(c, exit_sensor.pin, exit_sensor.emitter)
    if hopper:
        found["hopper_sensor"] = lambda c: draw_light_sensor(c, hopper.pin, hopper.emitter)
    if beeper:
        found["beeper"] = lambda c: draw_beeper(c, beeper.pin)
    if light:
        found["light"] = lambda c: draw_light(c, light.pin)
    if low:
        found["low_battery"] = lambda c: draw_low_battery(c, low.pin)
    return found
