"""The words of a table: its cards, colours, players and commands, in the reader's language.

Each of them may also be said in English. What the words mean together is in `speech`.
"""

from __future__ import annotations

from collections.abc import Iterator

from cannon.settings.texts import ENGLISH, Texts
from cannon.table.edition import Edition, ranks_of, text
from cannon.table.rules import Card
from cannon.table.state import State


class NotUnderstood(Exception):
    """What was typed means nothing here; the text says so, for a person."""


class Vocabulary:
    """Finds what a list of words begins with, always the longest; gives it with the rest."""

    def __init__(self, texts: Texts, state: State) -> None:
        self._texts, self._state = texts, state
        self._commands = dict(_commands(texts))
        edition = state.rules.edition if state.rules is not None else None
        self._ranks = dict(_ranks(edition, texts.language)) if edition is not None else {}

    def card(self, words: list[str]) -> tuple[Card, list[str]]:
        """A card, its colour before or after the rank. Raises NotUnderstood."""
        for length in range(len(words), 0, -1):
            found = self._card_of(words[:length])
            if found is not None:
                return found, words[length:]
        raise NotUnderstood(self._texts("table.ask.not_understood", words=" ".join(words)))

    def _card_of(self, words: list[str]) -> Card | None:
        """The card that is all of `words`."""
        rules = self._state.rules
        if rules is None:
            return None
        for colour, rank in ((words[0], words[1:]), (words[-1], words[:-1]), ("", words)):
            code = self._ranks.get(_plain(" ".join(rank)))
            name = self.colour(colour) if colour else None
            if code is not None and bool(colour) == (name is not None):
                card = rules.card(f"{name} {code}" if name else code)
                if card is not None:
                    return card
        return None

    def colour(self, word: str) -> str | None:
        """The colour that `word` is, or is the only one to begin with."""
        rules = self._state.rules
        if rules is None:
            return None
        found = set()
        for colour in rules.edition.colours:
            key = f"table.colour.{colour}"
            for name in (colour, self._texts(key) if key in self._texts else colour):
                if name == word.lower():
                    return colour
                if name.startswith(word.lower()) and not word.isdecimal():
                    found.add(colour)
        return found.pop() if len(found) == 1 else None

    def name(self, words: list[str]) -> tuple[str | None, list[str]]:
        """The player that `words` begin with, and the rest."""
        for length in range(len(words), 0, -1):
            said = " ".join(words[:length]).casefold()
            for name in self._state.ring:
                if name.casefold() == said:
                    return name, words[length:]
        return None, words

    def command(self, words: list[str]) -> tuple[str, list[str]]:
        """The command that `words` begin with, the longest, and the rest."""
        for length in range(len(words), 0, -1):
            command = self._commands.get(" ".join(words[:length]).lower())
            if command is not None:
                return command, words[length:]
        return "", words


def _commands(texts: Texts) -> Iterator[tuple[str, str]]:
    """Every word that means a command, in English and over it in the reader's language."""
    for language in (Texts(ENGLISH), texts):
        for key in language.keys("table.word."):
            for word in language(key).split("|"):
                yield word.strip(), key.rpartition(".")[2]


def _ranks(edition: Edition, language: str) -> Iterator[tuple[str, str]]:
    for key, card in edition.cards.items():
        for rank in ranks_of(key, card):
            names = (rank, *card.also, text(card.label, "en"), text(card.label, language))
            for name in filter(None, names):
                yield _plain(name), rank


def _plain(name: str) -> str:
    return name.lower().replace("-", " ").strip()
