"""Writes about stage designs: loading the ready-made ones of every installed game, and a club's own.

Modules beside this one: drafts in the builder, ratings.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.utils.translation import gettext as _

from championship import catalogue
from championship.accounts.models import User
from championship.accounts.name_comparison import stored_form
from championship.accounts.text import one_line
from championship.audit.services import record
from championship.clubs.models import Club, Role
from championship.clubs.services import require_role
from championship.platform import clock
from championship.platform.refusals import Forbidden, Refused
from championship.stages import builders, stage_pages
from championship.stages.course_names import name_by_source, own_name
from championship.stages.models import LONGEST_NAME, Rating, StageDesign
from championship.stages.private import is_private
from engine import registry
from engine.contract import Courses, Game, GameError, Json, StageError, offered

MAKERS = (Role.OWNER, Role.ORGANISER)
ONLY = "only"
"""The source of the single placeholder course of a game that has no courses."""


@transaction.atomic
def load_library() -> int:
    """Create every game's ready-made stages, and update the existing ones.

    Returns how many are new. It may run any number of times, also concurrently.
    """
    known = {(design.game, design.source): design for design in StageDesign.objects.filter(club=None)}
    new = 0
    for course in library():
        values = {"name": course.name, "designer": course.designer, "spec": course.spec}
        existing = known.get((course.game, course.source))
        if existing is not None and all(getattr(existing, field) == value for field, value in values.items()):
            continue
        _design, created = StageDesign.objects.update_or_create(
            club=None, game=course.game, source=course.source, defaults=values
        )
        new += created
    _load_ratings()
    return new


def _load_ratings() -> None:
    """Give each ready-made stage that was never rated the rating that its game ships."""
    for game in catalogue.offers(stage_pages.RATINGS):
        shipped = json.loads(stage_pages.RATINGS.of(game).read_text("utf-8"))  # type: ignore[union-attr]  # offered
        unrated = StageDesign.objects.filter(club=None, game=game, source__in=shipped, ratings=None)
        now = clock.now()
        rated = [
            Rating(design=design, seed=0, asked_at=now, rated_at=now, result=shipped[design.source])
            for design in unrated
        ]
        if rated:
            Rating.objects.bulk_create(rated, ignore_conflicts=True)


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
    """Store a stage for the club, from a typed list (`text`), a document (`spec`), or both; the text takes precedence.

    Without `designer`, the designer is `by`. `source` is the id that the game's own pages use for the stage.

    Raises: Forbidden when `by` is neither an organiser nor an owner.
    Raises: Refused when the name or the spec is not valid; it names the field (name, spec or game) and the rule that a
    spec breaks.
    """
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
    _save_if_name_is_free(design)
    details = {"game": game, "name": name}
    record(actor=by, action="stage designed", subject=design, club_id=club.pk, details=details)
    return design


@transaction.atomic
def rename_design(*, by: User, design: StageDesign, name: str) -> StageDesign:
    """Rename a club's stage. Rallies that drive it keep the old name.

    Raises: Forbidden when `by` is neither an organiser nor an owner, or when the stage is ready-made.
    Raises: Refused when the name is not valid or is taken; it names the field.
    """
    design = _own(by, design)
    before, design.name = design.name, _checked_name(name)
    if before != design.name:
        _save_if_name_is_free(design)
        details = {"before": {"name": before}, "after": {"name": design.name}}
        record(actor=by, action="stage renamed", subject=design, club_id=design.club_id, details=details)
    return design


@transaction.atomic
def remove_design(*, by: User, design: StageDesign) -> None:
    """Delete a club's stage.

    Raises: Forbidden when `by` is neither an organiser nor an owner, or when the stage is ready-made.
    Raises: Refused when a rally drives the stage or drove it.
    """
    design = _own(by, design)
    record(actor=by, action="stage removed", subject=design, club_id=design.club_id, details={"name": design.name})
    try:
        with transaction.atomic():
            design.delete()
    except ProtectedError as error:
        message = _("A rally uses this stage, so it stays in the library. You can change its name.")
        raise Refused(message, field="remove") from error


@transaction.atomic
def copy_design(*, by: User, design: StageDesign, club: Club) -> StageDesign:
    """Copy a stage to a club in which `by` is an organiser or an owner, and keep its designer.

    Everybody who has the stage's link may copy it. When its name is taken in the club, the copy's name gets a number.

    Raises: Forbidden when the stage is private and belongs to another club.
    """
    require_role(by, club, *MAKERS)
    if design.club_id not in (None, club.pk) and is_private(design.game, design.spec):
        raise Forbidden(_("This stage contains cards that belong to its club. They stay there."))
    taken = set(StageDesign.objects.filter(club=club).values_list("name", flat=True))
    title = design.title[: LONGEST_NAME - len(" 999")]
    name = next(name for name in (title, *(f"{title} {number}" for number in range(2, 1000))) if name not in taken)
    return create_design(by=by, club=club, name=name, game=design.game, spec=design.spec, designer=design.designer)


def _own(by: User, design: StageDesign) -> StageDesign:
    """The club's own stage, locked.

    Raises: Forbidden for a ready-made stage, or when `by` may not change it.
    """
    if design.club is None:
        raise Forbidden(_("Ready-made stages stay as they are."))
    require_role(by, design.club, *MAKERS)
    return StageDesign.objects.select_for_update(of=("self",)).select_related("club").get(pk=design.pk)


def _save_if_name_is_free(design: StageDesign) -> None:
    """Save the design.

    Raises: Refused when the club has another stage of that name.
    """
    try:
        with transaction.atomic():
            design.save()
    except IntegrityError as error:
        message = _("The club has a stage of that name already. Choose another name.")
        raise Refused(message, field="name") from error


def read_design(*, game: str, text: str | None = None, spec: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The stage document in the normal form of its game.

    Raises: Refused (field spec, or game) when a piece does not fit; it names the piece and the reason.
    """
    if game not in catalogue.names():
        raise Refused(_("There is no such game."), field="game")
    courses = offered(registry.get(game), Courses)
    if courses is None:
        raise Refused(_("This game has no custom stages."), field="game")
    try:
        given = {**(spec or {}), **(stage_pages.get(game).read_text(text) if text is not None else {})}
        course: dict[str, Any] = courses.read_course(given)
        return course
    except StageError as error:
        raise Refused(builders.error_text(game, error), field="spec", rule=error.rule, game=game) from error
    except GameError as error:
        raise Refused(error.words(_), field="spec") from error


def _checked_name(name: str) -> str:
    name = stored_form(name.strip())
    if not name or len(name) > LONGEST_NAME:
        raise Refused(_("Give the stage a name of 1 to 80 characters."), field="name")
    try:
        one_line(name)
    except ValidationError as error:
        raise Refused(error.messages[0], field="name") from error
    return name


@dataclass(frozen=True, slots=True)
class ReadyMadeCourse:
    """A course of a game's library. `source` is "collection/course", or the course's name. `name` is the course's own
    `name` or `title` where it has one.
    """

    game: str
    source: str
    name: str
    designer: str
    spec: Json


def library() -> Iterator[ReadyMadeCourse]:
    """Yield the courses of all games. A game without courses has one that is empty and named like the game."""
    for name in catalogue.names():
        yield from _courses(registry.get(name))


def _courses(game: Game) -> Iterator[ReadyMadeCourse]:
    courses = offered(game, Courses)
    if courses is None:
        yield ReadyMadeCourse(game.name, ONLY, game.title, "", {})
        return
    for source, printed in courses.library().items():
        said = printed if isinstance(printed, Mapping) else {}
        name = own_name(said)[:LONGEST_NAME] or name_by_source(source)
        yield ReadyMadeCourse(game.name, source, name, said.get("designer", ""), courses.read_course(printed))
