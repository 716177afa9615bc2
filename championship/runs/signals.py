"""Signals of the runs app: sender and receivers need not import each other."""

from django.dispatch import Signal

codriver_to_play = Signal()
"""Sent with `run_id` inside the transaction after which the codriver must play in that run."""
