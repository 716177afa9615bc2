"""Errors that nobody expected, sent to a Sentry where an operator names one. Nothing is sent otherwise."""

from __future__ import annotations

from typing import Any


def report_errors_to(address: str, **more: Any) -> None:
    """Send what goes wrong in web and workers to that DSN.

    Neither people nor secrets go along: the library's own default sends no addresses and no cookies, and no bodies of
    requests and no values of variables are sent either.
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
