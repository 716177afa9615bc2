"""What an evening does with drivers who are absent, late or gone, and with their pauses. Drivers know it before.

Pure values and checks. The clock and the drivers' acts read them (`championship.evenings`, `championship.runs`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _


class Absent(models.TextChoices):
    """What happens to a driver who has not checked in by the hour."""

    WAITS = "waits", _("the car waits for its driver")
    CODRIVER = "codriver", _("the codriver drives until the driver comes")
    OUT = "out", _("the car is left out, and a reserve who has checked in takes the place")


class Late(models.TextChoices):
    """How a driver who was left out, or has dropped out, may join later."""

    NEXT = "next", _("starts last when the next one begins, without a result for what was missed")
    GIVEN = "given", _("starts last when the next one begins, and gets the worst result and an amount for each missed")
    NEVER = "never", _("does not join any more")


class Dropped(models.TextChoices):
    """What happens to a car whose driver has run out of time so often in a row."""

    CODRIVER = "codriver", _("the codriver drives until the driver takes the wheel back")
    OUT = "out", _("the car retires, and its driver may come back as a late-comer")


MOST_DROP_AFTER = 20
MOST_ADDED = 3600
MOST_PAUSES = 10
LONGEST_PAUSE = 60
LIMITS = {
    "late_added": (0, MOST_ADDED),
    "drop_after": (0, MOST_DROP_AFTER),
    "pauses": (0, MOST_PAUSES),
    "pause_minutes": (1, LONGEST_PAUSE),
}
"""The least and the most of each number. One time-out drops nobody: 1 is refused."""


@dataclass(frozen=True, slots=True)
class EveningRules:
    """The rules of a rally's evenings. The choices are values of the classes above.

    late_added: what is added to the worst result of each stage that a late-comer has missed, in the rally's unit.
    drop_after: the number of time-outs in a row after which a driver has dropped out; 0: never. pauses: how many pauses
    of an evening may begin because a driver asked for them. pause_minutes: after so many minutes such a pause ends.
    """

    absent: str = Absent.WAITS.value
    late: str = Late.NEXT.value
    late_added: int = 60
    drop_after: int = 0
    dropped: str = Dropped.CODRIVER.value
    pauses: int = 2
    pause_minutes: int = 10

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> EveningRules:
        """Parse the result of `plain`. What is missing, or is no value of that kind, gets its default."""
        known: dict[str, Any] = {field.name: field.default for field in fields(cls)}
        return cls(**{name: plain[name] for name in known if type(plain.get(name)) is type(known[name])})

    def plain(self) -> dict[str, Any]:
        """The rules as JSON values."""
        return asdict(self)

    def drops(self, in_a_row: int) -> bool:
        """Whether a driver with so many time-outs in a row has dropped out."""
        return 0 < self.drop_after <= in_a_row
