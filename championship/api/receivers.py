"""What the API does when a person leaves."""

from __future__ import annotations

from typing import Any

from championship import clock
from championship.accounts.models import User
from championship.api.models import KeptAnswer, Token


def on_account_closed(*, person: User, **kwargs: Any) -> None:
    """Their programs open nothing any more, and copies of what these were told go.

    A request on its way holds its own, and may wait for what is locked here: the nightly sweep takes that one.
    """
    Token.objects.filter(person=person, revoked_at=None).update(revoked_at=clock.now())
    settled = KeptAnswer.objects.select_for_update(of=("self",), skip_locked=True).filter(token__person=person)
    KeptAnswer.objects.filter(pk__in=list(settled.values_list("pk", flat=True))).delete()
