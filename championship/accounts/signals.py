"""What other rooms may listen to. Sent inside the transaction: a receiver that fails undoes what was done."""

from django.dispatch import Signal

# person: User. They live in another zone now.
zone_changed = Signal()
