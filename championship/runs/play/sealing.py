"""Random draws whose outcome nobody can choose. They follow from a seal that is committed to before anyone drives, from
phrases of the drivers, and from a salt in every order.

The SHA-256 of the seal is public from the day the rally is created. Until the stage opens, each entry may add a phrase;
then all phrases of the stage are published with their SHA-256. The secret of run N is HMAC-SHA-256 of the seal over
"run N". docs/records.md has the whole procedure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.text import one_line
from championship.audit import services as audit
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.runs.models import Phrase, Seal, new_secret
from championship.runs.watch.logged_promises import OPENED, SEALED
from engine import chance
from engine.verification import SALT_LENGTH as SALT_LENGTH

PHRASE_LENGTH = 80
_recorded: ContextVar[Iterator[bytes] | None] = ContextVar("secrets of a recording", default=None)


@dataclass(frozen=True, slots=True)
class PublishedSeal:
    """The seal of a stage that is open, and the SHA-256 of its published phrases."""

    secret: bytes
    phrases_sha256: str

    def secret_of_run(self, number: int) -> bytes:
        """Return the secret of the stage's run of that number."""
        return chance.secret_of_run(self.secret, number)

    @property
    def common(self) -> bytes:
        """The secret of the draws that all runs of the stage share."""
        return chance.common_secret(self.secret)


@transaction.atomic
def seal_stages(*, rally: Rally) -> list[Seal]:
    """Create the seals of a new rally's stages, with their commitments. The log records them, except of practice."""
    seals = Seal.objects.bulk_create(_new_seal(stage) for stage in rally.stages.order_by("number"))
    _log_sealed(rally, seals)
    return seals


@contextmanager
def recorded_secrets(secrets: Iterable[bytes]) -> Iterator[None]:
    """Context manager: seals that are created inside get these secrets, in order. Only the demo may do this: its draws
    repeat those of a recording.

    Raises: RuntimeError outside the demo.
    """
    if not settings.DEMO:
        raise RuntimeError("Secrets are known beforehand in the demo only.")
    before = _recorded.set(iter(secrets))
    try:
        yield
    finally:
        _recorded.reset(before)


def _new_seal(special_stage: SpecialStage) -> Seal:
    recorded = _recorded.get()
    secret = new_secret() if recorded is None else next(recorded)
    return Seal(special_stage=special_stage, secret=secret, commitment=chance.commitment(secret))


def seal_for(special_stage: SpecialStage) -> Seal:
    """Return the seal of a stage. A stage without one, made before seals existed or restored, gets one now."""
    seal = Seal.objects.filter(special_stage=special_stage).first()
    if seal is None:
        seal = _new_seal(special_stage)
        seal.save()
        _log_sealed(special_stage.rally, [seal])
    return seal


def publish_phrases(special_stage: SpecialStage) -> PublishedSeal:
    """Store the sorted phrases of a stage that opens in its seal; they never change afterwards. Returns the stage's
    `PublishedSeal`.
    """
    seal = seal_for(special_stage)
    seal.phrases = sorted(special_stage.phrases.values_list("text", flat=True))
    seal.save(update_fields=["phrases"])
    _log_opened(special_stage, seal)
    return PublishedSeal(secret=bytes(seal.secret), phrases_sha256=seal.phrases_sha256)


def published_seal(special_stage: SpecialStage) -> PublishedSeal:
    """Return the `PublishedSeal` of a stage that is open, from its seal and the published phrases. One query."""
    seal = Seal.objects.get(special_stage=special_stage)
    return PublishedSeal(secret=bytes(seal.secret), phrases_sha256=seal.phrases_sha256)


def _log_sealed(rally: Rally, seals: Sequence[Seal]) -> None:
    """Add the promises of new seals to the log, as one row. Practice is not logged."""
    if seals and not rally.practice:
        promises = {str(seal.special_stage.number): seal.commitment for seal in seals}
        details = {"rally": rally.name, "promises": promises}
        audit.record(actor=None, action=SEALED, subject=rally, club_id=rally.club_id, details=details)


def _log_opened(special_stage: SpecialStage, seal: Seal) -> None:
    """Add the promise and the SHA-256 of the phrases to the log when a stage opens. Practice is not logged."""
    rally = special_stage.rally
    if not rally.practice:
        details = {
            "rally": rally.name,
            "stage": special_stage.number,
            "seal_sha256": seal.commitment,
            "phrases_sha256": seal.phrases_sha256,
        }
        audit.record(actor=None, action=OPENED, subject=special_stage, club_id=rally.club_id, details=details)


def checked_salt(text: str) -> str:
    """Return a salt, made by the driver's browser or typed, without blanks around it; "" where there is none.

    Raises: Refused when it is longer than SALT_LENGTH, or is not one line of ordinary characters.
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
def set_phrase(*, by: User, special_stage: SpecialStage, text: str) -> Phrase:
    """Keep a driver's phrase for the draws of a stage. A new phrase replaces the earlier one.

    Raises: Forbidden when the person has no confirmed entry in the rally.
    Raises: Stale when the stage is open.
    Raises: Refused when the phrase is empty, too long, or more than one line.
    """
    stage = SpecialStage.objects.select_for_update().get(pk=special_stage.pk)
    entry = Entry.objects.filter(rally_id=stage.rally_id, driver=by, status=Entry.Status.CONFIRMED).first()
    if entry is None:
        raise Forbidden(_("Only confirmed entries add a phrase."))
    if stage.status != SpecialStage.Status.PLANNED:
        raise Stale(_("It is open: its draws can no longer be changed."))
    text = text.strip()
    if not text or len(text) > PHRASE_LENGTH:
        raise Refused(_("A phrase has 1 to %(most)d characters.") % {"most": PHRASE_LENGTH}, field="text")
    try:
        one_line(text)
    except ValidationError as error:
        raise Refused(error.messages[0], field="text") from error
    return Phrase.objects.update_or_create(special_stage=stage, entry=entry, defaults={"text": text})[0]
