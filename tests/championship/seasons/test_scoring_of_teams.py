"""How teams score in plain documents: which cars count, shared cars, points of their own."""

from __future__ import annotations

from typing import Any

import pytest

from championship.seasons.scoring.season_file import read, tables_of
from championship.seasons.scoring.season_writing import document_of
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
