"""The tables of a season: which rounds count, totals and places."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from championship.seasons.scoring import ties
from championship.seasons.scoring.rounds import class_scores, drivers_scores, teams_scores
from championship.seasons.scoring.values import (
    COUNTED,
    Drops,
    Points,
    RoundScore,
    Season,
    SeasonRound,
    SeasonScheme,
    TableLine,
)

Scores = Mapping[int, RoundScore]
"""The scores of one subject, by round number."""


def drivers(season: Season) -> list[TableLine]:
    """Return the drivers' table."""
    adjusted = _adjusted((one.driver, one.points) for one in season.adjustments if one.driver)
    return _table(season, {each.number: drivers_scores(season, each) for each in _over(season)}, adjusted)


def in_class(season: Season, car_class: str) -> list[TableLine]:
    """Return the table of a class. A division is a season of its own: points by hand count in the table of the division
    in which the driver stands.
    """
    adjusted: dict[str, Points] = {}
    divisions = season.scheme.divisions
    if divisions is not None and car_class in divisions.names:
        stand = standing(season)
        here = [one for one in season.adjustments if one.driver and stand.get(one.driver) == car_class]
        adjusted = _adjusted((one.driver, one.points) for one in here)
    return _table(season, {each.number: class_scores(season, each, car_class) for each in _over(season)}, adjusted)


def standing(season: Season) -> Mapping[str, str]:
    """Return the division in which each driver stands: as the season says, else that of the latest result."""
    if season.stand is not None:
        return season.stand
    return {result.driver: result.car_class for each in season.rounds for result in each.results if result.car_class}


def classes(season: Season) -> dict[str, list[TableLine]]:
    """Return the tables of all classes: those of the scheme first, then the others that results name."""
    named = {result.car_class for each in season.rounds for result in each.results if result.car_class}
    return {
        name: in_class(season, name) for name in (*season.scheme.classes, *sorted(named - {*season.scheme.classes}))
    }


def teams(season: Season) -> list[TableLine]:
    """Return the teams' table; empty where teams do not score."""
    how = season.scheme.teams
    if how is None:
        return []
    adjusted = _adjusted((one.team, one.points) for one in season.adjustments if one.team)
    by_round = {each.number: teams_scores(season, each, how) for each in _over(season)}
    scheme = season.scheme
    if isinstance(how.drops, Drops):
        scheme = replace(scheme, drops=how.drops, nominated=0)
    elif not how.drops:
        scheme = replace(scheme, drops=Drops(), nominated=0)
    scheme = replace(scheme, least_starts=0)
    return _table(replace(season, scheme=scheme), by_round, adjusted, listed=season.teams)


def progress(season: Season) -> dict[str, list[Points]]:
    """Return each driver's totals after every round that is over, as the drivers' table had them at that time."""
    by_subject: dict[str, dict[int, RoundScore]] = defaultdict(dict)
    numbers = [each.number for each in _over(season)]
    for each in _over(season):
        for subject, score in drivers_scores(season, each).items():
            by_subject[subject][each.number] = score
    calendar = [each.number for each in season.rounds if not each.cancelled]
    found: dict[str, list[Points]] = {}
    for subject, scores in by_subject.items():
        found[subject] = []
        for over in range(1, len(numbers) + 1):
            so_far = {number: scores[number] for number in numbers[:over] if number in scores}
            dropped = _dropped(season.scheme, so_far, numbers[:over], calendar)
            given = sum(
                one.points
                for one in season.adjustments
                if one.driver == subject and (over == len(numbers) or (one.round or numbers[-1]) <= numbers[over - 1])
            )
            found[subject].append(given + sum(so_far[number].points for number in so_far if number not in dropped))
    return found


# Computing a table ---------------------------------------------------------------------------------


def _over(season: Season) -> list[SeasonRound]:
    """Return the rounds in which somebody has scored."""
    return [each for each in season.rounds if each.over and _somebody_scores(season, each)]


def _somebody_scores(season: Season, each: SeasonRound) -> bool:
    gone = {one.driver for one in season.withdrawn if one.from_round <= each.number}
    return any(not result.guest and result.driver not in gone for result in each.results)


def _adjusted(given: Iterable[tuple[str, Points]]) -> dict[str, Points]:
    found: dict[str, Points] = defaultdict(int)
    for subject, points in given:
        found[subject] += points
    return found


def _table(
    season: Season,
    by_round: Mapping[int, Mapping[str, RoundScore]],
    adjusted: Mapping[str, Points],
    *,
    listed: Sequence[str] = (),
) -> list[TableLine]:
    scheme = season.scheme
    calendar = [each.number for each in season.rounds if not each.cancelled]
    by_subject: dict[str, dict[int, RoundScore]] = defaultdict(dict, {subject: {} for subject in listed})
    for number, scores in by_round.items():
        for subject, score in scores.items():
            by_subject[subject][number] = score
    dropped = {subject: _dropped(scheme, scores, sorted(by_round), calendar) for subject, scores in by_subject.items()}
    totals = {
        subject: sum(score.points for number, score in scores.items() if number not in dropped[subject])
        + adjusted.get(subject, 0)
        for subject, scores in by_subject.items()
    }
    records = {
        subject: _record(
            {
                n: score
                for n, score in scores.items()
                if n not in scheme.tie_breaks_without
                and (scheme.tie_breaks_count != COUNTED or n not in dropped[subject])
            },
            latest=max(by_round, default=0),
        )
        for subject, scores in by_subject.items()
    }
    missing = {
        subject: _starts_missing(scheme, scores, sorted(by_round), calendar) for subject, scores in by_subject.items()
    }
    return [
        TableLine(
            place=place,
            subject=subject,
            total=totals[subject],
            scores=dict(sorted(by_subject[subject].items())),
            dropped=tuple(sorted(dropped[subject])),
            adjusted=adjusted.get(subject, 0),
            decided_by=decided_by,
            starts_missing=missing[subject],
        )
        for place, subject, decided_by in _ranked(scheme, totals, records, missing)
    ]


def _dropped(scheme: SeasonScheme, scores: Scores, over: Sequence[int], calendar: Sequence[int]) -> frozenset[int]:
    """Return the numbers of a subject's rounds that do not count."""
    if scheme.selects:
        others = {n for n, score in scores.items() if not (score.nominated or _stays(scheme, n, score))}
        kept = {number: score for number, score in scores.items() if number not in others}
        beyond = _worst(scheme, kept, sorted(kept), len(kept) - scheme.nominated)
        best = {number: score for number, score in kept.items() if number not in beyond}
        return frozenset(others) | beyond | _dropped_of(scheme, best, sorted(best), range(scheme.nominated))
    return _dropped_of(scheme, scores, over, calendar)


def _dropped_of(scheme: SeasonScheme, scores: Scores, over: Sequence[int], calendar: Sequence[int]) -> frozenset[int]:
    """Return which of these rounds the drops of the scheme leave out."""
    drops = scheme.drops
    if drops.parts:
        found = frozenset[int]()
        for part in drops.parts:
            here = [number for number in over if part.first <= number <= part.last]
            kept = {number: score for number, score in scores.items() if number in here}
            found |= _worst(scheme, kept, here, _meetings(drops, here) - part.best)
        return found
    return _worst(scheme, scores, over, _surplus(drops, _meetings(drops, over), _meetings(drops, calendar)))


def _meetings(drops: Drops, numbers: Iterable[int]) -> int:
    """Return how many rounds these are when those that are dropped together are one."""
    return len({drops.meeting(number) for number in numbers})


def _surplus(drops: Drops, over: int, calendar: int) -> int:
    """Return how many rounds are dropped when `over` of the calendar's rounds are over."""
    if drops.best:
        return over - drops.best
    return min(over - max(1, calendar - drops.worst), drops.worst)


def _stays(scheme: SeasonScheme, number: int, score: RoundScore) -> bool:
    """Return whether a score counts in any case: one of a round that is not dropped, or from which the subject was
    excluded.
    """
    return number in scheme.drops.never or (score.excluded and not scheme.excluded_may_be_dropped)


def _worst(scheme: SeasonScheme, scores: Scores, over: Sequence[int], surplus: int) -> frozenset[int]:
    """Return the worst `surplus` of these rounds: first those without a score, then by points. Rounds of a meeting are
    one: it stays when one of them stays.
    """
    meetings: dict[int, dict[int, RoundScore]] = {scheme.drops.meeting(number): {} for number in over}
    for number, score in scores.items():
        meetings.setdefault(scheme.drops.meeting(number), {})[number] = score
    stay = {scheme.drops.meeting(number) for number in scheme.drops.never}
    stay |= {scheme.drops.meeting(number) for number, score in scores.items() if _stays(scheme, number, score)}
    missed = sum(not driven and meeting not in stay for meeting, driven in meetings.items())

    def worth(meeting: int) -> tuple[int, int, int]:
        driven = meetings[meeting].values()
        best = min(score.place or ties.NOWHERE for score in driven)
        return sum(score.points for score in driven), -best, meeting

    worst = sorted((meeting for meeting, driven in meetings.items() if driven and meeting not in stay), key=worth)
    return frozenset(number for meeting in worst[: max(0, surplus - missed)] for number in meetings[meeting])


def _starts_missing(scheme: SeasonScheme, scores: Scores, over: Sequence[int], calendar: Sequence[int]) -> int:
    """Return how many starts a subject lacks that the rest of the calendar cannot give."""
    to_come = len(calendar) - len(over)
    return max(0, scheme.least_starts - to_come - sum(score.started for score in scores.values()))


def _record(scores: Scores, *, latest: int) -> ties.SeasonRecord:
    return ties.SeasonRecord(
        places={number: score.places for number, score in scores.items() if score.places},
        stage_wins=sum(score.stage_wins for score in scores.values()),
        power=sum(score.power for score in scores.values()),
        retirements=sum(score.retirements for score in scores.values()),
        best_round=max((score.points for score in scores.values()), default=0),
        starts=sum(score.started for score in scores.values()),
        latest=latest,
    )


def _ranked(
    scheme: SeasonScheme,
    totals: Mapping[str, Points],
    records: Mapping[str, ties.SeasonRecord],
    missing: Mapping[str, int],
) -> list[tuple[int, str, str | None]]:
    """Return place, subject and the deciding tie-break, best first. Subjects that stay level share a place, in the
    order of their names, and the next place is skipped. Those with too few starts are behind all others.
    """
    found: list[tuple[int, str, str | None]] = []
    rank = {subject: (not missing[subject], points) for subject, points in totals.items()}
    for worth in sorted(set(rank.values()), reverse=True):
        group = sorted(subject for subject, own in rank.items() if own == worth)
        for level, decided_by in _split(scheme.tie_breaks, group, records):
            place = len(found) + 1
            found += [(place, subject, decided_by) for subject in level]
    return found


def _split(
    names: Sequence[str], group: list[str], records: Mapping[str, ties.SeasonRecord]
) -> list[tuple[list[str], str | None]]:
    """Return a group with equal points as groups that stay level, each with the tie-break that put it behind the one
    before it.
    """
    if len(group) == 1 or not names:
        return [(group, None)]
    found: list[tuple[list[str], str | None]] = []
    for part in ties.split(names[0], group, records):
        inner = _split(names[1:], part, records)
        first, decided_by = inner[0]
        found += [(first, names[0] if found else decided_by), *inner[1:]]
    return found
