"""A real mail server for tests: it accepts letters, refuses them, is slow, or hangs up, as the test needs."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from aiosmtpd.controller import Controller


class Server:
    """The accepted letters, and the responses to give. `at_recipient`, `at_end`: a response, or None to accept.

    `before_answering` is called with a letter that was accepted but not yet answered.
    """

    def __init__(self) -> None:
        self.taken: list[EmailMessage] = []
        self.at_recipient: Callable[[str], str | None] = lambda address: None
        self.at_end: Callable[[EmailMessage], str | None] = lambda letter: None
        self.before_answering: Callable[[], None] | None = None
        self.silent = False
        self.connections = 0

    async def handle_EHLO(self, server: Any, session: Any, envelope: Any, hostname: str, responses: list[str]) -> Any:
        self.connections += 1
        session.host_name = hostname
        return responses

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        refusal = self.at_recipient(address)
        if refusal is None:
            envelope.rcpt_tos.append(address)
        return refusal or "250 2.1.5 Known"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        letter = message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(letter, EmailMessage)
        refusal = self.at_end(letter)
        if refusal is not None:
            return refusal
        self.taken.append(letter)
        if self.before_answering is not None:
            self.before_answering()
        if self.silent:
            await asyncio.sleep(60)
        return "250 2.0.0 Taken"

    @property
    def subjects(self) -> list[str]:
        return [str(letter["Subject"]) for letter in self.taken]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def mail_server(port: int | None = None) -> Iterator[tuple[Server, int]]:
    """Run a mail server on this machine during the block. Yields the server and its port."""
    server = Server()
    controller = Controller(server, hostname="127.0.0.1", port=port or free_port())
    controller.start()
    try:
        yield server, controller.port
    finally:
        controller.stop(no_assert=True)
