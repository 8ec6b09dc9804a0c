"""Bringing a launcher to life, part by part, and measuring its feed.

Works on any launcher behind the port, without the controller; the guard still limits the motor.
`rig` holds the launcher, `steps` are the parts in a safe order, `calibration` measures the feed.
What is found is a code with values; the sentences are the edge's.
"""
