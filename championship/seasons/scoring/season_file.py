"""A season as one document: read with every value checked, and its tables written as plain JSON (docs/seasons.md).

Raises `SeasonFileError` with the path of the first value that is wrong: `rounds[3].results[2].place`.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import count
from typing import Any

from championship.seasons.scoring import tables, ties
from championship.seasons.scoring.divisions import moves
from championship.seasons.scoring.document_nodes import (
    MOST_PLACES,
    MOST_POINTS,
    Node,
    meant,
)
from championship.seasons.scoring.season_checks import refuse_contradictions, refuse_repetitions
from championship.seasons.scoring.values import (
    ALL,
    BEST,
    BOTH,
    COUNTED,
    DIVIDE,
    EACH,
    KEEP_THE_PLACE,
    MOVE_UP,
    NOMINATED,
    NONE,
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
    Size,
    TableLine,
    TeamScheme,
    Withdrawal,
    as_number,
)

Json = Any
MOST_ROUNDS, MOST_RESULTS, MOST_JOKER = 500, 1000, 100
BONUSES = ("fastest_lap", "pole", "stage_win")
KEEP = "keep"


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
        **({"starts_missing": line.starts_missing} if line.starts_missing else {}),
    }


def _number(points: Points) -> int | float:
    shown = as_number(points)
    return shown if isinstance(shown, int) else float(shown)


# Reading -------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Reading:
    """What has been read of a document: the next car's number, and names by their kind and folded letters."""

    cars: count[int] = field(default_factory=count)
    names: dict[tuple[str, str], str] = field(default_factory=dict)

    def name(self, node: Node, kind: str) -> str:
        """Return a name. The same one in small and in capital letters would be two drivers, or two teams."""
        name = node.name()
        known = self.names.setdefault((kind, name.casefold()), name)
        if known != name:
            node.refuse(f"this is “{known}” in another place: write it in one way")
        return name


def read(document: Json) -> Season:
    """Return the season in a document.

    Raises: SeasonFileError with the path of the first value that is wrong.
    """
    known = Node(document, "").fields("scheme", "rounds", "adjustments", "withdrawn", needed=("scheme", "rounds"))
    scheme = _with_plain_names(_scheme(known.node("scheme")))
    refuse_repetitions(scheme)
    reading = _Reading()
    for kind, names in (("class", scheme.classes), ("game", scheme.games)):
        reading.names |= {(kind, name.casefold()): name for name in names}
    rounds = tuple(
        _round(node, number, reading) for number, node in enumerate(known.node("rounds").items(MOST_ROUNDS), start=1)
    )
    refuse_contradictions(scheme, rounds)
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
        withdrawn=known.get("withdrawn", lambda node: _withdrawals(node, named, last), ()),
    )


def _with_plain_names(scheme: SeasonScheme) -> SeasonScheme:
    """Return the scheme with its names as those of results are read."""
    divisions = scheme.divisions
    return replace(
        scheme,
        classes={Node(name, "scheme.classes").name(): points for name, points in scheme.classes.items()},
        games={Node(name, "scheme.games").name(): points for name, points in scheme.games.items()},
        divisions=divisions
        and replace(divisions, names=tuple(Node(name, "scheme.divisions.names").name() for name in divisions.names)),
    )


def read_scheme(document: Json) -> SeasonScheme:
    """Return the scheme in a document of its own.

    Raises: SeasonFileError with the path of the first value that is wrong.
    """
    return _scheme(Node(document, ""))


def _scheme(node: Node) -> SeasonScheme:
    said = node.fields(
        *(
            "points",
            "power",
            "bonus",
            "participation",
            "start",
            "equal_places",
            "two_cars",
            "drops",
            "nominated",
            "joker",
            "least_starts",
        ),
        *("excluded_may_be_dropped", "guests", "shared", "tie_breaks", "tie_breaks_count", "tie_breaks_without"),
        *("teams", "classes", "games", "sizes", "divisions"),
        needed=("points",),
    )
    scheme = SeasonScheme(
        points=said.node("points").list_of_points(),
        power=said.get("power", Node.list_of_points, ()),
        bonus=said.get("bonus", _bonuses, {}),
        participation=said.get("participation", Node.points, 0),
        start=said.get("start", Node.points, 0),
        equal_places=said.get("equal_places", lambda one: one.choice(EACH, DIVIDE), EACH),
        two_cars=said.get("two_cars", lambda one: one.choice(BOTH, BEST), BOTH),
        drops=said.get("drops", _drops, Drops()),
        nominated=said.get("nominated", lambda one: one.whole(0, MOST_ROUNDS), 0),
        joker=said.get("joker", lambda one: one.decimal(2, least=1, most=MOST_JOKER), Decimal(1)),
        least_starts=said.get("least_starts", lambda one: one.whole(0, MOST_ROUNDS), 0),
        excluded_may_be_dropped=said.get("excluded_may_be_dropped", Node.flag, False),
        guests=said.get("guests", lambda one: one.choice(MOVE_UP, KEEP_THE_PLACE), MOVE_UP),
        shared=said.get("shared", lambda one: one.choice(DIVIDE, EACH, NONE), DIVIDE),
        tie_breaks=said.get("tie_breaks", _tie_breaks, ()),
        tie_breaks_count=said.get("tie_breaks_count", lambda one: one.choice(ALL, COUNTED), ALL),
        tie_breaks_without=said.get("tie_breaks_without", lambda one: one.numbers(MOST_ROUNDS), frozenset()),
        teams=said.get("teams", _teams, None),
        classes=said.get("classes", _classes, {}),
        games=said.get("games", _classes, {}),
        sizes=said.get("sizes", _sizes, ()),
        divisions=said.get("divisions", _divisions, None),
    )
    if scheme.joker != 1 and not scheme.nominated:
        said.node("joker").refuse("how many rounds a driver may nominate is missing: nominated")
    if scheme.selects and scheme.drops.together:
        said.node("drops").of("together").refuse("rounds are nominated one by one: leave out together, or nominated")
    return scheme


def _tie_breaks(node: Node) -> tuple[str, ...]:
    return tuple(each.choice(*ties.NAMES) for each in node.items(len(ties.NAMES)))


def _bonuses(node: Node) -> dict[str, Bonus]:
    said = node.fields(*BONUSES)
    found: dict[str, Bonus] = {}
    for kind in BONUSES:
        if kind in said:
            shared = () if kind == "stage_win" else ("shared",)
            one = said.node(kind).fields("points", "within", *shared, needed=("points",))
            within = one.get("within", lambda each: each.whole(1, MOST_PLACES), None)
            # an equal fastest lap is divided; two poles are those of two races
            how = one.get("shared", lambda each: each.choice(DIVIDE, EACH), DIVIDE if kind == "fastest_lap" else EACH)
            found[kind] = Bonus(one.node("points").points(), within, how)
    return found


def _drops(node: Node) -> Drops:
    said = node.fields("worst", "best", "parts", "never", "together")
    if sum(name in said for name in ("worst", "best", "parts")) > 1:
        node.refuse("one of worst, best and parts")
    return Drops(
        worst=said.get("worst", lambda one: one.whole(0, MOST_ROUNDS), 0),
        best=said.get("best", lambda one: one.whole(1, MOST_ROUNDS), 0),
        parts=said.get("parts", lambda one: tuple(_part(each) for each in one.items(MOST_ROUNDS)), ()),
        never=said.get("never", lambda one: one.numbers(MOST_ROUNDS), frozenset()),
        together=said.get("together", _together, ()),
    )


def _together(node: Node) -> tuple[tuple[int, int], ...]:
    """Return the meetings of several rounds, the first one first."""
    found: list[tuple[int, int]] = []
    for each in node.items(MOST_ROUNDS):
        bounds = _bounds(each)
        if any(bounds[0] <= last and first <= bounds[1] for first, last in found):
            each.refuse("a round belongs to one meeting")
        found.append(bounds)
    return tuple(sorted(found))


def _bounds(node: Node) -> tuple[int, int]:
    bounds = node.items(2)
    if len(bounds) != 2:
        node.refuse("the first and the last round are needed here")
    first, last = (each.whole(1, MOST_ROUNDS) for each in bounds)
    if last < first:
        bounds[1].refuse("the last round is not before the first")
    return first, last


def _part(node: Node) -> Part:
    said = node.fields("rounds", "best", needed=("rounds", "best"))
    return Part(*_bounds(said.node("rounds")), said.node("best").whole(0, MOST_ROUNDS))


def _teams(node: Node) -> TeamScheme:
    said = node.fields("how", "cars", "power", "bonus", "drops", "members", "points")
    return TeamScheme(
        how=said.get("how", lambda one: one.choice(SUM, RERANK), SUM),
        cars=said.get("cars", lambda one: one.whole(0, MOST_RESULTS), 0),
        power=said.get("power", Node.flag, True),
        bonus=said.get("bonus", Node.flag, True),
        drops=said.get("drops", lambda one: _drops(one) if isinstance(one.value, dict) else one.flag(), False),
        members=said.get("members", lambda one: one.choice(ALL, BEST, NOMINATED), ALL),
        points=said.get("points", Node.list_of_points, ()),
    )


def _classes(node: Node) -> dict[str, tuple[Points, ...]]:
    found: dict[str, tuple[Points, ...]] = {}
    for name in node.names():
        found[name] = node.of(name).fields("points").get("points", _own_points, ())
    return found


def _sizes(node: Node) -> tuple[Size, ...]:
    """Return the points by the number of cars, the fewest first."""
    found: dict[int, Size] = {}
    for each in node.items(MOST_RESULTS):
        said = each.fields("cars", "points", needed=("cars", "points"))
        cars = said.node("cars").whole(1, MOST_RESULTS)
        if cars in found:
            said.node("cars").refuse("each number of cars once")
        found[cars] = Size(cars, said.node("points").list_of_points())
    return tuple(found[cars] for cars in sorted(found))


def _divisions(node: Node) -> Divisions:
    said = node.fields("names", "up", "down", needed=("names",))
    return Divisions(
        names=tuple(each.text() for each in said.node("names").items(MOST_ROUNDS)),
        up=said.get("up", lambda one: one.whole(0, MOST_RESULTS), 0),
        down=said.get("down", lambda one: one.whole(0, MOST_RESULTS), 0),
    )


# Rounds --------------------------------------------------------------------------------------------


def _round(node: Node, number: int, reading: _Reading) -> SeasonRound:
    said = node.fields("name", "factor", "points", "cancelled", "game", "results")
    results = said.get("results", lambda one: _results(one, reading), ())
    return SeasonRound(
        number=number,
        name=said.get("name", Node.name, f"{number}"),
        results=results,
        factor=said.get("factor", lambda one: one.decimal(4, most=1000), Decimal(1)),
        points=said.get("points", _own_points, ()),
        cancelled=said.get("cancelled", Node.flag, False),
        game=said.get("game", lambda one: reading.name(one, "game"), ""),
    )


def _own_points(node: Node) -> tuple[Points, ...]:
    """Return the table of a round, a class or a game. An empty one gives no points: it is not a missing one."""
    return node.list_of_points() or (0,)


def _results(node: Node, reading: _Reading) -> tuple[Result, ...]:
    nodes = node.items(MOST_RESULTS)
    read_entries = [_entry(each, reading) for each in nodes]
    alone: dict[tuple[str, str], str] = {}
    for where, (results, _time, _node) in zip(nodes, read_entries, strict=True):
        own = results[0]
        first = alone.setdefault((own.driver, own.car_class), where.path) if len(results) == 1 else where.path
        if first != where.path:
            where.of("driver").refuse(f"{own.driver} is in {first} already: nobody drives two cars of a class alone")
    timed = sorted(time for _results_, time, _where in read_entries if time is not None)
    placed = any(one.place is not None for results, _time, _where in read_entries for one in results)
    found: list[Result] = []
    for results, time, where in read_entries:
        if time is not None and placed:
            where.refuse("a round has places or times, not both")
        place = None if time is None else 1 + bisect_left(timed, time)
        found += [one if place is None else replace(one, place=place) for one in results]
    return tuple(found)


def _entry(node: Node, reading: _Reading) -> tuple[list[Result], Decimal | None, Node]:
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
    time = said.get("time", _time, None)
    if status and status != RETIRED and (place is not None or time is not None):
        said.node("status").refuse("an entry with a place has no such status")
    if not status and place is None and time is None:
        node.refuse("a place, a time or a status is needed here")
    others = said.get("shared_with", lambda one: _names(one, reading), [])
    driver = reading.name(said.node("driver"), "driver")
    if driver in others or len(set(others)) < len(others):
        said.node("shared_with").refuse("each driver of a car once")
    own = Result(
        driver=driver,
        car=next(reading.cars),
        shares=1 + len(others),
        team=said.get("team", lambda one: reading.name(one, "team"), ""),
        car_class=said.get("class", lambda one: reading.name(one, "class"), ""),
        place=place,
        status=status,
        retired=status == RETIRED,
        guest=said.get("guest", Node.flag, False),
        nominated=said.get("nominated", Node.flag, False),
        power=said.get("power", lambda one: one.whole(1, MOST_PLACES), None),
        fastest_lap=said.get("fastest_lap", Node.flag, False),
        pole=said.get("pole", Node.flag, False),
        stage_wins=said.get("stage_wins", lambda one: one.whole(0, MOST_PLACES), 0),
        published=said.get("published", Node.points, None),
        published_power=said.get("published_power", Node.points, 0),
    )
    if own.published_power > (own.published or 0):
        said.node("published_power").refuse("this is a part of published: at most as much, and not without it")
    return [own, *(_shared(own, other) for other in others)], time, said.node("time")


def _time(node: Node) -> Decimal:
    """Return a time. Lists have 0 for a car without one, and 0 would be the fastest of all."""
    time = node.decimal(3, most=10_000_000, what="a number of seconds")
    if time == 0:
        node.refuse("a time above 0 is needed here; a car without a time has a status")
    return time


def _names(node: Node, reading: _Reading) -> list[str]:
    return [reading.name(each, "driver") for each in node.items(MOST_RESULTS)]


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


def _adjustment(node: Node, drivers: set[str], teams: set[str], last: int) -> Adjustment:
    said = node.fields("driver", "team", "points", "round", "reason", needed=("points",))
    if ("driver" in said) == ("team" in said):
        node.refuse("a driver or a team is needed here")
    return Adjustment(
        points=said.node("points").points(least=-MOST_POINTS),
        driver=said.get("driver", lambda one: _known(one, drivers), ""),
        team=said.get("team", lambda one: _known(one, teams), ""),
        round=said.get("round", lambda one: one.whole(1, last), None),
        reason=said.get("reason", Node.name, ""),
    )


def _withdrawals(node: Node, drivers: set[str], last: int) -> tuple[Withdrawal, ...]:
    found: list[Withdrawal] = []
    for each in node.items(MOST_RESULTS):
        one = _withdrawal(each, drivers, last)
        if any(other.driver == one.driver for other in found):
            each.of("driver").refuse("each driver once")
        found.append(one)
    return tuple(found)


def _withdrawal(node: Node, drivers: set[str], last: int) -> Withdrawal:
    said = node.fields("driver", "from_round", "others", needed=("driver", "from_round"))
    others = said.get("others", lambda one: one.choice(KEEP, MOVE_UP), KEEP)
    return Withdrawal(
        driver=_known(said.node("driver"), drivers),
        from_round=said.node("from_round").whole(1, last + 1),
        others=MOVE_UP if others == MOVE_UP else KEEP_THE_PLACE,
    )


def _known(node: Node, names: set[str]) -> str:
    name = node.name()
    if name not in names:
        node.refuse(f"nobody of this name is in any result{meant(name, names)}")
    return name
