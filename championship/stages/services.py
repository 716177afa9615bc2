"""Every write about stage designs: loading the ready-made ones, and a club's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.utils.translation import gettext as _

from championship import games as installed
from championship.accounts.models import User
from championship.accounts.text import one_line
from championship.audit.services import record
from championship.clubs.models import Club, Role
from championship.clubs.services import require_role
from championship.refusals import Forbidden, Refused
from championship.stages import builders, games
from championship.stages.models import LONGEST_NAME, StageDesign
from championship.stages.private import is_private
from championship.stages.ready_made import library
from engine import registry
from engine.contract import Courses, GameError, StageError, offered

MAKERS = (Role.OWNER, Role.ORGANISER)


@transaction.atomic
def load_library() -> int:
    """Put every game's ready-made stages on the shelf; those that are there already are brought up to date.

    Returns how many are new. May run any number of times, also at once.
    """
    on_the_shelf = {(design.game, design.source): design for design in StageDesign.objects.filter(club=None)}
    new = 0
    for course in library():
        told = {"name": course.name, "designer": course.designer, "spec": course.spec}
        there = on_the_shelf.get((course.game, course.source))
        if there is not None and all(getattr(there, field) == value for field, value in told.items()):
            continue
        _design, created = StageDesign.objects.update_or_create(
            club=None, game=course.game, source=course.source, defaults=told
        )
        new += created
    return new


@transaction.atomic
def create_design(
    *,
    by: User,
    club: Club,
    name: str,
    game: str,
    text: str | None = None,
    spec: Mapping[str, Any] | None = None,
    designer: str = "",
    source: str = "",
) -> StageDesign:
    """Keep a stage that the club may drive, from a typed list (`text`), a document (`spec`), or both: what the
    text says counts. Organisers and owners do; without a `designer` it is theirs. `source` is what the game's own
    pages know it by. Refused names the field (name or
    spec), and the rule that a spec breaks."""
    require_role(by, club, *MAKERS)
    name = _checked_name(name)
    checked = read_design(game=game, text=text, spec=spec)
    design = StageDesign(
        club=club,
        name=name,
        game=game,
        spec=checked,
        designer=designer or by.name,
        source=source,
        created_by=by,
    )
    _kept_under_its_name(design)
    details = {"game": game, "name": name}
    record(actor=by, action="stage designed", subject=design, club_id=club.pk, details=details)
    return design


@transaction.atomic
def rename_design(*, by: User, design: StageDesign, name: str) -> StageDesign:
    """Give a club's stage another name; rallies that drive it go on calling theirs as they do. Organisers and owners
    do. Refused names the field; a ready-made stage keeps its name."""
    design = _own(by, design)
    before, design.name = design.name, _checked_name(name)
    if before != design.name:
        _kept_under_its_name(design)
        details = {"before": {"name": before}, "after": {"name": design.name}}
        record(actor=by, action="stage renamed", subject=design, club_id=design.club_id, details=details)
    return design


@transaction.atomic
def remove_design(*, by: User, design: StageDesign) -> None:
    """Take a stage off the club's shelf. Organisers and owners do. Refused where a rally drives it or did."""
    design = _own(by, design)
    record(actor=by, action="stage removed", subject=design, club_id=design.club_id, details={"name": design.name})
    try:
        with transaction.atomic():
            design.delete()
    except ProtectedError as error:
        message = _("A rally drives this stage: it stays on the shelf. Its name can be changed.")
        raise Refused(message, field="remove") from error


@transaction.atomic
def copy_design(*, by: User, design: StageDesign, club: Club) -> StageDesign:
    """Put a copy of a stage on the shelf of a club that `by` organises, under its designer's name; everybody who has
    the stage's link may. Where its name is taken it gets a number.
    """
    require_role(by, club, *MAKERS)
    if design.club_id not in (None, club.pk) and is_private(design.game, design.spec):
        raise Forbidden(_("This stage holds cards that are its club's own. They stay there."))
    taken = set(StageDesign.objects.filter(club=club).values_list("name", flat=True))
    title = design.title[: LONGEST_NAME - len(" 999")]
    name = next(name for name in (title, *(f"{title} {number}" for number in range(2, 1000))) if name not in taken)
    return create_design(by=by, club=club, name=name, game=design.game, spec=design.spec, designer=design.designer)


def _own(by: User, design: StageDesign) -> StageDesign:
    """The club's own stage, locked, for somebody who may change it."""
    if design.club is None:
        raise Forbidden(_("Ready-made stages stay as they are."))
    require_role(by, design.club, *MAKERS)
    return StageDesign.objects.select_for_update(of=("self",)).select_related("club").get(pk=design.pk)


def _kept_under_its_name(design: StageDesign) -> None:
    """Save it; Refused where the club has another of that name."""
    try:
        with transaction.atomic():
            design.save()
    except IntegrityError as error:
        message = _("The club has a stage of that name already. Choose another name.")
        raise Refused(message, field="name") from error


def read_design(*, game: str, text: str | None = None, spec: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The stage as its game wants it. Refused (field spec, or game) naming the piece that does not fit and why."""
    if game not in installed.names():
        raise Refused(_("There is no such game."), field="game")
    courses = offered(registry.get(game), Courses)
    if courses is None:
        raise Refused(_("This game has no stages of one's own."), field="game")
    try:
        given = {**(spec or {}), **(games.get(game).read_text(text) if text is not None else {})}
        course: dict[str, Any] = courses.read_course(given)
        return course
    except StageError as error:
        raise Refused(builders.said(game, error), field="spec", rule=error.rule) from error
    except GameError as error:
        raise Refused(error.words(_), field="spec") from error


def _checked_name(name: str) -> str:
    name = name.strip()
    if not name or len(name) > LONGEST_NAME:
        raise Refused(_("Give the stage a name of 1 to 80 characters."), field="name")
    try:
        one_line(name)
    except ValidationError as error:
        raise Refused(error.messages[0], field="name") from error
    return name
