"""A season as one document: read with every value checked, and its tables written as plain JSON (docs/seasons.md).

Raises `SeasonFileError` with the path of the first value that is wrong: `rounds[3].results[2].place`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import ROUND_DOWN, Decimal, InvalidOperation
from itertools import count
from typing import Any, NoReturn

from championship.seasons.scoring import tables, ties
from championship.seasons.scoring.divisions import moves
from championship.seasons.scoring.values import (
    ALL,
    BEST,
    COUNTED,
    DIVIDE,
    EACH,
    KEEP_THE_PLACE,
    MOVE_UP,
    NOMINATED,
    NONE,
    POINT,
    RERANK,
    RETIRED,
    STATUSES,
    SUM,
    Adjustment,
    Bonus,
    Divisions,
    Drops,
    Part,
    Points,
    Result,
    Season,
    SeasonRound,
    SeasonScheme,
    TableLine,
    TeamScheme,
    Withdrawal,
    as_number,
)

Json = Any
MOST_POINTS = 1_000_000
MOST_ROUNDS, MOST_RESULTS, MOST_PLACES = 500, 1000, 1000
MOST_LETTERS = 120
BONUSES = ("fastest_lap", "pole", "stage_win")
KEEP = "keep"


class SeasonFileError(ValueError):
    """A document is no season. `path` names the value that is wrong, "" for the whole document."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path}: {why}" if path else why)
        self.path = path


def tables_of(document: Json) -> dict[str, Json]:
    """Return the tables of a season as plain JSON, points as numbers.

    Raises: SeasonFileError when the document is no season.
    """
    season = read(document)
    written: dict[str, Json] = {"drivers": [_line(season, line, "driver") for line in tables.drivers(season)]}
    if season.scheme.teams is not None:
        written["teams"] = [_line(season, line, "team") for line in tables.teams(season)]
    by_class = tables.classes(season)
    if by_class:
        written["classes"] = {
            name: [_line(season, line, "driver") for line in found] for name, found in by_class.items()
        }
    if season.scheme.divisions is not None:
        written["moves"] = [{"driver": move.driver, "from": move.before, "to": move.after} for move in moves(season)]
    return written


def _line(season: Season, line: TableLine, subject: str) -> dict[str, Json]:
    scores = [line.scores.get(each.number) for each in season.rounds]
    return {
        "place": line.place,
        subject: line.subject,
        "points": _number(line.total),
        "rounds": [None if score is None else _number(score.points) for score in scores],
        "dropped": list(line.dropped),
        **({"adjusted": _number(line.adjusted)} if line.adjusted else {}),
        "decided_by": line.decided_by,
    }


def _number(points: Points) -> int | float:
    shown = as_number(points)
    return shown if isinstance(shown, int) else float(shown)


# Reading -------------------------------------------------------------------------------------------


class _Node:
    """A value of the document with its path."""

    def __init__(self, value: Json, path: str) -> None:
        self.value, self.path = value, path

    def refuse(self, why: str) -> NoReturn:
        raise SeasonFileError(self.path, why)

    def fields(self, *known: str, needed: Sequence[str] = ()) -> _Fields:
        """Return an object's fields. Refuses other types, unknown names and missing fields."""
        if not isinstance(self.value, dict):
            self.refuse("an object is needed here")
        for name in self.value:
            if name not in known:
                _Node(None, _joined(self.path, str(name)[:MOST_LETTERS])).refuse(
                    f"there is no such field; known: {', '.join(known)}"
                )
        for name in needed:
            if name not in self.value:
                _Node(None, _joined(self.path, name)).refuse("this is missing")
        return _Fields(self.value, self.path)

    def items(self, most: int) -> list[_Node]:
        """Return a list's values."""
        if not isinstance(self.value, list):
            self.refuse("a list is needed here")
        if len(self.value) > most:
            self.refuse(f"at most {most} values")
        return [_Node(each, f"{self.path}[{number}]") for number, each in enumerate(self.value)]

    def text(self) -> str:
        """Return a text that is not empty."""
        if not isinstance(self.value, str) or not self.value.strip() or len(self.value) > MOST_LETTERS:
            self.refuse(f"a text of 1 to {MOST_LETTERS} letters is needed here")
        return self.value.strip()

    def choice(self, *known: str) -> str:
        """Return one of these texts."""
        if self.value not in known or not isinstance(self.value, str):
            self.refuse(f"one of these is needed here: {', '.join(known)}")
        return self.value

    def flag(self) -> bool:
        """Return true or false."""
        if not isinstance(self.value, bool):
            self.refuse("true or false is needed here")
        return self.value

    def whole(self, least: int, most: int) -> int:
        """Return a whole number within these bounds."""
        if isinstance(self.value, bool) or not isinstance(self.value, int) or not least <= self.value <= most:
            self.refuse(f"a whole number from {least} to {most} is needed here")
        return self.value

    def decimal(self, places: int, *, least: int = 0, most: int = MOST_POINTS) -> Decimal:
        """Return a number, or a number as text, with at most so many decimal places."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float | str):
            self.refuse("a number is needed here")
        try:
            number = Decimal(str(self.value).strip())
        except InvalidOperation:
            self.refuse("a number is needed here")
        if not number.is_finite() or not least <= number <= most:
            self.refuse(f"a number from {least} to {most} is needed here")
        if number != number.quantize(Decimal(1).scaleb(-places), ROUND_DOWN):
            self.refuse(f"at most {places} decimal places")
        return number

    def points(self, *, least: int = 0) -> Points:
        """Return points in hundredths."""
        return int(self.decimal(2, least=least) * POINT)

    def list_of_points(self) -> tuple[Points, ...]:
        return tuple(each.points() for each in self.items(MOST_PLACES))


class _Fields:
    """The fields of an object, each read once by a method of its node."""

    def __init__(self, values: Mapping[str, Json], path: str) -> None:
        self._values, self.path = values, path

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def node(self, name: str) -> _Node:
        return _Node(self._values.get(name), _joined(self.path, name))

    def get(self, name: str, read: Callable[[_Node], Any], default: Any) -> Any:
        """Return the field as `read` returns it; `default` where it is missing."""
        return read(self.node(name)) if name in self._values else default


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def read(document: Json) -> Season:
    """Return the season in a document.

    Raises: SeasonFileError with the path of the first value that is wrong.
    """
    known = _Node(document, "").fields("scheme", "rounds", "adjustments", "withdrawn", needed=("scheme", "rounds"))
    scheme = _scheme(known.node("scheme"))
    names = scheme.divisions.names if scheme.divisions else ()
    if twice := [at for at, name in enumerate(names) if name in names[:at]]:  # a stored scheme may have it
        raise SeasonFileError(f"scheme.divisions.names[{twice[0]}]", "each division once")
    cars = count()
    rounds = tuple(
        _round(node, number, cars) for number, node in enumerate(known.node("rounds").items(MOST_ROUNDS), start=1)
    )
    named = {result.driver for each in rounds for result in each.results}
    teams = {result.team for each in rounds for result in each.results if result.team}
    last = len(rounds)
    return Season(
        scheme=scheme,
        rounds=rounds,
        adjustments=known.get(
            "adjustments",
            lambda node: tuple(_adjustment(each, named, teams, last) for each in node.items(MOST_RESULTS)),
            (),
        ),
        withdrawn=known.get(
            "withdrawn", lambda node: tuple(_withdrawal(each, named, last) for each in node.items(MOST_RESULTS)), ()
        ),
    )


def read_scheme(document: Json) -> SeasonScheme:
    """Return the scheme in a document of its own.

    Raises: SeasonFileError with the path of the first value that is wrong.
    """
    return _scheme(_Node(document, ""))


def _scheme(node: _Node) -> SeasonScheme:
    said = node.fields(
        *("points", "power", "bonus", "participation", "drops", "nominated", "excluded_may_be_dropped", "guests"),
        *("shared", "tie_breaks", "tie_breaks_count", "teams", "classes", "games", "divisions"),
        needed=("points",),
    )
    return SeasonScheme(
        points=said.node("points").list_of_points(),
        power=said.get("power", _Node.list_of_points, ()),
        bonus=said.get("bonus", _bonuses, {}),
        participation=said.get("participation", _Node.points, 0),
        drops=said.get("drops", _drops, Drops()),
        nominated=said.get("nominated", lambda one: one.whole(0, MOST_ROUNDS), 0),
        excluded_may_be_dropped=said.get("excluded_may_be_dropped", _Node.flag, False),
        guests=said.get("guests", lambda one: one.choice(MOVE_UP, KEEP_THE_PLACE), MOVE_UP),
        shared=said.get("shared", lambda one: one.choice(DIVIDE, EACH, NONE), DIVIDE),
        tie_breaks=said.get("tie_breaks", _tie_breaks, ()),
        tie_breaks_count=said.get("tie_breaks_count", lambda one: one.choice(ALL, COUNTED), ALL),
        teams=said.get("teams", _teams, None),
        classes=said.get("classes", _classes, {}),
        games=said.get("games", _classes, {}),
        divisions=said.get("divisions", _divisions, None),
    )


def _tie_breaks(node: _Node) -> tuple[str, ...]:
    return tuple(each.choice(*ties.NAMES) for each in node.items(len(ties.NAMES)))


def _bonuses(node: _Node) -> dict[str, Bonus]:
    said = node.fields(*BONUSES)
    found: dict[str, Bonus] = {}
    for kind in BONUSES:
        if kind in said:
            one = said.node(kind).fields("points", "within", needed=("points",))
            within = one.get("within", lambda each: each.whole(1, MOST_PLACES), None)
            found[kind] = Bonus(one.node("points").points(), within)
    return found


def _drops(node: _Node) -> Drops:
    said = node.fields("worst", "best", "parts")
    if sum(name in said for name in ("worst", "best", "parts")) > 1:
        node.refuse("one of worst, best and parts")
    return Drops(
        worst=said.get("worst", lambda one: one.whole(0, MOST_ROUNDS), 0),
        best=said.get("best", lambda one: one.whole(1, MOST_ROUNDS), 0),
        parts=said.get("parts", lambda one: tuple(_part(each) for each in one.items(MOST_ROUNDS)), ()),
    )


def _part(node: _Node) -> Part:
    said = node.fields("rounds", "best", needed=("rounds", "best"))
    bounds = said.node("rounds").items(2)
    if len(bounds) != 2:
        said.node("rounds").refuse("the first and the last round are needed here")
    first, last = (each.whole(1, MOST_ROUNDS) for each in bounds)
    if last < first:
        bounds[1].refuse("the last round is not before the first")
    return Part(first, last, said.node("best").whole(0, MOST_ROUNDS))


def _teams(node: _Node) -> TeamScheme:
    said = node.fields("how", "cars", "power", "bonus", "drops", "members", "points")
    return TeamScheme(
        how=said.get("how", lambda one: one.choice(SUM, RERANK), SUM),
        cars=said.get("cars", lambda one: one.whole(0, MOST_RESULTS), 0),
        power=said.get("power", _Node.flag, True),
        bonus=said.get("bonus", _Node.flag, True),
        drops=said.get("drops", _Node.flag, False),
        members=said.get("members", lambda one: one.choice(ALL, BEST, NOMINATED), ALL),
        points=said.get("points", _Node.list_of_points, ()),
    )


def _classes(node: _Node) -> dict[str, tuple[Points, ...]]:
    if not isinstance(node.value, dict):
        node.refuse("an object is needed here")
    found: dict[str, tuple[Points, ...]] = {}
    for name, value in node.value.items():
        said = _Node(value, _joined(node.path, str(name))).fields("points")
        found[str(name)] = said.get("points", _own_points, ())
    return found


def _divisions(node: _Node) -> Divisions:
    said = node.fields("names", "up", "down", needed=("names",))
    return Divisions(
        names=tuple(each.text() for each in said.node("names").items(MOST_ROUNDS)),
        up=said.get("up", lambda one: one.whole(0, MOST_RESULTS), 0),
        down=said.get("down", lambda one: one.whole(0, MOST_RESULTS), 0),
    )


# Rounds --------------------------------------------------------------------------------------------


def _round(node: _Node, number: int, cars: Iterator[int]) -> SeasonRound:
    said = node.fields("name", "factor", "points", "cancelled", "game", "results")
    results = said.get("results", lambda one: _results(one, cars), ())
    return SeasonRound(
        number=number,
        name=said.get("name", _Node.text, f"{number}"),
        results=results,
        factor=said.get("factor", lambda one: one.decimal(4, most=1000), Decimal(1)),
        points=said.get("points", _own_points, ()),
        cancelled=said.get("cancelled", _Node.flag, False),
        game=said.get("game", _Node.text, ""),
    )


def _own_points(node: _Node) -> tuple[Points, ...]:
    """Return the table of a round, a class or a game. An empty one gives no points: it is not a missing one."""
    return node.list_of_points() or (0,)


def _results(node: _Node, cars: Iterator[int]) -> tuple[Result, ...]:
    read_entries = [_entry(each, next(cars)) for each in node.items(MOST_RESULTS)]
    timed = sorted(time for _results_, time, _where in read_entries if time is not None)
    placed = any(one.place is not None for results, _time, _where in read_entries for one in results)
    found: list[Result] = []
    for results, time, where in read_entries:
        if time is not None and placed:
            where.refuse("a round has places or times, not both")
        place = None if time is None else 1 + timed.index(time)
        found += [one if place is None else replace(one, place=place) for one in results]
    return tuple(found)


def _entry(node: _Node, car: int) -> tuple[list[Result], Decimal | None, _Node]:
    """Return the results of one entry, one for each driver who shared the car, and its time if places follow from
    times.
    """
    said = node.fields(
        *("driver", "team", "class", "place", "time", "status", "power", "fastest_lap", "pole", "stage_wins"),
        *("guest", "nominated", "shared_with", "published", "published_power"),
        needed=("driver",),
    )
    status = said.get("status", lambda one: one.choice(*STATUSES), "")
    place = said.get("place", lambda one: one.whole(1, MOST_PLACES), None)
    time = said.get("time", lambda one: one.decimal(3, most=10_000_000), None)
    if status and status != RETIRED and (place is not None or time is not None):
        said.node("status").refuse("an entry with a place has no such status")
    if not status and place is None and time is None:
        node.refuse("a place, a time or a status is needed here")
    others = said.get("shared_with", lambda one: [each.text() for each in one.items(MOST_RESULTS)], [])
    driver = said.node("driver").text()
    if driver in others or len(set(others)) < len(others):
        said.node("shared_with").refuse("each driver of a car once")
    own = Result(
        driver=driver,
        car=car,
        shares=1 + len(others),
        team=said.get("team", _Node.text, ""),
        car_class=said.get("class", _Node.text, ""),
        place=place,
        status=status,
        retired=status == RETIRED,
        guest=said.get("guest", _Node.flag, False),
        nominated=said.get("nominated", _Node.flag, False),
        power=said.get("power", lambda one: one.whole(1, MOST_PLACES), None),
        fastest_lap=said.get("fastest_lap", _Node.flag, False),
        pole=said.get("pole", _Node.flag, False),
        stage_wins=said.get("stage_wins", lambda one: one.whole(0, MOST_PLACES), 0),
        published=said.get("published", _Node.points, None),
        published_power=said.get("published_power", _Node.points, 0),
    )
    return [own, *(_shared(own, other) for other in others)], time, said.node("time")


def _shared(own: Result, other: str) -> Result:
    """Return the result of another driver of the same car. Bonuses belong to the driver who is named first."""
    return Result(
        driver=other,
        car=own.car,
        shares=own.shares,
        team="",
        car_class=own.car_class,
        place=own.place,
        status=own.status,
        retired=own.retired,
        guest=own.guest,
        nominated=own.nominated,
        published=own.published,
        published_power=own.published_power,
    )


def _adjustment(node: _Node, drivers: set[str], teams: set[str], last: int) -> Adjustment:
    said = node.fields("driver", "team", "points", "round", "reason", needed=("points",))
    if ("driver" in said) == ("team" in said):
        node.refuse("a driver or a team is needed here")
    return Adjustment(
        points=said.node("points").points(least=-MOST_POINTS),
        driver=said.get("driver", lambda one: _known(one, drivers), ""),
        team=said.get("team", lambda one: _known(one, teams), ""),
        round=said.get("round", lambda one: one.whole(1, last), None),
        reason=said.get("reason", _Node.text, ""),
    )


def _withdrawal(node: _Node, drivers: set[str], last: int) -> Withdrawal:
    said = node.fields("driver", "from_round", "others", needed=("driver", "from_round"))
    others = said.get("others", lambda one: one.choice(KEEP, MOVE_UP), KEEP)
    return Withdrawal(
        driver=_known(said.node("driver"), drivers),
        from_round=said.node("from_round").whole(1, last + 1),
        others=MOVE_UP if others == MOVE_UP else KEEP_THE_PLACE,
    )


def _known(node: _Node, names: set[str]) -> str:
    name = node.text()
    if name not in names:
        node.refuse("nobody of this name is in any result")
    return name
