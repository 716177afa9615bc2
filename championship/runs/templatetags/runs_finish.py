"""Template tags about the finish: where a car won and lost on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django import template
from django.template import Context
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from championship.catalogue.words import Words
from championship.platform.refusals import NotYet
from championship.rallies.models import SpecialStage
from championship.rallies.results.classification import Line
from championship.rallies.results.measures import amount
from championship.runs.models import Run
from championship.runs.watch import gaps, selectors
from championship.runs.watch.finish_card import FinishCard
from championship.runs.watch.split_sections import (
    CarSections,
    SplitSection,
    most_won_on_a_section,
    sections_of,
)

register = template.Library()
STEP, HALF = 10, 20
"""The width of a section and the height of the longest bar, in units of the drawing."""
LEAST = 1.5
"""The height of a bar for a section that was as good as the average."""


@dataclass(frozen=True, slots=True)
class StageSections:
    """The sections of the cars of a stage by entry id; empty where there is nothing to compare or to see. `most` is the
    scale of their bars. `runs`: the runs of the stage, where they have been read.
    """

    stage: SpecialStage
    borders: int = 0
    cars: Mapping[int, CarSections] = field(default_factory=dict)
    most: int = 0
    runs: Sequence[Run] | None = None

    @property
    def legend(self) -> str:
        """What the bars mean."""
        return _("A bar for each section: up is better than the average, down is worse, yellow is the best of all.")


@register.simple_tag(takes_context=True)
def sections_on_stage(context: Context, stage: SpecialStage) -> StageSections:
    """Return where the cars of a stage won and lost, and its runs. Four queries at most, one more where draws are
    shared, and the cache. None for a game without splits, an event for everybody, and one driven on paper. A viewer who
    may not watch all runs yet gets no sections.
    """
    if not gaps.has_splits(stage.rally.game) or stage.rally.for_everybody or stage.rally.on_paper:
        return StageSections(stage)
    runs = selectors.runs_of_stage(stage)
    try:
        found = gaps.of_runs(stage, runs, context["request"].user)
    except NotYet:
        return StageSections(stage, runs=runs)
    cars = {entry_id: car for entry_id, car in sections_of(found).items() if car.sections}
    return StageSections(stage, found.borders, cars, most_won_on_a_section(cars), runs)


@register.simple_tag
def bars_of(driven: StageSections, line: Line) -> SafeString:
    """Return the bars of the car of a line; "" where it has none."""
    car = driven.cars.get(line.entry.pk)
    return split_bars(car, borders=driven.borders, most=driven.most) if car else SafeString("")


@register.simple_tag
def told_sections(driven: StageSections, line: Line) -> str:
    """Return in a sentence where the car of a line won and lost most; "" where nothing is known."""
    car = driven.cars.get(line.entry.pk)
    if car is None:
        return ""
    rally, told = driven.stage.rally, []
    if won := car.most_won:
        said = {"where": _named(won, driven.borders, rally.words), "amount": amount(won.won, rally.measure)}
        told.append(_("Most won: %(where)s, %(amount)s better than the average.") % said)
    if lost := car.most_lost:
        said = {"where": _named(lost, driven.borders, rally.words), "amount": amount(lost.behind, rally.measure)}
        told.append(_("Most lost: %(where)s, %(amount)s behind the best.") % said)
    return " ".join(told)


@register.simple_tag
def own_bars(finish: FinishCard) -> SafeString:
    """Return the bars of the reader's own car."""
    if finish.sections is None:
        return SafeString("")
    most = max((abs(section.won) for section in finish.sections.sections), default=0)
    return split_bars(finish.sections, borders=finish.borders, most=most)


@register.simple_tag
def section_name(section: SplitSection, finish: FinishCard, words: Words) -> str:
    """Return the name of a section by the split at its end."""
    return _named(section, finish.borders, words)


def _named(section: SplitSection, borders: int, words: Words) -> str:
    if section.end > borders:
        return _("Finish")
    return str(words.border) % {"number": section.end}


def split_bars(car: CarSections, *, borders: int, most: int) -> SafeString:
    """Return the bars of a car as an SVG, one for each section between two splits: up where it was better than the
    average, down where it was worse. The SVG takes the width it gets; "" for a car that has no section. `most`: the
    distance from the average at which a bar is longest. Classes of static/css/finish.css colour them.
    """
    if not car.sections:
        return SafeString("")
    width = STEP * (borders + 1)
    bars = "".join(_bar(section.end, section.won, most, best=not section.behind) for section in car.sections)
    label = escape(_("Sections won and lost against the average, in driving order"))
    return mark_safe(  # noqa: S308 - numbers and escaped words
        f'<svg xmlns="http://www.w3.org/2000/svg" class="splitbars" viewBox="0 0 {width} {2 * HALF}" '
        f'preserveAspectRatio="none" role="img" aria-label="{label}"><path class="zero" d="M0 {HALF}H{width}"/>{bars}'
        f"</svg>"
    )


def _bar(end: int, won: int, most: int, *, best: bool) -> str:
    height = max(LEAST, HALF * abs(won) / most) if most else LEAST
    top = HALF - height if won >= 0 else HALF
    kind = "best" if best else "won" if won > 0 else "lost" if won < 0 else "even"
    return f'<rect class="{kind}" x="{STEP * (end - 1) + 1}" y="{top:.1f}" width="{STEP - 2}" height="{height:.1f}"/>'
