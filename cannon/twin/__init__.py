"""The digital twin: the launcher's mechanism, its people and their mishaps, in virtual time.

The twin moves gpiozero's mock pins and nothing else; controller, loop, devices and board files
are the ones that run on real pins. It can never be used in place of real pins without being named.
"""
