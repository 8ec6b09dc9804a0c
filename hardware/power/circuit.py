"""Writes a build's wiring as a SPICE netlist: the supply, the motor, its driver, the computer.

Every resistor, capacitor, diode, fuse and switch of the wiring is in it, with its value from the
catalogue. What no data sheet of ours tells is a named assumption below. The motor of a toy that
has not been measured is replaced by the catalogue's stand-in, and the tables say so.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import exp

from hardware.board import Board
from hardware.netlist import Net, Netlist
from hardware.parts import Part, SupplyState, catalogue
from hardware.supply import MotorSupply

THERMAL_V = 0.02585
MOTOR_HENRY = 1e-3
"""Winding of a 130-size motor: 0.5 to 2 mH; a larger value makes the kick larger."""
SPIN_UPS = 3.0
"""A motor is at full speed after three time constants."""
LEVER_OHMS, SWITCH_OHMS = 0.05, 0.05
LEVER_OPENS_S = 2e-4
OPEN_OHMS = 1e8
PULL_OHMS = 50_000.0
"""The computer's pull-down while it boots."""
LEAK_A = 5e-6
"""Leakage into a pin's wire from a dead computer, damp and flux, on the careful side."""
PTC_COLD_C, PTC_TRIPPED_C = 23.0, 125.0
PTC_DOUBLE_C, PTC_DECADE_C = 105.0, 8.0
"""Resistance doubled at 105 °C and ten times as much each 8 °C more: the usual polymer's curve."""
UNDER_V, UNDER_HYSTERESIS_V, UNDER_SMOOTH_S = 0.1, 0.05, 1e-4
"""A driver chip switches itself off this far below its lowest supply."""
PIN_V, PIN_OHMS = 3.3, 50.0


class PowerCircuit:
    """A build as SPICE elements, its supply in one state. Times are set by the scenario.

    `drive` are SPICE source values for the motor's pins by role ("PWL(...)"), "boot" or "dead".
    `lid_opens_s` opens the lid switch of the motor's supply. `held` blocks the shaft. With
    `locks_out` False the driver does not switch itself off at low voltage: more current flows,
    which is the worse case where something must end it, and nothing is chopped into milliseconds.
    """

    def __init__(
        self,
        board: Board,
        state: SupplyState,
        drive: dict[str, str] | str,
        *,
        held: bool,
        lid_opens_s: float | None = None,
        locks_out: bool = True,
    ) -> None:
        assert board.wiring is not None
        self.board = board
        self.netlist = Netlist(board.wiring, board.computer)
        self.state = state
        self.drive = drive
        self.held = held
        self.lid_opens_s = lid_opens_s
        self.locks_out = locks_out
        self.source = self._motor_source()
        self._nodes: dict[Net, str] = {self.netlist.named("GND"): "0"}

    def node(self, ref: str, terminal: str) -> str:
        """The SPICE node of a terminal."""
        net = self.netlist.net(ref, terminal)
        return self._nodes.setdefault(net, f"n{len(self._nodes)}")

    def role_node(self, role: str) -> str:
        """The SPICE node at the driver's input for "forward", "backward" or "enable"."""
        driver = self.netlist.of_kind("driver")[0]
        return self.node(driver, self.netlist.parts[driver].inputs[role])

    @property
    def off_role(self) -> str:
        """The driver's input that keeps the motor off while nobody steers it."""
        return "enable" if self.board.motor.enable is not None else "forward"

    @property
    def computer_node(self) -> str | None:
        """Where the computer is fed, or None when by its own USB cable from elsewhere."""
        for name in ("VSYS", "5V"):
            net = self.netlist.named(name)
            if len(net) > 1:
                return self.node(self.netlist.computer, name)
        return None

    def text(self) -> str:
        """All elements, without title, analysis and measurements."""
        return "\n".join(self._elements())

    def _motor_source(self) -> str:
        return MotorSupply(self.netlist, self.board.measured).source

    def _elements(self) -> Iterator[str]:
        writers = {
            "supply": self._supply,
            "resistor": self._resistor,
            "capacitor": self._capacitor,
            "diode": self._diode,
            "fuse": self._fuse,
            "power-switch": self._switch,
            "lever-switch": self._lever,
            "driver": self._driver,
            "motor": self._motor,
        }
        yield ".model body D(IS=1e-9 RS=0.05)"
        for ref, part in self.netlist.parts.items():
            if part.kind in writers:
                yield from writers[part.kind](ref, part)
        yield from self._computer()
        yield from self._pins()

    def _supply(self, ref: str, part: Part) -> Iterator[str]:
        state = self.state if ref == self.source else part.states[0]
        if ref != self.source and len(part.states) > 1:
            state = part.states[-1]  # the other supply in its worst condition
        plus = self.node(ref, part.terminals[0])
        minus = self.node(ref, "-") if "-" in part.terminals else "0"
        if ref not in self._fed_refs():
            return
        yield f"V{ref} {ref}i {minus} DC {state.volts}"
        yield f"R{ref} {ref}i {plus} {state.ohms}"

    def _fed_refs(self) -> set[str]:
        """Supplies that reach the motor or the computer itself."""
        fed = {self.source}
        for ref in self.netlist.of_kind("supply"):
            if self.netlist.computer in {end.ref for end in self.netlist.legs(ref)[0]}:
                fed.add(ref)
        return fed

    def _resistor(self, ref: str, part: Part) -> Iterator[str]:
        yield f"R{ref} {self.node(ref, '1')} {self.node(ref, '2')} {part.ohms}"

    def _capacitor(self, ref: str, part: Part) -> Iterator[str]:
        one, other = (self.node(ref, name) for name in part.terminals)
        yield f"C{ref} {one} {ref}i {part.farads}"
        yield f"R{ref} {ref}i {other} {part.ohms or 0.02}"

    def _diode(self, ref: str, part: Part) -> Iterator[str]:
        current = 0.3 * (part.most_a or 1.0)
        saturation = current * exp(-(part.drop_v or 0.7) / THERMAL_V)
        yield f".model d{ref} D(IS={saturation:.4g} RS=0.05)"
        yield f"D{ref} {self.node(ref, 'A')} {self.node(ref, 'K')} d{ref}"

    def _fuse(self, ref: str, part: Part) -> Iterator[str]:
        """A polymer fuse: its heat is a node, in degrees; its resistance follows the heat."""
        one, other = self.node(ref, "1"), self.node(ref, "2")
        cold, watts = part.ohms or 0.1, part.trip_w or 1.0
        rise = PTC_TRIPPED_C - PTC_COLD_C
        leak = watts / rise
        test_w = (5 * (part.hold_a or 1.0)) ** 2 * cold  # the data sheet's test, at its slowest
        heat = (test_w - watts / 2) * (part.trip_s or 1.0) / rise
        decades = f"min((V({ref}t)-{PTC_DOUBLE_C})/{PTC_DECADE_C},4)"
        ohms = f"({cold}*(1+pow(10,{decades})))"
        yield f"V{ref} {one} {ref}a 0"
        yield f"B{ref} {ref}a {other} I=V({ref}a,{other})/{ohms}"
        yield f"B{ref}h 0 {ref}t I=V({ref}a,{other})*I(V{ref})"
        yield f"C{ref}h {ref}t 0 {heat:.4g} IC={PTC_COLD_C}"
        yield f"R{ref}h {ref}t {ref}c {1 / leak:.4g}"
        yield f"V{ref}c {ref}c 0 {PTC_COLD_C}"

    def _switch(self, ref: str, part: Part) -> Iterator[str]:
        yield f"R{ref} {self.node(ref, '1')} {self.node(ref, '2')} {SWITCH_OHMS}"

    def _lever(self, ref: str, part: Part) -> Iterator[str]:
        """C and NO are joined while the lid is shut."""
        one, other = self.node(ref, "C"), self.node(ref, "NO")
        if self.lid_opens_s is None:
            yield f"R{ref} {one} {other} {LEVER_OHMS}"
            return
        end = self.lid_opens_s
        yield f"V{ref} {ref}k 0 PWL(0 1 {end} 1 {end + LEVER_OPENS_S:.6f} 0)"
        yield f"B{ref} {one} {other} I=V({one},{other})*V({ref}k)/{LEVER_OHMS}"
        yield f"R{ref} {one} {other} {OPEN_OHMS}"

    def _driver(self, ref: str, part: Part) -> Iterator[str]:
        yield from self._bridge(ref, part) if part.power else self._transistor(ref, part)

    def _bridge(self, ref: str, part: Part) -> Iterator[str]:
        """Four switches with their diodes; off below the lowest supply."""
        rail, ground = self.node(ref, part.power), self.node(ref, "GND")
        half = (part.ohms or 0.4) / 2
        ins = {role: self.node(ref, name) for role, name in part.inputs.items()}
        awake = _high(ins["enable"]) if "enable" in ins else "1"
        low = (part.needs_v or 0.0) - UNDER_V
        yield f".model {ref}u SW(VT={low} VH={UNDER_HYSTERESIS_V} RON=100 ROFF={OPEN_OHMS})"
        yield f"V{ref}u {ref}p 0 1"
        if self.locks_out:
            yield f"S{ref}u {ref}p {ref}q {rail} {ground} {ref}u"
        else:
            yield f"R{ref}p {ref}p {ref}q 1"
        yield f"R{ref}u {ref}q 0 10k"
        yield from _smooth(f"{ref}v", f"V({ref}q)", UNDER_SMOOTH_S)
        for role, other in (("forward", "backward"), ("backward", "forward")):
            out, name = self.node(ref, part.outputs[role]), f"{ref}{role[0]}"
            mine, theirs = _high(ins[role]), _high(ins[other])
            yield from _smooth(f"{name}h", f"{mine}*(1-{theirs})*{awake}*V({ref}v)")
            yield from _smooth(f"{name}l", f"{theirs}*{awake}*V({ref}v)")
            yield f"B{name}hs {rail} {out} I=V({rail},{out})*V({name}h)/{half}"
            yield f"B{name}ls {out} {ground} I=V({out},{ground})*V({name}l)/{half}"
            yield f"D{name}h {out} {rail} body"
            yield f"D{name}l {ground} {out} body"

    def _transistor(self, ref: str, part: Part) -> Iterator[str]:
        gate, drain, source = (self.node(ref, name) for name in ("G", "D", "S"))
        on = f"1/(1+exp((2-V({gate},{source}))*40))"
        yield from _smooth(f"{ref}g", on)
        yield f"B{ref} {drain} {source} I=V({drain},{source})*V({ref}g)/{part.ohms}"
        yield f"D{ref} {source} {drain} body"
        yield f"C{ref} {gate} {source} 1.7n"

    def _motor(self, ref: str, part: Part) -> Iterator[str]:
        """Winding, and a speed that is written as the voltage it makes (back-EMF)."""
        ohms, free = self.motor_values()
        plus, minus = self.node(ref, "+"), self.node(ref, "-")
        yield f"V{ref} {plus} {ref}a 0"
        yield f"R{ref} {ref}a {ref}b {ohms}"
        yield f"L{ref} {ref}b {ref}c {MOTOR_HENRY}"
        yield f"R{ref}l {ref}b {ref}c 1000"
        if self.held:
            yield f"V{ref}e {ref}c {minus} 0"
            return
        tau = self.board.feed.spin_up_ms / 1000 / SPIN_UPS
        yield f"B{ref}e {ref}c {minus} V=V({ref}e)"
        yield f"B{ref}m 0 {ref}e I=I(V{ref})-{free}*tanh(V({ref}e)/0.05)"
        yield f"C{ref}m {ref}e 0 {tau / ohms:.6g} IC=0"
        yield f"R{ref}m {ref}e 0 1e6"

    def motor_values(self) -> tuple[float, float]:
        """Winding resistance and free current: measured, else of the part or its stand-in."""
        part = self.netlist.parts[self.netlist.of_kind("motor")[0]]
        known = catalogue()[part.stand_in] if part.stand_in else part
        measured = self.board.measured
        ohms = measured.motor_ohms or known.ohms
        free = measured.motor_free_a or known.free_a
        assert ohms is not None and free is not None
        return ohms, free

    def _computer(self) -> Iterator[str]:
        ref = self.netlist.computer
        node = self.computer_node
        high = self.node(ref, "3V3")
        yield f"V{ref}h {high} 0 {PIN_V}"
        if node is not None:
            load = self.netlist.parts[ref].load_a
            yield f"I{ref} {node} 0 {load}"

    def _pins(self) -> Iterator[str]:
        for role in ("forward", "backward", "enable"):
            number = getattr(self.board.motor, role)
            if number is None:
                continue
            ref = self.netlist.computer
            node = self.node(ref, f"{self.netlist.header.prefix}{number}")
            if self.drive in ("boot", "dead"):
                pull = PULL_OHMS if self.drive == "boot" else OPEN_OHMS
                yield f"R{role} {node} 0 {pull}"
                yield f"I{role} 0 {node} {LEAK_A}"
            else:
                assert isinstance(self.drive, dict)
                yield f"V{role} {role}v 0 {self.drive.get(role, 'DC 0')}"
                yield f"R{role} {role}v {node} {PIN_OHMS}"


def _high(node: str) -> str:
    """1 while a driver's input is high, 0 while low, without a step that stops the solver."""
    return f"(1/(1+exp((1.5-V({node}))*40)))"


def _smooth(node: str, value: str, seconds: float = 2e-6) -> Iterator[str]:
    """A node that follows a value with a short delay."""
    yield f"B{node} {node}x 0 V={value}"
    yield f"R{node} {node}x {node} 1k"
    yield f"C{node} {node} 0 {seconds / 1000:.4g}"
