"""What the frames between host and board mean: kinds, payloads, and the codes in them.

The one table of the protocol; README.md says the same in sentences. Numbers are little-endian,
`*_FORM` are formats of the module `struct`. Times are milliseconds; `now` and `at` are on the
board's clock, which counts from its start and wraps at 2**32.

Written in the subset of Python that MicroPython runs too: both ends use this file.
"""

# --- host to board, answered under the same sequence number (GOT is not answered) ---------------

HELLO = 0x48  # H  who are you? May be sent to anything. Payload: HELLO_TEXT. Answer: BOARD
TAKE = 0x54  # T  this host takes the board over (TAKE_FORM). Starts the events anew
BYE = 0x42  # B  this host lets go of the board
STOP = 0x53  # S  motor off. Always legal
LEASE = 0x4C  # L  the motor may go on for so long (LEASE_FORM)
FEED = 0x46  # F  bring out cards (FEED_FORM)
RUN = 0x52  # R  turn the motor (RUN_FORM)
CLEAR = 0x43  # C  forget the latched fault; only with the motor off and the lid closed
ASK = 0x41  # A  how do things stand? Answer: STATUS
COUNTS = 0x4E  # N  what has been counted? Answer: TALLY
# A tune: one byte and its name; no name: silence. The byte: bit 0 = after the one that plays, and
# twice the duty of a passive beeper in %, from 1 to 50 (0: 50), which is how loud it is.
PLAY = 0x50  # P
LIGHT = 0x47  # G  a light pattern, by name
ODDS = 0x4F  # O  a new odds model begins (ODDS_FORM)
PART = 0x44  # D  a part of it (PART_FORM and the bytes)
KEEP = 0x4B  # K  it is complete: check it and keep it
PROMPT = 0x55  # U  start anew and stay at the MicroPython prompt, for an update
GOT = 0x45  # E  all events up to this sequence number have come

# --- board to host ------------------------------------------------------------------------------

BOARD = 0x68  # h  answer to HELLO (BOARD_FORM, then the board's name); also sent once at start
DONE = 0x61  # a  answer to the other commands (DONE_FORM)
STATUS = 0x73  # s  (STATUS_FORM)
TALLY = 0x6E  # n  (TALLY_FORM, then the name of the odds model)
# Events; their sequence numbers count on their own, from 0 at TAKE. Each is sent again until GOT.
EDGES = 0x65  # e  inputs have changed: EDGES_FORM, then EDGE_FORM for each
CARD = 0x63  # c  a card was counted (CARD_FORM)
FED = 0x66  # f  a FEED is over and has settled (FED_FORM)
RAN = 0x72  # r  a RUN is over (RAN_FORM)
FAULT = 0x78  # x  a fault was latched (FAULT_FORM)
EVENTS = (EDGES, CARD, FED, RAN, FAULT)

# --- payloads -----------------------------------------------------------------------------------

# Printable, and behind it on the wire a carriage return: at the prompt of an interpreter or a
# shell the whole frame is a comment, to a modem or a printer a line it does not know.
HELLO_TEXT = b" which card cannon board is it?"

TAKE_FORM = "<I"  # boot id, from BOARD
LEASE_FORM = "<H"  # ms, 1 to MOST_LEASE_MS
# shot (a number of the host's), cards, power in %, longest motor time without progress, cap of
# the whole feed, reverse after the last card (0: none), first lease
FEED_FORM = "<HBBHHHH"
RUN_FORM = "<bBHH"  # direction 1 or -1, power in %, ms, first lease
ODDS_FORM = "<HH"  # bytes of the model (JSON), their CRC-16-CCITT
PART_FORM = "<H"  # offset of the bytes that follow
DONE_FORM = "<BI"  # result, now
# firmware version (3), its build, boot id, abilities (bits), longest lease, longest run, longest
# time without progress, cap of a feed: for any, and more for each card; longest reverse after the
# last card, most cards, unique id
BOARD_FORM = "<BBBHIBHHHHHHB8s"
# now, boot id, number of the next event (so a host knows whether it has taken all before), mode,
# motion, fault, levels (bits); of the last feed: shot, wanted, cards, suspects, reason, marks
# (bits), retries
STATUS_FORM = "<IIBBBBBHBBBBBB"
# now, frames taken, frames dropped, frames not sent, exceptions; bytes of heap free and in use;
# cause of the last reset; stand-alone: presses, launches, cards since start
TALLY_FORM = "<IIHHHIIBHHH"
EDGES_FORM = "<I"  # at
EDGE_FORM = "<BH"  # input * 2 + active, ms after `at`
CARD_FORM = "<IHBB"  # at, shot, cards so far, 1 = perhaps two
FED_FORM = "<IHBBBBB"  # at, shot, cards, suspects, reason, marks, retries
RAN_FORM = "<IB"  # at, reason
FAULT_FORM = "<IB"  # at, fault

UNKNOWN_COUNT = 255  # `cards` of a board that cannot count
MOST_LEASE_MS = 500

# --- codes --------------------------------------------------------------------------------------

# Inputs, by index, and what active means: pressed, open, beam blocked, cards there, low.
INPUTS = ("button", "lid", "exit", "hopper", "battery")
BUTTON, LID, EXIT, HOPPER, BATTERY = range(5)

# Abilities.
COUNTING = 1  # exit sensor
REVERSING = 2
POWER = 4  # knows a power below 100 %
HOPPERED = 8
BATTERIED = 16
SOUNDING = 32
LIGHTING = 64

MODES = ("starting", "alone", "hosted")
MOTIONS = ("off", "feed", "run")

# Marks of a feed.
BLOCKED = 1  # a card sticks in the beam
SLOW = 2

# Results of a command.
RESULTS = (
    "ok",
    "busy",  # the motor runs, or a shot is not over
    "not taken",  # TAKE comes first
    "lid open",
    "fault",  # CLEAR comes first
    "beyond limits",
    "cannot",  # this board has no such thing, or knows no such name
    "malformed",
    "other boot",  # the board has been started anew
    "same shot",  # this feed was done already
    "not kept",  # the odds model is damaged or wrong
)
(
    OK,
    BUSY,
    NOT_TAKEN,
    LID_OPEN,
    FAULTED,
    LIMITS,
    CANNOT,
    MALFORMED,
    OTHER_BOOT,
    SAME_SHOT,
    NOT_KEPT,
) = range(11)

# Why a feed or a run ended; the first four as in the core's `feeding`, or the guard's word.
REASONS = ("", "enough", "stalled", "timeout", "lid", "time", "lease", "stop", "link", "fault")

# Latched faults.
FAULTS = ("", "lease", "stalled", "timeout", "internal", "sensor_selftest")
