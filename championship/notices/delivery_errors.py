"""The errors that a transport raises; delivery.py decides what follows from them."""

from datetime import timedelta


class DeliveryError(Exception):
    """The notice was not sent, for the given reason. Only for mail: `answer` is the server's answer without addresses,
    and `for_everybody` says that the server would have taken no other letter either.
    """

    answer = ""
    for_everybody = False


class TemporaryFailure(DeliveryError):
    """Another try may succeed. after: the shortest wait before it. server_unreachable: no other notice would succeed
    now.
    """

    def __init__(self, reason: str, *, after: timedelta | None = None, server_unreachable: bool = False) -> None:
        super().__init__(reason)
        self.after = after
        self.server_unreachable = server_unreachable


class PermanentFailure(DeliveryError):
    """No further try would succeed: a dead letter."""


class NoRecipient(DeliveryError):
    """There is no mailbox, browser or webhook left to send it to."""


class UnknownOutcome(DeliveryError):
    """The notice may have been sent or not, and there is no way to find out."""
