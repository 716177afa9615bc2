"""What the API does when an account is closed."""

from __future__ import annotations

from championship.accounts.models import User
from championship.api.models import KeptAnswer, Token
from championship.platform import clock


class TokensOfPeople:
    """Tokens with which programs act for people, and the answers kept for these programs."""

    def account_closed(self, person: User) -> None:
        """Revoke the person's tokens and delete the kept answers to their requests.

        A request under way has locked its own answer and may wait for rows that are locked here, so its answer is
        skipped. The nightly cleanup deletes it.
        """
        Token.objects.filter(person=person, revoked_at=None).update(revoked_at=clock.now())
        settled = KeptAnswer.objects.select_for_update(of=("self",), skip_locked=True).filter(token__person=person)
        KeptAnswer.objects.filter(pk__in=list(settled.values_list("pk", flat=True))).delete()
