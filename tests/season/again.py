"""Computes the tables of a season a second time, in a simple way, from raw stage times, cards, penalties and the
scheme.

It uses nothing of the service's own classification, tables and tie-breaks, because it checks these.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from championship.rallies.models import Entry, Exclusion, Penalty, Rally, StageTime, TimeByHand, TimeControlCard
from championship.seasons.models import Championship

Points = dict[int, dict[int, int]]
"""Points by driver (or team), then by round number."""
LAST = 10**6
"""A place after all real places."""


def rally_seconds(rally: Rally) -> tuple[dict[int, int], dict[int, dict[int, int]], set[tuple[int, int]]]:
    """Return the total seconds by entry; the seconds by stage number and entry (driven or set by hand, added at time
    control, given); and the pairs of stage and entry that ended in retirement. Penalties that officials have lifted do
    not count.
    """
    by_stage: dict[int, dict[int, int]] = defaultdict(dict)
    retired = set()
    for time in StageTime.objects.filter(special_stage__rally=rally).select_related("special_stage"):
        assert time.measure is not None
        by_stage[time.special_stage.number][time.entry_id] = time.measure
        if time.retired:
            retired.add((time.special_stage.number, time.entry_id))
    for hand in TimeByHand.objects.filter(special_stage__rally=rally).select_related("special_stage"):
        if hand.lifted_at is None:
            by_stage[hand.special_stage.number][hand.entry_id] = hand.measure
            retired.discard((hand.special_stage.number, hand.entry_id))
    for card in TimeControlCard.objects.filter(special_stage__rally=rally).select_related("special_stage"):
        by_stage[card.special_stage.number][card.entry_id] += card.amount
    totals: dict[int, int] = defaultdict(int)
    for penalty in Penalty.objects.filter(rally=rally).select_related("special_stage"):
        if penalty.lifted_at is not None:
            continue
        if penalty.special_stage is None:
            totals[penalty.entry_id] += penalty.amount
        else:
            by_stage[penalty.special_stage.number][penalty.entry_id] += penalty.amount
    for times in by_stage.values():
        for entry, seconds in times.items():
            totals[entry] += seconds
    return totals, by_stage, retired


def place(key: int, seconds: Mapping[int, int], among: Iterable[int]) -> int:
    """Return one more than the number of faster ones."""
    return 1 + sum(seconds[other] < seconds[key] for other in among)


def worth(at: int | None, points: Sequence[int]) -> int:
    return points[at - 1] if at is not None and at <= len(points) else 0


@dataclass(slots=True)
class Deeds:
    """The record of a driver or team in the season: points and power points by round; places by round, stages won,
    retirements, rounds from which officials excluded the driver.
    """

    points: dict[int, int] = field(default_factory=dict)
    power: dict[int, int] = field(default_factory=dict)
    places: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    stages_won: int = 0
    retirements: int = 0
    excluded: set[int] = field(default_factory=set)


def deeds_of(championship: Championship) -> tuple[dict[int, Deeds], dict[str, dict[int, Deeds]]]:
    """Return the deeds by driver: overall, with the power stage; and in each class, with places within the class."""
    overall: dict[int, Deeds] = defaultdict(Deeds)
    classes: dict[str, dict[int, Deeds]] = {name: defaultdict(Deeds) for name in championship.classes}
    for round in championship.rounds.filter(rally__status="finished").select_related("rally"):
        totals, by_stage, retired = rally_seconds(round.rally)
        entries = {entry.pk: entry for entry in Entry.objects.filter(rally=round.rally, status="confirmed")}
        out = set(Exclusion.objects.filter(entry__in=entries, lifted_at=None).values_list("entry", flat=True))
        classified = entries.keys() - out
        power_stage = round.power_stage or max(by_stage)
        for pk, entry in entries.items():
            at = place(pk, totals, classified) if pk in classified else None
            on_power = None
            if pk in classified and (power_stage, pk) not in retired:
                on_power = place(pk, by_stage[power_stage], classified)
            won = sum(
                pk in classified and place(pk, times, classified & times.keys()) == 1 for times in by_stage.values()
            )
            stopped = any(entry_id == pk for _stage, entry_id in retired)
            if pk in out:
                overall[entry.driver_id].excluded.add(round.number)
                if entry.car_class in classes:
                    classes[entry.car_class][entry.driver_id].excluded.add(round.number)
            in_class = [other for other in classified if entries[other].car_class == entry.car_class]
            within = place(pk, totals, in_class) if pk in classified else None
            bonus = worth(on_power, championship.power)
            points = worth(at, championship.points) + bonus
            _add(overall[entry.driver_id], round.number, at, points, bonus, won, stopped)
            if entry.car_class in classes:
                points = worth(within, championship.class_points or championship.points)
                _add(classes[entry.car_class][entry.driver_id], round.number, within, points, 0, won, stopped)
    return overall, classes


def _add(deeds: Deeds, number: int, at: int | None, points: int, power: int, won: int, retired: bool) -> None:
    deeds.points[number], deeds.power[number] = points, power
    if at is not None:
        deeds.places[number].append(at)
    deeds.stages_won += won
    deeds.retirements += retired


def team_deeds(championship: Championship, overall: Mapping[int, Deeds]) -> dict[int, Deeds]:
    """Return the deeds by team. In each round its best drivers score, as many as the scheme says. All else is the sum
    over all drivers of the team.
    """
    found = {team.pk: Deeds() for team in championship.teams.all()}
    crews: dict[int, list[Deeds]] = defaultdict(list)
    for team, driver in championship.registrations.exclude(team=None).values_list("team", "driver"):
        if driver in overall:
            crews[team].append(overall[driver])
    for team, crew in crews.items():
        mine = found[team]
        for number in {number for deeds in crew for number in deeds.points}:
            there = sorted((each for each in crew if number in each.points), key=lambda each: -each.points[number])
            best = there[: championship.team_counts]
            mine.points[number] = sum(each.points[number] for each in best)
            mine.power[number] = sum(each.power[number] for each in best)
        for each in crew:
            for number, at in each.places.items():
                mine.places[number] += at
            mine.stages_won += each.stages_won
            mine.retirements += each.retirements
    return found


def points_of(championship: Championship) -> tuple[Points, dict[str, Points]]:
    """Return the points by round and driver: overall, and in each class."""
    overall, classes = deeds_of(championship)
    return _by_round(overall), {name: _by_round(deeds) for name, deeds in classes.items()}


def _by_round(deeds: Mapping[int, Deeds]) -> Points:
    found: Points = defaultdict(dict)
    for subject, each in deeds.items():
        for number, points in each.points.items():
            found[number][subject] = points
    return found


def totals(
    points: Points,
    *,
    calendar: int,
    drop: int,
    over: int | None = None,
    excluded: Mapping[int, Collection[int]] | None = None,
) -> dict[int, int]:
    """Return the total points of the best rounds of each, as many rounds as count. A round that was not driven is not
    one of them; a round from which the subject was `excluded` always is.
    """
    counting, over = max(1, calendar - drop), len(points) if over is None else over
    brought: dict[int, list[int]] = defaultdict(list)
    fixed: dict[int, list[int]] = defaultdict(list)
    for number, scores in points.items():
        for subject, score in scores.items():
            stays = number in (excluded or {}).get(subject, ())
            (fixed if stays else brought)[subject].append(score)
    found = {}
    for subject in brought.keys() | fixed.keys():
        best, counts = sorted(brought[subject], reverse=True), counting if over > counting else over
        found[subject] = sum(fixed[subject]) + sum(best[: max(0, counts - len(fixed[subject]))])
    return found


def asked(name: str, deeds: Deeds, rounds: Sequence[int]) -> tuple[int, ...]:
    """Return the values that the tie-break of that name compares. More is better."""
    places = [at for found in deeds.places.values() for at in found]
    if name == "last round":
        return tuple(-min(deeds.places.get(number) or [LAST]) for number in sorted(rounds, reverse=True))
    if name == "earliest best":
        best = min(places, default=LAST)
        return -best, -min((number for number, found in deeds.places.items() if best in found), default=LAST)
    if name == "best places":
        return tuple(places.count(at) for at in range(1, 100))
    return (
        {
            "wins": places.count(1),
            "podiums": len([at for at in places if at in (1, 2, 3)]),
            "stage wins": deeds.stages_won,
            "power points": sum(deeds.power.values()),
            "fewer retirements": -deeds.retirements,
            "best round": max(deeds.points.values(), default=0),
        }[name],
    )


def differences(championship: Championship) -> list[str]:
    """Return one line for each total or place where the tables of the service differ."""
    from championship.seasons.selectors import table

    shown, (overall, classes) = table(championship), deeds_of(championship)
    calendar, rounds = len(shown.rounds), sorted({number for each in overall.values() for number in each.points})
    assert calendar == championship.rounds.exclude(rally__status="cancelled").count()

    def compared(what: str, lines: Sequence, deeds: Mapping[int, Deeds], drop: int) -> list[str]:
        best = totals(_by_round(deeds), calendar=calendar, drop=drop, over=len(rounds),
                      excluded={subject: each.excluded for subject, each in deeds.items()})  # fmt: skip
        expected = {
            subject: (best.get(subject, 0), *(asked(name, each, rounds) for name in championship.tie_breaks))
            for subject, each in deeds.items()
        }
        wrong = _compared(what, {line.who.pk: line for line in lines}, expected)
        return wrong + _dropped(what, lines, deeds, expected)

    wrong = compared("drivers", shown.drivers, overall, championship.drop)
    wrong += compared("teams", shown.teams, team_deeds(championship, overall), 0)
    for name, deeds in classes.items():
        wrong += compared(name, shown.classes[name], deeds, championship.drop)
    return wrong


def _compared(what: str, lines: Mapping, expected: Mapping[int, tuple]) -> list[str]:
    wrong = []
    for subject in sorted(lines.keys() | expected.keys()):
        if subject not in lines or subject not in expected:
            wrong.append(f"{what}: {subject} is in one of the tables only")
            continue
        line, standing = lines[subject], expected[subject]
        if line.total != standing[0]:
            wrong.append(f"{what}: {subject} has {line.total} in the table, {standing[0]} by the raw times")
        at = 1 + sum(other > standing for other in expected.values())
        if line.place != at:
            wrong.append(f"{what}: {subject} is in place {line.place} of the table, {at} by the raw times")
    return wrong


def _dropped(what: str, lines: Sequence, deeds: Mapping[int, Deeds], expected: Mapping[int, tuple]) -> list[str]:
    """Check the dropped rounds: their points are the difference between all points and the total, and none of them is
    better than a round that counts.
    """
    wrong = []
    for line in lines:
        if line.who.pk not in expected:
            continue
        scores = [score for score in line.scores if score is not None]
        out = [score.points for score in scores if score.dropped]
        kept = [score.points for score in scores if not score.dropped]
        chosen = [score.points for score in scores if not score.dropped and not score.excluded]
        if sum(kept) != expected[line.who.pk][0] or (out and chosen and max(out) > min(chosen)):
            wrong.append(f"{what}: {line.who.pk} has the wrong rounds dropped")
        if sorted(out + kept) != sorted(deeds[line.who.pk].points.values()):
            wrong.append(f"{what}: {line.who.pk} has other points in some round")
    return wrong
