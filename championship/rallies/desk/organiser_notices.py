"""Notices to organisers about their rallies, and to drivers about their entries and results.

Everybody can switch off each kind, or choose to get it at once or in a digest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.utils.translation import gettext_lazy as _

from championship.accounts.models import User
from championship.clubs.models import Club, Membership, Role
from championship.notices import kinds
from championship.notices.models import Notice
from championship.notices.services import Letter, enqueue_many
from championship.rallies.desk.promises import Promised, promises_of
from championship.rallies.desk.result_mails import details_of_rally, details_of_stage
from championship.rallies.knockout.reached import reached
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.rallies.results.classification import Line
from championship.rallies.results.measures import plain
from championship.rallies.results.selectors import results_of

TO_ORGANISERS = (
    ("entry arrived", _("%(rally)s: an entry of %(crew)s"), _("An entry arrives in a rally that I organise")),
    ("stage late", _("%(rally)s, %(stage)s runs late"), _("A deadline is missed in a rally that I organise")),
    (
        "stage in",
        _("%(rally)s, %(stage)s: all results are in"),
        _("All results of a stage or race are in, as an organiser"),
    ),
    ("start put off", _("%(rally)s could not start"), _("A rally that I organise could not start automatically")),
    ("rally done", _("%(rally)s is over"), _("A rally that I organise is over")),
)
TO_DRIVERS = (
    ("entry confirmed", _("%(rally)s: your entry is confirmed"), _("My entry is confirmed")),
    ("entry refused", _("%(rally)s: your entry is refused"), _("My entry is refused")),
    ("entered by another", _("%(rally)s: you are entered"), _("Somebody else enters me")),
    ("stage result", _("%(rally)s, %(stage)s: your result"), _("My result on a stage or in a race")),
    ("rally result", _("%(rally)s: your place"), _("My place in a rally that is over")),
)
OF_FIELDS = (
    ("in the final", _("%(rally)s: you are in the final"), _("I am in a final")),
    ("in the semi-finals", _("%(rally)s: you are in the semi-finals"), _("I am in semi-finals")),
)
WITH_BOARDS = {
    "stage in": details_of_stage,
    "stage result": details_of_stage,
    "rally done": details_of_rally,
    "rally result": details_of_rally,
}
"""The kinds whose mails show a board of results."""


def register() -> None:
    """Register these kinds of notice."""
    for kind, subject, switch in (*TO_ORGANISERS, *TO_DRIVERS):
        template = f"notices/mail/{kind.replace(' ', '_')}.txt"
        kinds.register(kind, subject=subject, body_template=template, switch=switch, details=WITH_BOARDS.get(kind))
    for kind, subject, switch in OF_FIELDS:
        template = f"notices/mail/{kind.replace(' ', '_')}.txt"
        kinds.register(kind, subject=subject, body_template=template, switch=switch, still_wanted=_drives_on)


def organisers_of(club: Club | int) -> list[User]:
    """The organisers of the club (or of the club with this id) who have an active account: one query."""
    ids = Membership.objects.filter(club=club, roles__contains=[Role.ORGANISER]).values("user")
    return list(User.objects.filter(pk__in=ids, is_active=True, closed_at=None))


def notify_organisers(rally: Rally, kind: str, subject_key: str, context: dict[str, object], link: str = "") -> None:
    """Notify the organisers of a rally. Does nothing for a practice rally."""
    if not rally.practice:
        context = {"rally": rally.name, **context}
        people = organisers_of(rally.club)
        enqueue_many([_letter(rally, person, kind, subject_key, context, link) for person in people])


def notify_new_entry(entry: Entry, rally: Rally) -> None:
    """Notify organisers that a driver has requested an entry. An organiser gets no notice of their own entry."""
    key = f"entry {entry.pk} asked {entry.asked_at:%Y%m%dT%H%M%S%f}"
    context = {"rally": rally.name, "crew": entry.crew, "waits": entry.status == Entry.Status.WAITING}
    link = f"{rally.get_absolute_url()}desk/"
    people = [person for person in organisers_of(rally.club) if person.pk != entry.driver_id and not rally.practice]
    enqueue_many([_letter(rally, person, "entry arrived", key, context, link) for person in people])


def notify_entry_decisions(
    rally: Rally, kind: str, entries: Iterable[Entry], *, by: User | None, reason: str = ""
) -> None:
    """Notify drivers that their entries are confirmed, refused, or made for them by somebody else. An entry with a
    start number gets the promises about the random draws.

    The author `by` is not notified. `by` is None for the sweep.
    """
    noticed = [entry for entry in entries if (by is None or entry.driver_id != by.pk) and not rally.practice]
    drivers = User.objects.in_bulk({entry.driver_id for entry in noticed})
    promises = promises_of(rally) if any(entry.start_number for entry in noticed) else []
    enqueue_many(
        [
            _letter(
                rally, drivers[entry.driver_id], kind, _entry_key(entry), _entry_context(rally, entry, reason, promises)
            )
            for entry in noticed
        ]
    )


def notify_stage_complete(rally: Rally, stage: SpecialStage) -> None:
    """Notify organisers that all results of a stage are in, and each driver of their place and result on it. Not for
    practice, nor for open stages: their drivers get a notice when the week is closed.
    """
    if rally.practice or rally.for_everybody:
        return
    lines = results_of(rally, all_in=True).stage_lines(stage.number)
    context: dict[str, object] = {"game": rally.game, "stage": stage.number, "board_of": stage.pk}
    notify_organisers(rally, "stage in", f"stage {stage.pk}", context, stage.get_absolute_url())
    _notify_drivers_of_places(rally, "stage result", f"stage {stage.pk}", lines, context, stage.get_absolute_url())


def missed_deadline_letters(late: Iterable[tuple[SpecialStage, str]], *, now: datetime) -> list[Letter]:
    """The notices to organisers about missed deadlines: one a day for each stage, for any number of late cars.

    `late`: stages and entries; the rally of each stage is loaded.
    """
    by_key: dict[str, tuple[SpecialStage, str]] = {}
    for stage, entry in late:
        if not stage.rally.practice:
            by_key.setdefault(f"stage {stage.pk} late {now:%Y-%m-%d}", (stage, entry))
    if by_key:
        written = Notice.objects.filter(kind="stage late", subject_key__in=list(by_key))
        for key in set(written.values_list("subject_key", flat=True)):
            del by_key[key]
    organisers = {club: organisers_of(club) for club in {stage.rally.club_id for stage, _entry in by_key.values()}}
    letters = []
    for key, (stage, entry) in by_key.items():
        rally = stage.rally
        context: dict[str, object] = {"rally": rally.name, "game": rally.game, "stage": stage.number, "entry": entry}
        page = f"{rally.get_absolute_url()}desk/runs/"
        letters += [_letter(rally, person, "stage late", key, context, page) for person in organisers[rally.club_id]]
    return letters


def notify_field(rally: Rally, stage: SpecialStage) -> None:
    """Notify the drivers on the start list of a semi-final or a final that they drive it: each once, however often the
    list is written. Not for practice, bots, nor cars that the codriver drives.
    """
    if rally.heats is None:
        return
    kind = "in the final" if rally.heats.is_final(stage.number) else "in the semi-finals"
    context: dict[str, object] = {"rally": rally.name, "place_on": stage.pk, "opens": rally.auto_start}
    enqueue_many(
        [
            _letter(rally, place.entry.driver, kind, f"field of stage {stage.pk}", context, stage.get_absolute_url())
            for place in reached(stage=stage)
            if not place.entry.driver.is_bot
        ]
    )


def _drives_on(notice: Notice) -> bool:
    return reached(driver=notice.recipient_id, stage=notice.context.get("place_on")).exists()


def notify_rally_over(rally: Rally) -> None:
    """Notify organisers that a rally is over, and each driver of their place in it. Not for practice or open stages."""
    if rally.practice or rally.for_everybody:
        return
    link = f"{rally.get_absolute_url()}podium/"
    context: dict[str, object] = {"board_of": rally.pk}
    notify_organisers(rally, "rally done", f"rally {rally.pk}", context, link)
    _notify_drivers_of_places(rally, "rally result", f"rally {rally.pk}", results_of(rally).overall, context, link)


def _notify_drivers_of_places(
    rally: Rally, kind: str, key: str, lines: Sequence[Line], context: dict[str, object], link: str
) -> None:
    drivers = User.objects.in_bulk({line.entry.driver_id for line in lines})
    enqueue_many(
        [
            _letter(
                rally,
                drivers[line.entry.driver_id],
                kind,
                key,
                {"rally": rally.name, **context, "place": line.place, "of": len(lines), **_in_unit(line)},
                link,
            )
            for line in lines
            if line.entry.driven_by == Entry.DrivenBy.PERSON and not drivers[line.entry.driver_id].is_bot
        ]
    )


def _in_unit(line: Line) -> dict[str, object]:
    return {"amount": line.total, "measure": plain(line.measure), "summed": line.summed}


def _entry_key(entry: Entry) -> str:
    return f"entry {entry.pk} asked {entry.asked_at:%Y%m%dT%H%M%S%f}"


def _entry_context(rally: Rally, entry: Entry, reason: str, promises: list[Promised]) -> dict[str, object]:
    waits = entry.status == Entry.Status.WAITING
    return {
        "rally": rally.name,
        "game": rally.game,
        "promises": promises if entry.start_number else [],
        "crew": entry.crew,
        "start_number": entry.start_number,
        "waits": waits,
        "reason": reason,
    }


def _letter(rally: Rally, person: User, kind: str, key: str, context: dict[str, object], link: str = "") -> Letter:
    link = link or rally.get_absolute_url()
    return Letter(recipient=person, kind=kind, subject_key=key, context=context, link=link, thread=f"rally {rally.key}")
