"""Chance that nobody can bend: a secret promised before anyone drives, and phrases of the drivers mixed into
it.

The seal's SHA-256 is shown from the day the rally stands. Until the stage opens each entry may add a phrase.
The secret of run N is HMAC-SHA-256 of the seal over "run N"; where a stage shares its dice, their secret is
that over "dice" and all phrases of the stage.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.text import one_line
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.refusals import Forbidden, Refused, Stale
from championship.runs.models import Phrase, Seal, new_secret
from engine import chance

PHRASE_LENGTH = 80


@dataclass(frozen=True, slots=True)
class Luck:
    """The seal's secret of a stage that opens, and the phrases of its entries by entry id."""

    secret: bytes
    phrases: Mapping[int, str]

    def secret_of_run(self, number: int) -> bytes:
        """The secret of the stage's run of that number."""
        return chance.derived(self.secret, f"run {number}")

    @property
    def common(self) -> bytes:
        """The secret of the dice that all runs of the stage share."""
        return chance.derived(self.secret, words_of_dice(self.phrases.values()))


def words_of_dice(phrases: Iterable[str]) -> str:
    """What the secret of shared dice is derived by: "dice" and all phrases of the stage, sorted, as JSON."""
    return json.dumps(["dice", *sorted(phrases)], separators=(",", ":"))


@transaction.atomic
def seal_stages(*, rally: Rally) -> list[Seal]:
    """Draw the secrets of a new rally's stages and promise them."""
    return Seal.objects.bulk_create(_new_seal(stage) for stage in rally.stages.all())


def _new_seal(special_stage: SpecialStage) -> Seal:
    secret = new_secret()
    return Seal(special_stage=special_stage, secret=secret, commitment=chance.commitment(secret))


def luck_of(special_stage: SpecialStage) -> Luck:
    """The chance of a stage that opens. A stage that was made before seals is sealed now."""
    seal = Seal.objects.filter(special_stage=special_stage).first()
    if seal is None:
        seal = _new_seal(special_stage)
        seal.save()
    phrases = dict(special_stage.phrases.values_list("entry_id", "text"))
    return Luck(secret=bytes(seal.secret), phrases=phrases)


@transaction.atomic
def say_phrase(*, by: User, special_stage: SpecialStage, text: str) -> Phrase:
    """A driver's phrase for the chance of a stage; said again it replaces the one before.

    Forbidden for who does not drive in the rally, Stale once the stage is open, Refused for more than a line.
    """
    stage = SpecialStage.objects.select_for_update().get(pk=special_stage.pk)
    entry = Entry.objects.filter(rally_id=stage.rally_id, driver=by, status=Entry.Status.CONFIRMED).first()
    if entry is None:
        raise Forbidden(_("Only confirmed entries of this rally add a phrase."))
    if stage.status != SpecialStage.Status.PLANNED:
        raise Stale(_("The stage is open: its chance cannot be changed any more."))
    text = text.strip()
    if not text or len(text) > PHRASE_LENGTH:
        raise Refused(_("A phrase has 1 to %(most)d characters.") % {"most": PHRASE_LENGTH}, field="text")
    try:
        one_line(text)
    except ValidationError as error:
        raise Refused(error.messages[0], field="text") from error
    return Phrase.objects.update_or_create(special_stage=stage, entry=entry, defaults={"text": text})[0]
