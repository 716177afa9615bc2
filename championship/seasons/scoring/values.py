"""The values of a season: its scheme, its rounds with their results, and its tables. Points are whole hundredths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

Points = int
"""Hundredths of a point."""
POINT: Points = 100
"""One point."""
Number = int | Decimal
"""Points as people write them: a whole number, or one with at most two decimals."""


def as_number(points: Points) -> Number:
    """Return hundredths as the number of points."""
    return points // POINT if points % POINT == 0 else (Decimal(points) / POINT).normalize()


def exact(points: Number) -> Number:
    """Return a sum or a difference of points as `as_number` writes it: whole where it is."""
    return as_number(hundredths(points))


def hundredths(points: Number | float) -> Points:
    """Return a number of points in hundredths."""
    return points * POINT if isinstance(points, int) else round(points * POINT)


RETIRED, NOT_STARTED, EXCLUDED, NOT_CLASSIFIED = "retired", "did not start", "excluded", "not classified"
STATUSES = (RETIRED, NOT_STARTED, EXCLUDED, NOT_CLASSIFIED)
"""Why an entry has no place."""
MOVE_UP, KEEP_THE_PLACE = "move up", "keep the place"
"""What a guest does to the cars behind: they move up, or the guest's place and its points go to nobody."""
DIVIDE, EACH, NONE = "divide", "each", "none"
"""What drivers who share a car get: a part of its points each, all of them each, or nothing."""
SUM, RERANK = "sum", "rerank"
"""How a team scores: the sum of its cars' points, or the points of their places among the cars that count."""
ALL, BEST, NOMINATED = "all", "best", "nominated"
"""Which cars of a team count; and how much of a season the tie-breaks look at (ALL or COUNTED)."""
BOTH = "both"
"""What a driver of two cars in a round gets: the points of BOTH places, or of the BEST one."""
COUNTED = "counted"


@dataclass(frozen=True, slots=True)
class Bonus:
    """Points besides those of the place. `within`: only for the first n places; None for all. `shared`: whether cars
    that did the same, such as an equal fastest lap, DIVIDE the points or get them EACH.
    """

    points: Points
    within: int | None = None
    shared: str = EACH


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the calendar, from one round's number to another's, of which the `best` n count."""

    first: int
    last: int
    best: int


@dataclass(frozen=True, slots=True)
class Drops:
    """Which rounds do not count: the `worst` n of the calendar, all but the `best` n, or all but the best of each of
    the `parts`. At most one of the three is set. `never`: the numbers of rounds that are not dropped. `together`: the
    first and the last number of rounds that are one meeting: they are counted, and dropped, as one.
    """

    worst: int = 0
    best: int = 0
    parts: tuple[Part, ...] = ()
    never: frozenset[int] = frozenset()
    together: tuple[tuple[int, int], ...] = ()

    def meeting(self, number: int) -> int:
        """Return the first round of the meeting to which a round belongs; the round itself where it is alone."""
        return next((first for first, last in self.together if first <= number <= last), number)


@dataclass(frozen=True, slots=True)
class Size:
    """The points of places in rounds that this number of `cars`, or more, have started."""

    cars: int
    points: tuple[Points, ...]


@dataclass(frozen=True, slots=True)
class TeamScheme:
    """How teams score. `cars`: the most that count in a round, 0 for all. `members`: which of a team's cars may count.
    `power` and `bonus`: whether those points count for the team. `drops`: whether rounds are dropped as for drivers, or
    which ones are. `points`: a table of their own, empty for that of the drivers; a round's own table goes first.
    """

    how: str = SUM
    cars: int = 0
    power: bool = True
    bonus: bool = True
    drops: bool | Drops = False
    members: str = ALL
    points: tuple[Points, ...] = ()


@dataclass(frozen=True, slots=True)
class Divisions:
    """Divisions of a season, the highest first: how many drivers go `up` and `down` between two neighbours."""

    names: tuple[str, ...]
    up: int
    down: int


@dataclass(frozen=True, slots=True)
class SeasonScheme:
    """How a season counts. `points` and `power` are for places, first place first. `bonus` is by its kind: fastest_lap,
    pole, stage_win. `participation` goes to every entry with a place, `start` to every one that started. `two_cars`:
    what a driver of two cars gets, BOTH or BEST. `equal_places`: whether cars on the same place DIVIDE the points of
    the places that they take up, or get those of the best one EACH. `nominated`: the best n of the rounds that a driver
    has nominated count; 0 for all rounds. `joker`: another factor than 1 for the rounds that a driver has nominated;
    then all rounds count. `least_starts`: with fewer a driver stands behind all others.
    `tie_breaks_without`: the numbers of rounds that no tie-break looks at. `classes`: points by class, empty for the
    scheme's own. `games`: points in rounds of a game, where it has a table of its own. `sizes`: points by the number of
    cars, the fewest first, where neither the round nor its game or class has a table of its own.
    """

    points: tuple[Points, ...]
    power: tuple[Points, ...] = ()
    bonus: Mapping[str, Bonus] = field(default_factory=dict)
    participation: Points = 0
    start: Points = 0
    equal_places: str = EACH
    two_cars: str = BOTH
    drops: Drops = Drops()
    nominated: int = 0
    joker: Decimal = Decimal(1)
    least_starts: int = 0
    excluded_may_be_dropped: bool = False
    guests: str = MOVE_UP
    shared: str = DIVIDE
    tie_breaks: tuple[str, ...] = ()
    tie_breaks_count: str = ALL
    tie_breaks_without: frozenset[int] = frozenset()
    teams: TeamScheme | None = None
    classes: Mapping[str, tuple[Points, ...]] = field(default_factory=dict)
    games: Mapping[str, tuple[Points, ...]] = field(default_factory=dict)
    sizes: tuple[Size, ...] = ()
    divisions: Divisions | None = None

    @property
    def selects(self) -> bool:
        """Whether only rounds count that drivers have nominated."""
        return self.nominated > 0 and self.joker == 1


@dataclass(frozen=True, slots=True)
class Result:
    """What one driver did in one round. `car` is the same for drivers who share it, `shares` their number. `place` is
    None for an entry without one; `status` says why. `retired`: the driver stopped somewhere, also one who has a place.
    `power`: the place on the power stage. `published`: the points that were published for the round, in place of all
    that the scheme gives a driver, of which `published_power` are for the power stage.
    """

    driver: str
    car: int
    shares: int = 1
    team: str = ""
    car_class: str = ""
    place: int | None = None
    status: str = ""
    retired: bool = False
    guest: bool = False
    nominated: bool = False
    power: int | None = None
    fastest_lap: bool = False
    pole: bool = False
    stage_wins: int = 0
    published: Points | None = None
    published_power: Points = 0


@dataclass(frozen=True, slots=True)
class SeasonRound:
    """A round. `factor` multiplies all its points. `points`: a table of its own, empty for that of its `game`, or for
    the scheme's where the game has none.
    """

    number: int
    name: str
    results: tuple[Result, ...]
    factor: Decimal = Decimal(1)
    points: tuple[Points, ...] = ()
    cancelled: bool = False
    game: str = ""

    @property
    def over(self) -> bool:
        """Whether the round counts by now."""
        return not self.cancelled and bool(self.results)


@dataclass(frozen=True, slots=True)
class Adjustment:
    """Points that officials give (or take, below 0) to a driver or a team. They count whatever is dropped."""

    points: Points
    driver: str = ""
    team: str = ""
    round: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A driver who left the season: from that round on the driver does not score. Earlier rounds stay as they are.
    `others`: MOVE_UP or KEEP_THE_PLACE, what the later results do to the cars behind.
    """

    driver: str
    from_round: int
    others: str = KEEP_THE_PLACE


@dataclass(frozen=True, slots=True)
class Season:
    """A season: its scheme and what happened. `teams`: those that are in the table even without a result. `stand`: the
    division in which each driver stands now; None where that of the latest result counts.
    """

    scheme: SeasonScheme
    rounds: tuple[SeasonRound, ...]
    adjustments: tuple[Adjustment, ...] = ()
    withdrawn: tuple[Withdrawal, ...] = ()
    teams: tuple[str, ...] = ()
    stand: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class RoundScore:
    """The points of one subject in one round, with the place that they are for (the best one of several), and of which
    kinds they are. `places` are all places that tie-breaks look at, best first: a team has those of all its cars. A
    shared car counts its place for each of its drivers.
    """

    points: Points
    place: int | None = None
    places: tuple[int, ...] = ()
    power: Points = 0
    bonus: Points = 0
    stage_wins: int = 0
    retirements: int = 0
    status: str = ""
    nominated: bool = False

    @property
    def excluded(self) -> bool:
        """Whether officials have excluded the entry."""
        return self.status == EXCLUDED

    @property
    def started(self) -> bool:
        """Whether the entry started."""
        return self.status != NOT_STARTED


@dataclass(frozen=True, slots=True)
class TableLine:
    """A line of a table: a driver or a team, its place, its total with adjustments, its scores by round number, and the
    numbers of the rounds that do not count. `decided_by`: the tie-break that put it behind the line before it, which
    has the same points. `starts_missing`: how many more starts the scheme asks of it, and the calendar cannot give.
    """

    place: int
    subject: str
    total: Points
    scores: Mapping[int, RoundScore]
    dropped: tuple[int, ...] = ()
    adjusted: Points = 0
    decided_by: str | None = None
    starts_missing: int = 0


@dataclass(frozen=True, slots=True)
class Move:
    """A driver who changes the division after the season. `rank`: which of the drivers of the old division it is, from
    1, in the order of its table. `level_with`: others on the same place of that table who do not move; the order of
    names has decided.
    """

    driver: str
    before: str
    after: str
    rank: int
    level_with: tuple[str, ...] = ()
