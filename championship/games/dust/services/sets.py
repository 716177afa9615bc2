"""All writes about a club's own card sets: importing one, saving a new version, removing one.

The engine reads a set (E10). A version puts a stage in the club's library for each stage of the set. Such a stage
contains the whole set, and so does every run of it, so a later version changes neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from championship.accounts.models import User
from championship.accounts.text import one_line
from championship.audit.services import record
from championship.clubs.models import Club
from championship.clubs.services import require_role
from championship.games.dust.models import LONGEST_NAME, LONGEST_TEXT, CardSet, SetVersion
from championship.platform.refusals import Refused, Stale
from championship.stages.models import LONGEST_NAME as LONGEST_STAGE_NAME
from championship.stages.models import StageDesign
from championship.stages.services import MAKERS, create_design, remove_design
from engine.dust.cards import card_set_reading, card_tables
from engine.dust.cards.card_set import TEAM
from engine.dust.cards.card_set import CardSet as Cards
from engine.dust.cards.faults import WHOLE_SET, Fault, Reason
from engine.dust.cards.pools import TRAINING

GAME = "dust"
MOST_SETS, MOST_VERSIONS = 50, 200
"""Limits of the card sets of one club, and of the versions of one set."""
MOST_CARDS, MOST_STAGES, MOST_POOLS = 200, 12, 3
"""Limits of the cards and stages of a set, and of its pools besides the two of the box. Each stage in the library
contains the whole set.
"""
LIMIT_MESSAGES = {
    "C4": gettext_noop("a card set has at most %(most)d cards"),
    "U2": gettext_noop("a card set has at most %(most)d stages"),
    "O1": gettext_noop("a card set has at most %(most)d pools besides basic and advanced"),
}


class FaultyCardSet(Refused):
    """A card set that breaks rules of chapter E, with all its faults."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__(_("The card set has faults. Nothing is saved."), field="text", rule="E10")


@transaction.atomic
def import_set(*, by: User, club: Club, name: str, text: str) -> SetVersion:
    """Save a new card set as its version 1, and put its stages in the library. Only organisers and owners.

    Raises: FaultyCardSet when the text has faults; it names all of them.
    Raises: Refused when the name or the text is not accepted; it names the field.
    """
    require_role(by, club, *MAKERS)
    name = _checked_name(name)
    _check(text)
    if CardSet.objects.filter(club=club).count() >= MOST_SETS:
        raise Refused(_("A club keeps at most %(most)d card sets.") % {"most": MOST_SETS}, field="name")
    try:
        with transaction.atomic():
            card_set = CardSet.objects.create(club=club, name=name)
    except IntegrityError as error:
        raise Refused(_("The club has a card set of that name already."), field="name") from error
    return _save(by, card_set, 1, text)


@transaction.atomic
def save_next_version(*, by: User, card_set: CardSet, text: str, seen: int) -> SetVersion:
    """Save the next version of a set; `seen` is the newest version that the person saw. Only organisers and owners.

    Stages of earlier versions that no rally uses are removed from the library. The others stay as they are.

    Raises: FaultyCardSet when the text has faults; it names all of them.
    Raises: Stale when another version was saved in between.
    Raises: Refused when nothing has changed since the newest version.
    """
    card_set, newest = _locked(by, card_set)
    if newest.number != seen:
        raise Stale(_("Somebody has saved another version since. Look at it first."))
    if newest.number >= MOST_VERSIONS:
        raise Refused(_("A card set has at most %(most)d versions.") % {"most": MOST_VERSIONS}, field="text")
    _check(text)
    if text == newest.text or _is_table_of(text, newest):
        raise Refused(_("Nothing has changed since version %(number)d.") % {"number": newest.number}, field="text")
    _remove_unused_stages(by, card_set)
    return _save(by, card_set, newest.number + 1, text)


@transaction.atomic
def remove_set(*, by: User, card_set: CardSet) -> None:
    """Delete a set with all its versions. Only organisers and owners.

    Raises: Refused when a rally uses it.
    """
    card_set, _newest = _locked(by, card_set)
    _remove_unused_stages(by, card_set)
    if designs_of(card_set).exists():
        raise Refused(_("A rally uses a stage of this set, so the set cannot be removed."), field="remove")
    details = {"name": card_set.name}
    record(actor=by, action="card set removed", subject=card_set, club_id=card_set.club_id, details=details)
    card_set.delete()


def designs_of(card_set: CardSet) -> QuerySet[StageDesign]:
    """Return the stages in the club's library that were made from a version of the set."""
    return StageDesign.objects.filter(club=card_set.club_id, game=GAME, source=card_set.key)


def faults_of(text: str) -> tuple[Fault, ...]:
    """Return every fault of a text, in the order of its lines. When there is none, return the limits of a club's set
    that it exceeds.
    """
    faults = card_set_reading.survey(text)
    if faults:
        return faults
    cards = card_set_reading.of_document(card_set_reading.document(text))
    found = (
        ("C4", len(cards.cards), MOST_CARDS),
        ("U2", len(cards.stages), MOST_STAGES),
        ("O1", len(_mixes(cards)), MOST_POOLS),
    )
    return tuple(
        Fault(WHOLE_SET, None, rule, Reason(LIMIT_MESSAGES[rule], most=most))
        for rule, count, most in found
        if count > most
    )


def _check(text: str) -> None:
    if len(text) > LONGEST_TEXT:
        raise Refused(_("A card set has at most %(most)d letters.") % {"most": LONGEST_TEXT}, field="text")
    faults = faults_of(text)
    if faults:
        raise FaultyCardSet(faults)


def _is_table_of(text: str, version: SetVersion) -> bool:
    """Whether a text is what the table of that version makes: the same set without its comments."""
    document = card_set_reading.document(text)
    same = card_set_reading.digest(document) == version.digest
    return same and text == card_tables.toml_of_document(document)


def _checked_name(name: str) -> str:
    name = name.strip()
    if not name or len(name) > LONGEST_NAME:
        raise Refused(_("Give the card set a name of 1 to %(most)d letters.") % {"most": LONGEST_NAME}, field="name")
    try:
        one_line(name)
    except ValidationError as error:
        raise Refused(error.messages[0], field="name") from error
    return name


def _locked(by: User, card_set: CardSet) -> tuple[CardSet, SetVersion]:
    """Return the set, locked, and its newest version, after checking that the person may change it."""
    require_role(by, card_set.club, *MAKERS)
    found = CardSet.objects.select_for_update(of=("self",)).select_related("club").get(pk=card_set.pk)
    newest: SetVersion = found.versions.order_by("-number")[0]
    return found, newest


def _save(by: User, card_set: CardSet, number: int, text: str) -> SetVersion:
    """Save a version that has no faults, and put its stages in the library."""
    document = card_set_reading.document(text)
    cards = card_set_reading.of_document(document)
    version = SetVersion.objects.create(card_set=card_set, number=number, text=text, digest=cards.digest, created_by=by)
    details = {"name": card_set.name, "version": number, "sha256": cards.digest}
    record(actor=by, action="card set saved", subject=version, club_id=card_set.club_id, details=details)
    known = _mixes(cards)
    mixes = [name for name in document["pools"] if name in known]
    for stage in (cards.stages[name] for name in document["stages"]):  # in the order of the text
        called = f"{stage.title} \u00b7 {card_set.name} {number}"
        spec = {"stage": stage.name, "set": document}
        _add_stage(by, card_set, called, spec)
        for mix in () if stage.training else mixes:
            _add_stage(by, card_set, f"{called} \u00b7 {mix}", {**spec, "pool": list(cards.pools[mix])})
    return version


def _mixes(cards: Cards) -> list[str]:
    """Return the pools of a set besides those that the game's own option offers (O1)."""
    return [name for name in cards.pools if name not in (*TEAM, TRAINING)]


def _add_stage(by: User, card_set: CardSet, name: str, spec: dict[str, Any]) -> None:
    free = _free_name(card_set, name)
    create_design(by=by, club=card_set.club, name=free, game=GAME, spec=spec, source=card_set.key)


def _free_name(card_set: CardSet, wanted: str) -> str:
    """Return a name that no stage of the club has."""
    taken = set(StageDesign.objects.filter(club=card_set.club_id).values_list("name", flat=True))
    stem = wanted[: LONGEST_STAGE_NAME - len(" (999)")]
    return next(name for name in (stem, *(f"{stem} ({number})" for number in range(2, 1000))) if name not in taken)


def _remove_unused_stages(by: User, card_set: CardSet) -> None:
    """Remove the stages of the set that no rally uses or has used."""
    for design in designs_of(card_set).filter(special_stages=None):
        remove_design(by=by, design=design)
