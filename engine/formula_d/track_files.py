"""A club's own tracks: files in the format of those in `data/tracks`, parsed and checked line by line.

A course is {"track": NAME} for a ready-made track, or {"csv": TEXT} for a club's own track. The text may begin with the
lines "# title: ..." and "# weather: rain 1-5, unsettled 6-11, good 12-20".
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from engine.contract import CourseColumn, Json, StageError, Survey
from engine.formula_d.facts import facts
from engine.formula_d.track import COLUMNS, ENTRY, KINDS, OWN_TITLE, WEATHER, heading, load_track, names, weather_of

LONGEST, MOST_SPACES = 400_000, 2_000
FARTHEST = 100_000
"""The largest absolute value of a coordinate."""

HEADINGS = "track circuit course map board strecke rennstrecke kurs tor trasa plansza circuito pista okruh baan"
LIST_COLUMNS = (CourseColumn("track", "track", tuple(HEADINGS.split())),)
"""The columns of a list of tracks (`course_of`)."""

_NAME = re.compile(r"(?:[SC][1-9]\d?\.[123]|P\.0)\.(?:0|[1-9]\d{0,2})|PIT[A-E][12]")


class Line(NamedTuple):
    """A line of the file: its number, and its words by column."""

    number: int
    words: Mapping[str, str]

    @property
    def space(self) -> str:
        """The name of the space in this line."""
        return self.words["space"]

    def list(self, column: str) -> list[str]:
        """The names in a column."""
        return self.words[column].split()


class Fault(StageError):
    """A fault in a line of a track file. `piece` is the number of the line."""

    called = "line"

    def __init__(self, rule: str, message: str, row: Line, **values: Json) -> None:
        super().__init__(message, rule=rule, piece=row.number, line=row.number, space=row.space[:20], **values)


def read(spec: Json) -> dict[str, Json]:
    """Return a course in normal form.

    Raises: StageError when there is no such track, or with the first fault of a club's own track.
    """
    if isinstance(spec, Mapping) and "csv" in spec:
        found = faults(spec)
        if found:
            raise found[0]
        return {"csv": normal(spec)}
    name = spec.get("track") if isinstance(spec, Mapping) else spec
    if not isinstance(name, str):
        raise StageError("a track is given by its name, or as a file", rule="F1")
    if name not in names():
        raise StageError(
            "there is no track %(name)s; there are: %(names)s", rule="F1", name=name[:40], names=", ".join(names())
        )
    return {"track": name}


def checked(name: str) -> str:
    """Return the name of a ready-made track, or the text of a club's own track, in the form that a race stores.

    Raises: StageError when there is no such track, or it has a fault.
    """
    course = read({"csv": name} if "\n" in name else name)
    return str(course.get("track") or course["csv"])


def survey(draft: Json) -> Survey:
    """Return the survey of a track: all its faults, or its normal form with the numbers of its areas and spaces.

    An empty draft has no fault. It is reported as missing.
    """
    if draft == {}:
        return Survey({}, missing=(StageError("there is no track yet"),))
    try:
        course = read(draft)
    except StageError as error:
        brought = isinstance(draft, Mapping) and "csv" in draft
        return Survey(None, wrong=tuple(faults(draft)) if brought else (error,))
    track = load_track(checked(str(course.get("track") or course["csv"])))
    areas = {name.split(".")[0] for space, name in enumerate(track.spaces) if not track.in_the_pits(space)}
    return Survey(course, sections=len(areas), spaces=len(track.spaces))


def course_of(values: Mapping[str, Sequence[str]]) -> dict[str, Json]:
    """Return the track that the cells name, whatever the case and the accents.

    Raises: StageError when they name none, or more than one.
    """
    said = dict.fromkeys(cell.strip() for cell in values.get("track", ()) if cell.strip())
    if len(said) != 1:
        raise StageError("a line names one track")
    [name] = said
    known = {_plain(each): each for each in names()} | {_plain(load_track(each).title): each for each in names()}
    return {"track": known.get(_plain(name), name[:40])}


def _plain(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name.casefold())
    return "".join(letter for letter in letters if letter.isalnum())


def written(course: Mapping[str, Json]) -> str:
    """Return a course as a TOML text that `tomllib` and then `read` parse back, also an empty draft."""
    if "track" in course and "csv" not in course:
        return f'track = "{course["track"]}"\n'
    return f"csv = '''\n{course.get('csv', '')}'''\n"


def normal(spec: Mapping[str, Json]) -> str:
    """Return the text of a club's own track in normal form: the comment lines, the columns, the lines."""
    head, _ = heading(str(spec["csv"]))
    title = str(spec.get("title") or head.get("title") or OWN_TITLE)[:60].replace("\n", " ").strip()
    weather = head.get("weather", WEATHER)
    _, rows = _rows(str(spec["csv"]))
    lines = [",".join(row.words[column] for column in COLUMNS) for row in rows]
    return "\n".join([f"# title: {title}", f"# weather: {weather}", ",".join(COLUMNS), *lines]) + "\n"


def faults(spec: Mapping[str, Json]) -> list[StageError]:
    """Return all faults of a club's own track, each with the number of its line."""
    text = spec.get("csv")
    if not isinstance(text, str) or not text.strip() or len(text) > LONGEST:
        return [StageError("a track file has up to %(most)d characters", rule="F1", most=LONGEST)]
    try:
        missing, rows = _rows(text)
    except csv.Error as error:
        return [StageError("this is not CSV: %(why)s", rule="F1", why=str(error))]
    if missing:
        return [StageError("these columns are missing: %(names)s", rule="F1", names=", ".join(missing))]
    if not 1 <= len(rows) <= MOST_SPACES:
        return [StageError("a track has up to %(most)d spaces", rule="F1", most=MOST_SPACES)]
    found = [*_weather_faults(text), *(fault for row in rows for fault in _word_faults(row)), *_name_faults(rows)]
    if not found:
        by_name = {row.space: row for row in rows}
        found += [fault for row in rows for fault in _step_faults(row, by_name)]
        found += [*_set_faults(rows), *_corner_faults(rows)]
    return found or [*_way_faults(rows), *_pit_faults(rows)]


def _rows(text: str) -> tuple[list[str], list[Line]]:
    """Return the columns that are missing, and the lines of the file."""
    _head, skipped = heading(text)
    lines = text.splitlines()[skipped:]
    reader = csv.DictReader(lines)
    missing = [name for name in COLUMNS if name not in (reader.fieldnames or [])]
    if missing:
        return missing, []
    rows = []
    for words in reader:
        told = {name: (words[name] or "").strip() for name in COLUMNS}
        rows.append(Line(skipped + reader.line_num, told))
    return [], rows


def _weather_faults(text: str) -> Iterator[StageError]:
    head, _ = heading(text)
    try:
        weather_of(head.get("weather", WEATHER))
    except StageError as error:
        yield error


def _word_faults(row: Line) -> Iterator[StageError]:
    """Yield the faults of the single values of a line (F1, F4 to F6)."""
    words = row.words
    if not _NAME.fullmatch(row.space):
        yield Fault("F1", "line %(line)d, %(space)s: there is no such name of a space", row)
        return
    if words["kind"] not in KINDS:
        yield Fault("F1", "line %(line)d, %(space)s: kind is one of %(kinds)s", row, kinds=", ".join(KINDS))
        return
    letters = {"S": "straight", "C": "corner", "P": "stall" if row.space.startswith("PIT") else "pit"}
    if letters[row.space[0]] != words["kind"]:
        yield Fault("F1", "line %(line)d, %(space)s: the name does not fit its kind", row)
    lane = row.space.split(".")[1] if "." in row.space else "0"
    if words["lane"] != lane:
        yield Fault("F1", "line %(line)d, %(space)s: the lane is %(lane)s", row, lane=lane)
    if words["kind"] == "corner" and (words["stops"] not in ("1", "2", "3") or not words["corner"].isdigit()):
        yield Fault("F6", "line %(line)d, %(space)s: a corner has a number and 1 to 3 stops", row)
    elif words["kind"] == "corner" and words["corner"] != row.space[1:].split(".")[0]:
        yield Fault("F1", "line %(line)d, %(space)s: the number of the corner does not fit the name", row)
    if words["kind"] != "corner" and (words["stops"] or words["corner"]):
        yield Fault("F6", "line %(line)d, %(space)s: stops belong to corners", row)
    if words["finish"] not in ("", "1"):
        yield Fault("F5", "line %(line)d, %(space)s: finish is 1 or empty", row)
    for name in ("along", "x", "y", "heading"):
        if not _is_number(words[name]):
            yield Fault("F4", "line %(line)d, %(space)s: %(name)s is a number", row, name=name)
        elif abs(Decimal(words[name])) > FARTHEST:
            yield Fault("F4", "line %(line)d, %(space)s: %(name)s goes up to %(most)d", row, name=name, most=FARTHEST)


def _is_number(word: str) -> bool:
    try:
        return Decimal(word).is_finite()
    except InvalidOperation:
        return False


def _name_faults(rows: Sequence[Line]) -> Iterator[StageError]:
    """Yield duplicate spaces, and names of unknown spaces (F1 to F3). An unknown name is reported only once."""
    known: set[str] = set()
    for row in rows:
        if row.space in known:
            yield Fault("F1", "line %(line)d, %(space)s: the space is there twice", row)
        known.add(row.space)
    told: dict[str, list[tuple[Line, str]]] = {}
    for row in rows:
        for column in ("next", "adjacent", "ahead", "beside"):
            for name in row.list(column):
                if name not in known:
                    told.setdefault(name, []).append((row, column))
    for name, places in told.items():
        row, column = places[0]
        others = len({other.number for other, _column in places} - {row.number})
        if others:
            yield Fault(
                "F2",
                "line %(line)d, %(space)s: %(column)s: there is no space %(name)s; lines that name it too: %(others)d",
                row,
                column=column,
                name=name[:20],
                others=others,
            )
        else:
            yield Fault(
                "F2",
                "line %(line)d, %(space)s: %(column)s: there is no space %(name)s",
                row,
                column=column,
                name=name[:20],
            )


def _step_faults(row: Line, by_name: Mapping[str, Line]) -> Iterator[StageError]:
    """Yield faults of the next spaces and of the neighbours of a space (F2, F3)."""
    ahead, nexts, in_pits = row.list("ahead"), row.list("next"), row.words["lane"] == "0"
    if not nexts:
        yield Fault("F2", "line %(line)d, %(space)s: the space is a dead end", row)
    if row.space in nexts or row.space in row.list("beside"):
        yield Fault("F2", "line %(line)d, %(space)s: the space leads to itself", row)
    if len(ahead) > 1 or (not in_pits and len(ahead) != 1):
        yield Fault("F3", "line %(line)d, %(space)s: one space is ahead", row)
    elif ahead and ahead[0] not in nexts:
        yield Fault("F3", "line %(line)d, %(space)s: the space ahead is not among the next ones", row)
    elif ahead and not in_pits and by_name[ahead[0]].words["lane"] != row.words["lane"]:
        yield Fault("F3", "line %(line)d, %(space)s: the space ahead is in another lane", row)
    for column in ("beside", "adjacent"):
        for name in row.list(column):
            if row.space not in by_name[name].list(column):
                yield Fault(
                    "F3",
                    "line %(line)d, %(space)s: %(column)s: %(name)s does not name this space",
                    row,
                    column=column,
                    name=name,
                )
    for name in row.list("beside"):
        if abs(int(by_name[name].words["lane"]) - int(row.words["lane"])) != 1:
            yield Fault(
                "F3", "line %(line)d, %(space)s: beside: %(name)s is not in a neighbouring lane", row, name=name
            )


def _set_faults(rows: Sequence[Line]) -> Iterator[StageError]:
    """Yield faults of the whole track: grid places, boxes, a finish line across all lanes, the pit entry."""
    for column, wanted in (("grid", [str(place + 1) for place in range(facts().most_cars)]), ("garage", facts().boxes)):
        told = {}
        rule = "Y6" if column == "garage" else "Y3"
        for row in rows:
            word = row.words[column]
            if not word:
                continue
            if word not in wanted or word in told:
                yield Fault(
                    rule,
                    "line %(line)d, %(space)s: %(column)s: a wrong value, or the same one twice",
                    row,
                    column=column,
                )
            told[word] = row
            if (column == "garage") != (row.words["kind"] == "stall"):
                yield Fault(rule, "line %(line)d, %(space)s: %(column)s: not here", row, column=column)
        lacking = [word for word in wanted if word not in told]
        if lacking:
            yield StageError("%(column)s: %(names)s are missing", rule=rule, column=column, names=", ".join(lacking))
    lanes = {row.words["lane"] for row in rows if row.words["finish"]}
    if lanes != {"1", "2", "3"}:
        yield StageError("the finish line crosses lanes 1, 2 and 3", rule="F5")
    if ENTRY not in {row.space for row in rows}:
        yield StageError("there is no pit lane: %(entry)s is missing", rule="P1", entry=ENTRY)


def _corner_faults(rows: Sequence[Line]) -> Iterator[StageError]:
    """Yield corners with different stops, and areas without three lanes (F1, F6)."""
    stops: dict[str, str] = {}
    lanes: dict[str, set[str]] = {}
    first: dict[str, Line] = {}
    for row in rows:
        if row.words["lane"] == "0":
            continue
        area = row.space.split(".")[0]
        lanes.setdefault(area, set()).add(row.words["lane"])
        first.setdefault(area, row)
        if stops.setdefault(area, row.words["stops"]) != row.words["stops"]:
            yield Fault("F6", "line %(line)d, %(space)s: the corner has other stops elsewhere", row)
    for area, found in lanes.items():
        if found != {"1", "2", "3"}:
            yield Fault("F1", "line %(line)d, %(space)s: the area does not have three lanes", first[area])


def _way_faults(rows: Sequence[Line]) -> Iterator[StageError]:
    """Yield faults of the ring (F2, F5): a space that does not lead to the finish line or is not reached from it, or a
    ring that does not cross it.
    """
    track = {row.space: row for row in rows if row.words["lane"] != "0"}
    onward = {space: [to for to in row.list("next") if to in track] for space, row in track.items()}

    def crosses(at: str, to: str) -> bool:
        return bool(track[to].words["finish"] and not track[at].words["finish"])

    behind: dict[str, list[str]] = {space: [] for space in track}
    for space, nexts in onward.items():
        for to in nexts:
            behind[to].append(space)
    edge = [space for space, nexts in onward.items() if any(crosses(space, to) for to in nexts)]
    begins = [to for space in edge for to in onward[space] if crosses(space, to)]
    home, away = _reached(behind, edge), _reached(onward, begins)
    for space, row in track.items():
        if space not in home:
            yield Fault("F2", "line %(line)d, %(space)s: no way leads from here to the finish line", row)
        if space not in away:
            yield Fault("F2", "line %(line)d, %(space)s: no way leads here from the finish line", row)
    yield from _ring_faults(track, {at: [to for to in nexts if not crosses(at, to)] for at, nexts in onward.items()})


def _reached(steps: Mapping[str, Sequence[str]], starts: Sequence[str]) -> set[str]:
    """Return all spaces that can be reached from these, the starts included."""
    reached = set(starts)
    stack = list(reached)
    while stack:
        for to in steps[stack.pop()]:
            if to not in reached:
                reached.add(to)
                stack.append(to)
    return reached


def _ring_faults(track: Mapping[str, Line], onward: Mapping[str, Sequence[str]]) -> Iterator[StageError]:
    """Yield a fault when a ring does not cross the finish line (F5). Spaces without a next space are removed
    repeatedly; the rest are on such rings or lead into them.
    """
    left = {space: set(nexts) for space, nexts in onward.items()}
    behind: dict[str, list[str]] = {space: [] for space in left}
    for space, nexts in onward.items():
        for to in nexts:
            behind[to].append(space)
    free = [space for space, nexts in left.items() if not nexts]
    while free:
        done = free.pop()
        left.pop(done, None)
        for space in behind[done]:
            if space in left and done in left[space]:
                left[space].discard(done)
                if not left[space]:
                    free.append(space)
    yield from (
        Fault("F5", "line %(line)d, %(space)s: the way leads round without crossing the finish line", track[space])
        for space in list(left)[:1]
    )


def _pit_faults(rows: Sequence[Line]) -> Iterator[StageError]:
    """Yield faults of the pit lane: its entry, the ways into and out of the boxes, the way back (P1, P2)."""
    by_name = {row.space: row for row in rows}
    if not any(ENTRY in row.list("next") for row in rows if row.words["lane"] != "0"):
        yield Fault("P1", "line %(line)d, %(space)s: no way leads here from the track", by_name[ENTRY])
    for row in rows:
        kind = row.words["kind"]
        if kind == "stall":
            if not any(row.space in other.list("next") for other in rows if other.words["kind"] == "pit"):
                yield Fault("P2", "line %(line)d, %(space)s: no way leads here from the pit lane", row)
            if any(by_name[to].words["kind"] != "pit" for to in row.list("next")):
                yield Fault("P2", "line %(line)d, %(space)s: a box leads into the pit lane", row)
        elif kind != "pit" and any(by_name[to].words["lane"] == "0" and to != ENTRY for to in row.list("next")):
            yield Fault("P1", "line %(line)d, %(space)s: the pit lane begins with %(entry)s", row, entry=ENTRY)
    space, seen = ENTRY, list[str]()
    while space not in seen and by_name[space].words["kind"] == "pit":
        seen.append(space)
        onward = [to for to in by_name[space].list("next") if by_name[to].words["kind"] != "stall"]
        if any(by_name[to].words["lane"] != "0" for to in onward):
            return
        if not onward:
            break
        space = onward[0]
    yield Fault("P2", "line %(line)d, %(space)s: the pit lane does not lead back to the track", by_name[ENTRY])
