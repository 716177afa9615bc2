"""Every write about stage designs: loading the ready-made ones, and a club's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.text import one_line
from championship.audit.services import record
from championship.clubs.models import Club, Role
from championship.clubs.services import require_role
from championship.refusals import Forbidden, Refused
from championship.stages import games
from championship.stages.games import bench
from championship.stages.models import StageDesign
from engine import ruleset as rulesets
from engine.ruleset import StageError

MAKERS = (Role.OWNER, Role.ORGANISER)
LONGEST_NAME = 80


@transaction.atomic
def load_library() -> int:
    """Put every game's ready-made stages on the shelf; those that are there already are brought up to date.

    Returns how many are new. May run any number of times, also at once.
    """
    new = 0
    for game in games.names():
        rules = rulesets.get(game)
        for source, printed in rules.library().items():
            rally, stage = source.split("/", 1)
            _design, created = StageDesign.objects.update_or_create(
                club=None,
                game=game,
                source=source,
                defaults={
                    "name": f"Rally {rally}, stage {stage}",
                    "designer": printed.get("designer", ""),
                    "spec": rules.read_stage(printed),
                },
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
) -> StageDesign:
    """Keep a stage that the club may drive, from a typed tile list (`text`), a document (`spec`), or both: what the
    text says counts. Organisers and owners do; without a `designer` it is theirs. Refused names the field (name or
    tiles), and rule T1 for the tiles."""
    require_role(by, club, *MAKERS)
    name = _checked_name(name)
    checked = read_design(game=game, text=text, spec=spec)
    design = StageDesign(club=club, name=name, game=game, spec=checked, designer=designer or by.name, created_by=by)
    _kept_under_its_name(design)
    details = {"game": game, "tiles": len(checked.get("tiles", ()))}
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
    """Put a copy of a stage on the shelf of a club that `by` organises, under its designer's name; whoever has the
    stage's link may. Where its name is taken it gets a number."""
    require_role(by, club, *MAKERS)
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
    """The stage as its ruleset wants it. Refused (field tiles, or game) naming the tile that does not fit and why."""
    if game not in games.names():
        raise Refused(_("There is no such game."), field="game")
    try:
        given = {**(spec or {}), **(games.get(game).read_text(text) if text is not None else {})}
        return rulesets.get(game).read_stage(given)
    except StageError as error:
        raise Refused(bench.said(error), field="tiles", rule=error.rule) from error


def _checked_name(name: str) -> str:
    name = name.strip()
    if not name or len(name) > LONGEST_NAME:
        raise Refused(_("Give the stage a name of 1 to 80 characters."), field="name")
    try:
        one_line(name)
    except ValidationError as error:
        raise Refused(error.messages[0], field="name") from error
    return name
