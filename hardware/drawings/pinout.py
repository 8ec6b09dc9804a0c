"""Draws a computer's header as people hold it, with every wire of a build at its pin."""

from __future__ import annotations

from typing import NamedTuple

from hardware.board import Board
from hardware.drawings.canvas import A4_WIDTH, COLOURS, Box, Canvas
from hardware.header import Header, HeaderPin, load_header

STEP, TOP, HALF_GAP = 27, 74, 60
MIDDLE = A4_WIDTH / 2
ENDS = {"zigzag": ("SD card", "USB sockets"), "around": ("USB socket", "")}
"""What is at the upper and the lower end of the header, held upright."""
USES = {
    "motor.forward": "motor forward",
    "motor.backward": "motor backward",
    "motor.enable": "motor enable",
    "button": "button",
    "lid": "lid switch",
    "exit_sensor": "exit sensor",
    "exit_sensor.emitter": "exit sensor light",
    "hopper_sensor": "hopper sensor",
    "hopper_sensor.emitter": "hopper light",
    "beeper": "beeper",
    "light": "status light",
    "low_battery": "low battery",
    "low_battery.emitter": "low battery",
}


EVENTS = {
    "button": "pressed",
    "lid": "open",
    "exit_sensor": "card in slot",
    "hopper_sensor": "cards in hopper",
    "low_battery": "battery low",
}
EFFECTS = {"motor.forward": "runs", "motor.backward": "runs", "motor.enable": "awake"}


class PinUse(NamedTuple):
    """What one position of the header is for in a build; `colour` is its wire's, or ""."""

    pin: HeaderPin
    use: str
    colour: str


def pin_uses(board: Board) -> dict[int, PinUse]:
    """Every position of the header that a build uses, by position."""
    header = load_header(board.computer)
    colours, rails = _wires_at(board, header)
    uses: dict[int, PinUse] = {}
    for role, number in board.pins().items():
        pin = header.gpio(number)
        if pin is not None:
            uses[pin.at] = PinUse(pin, USES[role], colours.get(pin.at, ""))
    for at, use in rails.items():
        uses[at] = PinUse(header.pins[at - 1], use, colours[at])
    return dict(sorted(uses.items()))


def ends(header: Header) -> tuple[str, str]:
    """What tells the upper and the lower end of the header apart; "" for nothing."""
    return ENDS[header.layout]


class PinFact(NamedTuple):
    """What is known of one role's pin: what its level means, its pull, its level at boot."""

    role: str
    level: str
    pull: str
    boot: str


def pin_facts(board: Board) -> dict[int, PinFact]:
    """The facts of every pin that the board uses, by position on the header."""
    header = load_header(board.computer)
    facts = {}
    for role, number in board.pins().items():
        pin = header.gpio(number)
        if pin is not None:
            facts[pin.at] = PinFact(role, _meaning(board, role), _pull(board, role), pin.boot or "")
    return dict(sorted(facts.items()))


def _meaning(board: Board, role: str) -> str:
    """What the level of a pin says or does, in words."""
    if role in EVENTS:
        device = getattr(board, role)
        return f"{_level(device.active_high)} = {EVENTS[role]}"
    if role == "beeper" and board.beeper is not None and board.beeper.kind == "passive":
        return "tones"
    return f"high = {EFFECTS.get(role, 'on')}"


def _pull(board: Board, role: str) -> str:
    return getattr(board, role).pull if role in EVENTS else ""


def _level(high: bool) -> str:
    return "high" if high else "low"


def _wires_at(board: Board, header: Header) -> tuple[dict[int, str], dict[int, str]]:
    """Wire colours by position, and what the power positions lead to."""
    colours: dict[int, str] = {}
    rails: dict[int, str] = {}
    sections = board.wiring.sections() if board.wiring else {}
    for section in sections.values():
        for wire in section.wires:
            for end, other in ((wire.start, wire.end), (wire.end, wire.start)):
                ref, _, name = end.partition(".")
                positions = header.positions(name) if ref == "U1" else []
                if positions:
                    colours[positions[0]] = wire.colour
                    if header.pins[positions[0] - 1].boot is None:
                        rails[positions[0]] = _lead(other)
    return colours, rails


def _lead(end: str) -> str:
    """Where a power pin's wire leads: a strip's name has no dot."""
    ref, _, name = end.partition(".")
    return f"to {ref} ({name})" if name else f"{end} strip"


def pinout_drawing(board: Board) -> Canvas:
    """The header of a build's computer, upright on the width of an A4 page."""
    header = load_header(board.computer)
    rows = header.rows()
    uses = pin_uses(board)
    canvas = Canvas(A4_WIDTH, TOP + STEP * len(rows) + 40)
    canvas.text(28, 24, f"{board.title}: the header", 18, bold=True)
    _draw_outline(canvas, header, len(rows))
    for index, pair in enumerate(rows):
        y = TOP + STEP * index + STEP / 2
        for side, pin in zip((-1, 1), pair, strict=True):
            _draw_pin(canvas, pin, uses.get(pin.at), side, y, _spread(header))
    return canvas


def _spread(header: Header) -> float:
    """Half the distance between the two rows of pins: a Pico is wide, a Pi's header narrow."""
    return 17.0 if header.layout == "zigzag" else float(HALF_GAP)


def _draw_outline(canvas: Canvas, header: Header, rows: int) -> None:
    half = _spread(header) + 20
    body = Box(MIDDLE - half, TOP - 6, 2 * half, STEP * rows + 12)
    canvas.rect(body, "#eef3ee", "#555555", width=1.5, radius=6)
    above, below = ends(header)
    canvas.text(MIDDLE, TOP - 14, f"↑ {above}", 10, anchor="middle")
    if below:
        canvas.text(MIDDLE, body.y + body.height + 16, f"↓ {below}", 10, anchor="middle")
        canvas.text(body.x + body.width + 150, TOP - 14, "edge of the Pi →", 10)


def _draw_pin(
    canvas: Canvas, pin: HeaderPin, use: PinUse | None, side: int, y: float, spread: float
) -> None:
    x = MIDDLE + side * spread
    anchor = "start" if side > 0 else "end"
    edge = MIDDLE + side * (spread + 20)
    canvas.rect(Box(x - 11, y - 10, 22, 20), "#ffffff" if use else "#d8d8d8", radius=3)
    canvas.text(x, y + 4, str(pin.at), 10, anchor="middle", bold=use is not None)
    name_x = edge + side * 8
    if use is None:
        canvas.text(name_x, y + 4, pin.name, 10, anchor=anchor, fill="#666666")
        return
    canvas.text(name_x, y + 4, pin.name, 11, anchor=anchor, bold=True)
    start = edge + side * 78
    if use.colour:
        end = start + side * 46
        canvas.wire(start, end, y, use.colour)
        words = f"{use.colour}: {use.use}" if use.colour in COLOURS else use.use
        canvas.text(end + side * 7, y + 4, words, 11, anchor=anchor)
    else:
        canvas.text(start, y + 4, use.use, 11, anchor=anchor)
