"""The transports: one for each channel, for the time of one sweep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Protocol, Self

from championship.notices.channels import Channel
from championship.notices.models import Notice
from championship.notices.services.mail_transport import MailTransport
from championship.notices.services.push_transport import PushTransport
from championship.notices.services.webhook_transport import WebhookTransport


class Transport(Protocol):
    """What delivery.py needs of a channel."""

    combines_notices: bool
    """Whether several notices are sent as one message."""

    def arrived(self, notices: Sequence[Notice]) -> bool | None:
        """Whether these notices, which went out together, have arrived; None where that is unknown."""

    def repeats_harmlessly(self, notices: Sequence[Notice]) -> bool:
        """Whether it does no harm to send these again when it is unknown whether they have arrived."""

    def pack(self, notices: Sequence[Notice]) -> Any:
        """The parcel for `send`. Rendering a template may raise any error.

        Raises: DeliveryError when the notices cannot be sent.
        """

    def send(self, parcel: Any, notices: Sequence[Notice], point_of_no_return: Callable[[], None]) -> None:
        """Send the parcel. It calls `point_of_no_return` right before the sending can no longer be undone.

        Raises: DeliveryError when that fails.
        """

    def close(self) -> None:
        """Close the connections."""


class Transports:
    """The transports of one sweep. `unreachable` counts consecutive failures to reach a server, by channel."""

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
