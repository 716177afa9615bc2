"""What scenes about programs may ask for."""

import pytest

from tests.championship.rallies.conftest import nobody_listens

__all__ = ["nobody_listens"]


@pytest.fixture(autouse=True)
def one_moment(at):
    """It is noon, and stays so unless a scene says otherwise."""
    return at
