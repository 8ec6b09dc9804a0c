"""The wire between a Raspberry Pi and the microcontroller that does the motor.

From the wire upwards: `frames` (bytes), `messages` (what they mean), `session` (who speaks when;
no port, no clock), `link` (the serial port). `ports` finds the board, `image` puts the firmware in
`pico/` together. The page for people who write firmware of their own is README.md.

Imports nothing of `cannon` or `hardware`.
"""
