"""The dice of a turn as rolled, read from its events: which of them are new, their results, and the text for screen
readers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.games.dirt.event_sentences import sentence
from championship.games.dirt.words import DieShown, dice_words, die_shown, space_words, warnings_words
from championship.runs.models import Post, Seat
from championship.runs.watch.selectors import RunPage
from engine.dirt.facts import facts

FRESH = timedelta(minutes=1)
"""How long a roll counts as new for a reader who opens the page. The script knows better what a window has shown."""
THROWS = ("roll", "roll all", "secure")
LOSING = ("lost", "relay")
FLYING_START = "D7"
OUTCOMES = ("sisu stays", "loss", "card", "token", "spare", "finish", "retire")

Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class DieRolled:
    """A die as rolled. `post`: number of the post that rolled it, 0 before the roll; `throw`: the number of the throw
    in the turn; `order`: its place among the new dice (0: not new); `sides`: the other faces of the cube.
    """

    shown: DieShown
    post: int = 0
    throw: int = 0
    order: int = 0
    sides: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MoveRolled:
    """A move of the turn: its dice and its target space. `now`: it is rolled next."""

    dice: list[DieRolled]
    where: str
    now: bool = False


@dataclass(frozen=True, slots=True)
class Lamp:
    """A warning lamp, lit by the throw and post that it names. It is new when `order` is not 0."""

    lit: bool
    post: int = 0
    throw: int = 0
    order: int = 0


@dataclass(frozen=True, slots=True)
class TurnRolled:
    """A turn's dice on a page.

    `lamps_words` count the warnings; `calm`: SISU cancels the warnings; `lost`: control is lost; `outcome`: the results
    in sentences; `said`: the newest roll in words, for screen readers; `fresh`: rolled within the last FRESH.
    """

    seat: Seat
    flat_out: bool
    moves: list[MoveRolled]
    warnings: int
    lamps: list[Lamp]
    lamps_words: str
    calm: bool
    lost: bool
    over: bool
    outcome: list[str]
    said: str
    fresh: bool

    @property
    def drawn(self) -> list[object]:
        """Everything that a page shows of the turn, including its crew and number."""
        entry = self.seat.entry
        shown: list[object] = [getattr(self, each.name) for each in fields(self) if each.name != "seat"]
        return [self.seat.pk, entry.start_number, entry.colour, entry.crew, *shown]


def on_page(page: RunPage, view: Data, *, now: datetime) -> dict[str, Any]:
    """Return the dice of the stage page: `rolling`, the viewer's half-made turn; `rolled_now`, other turns that are
    fresh or not over; `rolled_before`, older turns.
    """
    found = turns(page, view, now=now)
    rolling = next((turn for turn in found if not turn.over and turn.seat == page.mine), None)
    others = [turn for turn in found if turn is not rolling]
    return {
        "rolling": rolling,
        "rolled_now": [turn for turn in others if turn.fresh or not turn.over],
        "rolled_before": [turn for turn in others if turn.over and not turn.fresh],
    }


def turns(page: RunPage, view: Data, *, now: datetime) -> list[TurnRolled]:
    """Return the turns whose dice a page shows, the newest first: the last one with rolled dice, and the viewer's own
    when it is fresh.
    """
    by_turn: dict[int, list[Post]] = {}
    for post in page.posts:
        by_turn.setdefault(post.made_in.pk, []).insert(0, post)
    rolled = [posts for posts in by_turn.values() if _is_complete_with_dice(posts)]
    own = [posts for posts in rolled if page.mine and posts[0].made_in.seat_id == page.mine.pk and _fresh(posts, now)]
    wanted = [*rolled[:1], *(posts for posts in own[:1] if posts is not rolled[0])]
    return [_turn(page, view, posts, now) for posts in wanted]


def _is_complete_with_dice(posts: Sequence[Post]) -> bool:
    """Return whether the page has all posts of a turn, and dice were rolled in it."""
    kinds = [event.kind for post in posts for event in post.events.all()]
    return "turn" in kinds and any(kind in THROWS for kind in kinds)


def _fresh(posts: Sequence[Post], now: datetime) -> bool:
    return now - posts[-1].at < FRESH


def _turn(page: RunPage, view: Data, posts: Sequence[Post], now: datetime) -> TurnRolled:
    """Return one turn from its posts, in their order."""
    events = [(post, event.data) for post in posts for event in post.events.all()]
    drivers = {seat.name: str(seat.entry) for seat in page.seats}
    laid = next(event for _post, event in events if event["kind"] == "turn")
    seat = next(seat for seat in page.seats if seat.pk == posts[0].made_in.seat_id)
    flat_out = laid["roll"] == "flat out"
    newest = posts[-1] if _fresh(posts, now) and posts[-1].number == page.run.version else None
    throws = [(post, event) for post, event in events if event["kind"] in THROWS]
    rolled_dice = _rolled_dice(throws, newest)
    lit = [die for together in rolled_dice for die in together if die.shown.face == "warning"]
    limit = facts().warning_limit
    half = view["turn"]
    over = half is None or half["driver"] != seat.name or posts[0].made_in.ended_at is not None
    calm = any(event["kind"] == "sisu" for _post, event in events)
    losing = not over and half["phase"] in LOSING and half["rule"] != FLYING_START
    lost = losing or any(event["kind"] == "loss" for _post, event in events)
    return TurnRolled(
        seat=seat,
        flat_out=flat_out,
        moves=_moves(laid["plan"], rolled_dice, over=over, leads=_leads(view, seat.name)),
        warnings=min(len(lit), limit),
        lamps=_lamps(lit, limit),
        lamps_words=_count(len(lit), limit),
        calm=calm,
        lost=lost,
        over=over,
        outcome=[sentence(event, drivers).text for _post, event in events if event["kind"] in OUTCOMES],
        said=_said(seat, [event for post, event in events if post is posts[-1]], len(lit), drivers, mine=page.mine),
        fresh=_fresh(posts, now),
    )


def _faces(event: Data) -> list[bool]:
    """Return the faces of a throw in one row; True is a warning. Secured dice show none."""
    if event["kind"] == "secure":
        return [False] * len(event["dice"])
    if event["kind"] == "roll":
        return list(event["faces"])
    return [face for together in event["faces"] for face in together]


def _rolled_dice(throws: Sequence[tuple[Post, Data]], newest: Post | None) -> list[list[DieRolled]]:
    """Return the rolled dice, move by move. Those of the newest post get their order: flat out die by die, else throw
    by throw.
    """
    rolled_dice: list[list[DieRolled]] = []
    order = 0
    for number, (post, event) in enumerate(throws, 1):
        at_once = event["kind"] == "roll all"
        groups = event["dice"] if at_once else [event["dice"]]
        faces = iter(_faces(event))
        order += post is newest
        for dice in groups:
            move = []
            for die in dice:
                move.append(_die(die, next(faces), event["kind"], post.number, number, order * (post is newest)))
                order += at_once and post is newest
            rolled_dice.append(move)
    return rolled_dice


def _moves(plan: str, rolled_dice: Sequence[list[DieRolled]], *, over: bool, leads: bool) -> list[MoveRolled]:
    """Return the moves of the plan with the faces of their dice; of a turn that is over only the rolled moves."""
    moves = []
    for number, move in enumerate(plan.split()):
        where = space_words(move.partition(":")[2].split("^")[-1])
        if number < len(rolled_dice):
            moves.append(MoveRolled(rolled_dice[number], where))
        elif not over:
            unrolled = [DieRolled(die_shown(die)) for die in _dice_of(move, leads=leads)]
            moves.append(MoveRolled(unrolled, where, now=number == len(rolled_dice)))
    return moves


def _die(die: str, face: bool, kind: str, post: int, throw: int, order: int) -> DieRolled:
    """Return a rolled die, with the other faces of its cube (D1)."""
    known = facts()
    landed = "secured" if kind == "secure" else "warning" if face else "clear"
    others = known.warnings[die] - (landed == "warning")
    sides = tuple("warning" if number < others else "clear" for number in range(known.faces - 1))
    return DieRolled(die_shown(die, landed), post, throw, order, () if landed == "secured" else sides)


def _dice_of(move: str, *, leads: bool) -> list[str]:
    """Return the dice of a move from its text in a plan."""
    text = move.partition(":")[0]
    first = text.rstrip("b")
    return [{"c": "leader" if leads else "coast", "x": "brake"}.get(first, first), *["brake"] * text.count("b")]


def _leads(view: Data, driver: str) -> bool:
    return view["leader"] == driver and not any(other["finished"] for other in view["drivers"].values())


def _lamps(lit: Sequence[DieRolled], limit: int) -> list[Lamp]:
    """Return as many lamps as the limit, of which the dice with a warning have lit the first, in the order in which
    they were rolled.
    """
    lamps = [Lamp(True, die.post, die.throw, die.order) for die in lit[:limit]]
    return lamps + [Lamp(False)] * (limit - len(lamps))


def _count(warnings: int, limit: int) -> str:
    if warnings > limit:
        words = _("%(count)d warnings, %(limit)d are too many")
    else:
        words = ngettext("%(count)d of %(limit)d warnings", "%(count)d of %(limit)d warnings", limit)
    return words % {"count": warnings, "limit": limit}


def _said(seat: Seat, events: Sequence[Data], warnings: int, drivers: Mapping[str, str], *, mine: Seat | None) -> str:
    """Return the newest post of a turn in words: each throw, the count of warnings, the results."""
    words = [] if seat == mine else [f"{seat.entry.crew}:"]
    for event in events:
        if event["kind"] == "secure":
            words.append(_("%(dice)s: secured.") % {"dice": capfirst(dice_words(event["dice"]))})
        elif event["kind"] in THROWS:
            dice = _("All dice") if event["kind"] == "roll all" else capfirst(dice_words(event["dice"]))
            values = {"dice": dice, "warnings": warnings_words(sum(_faces(event)))}
            words.append(_("%(dice)s: %(warnings)s.") % values)
    if any(event["kind"] in THROWS for event in events):
        words.append(_count(warnings, facts().warning_limit) + ".")
    saved = any(event["kind"] == "sisu" for event in events)
    for event in events:
        if event["kind"] == "phase" and event["phase"] in LOSING and not saved:
            words.append(_("The flying start fails.") if event["rule"] == FLYING_START else _("Control is lost."))
    words += [sentence(event, drivers).text for event in events if event["kind"] in ("sisu", *OUTCOMES)]
    return " ".join(words)
