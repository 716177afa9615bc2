"""Chance that nobody chooses: a seal promised before anyone drives, phrases of the drivers, a salt in every order.

The seal's SHA-256 is shown from the day the rally stands. Until the stage opens each entry may add a phrase; then all
phrases of the stage are published with their SHA-256. The secret of run N is HMAC-SHA-256 of the seal over "run N".
docs/records.md has all of it.
"""

from __future__ import annotations

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
from engine.verification import SALT_LENGTH as SALT_LENGTH

PHRASE_LENGTH = 80


@dataclass(frozen=True, slots=True)
class Luck:
    """The seal of a stage that opens, and the SHA-256 of its phrases as they are published now."""

    seal: bytes
    phrases_sha256: str

    def secret_of_run(self, number: int) -> bytes:
        """The secret of the stage's run of that number."""
        return chance.secret_of_run(self.seal, number)

    @property
    def common(self) -> bytes:
        """The secret of what all runs of the stage draw alike."""
        return chance.common_secret(self.seal)


@transaction.atomic
def seal_stages(*, rally: Rally) -> list[Seal]:
    """Draw the seals of a new rally's stages and promise them."""
    return Seal.objects.bulk_create(_new_seal(stage) for stage in rally.stages.all())


def _new_seal(special_stage: SpecialStage) -> Seal:
    secret = new_secret()
    return Seal(special_stage=special_stage, secret=secret, commitment=chance.commitment(secret))


def seal_for(special_stage: SpecialStage) -> Seal:
    """The seal of a stage. A stage without one, made before seals or restored, is sealed now."""
    seal = Seal.objects.filter(special_stage=special_stage).first()
    if seal is None:
        seal = _new_seal(special_stage)
        seal.save()
    return seal


def publish_phrases(special_stage: SpecialStage) -> Luck:
    """Write the phrases of a stage that opens to its seal, sorted; they never change afterwards. Its chance follows."""
    seal = seal_for(special_stage)
    seal.phrases = sorted(special_stage.phrases.values_list("text", flat=True))
    seal.save(update_fields=["phrases"])
    return Luck(seal=bytes(seal.secret), phrases_sha256=seal.phrases_sha256)


def published_luck(special_stage: SpecialStage) -> Luck:
    """The chance of a stage that is open: from its seal, and the phrases as they were published. One query."""
    seal = Seal.objects.get(special_stage=special_stage)
    return Luck(seal=bytes(seal.secret), phrases_sha256=seal.phrases_sha256)


def checked_salt(text: str) -> str:
    """A salt as it is kept: made by the driver's browser or typed, "" where there is none.

    Raises: Refused for more than one line of ordinary characters, or more of them than a salt has.
    """
    text = text.strip()
    if len(text) > SALT_LENGTH:
        raise Refused(_("A salt has at most %(most)d characters.") % {"most": SALT_LENGTH}, field="salt")
    try:
        one_line(text)
    except ValidationError as error:
        raise Refused(error.messages[0], field="salt") from error
    return text


@transaction.atomic
def say_phrase(*, by: User, special_stage: SpecialStage, text: str) -> Phrase:
    """A driver's phrase for the chance of a stage; said again it replaces the one before.

    Forbidden for who does not drive in the rally, Stale once the stage is open, Refused for more than a line.
    """
    stage = SpecialStage.objects.select_for_update().get(pk=special_stage.pk)
    entry = Entry.objects.filter(rally_id=stage.rally_id, driver=by, status=Entry.Status.CONFIRMED).first()
    if entry is None:
        raise Forbidden(_("Only confirmed entries add a phrase."))
    if stage.status != SpecialStage.Status.PLANNED:
        raise Stale(_("It is open: its chance cannot be changed any more."))
    text = text.strip()
    if not text or len(text) > PHRASE_LENGTH:
        raise Refused(_("A phrase has 1 to %(most)d characters.") % {"most": PHRASE_LENGTH}, field="text")
    try:
        one_line(text)
    except ValidationError as error:
        raise Refused(error.messages[0], field="text") from error
    return Phrase.objects.update_or_create(special_stage=stage, entry=entry, defaults={"text": text})[0]
