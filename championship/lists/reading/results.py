"""The result of a person in a line: place, points, times, and how it ended."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from django.utils.translation import gettext as _

from championship.lists.found import FoundPerson, FoundResult, FoundTime, Status
from championship.lists.reading.cells import Ended, Points, is_nothing, read_place, read_points, read_status
from championship.lists.reading.layouts import Head
from championship.lists.reading.noting import Notes
from championship.lists.reading.own_results import is_own
from championship.lists.reading.sources import SheetRow
from championship.lists.reading.times import in_words, is_gap, looks_like_time, read_time
from championship.lists.reading.words import LAPPED, ROLE_OF, folded
from championship.platform.csv_text import without_guard

HOUR = 3600 * 1000
WITH_PENALTY = re.compile(r"([+\d:.,']{3,20})[ ]*[\[(][ ]*\+?[\d:.,']{1,12}[ ]*[\])]")
"""A total with the penalty in it, in brackets: "36:10.0 [0:10]"."""


@dataclass(slots=True)
class Raw:
    """A result while its line is read: gaps are not yet times, and how it ended is not yet decided."""

    person: FoundPerson
    line: int
    place: int | None = None
    shared: bool = False
    points: Points | None = None
    power: int | None = None
    bonus: int | None = None
    times: list[FoundTime | None] = field(default_factory=list)
    stage_points: list[int | None] = field(default_factory=list)
    behind: dict[int, FoundTime] = field(default_factory=dict)
    total: FoundTime | None = None
    gap: FoundTime | None = None
    penalty: FoundTime | None = None
    ended: Ended | None = None
    retired_in: int | None = None
    reason: str = ""
    absent: bool = False
    faulty: bool = False

    @property
    def says_nothing(self) -> bool:
        """Whether the line holds no result at all."""
        given = (self.place, self.points, self.total, self.gap, self.ended)
        of_stages = any(self.times) or any(each is not None for each in self.stage_points)
        return all(each is None for each in given) and not of_stages and not self.behind and not self.absent


class Results:
    """Reads the results of a list by the roles of its columns. `answers`: to the questions of an earlier reading.

    `thousandths`: the columns whose numbers alone are thousandths of a second, as programs write them.
    """

    def __init__(
        self,
        roles: Mapping[int, str],
        heads: tuple[Head, ...],
        notes: Notes,
        answers: Mapping[str, str],
        thousandths: frozenset[int],
    ) -> None:
        self._column = {role: index for index, role in roles.items()}
        self.stages = [index for index, role in sorted(roles.items()) if role == "stage"]
        self.stage_points = [index for index, role in sorted(roles.items()) if role == "stage_points"]
        self.own = is_own(heads)
        # A "#" only counts the lines: behind the finishers, it is no place.
        self._placed = bool(folded(self.heading_of(heads, "place")))
        self._heads, self.notes, self._answers, self._thousandths = heads, notes, answers, thousandths

    def has(self, role: str) -> bool:
        """Whether the list has a column of that role."""
        return role in self._column

    def cell(self, row: SheetRow, role: str) -> str:
        """Return the cell of a row in the column of that role, "" when there is none or nothing in it."""
        index = self._column.get(role)
        cell = "" if index is None else without_guard(row.cells[index]).strip()
        return "" if is_nothing(cell) else cell

    def heading_of(self, heads: tuple[Head, ...], role: str) -> str:
        """Return the heading of that role's column among these, "" when there is none."""
        return heads[self._column[role]].written if role in self._column else ""

    def heading(self, role: str) -> str:
        """Return the heading of that role's column as written."""
        return self.heading_of(self._heads, role)

    def raw(self, row: SheetRow, person: FoundPerson, *, out: bool = False) -> Raw:
        """Return what a line says of the person's result. `out`: it stands below a title such as "Retirements"."""
        raw = Raw(person, row.line, reason=self.cell(row, "reason"))
        raw.ended = self._status(row, raw) or (Ended("retired") if out else None)
        self._place(row, raw)
        self._points(row, raw)
        self._stage_times(row, raw)
        self._total(row, raw)
        self._absent(row, raw)
        if raw.says_nothing and raw.reason:
            raw.ended = read_status(raw.reason)  # a list without a column for it writes DNF among its remarks
            raw.reason = raw.ended.reason if raw.ended else raw.reason
        return raw

    def _status(self, row: SheetRow, raw: Raw) -> Ended | None:
        cell = self.cell(row, "status")
        if not cell:
            return None
        ended = read_status(cell)
        if ended is None and not cell.isdigit():
            raw.reason = raw.reason or cell
        return ended

    def _place(self, row: SheetRow, raw: Raw) -> None:
        cell = self.cell(row, "place")
        if not cell:
            return
        place = read_place(cell)
        ended = None if place else read_status(cell)
        if place:
            raw.place, raw.shared = place
        elif ended:
            raw.ended = _stronger(raw.ended, ended)
        else:
            self._fault(raw, "place", _("This is no place. Write 3, =4, or DNF."), cell)

    def _points(self, row: SheetRow, raw: Raw) -> None:
        for role in ("points", "power", "bonus"):
            cell = self.cell(row, role)
            if not cell:
                continue
            points = read_points(cell)
            ended = None if points else read_status(cell)
            if points and role == "points":
                raw.points = points
                raw.power = points.power if points.power is not None else raw.power
            elif points:
                raw.power, raw.bonus = (
                    (points.hundredths, raw.bonus) if role == "power" else (raw.power, points.hundredths)
                )
            elif ended:
                raw.ended = _stronger(raw.ended, ended)
            else:
                self._fault(raw, role, _("These are no points. Write 25, 12.5 or 12,5."), cell)
        if self.stage_points:
            self._of_stages(row, raw)
            return
        if raw.points is not None and raw.points.power is not None:
            raw.power = self._power_said(raw, raw.points.power)
        if raw.points is not None and ROLE_OF.get(folded(self.heading("points"))) != "total":
            self._added(raw)

    def _of_stages(self, row: SheetRow, raw: Raw) -> None:
        """Add up the points of the stages, of the power stage and the bonus, unless the list gives their sum; tell
        where it gives another one.
        """
        together, said = 0, False
        for number, index in enumerate(self.stage_points, 1):
            cell = without_guard(row.cells[index]).strip()
            points = None if is_nothing(cell) else read_points(cell)
            ended = None if is_nothing(cell) or points else read_status(cell)
            raw.stage_points.append(points.hundredths if points else None)
            if points:
                together, said = together + points.hundredths, True
            elif ended:
                raw.ended = _stronger(raw.ended, ended)
                if ended.status == "retired" and raw.retired_in is None:
                    raw.retired_in = number
            elif not is_nothing(cell):
                self._fault_at(raw, index, _("These are no points. Write 25, 12.5 or 12,5."), cell)
        if self.own:
            return  # a rally of ours counts these; what the championship gives is in a column of its own
        everything = together + (raw.power or 0) + (raw.bonus or 0)
        if raw.points is None and (said or raw.power):
            raw.points = Points(everything)
        elif raw.points is not None and raw.points.hundredths not in (together, everything):
            says = _("The total is not the sum of the stages. The list is taken as it is.")
            cell = f"{raw.points.hundredths / 100:g} / {everything / 100:g}"
            self.notes.add("told", "total", says, line=raw.line, column=self.heading("points"), cell=cell)

    def _added(self, raw: Raw) -> None:
        """Add the points of the power stage and the bonus points, each of a column of its own, if they are to be."""
        assert raw.points is not None
        for about, default, hundredths in (
            ("power column", "included", raw.power if self.has("power") else None),
            ("bonus column", "added", raw.bonus),
        ):
            if not hundredths:
                continue
            included = ("included", _("The points include them."))
            added = ("added", _("They are added to the points."))
            choices = (included, added) if default == "included" else (added, included)
            role = about.split(" ")[0]
            says = _("There are points in a column of their own. What about them?")
            self.notes.ask(about, says, choices, line=raw.line, column=self.heading(role))
            if self._answers.get(about, default) == "added":
                raw.points = replace(raw.points, hundredths=raw.points.hundredths + hundredths)

    def _power_said(self, raw: Raw, said: int) -> int | None:
        """Return the hundredths of a point of the power stage, from a remark such as (PS 5)."""
        answer = self._answers.get("power stage")
        choices = (
            ("included", _("points, which the others include")),
            ("added", _("points, to be added to the others")),
            ("place", _("the place in the power stage")),
        )
        says, cell = _("What does the list say of the power stage?"), f"PS {said}"
        self.notes.ask("power stage", says, choices, line=raw.line, column=self.heading("points"), cell=cell)
        assert raw.points is not None
        if answer == "added":
            raw.points = replace(raw.points, hundredths=raw.points.hundredths + said * 100)
        if answer == "place":
            raw.points = replace(raw.points, power=said)
            return None
        raw.points = replace(raw.points, power=None)
        return said * 100

    def _stage_times(self, row: SheetRow, raw: Raw) -> None:
        zeros: list[int] = []
        for number, index in enumerate(self.stages, 1):
            cell = without_guard(row.cells[index]).strip()
            raw.times.append(None)
            if is_nothing(cell):
                continue
            time, ended = self.time(index, cell, raw), None
            if time is not None and is_gap(cell):
                raw.behind[number - 1] = time
            elif time is not None:
                raw.times[-1] = time
            elif read_time(cell) is not None:
                zeros.append(number)
            else:
                ended = read_status(cell)
                if ended is None and not raw.faulty:
                    self._fault_at(raw, index, _("This is no time. Write 3:25.4, 205.4 (seconds), or DNF."), cell)
            if ended:
                raw.ended = _stronger(raw.ended, ended)
                raw.reason = raw.reason or ended.reason
                if ended.status == "retired" and raw.retired_in is None:
                    raw.retired_in = number

        if zeros and any(raw.times) and raw.retired_in is None and not self.cell(row, "time"):
            raw.ended, raw.retired_in = _stronger(raw.ended, Ended("retired")), zeros[0]

    def _total(self, row: SheetRow, raw: Raw) -> None:
        for role in ("time", "gap", "penalty"):
            cell = self.cell(row, role)
            if not cell or LAPPED.fullmatch(cell):
                continue
            time = self.time(self._column[role], cell, raw)
            ended = None if time else read_status(cell)
            if time is not None and role == "time":
                raw.total, raw.gap = (raw.total, time) if is_gap(cell) else (time, raw.gap)
            elif time is not None:
                raw.gap, raw.penalty = (time, raw.penalty) if role == "gap" else (raw.gap, _signed(time, cell))
            elif ended:
                raw.ended = _stronger(raw.ended, ended)
            elif raw.faulty or raw.absent:
                continue
            elif role == "time" and raw.ended is not None:
                raw.reason = raw.reason or cell
            elif role == "time":
                self._fault(raw, role, _("This is no time. Write 3:25.4, 205.4 (seconds), or DNF."), cell)

    def time(self, index: int, cell: str, raw: Raw) -> FoundTime | None:
        """Return the time in a cell. A time of 0 is none: what it means is asked."""
        with_penalty = WITH_PENALTY.fullmatch(cell)
        time = read_time(with_penalty.group(1) if with_penalty else cell)
        if time is None:
            return None
        if index in self._thousandths and cell.isdigit():
            time = FoundTime(int(cell), cell, 3)
        elif self._in_hours(cell, time):
            time = self._minutes_in_hours(index, cell, time, raw)
        if (
            time.thousandths > 0
            or is_gap(cell)
            or self._column.get("penalty") == index
            or self._column.get("gap") == index
        ):
            return time
        answer = self._answers.get("zero", "did_not_start")
        choices = (
            ("did_not_start", _("did not start")),
            ("retired", _("retired")),
            ("not_classified", _("not classified")),
        )
        says = _("A time of 0 is no result. What does it mean?")
        self.notes.ask("zero", says, choices, line=raw.line, column=self._heads[index].written, cell=cell)
        raw.absent = True
        if index not in self.stages or answer != "did_not_start":
            raw.ended = _stronger(raw.ended, Ended(_status_of(answer)))
        return None

    def _in_hours(self, cell: str, time: FoundTime) -> bool:
        """Whether a spreadsheet may have taken 3:25 for three hours and 25 minutes: it then writes 3:25:00."""
        return (
            "hours" in self._answers
            and time.thousandths >= HOUR
            and time.thousandths % 60_000 == 0
            and cell.count(":") == 2
        )

    def _minutes_in_hours(self, index: int, cell: str, time: FoundTime, raw: Raw) -> FoundTime:
        if self._answers["hours"] != "minutes":
            return time
        return FoundTime(time.thousandths // 60, in_words(time.thousandths // 60), 0)

    def _absent(self, row: SheetRow, raw: Raw) -> None:
        """Note that a cell of a result says with a sign that there is none."""
        for role in ("place", "time", "points", "status"):
            index = self._column.get(role)
            if index is not None and row.cells[index] and is_nothing(row.cells[index]):
                raw.absent = True

    def _fault(self, raw: Raw, role: str, says: str, cell: str) -> None:
        raw.faulty = True
        self.notes.add("fault", role, says, line=raw.line, column=self.heading(role), cell=cell)

    def _fault_at(self, raw: Raw, index: int, says: str, cell: str) -> None:
        raw.faulty = True
        self.notes.add("fault", "time", says, line=raw.line, column=self._heads[index].written, cell=cell)

    def finished(self, raw: Raw) -> FoundResult:
        """Return the result of a line."""
        ended = raw.ended
        status: Status = ended.status if ended else "classified"
        none_given = raw.place is None and raw.points is None and raw.total is None and not any(raw.times)
        if none_given and (ended is None or (status == "classified" and raw.absent)):
            status = "did_not_start"
        reason = raw.reason or (ended.reason if ended else "")
        if looks_like_time(reason):
            reason = ""
        if ended and ended.restarted and not reason:
            reason = "SupeRally"
        points = raw.points
        scored = points is not None and points.hundredths > 0
        return FoundResult(
            person=raw.person,
            place=raw.place if status == "classified" or scored or self._placed else None,
            shared=raw.shared or bool(raw.person.crew and " & " in raw.person.crew),
            points_hundredths=points.hundredths if points else None,
            power_hundredths=raw.power,
            power_place=points.power if points else None,
            times=tuple(raw.times),
            stage_points=tuple(raw.stage_points),
            total=raw.total,
            gap=raw.gap,
            penalty=raw.penalty if self.own or not raw.stage_points else None,
            status=status,
            retired_in=raw.retired_in,
            reason=reason[:200] if status != "classified" or (ended and ended.restarted) else "",
        )


def _signed(time: FoundTime, cell: str) -> FoundTime:
    """Return a penalty; one with a minus is a bonus."""
    return replace(time, thousandths=-time.thousandths) if cell[0] in "-−–" else time


def _status_of(answer: str) -> Status:
    return "retired" if answer == "retired" else "not_classified" if answer == "not_classified" else "did_not_start"


def _stronger(first: Ended | None, second: Ended) -> Ended:
    """Return what says more of how a car ended: anything says more than "OK"; what was read first counts otherwise."""
    if first is None or (first.status == "classified" and second.status != "classified"):
        return second
    return replace(first, reason=first.reason or second.reason) if first.status == second.status else first
