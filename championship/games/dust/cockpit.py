"""The cockpit of one driver: the cards and dice of the driver, what each can do now, and why it cannot.

`build_cockpit` takes the run after a draft, and the ways to go on from there. It returns what the templates show.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from championship.games.dust import faces
from championship.games.dust.faces import Face
from championship.games.dust.words import argument, arguments, die_words
from engine.contract import RuleError
from engine.dust.cards.card_set import CardSet
from engine.dust.draft_text import join_steps, why_not
from engine.dust.state import PREPARE, Table
from engine.dust.turn import driving, steps
from engine.dust.turn.foregone import with_foregone
from engine.dust.turn.step_context import Turn


@dataclass(frozen=True, slots=True)
class Offer:
    """A step that can be added to the draft, with those that follow it without a decision, and its words. `lit`: a slot
    that one of the dice shows.
    """

    step: str
    words: str
    lit: bool = False


@dataclass(frozen=True, slots=True)
class Why:
    """Why something cannot be done now: the rule, and its message."""

    rule: str
    words: str


@dataclass(frozen=True, slots=True)
class DieShown:
    """A die: its kind and value, and the steps that use it or turn it down or up by one."""

    kind: str
    value: str
    words: str
    use: str = ""
    down: str = ""
    up: str = ""


@dataclass(frozen=True, slots=True)
class SlotShown:
    """A slot of the team board: the active dice above it, its card, the used dice below it. `free`: a card can be
    played there.
    """

    slot: str
    dice: list[DieShown]
    face: Face | None
    spent: list[DieShown]
    passives: list[Offer]
    why: Why | None = None
    opened: bool = False
    free: bool = False


@dataclass(frozen=True, slots=True)
class HandShown:
    """A card in the hand, the number of its copies, and the slots on which it can be played."""

    face: Face
    copies: int
    plays: list[Offer]
    why: Why | None = None


@dataclass(frozen=True, slots=True)
class EffectOffered:
    """An effect of the open card: its words, the ways to do it, and whether it is done already (`is_done`)."""

    number: int
    words: str
    ways: list[Offer]
    is_done: bool
    must: bool
    why: Why | None = None


@dataclass(frozen=True, slots=True)
class OpenCard:
    """The open card, its effects, and the step that closes it."""

    face: Face
    effects: list[EffectOffered]
    done: str
    why: Why | None = None

    @property
    def offers(self) -> bool:
        """Whether an effect can still be done."""
        return any(effect.ways for effect in self.effects)

    @property
    def all_done(self) -> bool:
        """Whether the effects that are not left were all done. On a stage card some may have been passed over (N4)."""
        return self.face.kind != "stage"


@dataclass(frozen=True, slots=True)
class ForSale:
    """A pile or a stage card: the step that buys it, or why it cannot be bought. `left`: cards in the pile; `markers`:
    the driver's own.
    """

    face: Face
    step: str
    why: Why | None = None
    left: int = 0
    markers: int = 0
    worth: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Cockpit:
    """Everything that the driver's panel shows."""

    me: Mapping[str, Any]
    character: str
    slots: list[SlotShown]
    hand: list[HandShown]
    opened: OpenCard | None
    stage: list[ForSale]
    piles: list[ForSale]
    special: list[tuple[str, list[Offer], Why | None]]
    waits: list[Offer]
    hold: Why | None = None
    aside: list[str] = field(default_factory=list)


def build_cockpit(
    table: Table, seat: str, cards: CardSet, ways: Sequence[str], worths: Sequence[Mapping[str, Any]]
) -> Cockpit:
    """Return a driver's cockpit. `ways` are the steps that can be added, `worths` what markers are worth (V2)."""
    builder = _CockpitBuilder(table, seat, cards, ways)
    me = table["drivers"][seat]
    return Cockpit(
        me=dict(me),
        character="" if cards.stages[table["stage"]].training else cards.characters.get(me["driver"], me["driver"]),
        slots=[builder.slot(slot) for slot in cards.slots],
        hand=[builder.in_hand(card, copies) for card, copies in sorted(Counter(me["hand"]).items())],
        opened=builder.opened(),
        stage=[builder.stage_card(number, worths) for number in driving.visible(builder.turn)],
        piles=[builder.pile(card) for card in table["pool"]],
        special=builder.special(),
        waits=[builder.offer(step) for step in ways if step.split()[0] in (steps.ACCEPT, steps.VOID)],
        hold=builder.hold,
        aside=[argument(cards, one["card"]) for one in me["aside"]],
    )


class _CockpitBuilder:
    """Builds the parts of a driver's cockpit."""

    def __init__(self, table: Table, seat: str, cards: CardSet, ways: Sequence[str]) -> None:
        self.table, self.seat, self.cards = table, seat, cards
        self.turn = Turn(table, seat, cards, None)
        self.ways: Collection[str] = set(ways)
        self.me = table["drivers"][seat]
        self.hold = self._hold()

    def _hold(self) -> Why | None:
        """Return why only one thing can be done now. The page says it once and not at each card (Q2, R6, P5)."""
        return None if steps.END in self.ways else self.why(steps.END)

    def why(self, step: str) -> Why | None:
        """Return why a step cannot be added."""
        error = why_not(self.table, self.seat, step, self.cards)
        return None if error is None else _said(error)

    def _at_thing(self, step: str) -> Why | None:
        return None if self.hold or step in self.ways or steps.END not in self.ways else self.why(step)

    def offer(self, step: str) -> Offer:
        first, *words = step.split()
        together = self.together(step)
        if first == steps.ACCEPT:
            return Offer(step, _("Take the roll as it is"))
        if first == steps.VOID:
            laid = self.me["board"][words[0]]
            return Offer(step, _("Make it blank with %(card)s") % {"card": argument(self.cards, laid["card"])})
        return Offer(together, arguments(self.cards, words))

    def together(self, step: str) -> str:
        """Return a step that can be added, with those that follow it without a decision."""
        return join_steps(with_foregone(self.table, self.seat, self.cards, step))

    def beginning(self, first: str) -> list[str]:
        """Return the ways that begin with these words."""
        return sorted(way for way in self.ways if way == first or way.startswith(f"{first} "))

    def slot(self, slot: str) -> SlotShown:
        laid = self.me["board"].get(slot)
        opened = self.me["open"]
        face = None
        if laid is not None:
            face = faces.card(self.cards, laid["card"], covered=laid["covered"], used=laid["used"])
        passives = []
        for way in self.beginning(f"{steps.PASSIVE} {slot}"):
            words = arguments(self.cards, way.split()[2:])
            passives.append(Offer(way, _("Passive: %(what)s") % {"what": words} if words else _("Passive effect")))
        why = None
        if face is not None and not passives and any(effect.passive for effect in face.effects):
            why = self._at_thing(f"{steps.PASSIVE} {slot}")
        return SlotShown(
            slot=slot,
            dice=[self.die(die) for die in self.me["dice"] if die[1] == slot],
            face=face,
            spent=[DieShown(die[0], die[1], die_words(die)) for die in self.me["spent"] if die[1] == slot],
            passives=passives,
            why=why,
            opened=opened is not None and opened["slot"] == slot,
            free=laid is None and bool(self.me["hand"]) and self.hold is None and bool(self.ways),
        )

    def die(self, die: str) -> DieShown:
        use = f"{steps.USE} {die[1]} {die[0]}"
        turned = {way: f"{steps.TUNE} {die}={int(die[1]) + way}" for way in (-1, 1)}
        down, up = (turned[way] if turned[way] in self.ways else "" for way in (-1, 1))
        return DieShown(die[0], die[1], die_words(die), self.together(use) if use in self.ways else "", down, up)

    def in_hand(self, card: str, copies: int) -> HandShown:
        plays = [f"{steps.PLAY} {card} {slot}" for slot in self.cards.slots]
        shown = {die[1] for die in self.me["dice"]}
        can = [Offer(self.together(step), slot, lit=slot in shown)
               for step, slot in zip(plays, self.cards.slots, strict=True) if step in self.ways]  # fmt: skip
        return HandShown(faces.card(self.cards, card), copies, can, None if can else self._at_thing(plays[0]))

    def opened(self) -> OpenCard | None:
        opened = self.me["open"]
        if opened is None:
            return None
        card = opened["card"]
        if isinstance(card, int):
            face = faces.stage_card(self.cards, self.table["stage"], card)
        else:
            face = faces.card(self.cards, card)
        effects = [self._effect(effect, opened["left"]) for effect in face.effects if not effect.passive]
        done = steps.DONE if steps.DONE in self.ways else ""
        return OpenCard(face, effects, done, None if done or not self.ways else self.why(steps.DONE))

    def _effect(self, effect: faces.EffectShown, left: Sequence[int]) -> EffectOffered:
        step = f"{steps.DO} {effect.number}"
        is_done = effect.number not in left
        ways = [Offer(self.together(way), arguments(self.cards, way.split()[2:])) for way in self.beginning(step)]
        why = None if is_done or ways or not self.ways else self.why(step)
        return EffectOffered(effect.number, effect.words, ways, is_done, effect.must, why)

    def stage_card(self, number: int, worths: Sequence[Mapping[str, Any]]) -> ForSale:
        step = f"{steps.PLACE} {number}"
        cost = driving.marker_price(self.turn, self.turn.stage_card(number))
        return ForSale(
            face=faces.stage_card(self.cards, self.table["stage"], number, cost=cost),
            step=self.together(step) if step in self.ways else "",
            why=self._at_thing(step),
            markers=self.me["markers"].get(str(number), 0),
            worth=next((one for one in worths if one["card"] == number), None),
        )

    def pile(self, card: str) -> ForSale:
        step = f"{steps.BUY} {card}"
        return ForSale(
            face=faces.card(self.cards, card, cost=driving.price(self.turn, card)),
            step=step if step in self.ways else "",
            why=self._at_thing(step),
            left=max(self.turn.left_of(card), 0),
        )

    def special(self) -> list[tuple[str, list[Offer], Why | None]]:
        """Return special actions (A1, A3) and blocking (G4)."""
        steered = [Offer(way, arguments(self.cards, way.split()[1:2]) + f" {way.split()[2]}")
                   for way in self.beginning(steps.STEER)]  # fmt: skip
        risks = [Offer(way, _("Take a Risk")) for way in self.beginning(steps.RISK)]
        blocks = [self._block(way) for way in self.beginning(steps.BLOCK)]
        found = [
            (_("Steer, 1 traction a space"), steered, self._at_thing(f"{steps.STEER} left 1")),
            (_("Take a Risk, and get 2 traction"), risks, self._at_thing(steps.RISK)),
        ]
        if self.table["ghost"] is not None:
            found.append((_("Block the ghost"), blocks, None))
        return found

    def _block(self, way: str) -> Offer:
        _block, pair, die = way.split()
        return Offer(way, _("pair %(pair)s with %(die)s") % {"pair": pair, "die": die_words(die)})


def _said(error: RuleError) -> Why:
    return Why(error.rule, error.words(_))


def preparing(me: Mapping[str, Any]) -> bool:
    """Return whether the turn has yet to begin (Q2)."""
    return bool(me["phase"] == PREPARE)
