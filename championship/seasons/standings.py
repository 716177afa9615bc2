"""Compute the tables of a season from results: pure functions over plain values, in whole points."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from championship.rallies.results.classification import places
from championship.seasons.schemes import Scheme, worth
from championship.seasons.tie_breaks import METRICS, Record


@dataclass(frozen=True, slots=True)
class Drive:
    """A driver's result in a round that is over: places from 1, None where the driver has none. `power` is the place on
    the power stage, `class_place` the one within `car_class`. `excluded`: officials have excluded the entry.
    """

    round: int
    driver: int
    place: int | None
    car_class: str = ""
    class_place: int | None = None
    power: int | None = None
    stage_wins: int = 0
    retired: bool = False
    excluded: bool = False


@dataclass(frozen=True, slots=True)
class Score:
    """The points of a round, of which `power` are for the power stage, and the place they were given for (the best one
    for a team). A dropped score does not count. The score of a round from which the driver was `excluded` is never
    dropped.
    """

    points: int
    place: int | None
    power: int = 0
    retired: bool = False
    dropped: bool = False
    excluded: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of a table. `scores` by round number; `total` without dropped scores; `record` is used for tie-breaks."""

    subject: int
    place: int
    total: int
    scores: Mapping[int, Score]
    record: Record


def drivers(scheme: Scheme, drives: Sequence[Drive], *, calendar: int) -> list[Standing]:
    """Return the drivers' table after the rounds that are over. `calendar`: how many rounds the whole season has."""
    return _table(scheme, _by_driver(drives), lambda drive: _overall_score(scheme, drive), calendar)


def in_class(scheme: Scheme, drives: Sequence[Drive], car_class: str, *, calendar: int) -> list[Standing]:
    """Return the table of a class: places among its cars, with the points of the class; the power stage
    does not count.
    """
    points = scheme.class_points or scheme.points
    here = [drive for drive in drives if drive.car_class == car_class]

    def score(drive: Drive) -> Score:
        return Score(worth(drive.class_place, points), drive.class_place, 0, drive.retired, excluded=drive.excluded)

    placed = [replace(drive, place=drive.class_place, power=None) for drive in here]
    return _table(scheme, _by_driver(placed), score, calendar, over={drive.round for drive in drives})


def teams(scheme: Scheme, drives: Sequence[Drive], members: Mapping[int, Collection[int]]) -> list[Standing]:
    """Return the teams' table: in each round, a team gets the scores of its best `team_counts` drivers. `members`:
    driver ids by team. No round is dropped.
    """
    by_driver = {line.subject: line for line in drivers(replace(scheme, drop=0), drives, calendar=0)}
    rounds = sorted({drive.round for drive in drives})
    scores: dict[int, dict[int, Score]] = {}
    records: dict[int, Record] = {}
    for team, people in members.items():
        scores[team] = {}
        for number in rounds:
            brought = [
                by_driver[person].scores[number]
                for person in people
                if person in by_driver and number in by_driver[person].scores
            ]
            best = sorted(brought, key=lambda each: -each.points)[: scheme.team_counts]
            if best:
                scores[team][number] = Score(
                    points=sum(each.points for each in best),
                    place=min((each.place for each in best if each.place is not None), default=None),
                    power=sum(each.power for each in best),
                )
        theirs = [drive for drive in drives if drive.driver in people]
        records[team] = _record(theirs, scores[team], latest=max(rounds, default=0))
    return _ranked(scheme, scores, records)


def progress(scheme: Scheme, drives: Sequence[Drive], *, calendar: int) -> dict[int, list[int]]:
    """Return each driver's totals after every round that is over, as the drivers' table had them at that time."""
    rounds = sorted({drive.round for drive in drives})
    found: dict[int, list[int]] = {}
    for subject, theirs in _by_driver(drives).items():
        brought = {drive.round: _overall_score(scheme, drive) for drive in theirs}
        found[subject] = []
        for over in range(1, len(rounds) + 1):
            so_far = {number: brought[number] for number in rounds[:over] if number in brought}
            kept = _dropped(so_far, rounds[:over], _surplus(scheme, over, calendar))
            found[subject].append(_total(kept))
    return found


def deciding_tie_break(scheme: Scheme, ahead: Standing, behind: Standing) -> str | None:
    """Return the name of the tie-break that put one line before the other; None where they differ in points, or share
    the place.
    """
    if ahead.total != behind.total:
        return None
    return next(
        (name for name in scheme.tie_breaks if METRICS[name].value(ahead.record) != METRICS[name].value(behind.record)),
        None,
    )


# Computing a table ---------------------------------------------------------------------------------


def _by_driver(drives: Iterable[Drive]) -> dict[int, list[Drive]]:
    found: dict[int, list[Drive]] = defaultdict(list)
    for drive in drives:
        found[drive.driver].append(drive)
    return found


def _overall_score(scheme: Scheme, drive: Drive) -> Score:
    power = worth(drive.power, scheme.power)
    return Score(worth(drive.place, scheme.points) + power, drive.place, power, drive.retired, excluded=drive.excluded)


def _surplus(scheme: Scheme, over: int, calendar: int) -> int:
    """Return how many rounds are dropped when `over` rounds are over."""
    return min(max(0, over - max(1, calendar - scheme.drop)), scheme.drop)


def _total(scores: Mapping[int, Score]) -> int:
    return sum(score.points for score in scores.values() if not score.dropped)


def _table(
    scheme: Scheme,
    by_subject: Mapping[int, Sequence[Drive]],
    score: Callable[[Drive], Score],
    calendar: int,
    over: Collection[int] | None = None,
) -> list[Standing]:
    rounds = sorted(over or {drive.round for drives in by_subject.values() for drive in drives})
    surplus = _surplus(scheme, len(rounds), calendar)
    scores: dict[int, Mapping[int, Score]] = {}
    records = {}
    for subject, drives in by_subject.items():
        brought = {drive.round: score(drive) for drive in drives}
        records[subject] = _record(drives, brought, latest=max(rounds, default=0))
        scores[subject] = _dropped(brought, rounds, surplus)
    return _ranked(scheme, scores, records)


def _dropped(brought: Mapping[int, Score], rounds: Sequence[int], surplus: int) -> dict[int, Score]:
    """Return the scores with the worst `surplus` of the season's rounds dropped: first rounds not driven, then by
    points. An exclusion cannot be dropped: it would cost a driver nothing who has a round to drop anyway.
    """
    missed = sum(number not in brought for number in rounds)
    may_be_dropped = [number for number, score in brought.items() if not score.excluded]
    worst = sorted(may_be_dropped, key=lambda number: (brought[number].points, -(brought[number].place or 0), number))
    dropped_rounds = set(worst[: max(0, surplus - missed)])
    return {number: replace(each, dropped=number in dropped_rounds) for number, each in sorted(brought.items())}


def _record(drives: Iterable[Drive], scores: Mapping[int, Score], *, latest: int) -> Record:
    driven: dict[int, list[int]] = defaultdict(list)
    wins = retirements = 0
    for drive in drives:
        if drive.place is not None:
            driven[drive.round].append(drive.place)
        wins += drive.stage_wins
        retirements += drive.retired
    return Record(
        places={number: sorted(found) for number, found in driven.items()},
        stage_wins=wins,
        power=sum(score.power for score in scores.values()),
        retirements=retirements,
        best_round=max((score.points for score in scores.values()), default=0),
        latest=latest,
    )


def _ranked(scheme: Scheme, scores: Mapping[int, Mapping[int, Score]], records: Mapping[int, Record]) -> list[Standing]:
    """Return lines by total, then by the metrics in their order. Lines that are still level share a place: 1, 1, 3."""
    totals = {subject: _total(brought) for subject, brought in scores.items()}
    sort_keys = {
        subject: (totals[subject], *(METRICS[name].value(records[subject]) for name in scheme.tie_breaks))
        for subject in scores
    }
    ranked = sorted(scores, key=lambda subject: sort_keys[subject], reverse=True)
    order = sorted(set(sort_keys.values()), reverse=True)
    shared = places([order.index(sort_keys[subject]) for subject in ranked])
    return [
        Standing(subject, place, totals[subject], scores[subject], records[subject])
        for subject, place in zip(ranked, shared, strict=True)
    ]
