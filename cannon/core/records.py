"""The kinds of records that the controller puts on record, and what each holds.

Intent and outcome of a shot are separate records: an intent without an outcome is a shot that was
cut short by the end of the program.

    press       source, purpose, wait; rest: the press delivers what was owed, nothing is decided
    intent      cards decided, before anything moves; for a rest, the cards that are owed; none for
                a blank, but 0 for one that is kept back in suspense
    card        cards counted so far in this shot, suspect
    outcome     decided, delivered, owed, extra, suspects, reason, retries, slow, protruding
                delivered and owed are None where nothing counts; decided is 0 for a rest;
                always decided + rest = delivered + owed
    protruding  a card that stuck out was taken: delivered (1) and owed now
    waived      cards no longer owed, source
    refusal     reason, source
    fault       cause, detail          cleared    cause, source
    lid         open                   refill     source
    notice      code, and what belongs to it
    start       what runs: given by the app      stop
"""

from __future__ import annotations

PRESS = "press"
INTENT = "intent"
CARD = "card"
OUTCOME = "outcome"
PROTRUDING = "protruding"
WAIVED = "waived"
REFUSAL = "refusal"
FAULT = "fault"
CLEARED = "cleared"
LID = "lid"
REFILL = "refill"
NOTICE = "notice"
START = "start"
STOP = "stop"
