"""The panel of a driver: what is due, the possible choices and their effects, phase by phase."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.games.formula_d.cars import slipstreams
from championship.games.formula_d.ends import movement, targets
from championship.games.formula_d.forms import MOVEMENTS, REPAIRED, StandingForm, standing_words
from championship.games.formula_d.gearbox import chances, lever, next_best, only_words, start_words
from championship.games.formula_d.stakes import corner_ahead, places_expected, places_won, places_words
from championship.games.formula_d.words import TYRES, area_words, percent, spaces_words
from championship.platform.refusals import Refused, Stale
from championship.runs.models import Run, SentAhead
from championship.runs.run_pages import DraftShown
from championship.runs.watch.selectors import RunPage
from engine.contract import RuleError, State
from engine.formula_d.facts import facts
from engine.formula_d.game import FormulaD, game
from engine.formula_d.phases import PASS
from engine.formula_d.race import Race, repair_left, wet

DEFAULT_ORDERS_AHEAD: Mapping[str, Any] = {"way": "", "until": "turn"}
"""The orders ahead offered to a driver who has not given any."""

TYRE_RULES = ("T3", "T4", "W7")


@dataclass(frozen=True, slots=True)
class Panel:
    """The data of a driver's panel: the context of its templates, the marks on the map, and what is wrong with the path
    of the draft.
    """

    context: dict[str, Any]
    scene: dict[str, Any] = field(default_factory=dict)
    problem: str = ""
    rule: str = ""


@dataclass(frozen=True, slots=True)
class NumberField:
    """A number in a form: its field, its label, its value and its maximum."""

    name: str
    words: str
    value: int
    most: int


def panel_of(rules: FormulaD, state: State, seat: str, draft: DraftShown) -> Panel:
    """Return the panel of the driver who plays in this state."""
    phase = rules.phase(state, seat)
    if phase in MOVEMENTS:
        return _moving(rules, state, seat, draft)
    context: dict[str, Any] = {"phase": phase, "asks": draft.asks}
    scene: dict[str, Any] = {}
    if phase == "garage":
        context |= _garage(rules, state, seat, draft)
    elif phase == "pit":
        context |= _box(rules, state, seat, draft)
    else:
        odds = rules.odds(state, seat, {})

        def places(gear: Mapping[str, Any]) -> str:
            return places_words(places_expected(state, seat, gear["ends"]))

        keeps = state["cars"][seat]["gear"] if draft.asks else None
        gears = lever(odds["gears"], draft.sent.get("gear", "") or draft.at, places, keeps=keeps)
        looked_at = next(gear for gear in gears if gear.chosen)
        context |= {
            "gears": gears,
            "looked_at": looked_at,
            "instead": None if draft.asks else next_best(odds["gears"], gears),
            "start": start_words(odds.get("start", {})),
            "only": only_words(state, seat),
            "behind": ("Y4",),
            "standing": standing_form(draft, state["options"]),
            "meant": standing_words(draft.orders),
        }
        reach = list(looked_at.data["reach"])
        scene = {
            "chances": chances(looked_at),
            "reach": reach,
            "corner": corner_ahead(state, seat, reach),
            "slipstream": slipstreams(state, seat),
        }
    return Panel(context, scene)


def _moving(rules: FormulaD, state: State, seat: str, draft: DraftShown) -> Panel:
    """Return the panel for a movement (M, S, P7): its ends and the chosen path."""
    turn, car = state["turn"], state["cars"][seat]
    slips = [] if turn["pits"] or turn["over"] or turn["braked"] else slipstreams(state, seat, gear=car["gear"])
    try:
        moving = movement(rules, state, seat, draft, slips)
    except (Refused, Stale) as refused:
        moving, problem = movement(rules, state, seat, DraftShown(asks=draft.asks), slips), str(refused.message)
    else:
        problem = moving.problem
    context = {
        "phase": moving.phase,
        "asks": draft.asks,
        "moving": moving,
        "places": places_words(places_won(state, seat, moving.chosen.space)),
        "instead": None if draft.asks else next((end for end in moving.ends if not end.chosen), None),
        "die": {"gear": car["gear"], "shows": turn["count"], "great": turn["great"]},
        "count": spaces_words(facts().slip_spaces if moving.phase == "slip" else moving.count),
    }
    stays = draft.at == PASS
    scene = {
        "path": [] if stays else [car["space"], *moving.chosen.path],
        "targets": [replace(target, best=False) for target in targets(moving)] if stays else targets(moving),
        "slipstream": slips,
    }
    return Panel(context, scene, problem, moving.rule)


def _garage(rules: FormulaD, state: State, seat: str, draft: DraftShown) -> dict[str, Any]:
    """Return the context for the garage (T1, Y5): the kinds of tyres, and the areas when a car is built."""
    ways = rules.choices(state, seat)
    car, sent = state["cars"][seat], draft.sent
    most = ways.facts.get("sum", 0)
    repair = state["options"]["technical_pit"]
    return {
        "tyres": [(way.does["tyres"], str(TYRES[way.does["tyres"]])) for way in ways.ways if way.does["tyres"]],
        "tyres_chosen": sent.get("tyres", "") or _proposed_tyres(state, seat),
        "tyres_explanation": _tyre_explanation(state),
        "tyre_rules": TYRE_RULES,
        "build": [
            NumberField(f"build_{area}", area_words(area), _number(sent, f"build_{area}", car["wp"][area]), most)
            for area in ways.facts.get("areas", ())
        ],
        "build_sum": most,
        "behind": ("Y5",),
        "repair": NumberField("repair", _("repair points"), _number(sent, "repair", facts().repair), facts().repair)
        if repair and ways.facts
        else None,
    }


def _box(rules: FormulaD, state: State, seat: str, draft: DraftShown) -> dict[str, Any]:
    """Return the context for the box (P6, P10): tyres, and the pit die or a technical stop."""
    odds, car, options, sent = rules.odds(state, seat, {}), state["cars"][seat], state["options"], draft.sent
    best = {} if draft.asks else rules.autopilot(state, seat)
    most = min(facts().repair, repair_left(state, seat))
    lost = {area: car["full"][area] - car["wp"][area] for area in REPAIRED if area in car["wp"]}
    given = best.get("technical") or {}
    return {
        "fast": percent(odds["fast"]),
        "tyres": list(TYRES.items()) if options["tyres"] else [],
        "tyres_chosen": sent.get("tyres", "") or best.get("tyres", car["tyres"]),
        "tyres_explanation": _tyre_explanation(state),
        "tyre_rules": TYRE_RULES,
        "technical": sent.get("stop", "technical" if "technical" in best else "die") == "technical",
        "may_repair": options["technical_pit"],
        "repairs": [
            NumberField(
                f"repair_{area}",
                area_words(area),
                _number(sent, f"repair_{area}", given.get(area, 0)),
                min(number, most),
            )
            for area, number in lost.items()
            if min(number, most)
        ],
        "repair_points": most,
    }


def _number(sent: Mapping[str, str], name: str, default: int) -> int:
    """Return a number from a refused form, else the default."""
    text = sent.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else default


# Before the turn -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AheadShown:
    """Orders that were sent ahead: their words, their chances at the time of sending, what happened to them."""

    sent: SentAhead
    orders: list[str]
    outlook: str

    @property
    def waits(self) -> bool:
        return self.sent.state == SentAhead.State.WAITING

    @property
    def driven(self) -> bool:
        return self.sent.state == SentAhead.State.DRIVEN


def standing_form(draft: DraftShown, options: Mapping[str, Any]) -> StandingForm:
    """Return the form of orders ahead in a race with these options, with its values as sent or as last given."""
    return StandingForm(
        initial={**(draft.orders or DEFAULT_ORDERS_AHEAD), **{name: text for name, text in draft.sent.items() if text}},
        tyres=bool(options["tyres"]),
    )


def ahead_of(page: RunPage, draft: DraftShown) -> dict[str, Any] | None:
    """Return the context for orders before the turn; None for a spectator, or a driver who no longer drives."""
    if page.mine is None or page.mine.codriver_drives or page.run.status != Run.Status.RUNNING:
        return None
    rules: FormulaD = game()
    try:
        state = rules.ahead(page.run.state, page.mine.name)
        odds = rules.odds(state, page.mine.name, {})
    except RuleError:
        return None
    gears = lever(odds["gears"], draft.at)
    return {"standing": standing_form(draft, state["options"]), "gears": gears, "meant": standing_words(draft.orders)}


def sent_ahead(page: RunPage) -> dict[str, Any]:
    """Return the context for the orders that the viewer sent ahead last, as long as they wait or concern the latest
    turn.
    """
    sent = page.orders_ahead
    if sent is None or page.mine is None or sent.state == SentAhead.State.WITHDRAWN:
        return {}
    if sent.state != SentAhead.State.WAITING:
        newest = next(
            (post.turn_id for post in page.posts if post.turn_id and post.made_in.seat_id == page.mine.pk), None
        )
        turn_id = page.my_turn.pk if page.my_turn and sent.state == SentAhead.State.NOT_DRIVEN else newest
        if sent.turn_id is None or sent.turn_id != turn_id:
            return {}
    return {"sent_ahead": AheadShown(sent, standing_words(sent.orders), _outlook(sent.outlook))}


def _outlook(outlook: Mapping[str, Any]) -> str:
    """Return the chances of orders at the time of sending."""
    values = {
        "gear": outlook["gear"],
        "overshoot": percent(outlook["overshoot"]),
        "out": percent(outlook["out"]),
    }
    return _("As the cars stood: gear %(gear)d, %(overshoot)s to overshoot, %(out)s to go out.") % values


# The choice of tyres (T2 to T4, W7) ---------------------------------------------------------------


def _proposed_tyres(race: Race, seat: str) -> str:
    """Return the tyres that are proposed: in the wet those that slide least, else the car's current ones."""
    slide = facts().tyres.slide
    return min(slide, key=lambda kind: slide[kind]) if wet(race) else str(race["cars"][seat]["tyres"])


def _tyre_explanation(race: Race) -> str:
    """Return which kinds of tyres are sensible now, and why."""
    tyres = facts().tyres
    if wet(race):
        said = ngettext(
            "The track is wet: on wet tyres a car slides %(least)d space farther in a corner, on the others %(most)d.",
            "The track is wet: on wet tyres a car slides %(least)d spaces farther in a corner, on the others %(most)d.",
            min(tyres.slide.values()),
        ) % {"least": min(tyres.slide.values()), "most": max(tyres.slide.values())}
    else:
        said = _(
            "The track is dry: on their first lap, soft tyres can drive one more space a turn. On soft "
            "and on wet tyres an overshoot costs twice as much."
        )
    final = race["weather"] is None or race["weather"] in facts().weather.final
    return said if final else f"{said} {_('The weather may still change.')}"
