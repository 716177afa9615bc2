"""What other rooms may listen to. Sent inside the transaction: a receiver that fails undoes what was done."""

from django.dispatch import Signal

# club: Club, person: User. Their holidays in that club are other ones now.
holidays_changed = Signal()

# club: Club, by: User, reason: str. Its owner closes it: refuse (refusals.Refused) what must be
# ended first, end what waits.
club_closing = Signal()
