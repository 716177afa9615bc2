"""Every write about stage designs: loading the ready-made ones, and a club's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.text import one_line
from championship.audit.services import record
from championship.clubs.models import Club, Role
from championship.clubs.services import require_role
from championship.refusals import Refused
from championship.stages import games
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
    *, by: User, club: Club, name: str, game: str, text: str | None = None, spec: Mapping[str, Any] | None = None
) -> StageDesign:
    """Keep a stage that the club may drive, from a typed tile list (`text`), a document (`spec`), or both: what the
    text says counts. Organisers and owners do. Refused names the field (name or tiles), and rule T1 for the tiles."""
    require_role(by, club, *MAKERS)
    name = _checked_name(name)
    checked = read_design(game=game, text=text, spec=spec)
    design = StageDesign(club=club, name=name, game=game, spec=checked, designer=by.name, created_by=by)
    try:
        with transaction.atomic():
            design.save(force_insert=True)
    except IntegrityError as error:
        message = _("The club has a stage of that name already. Choose another name.")
        raise Refused(message, field="name") from error
    details = {"game": game, "tiles": len(checked.get("tiles", ()))}
    record(actor=by, action="stage designed", subject=design, club_id=club.pk, details=details)
    return design


def read_design(*, game: str, text: str | None = None, spec: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The stage as its ruleset wants it. Refused (field tiles, or game) naming the tile that does not fit and why."""
    if game not in games.names():
        raise Refused(_("There is no such game."), field="game")
    try:
        given = {**(spec or {}), **(games.get(game).read_text(text) if text is not None else {})}
        return rulesets.get(game).read_stage(given)
    except StageError as error:
        raise Refused(_problem(error), field="tiles", rule=error.rule) from error


def _problem(error: StageError) -> str:
    """What is wrong, with the tile it is about."""
    said = error.words(_)
    message = said[:1].upper() + said[1:].rstrip(".") + "."
    if error.tile is None:
        return message
    return _("Tile %(tile)d: %(message)s") % {"tile": error.tile, "message": message}


def _checked_name(name: str) -> str:
    name = name.strip()
    if not name or len(name) > LONGEST_NAME:
        raise Refused(_("Give the stage a name of 1 to 80 characters."), field="name")
    try:
        one_line(name)
    except ValidationError as error:
        raise Refused(error.messages[0], field="name") from error
    return name
