"""The pictures of the rulebook (championship.runs.rulebook.figures): examples played by the engine, signs, dice, cards.

A figure says which parts of the table its pictures `show`: `dials`, `track`, `markers`, `board`, `hand`, `open`,
`damage`, `ghost`. Parts of one driver are those of the driver `of`, the first one without it. `card` is the number of a
stage card, `piles` are names of piles: they stand above the first view. Below stand the dice that were rolled: those of
a `prepare` lie on the board, but for risk dice. `dice = false` leaves them out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from championship.games.dust import faces, tableau
from championship.games.dust.words import die_words
from championship.runs.models import Seat
from championship.runs.rulebook.figures import Figure, Picture
from engine.contract import RuleError
from engine.dust import scenario
from engine.dust.cards import card_set_reading
from engine.dust.cards.card_set import CardSet
from engine.dust.state import GHOST, Driver, Table
from engine.dust.turn import steps
from engine.dust.viewing import printed

DICE = {"player-die": ("p", "4"), "boost-die": ("b", "5"), "popularity-die": ("f", "2"), "risk-die": ("r", "3/1")}
"""The signs that are dice: their kind and face."""
CARD, STAGE_CARD = "service-park", ("saltwind", 5)
"""The cards that stand for all cards: one of a pile, and the card of a stage by its number."""
ICONS = frozenset(
    [
        "accelerate",
        "brake",
        "red",
        "yellow",
        "grey",
        "holder",
        "risk-pool",
        "die",
        "keys",
        "traction",
        "popularity",
        "speed",
        "move",
        "shift",
        "centre",
        "risk",
        "repair",
        "boost",
        "set",
        "nudge",
        "discard",
        "remove",
        "cover",
        "swap",
        "take",
        "must",
        "passive",
        "star",
        "marker",
        "token",
        "ghost",
        "deck",
    ]
)
"""The signs of the sheet `dust/icons.svg` that a rulebook may show."""
KINDS = {"dice": "p", "popularity": "f", "risk": "r"}
"""The kind of die by the kind of draw (S7)."""


@dataclass(frozen=True, slots=True)
class Crew:
    """What a template needs to know of an entry: its plate and its name."""

    start_number: str
    colour: int
    crew: str


@dataclass(frozen=True, slots=True)
class Place:
    """A seat of a figure, in place of one in a run."""

    name: str
    entry: Crew


@dataclass(frozen=True, slots=True)
class Die:
    """A die as it lies on the table. `out`: it is blocked."""

    kind: str
    value: str
    words: str
    popularity: int = 0
    out: bool = False


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot of the team board with the dice above and below it."""

    slot: str
    dice: list[Die]
    face: faces.Face | None
    spent: list[Die]


@dataclass(frozen=True, slots=True)
class DriverShown:
    """A driver's dials and, at the end, points."""

    place: Place
    dials: list[tableau.Dial]
    points: int | None


def figure(figure: Figure) -> Sequence[Picture]:
    """Play the scenario and draw each of its views."""
    cards = card_set_reading.own()
    moments = list(scenario.moments(figure.scenario, cards))
    turns: Sequence[Mapping[str, Any]] = figure.scenario.get("turns", ())
    drawn: list[Picture] = []
    for view in figure.views:
        number = figure.moment(view, len(turns))
        moment = moments[min(number, len(moments) - 1)]
        shown = _parts(figure, moment.table, cards)
        if not drawn:
            shown |= _cards_above(figure, moment.table, cards)
        prepares = number > 0 and turns[number - 1]["steps"][0].startswith(steps.PREPARE)
        dice = _rolled(moment.drawn, prepares=prepares) if figure.shows.get("dice", True) else []
        below = {"dice": dice, "refused": _refused(moment.error)}
        has_below = any(below.values())
        drawn.append(
            Picture(
                view,
                _rendered("dust/rule_view.html", shown),
                _rendered("dust/rule_below.html", below) if has_below else SafeString(""),
            )
        )
    return drawn


def _rendered(template: str, context: Mapping[str, Any]) -> SafeString:
    return mark_safe(render_to_string(template, dict(context)))  # noqa: S308 - a template


def _cards_above(figure: Figure, table: Table, cards: CardSet) -> dict[str, Any]:
    """Return the stage card and the piles that an example is about."""
    piles = [(faces.card(cards, card), table["piles"][card]) for card in figure.shows.get("piles", ())]
    if "card" not in figure.shows:
        return {"piles": piles}
    return {"piles": piles, "stage_card": faces.stage_card(cards, table["stage"], figure.shows["card"])}


def _parts(figure: Figure, table: Table, cards: CardSet) -> dict[str, Any]:
    """Return what a view shows, by the name of its part.

    Raises: KeyError when the figure names a part that there is not.
    """
    me = table["drivers"][figure.shows.get("of", table["order"][0])]
    parts: dict[str, Callable[[], Any]] = {
        "dials": lambda: _drivers(table, cards),
        "track": lambda: _track(table, cards),
        "markers": lambda: _markers(table, me, cards),
        "board": lambda: _board(me, cards),
        "hand": lambda: [faces.card(cards, card) for card in me["hand"]],
        "open": lambda: faces.card(cards, str(me["open"]["card"])) if me["open"] else None,
        "damage": lambda: _damage(me, cards),
        "ghost": lambda: _ghost(table),
    }
    return {part: parts[part]() for part in figure.shows["show"]}


def _place(table: Table, name: str) -> Place:
    colour = table["order"].index(name)
    return Place(name, Crew(name, colour, _("Driver %(number)s") % {"number": name}))


def _drivers(table: Table, cards: CardSet) -> list[DriverShown]:
    shown = printed(table, cards)["drivers"]
    return [DriverShown(_place(table, name), tableau.dials(one, cards), one["points"]) for name, one in shown.items()]


def _track(table: Table, cards: CardSet) -> list[list[tableau.OnRoad]]:
    places = cast("list[Seat]", [_place(table, name) for name in table["order"]])
    return tableau.track({**printed(table, cards), "viewer": None}, cards, places)


def _markers(table: Table, me: Driver, cards: CardSet) -> list[tuple[faces.Face, int]]:
    """Return the open stage cards with the driver's markers on them (N1)."""
    open_cards = printed(table, cards)["visible"]
    return [
        (faces.stage_card(cards, table["stage"], number), me["markers"].get(str(number), 0)) for number in open_cards
    ]


def _board(me: Driver, cards: CardSet) -> list[Slot]:
    def at(slot: str, dice: Sequence[str]) -> list[Die]:
        return [Die(die[0], die[1:], die_words(die)) for die in dice if die[1:] == slot]

    found = []
    for slot in cards.slots:
        laid = me["board"].get(slot)
        face = faces.card(cards, laid["card"], covered=laid["covered"], used=laid["used"]) if laid else None
        found.append(Slot(slot, at(slot, me["dice"]), face, at(slot, me["spent"])))
    return found


def _damage(me: Driver, cards: CardSet) -> dict[str, Any]:
    """Return the damage track, the tokens and the risk dice in the pool (R1, R3)."""
    limits = cards.limits
    return {
        "spaces": [(space, space == me["hits"]) for space in range(limits.damage_track + 1)],
        "tokens": [(token, token <= me["flipped"]) for token in range(1, limits.damage_tokens + 1)],
        "risk": range(me["risk"]),
        "out": me["phase"] == "out",
    }


def _ghost(table: Table) -> dict[str, Any]:
    """Return the ghost's points and its pairs of dice (G3)."""
    ghost = table["ghost"]
    assert ghost is not None
    return {"speed": ghost["speed"], "popularity": ghost["popularity"], "pairs": ghost_pairs(table)}


def ghost_pairs(table: Table) -> list[tuple[Die, Die]]:
    """Return the ghost's pairs of dice as pictures; none where nobody drives against a ghost."""
    return [
        (Die("p", str(pair["value"]), _("the ghost's die")), _risk_die(pair["face"], out=pair["blocked"]))
        for pair in (table["ghost"]["dice"] if table["ghost"] else ())
    ]


def _risk_die(face: str, *, out: bool = False) -> Die:
    hits, _slash, popularity = face.partition("/")
    words = _("risk die: hits %(hits)s, popularity %(popularity)s") % {"hits": hits, "popularity": popularity}
    return Die("r", hits, words, int(popularity), out)


def _rolled(drawn: Sequence[Sequence[str]], *, prepares: bool) -> list[Die]:
    """Return the dice that the drivers rolled; of a `prepare` only risk dice. Cards that were drawn are on the
    picture.
    """
    found = []
    for who, kind, face in drawn:
        if who == GHOST or kind not in KINDS or (prepares and kind != "risk"):
            continue
        if kind == "risk":
            found.append(_risk_die(face))
        else:
            value = "" if face == "-" else face
            found.append(Die(KINDS[kind], value, die_words(f"{KINDS[kind]}{value}") if value else _("blank")))
    return found


def _refused(error: Mapping[str, Any] | None) -> str:
    return RuleError(error["rule"], error["message"]).words(_) if error else ""


def sign(name: str) -> SafeString:
    """Draw an icon, a die, or a card.

    Raises: KeyError when there is no such sign.
    """
    cards = card_set_reading.own()
    if name in DICE:
        kind, face = DICE[name]
        die = _risk_die(face) if kind == "r" else Die(kind, face, "")
        return _rendered("dust/rule_sign.html", {"die": die})
    if name == "card":
        return _rendered("dust/rule_sign.html", {"face": faces.card(cards, CARD)})
    if name == "stage-card":
        return _rendered("dust/rule_sign.html", {"face": faces.stage_card(cards, *STAGE_CARD)})
    if name not in ICONS:
        raise KeyError(name)
    return _rendered("dust/rule_sign.html", {"icon": name})
