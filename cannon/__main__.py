"""`python -m cannon` is the `cannon` command."""

from cannon.cli import main

main()
