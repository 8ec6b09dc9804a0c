"""`cannon flash`: puts the firmware onto a Pico, reads it back, and shows that it runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from cannon.errors import CannonError

if TYPE_CHECKING:
    from firmware_bridge.flashing import Flashed
    from firmware_bridge.image import Image

DEFAULT_BOARD = "launcher-pico"


@click.command()
@click.option("--port", default="auto", show_default=True, help="The Pico's port, or auto.")
@click.option("--board", help=f"The board: a name or a file; by default {DEFAULT_BOARD}.")
@click.option("--odds", help="What it plays by when no host is there: a name or a file.")
@click.option("--config", help="The settings; by default cannon.toml here or in /etc.")
@click.option(
    "--into",
    type=click.Path(path_type=Path, file_okay=False),
    help="Only writes the files into this folder.",
)
@click.option("--json", "as_json", is_flag=True, help="The result as JSON, nothing else.")
def command(
    port: str,
    board: str | None,
    odds: str | None,
    config: str | None,
    into: Path | None,
    as_json: bool,
) -> None:
    """Puts the firmware onto a Raspberry Pi Pico or Pico 2.

    The Pico needs MicroPython on it. If it has none: hold its BOOTSEL button while you plug it in,
    and copy the .uf2 file for it from micropython.org/download onto the drive that appears.
    """
    image = _image(board, odds, config)
    result = _flash(image, port, quiet=as_json) if into is None else _write(image, into)
    if as_json:
        click.echo(json.dumps(result))


def _image(board: str | None, odds: str | None, config: str | None) -> Image:
    from cannon import app
    from cannon.firmware import firmware_for
    from cannon.settings.cannon_toml import load_settings
    from hardware import load_board

    settings = load_settings(config)
    if board is None and load_board(settings.board).computer != "pico":
        board = DEFAULT_BOARD
    changes = {name: value for name, value in (("board", board), ("odds", odds)) if value}
    plan = app.plan(msgspec.structs.replace(settings, **changes))
    return firmware_for(plan.board, plan.odds, plan.signals)


def _write(image: Image, folder: Path) -> dict[str, Any]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in image.files.items():
            (folder / name).write_bytes(content)
    except OSError as error:
        raise CannonError(
            f"{folder} cannot be written: {error.strerror}", "--into FOLDER"
        ) from error
    click.echo(f"{len(image.files)} files in {folder}; copy all of them onto the Pico", err=True)
    return {"folder": str(folder), "files": len(image.files), "build": image.build}


def _flash(image: Image, port: str, quiet: bool) -> dict[str, Any]:
    from rich.console import Console
    from rich.progress import Progress

    from firmware_bridge.errors import BridgeError
    from firmware_bridge.flashing import flash

    total = 2 * sum(map(len, image.files.values()))
    try:
        device = _port(port)
        with Progress(console=Console(stderr=True), disable=quiet) as progress:
            task = progress.add_task(f"{len(image.files)} files", total=total)
            done = flash(device, image.files, lambda size: progress.advance(task, size))
    except BridgeError as error:
        raise CannonError(error.what, error.fix) from error
    return _told(done, image.build, quiet)


def _port(port: str) -> str:
    """The port to use. A Pico without our firmware does not answer; alone it is the one meant."""
    from firmware_bridge.errors import BridgeError
    from firmware_bridge.flashing import BARE
    from firmware_bridge.ports import AUTO, VENDOR, list_ports

    if port != AUTO:
        return port
    picos = [info.device for info in list_ports() if info.vendor == VENDOR]
    if not picos:
        raise BridgeError("no_port", "no Pico with MicroPython is plugged in", BARE)
    if len(picos) > 1:
        what = f"several Picos are plugged in: {', '.join(picos)}"
        raise BridgeError("several", what, f"choose one: --port {picos[0]}")
    return picos[0]


def _told(done: Flashed, build: int, quiet: bool) -> dict[str, Any]:
    board = done.found.board
    if board is None or board.build != build:
        raise CannonError("the board runs another firmware than it was given", "try again")
    version = ".".join(map(str, board.version))
    if not quiet:
        click.echo(
            f"{board.name} on {done.found.port} ({done.chip}) runs firmware {version},"
            f" build {board.build:04x}; all {done.files} files were read back.",
            err=True,
        )
    return {
        "port": done.found.port,
        "chip": done.chip,
        "board": board.name,
        "version": version,
        "build": board.build,
        "files": done.files,
        "bytes": done.size,
    }
