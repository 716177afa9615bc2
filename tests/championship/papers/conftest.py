"""Fixtures for tests of programs that use the API."""

import pytest

from tests.championship.rallies.conftest import nobody_listens

__all__ = ["nobody_listens"]


@pytest.fixture(autouse=True)
def one_moment(at):
    """The clock stands at noon unless a test sets it."""
    return at
