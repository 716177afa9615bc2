"""What a scheme says besides its points, in plain sentences for pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from django.utils.formats import localize
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from championship import catalogue
from championship.seasons.schemes import Scheme
from championship.seasons.scoring.values import (
    BEST,
    COUNTED,
    DIVIDE,
    EACH,
    KEEP_THE_PLACE,
    NONE,
    RERANK,
    Bonus,
    Drops,
    Points,
    SeasonScheme,
    as_number,
)


def sentences(scheme: Scheme) -> list[str]:
    """Return what the scheme says in `further`; empty for a scheme without."""
    return [*_sentences(scheme.rules()), *_of_further(scheme)] if scheme.further else []


def _of_further(scheme: Scheme) -> Iterator[str]:
    """Yield what a scheme says only where it says it: about shared cars, and points of classes."""
    shared = scheme.further.get("shared")
    if shared == DIVIDE:
        yield _("Drivers who share a car divide its points.")
    elif shared == EACH:
        yield _("Drivers who share a car get all its points each.")
    elif shared == NONE:
        yield _("Drivers who share a car get no points.")
    for name, said in scheme.further.get("classes", {}).items():
        if said.get("points"):
            points = " – ".join(localize(value) for value in said["points"])
            yield _("In %(class)s: %(points)s.") % {"class": name, "points": points}


def bonus_label(kind: str) -> str:
    """Return the name of a bonus."""
    return {
        "fastest_lap": _("fastest lap"),
        "pole": _("pole position"),
        "stage_win": pgettext("bonus", "stage won"),
    }[kind]


def who_says(kind: str) -> str:
    """Return who says who gets a bonus: the results, games that know it, or an organiser."""
    if kind == "stage_win":
        return _("Counted from the results.")
    knowing = catalogue.knowing(kind)
    if not knowing:
        return _("No game says it: an organiser names the driver for each round, on the page “Points of rounds”.")
    says = _("%(games)s: from the results. Otherwise an organiser names the driver, on the page “Points of rounds”.")
    return says % {"games": ", ".join(map(str, knowing))}


def _sentences(rules: SeasonScheme) -> Iterator[str]:
    for kind, bonus in rules.bonus.items():
        yield _bonus(kind, bonus)
    if rules.participation:
        said = {"points": localize(as_number(rules.participation))}
        yield _("Points for everybody who is classified: %(points)s.") % said
    if rules.start:
        yield _("Points for everybody who starts: %(points)s.") % {"points": localize(as_number(rules.start))}
    if rules.equal_places == DIVIDE:
        yield _("Cars on an equal place divide the points of the places that they take up.")
    if rules.drops.best:
        yield (
            ngettext("Only the best round counts.", "Only the best %(n)d rounds count.", rules.drops.best)
            % {"n": rules.drops.best}
        )
    for part in rules.drops.parts:
        rounds = {"first": part.first, "last": part.last, "best": part.best}
        yield _("Of rounds %(first)d to %(last)d the best %(best)d count.") % rounds
    for first, last in rules.drops.together:
        yield _("Rounds %(first)d to %(last)d are counted and dropped as one.") % {"first": first, "last": last}
    if rules.joker != 1:
        says = ngettext(
            "A driver plays a joker in %(n)d round: it counts × %(factor)s, not for a team.",
            "A driver plays a joker in %(n)d rounds: each counts × %(factor)s, not for a team.",
            rules.nominated,
        )
        yield says % {"n": rules.nominated, "factor": localize(as_number(int(rules.joker * 100)))}
    elif rules.nominated:
        says = ngettext(
            "A driver nominates %(n)d round; no other counts.",
            "A driver nominates %(n)d rounds; no others count.",
            rules.nominated,
        )
        yield says % {"n": rules.nominated}
    if rules.drops.never:
        yield _("These rounds are never dropped: %(rounds)s.") % {"rounds": _rounds(rules.drops.never)}
    if rules.least_starts:
        says = ngettext(
            "Drivers who have not started %(n)d round stand behind all others.",
            "Drivers who have not started %(n)d rounds stand behind all others.",
            rules.least_starts,
        )
        yield says % {"n": rules.least_starts}
    if rules.two_cars == BEST:
        yield _("A driver of two cars gets the points of the better one.")
    yield from _of_tables(rules)
    if rules.excluded_may_be_dropped:
        yield _("A round from which a driver was excluded may be dropped.")
    if rules.guests == KEEP_THE_PLACE:
        yield _("Cars that do not score keep their places; those points go to nobody.")
    if rules.tie_breaks_count == COUNTED:
        yield _("Tie-breaks look only at the rounds that count.")
    if rules.tie_breaks_without:
        yield _("Tie-breaks do not look at these rounds: %(rounds)s.") % {"rounds": _rounds(rules.tie_breaks_without)}
    yield from _of_teams(rules)


def _of_tables(rules: SeasonScheme) -> Iterator[str]:
    """Yield the tables of points by the number of cars and by game that differ from the usual ones."""
    for size in rules.sizes:
        said = {"n": size.cars, "points": _in_order(size.points)}
        yield ngettext("With %(n)d car or more: %(points)s.", "With %(n)d cars or more: %(points)s.", size.cars) % said
    for game, points in rules.games.items():
        said = {"game": str(catalogue.get(game)) if game in catalogue.names() else game, "points": _in_order(points)}
        yield _("In rounds of %(game)s: %(points)s.") % said


def _rounds(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))


def _in_order(points: Sequence[Points]) -> str:
    return " – ".join(localize(as_number(value)) for value in points)


def _of_teams(rules: SeasonScheme) -> Iterator[str]:
    teams = rules.teams
    if teams is None:
        return
    if teams.how == RERANK:
        yield _("Teams: the cars that count are ranked among themselves, and get the points of those places.")
    if teams.points:
        yield _("Points for teams: %(points)s.") % {"points": _in_order(teams.points)}
    if not teams.power:
        yield _("Points of the power stage do not count for teams.")
    if not teams.bonus:
        yield _("Bonuses do not count for teams.")
    if isinstance(teams.drops, Drops):
        yield from _of_drops(teams.drops)
    elif teams.drops:
        yield _("Teams drop rounds as drivers do.")


def _of_drops(drops: Drops) -> Iterator[str]:
    """Yield which rounds of teams count, where drivers drop others."""
    if drops.best:
        yield _("Rounds that count for a team, the best ones: %(n)d.") % {"n": drops.best}
    if drops.worst:
        yield _("Rounds that a team drops, the worst ones: %(n)d.") % {"n": drops.worst}
    for part in drops.parts:
        rounds = {"first": part.first, "last": part.last, "best": part.best}
        yield _("Of rounds %(first)d to %(last)d the best %(best)d count for a team.") % rounds


def _bonus(kind: str, bonus: Bonus) -> str:
    said = {"what": bonus_label(kind), "points": localize(as_number(bonus.points)), "n": bonus.within}
    if bonus.within is None:
        says = _("Bonus points, %(what)s: %(points)s.") % said
    else:
        says = _("Bonus points, %(what)s: %(points)s, only for the first %(n)d places.") % said
    if bonus.shared == EACH or kind == "stage_win":
        return says
    return f"{says} " + _("Several who have it divide them.")
