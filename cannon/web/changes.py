"""What phones send: the bodies of the POSTs, and what becomes of them.

Every change carries an id that the phone made up. The same id from the same phone is done once,
however often it arrives; it gets the same answer again. One that was tapped too long ago is not
done, see `cannon.web.moments`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from cannon.settings.wording import refusal_words
from cannon.table.actions import NotAnAction, from_object
from cannon.table.state import Refusal
from cannon.web import wishes
from cannon.web.game import Stale
from cannon.web.limits import REMOTE_PRESSES, Rate
from cannon.web.moments import Moment
from cannon.web.page import Page
from cannon.web.refusing import Refused
from cannon.web.wording import texts_in

Id = Annotated[str, Meta(min_length=8, max_length=64)]


class _Body(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What every change says; `moment` is the last one that the phone had heard of."""

    id: Id
    moment: Moment


class TableBody(_Body, frozen=True):
    """An action at the table; `version` is that of the table on the phone."""

    version: Annotated[int, Meta(ge=0)]
    action: dict[str, Any]


class LauncherBody(_Body, frozen=True):
    """Something for the launcher."""

    do: wishes.Do


class HandBody(_Body, frozen=True):
    """Something that a hand does to a simulated launcher."""

    do: wishes.Hand
    fault: wishes.Fault | None = None


class SettingsBody(_Body, frozen=True):
    """Settings to be changed."""

    values: dict[str, Any]


class HaltBody(_Body, frozen=True):
    """The machine is to be shut down."""

    do: Literal["halt"]


class PairBody(_Body, frozen=True):
    """The PIN, to pair this phone; none, to have it forgotten."""

    pin: Annotated[str, Meta(max_length=32)] | None = None


class Changes:
    """Does what phones ask for. Each method gives the value to answer with, or raises Refused."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._remote = Rate(REMOTE_PRESSES, page.clock)

    async def table(self, body: TableBody, phone: str, language: str) -> dict[str, Any]:
        page, texts = self._page, texts_in(language)
        try:
            action = from_object(body.action)
        except NotAnAction as error:
            raise Refused(422, "action", problem=str(error)) from None
        result = await page.keeper.act(action, body.version)
        if isinstance(result, Stale):
            raise Refused(409, "stale")
        if isinstance(result, Refusal):
            words = refusal_words(texts, page.keeper.game.state, result)
            raise Refused(409, "table", words=words)
        page.show_table()
        return {"version": page.keeper.version}

    async def launcher(self, body: LauncherBody, phone: str, language: str) -> dict[str, Any]:
        facts = self._page.facts
        if body.do == "press":
            if not facts.remote_firing:
                raise Refused(403, "remote_off")
            self._need_pairing(phone)
            if not self._remote.allows(""):
                raise Refused(429, "too_soon")
        elif body.do == "acknowledge" and not facts.simulated:
            self._need_pairing(phone)
        self._page.ask(wishes.Launcher(body.do))
        return {}

    async def hand(self, body: HandBody, phone: str, language: str) -> dict[str, Any]:
        if not self._page.facts.simulated:
            raise Refused(403, "not_simulated")
        if (body.do == "plant") != (body.fault is not None):
            raise Refused(422, "action", problem="fault")
        self._page.ask(wishes.Simulated(body.do, body.fault))
        return {}

    async def settings(self, body: SettingsBody, phone: str, language: str) -> dict[str, Any]:
        self._need_pairing(phone)
        problem = self._page.check(body.values)
        if problem:
            raise Refused(422, "setting", problem=problem)
        self._page.ask(wishes.Change(body.values))
        return {}

    async def power(self, body: HaltBody, phone: str, language: str) -> dict[str, Any]:
        if not self._page.facts.shutdown:
            raise Refused(403, "no_halt")
        self._need_pairing(phone)
        self._page.ask(wishes.Halt())
        return {}

    async def pair(self, body: PairBody, phone: str, language: str) -> dict[str, Any]:
        phones = self._page.phones
        if body.pin is None:
            phones.forget(phone)
        else:
            if not phones.can_pair:
                raise Refused(403, "no_pin")
            if not phones.may_try(phone):
                raise Refused(429, "pin_too_often", {"retry-after": "20"})
            if not phones.pair(phone, body.pin):
                raise Refused(403, "pin")
        self._page.keep(phones.pairings)
        return {"paired": phones.paired(phone)}

    def _need_pairing(self, phone: str) -> None:
        if not self._page.phones.paired(phone):
            raise Refused(403, "pairing")
