"""What can come between a notice and its reader, as a carrier tells it; delivery.py decides what follows."""

from datetime import timedelta


class Trouble(Exception):
    """The notice has not gone out, for the reason given."""


class Later(Trouble):
    """It may go out on another try. after: not before that span. nobody_there: no other notice would fare better."""

    def __init__(self, reason: str, *, after: timedelta | None = None, nobody_there: bool = False) -> None:
        super().__init__(reason)
        self.after = after
        self.nobody_there = nobody_there


class Hopeless(Trouble):
    """No further try would do better: a dead letter."""


class NobodyToTell(Trouble):
    """There is no mailbox, browser or webhook left to send it to."""


class Unsure(Trouble):
    """It may have gone out or not, and nobody can find out."""
