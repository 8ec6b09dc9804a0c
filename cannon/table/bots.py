"""Players who do not exist, with hands of real cards: simple, honest, and quick.

They play whole games through the engine as people would: they lay a card that fits, press if they
have none, sometimes forget UNO or catch each other, sometimes doubt a Wild Draw Four. They show
how long a game lasts with given odds, and hold the engine to its word: every card is always in a
hand, on the pile or in the launcher.
"""

from __future__ import annotations

from collections.abc import Callable, MutableSequence
from typing import Any, Protocol

from cannon.table import actions as a
from cannon.table.history import Game, apply
from cannon.table.rules import Card, Rules
from cannon.table.state import (
    COUNTING,
    FIRST_CARD,
    GAME_OVER,
    NOBODY,
    PLAY,
    ROUND_OVER,
    Owed,
    Refusal,
    State,
    rules_of,
    seat_from,
)

FORGETS_UNO = 0.1
CATCHES = 0.5
DOUBTS = 0.25
JUMPS = 0.5
SECONDS_PER_TURN = 10.0


class RandomSource(Protocol):
    """What draws: `random.Random`."""

    def random(self) -> float: ...

    def shuffle(self, x: MutableSequence[Any], /) -> None: ...


class Odds(Protocol):
    """What decides on a press: `cannon.core.odds.Odds`."""

    def press(self, rng: Any, now_s: float, /) -> int: ...


class TooLong(Exception):
    """A game went on beyond the bound on its turns."""


class BrokenGame(Exception):
    """The engine refused what a bot may do, or lost count of the cards."""


class Bots:
    """A game played by bots, one step at a time.

    `game` has been started and waits for its first card. `deck` is every card of the game. `watch`
    is called after each action with this object.
    """

    def __init__(
        self,
        game: Game,
        deck: list[Card],
        odds: Odds,
        rng: RandomSource,
        watch: Callable[[Bots], None] | None = None,
    ) -> None:
        self.game = game
        self.rules: Rules = rules_of(game.state)
        self.deck = deck
        self.odds = odds
        self.rng = rng
        self.watch = watch
        self.now_s = 0.0
        self.turns = self.presses = self.cards = self.refills = self.largest = 0
        self.turns_of_rounds: list[int] = []
        self.hands: list[list[Card]] = []
        self.launcher: list[Card] = []
        self.pile: list[Card] = []
        self._deal()

    def play(self, most_turns: int) -> None:
        """Plays to the end of the game. Raises TooLong after `most_turns`."""
        steps = {COUNTING: self._count, ROUND_OVER: self._next_round, FIRST_CARD: self._turn_up}
        while True:
            state = self.game.state
            if state.stage is PLAY:
                if state.owed:
                    self._settle(state, state.owed[0])
                elif state.drawn:
                    self._play_or_keep(state)
                elif state.choosing != NOBODY:
                    self._choose(state)
                else:
                    self.turns += 1
                    if self.turns > most_turns:
                        raise TooLong(f"more than {most_turns} turns")
                    self._take_turn(state)
            elif state.stage == GAME_OVER:
                return
            else:
                steps[state.stage]()

    def _do(self, action: a.Action) -> State:
        result = apply(self.game, action)
        if isinstance(result, Refusal):
            raise BrokenGame(f"{action} was refused: {result}")
        self.game = result
        if self.watch is not None:
            self.watch(self)
        return result.state

    def _take_turn(self, state: State) -> None:
        seat, colour, top = state.turn, state.colour, state.top
        rank = top.rank if top is not None else ""
        fitting = [
            card
            for card in self.hands[seat]
            if card.colour == colour or card.rank == rank or card.wild
        ]
        if fitting:
            self._lay(state, seat, fitting[int(self.rng.random() * len(fitting))])
        elif not self.launcher and len(self.pile) > 1:
            self._refill()
            self._press_by_choice(self.game.state, seat)
        else:
            self._press_by_choice(state, seat)

    def _press_by_choice(self, state: State, seat: int) -> None:
        if not self.launcher or self.rules.draws_cards:
            self._do(a.Press(state.ring[seat]))
            return
        self._do(a.Pressed(self._deliver(seat, self._odds())))

    def _lay(self, state: State, seat: int, card: Card) -> None:
        hand, name, others = self.hands[seat], state.ring[seat], None
        if card.discards:
            others = sum(c.colour == card.colour for c in hand) - 1
        if len(hand) - (others or 0) == 2 and self.rng.random() >= FORGETS_UNO:
            self._do(a.Uno(name))
        hand.remove(card)
        if others:
            self.pile += [c for c in hand if c.colour == card.colour]
            hand[:] = [c for c in hand if c.colour != card.colour]
        self.pile.append(card)
        colour = player = None
        if card.wild and self.rules.edition.colours:
            colour = self._favourite(hand)
        if card.who == "named" or (card.hands == "swap" and hand):
            player = self._target(state, seat)
        if card.hands and hand:
            self._move_hands(state, seat, card, player)
        lay = a.Play if state.drawn else a.Lay
        state = self._do(lay(name, card.name, colour, player, None, others))
        if state.open and self.rng.random() < CATCHES:
            self._catch(state)
        if self.rules.jump_in and not card.wild:
            self._maybe_jump(self.game.state, card)

    def _move_hands(self, state: State, seat: int, card: Card, player: str | None) -> None:
        hands, size = self.hands, len(self.hands)
        if card.hands == "swap" and player is not None:
            other = state.ring.index(player)
            hands[seat], hands[other] = hands[other], hands[seat]
        elif card.hands == "rotate":
            self.hands = [hands[(to - state.direction) % size] for to in range(size)]
        else:
            every = [c for hand in hands for c in hand]
            self.rng.shuffle(every)
            self.hands = [[] for _ in range(size)]
            for number, dealt in enumerate(every, 1):
                self.hands[seat_from(state, seat, number)].append(dealt)

    def _settle(self, state: State, owed: Owed) -> None:
        """Presses, draws, answers or challenges what is owed first."""
        if owed.fresh and owed.answers:
            answers = [c for c in self.hands[owed.takes] if c.answers == owed.answers]
            if answers:
                self._lay(state, owed.takes, answers[0])
                return
        if owed.fresh and owed.challenge and self.rng.random() < DOUBTS:
            hand = tuple(card.name for card in self.hands[owed.layer])
            self._do(a.Challenge(state.ring[owed.takes], None, hand))
            return
        if not self.launcher:
            self._refill()
            return
        wanted = owed.count if owed.cards else self._odds()
        self._do(a.Pressed(self._deliver(owed.takes, wanted)))

    def _play_or_keep(self, state: State) -> None:
        seat = state.turn
        card = self.hands[seat][-1]
        top = state.top
        if card.wild or card.colour == state.colour or (top is not None and card.rank == top.rank):
            self._lay(state, seat, card)
        else:
            self._do(a.Keep(state.ring[seat]))

    def _choose(self, state: State) -> None:
        seat = state.choosing
        self._do(a.Colour(state.ring[seat], self._favourite(self.hands[seat])))

    def _catch(self, state: State) -> None:
        caught = state.open[0]
        catcher = state.ring[(caught + 1) % len(state.ring)]
        self._do(a.Catch(catcher, state.ring[caught]))

    def _maybe_jump(self, state: State, card: Card) -> None:
        if state.stage != PLAY or state.winner != NOBODY or state.choosing != NOBODY:
            return
        if not all(owed.fresh and owed.layer == state.laid_by for owed in state.owed):
            return
        for seat, hand in enumerate(self.hands):
            mine = seat == state.turn and not state.owed
            if card in hand and not mine and not card.hands and self.rng.random() < JUMPS:
                if len(hand) == 2:
                    self._do(a.Uno(state.ring[seat]))
                hand.remove(card)
                self.pile.append(card)
                self._do(a.JumpIn(state.ring[seat], card.name))
                return

    def _odds(self) -> int:
        self.presses += 1
        self.now_s += SECONDS_PER_TURN
        return self.odds.press(self.rng, self.now_s)

    def _deliver(self, seat: int, wanted: int) -> int:
        """Moves as many cards as the launcher has of those wanted; the number of them."""
        if not wanted:
            return 0
        stack, hand = self.launcher, self.hands[seat]
        came = stack[-wanted:]
        del stack[-wanted:]
        hand += came
        self.cards += len(came)
        if len(hand) > self.largest:
            self.largest = len(hand)
        return len(came)

    def _refill(self) -> None:
        self.refills += 1
        stack = self.pile[:-1]
        self.rng.shuffle(stack)
        self.launcher[:0] = stack
        self.pile = self.pile[-1:]
        self._do(a.Refill())

    def _count(self) -> None:
        state = self.game.state
        for seat, name in enumerate(state.ring):
            if seat != state.winner and self.game.state.stage == COUNTING:
                self._count_one(seat, name)

    def _count_one(self, seat: int, name: str) -> None:
        partner = (self.game.state.winner + 2) % len(self.hands)
        if self.rules.scoring == "partners" and seat == partner:
            return
        self._do(a.Count(name, tuple(card.name for card in self.hands[seat])))

    def _next_round(self) -> None:
        self._do(a.Next())
        self._deal()

    def _deal(self) -> None:
        """Shuffles all cards and deals them; the first one is still to be turned up."""
        self.turns_of_rounds.append(self.turns)
        stack = list(self.deck)
        self.rng.shuffle(stack)
        size = len(self.game.state.ring)
        each = self.rules.edition.hand
        self.hands = [[stack.pop() for _ in range(each)] for _ in range(size)]
        self.launcher = stack
        self.pile = []

    def _turn_up(self) -> None:
        card = self.launcher.pop()
        self.pile = [card]
        state = self._do(a.First(card.name))
        if state.stage == FIRST_CARD:  # it goes back into the stack
            self.launcher.insert(int(self.rng.random() * len(self.launcher)), self.pile.pop())

    def _favourite(self, hand: list[Card]) -> str:
        """The colour of most cards in `hand`."""
        colours = [card.colour for card in hand if card.colour is not None]
        return max(colours, key=colours.count) if colours else self.rules.edition.colours[0]

    def _target(self, state: State, seat: int) -> str:
        """Somebody else: the one with the fewest cards."""
        others = [s for s in range(len(self.hands)) if s != seat]
        return state.ring[min(others, key=lambda s: len(self.hands[s]))]


def counts_agree(bots: Bots) -> bool:
    """Whether no card is lost or made, and the engine knows of each where it is."""
    state = bots.game.state
    if state.stage not in (PLAY, COUNTING):
        return True
    in_hands = [len(hand) for hand in bots.hands]
    total = sum(in_hands) + len(bots.launcher) + len(bots.pile)
    return (
        total == len(bots.deck)
        and list(state.hands) == in_hands
        and state.launcher == len(bots.launcher)
        and state.pile == len(bots.pile)
    )
