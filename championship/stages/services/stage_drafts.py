"""Every write about drafts: changing, undoing, replacing the draft with another stage, saving.

A page sends the version of the draft that it showed. When the draft has changed since then, the act raises Stale.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.clubs.models import Club
from championship.clubs.services import require_role
from championship.platform.refusals import Refused, Stale
from championship.stages import builders, services
from championship.stages.models import StageDesign, StageDraft
from engine import registry
from engine.contract import Building, Courses, GameError, StageError, offered, required

MOST_TAKEN_BACK = 30
SEEDS = 10**6
"""Random seeds are below this number, so that they are short enough to read out."""


@transaction.atomic
def act(*, by: User, club: Club, game: str, version: int, act: Mapping[str, str]) -> StageDraft:
    """Apply an act of the game's builder to the draft.

    Raises: Refused with the rule when the change does not fit.
    """
    draft = _locked(by, club, game, version)
    try:
        spec = builders.get(game).act(draft.spec, act)
    except StageError as error:
        raise Refused(builders.error_text(game, error), rule=error.rule, game=game) from error
    return _replace_spec(draft, spec)


@transaction.atomic
def take_back(*, by: User, club: Club, game: str, version: int) -> StageDraft:
    """Undo the last change.

    Raises: Refused when there is nothing to undo.
    """
    draft = _locked(by, club, game, version)
    if not draft.history:
        raise Refused(_("There is nothing to take back."))
    draft.spec = draft.history.pop()
    return _saved(draft)


@transaction.atomic
def put(
    *, by: User, club: Club, game: str, version: int, text: str, settings: Mapping[str, Any], toml: bool
) -> StageDraft:
    """Replace the draft with a stage parsed from text, complete or not.

    Raises: Refused (field text) when the text has errors; it lists all of them, one a line.
    """
    draft = _locked(by, club, game, version)
    reading = builders.get(game).read(text, settings, toml=toml)
    if reading.draft is None:
        raise Refused("\n".join(reading.wrong), field="text", rule=reading.rule, game=game)
    return _replace_spec(draft, reading.draft)


@transaction.atomic
def copy_to_builder(*, by: User, club: Club, design: StageDesign) -> StageDraft:
    """Replace the draft with a copy of a stage. The old draft can be restored by undo."""
    draft = _locked(by, club, design.game, None)
    draft.name = design.title
    return _replace_spec(draft, required(registry.get(design.game), Courses).read_course(design.spec))


@transaction.atomic
def put_random_stage(
    *, by: User, club: Club, game: str, version: int, wishes: Mapping[str, Any], seed: int | None
) -> StageDraft:
    """Replace the draft with a random stage. Without `seed`, a random seed is used; the draft's `wishes` keep it.

    Raises: Refused when no such stage is found, or when the game generates no random stages.
    """
    draft = _locked(by, club, game, version)
    building = offered(registry.get(game), Building)
    if building is None:
        raise Refused(_("This game has no random stages."), field="seed")
    seed = secrets.randbelow(SEEDS) if seed is None else seed
    try:
        spec = building.random_course(seed=seed, wishes=wishes)
    except GameError as error:
        message = _("No such stage was found for seed %(seed)d. Try another seed, or another length.")
        raise Refused(message % {"seed": seed}, field="seed") from error
    draft.wishes = {**wishes, "seed": seed}
    return _replace_spec(draft, spec)


@transaction.atomic
def save(*, by: User, club: Club, game: str, version: int, name: str) -> StageDesign:
    """Save the draft as a stage of the club and empty the draft.

    Raises: Refused when the name or the spec is not valid; it names the field.
    """
    draft = _locked(by, club, game, version)
    design = services.create_design(by=by, club=club, name=name, game=game, spec=draft.spec)
    draft.name = ""
    _replace_spec(draft, builders.get(game).empty())
    return design


def _locked(by: User, club: Club, game: str, version: int | None) -> StageDraft:
    """The person's draft, locked; it is created when there is none.

    Raises: Stale when its version is another one.
    """
    require_role(by, club, *services.MAKERS)
    if game not in builders.names():
        raise Refused(_("No stages of this game can be laid."), field="game")
    begun = {"spec": builders.get(game).empty()}
    draft, _made = StageDraft.objects.get_or_create(club=club, author=by, game=game, defaults=begun)
    draft = StageDraft.objects.select_for_update(of=("self",)).get(pk=draft.pk)
    if version is not None and draft.version != version:
        raise Stale(_("The draft has changed meanwhile, perhaps in another window. This page shows it as it is now."))
    return draft


def _replace_spec(draft: StageDraft, spec: dict[str, Any]) -> StageDraft:
    """Replace the draft's spec and keep the old one in the history."""
    if spec != draft.spec:
        draft.history = [*draft.history, draft.spec][-MOST_TAKEN_BACK:]
        draft.spec = spec
    return _saved(draft)


def _saved(draft: StageDraft) -> StageDraft:
    draft.version += 1
    draft.save()
    return draft
