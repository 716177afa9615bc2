"""Who takes notices where: one carrier for each channel, for as long as one sweep lasts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Protocol, Self

from championship.notices.channels import Channel
from championship.notices.hooks import HookCarrier
from championship.notices.mailing import MailCarrier
from championship.notices.models import Notice
from championship.notices.pushing import PushCarrier


class Carrier(Protocol):
    """What delivery.py asks of a channel."""

    together: bool
    """Whether several notices go as one."""

    def keeps_books_with_us(self) -> bool:
        """Whether sending is undone when our transaction is."""

    def repeats_harmlessly(self, notices: Sequence[Notice]) -> bool:
        """Whether it does no harm to send these again when nobody knows whether they have arrived."""

    def pack(self, notices: Sequence[Notice]) -> Any:
        """What `send` takes; raises whatever a template raises, or a Trouble."""

    def send(self, parcel: Any, notices: Sequence[Notice], point_of_no_return: Callable[[], None]) -> None:
        """Send it, or raise a Trouble. `point_of_no_return` is called right before nobody can take it back."""

    def close(self) -> None:
        """Let go of connections."""


class Carriers:
    """The carriers of one sweep; `unreachable` counts, by channel, servers that were not there, one after another."""

    def __init__(self) -> None:
        self._carriers: dict[str, Carrier] = {
            Channel.MAIL: MailCarrier(),
            Channel.PUSH: PushCarrier(),
            Channel.WEBHOOK: HookCarrier(),
        }
        self.unreachable: Counter[str] = Counter()

    def of(self, channel: str) -> Carrier:
        return self._carriers[channel]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        for carrier in self._carriers.values():
            carrier.close()
