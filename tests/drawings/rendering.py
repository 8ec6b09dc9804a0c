"""Renders SVG text as a printer does, and finds where its texts really are."""

from __future__ import annotations

import io
import re
import subprocess
from collections.abc import Iterator
from xml.etree import ElementTree

from PIL import Image, ImageFont

SVG = "{http://www.w3.org/2000/svg}"
DOTS_PER_PIXEL = 2  # 192 dots per inch

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""
Placed = tuple[Box, str]
"""A text and where it is."""


def rendered(svg: str) -> Image.Image:
    """The picture in shades of grey, as a printer without colours shows it."""
    png = subprocess.run(
        ["rsvg-convert", "--zoom", str(DOTS_PER_PIXEL)],
        input=svg.encode(),
        capture_output=True,
        check=True,
    ).stdout
    return Image.open(io.BytesIO(png)).convert("L")


def without_texts(svg: str) -> str:
    """The picture with nothing written in it."""
    return re.sub(r"<text.*?</text>", "", svg, flags=re.DOTALL)


def text_boxes(svg: str) -> list[Placed]:
    """Every text with the box it takes in the font DejaVu Sans, in the picture's own pixels."""
    return list(_walk(ElementTree.fromstring(svg), 0.0, 0.0, 1.0))


def _walk(node: ElementTree.Element, x: float, y: float, scale: float) -> Iterator[Placed]:
    for child in node:
        if child.tag == f"{SVG}g":
            dx, dy, factor = _transform(child.get("transform", ""))
            yield from _walk(child, x + dx * scale, y + dy * scale, scale * factor)
        elif child.tag == f"{SVG}svg":
            left, top, width, _ = (float(part) for part in child.get("viewBox", "").split())
            factor = scale * float(child.get("width", "0")) / width
            ox, oy = float(child.get("x", "0")) * scale, float(child.get("y", "0")) * scale
            yield from _walk(child, x + ox - left * factor, y + oy - top * factor, factor)
        elif child.tag == f"{SVG}text":
            yield from _lines(child, x, y, scale)


def _transform(text: str) -> tuple[float, float, float]:
    move = re.search(r"translate\(([-\d.]+)[ ,]([-\d.]+)\)", text)
    factor = re.search(r"scale\(([\d.]+)\)", text)
    dx, dy = (float(move.group(1)), float(move.group(2))) if move else (0.0, 0.0)
    return dx, dy, float(factor.group(1)) if factor else 1.0


def _lines(node: ElementTree.Element, x: float, y: float, scale: float) -> Iterator[Placed]:
    """A text element is one line, or holds one `tspan` a line, each below the last."""
    size, anchor = float(node.get("font-size", "10")), node.get("text-anchor", "start")
    bold = node.get("font-weight") == "bold"
    left, base = float(node.get("x", "0")), float(node.get("y", "0"))
    spans = node.findall(f"{SVG}tspan")
    if not spans:
        yield _box(node.text or "", left, base, size, anchor, bold, x, y, scale)
    for span in spans:
        base += _length(span.get("dy", "0"), size)
        own = float(span.get("x", left))
        yield _box(span.text or "", own, base, size, anchor, bold, x, y, scale)


def _length(text: str, size: float) -> float:
    return float(text.removesuffix("em")) * size if text.endswith("em") else float(text)


def _box(
    words: str,
    left: float,
    base: float,
    size: float,
    anchor: str,
    bold: bool,
    x: float,
    y: float,
    scale: float,
) -> Placed:
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    font = ImageFont.truetype(f"/usr/share/fonts/truetype/dejavu/{name}", 100)
    inked = font.getbbox(words, anchor="ls")
    width = inked[2] * size / 100
    start = left - {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor] * width
    box = (start, base + inked[1] * size / 100, start + width, base + inked[3] * size / 100)
    moved = [(x, y)[n % 2] + value * scale for n, value in enumerate(box)]
    return (moved[0], moved[1], moved[2], moved[3]), words
