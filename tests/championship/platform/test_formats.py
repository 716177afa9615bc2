"""Times are written as in the reader's language, and never with the 12-hour clock."""

from datetime import datetime

import pytest
from django.utils import translation
from django.utils.formats import date_format

MOMENT = datetime(2026, 11, 21, 15, 5)


@pytest.mark.parametrize(
    ("language", "long", "short"),
    [
        ("en", "21 November 2026, 15:05", "Sat 21 Nov, 15:05"),
        ("pl", "21 listopada 2026 15:05", "So 21 lis, 15:05"),
        ("de", "21. November 2026 15:05", "Sa, 21. Nov, 15:05"),
    ],
)
def test_a_moment_in_each_language(language: str, long: str, short: str) -> None:
    with translation.override(language):
        assert date_format(MOMENT, "DATETIME_FORMAT") == long
        assert date_format(MOMENT, "SHORT_DATETIME_FORMAT") == short
