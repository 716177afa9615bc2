"""Times as people write them, in thousandths of a second."""

from __future__ import annotations

import re
from collections.abc import Sequence

from championship.lists.found import FoundTime

HOURS = re.compile(r"0?[1-9]\d?:[0-5]\d:00|[1-9]\d?:[0-5]\d:00")
"""A time of hours and minutes only, as spreadsheets write what they took for one."""
MOST = 1000 * 3600 * 1000
"""The longest time, in thousandths: a thousand hours."""
LEAST_RIGHT = 0.7
"""In how many of the lines with all times a sum is right."""
_SIGNS = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "′": "'",
        "`": "'",
        "´": "'",
        "”": '"',
        "“": '"',
        "″": '"',
        "„": '"',
        "−": "-",
        "–": "-",
        "：": ":",
        "\u00a0": " ",
    }
)
_UNITS = re.compile(
    r"(?:(\d{1,3})h)?(?:(\d{1,3})(?:min|m|'))?(?:(\d{1,5})(?:[.,](\d{1,6}))?(?:sec|sek|s|\"|'')?(\d{1,3})?)?"
)
_COLONS = re.compile(r"(?:(\d{1,3}):)?(\d{1,4}):(\d{1,2})(?:[.,](\d{1,9}))?")
_THOUSANDTHS = re.compile(r"(?:(\d{1,3}):)?(\d{1,3}):(\d{2}):(\d{3})")
_DOTS = re.compile(r"(?:(\d{1,2})\.)?(\d{1,3})\.(\d{2}),(\d{1,3})|(?:(\d{1,2})\.)?(\d{1,3})\.(\d{2})\.(\d{1,3})")
_SECONDS = re.compile(r"(\d{1,7})(?:[.,](\d{1,9}))?(?:s|sec|sek|\")?")
_ISO = re.compile(r"pt(?:(\d{1,3})h)?(?:(\d{1,4})m)?(?:(\d{1,6})(?:\.(\d{1,9}))?s)?")


def read_time(cell: str, *, bare: bool = True) -> FoundTime | None:
    """Return the time that a cell holds: 12:34.5, 12'34"5, 0:12:34.500, 12.41,2, 1h02m03s, 205.4; None for anything
    else. `bare`: whether a number alone is one, in seconds. A sign in front is left out.
    """
    text = cell.translate(_SIGNS).lower().strip().lstrip("+-").replace(" ", "")
    if not text or not text[0].isascii() or len(text) > 24:
        return None
    parts = _parts(text, bare=bare)
    if parts is None:
        return None
    hours, minutes, seconds, fraction = parts
    if (minutes and seconds > 59) or (hours and minutes > 59):
        return None
    digits = (fraction + "0000")[:4]
    thousandths = ((hours * 60 + minutes) * 60 + seconds) * 1000 + int(digits[:3]) + (int(digits[3]) >= 5)
    return FoundTime(thousandths, cell, min(3, len(fraction))) if thousandths <= MOST else None


def _parts(text: str, *, bare: bool) -> tuple[int, int, int, str] | None:
    """Return hours, minutes, seconds, and the digits behind the point."""
    found = _THOUSANDTHS.fullmatch(text) or _COLONS.fullmatch(text)
    if found:
        hours, minutes, seconds, fraction = found.groups()
        if len(seconds) == 1 and fraction is None and hours is None:
            return None  # "3:5" may be anything
        return int(hours or 0), int(minutes), int(seconds), fraction or ""
    found = _DOTS.fullmatch(text)
    if found:
        first, second = found.groups()[:4], found.groups()[4:]
        hours, minutes, seconds, fraction = first if first[1] else second
        return int(hours or 0), int(minutes), int(seconds), fraction
    if bare or not text.replace(",", "").replace(".", "").isdigit():
        found = _SECONDS.fullmatch(text)
        if found:
            return 0, 0, int(found.group(1)), found.group(2) or ""
    found = _ISO.fullmatch(text) if text.startswith("pt") and len(text) > 2 else None
    if found:
        hours, minutes, seconds, fraction = found.groups()
        return int(hours or 0), int(minutes or 0), int(seconds or 0), fraction or ""
    found = _UNITS.fullmatch(text) if re.search(r"[hm'\"]", text) else None
    if found is None:
        return None
    hours, minutes, seconds, fraction, behind = found.groups()
    if hours is None and minutes is None and not (seconds and behind and '"' in text):
        return None
    return int(hours or 0), int(minutes or 0), int(seconds or 0), fraction or behind or ""


def looks_like_time(cell: str) -> bool:
    """Whether a cell can only be a time: it has a colon, a minute sign or the like."""
    return read_time(cell, bare=False) is not None


def is_gap(cell: str) -> bool:
    """Whether a cell is a time behind another one: it begins with a plus."""
    return cell.startswith("+")


def in_words(thousandths: int, decimals: int = 0) -> str:
    """Return a time as 1:02:03.4."""
    sign, rest = ("-", -thousandths) if thousandths < 0 else ("", thousandths)
    seconds, fraction = divmod(rest, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    head = f"{hours}:{minutes:02}" if hours else f"{minutes}"
    tail = f".{fraction:03}"[: decimals + 1] if decimals else ""
    return f"{sign}{head}:{seconds:02}{tail}"


def stages_and_total(columns: Sequence[Sequence[str]]) -> dict[int, str]:
    """Return the roles of columns of times without headings: stages, and the time that is their sum; {} where there is
    no such column.
    """
    timed = [index for index, cells in enumerate(columns) if sum(map(looks_like_time, cells)) > 1]
    lines = list(zip(*(columns[index] for index in timed), strict=True))
    right = complete = 0
    for cells in lines:
        known = [time.thousandths for cell in cells if not is_gap(cell) and (time := read_time(cell)) is not None]
        if len(known) == len(cells):
            complete += 1
            right += abs(sum(known[:-1]) - known[-1]) < 10
    if len(timed) < 3 or not complete or right < LEAST_RIGHT * complete:
        return {}
    return {**dict.fromkeys(timed[:-1], "stage"), timed[-1]: "time"}
