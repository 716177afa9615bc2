"""A list is brought: kept as a draft, read, and handed on once it is said which column is what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction
from django.http import Http404
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.accounts.models import User
from championship.clubs.models import Club, Role
from championship.clubs.services import require_role
from championship.lists.found import Choices, Note
from championship.lists.models import ListDraft, ListImport
from championship.lists.reading import Reading, Unreadable, choices_json, choices_of, read
from championship.lists.reading.roles import IGNORE, PERSON_ROLES, RESULT_ROLES, SEVERAL
from championship.lists.reading.sources import one_line
from championship.lists.services import drafts
from championship.lists.services.remembering import keep_columns, remembered
from championship.platform import clock
from championship.platform.refusals import Refused, Stale
from championship.rallies.models import Rally
from championship.seasons.models import Championship

MOST_DRAFTS = 20
"""Drafts of a person, in all clubs. The oldest ones go, so that nobody fills the database with files."""
LONGEST_ANSWER = 80
LEAVE_OUT = "leave out"


@dataclass(frozen=True, slots=True)
class Said:
    """What a person says about a list: the sheet, the role of each column, answers to questions. None where the page
    did not ask.
    """

    sheet: int | None
    columns: Mapping[int, str]
    answers: Mapping[str, str]


def bring(
    *, by: User, club: Club, purpose: str, target: str, content: bytes, file_name: str = "", field: str = "file"
) -> ListDraft:
    """Keep a list as the draft of that person for that purpose, in place of an earlier one. What the club has said
    about a list of the same shape holds for this one too. Only organisers. `field`: the field of the form.

    Raises: Refused when it cannot be read.
    """
    require_role(by, club, Role.ORGANISER)
    try:  # outside the transaction: a workbook may take long
        reading = read(content, results=purpose == ListDraft.Purpose.RESULTS, file_name=file_name)
    except Unreadable as refusal:
        raise Refused(str(refusal), field=field) from refusal
    return _keep(by, club, purpose, target, content, file_name, reading.shape)


@transaction.atomic
def _keep(by: User, club: Club, purpose: str, target: str, content: bytes, file_name: str, shape: str) -> ListDraft:
    require_role(by, club, Role.ORGANISER)
    choices = Choices(columns=remembered(club, shape))
    kept = {
        "content": content,
        "file_name": one_line(file_name)[:120],
        "choices": choices_json(choices),
        "made_at": clock.now(),
    }
    draft, made = ListDraft.objects.select_for_update().get_or_create(
        club=club, by=by, purpose=purpose, target=target, defaults=kept
    )
    if not made:
        for name, value in kept.items():
            setattr(draft, name, value)
        draft.version += 1
        draft.save()
    mine = ListDraft.objects.filter(by=by).order_by("-updated_at", "-pk").values_list("pk", flat=True)
    ListDraft.objects.filter(pk__in=list(mine[MOST_DRAFTS:])).delete()
    return draft


def read_draft(draft: ListDraft) -> Reading:
    """Read a draft with what was said about it.

    Raises: Refused when it cannot be read, such as after an upgrade.
    """
    try:
        return read(
            bytes(draft.content),
            results=draft.purpose == ListDraft.Purpose.RESULTS,
            file_name=draft.file_name,
            choices=choices_of(draft.choices),
        )
    except Unreadable as refusal:
        raise Refused(str(refusal)) from refusal


@transaction.atomic
def say(*, by: User, draft: ListDraft, version: int, said: Said) -> ListDraft:
    """Save what the person says about the columns, and answers. Columns of another sheet are guessed again.

    Raises: Stale when the draft has changed since `version`.
    """
    draft = _locked(by, draft, version)
    choices = choices_of(draft.choices)
    if said.sheet is not None and said.sheet != (read_draft(draft).sheet if choices.sheet is None else choices.sheet):
        changed = Choices(sheet=said.sheet)
    else:
        answers = {about: one_line(answer[:LONGEST_ANSWER]) for about, answer in said.answers.items()}
        shown = {column.index: column.role for column in read_draft(draft).columns}
        changed = Choices(choices.sheet, _columns(choices.columns, shown, said.columns), {**choices.answers, **answers})
    draft.choices = choices_json(changed)
    draft.version += 1
    draft.save(update_fields=["choices", "version", "updated_at"])
    return draft


def _columns(chosen: Mapping[int, str], shown: Mapping[int, str], sent: Mapping[int, str]) -> dict[int, str]:
    """Return the chosen roles after what was sent. What differs from what the page showed is a new choice, and takes
    its role from another column that had chosen it.
    """
    known = {*PERSON_ROLES, *RESULT_ROLES, IGNORE}
    new = {index: role for index, role in sent.items() if index in shown and role != shown[index] and role in known}
    taken = {role for role in new.values() if role not in SEVERAL}
    kept = {index: role if role not in taken else IGNORE for index, role in chosen.items()}
    return {**kept, **new}


@transaction.atomic
def hand_on(
    *, by: User, draft: ListDraft, version: int, championship: Championship | None, rally: Rally | None
) -> ListImport:
    """Make a draft of an import of what the list says, and remember its columns for the club.

    Raises: Refused when lines have faults and nobody has said that they are to be left out.
    Raises: Stale when the draft has changed since `version`.
    """
    draft = _locked(by, draft, version)
    reading = read_draft(draft)
    hinders = hindering(reading, choices_of(draft.choices))
    if hinders:
        raise Refused(hinders)
    _remember(draft, reading)
    return drafts.begin(
        by=by,
        club=draft.club,
        kind=draft.purpose,
        found=reading.found,
        championship=championship,
        rally=rally,
        source=draft.file_name,
    )


def hindering(reading: Reading, choices: Choices) -> str:
    """Return what hinders the list from going on, "" for nothing."""
    faults = faults_of(reading)
    whole = [note for note in faults if not note.lines]
    if whole:
        return whole[0].says
    lines = {line for note in faults for line in note.lines}
    if not lines or choices.answers.get("faults") == LEAVE_OUT:
        return ""
    says = ngettext(
        "%(n)d line has a fault. Correct it, or say that it is to be left out.",
        "%(n)d lines have faults. Correct them, or say that they are to be left out.",
        len(lines),
    )
    return says % {"n": len(lines)}


def faults_of(reading: Reading) -> list[Note]:
    """Return the notes that hinder the import."""
    return [note for note in reading.found.notes if note.kind == "fault"]


@transaction.atomic
def discard(*, by: User, draft: ListDraft) -> None:
    """Delete a draft. Only the person who brought it."""
    ListDraft.objects.filter(pk=draft.pk, by=by).delete()


def _locked(by: User, draft: ListDraft, version: int) -> ListDraft:
    found = ListDraft.objects.select_for_update(of=("self",)).select_related("club").filter(pk=draft.pk, by=by).first()
    if found is None:
        raise Http404
    require_role(by, found.club, Role.ORGANISER)
    if version != found.version:
        raise Stale(_("This list was changed in another window meanwhile. This page shows it as it is now."))
    return found


def _remember(draft: ListDraft, reading: Reading) -> None:
    """Keep what was said about the columns for the next list of that shape."""
    columns = choices_of(draft.choices).columns
    chosen = {
        column.index: column.role
        for column in reading.columns
        if columns.get(column.index, column.guess) != column.guess
    }
    keep_columns(draft.club, reading.shape, chosen)
