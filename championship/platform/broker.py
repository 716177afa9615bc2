"""A broker that needs no server: kombu's file system transport, with each message written atomically.

Kombu writes a message file in place. So a worker may read it half-written, and a sender that is killed in between
leaves a file that crashes every worker that reads it. Here a message file appears by renaming. A message that cannot be
parsed is dropped: the next sweep finds its work in the database.
"""

from __future__ import annotations

import logging
import time
import uuid
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.json import dumps, loads

SCHEME = "folder"
PATIENCE = 0.5  # seconds

logger = logging.getLogger(__name__)


class Channel(filesystem.Channel):
    """Messages as files `<time>_<id>.<queue>.msg`. A worker renames a file before it reads it, so each is read once."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for folder in (self.data_folder_in, self.data_folder_out, self.control_folder):
            Path(folder).mkdir(parents=True, exist_ok=True)

    def _put(self, queue: str, payload: dict[str, Any], **kwargs: Any) -> None:  # type: ignore[override]
        name = f"{time.time_ns():020d}_{uuid.uuid4()}.{queue}.msg"
        folder = Path(self.data_folder_out)
        unfinished = folder / f".{name}.part"
        unfinished.write_text(dumps(payload), encoding="utf-8")
        unfinished.rename(folder / name)

    def _get(self, queue: str, timeout: float | None = None) -> dict[str, Any]:
        for file in sorted(Path(self.data_folder_in).glob(f"*.{queue}.msg")):
            taken = file.with_name(f".{file.name}.{uuid.uuid4()}.taken")
            try:
                file.rename(taken)
            except FileNotFoundError:  # another worker was quicker
                continue
            text = taken.read_text(encoding="utf-8")
            taken.unlink()
            try:
                message: dict[str, Any] = loads(text)
            except ValueError:
                logger.warning("Dropped a message that cannot be read: %s", file.name)
                continue
            return message
        raise Empty


class Transport(filesystem.Transport):
    """Kombu's transport with our channel."""

    Channel = Channel

    def drain_events(  # type: ignore[override]
        self, connection: Any, timeout: float | None = None
    ) -> None:
        """Wait for a message, at most PATIENCE at a time, so that a worker soon notices that it must stop."""
        super().drain_events(connection, timeout=timeout and min(timeout, PATIENCE))


def options(folder: Path) -> dict[str, Any]:
    """The transport's options for a broker that keeps its messages in this folder."""
    return {
        "data_folder_in": str(folder / "messages"),
        "data_folder_out": str(folder / "messages"),
        "control_folder": str(folder / "control"),
        "polling_interval": PATIENCE,
    }


def transport_options(url: str, *, folder: Path, seconds: float) -> dict[str, Any]:
    """The transport's options for the broker at this address. The process waits for it at most `seconds` at a time.

    A server may accept a connection and then send nothing: without these limits a process that sends a task would wait
    forever.
    """
    if url.startswith(f"{SCHEME}:"):
        return options(folder)
    bounded = {"max_retries": 0, "interval_start": 0, "interval_step": 0.2}
    if url.startswith(("redis:", "rediss:")):
        # After the visibility timeout, the message of a lost worker goes to another one. Tasks end long before that.
        waits = {"socket_connect_timeout": seconds, "socket_timeout": seconds}
        return {"visibility_timeout": 600, **waits, **bounded}
    if url.startswith(("amqp:", "amqps:", "pyamqp:")):
        return {"read_timeout": seconds, "write_timeout": seconds, **bounded}
    return {}


def register() -> None:
    """Register this transport for broker URLs that begin with `folder://`."""
    TRANSPORT_ALIASES[SCHEME] = f"{__name__}:Transport"
