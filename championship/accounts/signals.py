"""Signals for other apps. They are sent inside the transaction: a receiver that fails rolls it back."""

from django.dispatch import Signal

# person: User, who has changed their time zone.
zone_changed = Signal()

# person: User, who closes their account. A receiver refuses (refusals.Refused) if something must be settled first, and
# withdraws the person from what is under way.
account_closing = Signal()

# person: User, whose account is closed. Nothing may act or be sent in their name any more.
account_closed = Signal()

# person: User, whose closed account becomes final. A receiver deletes what only its owner had a use for.
account_ended = Signal()
