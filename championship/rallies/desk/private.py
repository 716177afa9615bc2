"""Private courses: only a club's members and a rally's drivers may get the whole course. Others see only what is in
play.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AnonymousUser

from championship.accounts.models import User
from championship.clubs.selectors import is_member
from championship.rallies.models import Entry, Rally
from championship.stages.private import is_private


def may_have_course(rally: Rally, course: Any, person: User | AnonymousUser) -> bool:
    """Whether the person may get the whole course: two queries at most for a private one, else none."""
    if not is_private(rally.game, course):
        return True
    return is_member(person, rally.club) or (
        person.is_authenticated and rally.entries.filter(driver_id=person.pk, status=Entry.Status.CONFIRMED).exists()
    )


def course_for(rally: Rally, course: Any, person: User | AnonymousUser) -> Any:
    """The course when the person may get it, else {}."""
    return course if may_have_course(rally, course, person) else {}
