"""What other rooms may listen to. Sent inside the transaction: a receiver that fails undoes what was done."""

from django.dispatch import Signal

# rally: Rally. It stands with its stages, and entries are open.
rally_made = Signal()

# special_stage: SpecialStage. Its start list stands and it is on the road: open the runs.
stage_ready = Signal()

# entry: Entry. Its car now belongs to its driver or to the codriver, see `entry.driven_by`. anew: bool. An organiser
# has given it back to its driver, who has all the time of a turn again.
entry_handed_over = Signal()

# rally: Rally. Its pace has changed, or it goes on after a pause: open turns are due at another time.
rally_timed = Signal()
