"""Days as people write them. Where 3/4 may be two days, both are kept, and the list or a person decides."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from championship.lists.reading.words import folded

YEARS = range(1950, 2101)
_EXCEL = range(18_264, 73_416)
"""Numbers of the days from 1950 to 2100 in a spreadsheet."""
_MONTHS = (
    "jan january januar januari janner jaenner styczen stycznia sty janv janvier ene enero gen gennaio leden ledna "
    "января январь ιανουαριου",
    "feb february februar februari feber luty lutego lut fev fevr fevrier febrero febbraio unor unora uno февраля "
    "февраль φεβρουαριου",
    "mar march marz maerz maer mrz mrt maart marzec marca mars marzo brezen brezna марта март μαρτιου",
    "apr april kwiecien kwietnia avr avril abr abril aprile duben dubna апреля апрель απριλιου",
    "may mai maj maja mayo maggio mag kveten kvetna mei мая маи μαιου",
    "jun june juni juin junio giugno giu czerwiec czerwca cerven cervna июня июнь ιουνιου",
    "jul july juli juil juillet julio luglio lug lipiec lipca cervenec cervence июля июль ιουλιου",
    "aug august augustus aout agosto ago sierpien sierpnia srpen srpna августа август αυγουστου",
    "sep september sept septembre septiembre setiembre settembre wrzesien wrzesnia zari сентября сентябрь σεπτεμβριου",
    "oct october okt oktober octobre octubre ottobre pazdziernik pazdziernika rijen rijna октября октябрь οκτωβριου",
    "nov november novembre noviembre listopad listopada listopadu lis ноября ноябрь νοεμβριου",
    "dec december dezember decembre diciembre dicembre grudzien grudnia prosinec prosince декабря декабрь δεκεμβριου",
)
"""Months in the languages of lists, folded where their words are compared."""
_MONTH_OF = {folded(word): number for number, words in enumerate(_MONTHS, 1) for word in words.split()}
_MONTH_STARTS: dict[str, int] = {}
for _word, _number in _MONTH_OF.items():
    for _length in range(3, len(_word)):
        _MONTH_STARTS.setdefault(_word[:_length], _number)
_BESIDE = frozenset(["of", "de", "del", "the", "den", "am", "dnia", "dne", "le", "di", "r", "roku", "года", "г"])
"""Words that may stand in a date beside its month and its day of the week."""
_FIGURES = re.compile(r"(\d{1,4})[ ]?([./-])[ ]?(\d{1,2})[ ]?(?:\2[ ]?(\d{2,4})|\2)?")
_RANGE = re.compile(r"(\d{1,2})\.?[ ]?[-–—/][ ]?\d{1,2}(\.[ ]?\d{1,2}\.[ ]?\d{2,4}|\.?[ ][^\W\d]{3,}.*)")
_TWO_DAYS = re.compile(r"(\d{1,2}\.[ ]?\d{1,2}\.)[ ]?(?:\d{2,4})?[ ]?[-–—][ ]?\d{1,2}\.[ ]?\d{1,2}\.[ ]?(\d{2,4})")
_TIME = re.compile(
    r"[T ,]+\d{1,2}[:.h]\d{2}(?:[:.]\d{2}(?:[.,]\d+)?)?(?:[ ]?(?:am|pm|uhr|z|h|utc|[+-]\d{2}:?\d{2}))?$", re.IGNORECASE
)
_WORD_BEFORE = re.compile(r"([^\W\d]{2,12})[.,]*[ ]*(?=\d)")
_WEEKDAYS = frozenset(
    word
    for words in (
        "mon tue tues wed thu thur thurs fri sat sun monday tuesday wednesday thursday friday saturday sunday",
        "mo di mi do fr sa so montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag",
        "pon wt sr czw pt sob niedz nd poniedzialek wtorek sroda czwartek piatek sobota niedziela",
        "lun mer jeu ven sam dim lundi mardi mercredi jeudi vendredi samedi dimanche",
        "mie jue vie sab dom lunes martes miercoles jueves viernes sabado domingo",
        "gio lunedi martedi mercoledi giovedi venerdi sabato domenica po ut st ct pa ne",
        "ma wo za zo zaterdag zondag vrijdag",
    )
    for word in words.split()
)
IN_BRACKETS = re.compile(
    r"[(\[]([^()\[\]]{3,40})[)\]]|(?<![\d.])(\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./](?:\d{4}|\d{2})?)(?![\d.])"
)
"""A date within a heading."""
WITH_MONTH = re.compile(
    r"(?<![^\W_])(?:(?:\d{1,2}\.?[ ]?[-–/][ ]?)?\d{1,2}(?:\.|st|nd|rd|th|er)?[ ]{1,2}(?:of[ ]|de[ ])?)?"
    r"[^\W\d_]{3,12}\.?[ ]{1,2}(?:de[ ]|\d{1,2}(?:st|nd|rd|th)?,?[ ]{1,2})?\d{4}(?!\d)"
)
"""A date with the name of its month, within a heading."""


@dataclass(frozen=True, slots=True)
class FoundDay:
    """A date: a day, or only its year. `other`: the day when the month is written first, if it may be so.
    `without_year`: the list has to know the year elsewhere; `day` is then in the year 2000.
    """

    day: date | None = None
    year: int | None = None
    other: date | None = None
    without_year: bool = False
    month_first: bool = False


def read_day(cell: str) -> FoundDay | None:
    """Return the date in a cell: 2026-02-14, 14.2.26, 14 Feb 2026, 2/14/2026, 46067, 2026; None for anything else."""
    text = cell.strip().removeprefix("'")
    before = _WORD_BEFORE.match(text)
    if before and folded(before.group(1)) in _WEEKDAYS:
        text = text[before.end() :]
    text = _TIME.sub("", text).strip()
    if not text or len(text) > 40:
        return None
    if text.replace(".0", "").isascii() and text.removesuffix(".0").isdigit():
        number = int(text.removesuffix(".0"))
        if number in YEARS:
            return FoundDay(year=number)
        if number in _EXCEL:
            return FoundDay(day=date(1899, 12, 30) + timedelta(days=number))
        return _compact(text)
    season = re.fullmatch(r"(\d{4})[/-](\d{2}|\d{4})", text)
    if season and int(season.group(1)) in YEARS and int(season.group(2)) > 12:
        return FoundDay(year=int(season.group(1)))
    two = _TWO_DAYS.fullmatch(text)
    if two:
        text = f"{two.group(1)}{two.group(2)}"
    several = _RANGE.fullmatch(text)
    if several:
        text = f"{several.group(1)}{several.group(2)}"
    return _of_figures(text) or _of_words(text)


def _compact(text: str) -> FoundDay | None:
    """Return a date from 20260214."""
    if len(text) != 8 or int(text[:4]) not in YEARS:
        return None
    day = _day(int(text[:4]), int(text[4:6]), int(text[6:]))
    return FoundDay(day=day) if day else None


def _of_figures(text: str) -> FoundDay | None:
    found = _FIGURES.fullmatch(text.rstrip(" "))
    if not found:
        return None
    first, sign, second, third = found.groups()
    if len(first) == 4:
        day = _day(int(first), int(second), int(third)) if third else None
        return FoundDay(day=day) if day else None
    if len(first) > 2:
        return None
    if third is None:
        day = _day(2000, int(second), int(first)) if sign == "." else None
        return FoundDay(day=day, without_year=True) if day else None
    year = _year(third)
    usual, other = _day(year, int(second), int(first)), _day(year, int(first), int(second))
    if sign == "." or usual == other:
        return FoundDay(day=usual) if usual else None
    if usual and other:
        return FoundDay(day=usual, other=other)
    return FoundDay(day=usual or other, month_first=usual is None) if usual or other else None


def _of_words(text: str) -> FoundDay | None:
    """Return a date with the name of its month."""
    words = folded(text).split()
    months = [_month(word) for word in words]
    known = [month for month in months if month]
    figures = [
        int(digits.group(1)) for word in words if (digits := re.fullmatch(r"(\d{1,4})(?:st|nd|rd|th|er|e)?", word))
    ]
    others = [word for word, month in zip(words, months, strict=True) if not month and not word[0].isdigit()]
    if len(known) != 1 or not 1 <= len(figures) <= 2 or len(words) > 5 or not {*others} <= _BESIDE | _WEEKDAYS:
        return None
    years = [each for each in figures if each > 31] or (figures[1:] if len(figures) == 2 else [])
    days = [each for each in figures if each not in years]
    if not years:
        day = _day(2000, known[0], days[0])
        return FoundDay(day=day, without_year=True) if day else None
    year = _year(str(years[0]))
    if not days:
        return FoundDay(year=year) if year in YEARS else None
    day = _day(year, known[0], days[0])
    return FoundDay(day=day) if day else None


def _month(word: str) -> int | None:
    if word.isdigit() or len(word) < 3:
        return None
    return _MONTH_OF.get(word) or _MONTH_STARTS.get(word)


def _year(digits: str) -> int:
    year = int(digits)
    if len(digits) > 2:
        return year
    return year + (2000 if year < 70 else 1900)


def _day(year: int, month: int, day: int) -> date | None:
    if year not in YEARS:
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None


def month_comes_first(days: Iterable[FoundDay]) -> bool | None:
    """Return whether the list writes the month first; None when its dates do not say."""
    days = list(days)
    if any(each.month_first for each in days):
        return True
    sure = [each for each in days if each.day and not each.other and not each.without_year]
    return None if any(each.other for each in days) and not sure else False


def of_year(found: FoundDay, year: int | None) -> FoundDay:
    """Return a date without a year as one of that year."""
    if not found.without_year or found.day is None:
        return found
    day = _day(year, found.day.month, found.day.day) if year else None
    return FoundDay(day=day) if day else FoundDay()


def cut_day(heading: str) -> tuple[str, str]:
    """Return a heading without the date in it, and that date: "1. Lauf (14.2.26)" as "1. Lauf" and "14.2.26"."""
    for found in IN_BRACKETS.finditer(heading[:200]):
        said = found.group(1) or found.group(2)
        if said and read_day(said):
            rest = f"{heading[: found.start()]} {heading[found.end() :]}"
            return " ".join(rest.replace("()", "").split()).strip(" ,;-–"), said
    for found in WITH_MONTH.finditer(heading[:200]):
        rest = f"{heading[: found.start()]} {heading[found.end() :]}"
        if read_day(found.group()) and any(map(str.isalpha, rest)):
            return " ".join(rest.split()).strip(" ,;:-–—"), found.group()
    return heading, ""
