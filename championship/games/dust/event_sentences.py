"""Events in sentences with the numbers of the rules: steps, hands, closing rounds.

    sentences = EventSentences(drivers, cards, stage)
    sentences.sentence(event)  for each event in order

An `EventSentences` remembers earlier events, so that it can name the card that a driver uses, and the difference of
each value. Without them it only tells the new values. The core decides who may read what: it does not pass hidden
events to this module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from championship.games.dust import card_words
from championship.games.dust.words import DICE as DICE_WORDS
from championship.games.dust.words import DIRECTIONS
from championship.runs.run_pages import Sentence
from engine.dust.cards import card_text
from engine.dust.cards.card_set import CardSet
from engine.dust.state import GHOST
from engine.dust.turn import steps
from engine.dust.turn.step_context import DICE, POPULARITY_DIE, RISK

EventData = Mapping[str, Any]

COLOURS = ("over", "retire", "round", "damage", "roll", "buy", "marker", "move", "card", "draw", "end")
"""Kinds of sentence, the most important first."""

NOW = {
    "speed": gettext_lazy("speed points %(number)d"),
    "popularity": gettext_lazy("popularity %(number)d"),
    "keys": gettext_lazy("keys %(number)d"),
    "traction": gettext_lazy("traction %(number)d"),
    "risk": gettext_lazy("risk dice in the pool %(number)d"),
    "hits": gettext_lazy("damage marker at %(number)d"),
    "flipped": gettext_lazy("damage tokens flipped %(number)d"),
}
"""A driver's values, in the order in which they are told."""
KINDS = {"p": gettext_lazy("a player die"), "b": gettext_lazy("a boost die"), "f": gettext_lazy("the popularity die")}
RULES = {
    steps.CHOOSE: ("U1", "U4"),
    steps.PREPARE: ("Q2", "Q3", "D2"),
    steps.ACCEPT: ("R6",),
    steps.VOID: ("R6",),
    steps.PLAY: ("P2",),
    steps.USE: ("P3",),
    steps.DO: ("P4",),
    steps.DONE: ("P6",),
    steps.PASSIVE: ("A4",),
    steps.BUY: ("B1",),
    steps.PLACE: ("N1", "N4"),
    steps.STEER: ("A1",),
    steps.TUNE: ("A2",),
    steps.RISK: ("A3", "R1"),
    steps.BLOCK: ("G4",),
    steps.END: ("P10",),
}
COLOUR_OF = {
    steps.PREPARE: "roll",
    steps.PLACE: "marker",
    steps.BUY: "buy",
    steps.STEER: "move",
    steps.RISK: "roll",
    steps.END: "end",
}


def die_words(die: str) -> str:
    """Return a die as it is written ("p3") in words."""
    return str(DICE_WORDS[die[0]]) % {"value": die[1:]} if die[:1] in DICE_WORDS else die


class EventSentences:
    """Turns events into sentences, one after the other. `drivers`: names by the engine's seat; `cards` and `stage` name
    the cards.
    """

    def __init__(self, drivers: Mapping[str, str], cards: CardSet | None = None, stage: str = "") -> None:
        self.drivers = drivers
        self.cards = cards
        self.stage = stage
        self.known: dict[str, dict[str, Any]] = {}

    def sentence(self, event: EventData) -> Sentence:
        """Return the sentence for an event, and remember the event. A kind without words gives an empty text."""
        make_sentence = _SENTENCE_BY_KIND.get(event["kind"])
        if make_sentence is None:
            return Sentence("", event["kind"])
        made = make_sentence(self, event)
        self._remember(event)
        return made

    def _remember(self, event: EventData) -> None:
        if "seat" in event and "set" in event:
            self.known.setdefault(event["seat"], {}).update(event["set"])
        for seat, changed in event.get("drivers", {}).items():
            self.known.setdefault(seat, {}).update(changed)

    def name(self, seat: str) -> str:
        """Return the driver's name of a seat, or that of the ghost."""
        return _("the ghost") if seat == GHOST else self.drivers.get(seat, seat)

    def card(self, name: Any) -> str:
        """Return the title of a card; a stage card has a number instead."""
        if isinstance(name, int):
            return _("stage card %(number)d") % {"number": name}
        return card_words.title_of(self.cards, name) if self.cards else str(name)

    def character(self, name: str) -> str:
        """Return the name of a character."""
        return self.cards.characters.get(name, name) if self.cards else name

    def open_card(self, event: EventData) -> Any:
        """Return the card that is open before an event, None when it is not known."""
        opened = self.known.get(event["seat"], {}).get("open")
        return opened["card"] if opened else None

    def on_slot(self, event: EventData, slot: str) -> str:
        """Return the title of the card on a slot before an event, or the slot when the card is not known."""
        laid = self.known.get(event["seat"], {}).get("board", {}).get(slot)
        return self.card(laid["card"]) if laid else _("the card on slot %(slot)s") % {"slot": slot}

    def effect(self, card: Any, number: str) -> str:
        """Return an effect of the open card in words, "" when it is not known."""
        cards = self.cards
        if cards is None or card is None or not number.isdigit():
            return ""
        if isinstance(card, int):
            effects = cards.stages[self.stage].cards[card - 1].effects if self.stage in cards.stages else ()
        else:
            effects = cards.cards[card].effects if card in cards.cards else ()
        place = int(number) - 1
        return card_text.effect(effects[place]).words(_) if 0 <= place < len(effects) else ""


def sentence(event: EventData, drivers: Mapping[str, str]) -> Sentence:
    """Return the sentence for a single event, without earlier ones."""
    return EventSentences(drivers).sentence(event)


def _step(sentences: EventSentences, event: EventData) -> Sentence:
    first, *words = event["step"].split()
    changed = event["set"]
    text = _STEPS[first](sentences, event, words)
    rules = list(RULES[first])
    rolled, rolled_rules = _rolled(sentences, event)
    came = _new_values(sentences, event)
    if changed.get("phase") == "out":
        came, kind = _("The car is wrecked."), "retire"
        rules.append("R5")
    elif "flipped" in changed:
        kind = "damage"
        rules += ["R3", "R7"]
    else:
        kind = COLOUR_OF.get(first, "card")
    parts = [text, rolled, came]
    return Sentence(" ".join(part for part in parts if part), kind, tuple(dict.fromkeys([*rules, *rolled_rules])))


def _rolled(sentences: EventSentences, event: EventData) -> tuple[str, list[str]]:
    """Return the random draws of a step in words, the ghost's first (S6), then the driver's own, and their rules."""
    said, rules = [], []
    for mine in (False, True):
        drawn = [one for one in event.get("drawn", ()) if (one[0] != GHOST) == mine]
        for kind, template, rule in _CHANCE if mine else _GHOSTS_CHANCE:
            shown = [face for _who, what, face in drawn if what == kind]
            if shown:
                said.append(str(template) % {"faces": ", ".join("\u2013" if face == "-" else face for face in shown)})
                rules.append(rule)
    return " ".join(said), rules


_CHANCE = (
    (DICE, gettext_lazy("Rolled: %(faces)s."), "D2"),
    (POPULARITY_DIE, gettext_lazy("The popularity die shows %(faces)s."), "D4"),
    (RISK, gettext_lazy("Risk dice, hits and popularity: %(faces)s."), "R3"),
)
_GHOSTS_CHANCE = (
    (DICE, gettext_lazy("The ghost rolls %(faces)s."), "G3"),
    (RISK, gettext_lazy("Its risk dice, hits and popularity: %(faces)s."), "G3"),
)


def _new_values(sentences: EventSentences, event: EventData) -> str:
    """Return the new values of the driver, with the difference where the old value is known."""
    changed, before = event["set"], sentences.known.get(event["seat"], {})
    said = []
    for field, template in NOW.items():
        if field in changed:
            words = str(template) % {"number": changed[field]}
            if field in before and changed[field] != before[field]:
                words += f" ({changed[field] - before[field]:+d})".replace("-", "\u2212")
            said.append(words)
    if "space" in changed:
        said.append(_("space %(space)s") % {"space": changed["space"]})
    return _("Now: %(values)s.") % {"values": ", ".join(said)} if said else ""


def _prepares(sentences: EventSentences, event: EventData, words: Sequence[str]) -> str:
    if not words:
        return _("Prepares the round.")
    return _("Prepares the round and gives up %(cards)s.") % {"cards": ", ".join(map(sentences.card, words))}


def _uses(sentences: EventSentences, event: EventData, words: Sequence[str]) -> str:
    opened = event["set"].get("open")
    card = sentences.card(opened["card"]) if opened else sentences.on_slot(event, words[0])
    return _("Uses %(card)s by %(die)s.") % {"card": card, "die": KINDS[words[1]]}


def _does(sentences: EventSentences, event: EventData, words: Sequence[str]) -> str:
    card = sentences.open_card(event)
    values = {"number": int(words[0]), "card": sentences.card(card) if card is not None else ""}
    effect = sentences.effect(card, words[0])
    if effect:
        return _("%(card)s, effect %(number)d: %(effect)s.") % {**values, "effect": effect}
    return _("Effect %(number)d of the open card.") % values


def _buys(sentences: EventSentences, event: EventData, words: Sequence[str]) -> str:
    return _("Orders %(card)s.") % {"card": sentences.card(words[0])}


def _tunes(sentences: EventSentences, event: EventData, words: Sequence[str]) -> str:
    die, _equals, value = words[0].partition("=")
    return _("Turns %(die)s to %(value)s.") % {"die": die_words(die), "value": value}


def _steers(sentences: EventSentences, event: EventData, words: Sequence[str]) -> str:
    values = {"direction": DIRECTIONS[words[0]], "number": int(words[1])}
    return _("Steers %(direction)s by %(number)d.") % values


_STEPS: dict[str, Callable[[EventSentences, EventData, Sequence[str]], str]] = {
    steps.CHOOSE: lambda sentences, event, words: (
        _("%(driver)s drives as %(character)s.")
        % {"driver": sentences.name(event["seat"]), "character": sentences.character(words[0])}
    ),
    steps.PREPARE: _prepares,
    steps.ACCEPT: lambda sentences, event, words: _("Takes the roll as it is."),
    steps.VOID: lambda sentences, event, words: (
        _("Counts the roll as blank, by %(card)s.") % {"card": sentences.on_slot(event, words[0])}
    ),
    steps.PLAY: lambda sentences, event, words: (
        _("Plays %(card)s on slot %(slot)s.") % {"card": sentences.card(words[0]), "slot": words[1]}
    ),
    steps.USE: _uses,
    steps.DO: _does,
    steps.DONE: lambda sentences, event, words: _("Closes the card."),
    steps.PASSIVE: lambda sentences, event, words: (
        _("Uses the passive effect of %(card)s.") % {"card": sentences.on_slot(event, words[0])}
    ),
    steps.BUY: _buys,
    steps.PLACE: lambda sentences, event, words: (
        _("Places a pilot marker on stage card %(number)d.") % {"number": int(words[0])}
    ),
    steps.STEER: _steers,
    steps.TUNE: _tunes,
    steps.RISK: lambda sentences, event, words: _("Takes a risk for traction."),
    steps.BLOCK: lambda sentences, event, words: (
        _("Blocks pair %(pair)s of the ghost with %(die)s.") % {"pair": words[0], "die": die_words(words[1])}
    ),
    steps.END: lambda sentences, event, words: _("Ends the round."),
}
"""Every step in the table of chapter S."""


def _hand(sentences: EventSentences, event: EventData) -> Sentence:
    drawn = [face for _who, _kind, face in event["drawn"]]
    if not drawn:
        return Sentence("", "draw", passing=True)
    cards = ", ".join(map(sentences.card, drawn))
    said = ngettext("Draws a card: %(cards)s.", "Draws cards: %(cards)s.", len(drawn)) % {"cards": cards}
    return Sentence(said, "draw", ("Q4",))


def _draft(sentences: EventSentences, event: EventData) -> Sentence:
    left = len(event["set"]["draft"])
    if not left:
        return Sentence("", "draft", passing=True)
    said = ngettext(
        "%(count)d step behind the roll is back in the draft.",
        "%(count)d steps behind the roll are back in the draft.",
        left,
    )
    return Sentence(said % {"count": left}, "draft", ("S9",), passing=True)


def _ended(sentences: EventSentences, event: EventData) -> Sentence:
    said = _("%(driver)s has ended the round.") % {"driver": sentences.name(event["seat"])}
    return Sentence(said, "end", ("S2",), passing=True)


def _resigned(sentences: EventSentences, event: EventData) -> Sentence:
    said = _("%(driver)s leaves the race for good.") % {"driver": sentences.name(event["seat"])}
    return Sentence(said, "retire", ("R5",))


def _closed(sentences: EventSentences, event: EventData) -> Sentence:
    found = [one for _about, one in summary(sentences, event)]
    rules = dict.fromkeys(rule for one in found for rule in one.rules)
    kind = "round" if event["opens"] else "over"
    return Sentence(" ".join(one.text for one in found), kind, tuple(rules))


def summary(sentences: EventSentences, event: EventData) -> list[tuple[str, Sentence]]:
    """Return what the closing of a round brought, each sentence with the seat that it is about, "" for all: orders
    (B4), points (V2, G5), who holds the popularity die now (D1) or that the stage is over (F1).
    """
    found = [("", Sentence(_("Round %(number)d closes.") % {"number": event["round"]}, "round", ("S4",)))]
    found += [(one["seat"], _settled(sentences, one)) for one in event["settled"]]
    found += [(seat, _assessed(sentences, seat, one)) for seat, one in event["assessed"].items()]
    if not event["opens"]:
        return [*found, ("", Sentence(_("The stage is over."), "over", ("F1", "F2")))]
    holder = event.get("table", {}).get("holder", ...)
    if holder not in (..., None):
        said = _("%(driver)s has the most popularity and holds the popularity die.")
        found.append((holder, Sentence(said % {"driver": sentences.name(holder)}, "round", ("D1",))))
    elif holder is None:
        found.append(("", Sentence(_("Nobody holds the popularity die."), "round", ("D1",))))
    return found


def _settled(sentences: EventSentences, one: EventData) -> Sentence:
    values = {"driver": sentences.name(one["seat"]), "card": sentences.card(one["card"]), "number": one["back"]}
    if one["filled"]:
        return Sentence(_("%(driver)s gets %(card)s.") % values, "buy", ("B4",))
    said = _("%(driver)s does not get %(card)s: the pile had too few. Keys back: %(number)d.") % values
    return Sentence(said, "buy", ("B4", "B6"))


def _assessed(sentences: EventSentences, seat: str, one: EventData) -> Sentence:
    values = {"driver": sentences.name(seat), "speed": one["speed"], "popularity": one["popularity"]}
    if seat == GHOST:
        said = _("The ghost gains speed points %(speed)d, popularity %(popularity)d.")
        return Sentence(said % values, "marker", ("G5",))
    said = ngettext(
        "%(driver)s, %(markers)d marker: speed points %(speed)d, popularity %(popularity)d.",
        "%(driver)s, %(markers)d markers: speed points %(speed)d, popularity %(popularity)d.",
        one["markers"],
    )
    return Sentence(said % {**values, "markers": one["markers"]}, "marker", ("V2",))


_SENTENCE_BY_KIND: dict[str, Callable[[EventSentences, EventData], Sentence]] = {
    "step": _step,
    "hand": _hand,
    "draft": _draft,
    "ended": _ended,
    "resigned": _resigned,
    "closed": _closed,
}
