"""An error report to Sentry contains where the error happened, and no secret from its context."""

import gzip

import pytest
import sentry_sdk
from sentry_sdk.envelope import Envelope
from sentry_sdk.transport import Transport

from championship.platform.logs import report_errors_to

SECRET = "-".join(["a", "seal", "of", "a", "stage"])
"""Joined at run time, so that the source lines around the error do not contain it."""


class Kept(Transport):
    """Collects the reports instead of sending them."""

    sent: list[bytes] = []

    def capture_envelope(self, envelope: Envelope) -> None:
        self.sent.append(envelope.serialize())


@pytest.fixture
def sent_reports():
    Kept.sent.clear()
    report_errors_to("https://key@sentry.example/1", transport=Kept)
    yield Kept.sent
    sentry_sdk.get_global_scope().set_client(None)


def goes_wrong(seal: str) -> None:
    raise LookupError(f"no row for {len(seal)}")


def test_an_error_report_has_no_values_of_variables(sent_reports):
    try:
        goes_wrong(SECRET)
    except LookupError as error:
        sentry_sdk.capture_exception(error)
    sentry_sdk.flush()
    [letter] = sent_reports
    said = gzip.decompress(letter) if letter.startswith(b"\x1f\x8b") else letter
    assert b"LookupError" in said and b"goes_wrong" in said
    assert SECRET.encode() not in said
