"""Computes the tables of a season a second time, in a simple way, from raw stage times, cards, penalties and the
scheme.

It uses nothing of the service's own classification, tables and tie-breaks, because it checks these.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from championship.rallies.models import Entry, Exclusion, Penalty, Rally, StageTime, TimeByHand, TimeControlCard
from championship.seasons.models import Championship, Round

Points = dict[int, dict[int, int]]
"""Points by driver (or team), then by round number."""
LAST = 10**6
"""A place after all real places."""


@dataclass(frozen=True, slots=True)
class Raw:
    """What a rally says without the classification of the service.

    `order`: a key for each entry that can have a place, smaller is better. `by_stage`: a key for each result of a stage
    that counts. `retired`: the pairs of stage and entry that ended in retirement. `last`: the number of the last stage.
    """

    order: dict[int, tuple]
    by_stage: dict[int, dict[int, tuple]]
    retired: set[tuple[int, int]]
    last: int


def raw(rally: Rally) -> Raw:
    """Read a rally from its rows: results, or those set by hand, with what time control and officials added. Penalties
    that officials have lifted do not count, nor do stages that they have struck out.
    """
    sign = 1 if rally.better == "fewest" else -1
    struck = set(rally.stages.exclude(struck_at=None).values_list("number", flat=True))
    driven: dict[int, dict[int, int | None]] = defaultdict(dict)
    ranks: dict[tuple[int, int], tuple] = {}
    retired = set()
    for time in StageTime.objects.filter(special_stage__rally=rally).select_related("special_stage"):
        number = time.special_stage.number
        cut = time.special_stage.shortened_to is not None
        measure = time.at_border if cut else time.measure
        driven[number][time.entry_id] = None if measure is None else sign * measure
        ranks[number, time.entry_id] = () if cut else tuple(time.rank)
        if time.short_of_border if cut else time.retired:
            retired.add((number, time.entry_id))
    for hand in TimeByHand.objects.filter(special_stage__rally=rally).select_related("special_stage"):
        if hand.lifted_at is None:
            driven[hand.special_stage.number][hand.entry_id] = sign * hand.measure
            retired.discard((hand.special_stage.number, hand.entry_id))
    added: dict[tuple[int, int], int] = defaultdict(int)
    for card in TimeControlCard.objects.filter(special_stage__rally=rally).select_related("special_stage"):
        added[card.special_stage.number, card.entry_id] += card.amount
    wide: dict[int, int] = defaultdict(int)
    for penalty in Penalty.objects.filter(rally=rally).select_related("special_stage"):
        if penalty.lifted_at is None and penalty.special_stage is None:
            wide[penalty.entry_id] += penalty.amount
        elif penalty.lifted_at is None:
            added[penalty.special_stage.number, penalty.entry_id] += penalty.amount
    if rally.missed == "slowest":
        for number, there in driven.items():
            home = [there[entry] for entry in there if (number, entry) not in retired and there[entry] is not None]
            for entry in (entry for at, entry in retired if at == number and home):
                there[entry], ranks[number, entry] = max(home) + rally.missed_added, (LAST * 1000,)
    retired = {(number, entry) for number, entry in retired if number not in struck}
    by_stage = {
        number: {
            entry: (measure + added[number, entry], ranks.get((number, entry), ()))
            for entry, measure in there.items()
            if measure is not None
        }
        for number, there in driven.items()
        if number not in struck
    }
    order = _with_heats(driven, by_stage, wide) if rally.knockout else _summed(driven, by_stage, added, wide, sign)
    return Raw(order, by_stage, retired, rally.stages.count())


def _summed(
    driven: Mapping, by_stage: Mapping[int, Mapping[int, tuple]], added: Mapping, wide: Mapping[int, int], sign: int
) -> dict[int, tuple]:
    """The sums over all stages that count. Where the most win, no result counts as 0 beside another one."""
    found = {}
    for entry in {entry for number in by_stage for entry in driven[number]}:
        there = [by_stage[number].get(entry) for number in by_stage]
        took_part = all(entry in driven[number] for number in by_stage)
        whole = all(there) if sign > 0 else any(there)
        if took_part and whole:
            total = sum(one[0] if one else added[number, entry] for number, one in zip(by_stage, there, strict=True))
            found[entry] = (total + wide[entry], there[0][1] if len(by_stage) == 1 and there[0] else ())
    return found


def _with_heats(driven: Mapping, by_stage: Mapping[int, Mapping[int, tuple]], wide: Mapping[int, int]) -> dict:
    """Who has driven a later part is ahead. Within a part the result counts; the part before decides between equals."""
    found: dict[int, list] = defaultdict(list)
    for number in sorted(by_stage, reverse=True):
        for entry in driven[number]:
            here = by_stage[number].get(entry)
            found[entry].append((-number, 1) if here is None else (-number, 0, here[0] + wide[entry], here[1]))
    return {entry: tuple(key) for entry, key in found.items() if any(part[1] == 0 for part in key)}


def place(key: int, keys: Mapping[int, tuple], among: Iterable[int]) -> int:
    """Return one more than the number of better ones."""
    return 1 + sum(keys[other] < keys[key] for other in among)


def worth(at: int | None, points: Sequence[int]) -> int:
    return points[at - 1] if at is not None and at <= len(points) else 0


@dataclass(slots=True)
class Deeds:
    """The record of a driver or team in the season: points and power points by round; places, stages won and
    retirements by round; rounds from which officials excluded the driver; the team of each round.
    """

    points: dict[int, int] = field(default_factory=dict)
    power: dict[int, int] = field(default_factory=dict)
    places: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    stages_won: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    retirements: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    excluded: set[int] = field(default_factory=set)
    team: dict[int, str] = field(default_factory=dict)


def deeds_of(championship: Championship) -> tuple[dict[int, Deeds], dict[str, dict[int, Deeds]]]:
    """Return the deeds by driver: overall, with power stage and bonuses; and in each class, with places within the
    class, and in a division with power stage and bonuses too.
    """
    overall: dict[int, Deeds] = defaultdict(Deeds)
    classes: dict[str, dict[int, Deeds]] = {name: defaultdict(Deeds) for name in championship.classes}
    for round in championship.rounds.filter(rally__status="finished").select_related("rally"):
        found = raw(round.rally)
        entries = {entry.pk: entry for entry in Entry.objects.filter(rally=round.rally, status="confirmed")}
        out = set(Exclusion.objects.filter(entry__in=entries, lifted_at=None).values_list("entry", flat=True))
        classified = {pk for pk in entries if pk in found.order and pk not in out}
        power_stage = found.last if round.power_stage is None else round.power_stage
        on_the_power_stage = found.by_stage.get(power_stage, {})
        for pk, entry in entries.items():
            at = place(pk, found.order, classified) if pk in classified else None
            on_power = None
            if pk in on_the_power_stage and pk not in out and (power_stage, pk) not in found.retired:
                on_power = place(pk, on_the_power_stage, on_the_power_stage.keys() - out)
            won = sum(
                pk in times and pk not in out and place(pk, times, times.keys() - out) == 1
                for times in found.by_stage.values()
            )
            stopped = any(entry_id == pk for _stage, entry_id in found.retired)
            if pk in out:
                overall[entry.driver_id].excluded.add(round.number)
                if entry.car_class in classes:
                    classes[entry.car_class][entry.driver_id].excluded.add(round.number)
            same_class = [other for other in classified if entries[other].car_class == entry.car_class]
            within = place(pk, found.order, same_class) if pk in classified else None
            bonus = worth(on_power, championship.power)
            further = 0 if pk in out else extra(championship, round, entry.driver_id, at, won)
            points = worth(at, championship.points) + bonus + further
            times_as = round.factor / 100
            mine = overall[entry.driver_id]
            _add(mine, round.number, at, points * times_as, bonus * times_as, won, stopped)
            if entry.team is not None:
                mine.team[round.number] = entry.team
            if entry.car_class in classes:
                points, in_class = worth(within, championship.class_points or championship.points), 0
                if "divisions" in championship.further:
                    points, in_class = points + bonus + further, bonus * times_as
                there = classes[entry.car_class][entry.driver_id]
                _add(there, round.number, within, points * times_as, in_class, won, stopped)
    return overall, classes


def extra(championship: Championship, round: Round, driver: int, at: int | None, won: int) -> float:
    """Return the points for stages won, and for what organisers have named: the pole and the fastest lap."""
    times = {
        "stage_win": won,
        "pole": int(round.pole_by_id == driver),
        "fastest_lap": int(round.fastest_lap_by_id == driver),
    }
    given = championship.further.get("bonus", {})
    return sum(
        said["points"] * times[kind]
        for kind, said in given.items()
        if said.get("within") is None or (at is not None and at <= said["within"])
    )


def _add(deeds: Deeds, number: int, at: int | None, points: float, power: float, won: int, retired: bool) -> None:
    deeds.points[number], deeds.power[number] = points, power
    if at is not None:
        deeds.places[number].append(at)
    deeds.stages_won[number] += won
    deeds.retirements[number] += retired


def team_deeds(championship: Championship, overall: Mapping[int, Deeds]) -> dict[int, Deeds]:
    """Return the deeds by team. In each round its best drivers score, as many as the scheme says. All else is the sum
    over all drivers of the team. The team of a round is that of the entry; where it says nothing, the registration's.
    """
    found = {team.pk: Deeds() for team in championship.teams.all()}
    named = {team.name: team.pk for team in championship.teams.all()}
    registered = dict(championship.registrations.exclude(team=None).values_list("driver", "team__name"))
    crews: dict[tuple[int, int], list[Deeds]] = defaultdict(list)
    for driver, each in overall.items():
        for number in each.points:
            team = named.get(each.team.get(number, registered.get(driver, "")))
            if team is not None:
                crews[team, number].append(each)
    for (team, number), crew in crews.items():
        mine = found[team]
        best = sorted(crew, key=lambda each: -each.points[number])[: championship.team_counts]
        mine.points[number] = sum(each.points[number] for each in best)
        mine.power[number] = sum(each.power[number] for each in best)
        for each in crew:
            mine.places[number] += each.places.get(number, [])
            mine.stages_won[number] += each.stages_won[number]
            mine.retirements[number] += each.retirements[number]
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
    if name == "latest best":
        best = min(places, default=LAST)
        return -best, max((number for number, found in deeds.places.items() if best in found), default=0)
    if name == "best places":
        return tuple(places.count(at) for at in range(1, 100))
    return (
        {
            "wins": places.count(1),
            "podiums": len([at for at in places if at in (1, 2, 3)]),
            "stage wins": sum(deeds.stages_won.values()),
            "power points": sum(deeds.power.values()),
            "fewer retirements": -sum(deeds.retirements.values()),
            "best round": max(deeds.points.values(), default=0),
            "starts": len(deeds.points),
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
