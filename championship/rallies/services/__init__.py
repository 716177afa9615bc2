"""Every write of a rally, one function per thing a person, the clock or a run can do."""

from championship.rallies.services.controlling import (
    close_overdue_time_controls,
    close_time_control,
    excuse_time_controls,
    remind_of_time_controls,
    submit_time_control,
)
from championship.rallies.services.crewing import replace_driver, set_driven_by
from championship.rallies.services.entering import (
    Wanted,
    confirm_all,
    confirm_entry,
    enter_for,
    enter_rally,
    refuse_entry,
    withdraw_entry,
)
from championship.rallies.services.messaging import write_to_entrants
from championship.rallies.services.past import PastDrive, record_past_rally, remove_past_rally
from championship.rallies.services.penalties import give_penalty
from championship.rallies.services.practising import open_practice
from championship.rallies.services.preparing import cancel_rally, change_options, create_rally
from championship.rallies.services.seeding import seed_by_standing, write_start_list
from championship.rallies.services.starting import draw_start_list, start_next_stage, start_rally
from championship.rallies.services.timekeeping import (
    change_timekeeping,
    excuse_closing,
    pause_rally,
    penalise_miss,
    resume_rally,
)
from championship.rallies.services.timing import record_stage_time

__all__ = [
    "PastDrive",
    "Wanted",
    "cancel_rally",
    "change_options",
    "change_timekeeping",
    "close_overdue_time_controls",
    "close_time_control",
    "confirm_all",
    "confirm_entry",
    "create_rally",
    "draw_start_list",
    "enter_for",
    "enter_rally",
    "excuse_closing",
    "excuse_time_controls",
    "give_penalty",
    "open_practice",
    "pause_rally",
    "penalise_miss",
    "record_past_rally",
    "record_stage_time",
    "refuse_entry",
    "remind_of_time_controls",
    "remove_past_rally",
    "replace_driver",
    "resume_rally",
    "seed_by_standing",
    "set_driven_by",
    "start_next_stage",
    "start_rally",
    "submit_time_control",
    "withdraw_entry",
    "write_start_list",
    "write_to_entrants",
]
