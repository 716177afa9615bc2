"""Seasons of real championships as files: the totals are those that were published, or are computed by hand from the
regulations in the comments.
"""

from __future__ import annotations

from typing import Any

import pytest

from championship.seasons.scoring.season_file import read, tables_of
from championship.seasons.scoring.season_writing import document_of

MODERN = [25, 18, 15, 12, 10, 8, 6, 4, 2, 1]
LAP = {"fastest_lap": {"points": 1}}
BEFORE_1960 = {"points": [8, 6, 4, 3, 2], "bonus": LAP, "tie_breaks": ["places"]}


def race(said: str, lap: str = "", **more: Any) -> dict[str, Any]:
    """Return a round: drivers in the order of the finish, those who shared a car with a stroke between, a team behind a
    colon, and a minus before who retired. `lap`: who had the fastest lap.
    """
    results: list[dict[str, Any]] = []
    place, laps = 0, {*lap.split()}
    for one in said.split():
        who, _colon, team = one.removeprefix("-").partition(":")
        driver, *others = who.split("/")
        entry = {"driver": driver, "fastest_lap": driver in laps, "shared_with": others}
        laps -= {driver}  # in the first of two cars
        place += not one.startswith("-")
        results.append(entry | ({"status": "retired"} if one.startswith("-") else {"place": place}))
        results[-1] |= {"team": team} if team else {}
    return {"results": results, **more}


def by_driver(scheme: dict[str, Any], places: dict[str, str], **rounds: dict[str, Any]) -> dict[str, Any]:
    """Return a season from the places of each driver: "-" retired, "x" excluded, "n" did not start, "0" not there, "f"
    behind a place for the fastest lap. `rounds`: what else a round says, by `r` and its number.
    """
    statuses = {"-": "retired", "x": "excluded", "n": "did not start"}
    found: list[dict[str, Any]] = []
    for at, said in enumerate(zip(*(row.split() for row in places.values()), strict=True), 1):
        results = [
            {"driver": driver, "fastest_lap": one.endswith("f")}
            | ({"status": statuses[one]} if one in statuses else {"place": int(one.rstrip("f"))})
            for driver, one in zip(places, said, strict=True)
            if one != "0"
        ]
        found.append({"results": results, **rounds.get(f"r{at}", {})})
    return {"scheme": scheme, "rounds": found}


OF_1954 = {
    "scheme": {**BEFORE_1960, "drops": {"best": 5}},
    "rounds": [
        race("Fangio Farina Gonzalez Trintignant Bayol", "Gonzalez"),
        race("Vukovich Bryan McGrath Ruttman/Carter Nazaruk", "McGrath"),
        race("Fangio Trintignant Moss Hawthorn/Gonzalez Pilette", "Fangio"),
        race("Fangio Kling Manzon Bira Villoresi -Herrmann", "Herrmann"),
        race(
            "Gonzalez Hawthorn Marimon Fangio Trintignant -Moss -Behra -Ascari",
            "Gonzalez Hawthorn Marimon Fangio Moss Behra Ascari",  # timed to the second: a seventh of a point each
        ),
        race("Fangio Hawthorn/Gonzalez Trintignant Kling Mantovani", "Kling"),
        race("Fangio Gonzalez Herrmann Mieres Mantovani", "Fangio"),
        race("Fangio Hawthorn Gonzalez/Maglioli Herrmann Trintignant", "Gonzalez"),
        race("Hawthorn Musso Fangio Mieres Kling -Ascari", "Ascari"),
    ],
}
OF_1955 = {
    "scheme": BEFORE_1960,
    "rounds": [race("Fangio Gonzalez/Farina/Trintignant Farina/Maglioli/Trintignant Herrmann/Kling/Moss", "Fangio")],
}
OF_1956 = {
    "scheme": {**BEFORE_1960, "drops": {"best": 5}, "two_cars": "best"},
    "rounds": [
        race("Fangio/Musso Behra Hawthorn Landi/Gerini Gendebien -Fangio", "Fangio"),
        race("Moss Fangio/Collins Behra Castellotti/Fangio Ramos", "Fangio"),
        race("Collins Frere Moss/Perdisa Schell Villoresi -Fangio", "Moss"),
        race("Collins Castellotti Behra Fangio Perdisa/Moss", "Fangio"),
        race("Fangio Collins/Portago Behra Fairman Gould -Moss", "Moss"),
        race("Fangio Moss Behra Godia Rosier", "Fangio"),
        race("Moss Fangio/Collins Flockhart Godia Fairman", "Moss"),
    ],
}
OF_1958 = {
    "scheme": {
        **BEFORE_1960,
        "drops": {"best": 6},
        "shared": "none",
        "teams": {"cars": 1, "members": "best", "bonus": False, "drops": True},
    },
    "rounds": [
        race("Moss:Cooper Musso:Ferrari Hawthorn:Ferrari Fangio:Maserati Behra:Maserati", "Fangio"),
        race("Trintignant:Cooper Musso:Ferrari Collins:Ferrari Brabham:Cooper -Hawthorn:Ferrari", "Hawthorn"),
        race("Moss:Vanwall Schell:BRM Behra:BRM Salvadori:Cooper Hawthorn:Ferrari", "Moss"),
        race("Brooks:Vanwall Hawthorn:Ferrari Lewis-Evans:Vanwall Allison:Lotus Schell:BRM", "Hawthorn"),
        race("Hawthorn:Ferrari Moss:Vanwall Trips:Ferrari Fangio:Maserati Collins:Ferrari", "Hawthorn"),
        race("Collins:Ferrari Hawthorn:Ferrari Salvadori:Cooper Lewis-Evans:Vanwall Schell:BRM", "Hawthorn"),
        race("Brooks:Vanwall Salvadori:Cooper Trintignant:Cooper Trips:Ferrari -Moss:Vanwall", "Moss"),
        race("Moss:Vanwall Hawthorn:Ferrari Lewis-Evans:Vanwall Behra:BRM Schell:BRM", "Hawthorn"),
        race("Brooks:Vanwall Hawthorn:Ferrari P.Hill:Ferrari Gregory/Shelby:Maserati Salvadori:Cooper", "P.Hill"),
        race("Moss:Vanwall Hawthorn:Ferrari P.Hill:Ferrari Bonnier:BRM Schell:BRM", "Moss"),
    ],
}
BEFORE_1990 = {"points": [9, 6, 4, 3, 2, 1], "drops": {"best": 11}}
HALVES = {"parts": [{"rounds": [1, 7], "best": 4}, {"rounds": [8, 15], "best": 4}]}
OF_1979 = by_driver(
    {**BEFORE_1990, "drops": HALVES},
    {"Scheckter": "- 6 2 2 4 1 1 7 5 4 4 2 1 4 -", "Villeneuve": "- 5 1 1 7 7 - 2 14 8 2 - 2 2 1"},
)
OF_1984 = by_driver(
    BEFORE_1990,
    {"Lauda": "- 1 - - 1 - 2 - - 1 2 1 2 1 4 2", "Prost": "1 2 - 1 7 1 3 4 - - 1 - 1 - 1 1"},
    r6={"factor": 0.5},
)
OF_1988 = by_driver(
    BEFORE_1990,
    {"Prost": "1 2 1 1 2 2 1 - 2 2 2 - 1 1 2 1", "Senna": "- 1 - 2 1 1 2 1 1 1 1 10 6 4 1 2"},
)
BEST_OF_SIX = {"points": [9, 6, 4, 3, 2, 1], "drops": {"best": 6}}
OF_1964 = by_driver(
    BEST_OF_SIX, {"Surtees": "- 2 - - 3 1 - 1 2 2", "Hill": "1 4 5 2 2 2 - - 1 11", "Clark": "4 1 1 - 1 - - - 7 5"}
)
SPRINT = {"points": [3, 2, 1]}
OF_2021 = by_driver(
    {
        "points": MODERN,
        "bonus": {"fastest_lap": {"points": 1, "within": 10}},
        "tie_breaks": ["places"],
        "tie_breaks_without": [10, 15, 21],
    },
    {
        "Verstappen": "2 1 2 2f 1 18f 1f 1 1f 1 - 9 1 1 2 - 2 2 1 1 2 2 2f 2 1f",
        "Hamilton": "1 2f 1 1 7f 15 2 2f 4 2 1 2 3 2f 5 - 1 5 2f 2 5 1 1 1f 2",
    },
    r10=SPRINT,
    r15=SPRINT,
    r21=SPRINT,
    r13={"factor": 0.5},
)
SPRINT_OF_2023 = {"points": [8, 7, 6, 5, 4, 3, 2, 1]}
SPRINTS_OF_2023 = [4, 10, 14, 20, 22, 25]
OF_2023 = by_driver(
    {**OF_2021["scheme"], "tie_breaks_without": SPRINTS_OF_2023},
    {"Verstappen": "1 2f 1 3 2 1f 1 1f 1 1 1f 1f 1f 1 1 1 1 5 1f 2 1f 1 1 1 1 1 1 1f"},
    **{f"r{number}": SPRINT_OF_2023 for number in SPRINTS_OF_2023},
)
SATURDAY = {"points": [12, 9, 7, 6, 5, 4, 3, 2, 1]}
OF_2024_ON_TWO_WHEELS = by_driver(
    {"points": [25, 20, 16, 13, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]},
    {
        "Martin": "1 3 3 1 3 4 1 - 1 1 4 2 - 3 2 2 1 - 2 2 2 2 2 2 1 15 2 2 10 1 4 2 1 2 2 2 1 2 3 3",
        "Bagnaia": "4 1 4 - 8 5 - 1 - 3 - 1 1 1 1 1 3 1 - 3 1 1 9 - 2 2 1 - 1 3 1 1 4 3 3 1 - 1 1 1",
    },
    **{f"r{number}": SATURDAY for number in range(1, 41, 2)},
)


@pytest.mark.parametrize(
    ("document", "table", "published"),
    [
        (
            OF_1954,
            "drivers",
            {"Fangio": 42, "Gonzalez": 25.14, "Hawthorn": 24.64, "Trintignant": 17, "Moss": 4.14, "Behra": 0.14},
        ),
        (OF_1955, "drivers", {"Fangio": 9, "Farina": 3.33, "Trintignant": 3.33, "Gonzalez": 2, "Maglioli": 1.33}),
        (OF_1956, "drivers", {"Fangio": 30, "Moss": 27, "Collins": 25, "Behra": 22, "Castellotti": 7.5, "Musso": 4}),
        (OF_1958, "drivers", {"Hawthorn": 42, "Moss": 41, "Brooks": 24, "P.Hill": 9, "Shelby": 0}),
        (OF_1958, "teams", {"Vanwall": 48, "Ferrari": 40}),
        (OF_1979, "drivers", {"Scheckter": 51, "Villeneuve": 47}),
        (OF_1984, "drivers", {"Lauda": 72, "Prost": 71.5}),
        (OF_1988, "drivers", {"Senna": 90, "Prost": 87}),
        (OF_1964, "drivers", {"Surtees": 40, "Hill": 39, "Clark": 32}),
        (OF_2021, "drivers", {"Verstappen": 395.5, "Hamilton": 387.5}),
        (OF_2023, "drivers", {"Verstappen": 575}),
        (OF_2024_ON_TWO_WHEELS, "drivers", {"Martin": 508, "Bagnaia": 498}),
    ],
    ids=["1954", "1955", "1956", "1958", "makers of 1958", "1979", "1984", "1988", "1964", "2021", "2023", "2024"],
)
def test_totals_are_those_that_were_published(
    document: dict[str, Any], table: str, published: dict[str, float]
) -> None:
    found = {line.get("driver", line.get("team")): line["points"] for line in tables_of(document)[table]}
    assert {name: found[name] for name in published} == published
    assert tables_of(document_of(read(document))) == tables_of(document), "and the file that is written says the same"


CLUB = {
    "points": [10, 8, 6, 5],
    "participation": 1,
    "start": 0.5,
    "equal_places": "divide",
    "drops": {"worst": 1, "never": [4]},
    "least_starts": 3,
}
"""Of four rounds the worst is dropped, but not the last one, which counts one and a half times, and no exclusion."""


LEG = {"points": [3, 2]}
WITH_A_JOKER = by_driver(
    {"points": [10, 6, 4], "nominated": 1, "joker": 2, "drops": {"worst": 1}},
    {"A": "1 2 3", "B": "2 1 1", "C": "3 3 2"},
)
WITH_A_JOKER["rounds"][0]["results"][0]["nominated"] = True
WITH_A_JOKER["rounds"][1]["results"][2]["nominated"] = True


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        # a sprint is worth points, and winning it is no win
        (
            by_driver(
                {"points": [25, 18, 15], "tie_breaks": ["places"], "tie_breaks_without": [2]},
                {"A": "2 1 2", "B": "1 - 3"},
                r2={"points": [4]},
            ),
            [(1, "B", 40, None), (2, "A", 40, "places")],
        ),
        # two wheels: as many wins and seconds each, and the later win is worth more
        (
            by_driver({"points": [25, 20, 16], "tie_breaks": ["places", "latest_best"]}, {"A": "1 2 -", "B": "2 - 1"}),
            [(1, "B", 45, None), (2, "A", 45, "latest_best")],
        ),
        # who has come more often is in front
        (
            by_driver({"points": [10, 5], "tie_breaks": ["starts"]}, {"A": "1 n", "B": "2 2"}),
            [(1, "B", 10, None), (2, "A", 10, "starts")],
        ),
        # A: (10 + 8) / 2 + 1.5, nothing, 11.5 and 1.5 * 7.5, less the 10.5. B: 10.5, 9.5, 0.5 and 0.75, less the 0.5.
        # C: 7.5, 11.5 and 9.5, less the 7.5, because the round that is missed is not dropped. D has started twice.
        (
            by_driver(CLUB, {"A": "1 x 1 3", "B": "1 2 - -", "C": "3 1 2 0", "D": "n 3 n 1"}, r4={"factor": 1.5}),
            [(1, "A", 22.75, None), (2, "C", 21, None), (3, "B", 20.75, None), (4, "D", 24.75, 1)],
        ),
        # a rally is a round for its result and one for its leg; the two best of three rallies count: of A without the
        # 4 + 3 of the last, of B without the 4 + 3 of the second
        (
            by_driver(
                {"points": [10, 6, 4], "drops": {"best": 2, "together": [[1, 2], [3, 4], [5, 6]]}},
                {"A": "1 1 2 2 3 1", "B": "2 2 3 1 1 -"},
                r2=LEG,
                r4=LEG,
                r6=LEG,
            ),
            [(1, "A", 21, None), (2, "B", 18, None)],
        ),
        # A doubles the first round, C the second, and then the worst one is dropped: 2 * 10 + 6, 10 + 10, 2 * 4 + 6
        (WITH_A_JOKER, [(1, "A", 26, None), (2, "B", 20, None), (3, "C", 14, None)]),
        # a table for four cars or more, and half of it for fewer; who did not start is no car
        (
            by_driver(
                {"points": [5, 3, 2], "sizes": [{"cars": 4, "points": [10, 6, 4]}]},
                {"A": "1 1", "B": "2 2", "C": "3 3", "D": "- n"},
            ),
            [(1, "A", 15, None), (2, "B", 9, None), (3, "C", 6, None), (4, "D", 0, None)],
        ),
    ],
    ids=["sprint", "latest best", "starts", "club", "legs", "joker", "few cars"],
)
def test_places_follow_the_regulations(document: dict[str, Any], expected: list[tuple[Any, ...]]) -> None:
    lines = tables_of(document)["drivers"]
    assert [(line["place"], line["driver"], line["points"], why(line)) for line in lines] == expected


def why(line: dict[str, Any]) -> str | int | None:
    """Return the tie-break that put a line behind the one before it, or how many starts it lacks."""
    found: str | int | None = line.get("starts_missing", line["decided_by"])
    return found


def test_teams_may_drop_other_rounds_than_drivers() -> None:
    """As makers did in rallies: two of three rounds count for drivers, and one for makers."""
    scheme = {"points": [10, 6], "drops": {"best": 2}, "teams": {"drops": {"best": 1}}}
    found = tables_of({"scheme": scheme, "rounds": [race("A:X B:Y"), race("A:X B:Y"), race("B:Y A:X")]})
    assert {line["driver"]: line["points"] for line in found["drivers"]} == {"A": 20, "B": 16}
    assert {line["team"]: line["points"] for line in found["teams"]} == {"X": 10, "Y": 10}
