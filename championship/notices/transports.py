"""Who takes notices where: one transport for each channel, for as long as one sweep lasts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Protocol, Self

from championship.notices.channels import Channel
from championship.notices.mail_transport import MailTransport
from championship.notices.models import Notice
from championship.notices.push_transport import PushTransport
from championship.notices.webhook_transport import WebhookTransport


class Transport(Protocol):
    """What delivery.py asks of a channel."""

    together: bool
    """Whether several notices go as one."""

    def arrived(self, notices: Sequence[Notice]) -> bool | None:
        """Whether these, which went out together, have arrived; None where nobody can tell."""

    def repeats_harmlessly(self, notices: Sequence[Notice]) -> bool:
        """Whether it does no harm to send these again when nobody knows whether they have arrived."""

    def pack(self, notices: Sequence[Notice]) -> Any:
        """What `send` takes; raises whatever a template raises, or a DeliveryError."""

    def send(self, parcel: Any, notices: Sequence[Notice], point_of_no_return: Callable[[], None]) -> None:
        """Send it, or raise a DeliveryError. `point_of_no_return` is called right before nobody can take it back."""

    def close(self) -> None:
        """Let go of connections."""


class Transports:
    """The transports of one sweep; `unreachable` counts, by channel, servers that were not there, one after another."""

    def __init__(self) -> None:
        self._carriers: dict[str, Transport] = {
            Channel.MAIL: MailTransport(),
            Channel.PUSH: PushTransport(),
            Channel.WEBHOOK: WebhookTransport(),
        }
        self.unreachable: Counter[str] = Counter()

    def of(self, channel: str) -> Transport:
        return self._carriers[channel]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        for transport in self._carriers.values():
            transport.close()
