"""Signals for other apps. They are sent inside the transaction: a receiver that fails rolls it back."""

from django.dispatch import Signal

# person: User, who has changed how long before a deadline they want to be reminded.
reminders_changed = Signal()
