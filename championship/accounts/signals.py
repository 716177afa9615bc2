"""What other rooms may listen to. Sent inside the transaction: a receiver that fails undoes what was done."""

from django.dispatch import Signal

# person: User. They live in another zone now.
zone_changed = Signal()

# person: User. They close their account: refuse (refusals.Refused) what must be settled first, give up what goes on.
account_closing = Signal()

# person: User. Their account is closed: nothing may act or be told in their name any more.
account_closed = Signal()

# person: User. The account is final: throw away what only its owner had a use for.
account_ended = Signal()
