"""The broker without a server: every message arrives complete, and once."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection
from kombu.simple import SimpleQueue

from championship.platform import broker


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "broker" / "messages"


@pytest.fixture
def connection(folder: Path) -> Iterator[Connection]:
    broker.register()
    with Connection("folder://localhost", transport_options=options(folder)) as connection:
        yield connection


def options(folder: Path) -> dict[str, object]:
    return {
        "data_folder_in": str(folder),
        "data_folder_out": str(folder),
        "control_folder": str(folder.with_name("control")),
        "polling_interval": 0.01,
    }


def read_all(queue: SimpleQueue) -> list[object]:
    found = []
    while True:
        try:
            message = queue.get(timeout=0.3)
        except Empty:
            return found
        message.ack()
        found.append(message.payload)


def test_messages_arrive_in_the_order_they_were_sent(connection: Connection) -> None:
    queue = connection.SimpleQueue("turns")

    for number in range(5):
        queue.put({"turn": number})

    assert read_all(queue) == [{"turn": number} for number in range(5)]


def test_a_message_that_cannot_be_read_stops_nobody(connection: Connection, folder: Path) -> None:
    queue = connection.SimpleQueue("mail")
    queue.put({"turn": 1})
    (folder / "0_half-written.mail.msg").write_text('{"body": "aGF')

    assert read_all(queue) == [{"turn": 1}]
    assert list(folder.iterdir()) == []


def test_two_workers_never_read_the_same_message(connection: Connection, folder: Path) -> None:
    sender = connection.SimpleQueue("deadlines")
    for number in range(60):
        sender.put(number)

    def work(_: int) -> list[object]:
        with Connection("folder://localhost", transport_options=options(folder)) as worker:
            return read_all(worker.SimpleQueue("deadlines"))

    with ThreadPoolExecutor(4) as workers:
        read = [number for numbers in workers.map(work, range(4)) for number in numbers]

    assert sorted(read) == list(range(60))
