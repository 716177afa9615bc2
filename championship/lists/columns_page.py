"""The page "which column is what", as its template shows it: columns with their choices, what is asked, what is
understood. No query.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from championship.lists.found import Choices, FoundEntries, FoundPerson, FoundResult, FoundRound, FoundSeason, Note
from championship.lists.models import ListDraft
from championship.lists.reading import Reading, choices_of
from championship.lists.reading.roles import IGNORE, IGNORE_LABEL, PERSON_ROLES, RESULT_ROLES
from championship.lists.reading.times import in_words
from championship.lists.services.uploads import LEAVE_OUT, hindering

ANSWERED = frozenset(
    {
        "zero",
        "dates",
        "hours",
        "gaps",
        "power stage",
        "power column",
        "bonus column",
        "penalty",
        "round name",
        "round day",
    }
)
"""What may be answered, by `Note.about`."""
MOST_LINES_NAMED = 8
FIRST_PEOPLE, FIRST_ROUNDS, FIRST_RESULTS = 8, 12, 4
STATUS_LABELS = {
    "classified": gettext_lazy("classified"),
    "retired": gettext_lazy("retired"),
    "not_classified": gettext_lazy("not classified"),
    "excluded": gettext_lazy("excluded"),
    "withdrawn": gettext_lazy("withdrawn"),
    "did_not_start": gettext_lazy("did not start"),
    "did_not_qualify": gettext_lazy("did not qualify"),
}
MEASURE_LABELS = {
    "times": gettext_lazy("times"),
    "places": gettext_lazy("places"),
    "points": gettext_lazy("points as published"),
}


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """A column: its number from 1, heading, first cells, the chosen role, and the other ones."""

    index: int
    number: int
    heading: str
    samples: str
    role: str
    changed: bool


@dataclass(frozen=True, slots=True)
class Question:
    """A question: the name of its field, what it is about in the list, the answers and the one that holds."""

    name: str
    says: str
    where: str
    answer: str
    choices: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Remark:
    """What is wrong, or told: the sentence, where, and cells of it."""

    says: str
    where: str
    cells: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line of what is understood: the head, and what is said of it."""

    head: str
    says: str


@dataclass(frozen=True, slots=True)
class Group:
    """A round of what is understood, or all people: a title, the first lines, and how many more there are."""

    title: str
    says: str
    lines: tuple[Line, ...]
    more: int


@dataclass(frozen=True, slots=True)
class ColumnsPage:
    """All that the page shows."""

    sheets: tuple[tuple[int, str], ...]
    sheet: int
    columns: tuple[ShownColumn, ...]
    roles: tuple[tuple[str, str], ...]
    result_roles: tuple[tuple[str, str], ...]
    ignore: tuple[str, str]
    questions: tuple[Question, ...]
    faults: tuple[Remark, ...]
    told: tuple[Remark, ...]
    groups: tuple[Group, ...]
    summary: str
    faulty_lines: int
    leave_out: bool
    hinders: str
    remembered: bool


def page_of(draft: ListDraft, reading: Reading) -> ColumnsPage:
    """Return the page of a draft and its reading."""
    choices = choices_of(draft.choices)
    notes = reading.found.notes
    results = isinstance(reading.found, FoundSeason)
    faults = [note for note in notes if note.kind == "fault"]
    return ColumnsPage(
        sheets=tuple(enumerate(reading.sheets)) if len(reading.sheets) > 1 else (),
        sheet=reading.sheet,
        columns=tuple(_columns(reading, choices)),
        roles=tuple((role, str(label)) for role, label in PERSON_ROLES.items()),
        result_roles=tuple((role, str(label)) for role, label in RESULT_ROLES.items()) if results else (),
        ignore=(IGNORE, str(IGNORE_LABEL)),
        questions=tuple(_question(note, choices) for note in notes if note.kind == "ask" and note.about in ANSWERED),
        faults=tuple(_remark(note) for note in faults),
        told=tuple(_remark(note) for note in notes if note.kind == "told"),
        groups=tuple(_groups(reading)),
        summary=_summary(reading),
        faulty_lines=len({line for note in faults for line in note.lines}),
        leave_out=choices.answers.get("faults") == LEAVE_OUT,
        hinders=hindering(reading, choices),
        remembered=bool(choices.columns) and draft.version == 0,
    )


def _columns(reading: Reading, choices: Choices) -> Iterator[ShownColumn]:
    for number, column in enumerate(reading.columns, 1):
        heading = column.heading or _("Column %(number)d") % {"number": column.index + 1}
        samples = " · ".join(cell[:40] for cell in column.samples)
        changed = choices.columns.get(column.index, column.guess) != column.guess
        yield ShownColumn(column.index, number, heading[:80], samples, column.role, changed)


def _question(note: Note, choices: Choices) -> Question:
    default = note.choices[0][0] if note.choices else (note.cells[0] if note.cells else "")
    answer = choices.answers.get(note.about, default)
    name = f"answer-{note.about.replace(' ', '-')}"
    where = _where(note)
    cells = ", ".join(note.cells) if note.choices else ""
    return Question(name, note.says, f"{where}: {cells}" if where and cells else where or cells, answer, note.choices)


def _remark(note: Note) -> Remark:
    return Remark(note.says, _where(note), ", ".join(note.cells))


def _where(note: Note) -> str:
    """Return the lines and the column of a note in words."""
    parts = []
    if note.lines:
        named = ", ".join(map(str, note.lines[:MOST_LINES_NAMED]))
        more = len(note.lines) - MOST_LINES_NAMED
        said = ngettext("line %(lines)s", "lines %(lines)s", len(note.lines)) % {"lines": named}
        parts.append(_("%(lines)s and %(n)d more") % {"lines": said, "n": more} if more > 0 else said)
    if note.column:
        parts.append(note.column)
    return " · ".join(parts)


def _summary(reading: Reading) -> str:
    found = reading.found
    if isinstance(found, FoundEntries):
        n = len(found.persons)
        return ngettext("%(n)d person", "%(n)d people", n) % {"n": n}
    rounds, results = len(found.rounds), sum(len(each.results) for each in found.rounds)
    return ", ".join(
        (
            ngettext("%(n)d round", "%(n)d rounds", rounds) % {"n": rounds},
            ngettext("%(n)d result", "%(n)d results", results) % {"n": results},
        )
    )


def _groups(reading: Reading) -> Iterator[Group]:
    found = reading.found
    if isinstance(found, FoundEntries):
        lines = tuple(Line(each.name or each.mail, _of_person(each)) for each in found.persons[:FIRST_PEOPLE])
        yield Group("", "", lines, max(0, len(found.persons) - FIRST_PEOPLE))
        return
    for each in found.rounds[:FIRST_ROUNDS]:
        lines = tuple(Line(result.person.name, _of_result(result)) for result in each.results[:FIRST_RESULTS])
        yield Group(each.name or _("Without a name"), _of_round(each), lines, max(0, len(each.results) - FIRST_RESULTS))


def _of_person(person: FoundPerson) -> str:
    number = f"#{person.number}" if person.number else ""
    facts: Sequence[str] = (
        number,
        person.mail if person.name else "",
        person.crew,
        person.codriver,
        person.car_class,
        person.team,
    )
    return " · ".join(fact for fact in facts if fact)


def _of_round(each: FoundRound) -> str:
    day = date_format(each.day, "DATE_FORMAT") if each.day else str(each.year or _("without a date"))
    stages = ngettext("%(n)d stage", "%(n)d stages", len(each.stages)) % {"n": len(each.stages)} if each.stages else ""
    return " · ".join(fact for fact in (day, str(MEASURE_LABELS[each.measure]), stages) if fact)


def _of_result(result: FoundResult) -> str:
    """Return a result in words: place, points, times, and how it ended."""
    facts = []
    if result.place:
        facts.append(f"{'=' if result.shared else ''}{result.place}.")
    if result.points_hundredths is not None:
        points = f"{result.points_hundredths / 100:g}"
        facts.append(
            ngettext("%(points)s point", "%(points)s points", result.points_hundredths // 100) % {"points": points}
        )
    if result.total:
        facts.append(in_words(result.total.thousandths, result.total.decimals))
    elif any(result.times):
        facts.append(
            " | ".join(in_words(time.thousandths, time.decimals) if time else "–" for time in result.times[:6])
        )
    if result.status != "classified":
        reason = f" ({result.reason})" if result.reason else ""
        facts.append(f"{STATUS_LABELS[result.status]}{reason}")
    return " · ".join(facts)
