"""`python -m hardware.power`: simulates all boards anew and keeps what was measured."""

from __future__ import annotations

import click

from hardware.loading import board_names, load_board
from hardware.power.results import Results, judge, run_board, save_results
from hardware.power.wrong import WRONG, wrong_board


def main() -> None:
    """Runs every board and the wrong one; the guides are made from the results."""
    boards = [load_board(name) for name in board_names()] + [wrong_board(name) for name in WRONG]
    results: dict[str, Results] = {}
    for board in boards:
        results[board.name] = run_board(board)
        for verdict in judge(board, results[board.name]):
            mark = "" if verdict.ok else "  <- beyond its limit"
            click.echo(f"{board.name}: {verdict.state}: {verdict.what}: {verdict.value:g}{mark}")
    save_results(results)


if __name__ == "__main__":
    main()
