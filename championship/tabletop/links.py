"""The links of an evening: of the wall, of a table's marshal, and of the pad of a car. Each is signed, works until the
evening ends, and stops when its serial number changes. It needs no account.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.core import signing
from django.http import Http404
from django.urls import reverse

from championship.platform.bounded_input import whole_number
from championship.rallies.models import Entry, Rally
from championship.tabletop.models import Evening, SignOn, Table

WALL, TABLE, CAR = "w", "t", "c"
_signer = signing.Signer(salt="championship.tabletop.links", sep="~")


@dataclass(frozen=True, slots=True)
class Pass:
    """What a link lets somebody do: enter results for the cars of a table, or for one car. `serial`: the number of the
    link of a car. Organisers, who have an account, need neither table nor car.
    """

    evening: Evening
    table: Table | None = None
    entry: Entry | None = None
    serial: int = 0

    @property
    def counted_as(self) -> str:
        """The name under which requests over this link are counted."""
        about = f"table-{self.table.pk}" if self.table else f"car-{self.entry.pk}" if self.entry else "organisers"
        return f"{self.evening.pk}-{about}"

    @property
    def written_by(self) -> str:
        """Whose pad it is, in words."""
        return str(self.table if self.table is not None else self.entry)


def _token(kind: str, evening: Evening, about: int, serial: int) -> str:
    return _signer.sign(f"{kind}.{evening.key}.{about}.{serial}")


def wall_path(evening: Evening) -> str:
    """The address on the wall, where people sign on."""
    return reverse("tabletop:sign_on", args=[_token(WALL, evening, 0, evening.wall_serial)])


def table_path(table: Table) -> str:
    """The address of the pads of a table."""
    return reverse("tabletop:pad", args=[_token(TABLE, table.evening, table.number, table.serial)])


def car_path(evening: Evening, entry: Entry, serial: int = 0) -> str:
    """The address of the pad of a car. `serial`: that of its sign-on, 0 before."""
    return reverse("tabletop:pad", args=[_token(CAR, evening, entry.pk, serial)])


def evening_on_wall(token: str) -> Evening:
    """The evening of a link on the wall. One query.

    Raises: Http404 when the signature is not ours, or when the link works no longer.
    """
    evening, about, serial = _read(token, WALL)
    if (
        about
        or serial != evening.wall_serial
        or evening.rally.status in (Rally.Status.FINISHED, Rally.Status.CANCELLED)
    ):
        raise Http404
    return evening


def pass_of(token: str) -> Pass:
    """What a link to pads lets somebody do. Two queries.

    Raises: Http404 when the signature is not ours, or when the link works no longer.
    """
    kind = token[:1]
    evening, about, serial = _read(token, kind)
    if kind == TABLE:
        table = Table.objects.filter(evening=evening, number=about, serial=serial).first()
        if table is None or not serial:
            raise Http404
        table.evening = evening
        return Pass(evening, table=table)
    found = Entry.objects.select_related("sign_on__table")
    entry = found.filter(pk=about, rally_id=evening.rally_id, status=Entry.Status.CONFIRMED).first()
    if kind != CAR or entry is None or serial != _serial_read(entry):
        raise Http404
    entry.rally = evening.rally
    return Pass(evening, entry=entry, serial=serial)


def require_wall(read: Evening) -> Evening:
    """Check, under the lock of the rally, that the link on the wall has not been taken back since it was read. Returns
    the evening as it is now. One query.

    Raises: Http404 when it works no longer.
    """
    evening = Evening.objects.get(pk=read.pk)
    if not evening.is_open or (read.key, read.wall_serial) != (evening.key, evening.wall_serial):
        raise Http404
    return evening


def require_working(by: Pass) -> None:
    """Check, under the lock of the rally, that a link has not been taken back since it was read. Two queries, and none
    for organisers.

    Raises: Http404 when it works no longer.
    """
    if by.table is None and by.entry is None:
        return
    evening = Evening.objects.filter(pk=by.evening.pk, key=by.evening.key).first()
    works = evening is not None and evening.is_open
    if works and by.table is not None:
        works = Table.objects.filter(pk=by.table.pk, serial=by.table.serial).exists()
    elif works and by.entry is not None:
        works = _serial_of(by.entry) == by.serial
    if not works:
        raise Http404


def _serial_read(entry: Entry) -> int:
    sign_on: SignOn | None = getattr(entry, "sign_on", None)
    return sign_on.serial if sign_on is not None else 0


def _serial_of(entry: Entry) -> int:
    return SignOn.objects.filter(entry=entry).values_list("serial", flat=True).first() or 0


def _read(token: str, kind: str) -> tuple[Evening, int, int]:
    try:
        written, key, about, serial = _signer.unsign(token).split(".")
    except (signing.BadSignature, ValueError):
        raise Http404 from None
    evening = Evening.objects.select_related("rally__club").filter(key=key).first()
    numbers = whole_number(about), whole_number(serial)
    if written != kind or evening is None or not evening.is_open or None in numbers:
        raise Http404
    return evening, numbers[0] or 0, numbers[1] or 0
