"""Sends unexpected errors to a Sentry server if the operator names one. Otherwise nothing is sent."""

from __future__ import annotations

from typing import Any


def report_errors_to(address: str, **more: Any) -> None:
    """Send the errors of web processes and workers to that DSN.

    Reports contain no personal data and no secrets: by default the library sends no addresses and no cookies, and these
    options also leave out request bodies and values of variables.
    `more`: options of the library, such as another transport.
    """
    import sentry_sdk

    sentry_sdk.init(
        dsn=address,
        include_local_variables=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        **more,
    )
