"""Replaces the names of a closed account in the rows that clubs own, table by table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import Min, Q, QuerySet

from championship import catalogue
from championship.accounts.models import User
from championship.accounts.name_history import UsedName
from championship.accounts.services.renaming import Change, Renaming, write
from championship.archive.models import Archive
from championship.archive.tables import TABLES
from championship.audit.models import Record
from championship.clubs.models import Club, Membership
from championship.evenings.models import Word
from championship.moments.models import Comment
from championship.notices.models import Notice, SentMail
from championship.papers.models import BigFile, KeptPaper
from championship.rallies.models import CrewChange, Entry
from championship.seasons.models import Registration, Reserve

UNTOUCHED = {
    "rallies.specialstage": "names of stages, and the course as it was driven",
    "seasons.championship": "names of championships, and numbers",
    "stages.rating": "what drives at random has found",
    "stages.chunk": "what drives at random has found",
    "runs.seal": "a proof rests on it",
    "runs.phrase": "a proof rests on it: phrases go into the draws of a stage",
    "runs.run": "a proof rests on it; it knows cars by number",
    "runs.seat": "it knows cars by number",
    "runs.turn": "it knows cars by number",
    "runs.post": "a proof rests on it; it knows cars by number",
    "runs.event": "a proof rests on it; it knows cars by number",
    "moments.cheer": "it holds no text",
    "tabletop.roll": "a proof rests on it; it knows cars by number",
    "seasons.nomination": "it holds no text",
    "seasons.transfer": "it holds no text",
    "seasons.shareddrive": "it holds no text",
    "seasons.divisionrules": "numbers and choices",
    "seasons.renewal": "it holds no text",
    "runs.sentahead": "a proof rests on it; it knows cars by number",
} | {kept.model.lower(): "belongs to a game; its digest tells of a change" for kept in catalogue.kept()}
"""Tables of a club in which no name is replaced, by label, with the reason."""
WORDS = {
    "clubs.club": ("close_reason",),
    "rallies.rally": ("pause_reason", "cancel_reason"),
    "rallies.entry": ("crew",),
    "rallies.penalty": ("reason",),
    "rallies.penaltywithdrawal": ("reason",),
    "rallies.exclusion": ("reason",),
    "rallies.timebyhand": ("reason",),
    "rallies.publishedresult": ("reason",),
    "rallies.pause": ("reason",),
    "rallies.crewchange": ("crew_before", "crew", "reason"),
    "rallies.message": ("text",),
    "tabletop.score": ("reason", "written_by"),
    "seasons.registration": ("crew",),
    "seasons.reserve": ("crew",),
    "seasons.adjustment": ("reason",),
    "stewards.protest": ("text",),
    "stewards.decision": ("text",),
    "stewards.statement": ("text",),
    "evenings.word": ("text", "hidden_reason"),
    "moments.comment": ("text", "hidden_reason"),
    "audit.record": ("details",),
}
"""Columns in which people write text, by table. A name in any other column is a coincidence and means something
else.
"""
WHOLE = {"stages.stagedesign": ("designer",), "audit.record": ("subject_label",)}
"""Columns in which a name is replaced only when it is the whole value."""
WRITTEN = {
    "clubs.club": "closed_at",
    "rallies.entry": "created_at",
    "rallies.pause": "began_at",
    "seasons.registration": "created_at",
    "seasons.reserve": "created_at",
    "stewards.protest": "filed_at",
} | dict.fromkeys(
    (
        *("rallies.penalty", "rallies.penaltywithdrawal", "rallies.exclusion", "rallies.timebyhand"),
        "rallies.publishedresult",
        *("rallies.crewchange", "rallies.message", "seasons.adjustment", "stewards.decision", "stewards.statement"),
        "evenings.word",
        "moments.comment",
        "tabletop.score",
        "audit.record",
    ),
    "at",
)
"""The column of each table that holds the moment when its text was written."""
NAMED_BY_CLUBS = (
    *("clubs.club", "rallies.rally", "rallies.specialstage", "seasons.championship", "seasons.team", "seasons.round"),
    *("stages.stagedesign", "stewards.decision"),
)
"""Objects that clubs name. Their labels in the log are not changed."""
NOT_WORDS = {
    "clubs.club": ("name", "about", "house_rules", "links", "logo_tag"),
    "stages.stagedesign": ("game", "spec", "source", "name"),
    "seasons.team": ("name",),
    "seasons.round": ("points",),
    "rallies.rally": (
        *("name", "game", "unit", "ruleset_version", "options", "classes", "knockout"),
        *("evening", "evening_rules"),
    ),
    "rallies.entry": ("manner", "car_class", "team", "car"),
    "rallies.stagetime": ("rank", "reason", "detail", "feats", "car"),
    "rallies.timecontrolcard": ("decision", "car_after"),
    "tabletop.score": ("key", "numbers"),
    "seasons.registration": ("car_class",),
    "seasons.reserve": ("division",),
    "moments.comment": ("moment",),
    "audit.record": ("action", "subject_type", "subject_id"),
}
"""Columns with text or JSON for programs, and with names that clubs choose, by table."""


def clubs_of(person: User) -> list[int]:
    """Return the ids of all clubs in which the person is a member, has driven, or has written or done something."""
    member = Membership.objects.filter(user=person).values_list("club_id", flat=True)
    drove = Entry.objects.filter(driver=person).values_list("rally__club_id", flat=True)
    registered = Registration.objects.filter(driver=person).values_list("championship__club_id", flat=True)
    said = Comment.objects.filter(author=person).values_list("club_id", flat=True)
    talked = Word.objects.filter(author=person).values_list("run__special_stage__rally__club_id", flat=True)
    acted = Record.objects.filter(actor=person, club_id__isnull=False).values_list("club_id", flat=True)
    return sorted(
        {club for clubs in (member, drove, registered, said, talked, acted) for club in clubs if club is not None}
    )


def crews_of(person: User) -> set[UsedName]:
    """Return the crew names of the person's cars, each with its first moment, except names that cars of other drivers
    have as well.
    """
    crews = set(Entry.objects.filter(driver=person).values_list("crew", "created_at"))
    crews |= set(Registration.objects.filter(driver=person).values_list("crew", "created_at"))
    crews |= set(Reserve.objects.filter(driver=person).values_list("crew", "created_at"))
    crews |= set(CrewChange.objects.filter(before=person).values_list("crew_before", "entry__created_at"))
    crews |= set(CrewChange.objects.filter(driver=person).values_list("crew", "at"))
    others = Entry.objects.filter(rally__club__in=clubs_of(person)).exclude(driver=person)
    taken = {crew.casefold() for crew in others.values_list("crew", flat=True).distinct()}
    return {UsedName(crew, since) for crew, since in crews if crew.casefold() not in taken}


def forget(person: User, names: list[UsedName], pseudonym: str) -> Iterator[Change]:
    """Replace the person's names in everything that their clubs own and in stored letters, and delete the clubs' stored
    papers and files. Yields the changes.
    """
    clubs = clubs_of(person)
    renaming = Renaming(_since_first_act(person, names), pseudonym, others=_others(person, clubs), own=person.name)
    for own_rows, column in (
        (Entry.objects.filter(driver=person), "crew"),
        (Registration.objects.filter(driver=person), "crew"),
        (Reserve.objects.filter(driver=person), "crew"),
        (CrewChange.objects.filter(before=person), "crew_before"),
        (CrewChange.objects.filter(driver=person), "crew"),
    ):
        yield from _replace_column(own_rows, column, pseudonym)
    for table in TABLES:
        if table.name not in UNTOUCHED:
            rows: QuerySet[Any] = table.model._base_manager.filter(**{f"{table.club}__in": clubs})
            yield from renaming.rows(rows, WORDS.get(table.name, ()), written=WRITTEN.get(table.name))
            if table.model is Record:
                yield from _labels_of_protests(rows, renaming)
                rows = rows.exclude(subject_type__in=NAMED_BY_CLUBS)
            yield from renaming.rows(rows, WHOLE.get(table.name, ()), whole=True)
    about = Q(recipient__memberships__club__in=clubs) | Q(club__in=clubs) | Q(recipient=person)
    told = Notice.objects.filter(pk__in=Notice.objects.filter(about).values("pk"))
    for _change in renaming.rows(told, ["context", "error"], written="created_at", letters=True):
        pass  # letters are not restored, because most of them have been sent
    KeptPaper.objects.filter(rally__club__in=clubs).delete()
    BigFile.objects.filter(club__in=clubs).delete()


def _others(person: User, clubs: list[int]) -> set[str]:
    """Return the names of other people in these clubs."""
    there = User.objects.filter(Q(memberships__club__in=clubs) | Q(entries__rally__club__in=clubs))
    return set(there.exclude(pk=person.pk).values_list("name", flat=True))


def _since_first_act(person: User, names: list[UsedName]) -> list[UsedName]:
    """Return the names. A name in use since the account was created counts from the person's first act instead,
    because a restored club is older than its accounts.
    """
    seen = [
        Entry.objects.filter(driver=person).aggregate(first=Min("created_at"))["first"],
        Membership.objects.filter(user=person).aggregate(first=Min("joined_at"))["first"],
    ]
    first = min([person.date_joined, *(each for each in seen if each is not None)])
    return [replace(each, since=first) if each.since == person.date_joined else each for each in names]


def _labels_of_protests(rows: QuerySet[Any], renaming: Renaming) -> Iterator[Change]:
    """Rename in the log's labels of protests, which hold the name of the author and the first words of the protest."""
    filed = rows.filter(subject_type="stewards.protest").order_by("pk")
    for key, before, at in list(filed.values_list("pk", "subject_label", "at")):
        who, colon, text = before.partition(": ")
        after = f"{renaming.whole(who)}{colon}{renaming.text(text, at)}"[:200]
        if after != before:
            yield write(Record, key, "subject_label", before, after)


def _replace_column(rows: QuerySet[Any], column: str, pseudonym: str) -> Iterator[Change]:
    """Replace all of a column by the pseudonym."""
    for key, before in list(rows.order_by("pk").values_list("pk", column)):
        if before != pseudonym:
            yield write(rows.model, key, column, before, pseudonym)


def on_account_ended(*, person: User, **kwargs: Any) -> None:
    """Remove what cannot be restored: archives being made or made before, and names in copies of letters and in the
    notes of Django's admin.
    """
    closing = person.closing
    clubs = Club.objects.filter(pk__in=clubs_of(person))
    Archive.objects.filter(club__in=clubs).exclude(ready_at=None, failed_at=None).delete()
    kept = SentMail.objects.filter(Q(to__icontains=person.email) | Q(to__in=_addresses_in(clubs)))
    crews = {str(before) for _model, _key, column, before, _after in closing.replaced if column == "crew"}
    former = person.former_names.values_list("name", flat=True)
    called = {UsedName(name) for name in (closing.name, person.email, *crews, *former)}
    renaming = Renaming(called, person.name, others=_others(person, clubs_of(person)), own=closing.name)
    for _change in renaming.rows(kept, ["to", "subject", "body", "html", "headers"], letters=True):
        pass
    noted = LogEntry.objects.filter(content_type=ContentType.objects.get_for_model(User), object_id=str(person.pk))
    noted.update(object_repr=person.name, change_message="")


def _addresses_in(clubs: QuerySet[Club]) -> QuerySet[User, Any]:
    return User.objects.filter(memberships__club__in=clubs).values("email")
