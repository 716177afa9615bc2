"""Beats in words. Each kind has several sentences; the stage and the number of beats of the kind so far choose one, so
that the same stage always reads the same. A sentence is never said twice within a stage: one that would be is said in
other words, and not at all when the kind has no other words for it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from zlib import crc32

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext

from championship import catalogue
from championship.rallies.results import measures
from championship.rallies.results.measures import Measure, worse
from championship.rallies.results.retirement_reasons import Retirement
from championship.runs.watch.story.beats import NAMES, TELLING, CarKey, Scene
from championship.runs.watch.story.run_marks import RunMarks

MINUTE = 60
FIELD = re.compile(r"%\((\w+)\)s")

PHRASES: Mapping[str, Sequence[str]] = {
    "pace": (
        gettext_noop("%(driver)s sets the pace %(where)s, %(gap)s ahead of %(rival)s."),
        gettext_noop("The first leader is %(driver)s: %(gap)s on %(rival)s %(where)s."),
        gettext_noop("%(driver)s leads first, with %(gap)s on %(rival)s %(where)s."),
    ),
    "lead": (
        gettext_noop("%(driver)s takes the lead from %(rival)s %(where)s, %(gap)s ahead."),
        gettext_noop("A new leader %(where)s: %(driver)s, %(gap)s ahead of %(rival)s."),
        gettext_noop("%(rival)s loses the lead %(where)s; %(driver)s is %(gap)s ahead."),
        gettext_noop("%(driver)s in front! %(gap)s on %(rival)s %(where)s."),
        gettext_noop("The order at the top turns %(where)s: %(driver)s before %(rival)s, %(gap)s between them."),
        gettext_noop("%(driver)s finds a way past %(rival)s in the results: ahead by %(gap)s %(where)s."),
    ),
    "lead_gone": (
        gettext_noop("%(driver)s inherits the lead from %(rival)s %(where)s."),
        gettext_noop("With %(rival)s out, %(driver)s leads %(where)s."),
        gettext_noop("The lead of %(rival)s is gone; %(driver)s has it %(where)s."),
    ),
    "close": (
        gettext_noop("Only %(gap)s between %(driver)s and %(rival)s %(where)s."),
        gettext_noop("%(rival)s closes up on %(driver)s: %(gap)s %(where)s."),
        gettext_noop("It is close at the top: %(driver)s before %(rival)s, %(gap)s %(where)s."),
        gettext_noop("%(driver)s feels %(rival)s behind: %(gap)s %(where)s."),
    ),
    "level": (
        gettext_noop("%(driver)s and %(rival)s are level %(where)s."),
        gettext_noop("Nothing between %(driver)s and %(rival)s %(where)s: they share the lead."),
        gettext_noop("%(rival)s draws level with %(driver)s %(where)s."),
    ),
    "split": (
        gettext_noop("Best split %(section)s: %(driver)s, %(gap)s better than anybody else."),
        gettext_noop("Nobody is as good as %(driver)s %(section)s: %(gap)s better than the next."),
        gettext_noop("%(driver)s drives best %(section)s, by %(gap)s."),
        gettext_noop("A strong drive by %(driver)s %(section)s: %(gap)s won on all others."),
        gettext_noop("%(driver)s makes the most of it %(section)s, by %(gap)s."),
    ),
    "alone": (
        gettext_noop("%(driver)s is at the finish: %(time)s."),
        gettext_noop("Driven to the end: %(driver)s, %(time)s."),
    ),
    "first_in": (
        gettext_noop("%(driver)s is the first at the finish: %(time)s."),
        gettext_noop("First car in: %(driver)s, %(time)s."),
        gettext_noop("%(driver)s sets the mark at the finish: %(time)s."),
    ),
    "best_in": (
        gettext_noop("%(driver)s beats %(rival)s at the finish: %(time)s, %(gap)s better."),
        gettext_noop("The best result so far: %(driver)s, %(time)s, %(gap)s ahead of %(rival)s."),
        gettext_noop("%(time)s for %(driver)s: %(rival)s is pushed back by %(gap)s."),
        gettext_noop("%(driver)s takes the top of the board from %(rival)s: %(time)s, by %(gap)s."),
    ),
    "finish": (
        gettext_noop("%(driver)s finishes: %(time)s, %(gap)s behind %(rival)s."),
        gettext_noop("%(driver)s is in with %(time)s; %(rival)s stays ahead by %(gap)s."),
        gettext_noop("At the finish %(driver)s has %(time)s, %(gap)s short of %(rival)s."),
        gettext_noop("%(time)s for %(driver)s, and %(gap)s to %(rival)s."),
        gettext_noop("%(driver)s comes home with %(time)s, %(gap)s away from %(rival)s."),
    ),
    "finish_level": (
        gettext_noop("%(driver)s finishes level with %(rival)s: %(time)s."),
        gettext_noop("%(time)s for %(driver)s too, just as for %(rival)s."),
        gettext_noop("Not a hair between %(driver)s and %(rival)s at the finish: %(time)s each."),
    ),
    "out": (
        gettext_noop("%(driver)s is out: %(why)s."),
        gettext_noop("It ends early for %(driver)s: %(why)s."),
        gettext_noop("%(driver)s does not see the finish: %(why)s."),
        gettext_noop("No finish for %(driver)s: %(why)s."),
    ),
    "out_unknown": (
        gettext_noop("%(driver)s is out."),
        gettext_noop("It ends early for %(driver)s."),
        gettext_noop("%(driver)s does not see the finish."),
    ),
    "won": (
        gettext_noop("%(driver)s wins on the road: %(time)s, %(gap)s ahead of %(rival)s."),
        gettext_noop("Nobody beats %(driver)s: %(time)s, and %(gap)s to %(rival)s."),
        gettext_noop("It is decided: %(driver)s before %(rival)s, %(gap)s between them."),
    ),
    "won_close": (
        gettext_noop("By only %(gap)s: %(driver)s wins on the road before %(rival)s."),
        gettext_noop("A close finish: %(driver)s keeps %(gap)s on %(rival)s."),
        gettext_noop("%(gap)s decide it: %(driver)s before %(rival)s."),
    ),
    "won_level": (
        gettext_noop("%(time)s for both, and yet %(driver)s is placed before %(rival)s."),
        gettext_noop("Level at the finish, %(driver)s wins on the road before %(rival)s."),
    ),
    "won_place": (
        gettext_noop("%(driver)s wins on the road before %(rival)s."),
        gettext_noop("First is %(driver)s, second is %(rival)s."),
    ),
    "tie": (
        gettext_noop("%(driver)s and %(rival)s share the first place: %(time)s."),
        gettext_noop("A dead heat: %(time)s for %(driver)s and for %(rival)s."),
    ),
    "only_one": (
        gettext_noop("Only %(driver)s reaches the finish: %(time)s."),
        gettext_noop("One car alone is at the finish: %(driver)s, %(time)s."),
    ),
    "nobody": (
        gettext_noop("Nobody reaches the finish."),
        gettext_noop("Nobody is left: not one car is at the finish."),
    ),
}
"""The sentences of the core's kinds, to be translated when they are said. A game may have others for them."""


class Worder:
    """Puts the beats of one stage of a game into words, one after the other in the order of the plot.

    `names`: the crews by car. `seed`: a text that chooses the first sentence of each kind; it belongs to the stage.
    """

    def __init__(self, game: str, course: Any, names: Mapping[CarKey, str], measure: Measure, seed: str) -> None:
        self.telling = TELLING.of(game)
        self.phrases = {**PHRASES, **(self.telling.phrases if self.telling else {})}
        self.course, self.names, self.measure, self.seed = course, names, measure, seed
        self.at_border = catalogue.words_of(game).at_border
        self.counts: Counter[str] = Counter()
        self.said: set[tuple[Any, ...]] = set()

    def sentence(self, scene: Scene) -> str | None:
        """Return the sentence for a beat; None where nothing can be said of it that was not said."""
        kind, facts = scene.beat.kind, dict(scene.beat.facts)
        if kind == "lead" and facts.get("gap", 0) is None:
            kind = "lead_gone"
        phrases = self.phrases.get(kind, ())
        if not phrases:
            return None
        car: CarKey = tuple(facts.pop("who", scene.car))
        names = {"driver": self.names.get(car, scene.beat.seat)}
        for name in NAMES:
            if name in facts:
                other = facts[name]
                rival: CarKey = (scene.run, other) if isinstance(other, str) else tuple(other)
                names[name] = self.names.get(rival, str(other))
        start = crc32(f"{self.seed} {kind}".encode()) + self.counts[kind]
        for turn in range(len(phrases)):
            phrase = phrases[(start + turn) % len(phrases)]
            fields = set(FIELD.findall(phrase))
            shown = {field: names[field] if field in names else _fact(facts, field) for field in sorted(fields)}
            if (phrase, str(shown)) in self.said:
                continue
            self.said.add((phrase, str(shown)))
            self.counts[kind] += 1
            words = {field: names[field] if field in names else self._told(_fact(facts, field)) for field in fields}
            template = _(phrase)
            begins = FIELD.match(template)
            said = template % words
            return capfirst(said) if begins and begins[1] not in names else said
        return None

    def _told(self, shown: tuple[str, Any, bool]) -> str:
        """Return a fact in words: the game's, or the core's."""
        name, value, of_core = shown
        own = self.telling.fact(self.course, name, value) if self.telling else None
        if own is None and name == "border" and self.at_border != AT_SPLIT:
            return f"{self.at_border} {value + 1}"
        return CORE_FACTS[name](value, self.measure) if own is None and of_core else str(value if own is None else own)


def _fact(facts: Mapping[str, Any], field: str) -> tuple[str, Any, bool]:
    """Return the fact that a field of a sentence shows: its name, its value, and whether the core has words for it. The
    border of a beat is where it happens, and the end of the section that it is about. A section among the facts is the
    game's own, counted and called as the game likes.
    """
    if field in facts or field not in ("where", "section"):
        return field, facts.get(field), field in CORE_FACTS and field != "section"
    return ("border" if field == "where" else field), facts["border"], True


def seconds(number: int) -> str:
    """Return seconds within a sentence, short: "12 s", or "1:12 min" from a minute on."""
    if number < MINUTE:
        return _("%(number)s s") % {"number": number}
    return _("%(time)s min") % {"time": measures.clock_time(number)}


CORE_FACTS: Mapping[str, Callable[[Any, Measure], str]] = {
    "border": lambda border, _measure: pgettext("where in a stage", "at split %(number)d") % {"number": border + 1},
    "section": lambda border, _measure: pgettext("where in a stage", "in section %(number)d") % {"number": border + 1},
    "gap": lambda gap, measure: seconds(gap) if measure.unit == "seconds" else measures.amount(gap, measure),
    "time": measures.result,
    "why": lambda why, _measure: Retirement(0, why).reason,
}
"""The core's words for facts, in the measure of the game."""


AT_SPLIT = catalogue.Words().at_border
"""A game with other words than these before the number of a border has them in its stories too."""


def gap_told(car: CarKey, runs: Iterable[RunMarks], names: Mapping[CarKey, str], measure: Measure) -> str:
    """Return "You are 12 s behind Ada." or "You lead, 12 s ahead of Ada."; "" where no other car was at that border.

    Cars that have retired do not count.
    """
    marks = [mark for run in runs for mark in run.marks]
    out = {mark.car for mark in marks if mark.kind == "out"}
    own = {mark.border: mark.measured for mark in marks if mark.kind == "border" and mark.car == car}
    last = max((border for border, measured in own.items() if measured is not None), default=None)
    mine = None if last is None else own[last]
    others = [
        (worse(measure) * mark.measured, mark.car, mark.measured)
        for mark in marks
        if mark.kind == "border" and mark.border == last and mark.measured is not None and mark.car not in {car, *out}
    ]
    if mine is None or not others or car in out:
        return ""
    _key, rival, best = min(others)
    gap = worse(measure) * (mine - best)
    words = {"driver": names.get(rival, rival[1]), "gap": CORE_FACTS["gap"](abs(gap), measure)}
    if gap > 0:
        return _("You are %(gap)s behind %(driver)s.") % words
    if gap < 0:
        return _("You lead, %(gap)s ahead of %(driver)s.") % words
    return _("You are level with %(driver)s.") % words
