"""The `cannon` command with its sub-commands, each imported only when it is asked for.

A module `cannon/cli/NAME.py` provides `command`, a click command; its name on the command line is
NAME. Errors for people end here as one or two lines and an exit code (see `cannon.errors`).
"""

from __future__ import annotations

import importlib
import pkgutil
import sys

import click

from cannon import cli
from cannon.errors import EXIT_WRONG_CONFIGURATION, CannonError
from hardware.reading import ConfigurationError


class LazyCommands(click.Group):
    """Finds the sub-commands by their module's name and imports just the one that is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(module.name for module in pkgutil.iter_modules(cli.__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command = importlib.import_module(f"{cli.__name__}.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command


@click.command(cls=LazyCommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.version_option(package_name="card-cannon")
def cannon(debug: bool) -> None:
    """Runs a motorised card launcher: a press of its button becomes cards, safely."""


def run(words: list[str]) -> None:
    """Runs the command in `words` and ends the program with its exit code."""
    debug = "--debug" in words
    try:
        sys.exit(cannon.main(words, prog_name="cannon", standalone_mode=False))
    except click.exceptions.Exit as ended:
        sys.exit(ended.exit_code)
    except click.ClickException as error:
        _say_wrong_use(error)
        sys.exit(error.exit_code)
    except click.Abort:
        sys.exit(1)
    except ConfigurationError as error:
        _complain(str(error), debug)
        sys.exit(EXIT_WRONG_CONFIGURATION)
    except CannonError as error:
        _complain(str(error), debug)
        sys.exit(error.exit_code)


def _say_wrong_use(error: click.ClickException) -> None:
    """One line, where click would also print the usage; the help of a bare `cannon` stays whole."""
    message = error.format_message()
    context = getattr(error, "ctx", None)
    if "\n" in message or context is None:
        error.show()
        return
    place = context.command_path
    click.echo(f"{place}: {message.rstrip('.')}; see {place} --help", err=True)


def _complain(text: str, debug: bool) -> None:
    if debug:
        import traceback

        traceback.print_exc()
    click.echo(f"cannon: {text}", err=True)
