"""The power side of every build, simulated with ngspice from the board's own wiring.

`circuit` writes the netlist, `scenarios` says what happens in it, `results` runs ngspice, judges
and writes the tables of the guides. ngspice itself is a Debian package (`apt install ngspice`).
"""
