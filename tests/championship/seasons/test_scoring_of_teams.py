"""How teams score in plain documents: which cars count, shared cars, points of their own."""

from __future__ import annotations

from typing import Any

import pytest

from championship.seasons.scoring import tables
from championship.seasons.scoring.season_file import read, tables_of
from championship.seasons.scoring.season_writing import document_of
from championship.seasons.scoring.values import Result, Season, SeasonRound, SeasonScheme, TeamScheme
from tests.championship.seasons.test_scoring import season, standing

FIELD = [("H1", "H", 1), ("T1", "T", 2), ("T2", "T", 4), ("N1", "N", None), ("T3", "T", None), ("H2", "H", None)]
"""Driver, team and place on the power stage, in the order of the finish."""


def one_round() -> dict[str, Any]:
    return {
        "results": [
            {"driver": name, "team": team, "place": place, **({"power": power} if power else {})}
            for place, (name, team, power) in enumerate(FIELD, 1)
        ]
    }


@pytest.mark.parametrize(
    ("teams", "expected"),
    [
        ({"how": "rerank", "cars": 2, "power": False, "members": "best"}, [("H", 35), ("T", 33), ("N", 12)]),
        ({"how": "sum", "cars": 2, "members": "best"}, [("T", 39), ("H", 38), ("N", 12)]),
    ],
)
def test_a_team_scores_the_sum_or_is_ranked_again(teams: dict[str, Any], expected: list[tuple[str, int]]) -> None:
    points = {"points": [25, 18, 15, 12, 10, 8], "power": [5, 4, 3, 2, 1]}
    found = standing(season({**points, "teams": teams}, one_round()), "teams")
    assert [(team, total) for _place, team, total in found] == expected


def test_a_team_that_is_ranked_again_gets_a_bonus_as_its_driver_does() -> None:
    bonus = {"fastest_lap": {"points": 1, "within": 2}}
    results = [{"driver": name, "place": place} for place, name in enumerate("ABC", 1)]
    results[2] |= {"team": "X", "fastest_lap": True}
    assert standing(season({"bonus": bonus, "teams": {"how": "rerank"}}, {"results": results}), "teams") == [
        (1, "X", 10)
    ]


def test_teams_may_have_points_of_their_own() -> None:
    """As in 1961, when a win gave 9 to the driver and 8 to the maker."""
    results = [{"driver": "A", "team": "X", "place": 1}, {"driver": "B", "team": "Y", "place": 2}]
    scheme = {"points": [9, 6], "teams": {"cars": 1, "points": [8, 6]}}
    document = season(scheme, {"results": results}, {"results": results, "points": [4, 2]})
    assert standing(document, "teams") == [(1, "X", 12), (2, "Y", 8)]
    assert standing(document) == [(1, "A", 13), (2, "B", 8)]
    assert tables_of(document_of(read(document))) == tables_of(document)


@pytest.mark.parametrize(("shared", "points"), [("divide", 10), ("each", 10), ("none", 0)])
def test_a_shared_car_counts_once_for_its_team(shared: str, points: float) -> None:
    results = [{"driver": "A", "team": "X", "place": 1, "shared_with": ["B"]}, {"driver": "D", "team": "Y", "place": 2}]
    document = season({"shared": shared, "teams": {"how": "sum"}}, {"results": results})
    assert sorted(standing(document, "teams"), key=lambda line: line[1]) == [
        (1 if points else 2, "X", points),
        (2 if points else 1, "Y", 8),
    ]


@pytest.mark.parametrize(
    ("shared", "published", "points"), [("divide", None, 2500), ("each", 2500, 2500), ("none", None, 0)]
)
def test_the_team_of_a_crew_of_three_loses_no_hundredth_and_gets_no_points_twice(
    shared: str, published: int | None, points: int
) -> None:
    """As in races of many hours: each of the three names the team, and a third of 25 is 8.33."""
    scheme = SeasonScheme(points=(2500, 1800), shared=shared, teams=TeamScheme(cars=1, members="best"))
    crew = tuple(Result(who, car=1, shares=3, team="X", place=1, published=published) for who in "ABC")
    (line,) = tables.teams(Season(scheme, (SeasonRound(1, "Long", crew),)))
    assert line.total == points


OF_1961 = (
    "Moss:Lotus Ginther:Ferrari P.Hill:Ferrari Trips:Ferrari Gurney:Porsche McLaren:Cooper",
    "Trips:Ferrari P.Hill:Ferrari Clark:Lotus Moss:Lotus Ginther:Ferrari Brabham:Cooper",
    "P.Hill:Ferrari Trips:Ferrari Ginther:Ferrari Gendebien:Ferrari Surtees:Cooper Gurney:Porsche",
    "Baghetti:Ferrari Gurney:Porsche Clark:Lotus Ireland:Lotus McLaren:Cooper G.Hill:BRM",
    "Trips:Ferrari P.Hill:Ferrari Ginther:Ferrari Brabham:Cooper Bonnier:Porsche Salvadori:Cooper",
    "Moss:Lotus Trips:Ferrari P.Hill:Ferrari Clark:Lotus Surtees:Cooper McLaren:Cooper",
    "P.Hill:Ferrari Gurney:Porsche McLaren:Cooper Lewis:Cooper Brooks:BRM Salvadori:Cooper",
    "Ireland:Lotus Gurney:Porsche Brooks:BRM McLaren:Cooper G.Hill:BRM Surtees:Cooper",
)


def test_the_tables_of_1961() -> None:
    """Five of eight rounds count, the best car of a maker counts, and a win is worth less to a maker."""
    teams = {"cars": 1, "drops": True, "points": [8, 6, 4, 3, 2, 1]}
    document = season({"points": [9, 6, 4, 3, 2, 1], "drops": {"best": 5}, "tie_breaks": ["places"], "teams": teams})
    for said in OF_1961:
        cars = [car.split(":") for car in said.split()]
        results = [{"driver": driver, "team": team, "place": place} for place, (driver, team) in enumerate(cars, 1)]
        document["rounds"].append({"results": results})
    first = [(1, "P.Hill", 34), (2, "Trips", 33), (3, "Moss", 21), (4, "Gurney", 21), (5, "Ginther", 16)]
    assert standing(document)[:5] == first
    assert standing(document, "teams") == [
        (1, "Ferrari", 40),
        (2, "Lotus", 32),
        (3, "Porsche", 22),
        (4, "Cooper", 14),
        (5, "BRM", 7),
    ]
