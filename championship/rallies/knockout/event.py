"""What a rally says about its event besides the rules of its game: heats and a final, and what a missed stage costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from championship.catalogue.words import Words
from championship.platform.refusals import Refused
from championship.rallies.knockout.plan import MOST_CUTS, Cut, Grid, Knockout, heat_sizes, in_words, plan_of
from championship.rallies.models import Rally
from championship.rallies.results import measures
from championship.rallies.results.selectors import Results
from engine import registry
from engine.contract import Game

HEAT_MODES = (Rally.Mode.CONVOY, Rally.Mode.AT_TABLE)
"""How stages with heats may be driven: all cars of a table together, on line or with the printed game."""
MOST_THROUGH = 60
"""The most cars of semi-finals."""


def event_of(rally: Rally) -> dict[str, Any]:
    """The settings of a rally as `set_event` takes them."""
    return {"knockout": rally.knockout, "missed": rally.missed, "missed_added": rally.missed_added}


def set_event(rally: Rally, given: Mapping[str, Any], stages: int) -> None:
    """Set the plan of heats and a final, and what a missed stage costs. The rally is not saved.

    `given`: `knockout`, as `Knockout.as_json` returns it, or {} for none; `missed`; `missed_added`. `stages`: how many
    stages the rally has.

    Raises: Refused when a value is not valid; it names the field.
    """
    plan, missed = plan_of(given.get("knockout")), given.get("missed", "")
    added = given.get("missed_added") or 0
    if missed not in Rally.Missed.values:
        raise Refused(_("Choose what a car gets that does not finish."), field="missed")
    if not 0 <= added <= measures.MOST_GIVEN:
        most = {"most": measures.amount(measures.MOST_GIVEN, rally.measure)}
        raise Refused(_("Give between 0 and %(most)s.") % most, field="missed_added")
    if plan is not None:
        _check(plan, rally, stages)
    rally.knockout = {} if plan is None else plan.as_json()
    rally.missed, rally.missed_added = missed, added if missed else 0


def _check(plan: Knockout, rally: Rally, stages: int) -> None:
    rules = registry.get(rally.game)
    refuse_other_stages(plan, stages, rally.words)
    if rally.mode not in HEAT_MODES:
        raise Refused(_("With heats, all cars of a table drive together. Choose that."), field="mode")
    if len(plan.cuts) > MOST_CUTS:
        raise Refused(_("Choose a final, or semi-finals and a final."), field="knockout")
    final = plan.cuts[-1]
    most = most_at_a_table(rules, rally.table_size)
    least = max(2, rules.seats.least)
    if not least <= final.cars <= most or len(heat_sizes(final.cars, rules, rally.all_options, rally.table_size)) != 1:
        says = _("The final is one table: from %(least)d to %(most)d cars.")
        raise Refused(says % {"least": least, "most": most}, field="final_cars")
    _check_each(final, "final_each")
    if len(plan.cuts) == MOST_CUTS:
        if not final.cars < plan.cuts[0].cars <= MOST_THROUGH:
            says = _("More cars than in the final, and at most %(most)d.")
            raise Refused(says % {"most": MOST_THROUGH}, field="semi_cars")
        _check_each(plan.cuts[0], "semi_each")


def refuse_other_stages(plan: Knockout, stages: int, words: Words) -> None:
    """Check the number of stages.

    Raises: Refused when it is not that of the plan.
    """
    if stages != plan.stages:
        says = words.fill(_("With this plan there are %(n)d [stages]: one for the heats, one for each step after."))
        raise Refused(says % {"n": plan.stages}, field="knockout")


def _check_each(cut: Cut, field: str) -> None:
    if cut.each > cut.cars:
        raise Refused(_("Not more than drive there: %(n)d.") % {"n": cut.cars}, field=field)


def most_at_a_table(rules: Game, table_size: int = 0) -> int:
    """The most cars at a table: the game's, or fewer where the rally says so."""
    return min(table_size, rules.seats.most) if table_size else rules.seats.most


def event_for_log(rally: Rally) -> dict[str, Any]:
    """The settings as the log stores them."""
    plan = rally.heats
    told: dict[str, Any] = {"missed stage": f"{rally.missed} {rally.missed_added}".strip() if rally.missed else ""}
    if plan is None:
        return {"heats": "", **told}
    cuts = ", ".join(f"{cut.cars} ({cut.each})" for cut in plan.cuts)
    return {"heats": f"{cuts}; {plan.division}; {plan.grid}", **told}


def starters_of(results: Results) -> int:
    """How many cars drive the heats: those that have driven them, else those that are confirmed."""
    return len(results.by_stage.get(1, {})) or len(results.entries)


def heats_of(rally: Rally, cars: int) -> int:
    """How many heats this number of cars makes in the rally."""
    return len(heat_sizes(cars, registry.get(rally.game), rally.all_options, rally.table_size))


def plan_in_words(rally: Rally, cars: int) -> str:
    """What comes of the rally's plan with this number of cars; "" for a rally without heats or without cars."""
    plan = rally.heats
    if plan is None:
        return ""
    return in_words(plan, cars, registry.get(rally.game), rally.all_options, rally.table_size)


def event_in_words(rally: Rally, results: Results) -> list[tuple[str, str]]:
    """The plan of heats and a final, and what a car gets that does not finish, as label and value."""
    rows = []
    plan = rally.heats
    if plan is not None:
        rows.append((_("Heats and a final"), plan_in_words(rally, starters_of(results)) or _("yes")))
        rows.append((_("Order within a heat"), str(Grid(plan.grid).label)))
    if rally.missed:
        added = measures.gap(rally.missed_added, rally.measure) or measures.amount(0, rally.measure)
        rows.append((_("A car that does not finish gets"), f"{rally.get_missed_display()} ({added})"))
    return rows
