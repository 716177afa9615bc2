"""The table of a season on plain values: examples, and random seasons whose table is computed in another way too."""

import json
import random
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from championship.platform.refusals import Refused
from championship.seasons import schemes
from championship.seasons.schemes import READY_MADE, Scheme
from tests.championship.seasons import drives as standings
from tests.championship.seasons.drives import NAMES, Drive
from tests.season.again import Deeds, asked, worth


def order(lines) -> list[tuple[int, int, int]]:
    return [(line.place, line.subject, line.total) for line in lines]


def season(*rounds: list[int]) -> list[Drive]:
    """The drives of a season. Each round lists its drivers in the order of their places."""
    return [
        Drive(round=number, driver=driver, place=place)
        for number, finished in enumerate(rounds, 1)
        for place, driver in enumerate(finished, 1)
    ]


def test_points_are_added_and_equal_totals_share_a_place() -> None:
    drives = season([1, 2, 3], [2, 1, 4])

    lines = standings.drivers(Scheme(points=(10, 6, 3)), drives, calendar=2)

    assert order(lines) == [(1, 1, 16), (1, 2, 16), (3, 3, 3), (3, 4, 3)]


def test_the_power_stage_brings_points_of_its_own() -> None:
    drives = [Drive(1, 1, place=1, power=2), Drive(1, 2, place=2, power=1), Drive(1, 3, place=3, power=None)]

    lines = standings.drivers(Scheme(points=(10, 8), power=(5, 1)), drives, calendar=1)

    assert order(lines) == [(1, 2, 13), (2, 1, 11), (3, 3, 0)]
    assert lines[0].scores[1].power == 5


def test_nothing_is_dropped_before_more_rounds_are_over_than_count() -> None:
    drives = season([1, 2], [1, 2], [2, 1])
    scheme = Scheme(points=(10, 6), drop=1)

    early = standings.drivers(scheme, drives, calendar=12)
    late = standings.drivers(scheme, drives, calendar=3)

    assert order(early) == [(1, 1, 26), (2, 2, 22)]
    assert order(late) == [(1, 1, 20), (2, 2, 16)]
    assert [number in late[0].dropped for number in (1, 2, 3)] == [False, False, True]


def test_a_round_that_was_not_driven_is_dropped_first() -> None:
    drives = season([1, 2], [2], [1, 2])

    lines = standings.drivers(Scheme(points=(10, 6), drop=1), drives, calendar=3)

    assert order(lines) == [(1, 1, 20), (2, 2, 16)]
    assert not lines[0].dropped, "the round at home is the one dropped"


def test_one_round_counts_however_many_may_be_dropped() -> None:
    assert order(standings.drivers(Scheme(points=(10,), drop=9), season([1]), calendar=1)) == [(1, 1, 10)]


@pytest.mark.parametrize(
    ("metric", "ahead", "behind"),
    [
        ("wins", [1, 3], [2, 2]),
        ("podiums", [3, 3], [2, 4]),
        ("best places", [1, 3], [2, 2]),
        ("last round", [3, 1], [1, 3]),
        ("best round", [1, 3], [2, 2]),
    ],
)
def test_a_tie_break_separates_drivers_with_equal_points(metric, ahead, behind) -> None:
    drives = [Drive(number, 1, place=place) for number, place in enumerate(behind, 1)]
    drives += [Drive(number, 2, place=place) for number, place in enumerate(ahead, 1)]

    without_tie_break = standings.drivers(Scheme(points=(4, 3, 2, 1)), drives, calendar=2)
    with_tie_break = standings.drivers(Scheme(points=(4, 3, 2, 1), tie_breaks=(metric,)), drives, calendar=2)

    assert [line.place for line in without_tie_break] == [1, 1]
    assert [(line.place, line.subject) for line in with_tie_break] == [(1, 2), (2, 1)]


@pytest.mark.parametrize(
    ("metric", "ahead"),
    [
        ("stage wins", {"stage_wins": 1}),
        ("fewer retirements", {"retired": False}),
    ],
)
def test_a_tie_break_may_use_more_than_places(metric, ahead) -> None:
    usual = {"place": 5, "retired": True}
    drives = [Drive(1, 1, **usual), Drive(1, 2, **{**usual, **ahead})]

    lines = standings.drivers(Scheme(points=(4,), tie_breaks=(metric,)), drives, calendar=1)

    assert [(line.place, line.subject) for line in lines] == [(1, 2), (2, 1)]


def test_tie_breaks_apply_in_their_order_and_only_to_equal_points() -> None:
    drives = [
        Drive(1, 1, place=1, stage_wins=0),
        Drive(2, 1, place=3),
        Drive(1, 2, place=2, stage_wins=3),
        Drive(2, 2, place=2),
        Drive(2, 3, place=1),
        Drive(1, 3, place=5),
    ]
    points = (6, 4, 2)

    by_wins = standings.drivers(Scheme(points, tie_breaks=("wins", "stage wins")), drives, calendar=2)
    by_stages = standings.drivers(Scheme(points, tie_breaks=("stage wins", "wins")), drives, calendar=2)

    assert order(by_wins) == [(1, 1, 8), (2, 2, 8), (3, 3, 6)]
    assert order(by_stages) == [(1, 2, 8), (2, 1, 8), (3, 3, 6)]


def test_power_points_separate_drivers_with_equal_totals() -> None:
    drives = [Drive(1, 1, place=1, power=2), Drive(1, 2, place=2, power=1)]
    scheme = Scheme(points=(4, 3), power=(1,), tie_breaks=("power points",))

    assert order(standings.drivers(scheme, drives, calendar=1)) == [(1, 2, 4), (2, 1, 4)]


def test_a_class_has_places_and_points_of_its_own() -> None:
    drives = [
        Drive(1, 1, place=1, car_class="R5", class_place=1, power=1),
        Drive(1, 2, place=2, car_class="R2", class_place=1),
        Drive(1, 3, place=3, car_class="R2", class_place=2),
    ]
    scheme = Scheme(points=(10, 6, 3), power=(5,), class_points=(7, 4))

    assert order(standings.in_class(scheme, drives, "R2", calendar=1)) == [(1, 2, 7), (2, 3, 4)]
    assert order(standings.in_class(scheme, drives, "R5", calendar=1)) == [(1, 1, 7)]
    assert standings.in_class(scheme, drives, "R9", calendar=1) == []


def test_a_team_gets_the_scores_of_its_best_drivers_of_each_round() -> None:
    drives = season([1, 2, 3, 4], [4, 3, 2, 1])
    scheme = Scheme(points=(10, 6, 3, 1), team_counts=2)

    lines = standings.teams(scheme, drives, {100: {1, 2, 3}, 200: {4}, 300: {9}})

    assert order(lines) == [(1, 100, 16 + 9), (2, 200, 1 + 10), (3, 300, 0)]
    assert lines[0].scores[1].place == 1 and lines[0].scores[1].points == 16


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"points": []}, "points"),
        ({"points": [1, 2]}, "points"),
        ({"power": [1, 2]}, "power"),
        ({"class_points": [5000]}, "class_points"),
        ({"team_counts": 0}, "team_counts"),
        ({"drop": -1}, "drop"),
        ({"tie_breaks": ["luck"]}, "tie_breaks"),
        ({"tie_breaks": ["wins", "wins"]}, "tie_breaks"),
    ],
)
def test_nonsense_is_refused_by_field(wrong, field) -> None:
    with pytest.raises(Refused) as refusal:
        schemes.checked(**{"points": [3, 2, 1], **wrong})
    assert refusal.value.field == field


def test_every_ready_made_scheme_is_one_that_could_be_typed() -> None:
    for ready in READY_MADE.values():
        scheme = ready.scheme
        assert scheme == schemes.checked(
            points=scheme.points,
            power=scheme.power,
            class_points=scheme.class_points,
            team_counts=scheme.team_counts,
            drop=scheme.drop,
            tie_breaks=scheme.tie_breaks,
        )


# Random seasons, computed another way ---------------------------------------------------------------


@st.composite
def falling(draw, longest: int) -> tuple[int, ...]:
    most = draw(st.sampled_from([3, 50]))  # few points make many ties
    return tuple(sorted(draw(st.lists(st.integers(0, most), min_size=1, max_size=longest)), reverse=True))


@st.composite
def seasons(draw) -> tuple[Scheme, list[Drive], int]:
    scheme = Scheme(
        points=draw(falling(8)),
        power=draw(st.one_of(st.just(()), falling(4))),
        class_points=draw(st.one_of(st.just(()), falling(5))),
        team_counts=draw(st.integers(1, 3)),
        drop=draw(st.integers(0, 4)),
        tie_breaks=tuple(draw(st.lists(st.sampled_from(sorted(NAMES)), unique=True, max_size=4))),
    )
    chance = random.Random(draw(st.integers(0, 2**32)))
    people, rounds = chance.randint(1, 9), chance.randint(0, 7)
    classes = {driver: chance.choice(["A", "B"]) for driver in range(people)}
    drives = []
    for number in range(1, rounds + 1):
        there = [driver for driver in range(people) if chance.random() < 0.8]
        chance.shuffle(there)
        fastest = chance.sample(there, len(there))
        seen: dict[str, int] = defaultdict(int)
        for place, driver in enumerate(there, 1):
            seen[classes[driver]] += 1
            drives.append(
                Drive(
                    round=number,
                    driver=driver,
                    place=place,
                    car_class=classes[driver],
                    class_place=seen[classes[driver]],
                    power=fastest.index(driver) + 1,
                    stage_wins=chance.randint(0, 2),
                    retired=chance.random() < 0.2,
                )
            )
    return scheme, drives, rounds + chance.randint(0, 3)


def best_total(brought: list[int], rounds_over: int, calendar: int, drop: int) -> int:
    """The highest total of all allowed choices of counting rounds. The drop always takes the worst rounds."""
    counting = max(1, calendar - drop)
    return sum(sorted(brought, reverse=True)[: counting if rounds_over > counting else len(brought)])


@given(seasons())
def test_totals_agree_with_the_best_choice_of_rounds(given_season) -> None:
    scheme, drives, calendar = given_season
    over = len({drive.round for drive in drives})
    worth = dict(enumerate(scheme.points, 1))
    bonus = dict(enumerate(scheme.power, 1))

    for line in standings.drivers(scheme, drives, calendar=calendar):
        theirs = [drive for drive in drives if drive.driver == line.subject]
        brought = [worth.get(drive.place, 0) + bonus.get(drive.power, 0) for drive in theirs]
        assert line.total == best_total(brought, over, calendar, scheme.drop)
        assert sum(score.points for score in line.scores.values()) == sum(brought)

    own = dict(enumerate(scheme.class_points or scheme.points, 1))
    for car_class in ("A", "B"):
        for line in standings.in_class(scheme, drives, car_class, calendar=calendar):
            brought = [own.get(drive.class_place, 0) for drive in drives if drive.driver == line.subject]
            assert line.total == best_total(brought, over, calendar, scheme.drop)


@given(seasons())
def test_team_totals_are_sums_of_round_scores(given_season) -> None:
    scheme, drives, _calendar = given_season
    worth, bonus = dict(enumerate(scheme.points, 1)), dict(enumerate(scheme.power, 1))
    members = {1: {0, 1, 2}, 2: {3, 4}, 3: {5, 6, 7, 8}}

    for line in standings.teams(scheme, drives, members):
        total = 0
        for number in {drive.round for drive in drives}:
            scores = [
                worth.get(drive.place, 0) + bonus.get(drive.power, 0)
                for drive in drives
                if drive.round == number and drive.driver in members[line.subject]
            ]
            total += sum(sorted(scores, reverse=True)[: scheme.team_counts])
        assert line.total == total


def deeds_of(drives: list[Drive], scheme: Scheme, points: tuple[int, ...], *, classed: bool) -> dict[int, Deeds]:
    """What each driver did, as the `Deeds` of tests/season/again.py."""
    found: dict[int, Deeds] = defaultdict(Deeds)
    for drive in drives:
        mine, at = found[drive.driver], drive.class_place if classed else drive.place
        power = 0 if classed else worth(drive.power, scheme.power)
        mine.points[drive.round], mine.power[drive.round] = worth(at, points) + power, power
        if at is not None:
            mine.places[drive.round].append(at)
        mine.stages_won[drive.round] += drive.stage_wins
        mine.retirements[drive.round] += drive.retired
    return found


def expected_places(scheme: Scheme, deeds: dict[int, Deeds], rounds: list[int], calendar: int, drop: int):
    """Places by subject: one more than the subjects with more points, or with as many and a better tie-break."""
    standing = {
        subject: (
            best_total(list(each.points.values()), len(rounds), calendar, drop),
            *(asked(name, each, rounds) for name in scheme.tie_breaks),
        )
        for subject, each in deeds.items()
    }
    return {subject: 1 + sum(other > mine for other in standing.values()) for subject, mine in standing.items()}


@given(seasons())
def test_places_of_drivers_classes_and_teams_follow_points_then_tie_breaks(given_season) -> None:
    scheme, drives, calendar = given_season
    rounds = sorted({drive.round for drive in drives})

    overall = deeds_of(drives, scheme, scheme.points, classed=False)
    computed = {line.subject: line.place for line in standings.drivers(scheme, drives, calendar=calendar)}
    assert computed == expected_places(scheme, overall, rounds, calendar, scheme.drop)

    for car_class in ("A", "B"):
        here = [drive for drive in drives if drive.car_class == car_class]
        inside = deeds_of(here, scheme, scheme.class_points or scheme.points, classed=True)
        computed = {
            line.subject: line.place for line in standings.in_class(scheme, drives, car_class, calendar=calendar)
        }
        assert computed == expected_places(scheme, inside, rounds, calendar, scheme.drop)

    members = {1: {0, 1, 2}, 2: {3, 4}, 3: {5, 6, 7, 8}}
    crews = {team: crew_of(overall, people, scheme.team_counts) for team, people in members.items()}
    computed = {line.subject: line.place for line in standings.teams(scheme, drives, members)}
    assert computed == expected_places(scheme, crews, rounds, calendar, 0)


def crew_of(overall: dict[int, Deeds], people: set[int], counting: int) -> Deeds:
    """A team's deeds: in each round the points of its `counting` best drivers, and all other deeds of all drivers."""
    team, crew = Deeds(), [overall[person] for person in people if person in overall]
    for number in {number for each in crew for number in each.points}:
        best = sorted((each for each in crew if number in each.points), key=lambda each: -each.points[number])
        team.points[number] = sum(each.points[number] for each in best[:counting])
        team.power[number] = sum(each.power[number] for each in best[:counting])
    for each in crew:
        for number, at in each.places.items():
            team.places[number] += at
        for number in each.points:
            team.stages_won[number] += each.stages_won[number]
            team.retirements[number] += each.retirements[number]
    return team


@given(seasons())
def test_the_course_of_a_season_ends_in_its_table(given_season) -> None:
    scheme, drives, calendar = given_season
    course = standings.progress(scheme, drives, calendar=calendar)
    for line in standings.drivers(scheme, drives, calendar=calendar):
        assert course[line.subject][-1] == line.total
    for over in sorted({drive.round for drive in drives}):
        early = [drive for drive in drives if drive.round <= over]
        at = sorted({drive.round for drive in drives}).index(over)
        for line in standings.drivers(scheme, early, calendar=calendar):
            assert course[line.subject][at] == line.total


def test_tables_are_those_that_were_shown_before_there_was_one_computation() -> None:
    """The tables of random seasons, as an earlier computation gave them."""
    recorded = json.loads((Path(__file__).parent / "recorded_tables.json").read_text())

    def shown(lines) -> list[list[float]]:
        return [[line.place, line.subject, line.total] for line in lines]

    for seed, expected in enumerate(recorded):
        scheme, drives, calendar = standings.random_season(seed)
        found = {
            "drivers": shown(standings.drivers(scheme, drives, calendar=calendar)),
            **{name: shown(standings.in_class(scheme, drives, name, calendar=calendar)) for name in "AB"},
            "teams": shown(standings.teams(scheme, drives, standings.MEMBERS)) if drives else [],
        }
        assert found == expected, seed


def test_a_driver_who_missed_the_latest_round_is_behind_one_who_drove_it() -> None:
    drives = [Drive(1, 1, place=1), Drive(1, 2, place=5), Drive(2, 2, place=4)]
    scheme = Scheme(points=(2, 2, 2, 2), tie_breaks=("last round",))

    assert order(standings.drivers(scheme, drives, calendar=2)) == [(1, 2, 2), (2, 1, 2)]


def test_a_tie_break_is_named_where_it_separates_two_drivers() -> None:
    drives = [Drive(1, 1, place=1, stage_wins=2), Drive(1, 2, place=1), Drive(1, 3, place=2), Drive(1, 4, place=2)]
    scheme = Scheme(points=(5, 3), tie_breaks=("wins", "stage wins"))
    _one, two, three, four = standings.drivers(scheme, drives, calendar=1)

    assert two.decided_by == "stage wins"
    assert three.decided_by is None, "points did"
    assert four.decided_by is None and four.place == three.place, "nothing could"
