"""The panel in which a driver lays and rolls dice: legal moves, the plan so far, the dice as rolled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _

from championship.games.dirt import move_choices, relay_spots, risk
from championship.games.dirt.forms import StandingForm
from championship.games.dirt.later import LaterMoves
from championship.games.dirt.marks import Target
from championship.games.dirt.words import (
    LOSSES,
    DieShown,
    die_shown,
    space_words,
    standing_words,
    warnings_to_stop_at,
)
from championship.platform.prepared_queries import prepared
from championship.runs.models import Event as EventRow
from championship.runs.models import Run, SentAhead
from championship.runs.run_pages import DraftShown
from championship.runs.watch.selectors import RunPage
from engine.contract import Event, RuleError, State
from engine.dirt.choices import LAYING, Part, legal_part
from engine.dirt.game import Dirt, game
from engine.dirt.legal_moves import Choice, Choices
from engine.dirt.legal_moves import choices as choices_of


def default_standing_orders() -> dict[str, Any]:
    """Return the standing orders offered to a driver who has not given any."""
    return {"roll": "one by one", "stop_at": warnings_to_stop_at()}


@dataclass(frozen=True, slots=True)
class LaidShown:
    """A move of the plan as laid, with the faces of its dice once rolled. `href` leads to the choices in its place, ""
    where it cannot be changed; `changing`: they are shown.
    """

    dice: list[DieShown]
    where: str
    done: bool
    now: bool
    href: str = ""
    changing: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """The data of a driver's panel: the state in which the driver lays dice, the legal part of the draft, the cards
    that everyone has seen.
    """

    rules: Dirt
    state: State
    driver: str
    legal: Part
    draft: DraftShown
    seen: Sequence[Event] = ()

    @property
    def choices(self) -> Choices:
        """The legal ways to go on."""
        return self.legal.choices

    @property
    def plan(self) -> str:
        """The legal part of the draft."""
        return self.legal.plan

    @property
    def changing(self) -> int:
        """The number of the laid move that the driver changes, from 1; 0 for none."""
        return self.draft.change if self.draft.change <= len(self.plan.split()) else 0

    @property
    def problem(self) -> str:
        """What is wrong with the rest of the draft."""
        error = self.legal.error
        if error is None:
            return ""
        said = error.words(_)
        if not error.move:
            return said
        if self.draft.kept:
            words = _("The stage has moved on: move %(move)d of your draft no longer fits. %(said)s")
        else:
            words = _("Move %(move)d: %(said)s")
        return words % {"move": error.move, "said": said}

    @property
    def rule(self) -> str:
        """The rule behind the problem."""
        return self.legal.error.rule if self.legal.error else ""


def cards_seen(run: Run) -> list[Event]:
    """Return the run's events about its decks, in order. One query."""
    return [data for (data,) in _deck_events(run=run.pk, newest=run.events_told)]


@prepared
def _deck_events(run: Any, newest: Any) -> QuerySet[EventRow, tuple[Any]]:
    rows = EventRow.objects.filter(run=run, kind__in=("loss", "card"), number__lte=newest).order_by("number")
    return rows.values_list("data")


def panel_of(rules: Dirt, state: State, driver: str, draft: DraftShown, seen: Sequence[Event] = ()) -> Panel:
    """Return the panel of the driver who plays in this state; `seen` as `cards_seen` returns it."""
    legal = legal_part(state, driver, draft.plan)
    if legal.choices.phase not in LAYING:
        draft = DraftShown(orders=draft.orders)
    return Panel(rules, state, driver, legal, draft, seen)


def show(panel: Panel) -> tuple[dict[str, Any], list[Target]]:
    """Return the context of the panel, and the spaces of the map that may be chosen."""
    choices, plan = panel.choices, panel.plan
    facts = dict(choices.facts)
    turn_odds, meant = panel.rules.turn_odds(panel.state, panel.driver, panel.seen), panel.draft.orders
    context: dict[str, Any] = {
        "orders": choices.orders,
        "facts": facts,
        "plan": plan,
        "typed": panel.draft.plan,
        "standing": SimpleLazyObject(lambda: StandingForm(initial=meant or default_standing_orders())),
        "standing_initial": meant or default_standing_orders(),
        "meant": standing_words(meant),
    }
    if choices.phase not in LAYING:
        context["rest"] = risk.of_rest(turn_odds, choices.phase, facts, meant)
        context["next_dice"] = [die_shown(die) for die in facts["dice"][facts["made"]]] if _has_next_move(facts) else []
        context["loses_words"] = str(LOSSES.get(facts["rule"] or "", ""))
        return context, []
    before, offered, behind = _place_to_lay(panel)
    risks = risk.of_moves(turn_odds, before, offered, meant)
    moves = [move_choices.shown(move, before, risky, behind) for move, risky in zip(offered, risks, strict=True)]
    near = [shown for move, shown in zip(offered, moves, strict=True) if move.to == panel.draft.at]
    laid = _laid_draft(plan, leads=bool(facts.get("leads")), changing=panel.changing)
    context |= {
        "moves": near or moves,
        "fans": move_choices.fans(offered, moves),
        "refused_dice": move_choices.refused_dice(panel.state, panel.driver, before, offered),
        "looking_at": space_words(panel.draft.at) if near else "",
        "laid": laid,
        "tray": _tray(facts) if facts else [],
        "here": move_choices.href_of(plan, **_change(panel)) if near else move_choices.href_of(plan),
    }
    if panel.changing:
        changed = plan.split()[panel.changing - 1]
        context |= {"change": panel.changing, "changed": laid[panel.changing - 1], "changed_text": changed}
        context["changed_space"] = next((move.to for move in offered if move.text == changed), "")
    if choices.phase == "plan":
        context["later"] = LaterMoves(panel.state, panel.driver)
    if choices.phase == "relay":
        context["rest"] = risk.of_rest(turn_odds, choices.phase, facts)
        context["can_lay"] = _ends_in_loss(panel)
        if not plan and not panel.draft.at:
            context["spots"] = found = relay_spots.shown(panel.state, panel.driver, turn_odds)
            return context, relay_spots.targets(found)
    else:
        context["risk"] = risk.of_plan(turn_odds, plan, meant)
    return context, move_choices.targets(offered, moves, plan, **_change(panel))


def _change(panel: Panel) -> dict[str, str]:
    """Return what the address says of the move that is changed."""
    return {"change": str(panel.changing)} if panel.changing else {}


def _place_to_lay(panel: Panel) -> tuple[str, Sequence[Choice], str]:
    """Return the plan before the place where a die is laid, the moves that are legal there, and the plan behind it. The
    place is the end of the plan, or a laid move that the driver changes.
    """
    if not panel.changing:
        return panel.plan, panel.choices.moves, ""
    moves = panel.plan.split()
    before, behind = " ".join(moves[: panel.changing - 1]), " ".join(moves[panel.changing :])
    return before, choices_of(panel.state, panel.driver, before).moves, behind


# Before the turn -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AheadShown:
    """A plan that was sent ahead: its moves, the orders in short, what happened to it and why."""

    sent: SentAhead
    laid: list[LaidShown]
    orders: list[str]

    @property
    def waits(self) -> bool:
        """Whether its turn has not come yet."""
        return self.sent.state == SentAhead.State.WAITING

    @property
    def driven(self) -> bool:
        """Whether the turn was played with it."""
        return self.sent.state == SentAhead.State.DRIVEN


def before_the_turn(page: RunPage, draft: DraftShown) -> Panel | None:
    """Return the panel of a driver who waits for the turn, as if it had come; None for a spectator."""
    if page.mine is None or page.mine.codriver_drives or page.run.status != Run.Status.RUNNING:
        return None
    rules = game()
    try:
        state = rules.ahead(page.run.state, page.mine.name)
    except RuleError:
        return None
    return panel_of(rules, state, page.mine.name, draft, cards_seen(page.run))


def show_ahead(panel: Panel) -> tuple[dict[str, Any], list[Target]]:
    """Return the context of the panel before the turn, and the spaces of the map that may be chosen: none before the
    driver has begun a plan.
    """
    if panel.choices.forced:
        return {"ahead": "blocked", "ahead_blocked": _(panel.choices.why), "plan": "", "typed": panel.draft.plan}, []
    context, targets = show(panel)
    begun = bool(panel.plan or panel.draft.at)
    return context | {"ahead": "laying" if begun else "idle"}, targets if begun else []


def sent_ahead(page: RunPage) -> dict[str, Any]:
    """Return the context for the plan that the viewer sent ahead last, as long as it waits or concerns the latest
    turn.
    """
    sent = page.orders_ahead
    if sent is None or page.mine is None or sent.state == SentAhead.State.WITHDRAWN:
        return {}
    if sent.state != SentAhead.State.WAITING:
        newest = next((post.turn_id for post in page.posts if post.made_in.seat_id == page.mine.pk), None)
        turn_id = page.my_turn.pk if page.my_turn and sent.state == SentAhead.State.NOT_DRIVEN else newest
        if sent.turn_id is None or sent.turn_id != turn_id:
            return {}
    return {"sent_ahead": AheadShown(sent, _laid_draft(sent.laid), standing_words(sent.orders))}


def _has_next_move(facts: Mapping[str, Any]) -> bool:
    return bool(facts["made"] < len(facts["dice"]))


def _laid_draft(plan: str, *, leads: bool = False, changing: int | None = None) -> list[LaidShown]:
    """Return the moves of a plan. `changing`: the number of the move that is changed, 0 for none; None where none can
    be.
    """
    laid = []
    for number, move in enumerate(plan.split(), 1):
        die, _colon, space = move.partition(":")
        gear = die.rstrip("b")
        dice = [{"c": "leader" if leads else "coast", "x": "brake"}.get(gear, gear), *["brake"] * die.count("b")]
        laid.append(
            LaidShown(
                dice=[die_shown(d) for d in dice],
                where=space_words(space.split("^")[-1]),
                done=False,
                now=False,
                href="" if changing is None else move_choices.href_of(plan, change=str(number)),
                changing=number == changing,
            )
        )
    return laid


def _tray(facts: Mapping[str, Any]) -> list[DieShown]:
    """Return the dice that are left to lay."""
    coast = "leader" if facts["leads"] else "coast"
    return [
        *(die_shown(str(gear)) for gear in facts["gear_dice"]),
        *(die_shown(coast) for _n in range(facts["coasts_left"])),
        *(die_shown("brake") for _n in range(facts["brakes_left"])),
    ]


def _ends_in_loss(panel: Panel) -> bool:
    """Return whether a re-lay may be sent as it is (R6)."""
    *before, last = panel.plan.split() or [""]
    try:
        choices = choices_of(panel.state, panel.driver, " ".join(before))
    except RuleError:
        return False
    return any(move.text == last and move.loses for move in choices.moves)
