"""Who is notified of a protest and of a decision, and the content of the notices."""

from __future__ import annotations

from typing import Any

from championship.accounts.models import User
from championship.accounts.text import shortened
from championship.notices.services import Letter, enqueue_many
from championship.rallies.desk import organiser_notices
from championship.rallies.models import Rally
from championship.rallies.results.measures import plain
from championship.stewards.models import Decision, Protest
from championship.stewards.parties import officials_on

SHOWN_REASONS = 1500
"""How many characters of a decision's reasons a notice contains; the page has all of them."""


def notify_of_protest(protest: Protest) -> None:
    people = set(officials_on(protest.rally, protest).eligible)
    if protest.against is not None:
        people.add(protest.against.driver)
    people.discard(protest.by.driver)
    facts = {"by": protest.by, **({"appeal": "yes"} if protest.appealed_id else {})}
    _send_notices(people, "protest filed", protest.rally, f"protest {protest.pk}", protest, **facts)
    others = set(organiser_notices.organisers_of(protest.rally.club)) - people - {protest.by.driver}
    _send_notices(others, "protest to organisers", protest.rally, f"protest {protest.pk}", protest, **facts)


def notify_of_decision(decision: Decision) -> None:
    protest = decision.protest
    undone = decision.undoes.entry if decision.undoes else None
    entries = [decision.entry, undone, *((protest.by, protest.against) if protest else ())]
    people = {entry.driver for entry in entries if entry is not None}
    openly = {"author_drives": "yes"} if decision.author_drives else {}
    subject, said = f"decision {decision.pk}", _what_was_decided(decision)
    _send_notices(people, "decision taken", decision.rally, subject, decision, number=decision.number, **said, **openly)


def _what_was_decided(decision: Decision) -> dict[str, object]:
    """Return the decision as values, which the notice puts into words in its reader's language."""
    entry = str(decision.entry) if decision.entry else ""
    stage = decision.special_stage.number if decision.special_stage else ""
    amount = "" if decision.amount is None else decision.amount
    return {
        "decided": decision.kind,
        "entry": entry,
        "stage": stage,
        "amount": amount,
        "measure": plain(decision.rally.measure),
        "reasons": shortened(decision.text, SHOWN_REASONS),
    }


def _send_notices(
    people: set[User], kind: str, rally: Rally, subject: str, about: Protest | Decision, **context: Any
) -> None:
    enqueue_many(
        [
            Letter(
                recipient=person,
                kind=kind,
                subject_key=subject,
                context={"rally": rally.name, "game": rally.game}
                | {name: _plain(value) for name, value in context.items()},
                link=about.get_absolute_url(),
                thread=f"rally {rally.key}",
            )
            for person in people
        ]
    )


def _plain(value: Any) -> Any:
    return value if isinstance(value, dict | int) else str(value)
