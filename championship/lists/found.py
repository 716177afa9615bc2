"""What a list says, once it is read: people, rounds and results, without a guess about who is meant.

The reader (`reading/`) makes these values. What follows the reading compares names with members, shows what would
change, and stores it. Lines are counted from 1 as in the file; for a pasted text or a sheet of a workbook, as there.
Texts are one line each, in normal form C, without blanks around them; "" says that the list has nothing there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Literal

Status = Literal["classified", "retired", "not_classified", "excluded", "withdrawn", "did_not_start", "did_not_qualify"]
"""How a car ended a round. Only `classified` cars have a place by right; of the others, a list may still give times."""

Measure = Literal["times", "places", "points"]
"""What decides a round of the list. `points` are points of the championship, taken as they are."""

Kind = Literal["fault", "ask", "told"]
"""A fault hinders the import of its lines. A question has `choices`. What is told needs no answer."""

Field = Literal["mail", "name", "number", "codriver", "team", "car_class", "crew"]
"""A fact about a person that a list may name."""


@dataclass(frozen=True, slots=True)
class Note:
    """What the reader has to say about some lines.

    `lines`: () for the whole list. `column`: its heading as written, "" for none. `says`: a sentence in the language of
    the reader. `about`: a short name of what is said, the same in every language; notes about the same can be grouped.
    `choices`: for a question, what may be answered: (value, label). The answer goes into `Choices.answers[about]` of
    the next reading. `cells`: what the lines have in that column, where there is one.
    """

    lines: tuple[int, ...]
    column: str
    says: str
    kind: Kind
    about: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    cells: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundPerson:
    """A person in a line. `name`: as written, first and last name joined with a blank. `also`: other readings of it:
    "Virtanen, Zoë" also as "Zoë Virtanen", a crew "Virtanen / Groß" also as "Virtanen". `crew`: only where the list
    has a column for it, or a cell with several people. `number`: a start number from 1 to 999.
    """

    line: int
    name: str
    also: tuple[str, ...] = ()
    mail: str = ""
    number: int | None = None
    codriver: str = ""
    team: str = ""
    car_class: str = ""
    crew: str = ""


@dataclass(frozen=True, slots=True)
class FoundTime:
    """A time in thousandths of a second, and as it was written. `decimals`: how many of them were written (0 to 3)."""

    thousandths: int
    written: str
    decimals: int = 0


@dataclass(frozen=True, slots=True)
class FoundResult:
    """The result of one person in one round.

    `place`: in that round, as written. `shared`: the list says that others have the same place, or that several people
    shared this car. `points_hundredths`: points as published, 29.5 as 2950, with all bonuses that the list puts into
    them. `power_hundredths`, `power_place`: the part of them, or the place, that is said of the power stage.
    `times`: one for each of the round's stages, None where there is none. `stage_points`: the same for points, in
    hundredths, where each stage gives some. `total`: as written, or the first one's total
    plus the written `gap`. `retired_in`: number of the stage, from 1. `reason`: "engine", as written.
    """

    person: FoundPerson
    place: int | None = None
    shared: bool = False
    points_hundredths: int | None = None
    power_hundredths: int | None = None
    power_place: int | None = None
    times: tuple[FoundTime | None, ...] = ()
    stage_points: tuple[int | None, ...] = ()
    total: FoundTime | None = None
    gap: FoundTime | None = None
    penalty: FoundTime | None = None
    status: Status = "classified"
    retired_in: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class FoundRound:
    """A round. `day` and `year`: what the list says of its date; both None where it says nothing, then rounds are in
    the order of the list. `stages`: their names, () where the list only has the round as a whole.
    """

    name: str
    measure: Measure
    day: date | None = None
    year: int | None = None
    stages: tuple[str, ...] = ()
    results: tuple[FoundResult, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundTotal:
    """The total of a season that a list gives a person, in hundredths of a point, and the place in the season."""

    person: FoundPerson
    points_hundredths: int | None
    place: int | None = None
    shared: bool = False
    written: str = ""


@dataclass(frozen=True, slots=True)
class FoundSeason:
    """The results of one or several rounds. `totals` are to be compared with what the rounds give, and never refused.
    `named`: the facts about people for which the list has a column.
    """

    rounds: tuple[FoundRound, ...]
    totals: tuple[FoundTotal, ...] = ()
    named: frozenset[Field] = frozenset()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundEntries:
    """People for an entry list, registrations or members, one a line. `named`: the facts for which the list has a
    column. A fact without a column is left as it is; an empty cell of a column says that there is none.
    """

    persons: tuple[FoundPerson, ...]
    named: frozenset[Field] = frozenset()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Choices:
    """What a person has chosen about a list. Everything may be left out: the reader guesses.

    `sheet`: the index of the sheet in a workbook. `columns`: what the column at an index is (`reading/roles.py`).
    `answers`: answers to questions, by `Note.about`. All of it is JSON: `as_json`, `of_json` in `reading/__init__.py`.
    """

    sheet: int | None = None
    columns: dict[int, str] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)
