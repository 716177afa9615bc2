"""A list of courses comes into the library of a club: brought, looked at, imported, undone. Its game reads a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.http import Http404
from django.utils.translation import gettext as _

from championship import catalogue
from championship.accounts.models import User
from championship.accounts.name_comparison import comparable_name, stored_form
from championship.audit import services as audit
from championship.clubs.models import Club, Role
from championship.clubs.services import refuse_if_closed, require_role
from championship.lists.found import Choices
from championship.lists.models import ListDraft, ListImport
from championship.lists.plans import LEFT_OUT, NEW, UNCHANGED
from championship.lists.reading import Unreadable, choices_json, choices_of, sheets_of
from championship.lists.reading.courses import IGNORE, NAME, CourseList, FoundCourse, KnownColumn, read_courses
from championship.lists.reading.sources import one_line
from championship.lists.services.uploads import MOST_DRAFTS
from championship.platform import clock
from championship.platform.refusals import Refused, Stale
from championship.rallies.models import SpecialStage
from championship.stages import course_tables
from championship.stages.models import StageDesign
from championship.stages.services import create_design, remove_design

COURSES = ListDraft.Purpose.COURSES


@dataclass(frozen=True, slots=True)
class PlannedCourse:
    """What the import does with a course of the list: `state` as in plans.py; `says` why it is left out."""

    found: FoundCourse
    name: str
    state: str
    says: str = ""
    spec: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class CoursePlan:
    """What a list of courses would do."""

    read: CourseList
    courses: tuple[PlannedCourse, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many courses are of each state."""
        return dict(Counter(each.state for each in self.courses))


def roles_of(game: str) -> list[tuple[str, str]]:
    """What a column of such a list may be, each with its label."""
    known = course_tables.columns_of(game)
    return [(NAME, _("name")), *((each.name, _(each.label)) for each in known), (IGNORE, _("not needed"))]


@transaction.atomic
def bring(*, by: User, club: Club, game: str, content: bytes, file_name: str = "", field: str = "file") -> ListDraft:
    """Keep a list as the draft of that person for the courses of that game. Only organisers.

    Raises: Refused (the field, or game) when it cannot be read, or the game has no such lists.
    """
    require_role(by, club, Role.ORGANISER)
    refuse_if_closed(club)
    if not course_tables.columns_of(game):
        raise Refused(_("Choose the game."), field="game")
    try:
        sheets_of(content)
    except Unreadable as refusal:
        raise Refused(str(refusal), field=field) from refusal
    kept = {
        "content": content,
        "file_name": one_line(file_name)[:120],
        "choices": choices_json(Choices()),
        "made_at": clock.now(),
    }
    draft, made = ListDraft.objects.select_for_update().get_or_create(
        club=club, by=by, purpose=COURSES, target=game, defaults=kept
    )
    if not made:
        for name, value in kept.items():
            setattr(draft, name, value)
        draft.version += 1
        draft.save()
    mine = ListDraft.objects.filter(by=by).order_by("-updated_at", "-pk").values_list("pk", flat=True)
    ListDraft.objects.filter(pk__in=list(mine[MOST_DRAFTS:])).delete()
    return draft


@transaction.atomic
def say(*, by: User, draft: ListDraft, version: int, columns: Mapping[int, str]) -> ListDraft:
    """Save what the columns are.

    Raises: Stale when the draft has changed since `version`.
    """
    draft = _locked(by, draft, version)
    known = {role for role, _label in roles_of(draft.target)}
    draft.choices = choices_json(Choices(columns={index: role for index, role in columns.items() if role in known}))
    draft.version += 1
    draft.save(update_fields=["choices", "version", "updated_at"])
    return draft


def plan(draft: ListDraft) -> CoursePlan:
    """Return what the list would do, without a write. Two queries.

    Raises: Refused when the list cannot be read, such as after an upgrade.
    """
    known = course_tables.columns_of(draft.target)
    if not known:
        raise Refused(_("This game has no custom stages."))
    try:
        sheet = max(sheets_of(bytes(draft.content)).sheets, key=lambda each: len(each.rows))
    except Unreadable as refusal:
        raise Refused(str(refusal)) from refusal
    columns = [KnownColumn(each.name, each.words, each.several) for each in known]
    read = read_courses(sheet, columns, choices_of(draft.choices).columns)
    there = {
        comparable_name(each.name): each for each in StageDesign.objects.filter(club=draft.club).order_by("pk")
    }  # fmt: skip
    seen: dict[str, int] = {}
    courses = []
    for number, each in enumerate(read.courses, 1):
        name = stored_form(one_line(each.name)) or _("Stage %(n)d") % {"n": number}
        planned = _planned(draft.target, each, name, there.get(comparable_name(name)))
        line = seen.setdefault(comparable_name(name), each.line)
        if line != each.line:
            says = _("%(name)s is in line %(line)d already.") % {"name": name, "line": line}
            planned = PlannedCourse(each, name, LEFT_OUT, says)
        courses.append(planned)
    return CoursePlan(read, tuple(courses))


def _planned(game: str, found: FoundCourse, name: str, there: StageDesign | None) -> PlannedCourse:
    """Return what is done with a course, were it alone in the list. `there`: the club's own of its name."""
    try:
        spec = course_tables.read(game, found.values)
    except Refused as refusal:
        return PlannedCourse(found, name, LEFT_OUT, str(refusal))
    if there is None:
        return PlannedCourse(found, name, NEW, spec=spec)
    if there.game == game and there.spec == spec:
        return PlannedCourse(found, name, UNCHANGED, spec=spec)
    return PlannedCourse(found, name, LEFT_OUT, _("The club has a stage of that name already. Choose another name."))


@transaction.atomic
def take(*, by: User, draft: ListDraft, version: int) -> ListImport:
    """Import the new courses of the list, all of them or nothing. The draft is over.

    Raises: Stale when the draft has changed since `version`.
    Raises: Refused when there is nothing new in it.
    """
    draft = _locked(by, draft, version)
    refuse_if_closed(draft.club)
    found = plan(draft)
    new = [each for each in found.courses if each.state == NEW]
    if not new:
        raise Refused(_("There is nothing new in it."))
    made = [
        create_design(by=by, club=draft.club, name=each.name, game=draft.target, spec=each.spec) for each in new
    ]  # fmt: skip
    done = ListImport.objects.create(
        club=draft.club,
        by=by,
        purpose=COURSES,
        target=draft.target,
        about=str(catalogue.get(draft.target))[:80],
        file_name=draft.file_name,
        state=ListImport.State.DONE,
        counts=found.counts,
        made={"designs": {str(each.pk): each.name for each in made}},
    )
    draft.delete()
    details = {"list": str(done), "about": done.about}
    audit.record(actor=by, action="list imported", subject=done, club_id=done.club_id, details=details)
    return done


def draft_of(user: User, key: str) -> ListDraft:
    """Return the person's draft of a list of courses, with its club. One query, and one for the role.

    Raises: Http404 when it is somebody else's.
    """
    found = ListDraft.objects.select_related("club").filter(key=key, by=user, purpose=COURSES).first()
    if found is None or not found.club.memberships.filter(user=user).exists():
        raise Http404
    require_role(user, found.club, Role.ORGANISER)
    return found


def in_the_way(done: ListImport) -> Iterator[str]:
    """Yield what was built on the courses of an import: rallies that drive them, new names. Two queries."""
    made = {int(pk): name for pk, name in done.made["designs"].items()}
    driven = SpecialStage.objects.filter(design__in=made).select_related("rally").order_by("rally", "number")
    for rally in dict.fromkeys(stage.rally for stage in driven):
        yield _("%(rally)s uses a stage of this list.") % {"rally": rally}
    for design in StageDesign.objects.filter(pk__in=made).order_by("pk"):
        if design.name != made[design.pk]:
            yield _("%(before)s is called %(after)s now.") % {"before": made[design.pk], "after": design.name}


def undo(by: User, done: ListImport) -> None:
    """Remove the courses that an import made; those that were removed since stay removed."""
    for design in StageDesign.objects.filter(pk__in=[int(pk) for pk in done.made["designs"]]).select_related("club"):
        remove_design(by=by, design=design)


def _locked(by: User, draft: ListDraft, version: int) -> ListDraft:
    found = ListDraft.objects.select_for_update(of=("self",)).select_related("club").filter(pk=draft.pk, by=by).first()
    if found is None:
        raise Stale(_("This list was imported or discarded meanwhile."))
    require_role(by, found.club, Role.ORGANISER)
    if version != found.version:
        raise Stale(_("This list was changed in another window meanwhile. This page shows it as it is now."))
    return found
