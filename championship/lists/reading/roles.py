"""What a column can be, and the guess: by its heading in eight languages, and by what its cells look like."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from championship.lists.reading.cells import is_nothing, read_mail, read_place, read_score, read_status
from championship.lists.reading.dates import read_day
from championship.lists.reading.layouts import Head, Layout, role_by_heading
from championship.lists.reading.own_results import is_own, own_roles
from championship.lists.reading.times import is_gap, looks_like_time, stages_and_total
from championship.lists.reading.words import ROLE_OF, SUBROLE_OF, folded

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

PERSON_ROLES: Mapping[str, _StrPromise] = {
    "name": _("name"),
    "first": _("first name"),
    "last": _("last name"),
    "mail": _("e-mail address"),
    "number": _("start number"),
    "codriver": _("co-driver"),
    "crew": _("crew"),
    "class": _("car class"),
    "team": _("team"),
}
RESULT_ROLES: Mapping[str, _StrPromise] = {
    "rally": _("rally or round"),
    "date": pgettext_lazy("of a rally", "date"),
    "place": _("place"),
    "points": _("points"),
    "power": _("points of the power stage"),
    "bonus": _("bonus points"),
    "time": _("total time"),
    "stage": _("time of a stage"),
    "stage_points": _("points of a stage"),
    "gap": _("gap to the first"),
    "penalty": _("penalty"),
    "status": _("how it ended"),
    "reason": _("reason or remark"),
    "stages": _("names of the stages"),
    "round_points": _("points of a round"),
    "round_places": _("places of a round"),
    "round_times": _("times of a round"),
    "season_total": _("total of the season"),
    "season_place": _("place in the season"),
}
IGNORE = "ignore"
IGNORE_LABEL = _("not needed")
SEVERAL = frozenset({"stage", "stage_points", "round_points", "round_places", "round_times", IGNORE})
"""Roles that several columns may have."""
START_NUMBERS = frozenset(
    word
    for word, role in ROLE_OF.items()
    if role == "number"
    and word.endswith(("start", "startowy", "startnummer", "number", "startnr"))
    and word != "number"
)
"""Headings that can only mean start numbers."""
_ROUND_OF = {"place": "round_places", "points": "round_points", "time": "round_times"}
_POINTS_WORDS = frozenset(word for word, role in SUBROLE_OF.items() if role == "points")
SAMPLE = 300
CREW = re.compile(r"[^\W\d][ ](?:[-–/&])[ ][^\W\d]|[^\W\d]/[^\W\d]")
HASH = re.compile(r"#[ ]?\d{1,3}")


@dataclass(slots=True)
class Look:
    """What the cells of a column look like: how many of those that say something are of a kind."""

    filled: int = 0
    times: int = 0
    gaps: int = 0
    numbers: int = 0
    places: int = 0
    statuses: int = 0
    mails: int = 0
    days: int = 0
    texts: int = 0
    spaced: int = 0
    crews: int = 0
    hashes: int = 0
    ordinals: int = 0
    highest: int = 0
    lowest: int = 10**9
    decimal: bool = False
    counts_up: bool = False
    restarts: bool = False
    values: list[int] = field(default_factory=list)

    @property
    def results(self) -> int:
        """How many cells could be a result."""
        return self.times + self.numbers + self.statuses


def look_at(cells: Sequence[str]) -> Look:
    """Return what these cells look like."""
    look = Look()
    for cell in cells:
        if is_nothing(cell):
            continue
        look.filled += 1
        look.crews += bool(CREW.search(cell))
        look.hashes += bool(HASH.fullmatch(cell))
        points = None if looks_like_time(cell) or is_gap(cell) else read_score(cell)[0]
        if looks_like_time(cell) or (is_gap(cell) and any(letter.isdigit() for letter in cell)):
            look.times += 1
            look.gaps += is_gap(cell)
        elif points is not None or (read_place(cell) is not None):
            look.numbers += 1
            place = read_place(cell)
            look.places += place is not None
            look.ordinals += points is None
            value = points.hundredths if points else (place or (0, False))[0] * 100
            look.decimal = look.decimal or bool(value % 100)
            look.highest, look.lowest = max(look.highest, value // 100), min(look.lowest, value // 100)
            look.values.append(value // 100)
        elif read_status(cell):
            look.statuses += 1
        elif read_mail(cell):
            look.mails += 1
        elif read_day(cell):
            look.days += 1
        elif any(letter.isalpha() for letter in cell):
            look.texts += 1
            look.spaced += " " in cell
    look.counts_up = len(look.values) > 1 and look.values[0] == 1 and look.values == sorted(look.values)
    look.restarts = look.values[:2] == [1, 2] and all(b in (1, a, a + 1) for a, b in pairwise(look.values))
    return look


def guess_roles(layout: Layout, *, results: bool) -> dict[int, str]:
    """Return a role for each column. `results`: whether the list may hold results; else only people."""
    guess = _Guess(layout, results)
    guess.by_headings()
    guess.settle_people()
    if results:
        guess.settle_results()
    else:
        guess.only_people()
    guess.once()
    return guess.roles


class _Guess:
    def __init__(self, layout: Layout, results: bool) -> None:
        rows = [row for row in layout.rows[:SAMPLE] if sum(bool(cell) for cell in row.cells) > 1] or list(
            layout.rows[:SAMPLE]
        )
        if len(rows) > 1 and all(read_day(cell) and not cell.isdigit() for cell in rows[0].cells if cell):
            rows = rows[1:]  # the dates of the rounds
        self.heads = layout.heads
        self.results = results
        self.looks = [look_at([row.cells[head.index] for row in rows]) for head in layout.heads]
        self.lines = len(rows)
        self.points = [[_counted(row.cells[head.index]) for row in rows] for head in layout.heads]
        self.headed = any(head.label for head in layout.heads)
        self.summed = (
            {} if self.headed else stages_and_total([[row.cells[head.index] for row in rows] for head in layout.heads])
        )
        self.roles: dict[int, str] = {}

    def having(self, *roles: str) -> list[int]:
        """Return the columns with one of these roles."""
        return [index for index, role in self.roles.items() if role in roles]

    def by_headings(self) -> None:
        """Give each column the role that its heading says, "" where it says none."""
        for head in self.heads:
            self.roles[head.index] = _by_head(head)
        self.roles.update(self.summed)

    def settle_people(self) -> None:
        """Decide between words for names, and find a column of names when no heading says so. In German a crew is a
        Team, and a team a Mannschaft.
        """
        roles = self.roles
        words = {folded(head.label): head.index for head in self.heads}
        if "team" in words and not self.having("crew") and {"mannschaft", "gefahren von"} & words.keys():
            roles[words["team"]] = "crew"
        names = self.having("name")
        if self.having("first") and not self.having("last"):
            first = self.having("first")[0]
            if names:
                roles[names[0]] = "last"
            else:
                roles[first] = "name"
        elif self.having("last") and not self.having("first") and not names:
            roles[self.having("last")[0]] = "name"
        elif self.having("last") and self.having("first"):
            for index in names:
                roles[index] = IGNORE
        self._two_names(self.having("name"))
        if not self.having("name", "last", "crew", "mail"):
            self._find_names()

    def _two_names(self, names: list[int]) -> None:
        """Of two columns of names, "driver" and "pilot" are a driver and a co-driver, "kierowca" and "pilot" too."""
        if len(names) < 2:
            return
        words = {index: folded(self.heads[index].label) for index in names}
        pilots = [index for index in names if words[index] == "pilot"]
        if pilots and not self.having("codriver") and len(pilots) < len(names):
            self.roles[pilots[0]] = "codriver"
            names = [index for index in names if index != pilots[0]]
        best = max(
            names, key=lambda index: (self.looks[index].texts, self.looks[index].spaced, words[index] != "name", -index)
        )
        for index in names:
            if index != best:
                self.roles[index] = IGNORE

    def _find_names(self) -> None:
        free = [index for index, role in self.roles.items() if role in ("", "result") and self.looks[index].texts]
        mails = [
            index
            for index, role in self.roles.items()
            if not role and self.looks[index].mails > self.looks[index].filled / 2
        ]
        for index in mails[:1]:
            self.roles[index] = "mail"
        if free:
            best = max(free, key=lambda index: (self.looks[index].spaced, self.looks[index].texts, -index))
            self.roles[best] = "crew" if self.looks[best].crews > self.looks[best].filled / 2 else "name"

    def only_people(self) -> None:
        """Drop what a list of people has no use for."""
        for index in self.having("hash"):
            self.roles[index] = IGNORE if self.having("number") else "number"
        for index, role in self.roles.items():
            if not role and self.looks[index].mails and not self.having("mail"):
                self.roles[index] = "mail"
            elif role not in PERSON_ROLES:
                self.roles[index] = IGNORE

    def settle_results(self) -> None:
        """Decide which columns hold places, points and times, and whether columns are rounds or stages."""
        self._rallies()
        self._hashes()
        self._unknown()
        if is_own(self.heads):
            self.roles.update(own_roles(self.heads, self.roles))
        self._stages_or_rounds()
        self._result_words()
        self._season()

    def _rallies(self) -> None:
        for role, kind in (("rally", "texts"), ("date", "days")):
            found = self.having(role)
            best = max(
                found, default=0, key=lambda index: (getattr(self.looks[index], kind), self.looks[index].filled, -index)
            )
            self.roles.update({index: IGNORE for index in found if index != best})

    def _hashes(self) -> None:
        unclear = [*self.having("hash"), *([] if self.having("hash") else self.having("number"))]
        for index in unclear:
            look = self.looks[index]
            of_tables = self.roles[index] == "hash" and (look.statuses > 0 or look.restarts)
            if not self.having("place") and (of_tables or (look.counts_up and self._may_be_place(index))):
                self.roles[index] = "place"
            elif self.roles[index] == "hash":
                self.roles[index] = IGNORE if self.having("number") else "number"

    def _may_be_place(self, index: int) -> bool:
        """Whether a column of numbers may be one of places: a start number is said to be one, or has gaps."""
        said = folded(self.heads[index].label) in START_NUMBERS
        return not said and (self.roles[index] == "hash" or self.looks[index].highest <= self.lines + 3)

    def _unknown(self) -> None:
        """Give columns without a known heading a role by their cells. A single column of figures beside places or
        points is no round.
        """
        may = [
            index
            for index, role in self.roles.items()
            if not role and self.looks[index].filled and self.looks[index].results >= 0.8 * self.looks[index].filled
        ]
        share = 0.5 if len(may) > 1 else 0.8  # beside rounds, a column with cells that nobody understands is one
        named = bool(self.having("rally")) or (
            len(may) < 2
            and bool(self.having("place", "points", "status", "time"))
            and not self.having("round", "total")
        )
        for index, role in list(self.roles.items()):
            look = self.looks[index]
            if role:
                continue
            if not look.filled:
                self.roles[index] = IGNORE
            elif (
                look.results >= share * look.filled and not named and self.heads[index].label and not self._one_table()
            ):
                self.roles[index] = "round"
            elif not self.headed:
                self.roles[index] = self._by_cells(index, look)
            else:
                self.roles[index] = IGNORE

    def _one_table(self) -> bool:
        """Whether the list is the result of one rally: it has stages, a gap or a time."""
        return bool(self.having("stage", "gap", "time"))

    def _by_cells(self, index: int, look: Look) -> str:
        """Return the role of a column without a heading."""
        if look.mails > look.filled / 2:
            return "mail"
        if look.hashes > look.filled / 2 and not self.having("number"):
            return "number"
        if look.times >= look.filled / 2:
            return "time" if not self.having("time") else "gap" if self._may_be_gap(index) else IGNORE
        if look.days > look.filled / 2:
            return "date"
        first = not self.having("place") and index < min(self.having("name", "crew", "last") or [0])
        if first and (look.counts_up or look.places + look.statuses == look.filled):
            return "place"
        if look.numbers + look.statuses >= 0.8 * look.filled and look.numbers:
            return "points" if not self.having("points") else "round"
        return IGNORE

    def _may_be_gap(self, index: int) -> bool:
        """Whether a second column of times is one of gaps: there is no time in its first line, or a sign."""
        return not self.having("gap") and (self.looks[index].gaps > 0 or self.looks[index].filled < self.lines)

    def _stages_or_rounds(self) -> None:
        """Stages without a single time are rounds of a season. Rounds hold points, places or times."""
        if self.having("stage"):
            for index in self.having("power"):
                self.roles[index] = "stage" if self.looks[index].times else "power"
        stages = self.having("stage")
        if stages and not self.having("rally") and not any(self._is_timed(index) for index in stages):
            for index in stages:
                self.roles[index] = "stage_points" if self._of_one_rally(stages) else "round"
        rounds = self.having("round", *_ROUND_OF.values())
        grouped = [index for index in rounds if self.heads[index].group]
        if (
            grouped
            and all(self._is_timed(index) for index in grouped)
            and self.having("place", "time", "rally")
            and len(self.having("round_places")) == 0
        ):
            for index in grouped:
                self.roles[index] = "stage"
        open_rounds = self.having("round")
        if open_rounds:
            kind = self._kind_of_rounds(open_rounds)
            for index in open_rounds:
                self.roles[index] = kind
            self._sums([index for index in open_rounds if kind == "round_points" and not _by_head(self.heads[index])])

    def _sums(self, unknown: list[int]) -> None:
        """Drop a column without a known heading that is no round: the sum of the others, or what no total contains."""
        rounds = self.having("round_points")
        totals = self.having("total", "points", "season_total")
        for index in unknown:
            others = [self.points[other] for other in rounds if other != index]
            sums = [sum(cells) for cells in zip(*others, strict=True)]
            total = self.points[totals[0]] if totals else None
            if len(others) > 1 and sums == self.points[index] and any(sums):
                self.roles[index] = "total" if total is None else IGNORE
            elif total is not None and sums == total and any(sums):
                self.roles[index] = IGNORE

    def _of_one_rally(self, stages: list[int]) -> bool:
        """Whether figures below SS1, SS2 are points of one rally: several, and there are no other rounds."""
        return len(stages) > 1 and self.headed and not self.having("round", *_ROUND_OF.values())

    def _is_timed(self, index: int) -> bool:
        look = self.looks[index]
        return look.times > 0 or (look.decimal and look.highest > 30) or look.highest > 120

    def _kind_of_rounds(self, rounds: list[int]) -> str:
        looks = [self.looks[index] for index in rounds if self.looks[index].filled]
        if any(look.times for look in looks):
            return "round_times"
        if sum(look.ordinals for look in looks) > sum(look.numbers for look in looks) / 2:
            return "round_places"
        if any(look.decimal or look.lowest < 1 for look in looks if look.values):
            return "round_points"
        most = max(self.lines + 3, 5)
        like_places = [
            look
            for look in looks
            if look.values and look.highest <= most and max(Counter(look.values).values()) <= 2 and look.lowest <= 2
        ]
        valued = [look for look in looks if look.values]
        if valued and len(like_places) >= 0.8 * len(valued) and self._low_total(rounds):
            return "round_places"
        return "round_points"

    def _low_total(self, rounds: list[int]) -> bool:
        """Whether no total of the list is the sum of these columns, as it would be with points."""
        totals = self.having("total", "points")
        if not totals:
            return True
        total = self.looks[totals[0]].values
        sums = sum(sum(self.looks[index].values) for index in rounds)
        return not total or abs(sum(total) - sums) > 0.1 * max(1, sums)

    def _result_words(self) -> None:
        """Decide what "total" and "result" mean here."""
        for index in self.having("result", "total"):
            look = self.looks[index]
            word, rounds = self.roles[index], self.having(*_ROUND_OF.values())
            if word == "total" and look.times and self.having("penalty") and not self.having("stage"):
                self.roles.update(dict.fromkeys(self.having("time"), IGNORE))  # without the penalties
            if look.times >= max(1, look.numbers) or (self.having("stage") and word == "total"):
                self.roles[index] = "time" if not self.having("time") else IGNORE
            elif rounds:
                self.roles[index] = "season_total" if not self.having("season_total") else IGNORE
            elif word == "result" and (look.counts_up or look.ordinals) and not self.having("place"):
                self.roles[index] = "place"
            elif word == "total" and self.having("points", "bonus"):
                self.roles[index] = "total_points"
            elif look.numbers and not self.having("points"):
                self.roles[index] = "points"
            elif look.statuses and not self.having("status"):
                self.roles[index] = "status"
            else:
                self.roles[index] = IGNORE

    def _season(self) -> None:
        """In a table of rounds, the place and the points are those of the season."""
        if self.having(*_ROUND_OF.values()) and not self.having("rally"):
            for index in self.having("place"):
                self.roles[index] = "season_place"
            for index in self.having("points"):
                self.roles[index] = "season_total" if not self.having("season_total") else IGNORE
            for index in self.having("time", "gap", "interval", "power", "bonus", "penalty", "status"):
                self.roles[index] = IGNORE
        for index in self.having("total_points"):
            for other in self.having("points"):
                self.roles[other] = IGNORE
            self.roles[index] = "points"
        for index in self.having("interval", "hash", "car", "", "result", "round", "total"):
            self.roles[index] = IGNORE

    def once(self) -> None:
        """Keep a role that only one column may have with the column that says more."""
        by_role: dict[str, list[int]] = {}
        for index, role in self.roles.items():
            by_role.setdefault(role, []).append(index)
        for role, indexes in by_role.items():
            if role in SEVERAL or len(indexes) < 2:
                continue
            best = max(indexes, key=lambda index: (self.looks[index].filled > 0, -index))
            for index in indexes:
                if index != best:
                    self.roles[index] = IGNORE
        for index, role in self.roles.items():
            if role not in PERSON_ROLES and role not in RESULT_ROLES:
                self.roles[index] = IGNORE


def _counted(cell: str) -> int:
    """Return the points in a cell that count, in hundredths."""
    points = read_score(cell)[0]
    return points.hundredths if points and not points.dropped else 0


def _by_head(head: Head) -> str:
    if not head.group:
        role = role_by_heading(head.label)
        return role or _by_a_word(head.label)
    if role_by_heading(head.group) == "total":
        return "total"
    words = folded(head.label)
    if role_by_heading(head.group) == "stage" and words in _POINTS_WORDS:
        return "stage_points"
    sub = SUBROLE_OF.get(words, "")
    if sub == "total":
        return "stage"
    if sub in _ROUND_OF:
        return _ROUND_OF[sub]
    if sub in ("retired", IGNORE):
        return IGNORE
    own = role_by_heading(head.label)
    return own if own and own not in ("hash", "rally", "date") else "round"


def _by_a_word(label: str) -> str:
    """Return the role of a heading in which one word is known: "Driver's name", "Name (required)"."""
    words = [word for word in re.split(r"\W+", folded(label)) if len(word) > 3]
    roles = [
        role
        for word in words
        if (role := role_by_heading(word)) in ("name", "mail", "team", "class", "codriver", "number")
    ]
    return roles[0] if roles and len(words) <= 4 else ""
