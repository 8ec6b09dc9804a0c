"""Understands what people type at the table: "red 7", "joker blå", "catch B", "tryk", "3".

Words are taken in the reader's language and in English; they are in the texts, not here. What is
not said follows from the game: a card is laid by whoever may lay now.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cannon.companion.vocabulary import NotUnderstood, Vocabulary
from cannon.settings.texts import Texts
from cannon.table import actions as a
from cannon.table.history import Game
from cannon.table.state import COUNTING, FIRST_CARD, NOBODY, PLAY, State

_ALONE: dict[str, Callable[[], a.Action]] = {
    "appeared": a.Appeared,
    "empty": a.Empty,
    "end": a.End,
    "undo": a.Undo,
    "redo": a.Redo,
}
COMMANDS = ("help", "log", "quit", "start")  # of the prompt itself, not of the table


class Speech:
    """What can be said at one moment of a game."""

    def __init__(self, texts: Texts, game: Game) -> None:
        self.texts, self.game = texts, game
        self.state: State = game.state
        self._vocabulary = Vocabulary(texts, game.state)
        self._readers: dict[str, Callable[[list[str]], a.Action]] = {
            "press": lambda words: a.Press(self._who(words, self._turn())),
            "draw": self._draw,
            "keep": lambda words: a.Keep(self._who(words, self._turn())),
            "uno": lambda words: a.Uno(self._who(words, self._open() or self._turn())),
            "catch": self._catch,
            "advice": lambda words: a.Advice(self._who(words, "")),
            "wrong": lambda words: a.Wrong(self._who(words, self._turn())),
            "penalty": self._penalty,
            "guilty": lambda words: a.Challenge(self._who(words, self._owing()), "guilty"),
            "innocent": lambda words: a.Challenge(self._who(words, self._owing()), "innocent"),
            "colour": self._colour,
            "hand": self._hand,
            "jam": lambda words: a.Jam(self._number(words, 0)),
            "refill": lambda words: a.Refill(self._number(words, None)),
            "taken": lambda words: a.Taken(self._number(words, 1)),
            "waive": lambda words: a.Waive(self._who(words, "") if words else None),
            "count": self._count,
            "won": lambda words: a.Won(self._who(words, "")),
            "next": lambda words: a.Next(self._who(words, "") if words else None),
            "first": lambda words: a.First(self._vocabulary.card(words)[0].name),
            "join": self._join,
            "leave": self._leave,
            "take-over": self._take_over,
            "jump-in": self._jump_in,
            "correct": self._correct,
        }

    def understand(self, line: str) -> a.Action | str:
        """The action that `line` says, or the name of a command. Raises NotUnderstood."""
        words = line.replace(",", " , ").split()
        if line.lstrip().startswith("{"):
            return self._json(line)
        if not words:
            raise NotUnderstood(self.texts("table.ask.not_understood", words=line))
        command, rest = self._vocabulary.command(words)
        name, after_name = self._vocabulary.name(words)
        if name is not None and after_name:  # somebody may be called as a command is
            return self._bare(words)
        if command in COMMANDS:
            return command
        if command in _ALONE and not rest:
            return _ALONE[command]()
        if command in self._readers:
            return self._readers[command](rest)
        return self._bare(words)

    def _bare(self, words: list[str]) -> a.Action:
        """Without a command: a number is a press, a card is laid, a name begins a count."""
        stage = self.state.stage
        if words[0].isdecimal() and len(words) == 1:
            return a.Pressed(int(words[0]), source="hand")
        if self._means("unknown", words):
            return a.Pressed("unknown", source="hand")
        if stage == COUNTING:
            return self._count(words)
        if stage == FIRST_CARD:
            return a.First(self._vocabulary.card(words)[0].name)
        if self.state.choosing != NOBODY and len(words) == 1:
            return self._colour(words)
        return self._lay(words)

    def _lay(self, words: list[str]) -> a.Action:
        by = self._turn()
        owed = self.state.owed
        if owed and owed[0].answers and owed[0].fresh:
            by = self.state.ring[owed[0].takes]
        name, rest = self._vocabulary.name(words)
        if name is not None and rest:
            by, words = name, rest
        card, rest = self._vocabulary.card(words)
        lay = a.Play if self.state.drawn else a.Lay
        return lay(by, card.name, **self._details(rest))

    def _details(self, words: list[str]) -> dict[str, Any]:
        """What may follow a card: a colour, a player, cards along, that it was the last."""
        found: dict[str, Any] = {}
        while words:
            command, rest = self._vocabulary.command(words)
            name, after_name = self._vocabulary.name(words)
            if command == "last":
                found["last"], words = True, rest
            elif command == "with" and rest and rest[0].isdecimal():
                found["others"], words = int(rest[0]), rest[1:]
            elif name is not None:
                found["player"], words = name, after_name
            elif (colour := self._vocabulary.colour(words[0])) is not None:
                found["colour"], words = colour, words[1:]
            else:
                said = " ".join(words)
                raise NotUnderstood(self.texts("table.ask.colour_or_player", words=said))
        return found

    def _draw(self, words: list[str]) -> a.Action:
        by = self._owing() or self._turn()
        if words and not words[-1].isdecimal():
            return a.Draw(self._who(words, by))
        cards = int(words[-1]) if words else None
        return a.Draw(self._who(words[:-1], by), cards or None)

    def _catch(self, words: list[str]) -> a.Action:
        caught, rest = self._vocabulary.name(words)
        command, by_words = self._vocabulary.command(rest)
        by = self._who(by_words, "") if command == "by" else ""
        caught = caught or self._open() or None
        return a.Catch(by or self._somebody_but(caught), caught)

    def _penalty(self, words: list[str]) -> a.Action:
        name, rest = self._vocabulary.name(words)
        presses = self._number(rest, 1)
        return a.Penalty(name or self._turn(), presses if isinstance(presses, int) else 1)

    def _colour(self, words: list[str]) -> a.Action:
        colour = self._vocabulary.colour(words[-1]) if words else None
        if colour is None:
            raise NotUnderstood(self.texts("table.ask.not_understood", words=" ".join(words)))
        seat = self.state.choosing
        by = self.state.ring[seat] if seat != NOBODY else self._turn()
        return a.Colour(self._who(words[:-1], by), colour)

    def _hand(self, words: list[str]) -> a.Action:
        name, rest = self._vocabulary.name(words)
        cards = self._number(rest, None)
        known = isinstance(cards, int) and cards > 0
        return a.Hand(name or self._turn(), cards if known else "unknown")  # type: ignore[arg-type]

    def _count(self, words: list[str]) -> a.Action:
        name, rest = self._vocabulary.name(words)
        if name is None or not rest:
            raise NotUnderstood(self.texts("table.ask.who"))
        if len(rest) == 1 and rest[0].isdecimal():
            return a.Count(name, None, int(rest[0]))
        cards = []
        while rest:
            card, rest = self._vocabulary.card(rest)
            cards.append(card.name)
            if rest and rest[0] != ",":
                said = " ".join(rest)
                raise NotUnderstood(self.texts("table.ask.not_understood", words=said))
            rest = rest[1:]
        return a.Count(name, tuple(cards))

    def _join(self, words: list[str]) -> a.Action:
        for at in range(1, len(words)):
            command, rest = self._vocabulary.command(words[at:])
            if command == "after":
                return a.Join(" ".join(words[:at]), self._who(rest, ""))
        if not words:
            raise NotUnderstood(self.texts("table.ask.who"))
        return a.Join(" ".join(words))

    def _leave(self, words: list[str]) -> a.Action:
        name, rest = self._vocabulary.name(words)
        command, _ = self._vocabulary.command(rest)
        owed = command if command in ("waive", "hand-on") else None
        return a.Leave(name or self._who(words, ""), owed)  # type: ignore[arg-type]

    def _take_over(self, words: list[str]) -> a.Action:
        name, rest = self._vocabulary.name(words)
        if name is None or not rest:
            raise NotUnderstood(self.texts("table.ask.who"))
        return a.TakeOver(name, " ".join(rest))

    def _jump_in(self, words: list[str]) -> a.Action:
        name, rest = self._vocabulary.name(words)
        if name is None:
            raise NotUnderstood(self.texts("table.ask.who"))
        card, rest = self._vocabulary.card(rest)
        details = self._details(rest)
        return a.JumpIn(name, card.name, details.get("player"), details.get("last"))

    def _correct(self, words: list[str]) -> a.Action:
        if not words or not words[0].isdecimal() or words[0] == "0":
            said = " ".join(words)
            raise NotUnderstood(self.texts("table.ask.not_understood", words=said))
        at, rest = int(words[0]), words[1:]
        if not rest or self._vocabulary.command(rest)[0] == "nothing":
            return a.Correct(at)
        then = self.game.after(at - 1) or self.game
        action = Speech(self.texts, then).understand(" ".join(rest))
        if isinstance(action, (str, a.OverThePast)):
            said = " ".join(rest)
            raise NotUnderstood(self.texts("table.ask.not_understood", words=said))
        return a.Correct(at, (action,))

    def _json(self, line: str) -> a.Action:
        try:
            return a.read(line)
        except a.NotAnAction as error:
            words = self.texts("table.refused.not_an_action", problem=str(error))
            raise NotUnderstood(words) from None

    def _who(self, words: list[str], usual: str) -> str:
        name, rest = self._vocabulary.name(words)
        if rest or not (name or usual):
            said = self.texts("table.refused.no_such_player", name=" ".join(words))
            raise NotUnderstood(said if words else self.texts("table.ask.who"))
        return name or usual

    def _number(self, words: list[str], usual: int | None) -> a.CardsOrUnknown:
        if not words:
            return usual
        if words[0].isdecimal() and len(words) == 1:
            return int(words[0])
        if self._means("unknown", words):
            return "unknown"
        raise NotUnderstood(self.texts("table.ask.not_understood", words=" ".join(words)))

    def _means(self, command: str, words: list[str]) -> bool:
        return self._vocabulary.command(words) == (command, [])

    def _turn(self) -> str:
        state = self.state
        return state.ring[state.turn] if state.stage == PLAY else ""

    def _owing(self) -> str:
        return self.state.ring[self.state.owed[0].by] if self.state.owed else ""

    def _open(self) -> str:
        return self.state.ring[self.state.open[0]] if len(self.state.open) == 1 else ""

    def _somebody_but(self, name: str | None) -> str:
        others = [other for other in self.state.ring if other != name]
        turn = self._turn()
        return turn if turn in others else (others[0] if others else "")
