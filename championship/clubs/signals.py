"""Signals for other apps. They are sent inside the transaction: a receiver that fails rolls it back."""

from django.dispatch import Signal

# club: Club, person: User, whose holidays in that club have changed.
holidays_changed = Signal()

# club: Club, by: User (the owner who closes it), reason: str. A receiver refuses (refusals.Refused) if something must
# end first, and ends what is waiting.
club_closing = Signal()

# club: Club, person: User, who has just become a member.
member_joined = Signal()
