"""Draws for cars that drive at the table: from the seal of their stage, as the draws of runs (docs/at-the-table.md).

The secret of a car is HMAC-SHA-256 of the seal over "table" and its start number. Each draw depends on that secret, the
stage's phrases, the salt of the phone, and words that are used once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from championship.rallies.models import SpecialStage
from championship.runs.models import Run, Seal
from championship.runs.play.sealing import published_seal
from engine import chance

OVER = (SpecialStage.Status.TIME_CONTROL, SpecialStage.Status.DONE)


def draw_at_table(stage: SpecialStage, car: int, wanted: Sequence[tuple[str, int]], *, salt: str) -> list[int]:
    """Draw for a car, by its start number, on a stage that is open: for each pair of words and a number of ends a whole
    number from 0 to ends - 1.
    """
    seal = published_seal(stage)
    source = chance.SealChance(_secret(seal.secret, car), phrases=seal.phrases_sha256, salt=salt)
    return [source.number(words, ends, by="seat") for words, ends in wanted]


@dataclass(frozen=True, slots=True)
class TableProof:
    """What anyone may know of the draws of a car at the table: the promise, the phrases with their SHA-256, and once
    the stage is over the seal and the secret of the car, in hex; "" before.
    """

    promised: str
    phrases: tuple[str, ...]
    phrases_sha256: str
    seal: str = ""
    secret: str = ""

    def number(self, words: str, ends: int, *, salt: str) -> int | None:
        """Repeat one draw; None as long as the secret is not public."""
        if not self.secret:
            return None
        source = chance.SealChance(bytes.fromhex(self.secret), phrases=self.phrases_sha256, salt=salt)
        return source.number(words, ends, by="seat")


def proof_at_table(stage: SpecialStage, car: int) -> TableProof:
    """The proof of the draws of a car at the table. The seal is public when the stage is over for all: no run and no
    car at the table draws from it any more. Two queries.
    """
    seal = Seal.objects.get(special_stage=stage)
    over = stage.status in OVER and not stage.runs.filter(status=Run.Status.RUNNING).exists()
    secret = bytes(seal.secret)
    return TableProof(
        promised=seal.commitment,
        phrases=tuple(seal.phrases or ()),
        phrases_sha256=seal.phrases_sha256,
        seal=secret.hex() if over else "",
        secret=_secret(secret, car).hex() if over else "",
    )


def _secret(seal: bytes, car: int) -> bytes:
    return chance.derive_secret(seal, f"table {car}")
