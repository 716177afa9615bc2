"""The tables of a season computed a second time, plainly, from raw stage times, cards, penalties and the scheme.

Nothing of the service's own classification or tables is used here; that is what they are checked against.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from championship.rallies.models import Entry, Penalty, Rally, StageTime, TimeControlCard
from championship.seasons.models import Championship

Points = dict[int, dict[int, int]]
"""Points by round number, by driver (or team)."""


def rally_seconds(rally: Rally) -> tuple[dict[int, int], dict[int, dict[int, int]]]:
    """Total seconds by entry, and seconds by stage number and entry: driven, taken at time control, given."""
    by_stage: dict[int, dict[int, int]] = defaultdict(dict)
    for time in StageTime.objects.filter(special_stage__rally=rally).select_related("special_stage"):
        assert time.seconds is not None
        by_stage[time.special_stage.number][time.entry_id] = time.seconds
    for card in TimeControlCard.objects.filter(special_stage__rally=rally).select_related("special_stage"):
        by_stage[card.special_stage.number][card.entry_id] += card.seconds
    totals: dict[int, int] = defaultdict(int)
    for penalty in Penalty.objects.filter(rally=rally).select_related("special_stage"):
        if penalty.special_stage is None:
            totals[penalty.entry_id] += penalty.seconds
        else:
            by_stage[penalty.special_stage.number][penalty.entry_id] += penalty.seconds
    for times in by_stage.values():
        for entry, seconds in times.items():
            totals[entry] += seconds
    return totals, by_stage


def place(key: int, seconds: Mapping[int, int]) -> int:
    """One more than there are faster ones."""
    return 1 + sum(other < seconds[key] for other in seconds.values())


def worth(at: int, points: Sequence[int]) -> int:
    return points[at - 1] if at <= len(points) else 0


def points_of(championship: Championship) -> tuple[Points, dict[str, Points]]:
    """Points by round and driver: overall with the power stage, and in each class."""
    overall: Points = {}
    classes: dict[str, Points] = {name: {} for name in championship.classes}
    for round in championship.rounds.filter(rally__status="finished").select_related("rally"):
        totals, by_stage = rally_seconds(round.rally)
        entries = {entry.pk: entry for entry in Entry.objects.filter(rally=round.rally, status="confirmed")}
        power_stage = by_stage[round.power_stage or max(by_stage)]
        last = round.power_stage or max(by_stage)
        retired = set(
            StageTime.objects.filter(
                special_stage__rally=round.rally, special_stage__number=last, retired=True
            ).values_list("entry", flat=True)
        )
        power = {entry: seconds for entry, seconds in power_stage.items() if entry not in retired}
        overall[round.number] = {}
        for pk, entry in entries.items():
            brought = worth(place(pk, totals), championship.points)
            if pk in power:
                brought += worth(place(pk, power_stage), championship.power)
            overall[round.number][entry.driver_id] = brought
        for name in championship.classes:
            inside = {pk: totals[pk] for pk, entry in entries.items() if entry.car_class == name}
            scheme = championship.class_points or championship.points
            classes[name][round.number] = {entries[pk].driver_id: worth(place(pk, inside), scheme) for pk in inside}
    return overall, classes


def totals(points: Points, *, calendar: int, drop: int) -> dict[int, int]:
    """The best rounds of each, as many as count; a round that was not driven is none of them."""
    counting = max(1, calendar - drop)
    brought: dict[int, list[int]] = defaultdict(list)
    for scores in points.values():
        for subject, score in scores.items():
            brought[subject].append(score)
    return {
        subject: sum(sorted(scores, reverse=True)[: counting if len(points) > counting else len(scores)])
        for subject, scores in brought.items()
    }


def team_totals(championship: Championship, overall: Points) -> dict[int, int]:
    """Each round the best of a team's drivers, as many as score."""
    crews: dict[int, list[int]] = {team.pk: [] for team in championship.teams.all()}
    for team, driver in championship.registrations.exclude(team=None).values_list("team", "driver"):
        crews[team].append(driver)
    found = dict.fromkeys(crews, 0)
    for team, crew in crews.items():
        for scores in overall.values():
            brought = sorted((scores[driver] for driver in crew if driver in scores), reverse=True)
            found[team] += sum(brought[: championship.team_counts])
    return found


def differences(championship: Championship) -> list[str]:
    """Where the service's tables say something else."""
    from championship.seasons.selectors import table

    shown, (overall, classes) = table(championship), points_of(championship)
    calendar, drop = championship.rounds.count(), championship.drop
    wrong = _compared("drivers", shown.drivers, totals(overall, calendar=calendar, drop=drop))
    wrong += _compared("teams", shown.teams, team_totals(championship, overall))
    for name, points in classes.items():
        wrong += _compared(name, shown.classes[name], totals(points, calendar=calendar, drop=drop))
    return wrong


def _compared(what: str, lines: Sequence, expected: Mapping[int, int]) -> list[str]:
    told = {line.who.pk: line.total for line in lines}
    return [
        f"{what}: {subject} has {told.get(subject)} in the table, {expected.get(subject)} by the raw times"
        for subject in sorted(told.keys() | expected.keys())
        if told.get(subject, 0) != expected.get(subject, 0)
    ]
