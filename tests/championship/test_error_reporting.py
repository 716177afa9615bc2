"""What a Sentry is told of an error: where it happened, and no secret that was in reach."""

import gzip

import pytest
import sentry_sdk
from sentry_sdk.envelope import Envelope
from sentry_sdk.transport import Transport

from championship.error_reporting import report_errors_to

SECRET = "-".join(["a", "seal", "of", "a", "stage"])
"""Put together, so that the lines around the error do not hold it."""


class Kept(Transport):
    """Keeps what would be sent."""

    sent: list[bytes] = []

    def capture_envelope(self, envelope: Envelope) -> None:
        self.sent.append(envelope.serialize())


@pytest.fixture
def told():
    Kept.sent.clear()
    report_errors_to("https://key@sentry.example/1", transport=Kept)
    yield Kept.sent
    sentry_sdk.get_global_scope().set_client(None)


def goes_wrong(seal: str) -> None:
    raise LookupError(f"no row for {len(seal)}")


def test_an_error_is_told_without_the_values_of_variables(told):
    try:
        goes_wrong(SECRET)
    except LookupError as error:
        sentry_sdk.capture_exception(error)
    sentry_sdk.flush()
    [letter] = told
    said = gzip.decompress(letter) if letter.startswith(b"\x1f\x8b") else letter
    assert b"LookupError" in said and b"goes_wrong" in said
    assert SECRET.encode() not in said
