"""Rounds and results from lists: one line for each driver and rally, a table for each rally, or a driver a line and a
round a column.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import PurePath

from django.utils.translation import gettext as _

from championship.lists.found import FoundPerson, FoundSeason, FoundTotal, Measure
from championship.lists.reading.cells import Ended, Points, is_nothing, read_place, read_points, read_score, read_status
from championship.lists.reading.dates import cut_day, read_day
from championship.lists.reading.layouts import Layout, blocks_of
from championship.lists.reading.noting import Notes
from championship.lists.reading.people import People
from championship.lists.reading.results import Raw, Results
from championship.lists.reading.rounds import (
    Days,
    RawRound,
    check_totals,
    finished_rounds,
    keep_stage_points,
    named_by,
    settle_gaps,
    settle_penalties,
    stage_names,
    used_stages,
    year_in,
)
from championship.lists.reading.sources import SheetRow
from championship.lists.reading.times import is_gap
from championship.lists.reading.words import FINAL_TITLES, OUT_TITLES, SHORT, STATUS_OF, folded
from championship.platform.csv_text import without_guard

MOST_ROUNDS = 200
MOST_DAYS = 4
"""Days between the lines of one rally. Lines further apart are of two rallies with one name."""
MEASURES: Mapping[str, Measure] = {"round_points": "points", "round_places": "places", "round_times": "times"}
_PROGRAM_NAME = re.compile(
    r"^(?:results?|export|download|list|untitled|book|mappe|tabelle|sheet|unbenannt|zeszyt|wyniki|data)[ _\d()-]*$",
    re.IGNORECASE,
)


EXTRAS = frozenset({"ps", "power stage", "power", "bonus", "extra"})
"""Headings of points beside those of a round."""


class SeasonReader:
    """Reads a season from a layout, by the roles of its columns."""

    def __init__(
        self,
        layout: Layout,
        roles: Mapping[int, str],
        *,
        notes: Notes,
        answers: Mapping[str, str],
        file_name: str = "",
        dated: Mapping[str, str] | None = None,
        thousandths: frozenset[int] = frozenset(),
    ) -> None:
        self.layout, self.roles, self.notes, self.answers = layout, roles, notes, answers
        self.people = People(roles, layout.heads, notes)
        self.results = Results(roles, layout.heads, notes, answers, thousandths)
        self._file_name, self._dated = file_name, dated or {}
        self._year = year_in([*layout.titles, *(head.written for head in layout.heads), file_name])
        self._named = {index for index, role in roles.items() if role in ("name", "first", "last", "crew", "mail")}
        self._rounds_in_columns = [index for index, role in sorted(roles.items()) if role.startswith("round_")]

    def season(self) -> FoundSeason:
        """Return what the list says."""
        if self._rounds_in_columns and not self.results.has("rally"):
            return self._matrix()
        rounds = self._by_rally() if self.results.has("rally") or self._many_days() else self._by_table()
        rounds = [each for each in rounds if each.raws]
        heads = [self._stage(index) or f"SS{number}" for number, index in enumerate(self.results.stages, 1)]
        settle_gaps(rounds, self.notes, self.answers)
        for each in rounds:
            used_stages(each, heads)
            of_stages = [self._stage(index) for index in self.results.stage_points]
            keep_stage_points(each, of_stages, self.notes, own=self.results.own)
        settle_penalties(rounds, self.notes, self.answers, self.results.heading("penalty"))
        for each in rounds:
            check_totals(each, self.notes, self.results.heading("time"))
        self._name_one(rounds)
        days = Days(self.notes, self.answers, self._year, self.results.heading("date"))
        found = finished_rounds(rounds, days, self.results)
        return FoundSeason(found, (), self.people.named, self.notes.all())

    def _stage(self, index: int) -> str:
        """Return the name of a stage by the heading of its column."""
        return self.layout.heads[index].group or self.layout.heads[index].label

    def _many_days(self) -> bool:
        days = {self.results.cell(row, "date") for row in self.layout.rows} - {""}
        return self.results.has("date") and len(days) > 1

    def _title(self, row: SheetRow) -> bool:
        """Whether a line is a title: one text alone, that is no name."""
        filled = [index for index, cell in enumerate(row.cells) if cell]
        if len(filled) != 1 or filled[0] in self._named:
            return False
        cell = row.cells[filled[0]]
        return any(letter.isalpha() for letter in cell) and read_status(cell) is None

    def _rows(self, rows: Sequence[SheetRow]) -> list[SheetRow]:
        """Return the lines that are about somebody; tell which are not."""
        kept = []
        for row in rows:
            if self.people.is_total(row):
                self.notes.add("told", "total line", _("Lines of totals are left out."), line=row.line)
            elif self.people.has_name(row):
                kept.append(row)
            elif any(not is_nothing(cell) for cell in row.cells):
                says = _("Lines without a name are left out.")
                self.notes.add("told", "no name", says, line=row.line, cell=next(cell for cell in row.cells if cell))
        return kept

    def _by_rally(self) -> list[RawRound]:
        """Return the rounds of a list with a line for each driver and rally. A blank name continues the one above."""
        rounds: dict[str, RawRound] = {}
        seen: dict[str, list[tuple[str, date | None]]] = {}
        name = ""
        by_name = self.results.has("rally")
        for row in self._rows(
            [row for row in self.layout.rows if tuple(map(folded, row.cells)) != self.layout.head_cells]
        ):
            dated = self.results.cell(row, "date")
            name = (self.results.cell(row, "rally") if by_name else dated) or name
            bare, day = cut_day(name) if by_name else ("", name)
            key = self._key(folded(name), dated, seen)
            if key not in rounds:
                rounds[key] = RawRound(self._called(bare if by_name else dated))
            each = rounds[key]
            if (dated or day) and not each.dated:
                each.dated, each.line = dated or day, row.line
            if not each.stages and self.results.cell(row, "stages"):
                each.stages = stage_names(self.results.cell(row, "stages"))
            self._add(each, row)
            if len(rounds) > MOST_ROUNDS:
                self.notes.add(
                    "fault", "many rounds", _("A list has at most %(n)d rounds.") % {"n": MOST_ROUNDS}, line=row.line
                )
                break
        return list(rounds.values())

    def _called(self, name: str) -> str:
        """Return the name of a round: "Round 2" for a number alone."""
        return (
            _("Round %(number)d") % {"number": int(name)}
            if name.isascii() and name.isdigit() and len(name) < 4
            else name[:80]
        )

    def _key(self, name: str, dated: str, seen: dict[str, list[tuple[str, date | None]]]) -> str:
        """Return the key of a round: its name, and its day where the list has days far apart under one name."""
        found = read_day(dated) if dated else None
        day = found.day if found else None
        days = seen.setdefault(name, [(name, None)])
        if day is None:
            return days[-1][0]
        for at, (key, before) in enumerate(days):
            if before is None or abs((day - before).days) <= MOST_DAYS:
                days.append((days.pop(at)[0], before or day))
                return key
        days.append((f"{name}\x1f{day.isoformat()}", day))
        return days[-1][0]

    def _by_table(self) -> list[RawRound]:
        """Return a round for each table of the list."""
        rounds: list[RawRound] = []
        for block in blocks_of(self.layout, self._title)[:MOST_ROUNDS]:
            name, dated = named_by(block.titles)
            called = folded(" ".join(block.titles))
            if len(rounds) > 1 and called in FINAL_TITLES:
                says = _("The table of the season below its rounds is left out.")
                self.notes.add("told", "final table", says, line=block.rows[0].line, cell=block.titles[-1])
                continue
            out = bool(rounds) and called in OUT_TITLES
            each = rounds[-1] if out else RawRound(name, dated, block.rows[0].line)
            for row in self._rows(block.rows):
                dated = self.results.cell(row, "date")
                if dated and not each.dated:
                    each.dated, each.line = dated, row.line
                self._add(each, row, out=out)
            if not out:
                rounds.append(each)
        for row in reversed(self.layout.rows):  # a sentence below the lines, such as "Dora retired on SS3"
            if not self._title(row):
                break
            if any(
                STATUS_OF.get(word, "classified") != "classified" and word not in SHORT
                for word in folded(" ".join(row.cells)).split()
            ):
                says = _("Lines without a name are left out.")
                self.notes.add("told", "no name", says, line=row.line, cell=" ".join(row.cells).strip())
        return rounds

    def _add(self, each: RawRound, row: SheetRow, *, out: bool = False) -> None:
        person = self.people.person(row)
        if person is None or row.line in self.notes.faulty:
            return
        raw = self.results.raw(row, person, out=out)
        if raw.says_nothing and not raw.faulty:
            self.notes.add(
                "told", "no result", _("Lines without a result are left out."), line=row.line, cell=person.name
            )
            return
        each.raws.append(raw)

    def _name_one(self, rounds: list[RawRound]) -> None:
        """Name the only round of a list by what was answered, its title, or the name of the file."""
        if len(rounds) != 1 or self.results.has("rally"):
            return
        each = rounds[0]
        stem = PurePath(self._file_name).stem.replace("_", " ").strip()
        if not each.name and stem and not _PROGRAM_NAME.match(stem) and not read_day(stem):
            each.name, day = cut_day(stem)
            each.dated = each.dated or day
        each.name = " ".join(self.answers.get("round name", each.name).split())[:80]
        each.dated = self.answers.get("round day", "").strip()[:40] or each.dated
        self.notes.ask("round name", _("What is the round called?"), cell=each.name)
        if "round day" in self.answers or not each.dated:
            self.notes.ask("round day", _("When was it driven? The year is enough."), cell=each.dated)

    # A round a column

    def _matrix(self) -> FoundSeason:
        groups: dict[str, dict[str, int]] = {}
        names: dict[str, str] = {}
        of_groups = Counter((self.layout.heads[index].group, self.roles[index]) for index in self._rounds_in_columns)
        for index in self._rounds_in_columns:
            head = self.layout.heads[index]
            label = head.group or head.label or _("Round %(number)d") % {"number": index}
            if head.group and of_groups[head.group, self.roles[index]] > 1:
                label = f"{head.group} {head.label}"  # several races of one meeting
            key = folded(label) or str(index)
            if not head.group and key in groups:
                key = f"{key} {index}"
            groups.setdefault(key, {})[self.roles[index]] = index
            names.setdefault(key, label)
        rounds = {key: self._column_round(names[key], columns) for key, columns in groups.items()}
        extras = self._extras(groups)
        totals = []
        sums_of: dict[int, tuple[int, int]] = {}
        for row in self._rows(self._below_dates(groups, rounds)):
            person = self.people.person(row)
            if person is None or row.line in self.notes.faulty:
                continue
            sums = every = 0
            for key, columns in groups.items():
                raw = self._cell_result(row, person, columns)
                if raw is not None:
                    _add_extra(raw, row, extras.get(key))
                    rounds[key].raws.append(raw)
                    counted = raw.points is not None and not raw.points.dropped
                    every += raw.points.hundredths if raw.points else 0
                    sums += raw.points.hundredths if raw.points and counted else 0
            sums_of[row.line] = (sums, every)
            total = self._season_total(row, person)
            if total:
                totals.append(total)
        kept = list(rounds.values())
        if any("round_points" in columns for columns in groups.values()):
            self._check(totals, sums_of)
        settle_gaps(kept, self.notes, self.answers)
        days = Days(self.notes, self.answers, self._year, "")
        found = finished_rounds(kept, days, self.results)
        return FoundSeason(found, tuple(totals), self.people.named, self.notes.all())

    def _extras(self, groups: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
        """Return the columns of the power stage or a bonus beside the points of each round, if the totals contain them;
        {} where the totals are the sums without them, or do not tell.
        """
        found: dict[str, int] = {}
        for head in self.layout.heads:
            if folded(head.label) in EXTRAS and self.roles[head.index] == "ignore" and folded(head.group) in groups:
                found[folded(head.group)] = head.index
        with_them = without = 0
        for row in self.layout.rows if found else ():
            total = read_points(self.results.cell(row, "season_total"))
            cells = [
                read_score(row.cells[each["round_points"]])[0] for each in groups.values() if "round_points" in each
            ]
            points = sum(each.hundredths for each in cells if each and not each.dropped)
            extra = sum(each.hundredths for index in found.values() if (each := read_points(row.cells[index])))
            if total and extra:
                with_them += total.hundredths == points + extra
                without += total.hundredths == points
        if with_them <= without:
            return {}
        says = _("The totals contain the points in these columns. They were added to those of the rounds.")
        for index in found.values():
            self.notes.add("told", "extra points", says, column=self.layout.heads[index].written)
        return found

    def _column_round(self, label: str, columns: Mapping[str, int]) -> RawRound:
        """Return a round by the heading of its columns, which may have its date."""
        name, day = cut_day(re.sub(r"^\d{1,3}[:)][ ]*(?=[^\W\d])", "", label))
        if not day and read_day(label) and not label.strip().isdigit():
            name, day = label, label
        if not day:
            day = next(
                (
                    self.layout.heads[index].label
                    for index in columns.values()
                    if read_day(self.layout.heads[index].label) and not self.layout.heads[index].label.isdigit()
                ),
                "",
            )
        if name.isdigit():
            name = _("Round %(number)d") % {"number": int(name)}
        usual = MEASURES[next(iter(columns))]
        return RawRound(name[:80] or label[:80], day or self._dated.get(folded(name), ""), usual=usual)

    def _below_dates(self, groups: Mapping[str, Mapping[str, int]], rounds: Mapping[str, RawRound]) -> list[SheetRow]:
        """Return the lines without the one below the headings that only has the dates of the rounds."""
        rows = list(self.layout.rows)
        if not rows or any(rows[0].cells[index] for index in self._named):
            return rows
        cells = {key: rows[0].cells[min(columns.values())] for key, columns in groups.items()}
        days = {key: cell for key, cell in cells.items() if read_day(cell)}
        if not days or len(days) < len([cell for cell in cells.values() if cell]):
            return rows
        for key, cell in days.items():
            rounds[key].dated, rounds[key].line = cell, rows[0].line
        return rows[1:]

    def _cell_result(self, row: SheetRow, person: FoundPerson, columns: Mapping[str, int]) -> Raw | None:
        """Return the result of a person in a round; None where the cells are blank."""
        cells = {role: without_guard(row.cells[index]).strip() for role, index in columns.items()}
        if not any(cells.values()):
            return None
        raw = Raw(person, row.line)
        for role, cell in cells.items():
            if is_nothing(cell):
                raw.absent = raw.absent or bool(cell)
            elif not self._reads(raw, role, columns[role], cell):
                ended = read_status(cell)
                if ended is None and not raw.absent:
                    says = {
                        "round_places": _("This is no place. Write 3, =4, or DNF."),
                        "round_points": _("These are no points. Write 25, 12.5 or 12,5."),
                        "round_times": _("This is no time. Write 3:25.4, 205.4 (seconds), or DNF."),
                    }[role]
                    raw.faulty = True
                    self.notes.add(
                        "fault", role, says, line=row.line, column=self.layout.heads[columns[role]].written, cell=cell
                    )
                elif ended is not None:
                    raw.ended = raw.ended or ended
        if (
            raw.ended is None
            and raw.place is None
            and raw.points is None
            and raw.total is None
            and raw.gap is None
            and not raw.faulty
        ):
            raw.ended = Ended("did_not_start")
        return raw

    def _reads(self, raw: Raw, role: str, index: int, cell: str) -> bool:
        """Read a cell of a round. Returns whether it holds what the column holds, or a number and how it ended."""
        if role == "round_places":
            place = read_place(cell)
            if place:
                raw.place, raw.shared = place
            return place is not None
        if role == "round_times":
            time = self.results.time(index, cell, raw)
            if time is not None and is_gap(cell):
                raw.gap = time
            elif time is not None:
                raw.total = time
            return time is not None
        points, ended = read_score(cell)
        if points is not None:
            raw.ended = raw.ended or ended
            raw.points = points
            raw.power = points.power * 100 if points.power is not None else None
        return points is not None

    def _season_total(self, row: SheetRow, person: FoundPerson) -> FoundTotal | None:
        cell, placed = self.results.cell(row, "season_total"), self.results.cell(row, "season_place")
        points, place = read_points(cell) if cell else None, read_place(placed) if placed else None
        if points is None and place is None:
            return None
        return FoundTotal(
            person, points.hundredths if points else None, place[0] if place else None, bool(place and place[1]), cell
        )

    def _check(self, totals: Sequence[FoundTotal], sums: Mapping[int, tuple[int, int]]) -> None:
        """Tell which totals are not the sum of the rounds. A total may be with the rounds that
        are marked as dropped, or without them.
        """
        for total in totals:
            together, every = sums.get(total.person.line, (0, 0))
            if total.points_hundredths is not None and total.points_hundredths not in (together, every):
                says = _("The total is not the sum of the rounds. The rounds are taken as they are.")
                cell = f"{total.person.name}: {total.written} / {together / 100:g}"
                self.notes.add(
                    "told",
                    "season total",
                    says,
                    line=total.person.line,
                    column=self.results.heading("season_total"),
                    cell=cell,
                )


def _add_extra(raw: Raw, row: SheetRow, index: int | None) -> None:
    """Add the points of the power stage or a bonus to those of a round."""
    extra = read_points(row.cells[index]) if index is not None else None
    if extra is not None:
        points = raw.points or Points(0)
        raw.points = replace(points, hundredths=points.hundredths + extra.hundredths)
