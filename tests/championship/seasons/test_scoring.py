"""The scores of a season in plain documents: what each word of a scheme does, and properties of every scheme."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given, settings
from hypothesis import strategies as st

from championship.seasons.scoring.divisions import after as divisions_after
from championship.seasons.scoring.divisions import moves as moves_of
from championship.seasons.scoring.divisions import seeded
from championship.seasons.scoring.document_nodes import SeasonFileError
from championship.seasons.scoring.season_file import read, tables_of
from championship.seasons.scoring.season_writing import document_of
from championship.seasons.scoring.tables import standing as standing_in


def finishing(*names: str, **more: Any) -> dict[str, Any]:
    """Return a round that these drivers finish in this order; `more` are other fields of the round."""
    return {"results": [{"driver": name, "place": place} for place, name in enumerate(names, 1)], **more}


def season(scheme: dict[str, Any], *rounds: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"scheme": {"points": [10, 8, 6], **scheme}, "rounds": list(rounds), **more}


def standing(document: dict[str, Any], table: str = "drivers") -> list[tuple[int, str, float]]:
    """Return place, name and points of each line."""
    subject = "team" if table == "teams" else "driver"
    return [(line["place"], line[subject], line["points"]) for line in tables_of(document)[table]]


# Schemes -------------------------------------------------------------------------------------------


def test_a_factor_multiplies_a_round_and_halves_are_kept() -> None:
    document = season({"points": [9, 6.5, "4.25"]}, finishing("A", "B", "C", factor=0.5), finishing("B", "C", factor=2))
    assert standing(document) == [(1, "B", 21.25), (2, "C", 15.13), (3, "A", 4.5)]


def test_a_round_may_have_a_table_of_its_own_and_a_cancelled_one_is_no_round() -> None:
    document = season({}, finishing("A", "B"), finishing("B", "A", points=[3, 1]), finishing("B", "A", cancelled=True))
    document["rounds"].append(finishing("A", "B", points=[]))
    assert standing(document) == [(1, "A", 11), (1, "B", 11)]
    assert tables_of(document)["drivers"][0]["rounds"] == [10, 1, None, 0]


def test_bonuses_go_to_the_first_places_only_if_asked() -> None:
    bonus = {"fastest_lap": {"points": 1, "within": 2}, "pole": {"points": 2}, "stage_win": {"points": 0.5}}
    results = [
        {"driver": "A", "place": 1, "stage_wins": 3},
        {"driver": "B", "place": 2, "pole": True},
        {"driver": "C", "place": 3, "fastest_lap": True, "pole": True},
    ]
    document = season({"bonus": bonus, "participation": 1}, {"results": results})
    assert standing(document) == [(1, "A", 12.5), (2, "B", 11), (3, "C", 9)]
    del results[2]["place"]
    results[2] |= {"status": "excluded", "power": 1}
    document = season({"bonus": bonus, "power": [5]}, {"results": results})
    assert standing(document)[2] == (3, "C", 0)


def test_the_worst_rounds_are_dropped_and_never_an_exclusion() -> None:
    out = {"results": [{"driver": "A", "status": "excluded"}, {"driver": "B", "place": 1}, {"driver": "C", "place": 2}]}
    rounds = (out, finishing("A", "B", "C"), finishing("A", "B", "C"))
    assert standing(season({"drops": {"worst": 1}}, *rounds)) == [(1, "B", 18), (2, "C", 14), (3, "A", 10)]
    kind = season({"drops": {"worst": 1}, "excluded_may_be_dropped": True}, *rounds)
    assert standing(kind)[0] == (1, "A", 20)


def test_the_best_of_each_part_of_the_calendar_count() -> None:
    parts = [{"rounds": [1, 2], "best": 1}, {"rounds": [3, 4], "best": 1}]
    rounds = (finishing("A", "B"), finishing("A"), finishing("C", "B"), finishing("C"))
    document = season({"drops": {"parts": parts}}, *rounds)
    assert standing(document) == [(1, "B", 16), (2, "A", 10), (2, "C", 10)]
    assert next(line for line in tables_of(document)["drivers"] if line["driver"] == "A")["dropped"] == [1]


def test_only_the_best_rounds_that_a_driver_nominated_count() -> None:
    def ran(place: int, *, nominated: bool) -> dict[str, Any]:
        return {"results": [{"driver": "A", "place": place, "nominated": nominated}]}

    rounds = (ran(1, nominated=False), ran(2, nominated=True), ran(3, nominated=True), ran(2, nominated=True))
    assert standing(season({"nominated": 2}, *rounds)) == [(1, "A", 16)]
    for drops in ({"best": 2}, {"worst": 1}, {"parts": [{"rounds": [1, 4], "best": 2}]}):  # 6, 8 and 8 are nominated
        assert standing(season({"nominated": 3, "drops": drops}, *rounds)) == [(1, "A", 16)]
    assert standing(season({"nominated": 2, "drops": {"best": 3}}, *rounds)) == [(1, "A", 16)]


@pytest.mark.parametrize(
    ("guests", "points"), [("move up", [("A", 10), ("B", 8)]), ("keep the place", [("A", 8), ("B", 6)])]
)
def test_guests_move_others_up_or_keep_the_place(guests: str, points: list[tuple[str, int]]) -> None:
    results = [{"driver": "G", "place": 1, "guest": True}, *finishing("x", "A", "B")["results"][1:]]
    document = season({"guests": guests}, {"results": [{**each, "class": "R5"} for each in results]})
    assert [(name, total) for _place, name, total in standing(document)] == points
    assert [(line["driver"], line["points"]) for line in tables_of(document)["classes"]["R5"]] == points


def test_places_of_a_partial_list_stay() -> None:
    results = [{"driver": "A", "place": 1}, {"driver": "B", "place": 3}, {"driver": "G", "place": 2, "guest": True}]
    assert standing(season({}, {"results": results})) == [(1, "A", 10), (2, "B", 8)]
    two = [{"driver": name, "place": 1, "guest": True} for name in "GH"]  # of two starting groups: both have a first
    assert standing(season({}, {"results": [*two, {"driver": "A", "place": 2}]})) == [(1, "A", 10)]


@pytest.mark.parametrize(("shared", "each"), [("divide", 3.33), ("each", 10), ("none", 0)])
def test_a_shared_car(shared: str, each: float) -> None:
    results = [{"driver": "A", "place": 1, "shared_with": ["B", "C"]}, {"driver": "D", "place": 2}]
    found = {name: total for _place, name, total in standing(season({"shared": shared}, {"results": results}))}
    assert found == {"A": each, "B": each, "C": each, "D": 8}


def test_places_follow_from_times() -> None:
    results = [{"driver": name, "time": time} for name, time in (("A", 61.5), ("B", "61.499"), ("C", 61.5), ("D", 70))]
    assert standing(season({"points": [10, 8, 6, 4]}, {"results": results})) == [
        (1, "B", 10),
        (2, "A", 8),
        (2, "C", 8),
        (4, "D", 4),
    ]


def test_points_given_or_taken_by_officials_count_whatever_is_dropped() -> None:
    document = season(
        {"drops": {"best": 1}, "teams": {}},
        finishing("A", "B"),
        finishing("A", "B"),
        adjustments=[{"driver": "A", "points": -3.5, "round": 2, "reason": "late"}],
    )
    assert standing(document) == [(1, "B", 8), (2, "A", 6.5)]
    assert tables_of(document)["teams"] == []


@pytest.mark.parametrize(("others", "behind"), [("keep", 8), ("move up", 10)])
def test_who_leaves_the_season_leaves_from_then_on(others: str, behind: int) -> None:
    gone = [{"driver": "A", "from_round": 2, "others": others}]
    document = season({}, finishing("A", "B"), finishing("A", "B"), withdrawn=gone)
    assert standing(document) == [(1, "B", 8 + behind), (2, "A", 10)]


def test_a_class_has_points_of_its_own_and_places_among_its_cars() -> None:
    results = [{"driver": name, "place": n, "class": "RC2" if n > 1 else "RC1"} for n, name in enumerate("ABC", 1)]
    document = season({"classes": {"RC2": {"points": [5, 4]}}}, {"results": results})
    tables = tables_of(document)["classes"]
    assert {name: [(one["driver"], one["points"]) for one in lines] for name, lines in tables.items()} == {
        "RC2": [("B", 5), ("C", 4)],
        "RC1": [("A", 10)],
    }


# Teams, ties, divisions ---------------------------------------------------------------------------


def test_a_transfer_moves_no_point_of_an_earlier_round() -> None:
    def ran(a: str, b: str) -> dict[str, Any]:
        return {"results": [{"driver": "A", "place": 1, "team": a}, {"driver": "B", "place": 2, "team": b}]}

    document = season({"teams": {"how": "sum"}}, ran("Red", "Blue"), ran("Blue", "Red"))
    assert standing(document, "teams") == [(1, "Blue", 18), (1, "Red", 18)]


# Ties ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tie_break", "first"),
    [("wins", "A"), ("places", "A"), ("best_of_last", "B"), ("earliest_best", "A"), ("head_to_head", "B")],
)
def test_each_tie_break(tie_break: str, first: str) -> None:
    """A has 10 + 2 + 2, B 2 + 6 + 6: level, B ahead in two of three rounds and in the last one."""
    scheme = {"points": [10, 6, 2], "tie_breaks": [tie_break]}
    document = season(scheme, finishing("A", "x", "B"), finishing("x", "B", "A"), finishing("x", "B", "A"))
    lines = [line for line in tables_of(document)["drivers"] if line["driver"] in "AB"]
    assert [line["points"] for line in lines] == [14, 14]
    assert lines[0]["driver"] == first
    assert lines[1]["decided_by"] == tie_break and lines[0]["place"] < lines[1]["place"]


def test_countback_may_look_at_the_rounds_that_count() -> None:
    """B has more second places, but they are in rounds that do not count."""
    rounds = (finishing("A", "B", "x"), finishing("B", "A", "x"), finishing("x", "B", "y"))
    for count, place in (("all", 2), ("counted", 1)):
        scheme = {"drops": {"best": 1}, "tie_breaks": ["places"], "tie_breaks_count": count}
        found = {name: at for at, name, _total in standing(season(scheme, *rounds))}
        assert found["A"] == place


def test_promotion_and_relegation() -> None:
    results = [
        {"driver": name, "place": place, "class": "Top" if name in "ABC" else "Low"}
        for place, name in enumerate("ABCDEF", 1)
    ]
    document = season({"points": list(range(9, 0, -1)), "divisions": {"names": ["Top", "Low"], "up": 1, "down": 1}})
    document["rounds"] = [{"results": results}]
    assert tables_of(document)["moves"] == [
        {"driver": "C", "from": "Top", "to": "Low"},
        {"driver": "D", "from": "Low", "to": "Top"},
    ]


# Reading -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (lambda it: it["rounds"][0]["results"][1].update(place="two"), "rounds[0].results[1].place"),
        (lambda it: it["rounds"][0]["results"][1].pop("place"), "rounds[0].results[1]"),
        (lambda it: it["scheme"].update(colour=1), "scheme.colour"),
        (lambda it: it["scheme"].update(points=[10, "many"]), "scheme.points[1]"),
        (lambda it: it["scheme"].update(points=[0.001]), "scheme.points[0]"),
        (lambda it: it["scheme"].update(drops={"worst": 1, "best": 2}), "scheme.drops"),
        (lambda it: it["scheme"].update(tie_breaks=["luck"]), "scheme.tie_breaks[0]"),
        (lambda it: it.update(adjustments=[{"driver": "Z", "points": 1}]), "adjustments[0].driver"),
        (lambda it: it.pop("rounds"), "rounds"),
        (lambda it: it["rounds"][0]["results"].append({"driver": "C", "time": 60}), "rounds[0].results[2].time"),
        (lambda it: it["scheme"].update(divisions={"names": ["A", "B", "A"]}), "scheme.divisions.names[2]"),
        (
            lambda it: it["scheme"].update(drops={"parts": [{"rounds": [1, 7], "best": 4}] * 2}),
            "scheme.drops.parts[1].rounds",
        ),
        (lambda it: it["scheme"].update(games={"\ud800": {}}), "scheme.games"),
        (lambda it: it["rounds"][0]["results"].append({"driver": "A", "place": 3}), "rounds[0].results[2].driver"),
        (lambda it: it["rounds"][0]["results"].append({"driver": "a", "place": 3}), "rounds[0].results[2].driver"),
        (lambda it: it["rounds"][0]["results"][0].update(driver="A\0"), "rounds[0].results[0].driver"),
    ],
)
def test_a_fault_is_told_with_its_path(change: Any, path: str) -> None:
    document = season({}, finishing("A", "B"))
    change(document)
    with pytest.raises(SeasonFileError) as refused:
        tables_of(document)
    assert refused.value.path == path and str(refused.value).startswith(f"{path}: ")


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["scheme", "rounds", "points", "results", "driver", "place", "teams", "drops", "x"]), inner
        )
    ),
    max_leaves=30,
)


@settings(max_examples=300, deadline=None)
@given(JUNK)
def test_whatever_a_document_holds_it_is_read_or_refused(document: Any) -> None:
    try:
        tables_of(document)
    except SeasonFileError as error:
        assert "\n" not in str(error)


def test_the_command_prints_a_line_for_each_file_and_tells_what_it_could_not_read(tmp_path, capsys) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text("\ufeff" + json.dumps(season({}, finishing("Zoë", "B"))), "utf-8")
    bad.write_text('{"scheme": {"points": [1]}, "rounds": [{"results": [{"driver": "A", "place": 0}]}]}', "utf-8")
    with pytest.raises(CommandError) as ended:
        call_command("compute_season", str(good), str(bad))
    assert ended.value.returncode == 2
    said = capsys.readouterr()
    assert json.loads(said.out)["drivers"][0] == {
        "place": 1, "driver": "Zoë", "points": 10, "rounds": [10], "dropped": [], "decided_by": None,
    }  # fmt: skip
    assert "bad.json: rounds[0].results[0].place: a whole number from 1 to" in said.err
    bad.write_text('{"scheme": {"points": [1], "points": [2]}, "rounds": []}', "utf-8")
    with pytest.raises(CommandError):
        call_command("compute_season", str(bad))
    assert "bad.json: points: this field is there twice" in capsys.readouterr().err


# Properties ----------------------------------------------------------------------------------------

DRIVERS = "ABCDEFG"
SCHEMES = st.fixed_dictionaries(
    {"points": st.lists(st.integers(0, 30), min_size=1, max_size=6).map(lambda some: sorted(some, reverse=True))},
    optional={
        "drops": st.one_of(
            st.fixed_dictionaries({"worst": st.integers(0, 3)}, optional={"together": st.just([[2, 3], [4, 5]])}),
            st.fixed_dictionaries({"best": st.integers(1, 4), "never": st.lists(st.integers(1, 5), max_size=2)}),
        ),
        "least_starts": st.integers(0, 3),
        "equal_places": st.sampled_from(["each", "divide"]),
        "tie_breaks_without": st.lists(st.integers(1, 5), max_size=2),
        "games": st.just({"cards": {"points": [9, 7.5]}}),
        "sizes": st.just([{"cars": 5, "points": [12, 9, 6.5]}, {"cars": 3, "points": [7, 4]}]),
        "tie_breaks": st.permutations(["wins", "places", "best_of_last", "head_to_head"]).map(list),
        "guests": st.sampled_from(["move up", "keep the place"]),
        "bonus": st.just({"fastest_lap": {"points": 1, "within": 3}}),
        "teams": st.fixed_dictionaries({"how": st.sampled_from(["sum", "rerank"]), "cars": st.integers(0, 3)}),
        "divisions": st.fixed_dictionaries(
            {"names": st.just(["P", "Q", "R"]), "up": st.integers(0, 3), "down": st.integers(0, 3)}
        ),
    },
)


def a_round(rng: Random) -> dict[str, Any]:
    order = rng.sample(DRIVERS, rng.randint(1, len(DRIVERS)))
    results: list[dict[str, Any]] = []
    for place, name in enumerate(order, 1):
        status = rng.choice(["", "", "", "retired", "excluded"])
        one: dict[str, Any] = {"driver": name, "team": rng.choice("XY"), "guest": rng.random() < 0.1}
        one["class"] = rng.choice("PQR")
        results.append({**one, "status": status} if status else {**one, "place": place})
    rng.choice(results)["fastest_lap"] = True
    return {"results": results, "factor": rng.choice([0.5, 1, 1, 2]), "game": rng.choice(["cards", "dice"])}


@settings(max_examples=150, deadline=None)
@given(SCHEMES, st.integers(0, 10_000))
def test_tables_do_not_depend_on_the_order_in_which_results_came(scheme: dict[str, Any], seed: int) -> None:
    rng = Random(seed)
    rounds = [a_round(rng) for _each in range(rng.randint(1, 5))]
    mixed = [{**each, "results": rng.sample(each["results"], len(each["results"]))} for each in rounds]
    assert tables_of({"scheme": scheme, "rounds": rounds}) == tables_of({"scheme": scheme, "rounds": mixed})


@settings(max_examples=60, deadline=None)
@given(SCHEMES, st.integers(0, 10_000))
def test_a_season_that_is_written_gives_the_same_tables(scheme: dict[str, Any], seed: int) -> None:
    rng = Random(seed)
    document = season(scheme, *(a_round(rng) for _ in range(4)))
    document["rounds"][1] |= {"factor": 0.5, "points": [3, 2.25], "cancelled": rng.random() < 0.2}
    driver = document["rounds"][0]["results"][0]["driver"]
    document["adjustments"] = [{"driver": driver, "points": -2.5, "round": 2, "reason": "Late"}]
    document["withdrawn"] = [{"driver": driver, "from_round": 3, "others": "keep"}]
    written = json.loads(json.dumps(document_of(read(document))))
    assert tables_of(written) == tables_of(document)


@settings(max_examples=150, deadline=None)
@given(SCHEMES, st.integers(0, 10_000))
def test_moving_a_team_in_a_later_round_changes_nothing_before(scheme: dict[str, Any], seed: int) -> None:
    rng = Random(seed)
    scheme = {**scheme, "teams": scheme.get("teams", {"how": "rerank"})}
    rounds = [a_round(rng) for _each in range(3)]
    moved = [*rounds[:2], {**rounds[2], "results": [{**one, "team": "X"} for one in rounds[2]["results"]]}]
    before, after = (
        {line["team"]: line["rounds"][:2] for line in tables_of({"scheme": scheme, "rounds": some})["teams"]}
        for some in (rounds, moved)
    )
    for team in before.keys() & after.keys():
        assert before[team] == after[team]


@settings(max_examples=100, deadline=None)
@given(SCHEMES, st.integers(0, 10_000))
def test_moving_a_driver_in_a_later_round_changes_no_division_before(scheme: dict[str, Any], seed: int) -> None:
    rng = Random(seed)
    rounds = [a_round(rng) for _each in range(3)]
    moved = [*rounds[:2], {**rounds[2], "results": [{**one, "class": "P"} for one in rounds[2]["results"]]}]
    before, after = (
        {
            (name, line["driver"]): line["rounds"][:2]
            for name, lines in tables_of({"scheme": scheme, "rounds": some})["classes"].items()
            for line in lines
        }
        for some in (rounds, moved)
    )
    for one in before.keys() | after.keys():
        assert before.get(one, [None, None]) == after.get(one, [None, None])


@settings(max_examples=100, deadline=None)
@given(SCHEMES, st.integers(0, 3), st.integers(0, 10_000))
def test_everybody_has_one_division_after_the_season_and_as_many_go_up_as_down(
    scheme: dict[str, Any], moving: int, seed: int
) -> None:
    rng = Random(seed)
    divisions = {"names": ["P", "Q", "R"], "up": moving, "down": moving}
    season = read({"scheme": {**scheme, "divisions": divisions}, "rounds": [a_round(rng) for _each in range(3)]})
    stand, after = standing_in(season), divisions_after(season)
    assert after.keys() == stand.keys()
    moves = moves_of(season)
    assert len({move.driver for move in moves}) == len(moves)
    if all(list(stand.values()).count(name) >= 2 * moving for name in "PQR"):
        assert sorted(stand.values()) == sorted(after.values())


@given(st.integers(0, 40), st.lists(st.integers(0, 12), min_size=1, max_size=5))
def test_seeding_keeps_the_order_and_the_sizes(drivers: int, sizes: list[int]) -> None:
    names = [f"{number}" for number in range(len(sizes))]
    order = [f"driver {number}" for number in range(drivers)]
    found = seeded(order, dict(zip(names, sizes, strict=True)))
    assert list(found) == order[: len(found)] and list(found.values()) == sorted(found.values())
    if any(sizes):
        assert len(found) == min(drivers, sum(sizes))
    else:
        counts = [list(found.values()).count(name) for name in names]
        assert max(counts) - min(counts) <= 1 and sum(counts) == drivers


def test_a_driver_who_moved_in_the_season_goes_from_the_new_division_and_who_is_level_is_named() -> None:
    def results(*pairs: tuple[str, str, int]) -> dict[str, Any]:
        return {"results": [{"driver": name, "class": own, "place": place} for name, own, place in pairs]}

    document = season({"divisions": {"names": ["Top", "Low"], "up": 1, "down": 1}})
    document["rounds"] = [
        results(("A", "Top", 1), ("B", "Top", 2), ("C", "Low", 3), ("D", "Low", 4)),
        results(("A", "Top", 1), ("C", "Top", 2), ("B", "Low", 3), ("D", "Low", 3)),
    ]
    assert tables_of(document)["moves"] == [
        {"driver": "C", "from": "Top", "to": "Low"},  # who came up with eight points, less than A
        {"driver": "D", "from": "Low", "to": "Top"},  # B has points in Top, and one result here
    ]
    (down, up) = moves_of(read(document))
    assert (down.rank, up.rank, up.level_with) == (2, 1, ())


def test_power_stage_and_bonuses_count_in_a_division_as_in_the_drivers_table_but_in_no_other_class() -> None:
    def car(driver: str, own: str, place: int, **more: Any) -> dict[str, Any]:
        return {"driver": driver, "class": own, "place": place, **more}

    scheme = {
        "power": [3, 2, 1],
        "bonus": {"pole": {"points": 5}, "fastest_lap": {"points": 7, "within": 2}, "stage_win": {"points": 1}},
        "tie_breaks": ["power"],
    }
    results = [
        car("A", "Top", 1, power=2),
        car("B", "Top", 2, stage_wins=2),
        car("C", "Low", 3, power=1, fastest_lap=True),  # place 1 of its division, but 3 of all: no point for the lap
        car("D", "Low", 4, power=3, pole=True),
    ]
    divided = {**scheme, "divisions": {"names": ["Top", "Low"], "up": 1, "down": 1}}
    found = tables_of({**season(divided), "rounds": [{"results": results, "factor": "1.5"}]})
    points, everybody = [10, 8, 6], {line["driver"]: line["points"] for line in found["drivers"]}
    low = {line["driver"]: line["points"] for line in found["classes"]["Low"]}
    assert low == {"C": (points[0] + 3) * 1.5, "D": (points[1] + 1 + 5) * 1.5}
    assert everybody["C"] - low["C"] == (points[2] - points[0]) * 1.5, "only the points of the place differ"
    assert {line["driver"]: line["points"] for line in found["classes"]["Top"]} == {
        name: everybody[name] for name in "AB"
    }
    plain = tables_of({**season(scheme), "rounds": [{"results": results}]})
    assert {line["driver"]: line["points"] for line in plain["classes"]["Low"]} == {"C": points[0], "D": points[1]}


def test_a_game_may_have_points_of_its_own() -> None:
    document = season({"games": {"cards": {"points": [3, 1]}}}, finishing("A", "B", game="cards"), finishing("B", "A"))
    assert standing(document) == [(1, "A", 11), (1, "B", 11)]
