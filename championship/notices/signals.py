"""What other rooms may listen to. Sent inside the transaction: a receiver that fails undoes what was done."""

from django.dispatch import Signal

# person: User. They want to be reminded another time before a deadline now.
reminders_changed = Signal()
