"""What the runs say and who hears it need not know of each other."""

from django.dispatch import Signal

codriver_to_play = Signal()
"""Sent with `run_id` inside the transaction after which the codriver is to play in that run."""
