"""Where everything of one section's picture is: rows, columns, wires, in pixels."""

from __future__ import annotations

from hardware.drawings.canvas import CHARACTER, Box
from hardware.drawings.rows import Row, SectionRows
from hardware.netlist import Netlist

TAG_WIDTH, PIN_WIRE = 104, 66
BOARD_X = TAG_WIDTH + PIN_WIRE
NAME_WIDTH = 40
TOP, ROW_STEP, LINE_STEP = 48, 38, 18
SMALL, MODULE = 62, 104
SMALL_TEXT = 23
OUT_WIRE = 76
DEVICE_WIDTH, DEVICE_GAP = 130, 22


class Geometry:
    """Positions of one section's rows and parts; nothing is drawn."""

    def __init__(self, netlist: Netlist, plan: SectionRows) -> None:
        self.netlist = netlist
        self.plan = plan
        self.row_y: list[float] = []
        self.line_y: dict[tuple[int, int], float] = {}
        self.height = self._place_rows()
        self.column_x: dict[str, float] = {}
        self.board_right = self._place_columns()
        self.small_x: dict[str, float] = {}
        self.device_x = self._place_small_outside()
        self.column_of = self._device_columns()
        columns = max(self.column_of.values(), default=-1) + 1
        self.width = self.device_x + columns * (DEVICE_WIDTH + DEVICE_GAP)

    def is_module(self, ref: str) -> bool:
        """Whether a part on the strip board is drawn as a block with named terminals."""
        return len(self.netlist.parts[ref].terminals) > 2

    def board(self) -> Box | None:
        """The strip board, or None where the section needs none."""
        rows = [index for index, row in enumerate(self.plan.rows) if row.on_board]
        if not rows:
            return None
        top, bottom = self.row_y[rows[0]], self._last_line(rows[-1])
        return Box(BOARD_X, top - 17, self.board_right - BOARD_X, bottom - top + 34)

    def device_left(self, ref: str) -> float:
        """The left edge of a thing outside."""
        return self.device_x + self.column_of[ref] * (DEVICE_WIDTH + DEVICE_GAP)

    def device_ys(self, ref: str) -> list[float]:
        """Where the wires of a thing outside are."""
        return [
            self.line_y[index, number]
            for index, row in enumerate(self.plan.rows)
            for number, (end, _) in enumerate(row.outside)
            if end.ref == ref
        ]

    def inner_and_outer(self, row: Row) -> tuple[str, str]:
        """The things nearest to and farthest from the strip board on a row."""
        refs = sorted((end.ref for end, _ in row.outside), key=lambda ref: self.column_of[ref])
        return refs[0], refs[-1]

    def _place_rows(self) -> float:
        y = float(TOP)
        for index, row in enumerate(self.plan.rows):
            self.row_y.append(y)
            for number in range(len(row.outside)):
                self.line_y[index, number] = y + (LINE_STEP * number if row.on_board else 0)
            y = self._last_line(index) + ROW_STEP
        return y - ROW_STEP + 24

    def _last_line(self, index: int) -> float:
        row = self.plan.rows[index]
        more = len(row.outside) - 1 if row.on_board else 0
        return self.row_y[index] + LINE_STEP * max(0, more)

    def _place_columns(self) -> float:
        if not any(row.on_board for row in self.plan.rows):
            return BOARD_X
        x = float(BOARD_X + NAME_WIDTH)
        for ref in self.plan.on_board:
            self.column_x[ref] = x
            x += MODULE if self.is_module(ref) else self._small_width(ref)
        return x

    def _small_width(self, ref: str) -> float:
        text = len(self.netlist.parts[ref].short) * 9 * CHARACTER
        return max(SMALL, SMALL_TEXT + text + 6)

    def _place_small_outside(self) -> float:
        x = self.board_right + OUT_WIRE
        for ref in self.plan.outside_small:
            self.small_x[ref] = x
            x += self._small_width(ref) + 12
        return x

    def _device_columns(self) -> dict[str, int]:
        """Things outside, the ones with short reach nearest to the board."""
        columns: dict[str, int] = {}
        reach = {ref: self.device_ys(ref) for ref in self.plan.outside}
        for ref in sorted(reach, key=lambda ref: max(reach[ref]) - min(reach[ref])):
            taken = {
                place
                for other, place in columns.items()
                if _collide(reach[ref], reach[other], ROW_STEP - 2)
            }
            columns[ref] = next(place for place in range(len(reach)) if place not in taken)
        return columns


def _collide(ys: list[float], others: list[float], gap: float) -> bool:
    return min(ys) - gap < max(others) and min(others) - gap < max(ys)
