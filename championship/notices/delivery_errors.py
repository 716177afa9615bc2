"""What can come between a notice and its reader, as a transport tells it; delivery.py decides what follows."""

from datetime import timedelta


class DeliveryError(Exception):
    """The notice has not gone out, for the reason given."""


class TemporaryFailure(DeliveryError):
    """It may go out on another try. after: not before that span. nobody_there: no other notice would fare better."""

    def __init__(self, reason: str, *, after: timedelta | None = None, nobody_there: bool = False) -> None:
        super().__init__(reason)
        self.after = after
        self.nobody_there = nobody_there


class PermanentFailure(DeliveryError):
    """No further try would do better: a dead letter."""


class NoRecipient(DeliveryError):
    """There is no mailbox, browser or webhook left to send it to."""


class UnknownOutcome(DeliveryError):
    """It may have gone out or not, and nobody can find out."""
