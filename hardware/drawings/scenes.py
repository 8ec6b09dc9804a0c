"""Drawings of what hands do: what is inside a toy, what is measured how, where the switches and
sensors sit, how a feeder is built. The same for every build; they stand in place of photos.

They show the principle. Real toys look different, and nothing in them is to scale.
"""

from __future__ import annotations

from collections.abc import Callable

from hardware.drawings.canvas import A4_WIDTH, Box, Canvas

WIDTH = A4_WIDTH - 56.0  # as wide as a page's text
CASE, PART, RUBBER, CARD, METER = "#f0ede6", "#ffffff", "#b8b8b8", "#ffffff", "#e4e4e4"
CARDS_Y = 106.0


def inside() -> Canvas:
    """A section through a toy launcher: what is where, what stays and what goes."""
    c = Canvas(WIDTH, 352)
    c.text(0, 15, "Inside a toy launcher, from the side. Yours may look different.", 13, bold=True)
    _case(c)
    _cells(c, 250, 248)
    c.rect(Box(404, 292, 40, 9), PART)
    c.rect(Box(470, 216, 62, 34), "#dcdcdc")
    c.circle(500, 272, 13, "#dcdcdc")
    c.circle(500, 272, 5, "#dcdcdc")
    c.rect(Box(448, 88, 16, 12), "#dcdcdc")
    keep, goes = "keep", "goes"
    left = [
        ("lid", keep, 80, (232, 76)),
        ("hopper with cards, face down", keep, 126, (246, 130)),
        ("motor", keep, 192, (296, 192)),
        ("battery box, three C cells", keep, 248, (222, 248)),
        ("slide switch, under the base", keep, 312, (402, 298)),
    ]
    right = [
        ("button", keep, 48, (512, 62)),
        ("old lid switch", goes, 94, (466, 94)),
        ("slot", keep, 152, (556, 152)),
        ("rubber roller, turned by the motor", keep, 192, (430, 182)),
        ("circuit board", goes, 233, (534, 233)),
        ("loudspeaker", goes, 274, (515, 274)),
    ]
    for words, fate, y, (x, end_y) in left:
        _label(c, words, fate, 176, y, x, end_y, "end")
    for words, fate, y, (x, end_y) in right:
        _label(c, words, fate, 596, y, x, end_y, "start")
    c.arrow(566, 132, 626, 132, 2.5)
    c.text(632, 136, "cards come out", 10)
    return c


def _label(
    c: Canvas, words: str, fate: str, x: float, y: float, to_x: float, to_y: float, anchor: str
) -> None:
    """Words at the side with a thin line to the thing, and below them whether it stays."""
    side = -1 if anchor == "end" else 1
    c.text(x, y, words if len(words) < 26 else words.partition(",")[0] + ",", 10, anchor=anchor)
    rest = words.partition(", ")[2] if len(words) >= 26 else ""
    if rest:
        c.text(x, y + 12, rest, 10, anchor=anchor)
    mark = "✓ stays" if fate == "keep" else "✗ goes"
    c.text(x, y + (24 if rest else 12), mark, 10, anchor=anchor, bold=True)
    c.line(x - side * 4, y - 4, to_x, to_y, "#555555", 1)


def _case(c: Canvas) -> None:
    """The case with hopper, lid, roller, motor and slot."""
    c.shape([(212, 90), (556, 90), (556, 292), (212, 292)], CASE, width=2)
    c.line(556, 142, 556, 156, CASE, 4)  # the slot
    c.rect(Box(226, CARDS_Y, 220, 46), CARD)
    for number in range(1, 9):
        y = CARDS_Y + 5 * number
        c.line(226, y, 446, y, "#777777", 0.7)
    c.rect(Box(226, CARDS_Y + 41, 326, 5), CARD, width=1.5)  # the lowest card on its way out
    c.rect(Box(212, 74, 250, 10), PART, width=1.5)
    c.circle(216, 87, 3, "#000000")
    c.shape([(458, 84), (466, 84), (466, 94), (462, 94)], PART)
    c.circle(404, 180, 27, RUBBER)
    c.circle(404, 180, 5, PART)
    c.rect(Box(296, 174, 62, 38), PART)
    c.text(327, 197, "M", 12, anchor="middle", bold=True)
    c.line(358, 193, 404, 180, "#555555", 3)
    c.shape([(490, 90), (494, 70), (534, 70), (538, 90)], PART)


def _cells(c: Canvas, x: float, y: float) -> None:
    """Three cells, seen from their ends."""
    for number in range(3):
        c.circle(x + 46 * number, y, 22, PART)
        c.circle(x + 46 * number, y, 7, "#dcdcdc")


# --- measuring ------------------------------------------------------------------------------------


def measure() -> Canvas:
    """Five small pictures: how the meter is set and where its tips go."""
    half, high = WIDTH / 2, 178.0
    c = Canvas(WIDTH, 3 * high + 8)
    for number, (title, draw) in enumerate(MEASURES):
        x, y = (number % 2) * half, (number // 2) * high
        c.text(x, y + 15, f"{number + 1}. {title}", 12, bold=True)
        draw(c, x, y + 26)
    for number, words in enumerate(AFTERWARDS):
        c.text(half + 8, 2 * high + 60 + 18 * number, words, 11)
    return c


AFTERWARDS = (
    "The numbers are examples: yours differ.",
    "After each: cells out, power off.",
    "After 4: the red lead back into the V socket.",
)


def _meter(c: Canvas, x: float, y: float, setting: str, shows: str) -> None:
    """A multimeter with its setting and what it shows; its leads begin below, at + 20 and + 50."""
    c.rect(Box(x, y, 70, 92), METER, width=1.5, radius=6)
    c.rect(Box(x + 8, y + 8, 54, 22), "#ffffff")
    c.text(x + 35, y + 24, shows, 11, anchor="middle", bold=True)
    c.circle(x + 35, y + 48, 12)
    c.line(x + 35, y + 48, x + 35, y + 37, width=2)
    c.text(x + 35, y + 76, setting, 10, anchor="middle", bold=True)
    c.dot(x + 20, y + 86)
    c.dot(x + 50, y + 86)


def _lead(c: Canvas, x: float, y: float, points: list[tuple[float, float]], colour: str) -> None:
    """One of the meter's leads, with its tip at the last point."""
    stroke = {"red": "#d0021b", "black": "#000000"}[colour]
    c.shape([(x, y), *points], stroke="#000000", width=3.5, closed=False)
    c.shape([(x, y), *points], stroke=stroke, width=2, closed=False)
    c.circle(*points[-1], 3, "#000000")


def _motor(c: Canvas, x: float, y: float) -> None:
    """A motor with its two wires at the left and its roller at the right."""
    c.rect(Box(x, y, 56, 44), PART, width=1.5, radius=3)
    c.text(x + 28, y + 27, "M", 13, anchor="middle", bold=True)
    c.line(x + 56, y + 22, x + 76, y + 22, width=3)
    c.rect(Box(x + 76, y + 2, 16, 40), RUBBER)


def _battery_wires(c: Canvas, x: float, y: float) -> None:
    _meter(c, x + 8, y + 12, "20 V  DC", "4.5")
    _cells(c, x + 232, y + 60)
    c.rect(Box(x + 204, y + 32, 148, 56), width=1.5, radius=4)
    c.shape([(x + 204, y + 48), (x + 172, y + 48)], width=2, closed=False)
    c.shape([(x + 204, y + 76), (x + 172, y + 76)], width=2, closed=False)
    _lead(c, x + 58, y + 98, [(x + 58, y + 116), (x + 130, y + 116), (x + 172, y + 48)], "red")
    _lead(c, x + 28, y + 98, [(x + 28, y + 132), (x + 172, y + 132), (x + 172, y + 76)], "black")
    c.text(x + 204, y + 106, "no minus sign: the red tip is on +", 9)


def _motor_ohms(c: Canvas, x: float, y: float) -> None:
    _meter(c, x + 8, y + 12, "200 Ω", "3.9")
    _motor(c, x + 220, y + 40)
    c.shape([(x + 220, y + 52), (x + 176, y + 52)], width=2, closed=False)
    c.shape([(x + 220, y + 74), (x + 176, y + 74)], width=2, closed=False)
    _lead(c, x + 58, y + 98, [(x + 58, y + 116), (x + 130, y + 116), (x + 176, y + 52)], "red")
    _lead(c, x + 28, y + 98, [(x + 28, y + 132), (x + 176, y + 132), (x + 176, y + 74)], "black")
    c.arrow(x + 330, y + 84, x + 330, y + 40)
    c.text(x + 190, y + 106, "turn it slowly, note the least", 9)


def _motor_way(c: Canvas, x: float, y: float) -> None:
    c.rect(Box(x + 20, y + 58, 84, 30), PART, width=1.5, radius=3)
    c.rect(Box(x + 104, y + 66, 7, 14), "#000000")
    c.text(x + 56, y + 78, "1.5 V", 11, anchor="middle", bold=True)
    c.text(x + 113, y + 58, "+", 13, bold=True)
    _motor(c, x + 220, y + 52)
    c.shape([(x + 111, y + 73), (x + 160, y + 64), (x + 220, y + 64)], width=2, closed=False)
    c.shape(
        [(x + 20, y + 73), (x + 10, y + 73), (x + 10, y + 108), (x + 160, y + 108)],
        width=2,
        closed=False,
    )
    c.shape([(x + 160, y + 108), (x + 190, y + 86), (x + 220, y + 86)], width=2, closed=False)
    c.text(x + 122, y + 46, "this wire is + if the card comes out", 9)
    c.rect(Box(x + 292, y + 46, 60, 5), CARD, width=1.5)
    c.arrow(x + 322, y + 34, x + 356, y + 34)


def _motor_free(c: Canvas, x: float, y: float) -> None:
    _meter(c, x + 8, y + 12, "10 A  DC", "0.07")
    _cells(c, x + 150, y + 34)
    c.text(x + 272, y + 26, "+", 13, bold=True)
    _motor(c, x + 236, y + 74)
    c.shape(
        [(x + 264, y + 34), (x + 352, y + 34), (x + 352, y + 132), (x + 58, y + 132)],
        width=2,
        closed=False,
    )
    c.shape([(x + 58, y + 132), (x + 58, y + 98)], stroke="#d0021b", width=2, closed=False)
    c.shape([(x + 28, y + 98), (x + 28, y + 114), (x + 200, y + 114)], width=2, closed=False)
    c.shape([(x + 200, y + 114), (x + 200, y + 108), (x + 236, y + 108)], width=2, closed=False)
    c.shape(
        [(x + 236, y + 86), (x + 214, y + 86), (x + 214, y + 66), (x + 116, y + 66)],
        width=2,
        closed=False,
    )
    c.shape([(x + 116, y + 66), (x + 116, y + 34), (x + 128, y + 34)], width=2, closed=False)
    c.text(x + 72, y + 148, "two seconds, no cards, red lead in the 10 A socket", 9)


def _button(c: Canvas, x: float, y: float) -> None:
    _meter(c, x + 8, y + 12, "beep ♪", "0.2")
    c.rect(Box(x + 232, y + 58, 96, 30), PART, width=1.5, radius=3)
    c.rect(Box(x + 250, y + 48, 60, 10), "#dcdcdc", width=1.5, radius=3)
    c.arrow(x + 280, y + 14, x + 280, y + 46, 2.5)
    c.text(x + 290, y + 28, "press", 10)
    c.shape([(x + 232, y + 66), (x + 190, y + 66)], width=2, closed=False)
    c.shape([(x + 232, y + 80), (x + 190, y + 80)], width=2, closed=False)
    _lead(c, x + 58, y + 98, [(x + 58, y + 116), (x + 130, y + 116), (x + 190, y + 66)], "red")
    _lead(c, x + 28, y + 98, [(x + 28, y + 132), (x + 190, y + 132), (x + 190, y + 80)], "black")
    c.text(x + 204, y + 106, "it beeps only while you press", 9)


MEASURES: tuple[tuple[str, Callable[[Canvas, float, float], None]], ...] = (
    ("Battery wires", _battery_wires),
    ("Motor, resistance", _motor_ohms),
    ("Motor, direction", _motor_way),
    ("Motor, free current", _motor_free),
    ("Button", _button),
)


# --- mounting -------------------------------------------------------------------------------------


def lid_switches() -> Canvas:
    """Both lever switches with the lid shut and with the lid open."""
    c = Canvas(WIDTH, 196)
    for x, is_open in ((0.0, False), (WIDTH / 2, True)):
        state = "open: levers up" if is_open else "shut: levers down"
        c.text(x, 15, f"Lid {state}", 12, bold=True)
        lid = [(x + 30, 58), (x + 330, 58), (x + 330, 68), (x + 30, 68)]
        if is_open:
            lid = [(x + 30, 58), (x + 316, 26), (x + 317, 36), (x + 30, 68)]
        c.shape(lid, PART)
        c.circle(x + 30, 63, 4, "#000000")
        for ref, left in (("S3", x + 84), ("S2", x + 206)):
            _lever(c, ref, left, is_open)
        words = "C and NO: no beep" if is_open else "C and NO: beep"
        c.text(x + 30, 188, words, 10, bold=True)
        c.text(x + 170, 188, "NC stays free", 10)
    return c


def _lever(c: Canvas, ref: str, x: float, is_up: bool) -> None:
    """A lever switch from the side: its lever, its body, its three legs."""
    c.rect(Box(x, 92, 92, 40), PART, width=1.5, radius=2)
    c.text(x + 46, 117, ref, 12, anchor="middle", bold=True)
    tip = 66 if is_up else 72
    c.line(x + 6, 90, x + 90, tip if is_up else 84, width=2.5)
    c.rect(Box(x + 56, 84 if is_up else 88, 8, 8 if is_up else 4), "#000000")
    if not is_up:
        c.line(x + 84, 68, x + 84, 84, width=4)  # a foot of the lid pushes the lever
    for number, name in enumerate(("C", "NO", "NC")):
        leg = x + 14 + 32 * number
        c.line(leg, 132, leg, 148, width=3)
        c.text(leg, 162, name, 10, anchor="middle", bold=name != "NC")


def exit_sensor() -> Canvas:
    """The fork at the edge of the slot, from the front and from above."""
    c = Canvas(WIDTH, 226)
    c.text(0, 15, "From the front: an edge passes the fork", 12, bold=True)
    c.rect(Box(20, 112, 250, 5), CARD, width=1.5)
    c.text(60, 104, "card", 10)
    c.shape(
        [
            (230, 76),
            (322, 76),
            (322, 152),
            (230, 152),
            (230, 132),
            (292, 132),
            (292, 96),
            (230, 96),
        ],
        "#dcdcdc",
    )
    c.line(252, 96, 252, 132, "#000000", 1)
    c.text(240, 68, "light", 10)
    c.text(240, 168, "eye", 10)
    c.text(60, 140, "2 mm free above and below", 10)
    for number, name in enumerate("AKCE"):
        y = 84 + 20 * number
        c.line(322, y, 336, y, width=2)
        c.text(341, y + 4, name, 10, bold=True)
    c.text(20, 198, "A, K: the light. C, E: the eye. The letters are on", 10)
    c.text(20, 212, "the body, or in its data sheet.", 10)
    x = WIDTH / 2 + 20
    c.text(x, 15, "From above: half out, still in the beam", 12, bold=True)
    c.rect(Box(x + 112, 40, 14, 140), CASE, width=1.5)
    c.text(x + 132, 176, "slot", 10)
    c.rect(Box(x + 6, 58, 150, 98), CARD, width=1.5)
    c.text(x + 66, 100, "card", 10)
    c.arrow(x + 160, 107, x + 206, 107, 2)
    c.rect(Box(x + 44, 128, 40, 40), "none", width=1.5, dash="4 3")
    c.dot(x + 64, 146, 5)
    c.text(x + 88, 146, "beam", 10)
    c.text(x + 6, 188, "fork, inside the case", 10)
    return c


def hopper_sensor() -> Canvas:
    """The sensor below the floor of the hopper, in section."""
    c = Canvas(WIDTH, 168)
    c.text(0, 15, "Below the floor of the hopper, from the side", 12, bold=True)
    for number in range(4):
        c.rect(Box(120, 44 + 6 * number, 420, 5), CARD, width=1)
    c.text(556, 56, "cards", 10)
    c.rect(Box(60, 70, 220, 12), CASE, width=1.5)
    c.rect(Box(392, 70, 208, 12), CASE, width=1.5)
    c.text(610, 80, "floor", 10)
    c.rect(Box(296, 96, 68, 30), "#dcdcdc", width=1.5, radius=2)
    c.circle(314, 96, 5)
    c.circle(346, 96, 5)
    c.arrow(314, 90, 326, 69)
    c.arrow(334, 69, 346, 90)
    for number, name in enumerate("AKCE"):
        leg = 304 + 17 * number
        c.line(leg, 126, leg, 138, width=2)
        c.text(leg, 151, name, 10, anchor="middle", bold=True)
    c.line(378, 67, 378, 96, "#555555", 1)
    c.line(372, 67, 384, 67, "#555555", 1)
    c.line(366, 96, 384, 96, "#555555", 1)
    c.text(388, 100, "2 to 4 mm from sensor to card", 10)
    return c


def feeder() -> Canvas:
    """A section through a feeder of one's own, with the sizes that matter."""
    c = Canvas(WIDTH, 300)
    c.text(0, 15, "A feeder from the side, not to scale", 12, bold=True)
    floor = [(120, 196), (520, 226), (520, 236), (120, 206)]
    c.shape(floor, CASE)
    for number in range(9):
        x, y = 158 + 0.5 * number, 193.5 - 7 * number
        c.shape([(x, y), (x + 290, y + 21.75), (x + 290, y + 26.75), (x, y + 5)], CARD, width=1)
    c.shape([(160, 109), (452, 131), (452, 158), (160, 136)], "#dcdcdc")
    c.text(300, 138, "weight, 50 to 100 g", 10, anchor="middle")
    c.rect(Box(140, 66, 12, 132), CASE, width=1.5)
    c.rect(Box(456, 66, 12, 132), CASE, width=1.5)
    c.shape([(462, 198), (472, 198), (472, 217), (466, 217)], RUBBER)
    c.rect(Box(132, 48, 350, 12), PART, width=1.5)
    c.text(300, 42, "lid, with S2 and S3 below it", 10, anchor="middle")
    c.circle(420, 244, 26, RUBBER)
    c.circle(420, 244, 5, PART)
    c.text(386, 284, "roller, 20 to 30 mm, 1 mm above the floor", 10, anchor="middle")
    c.rect(Box(300, 236, 56, 34), PART)
    c.text(328, 257, "M", 12, anchor="middle", bold=True)
    c.line(356, 252, 420, 244, "#555555", 3)
    c.arrow(528, 218, 590, 223, 2.5)
    c.text(596, 228, "card comes out", 10)
    c.line(478, 206, 560, 176, "#555555", 1)
    c.text(564, 170, "retainer, adjustable:", 10)
    c.text(564, 183, "a gap of 0.5 mm", 10)
    c.text(36, 150, "hopper,", 10)
    c.text(36, 163, "1 mm wider", 10)
    c.text(36, 176, "than a card", 10)
    c.text(120, 224, "floor, falls by", 10)
    c.text(120, 237, "10 to 15 degrees", 10)
    return c


SCENES: dict[str, Callable[[], Canvas]] = {
    "inside": inside,
    "measure": measure,
    "lid-switches": lid_switches,
    "exit-sensor": exit_sensor,
    "hopper-sensor": hopper_sensor,
    "feeder": feeder,
}
"""Every picture by the name of its file."""
