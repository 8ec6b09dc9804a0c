"""Why something cannot be kept on the disk: a code, and words for it that end a sentence."""

from __future__ import annotations

import errno

from cannon.settings.texts import Texts

FULL, READ_ONLY, NO_RIGHTS, BROKEN, OTHER = "full", "read_only", "no_rights", "broken", "other"
IN_USE, UNREADABLE = "in_use", "unreadable"  # of a game that was kept
CODES = (FULL, READ_ONLY, NO_RIGHTS, BROKEN, OTHER, IN_USE, UNREADABLE)

_BY_SYSTEM = {
    errno.ENOSPC: FULL,
    errno.EDQUOT: FULL,
    errno.EROFS: READ_ONLY,
    errno.EACCES: NO_RIGHTS,
    errno.EPERM: NO_RIGHTS,
    errno.EIO: BROKEN,
    errno.EAGAIN: IN_USE,
}


def trouble_of(error: OSError) -> str:
    """The code for what the system said."""
    return _BY_SYSTEM.get(error.errno or 0, OTHER)


def trouble_words(texts: Texts, code: str) -> str:
    """The words for a code; none for no trouble."""
    return texts(f"trouble.{code}") if code else ""
