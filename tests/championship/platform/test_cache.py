"""The counts of rate limits are in the database, in a table that migrations create."""

from collections.abc import Iterator

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from django.test import override_settings

from championship.settings import base


@pytest.fixture
def database_cache(db: None) -> Iterator[None]:
    with override_settings(CACHES=base.CACHES):
        yield


@pytest.mark.usefixtures("database_cache")
def test_migrating_makes_the_table_of_the_cache() -> None:
    assert "cache" not in connection.introspection.table_names()

    call_command("migrate", verbosity=0)

    cache.set("attempts", 3)
    assert cache.get("attempts") == 3
