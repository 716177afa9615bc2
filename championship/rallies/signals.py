"""Signals for other apps. They are sent inside the transaction, so a receiver that fails rolls it back."""

from django.dispatch import Signal

# rally: Rally. It was created with its stages.
rally_made = Signal()

# special_stage: SpecialStage. It is on the road and its start list is final: receivers open its runs.
stage_ready = Signal()

# entry: Entry. Its car is now driven by its driver or by the codriver, see `entry.driven_by`. full_time: bool. True
# when an organiser has given the car back to its driver, who gets the whole time of a turn again.
entry_handed_over = Signal()

# rally: Rally. Its timekeeping or a closing time has changed, or a pause has ended: deadlines of open turns change.
rally_timed = Signal()
