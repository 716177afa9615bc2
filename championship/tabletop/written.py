"""What a pad sends: read from a form or from JSON, within bounds, before anything is locked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from django.utils.translation import gettext as _

from championship.catalogue.pads import Pad
from championship.platform.bounded_input import whole_number
from championship.platform.refusals import Refused
from championship.rallies.results import measures
from championship.rallies.results.measures import Measure

KEY = re.compile(r"[A-Za-z0-9-]{8,40}")
TIME = re.compile(r"(?:(?:(\d{1,2})[:.h])?(\d{1,3})[:.m])?(\d{1,5})")
"""3:25, 1:02:05 or plain seconds; a phone's number pad has no colon, so a dot does as well."""
LONGEST_REASON = 80
EARLIEST = datetime(2020, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Written:
    """One entry of a pad, as it came. `entry`: the id of the car. `stage`: its number. `seen`: the key of the entry
    that the phone showed as the one that counts, "" for none. `result`: what was typed, None where it was counted.
    """

    key: str
    entry: int
    stage: int
    seen: str = ""
    numbers: Mapping[str, int] = field(default_factory=dict)
    result: int | None = None
    retired: bool = False
    reason: str = ""
    tapped_at: datetime | None = None


def typed_result(text: str, measure: Measure) -> int | None:
    """Read a typed result: a time as 3:25, 3.25 or 205, points and places as numbers; None for an empty text.

    Raises: Refused (field result) for any other text, and for a result that no stage can have.
    """
    text = text.strip().replace("−", "-")
    if not text:
        return None
    found = _time(text) if measure.unit == "seconds" else _number(text)
    if found is None or not measures.may_be_given(found, measure):
        raise Refused(_says(measure), field="result")
    return found


def _says(measure: Measure) -> str:
    if measure.unit == "seconds":
        return _("Type a time such as 3:25, or seconds such as 205.")
    if measure.unit == "places":
        return _("Type a place: 1, 2, 3 and so on.")
    return _("Type a whole number.")


def _time(text: str) -> int | None:
    read = TIME.fullmatch(text)
    if read is None or not text.isascii():
        return None
    hours, minutes, seconds = (int(each or 0) for each in read.groups())
    if (read.group(2) and seconds > 59) or (read.group(1) and minutes > 59):
        return None
    return (hours * 60 + minutes) * 60 + seconds


def _number(text: str) -> int | None:
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text)
    number = whole_number(digits, digits=6)
    return None if number is None else sign * number


def from_json(value: Any, measure: Measure) -> Written:
    """Read one entry of a list that a script has sent.

    Raises: Refused when it is not one; nothing of it is kept then.
    """
    if not isinstance(value, dict):
        raise Refused(_("This entry cannot be read."))
    key, seen, reason, at = (value.get(name, "") for name in ("key", "seen", "reason", "at"))
    entry, stage, numbers, result = (value.get(name) for name in ("entry", "stage", "numbers", "result"))
    texts = all(isinstance(each, str) for each in (key, seen, reason, at))
    if not texts or not isinstance(numbers, dict | None):
        raise Refused(_("This entry cannot be read."))
    if not KEY.fullmatch(key) or not (result is None or isinstance(result, str | int)) or isinstance(result, bool):
        raise Refused(_("This entry cannot be read."))
    return Written(
        key=key,
        entry=_whole(entry),
        stage=_whole(stage),
        seen=_key(seen),
        numbers={str(name)[:40]: number for name, number in list((numbers or {}).items())[:60]},
        result=typed_result("" if result is None else str(result)[:20], measure),
        retired=value.get("retired") is True,
        reason=reason,
        tapped_at=moment(at),
    )


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value < 2**31:
        raise Refused(_("This entry cannot be read."))
    return value


def _key(text: str) -> str:
    """The key of an entry; "" for any other text, which is the key of none."""
    return text if KEY.fullmatch(text) else ""


def from_form(sent: Mapping[str, str], pad: Pad, measure: Measure) -> Written:
    """Read the plain form of a pad.

    Raises: Refused (field) for a value that is not valid.
    """
    key, entry, stage = sent.get("key", ""), whole_number(sent.get("entry", "")), whole_number(sent.get("stage", ""))
    if not KEY.fullmatch(key) or entry is None or stage is None or max(entry, stage) >= 2**31:
        raise Refused(_("This form cannot be read. Load the page again."))
    numbers = {}
    for each in pad.fields:
        text = sent.get(f"n_{each.name}", "").strip()
        number = whole_number(text, digits=6) if text else None
        if text and number is None:
            raise Refused(_("Type a whole number."), field=f"n_{each.name}")
        if number is not None:
            numbers[each.name] = number
    return Written(
        key=key,
        entry=entry,
        stage=stage,
        seen=_key(sent.get("seen", "")),
        numbers=numbers,
        result=typed_result(sent.get("result", "")[:20], measure),
        retired=sent.get("retired") == "on",
        reason=sent.get("reason", ""),
    )


def moment(text: str) -> datetime | None:
    """Read when a phone says that something was written; None where it does not say it well."""
    try:
        found = datetime.fromisoformat(text[:40])
        return found.astimezone(UTC) if found.tzinfo is not None and found > EARLIEST else None
    except (ValueError, OverflowError):
        return None


def checked_numbers(given: Mapping[str, Any], pad: Pad) -> dict[str, int]:
    """The numbers that belong to the pad.

    Raises: Refused (field) for a number that is out of bounds.
    """
    found = {}
    for each in pad.fields:
        number = given.get(each.name)
        if number is None:
            continue
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= each.most:
            says = _("%(what)s: a whole number from 0 to %(most)d.") % {"what": each.label, "most": each.most}
            raise Refused(says, field=f"n_{each.name}")
        found[each.name] = number
    return found
