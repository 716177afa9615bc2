"""Which entries a protest, an appeal or a decision concerns, and so which officials may judge it."""

from __future__ import annotations

from championship.accounts.models import User
from championship.rallies.entries.impartiality import (
    JUDGES,
    Officials,
    officials_for,
    require_impartial,
)
from championship.rallies.models import Entry, Rally
from championship.stewards.models import Decision, Protest


def officials_on(rally: Rally, protest: Protest | None) -> Officials:
    """Return which officials may decide on a protest or an appeal (or on their own motion, without one), and how each
    steward of the club is involved. The parties of a protest are its author and the entry it is against; of an appeal,
    also the entry that the decision concerns and the parties of that decision.
    """
    parties = [entry.pk for entry in parties_of(protest)]
    return officials_for(rally, JUDGES, parties=parties, decided_by=_decided_by(protest))


def require_impartial_on(
    by: User, rally: Rally, protest: Protest | None, entry: Entry | None, undoes: Decision | None
) -> bool:
    """Check that the steward may decide. Returns whether the steward drives in the rally."""
    parties = parties_of(protest)
    concerned = [each for each in (entry, *_of_decision(undoes)) if each is not None and each not in parties]
    return require_impartial(by, rally, JUDGES, parties=parties, concerned=concerned, decided_by=_decided_by(protest))


def _decided_by(protest: Protest | None) -> int | None:
    return protest.appealed.by_id if protest is not None and protest.appealed is not None else None


def parties_of(protest: Protest | None) -> list[Entry]:
    return [] if protest is None else [*_some(protest.by, protest.against), *_of_decision(protest.appealed)]


def _of_decision(decision: Decision | None) -> list[Entry]:
    if decision is None:
        return []
    return [*_some(decision.entry), *_of_decision(decision.undoes), *parties_of(decision.protest)]


def _some(*entries: Entry | None) -> list[Entry]:
    return [entry for entry in entries if entry is not None]
