"""Measurements of speed and latency, each as a ratio to a baseline of the same run.

`python -m tests.bench` runs all of them and prints JSON, one object a line; with names it runs
those. A module here offers `run() -> list[dict]`. Nothing is asserted: a busy machine may measure
what it likes. `goal` is what a quiet one must reach, `met` whether it was.
"""
