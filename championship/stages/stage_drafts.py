"""Every write about drafts on the bench: laying, taking back, putting another stage there, saving.

A page says which version of the draft it showed; where the draft has changed since, the act is refused as Stale.
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
from championship.refusals import Refused, Stale
from championship.stages import builders, services
from championship.stages.models import StageDesign, StageDraft
from engine import registry
from engine.contract import Building, Courses, GameError, StageError, offered, required

MOST_TAKEN_BACK = 30
SEEDS = 10**6
"""Seeds are drawn below it: short enough to be read out."""


@transaction.atomic
def act(*, by: User, club: Club, game: str, version: int, act: Mapping[str, str]) -> StageDraft:
    """Do something to the draft, as the game's bench says it. Refused with the rule where it does not fit."""
    draft = _locked(by, club, game, version)
    try:
        spec = builders.get(game).act(draft.spec, act)
    except StageError as error:
        raise Refused(builders.said(game, error), rule=error.rule) from error
    return _put(draft, spec)


@transaction.atomic
def take_back(*, by: User, club: Club, game: str, version: int) -> StageDraft:
    """Undo the last change; Refused where there is none."""
    draft = _locked(by, club, game, version)
    if not draft.history:
        raise Refused(_("There is nothing to take back."))
    draft.spec = draft.history.pop()
    return _saved(draft)


@transaction.atomic
def put(
    *, by: User, club: Club, game: str, version: int, text: str, settings: Mapping[str, Any], toml: bool
) -> StageDraft:
    """Put a stage on the bench that somebody wrote down, whole or half. Refused (field text) with all that is wrong, a
    line each."""
    draft = _locked(by, club, game, version)
    reading = builders.get(game).read(text, settings, toml=toml)
    if reading.draft is None:
        raise Refused("\n".join(reading.wrong), field="text", rule=reading.rule)
    return _put(draft, reading.draft)


@transaction.atomic
def copy_to_builder(*, by: User, club: Club, design: StageDesign) -> StageDraft:
    """Begin from a copy of a stage that somebody has the link of. What lay there can be taken back."""
    draft = _locked(by, club, design.game, None)
    draft.name = design.title
    return _put(draft, required(registry.get(design.game), Courses).read_course(design.spec))


@transaction.atomic
def lay_by_lot(
    *, by: User, club: Club, game: str, version: int, wishes: Mapping[str, Any], seed: int | None
) -> StageDraft:
    """Put a random stage on the bench; without a seed one is drawn. It is kept in the draft's `wishes`. Refused where
    no such stage was found."""
    draft = _locked(by, club, game, version)
    building = offered(registry.get(game), Building)
    if building is None:
        raise Refused(_("This game lays no stages by lot."), field="seed")
    seed = secrets.randbelow(SEEDS) if seed is None else seed
    try:
        spec = building.random_course(seed=seed, wishes=wishes)
    except GameError as error:
        message = _("No such stage was found for seed %(seed)d. Try another seed, or another length.")
        raise Refused(message % {"seed": seed}, field="seed") from error
    draft.wishes = {**wishes, "seed": seed}
    return _put(draft, spec)


@transaction.atomic
def save(*, by: User, club: Club, game: str, version: int, name: str) -> StageDesign:
    """Keep the draft as a stage of the club and clear the bench. Refused names the field (name or spec)."""
    draft = _locked(by, club, game, version)
    design = services.create_design(by=by, club=club, name=name, game=game, spec=draft.spec)
    draft.name = ""
    _put(draft, builders.get(game).empty())
    return design


def _locked(by: User, club: Club, game: str, version: int | None) -> StageDraft:
    """The person's draft under its lock, made where there is none. Stale where its version is another one."""
    require_role(by, club, *services.MAKERS)
    if game not in builders.names():
        raise Refused(_("No stages of this game can be laid."), field="game")
    begun = {"spec": builders.get(game).empty()}
    draft, _made = StageDraft.objects.get_or_create(club=club, author=by, game=game, defaults=begun)
    draft = StageDraft.objects.select_for_update(of=("self",)).get(pk=draft.pk)
    if version is not None and draft.version != version:
        raise Stale(_("The bench has changed since this page was shown, in another window perhaps. So it stands now."))
    return draft


def _put(draft: StageDraft, spec: dict[str, Any]) -> StageDraft:
    """Put a stage on the bench; what lay there can be taken back."""
    if spec != draft.spec:
        draft.history = [*draft.history, draft.spec][-MOST_TAKEN_BACK:]
        draft.spec = spec
    return _saved(draft)


def _saved(draft: StageDraft) -> StageDraft:
    draft.version += 1
    draft.save()
    return draft
