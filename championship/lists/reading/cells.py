"""Single cells: places, points, start numbers, mail addresses, and how a car ended."""

from __future__ import annotations

import re
from dataclasses import dataclass

from championship.lists.found import Status
from championship.lists.reading.words import FIRST, NOTHING, RESTARTED, SHORT, STATUS_OF, folded
from championship.platform.csv_text import without_guard

HIGHEST_NUMBER = 999
HIGHEST_PLACE = 9999
_PLACE = re.compile(
    r"(=|t|p)?[ ]?(\d{1,4})(?:[.,]0+)?[ ]?"
    r"(=|\.|:|\)|st|nd|rd|th|er|ere|eme|e|º|°|ª|o|a|:a|:e|de|ste|-?te|=\.|\.=)?\.?"
    r"(?:[ ]?(=|\(=\)|ex[ ]?(?:ae|æ)quo|exaequo|tied))?(?:/\d{1,4})?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"#?[ ]?(?:n[ro°º]?\.?[ ]?)?(\d{1,6})(?:[.,]0{1,6})?\.?", re.IGNORECASE)
_POINTS = re.compile(
    r"(?P<open>[(\[~*]{0,2})[ ]?(?P<sign>[-+−–])?(?P<whole>\d{1,7})?(?:[.,](?P<part>\d{1,6}))?[ ]?(?P<half>½|¼|¾|1/2)?"
    r"[ ]?(?:p|pts?|points?|punkte?|punkt[yów]*|pkt|ptos?|puntos?|punti|bod[yůu]?|punten|pnt|b)?\.?[ ]?"
    r"(?P<close>[)\]~*]{0,2})",
    re.IGNORECASE,
)
_POWER = re.compile(
    r"[(\[+]?[ ]?(?:\+[ ]?)?(?:ps|power[ ]?stage|power)[ :.=]*\+?(\d{1,3})(?:[ ]?(?:p|pts?|pkt|punkte?))?[ ]?[)\]]?"
    r"|[(\[+]?[ ]?\+[ ]?(\d{1,3})[ ]?(?:ps|power[ ]?stage)[ ]?[)\]]?",
    re.IGNORECASE,
)
_DROPPED = re.compile(
    r"[ ](?:dropped|fallen gelassen|porzucon\w*|gestrichen|streich(?:er|resultat)?|odrzucon\w*|skreślon\w*|"
    r"nicht gewertet)$",
    re.IGNORECASE,
)
_ADDED = re.compile(r"(\d{1,4})[ ]?\+[ ]?(\d{1,3})")
"""Points and a bonus."""
_MARKED = re.compile(r"^(\d{1,4}(?:[.,]\d{1,2})?)[ ]?[A-Z†‡]{1,2}$")
"""Points with a letter behind them that tells of a pole or the like."""
_MAIL = re.compile(r"[^\s@<>;,\"]{1,64}@[^\s@<>;,\"]{1,189}")
_HALVES = {"½": 50, "1/2": 50, "¼": 25, "¾": 75}
_MEDALS = {"🥇": 1, "🥈": 2, "🥉": 3}
_SCORE = re.compile(r"([(]?-?[\d.,]+[)]?)[ ]*[\s/(]([^\d()]+)\)?")
_ENDED_WITH = re.compile(r"([^\W\d][^\d+]{0,20}?)[ ]?\+[ ]?(\d{1,3})")
"""How a car ended, and a bonus that it got nevertheless: "DNF+2"."""
_AFTER = re.compile(r"[\s.:,;()\[\]–—/-]+")


@dataclass(frozen=True, slots=True)
class Points:
    """Points in hundredths. `dropped`: the list marks them as not counted. `power`: what it says of the power stage."""

    hundredths: int
    dropped: bool = False
    power: int | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """How a car ended, and why: "DNF engine". `restarted`: it went on after a retirement."""

    status: Status
    reason: str = ""
    restarted: bool = False


def is_nothing(cell: str) -> bool:
    """Whether a cell says that there is nothing."""
    return cell in NOTHING


def read_status(cell: str) -> Ended | None:
    """Return how a car ended, from "DNF", "DNF engine", "Ret. (gearbox)"; None when the cell says nothing about it."""
    text = cell.strip().strip("*").strip()
    if not text or text[0].isdigit():
        return None
    words = folded(text)
    if words in STATUS_OF:
        return Ended(STATUS_OF[words], "", words in RESTARTED)
    cut = list(_AFTER.finditer(text))
    for mark in reversed(cut[:6]):
        head = folded(text[: mark.start()])
        if head not in STATUS_OF:
            continue
        upper = text[: mark.start()].isupper() and mark.group().strip() != "/"
        if head in SHORT and not (upper or mark.group().startswith(".")):
            continue
        reason = text[mark.end() :].strip(" ()[].:;,-–—")
        return Ended(STATUS_OF[head], reason if any(map(str.isalpha, reason)) else "", head in RESTARTED)
    return None


def read_place(cell: str) -> tuple[int, bool] | None:
    """Return a place from 4, "4.", 4th, =4, 4=, "P4", and whether it is shared; None for anything else."""
    text = without_guard(cell).strip()
    if text in _MEDALS:
        return _MEDALS[text], False
    if folded(text) in FIRST:
        return 1, False
    found = _PLACE.fullmatch(text)
    if not found:
        return None
    before, number, behind, more = found.groups()
    place = int(number)
    shared = before in ("=", "t", "T") or "=" in (behind or "") or bool(more)
    return (place, shared) if 1 <= place <= HIGHEST_PLACE else None


def read_number(cell: str) -> int | None:
    """Return a start number from 7, "7,0", "#7", "Nr. 7"; None for anything else."""
    found = _NUMBER.fullmatch(without_guard(cell).strip())
    number = int(found.group(1)) if found else 0
    return number if 1 <= number <= HIGHEST_NUMBER else None


def read_points(cell: str) -> Points | None:
    """Return points from 25, "12,5", 55½, "18 pts (PS 5)", "(6)", "6 dropped"; None for anything else."""
    text = without_guard(cell).strip()
    power = _POWER.search(text)
    said = None
    if power and power.start() > 0:
        said = int(power.group(1) or power.group(2))
        text = (text[: power.start()] + text[power.end() :]).strip()
    text = _MARKED.sub(r"\1", text)
    added = _ADDED.fullmatch(text)
    if added:
        return Points(sum(int(each) for each in added.groups()) * 100)
    word = _DROPPED.search(text)
    if word:
        text = text[: word.start()].strip()
    found = _POINTS.fullmatch(text)
    if not found or (found["whole"] is None and found["part"] is None and found["half"] is None):
        return None
    hundredths = (
        int(found["whole"] or 0) * 100 + int(((found["part"] or "") + "00")[:2]) + _HALVES.get(found["half"] or "", 0)
    )
    if found["sign"] in ("-", "−", "–"):
        hundredths = -hundredths
    marked = bool(found["open"]) and bool(found["close"])
    return Points(hundredths, marked or bool(word), said)


def read_score(cell: str) -> tuple[Points | None, Ended | None]:
    """Return the points and how the car ended, from 25, DNF, or both: "0 excluded", "DNF+2"."""
    points = read_points(cell)
    if points is not None:
        return points, None
    nevertheless = _ENDED_WITH.fullmatch(without_guard(cell).strip())
    ended = read_status(nevertheless.group(1)) if nevertheless else None
    if nevertheless and ended:
        return Points(int(nevertheless.group(2)) * 100), ended
    both = _SCORE.fullmatch(without_guard(cell).strip())
    ended = read_status(both.group(2)) if both else read_status(cell)
    return (read_points(both.group(1)) if both and ended else None), ended


def read_mail(cell: str) -> str:
    """Return the mail address in a cell: from <a@b.c>, "mailto:a@b.c", "Ana <a@b.c>"; "" when there is none."""
    found = _MAIL.search(cell.replace("mailto:", ""))
    return found.group().strip(".") if found and "." in found.group().partition("@")[2] else ""
