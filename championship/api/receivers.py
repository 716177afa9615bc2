"""What the API does when a person leaves."""

from __future__ import annotations

from typing import Any

from championship import clock
from championship.accounts.models import User
from championship.api.models import KeptAnswer, Token


def on_account_closed(*, person: User, **kwargs: Any) -> None:
    """Their programs open nothing any more, and copies of what these were told go."""
    Token.objects.filter(person=person, revoked_at=None).update(revoked_at=clock.now())
    KeptAnswer.objects.filter(token__person=person).delete()
