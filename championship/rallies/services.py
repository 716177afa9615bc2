"""Every write of a rally: one function for each act of a person, of the clock or of a run."""

from championship.rallies.clock.services.evenings import (
    move_to_hours,
    move_to_seconds,
    set_evening_pace,
    set_evening_rules,
)
from championship.rallies.clock.services.timekeeping import (
    change_timekeeping,
    pause_after_restore,
    pause_as_agreed,
    pause_rally,
    penalise_miss,
    resume_as_agreed,
    resume_rally,
)
from championship.rallies.control.services.control_deadlines import close_overdue_time_controls
from championship.rallies.control.services.time_control import (
    close_time_control,
    submit_time_control,
)
from championship.rallies.desk.services.messaging import write_to_entrants
from championship.rallies.desk.services.preparing import (
    cancel_rally,
    change_options,
    choose_stage_modes,
    create_rally,
    set_ledgers,
)
from championship.rallies.desk.services.rallies_for_everybody import (
    close_for_everybody,
    close_now,
    enter_for_everybody,
    games_for_everybody,
    make_rally_for_everybody,
    open_practice,
)
from championship.rallies.desk.services.starting import (
    draw_start_list,
    start_next_stage,
    start_rally,
)
from championship.rallies.entries.services.changing_drivers import (
    choose_manner,
    drop_out,
    give_to_codriver,
    record_back_after_stage,
    record_stage_handed_over,
    replace_driver,
    require_may_hand_over,
    set_driven_by,
)
from championship.rallies.entries.services.changing_entries import mark_newcomer
from championship.rallies.entries.services.entering import (
    EntryRequest,
    confirm_all,
    confirm_entry,
    confirm_who_is_here,
    enter_for,
    enter_rally,
    leave_out,
    refuse_entry,
    withdraw_entry,
)
from championship.rallies.entries.services.joining_late import join_late
from championship.rallies.entries.services.seeding import seed_by_standing, write_start_list
from championship.rallies.results.services.imported_rallies import (
    ImportedDrive,
    Published,
    change_imported_rally,
    published_penalties,
    record_imported_rally,
    remove_imported_rallies,
)
from championship.rallies.results.services.penalties import (
    give_penalty,
    only_by_decision,
    withdraw_penalty,
)
from championship.rallies.results.services.recording_results import (
    Finish,
    mark_result_seen,
    record_stage_time,
    record_stage_times,
)

__all__ = [
    "EntryRequest",
    "Finish",
    "ImportedDrive",
    "Published",
    "cancel_rally",
    "change_imported_rally",
    "change_options",
    "change_timekeeping",
    "choose_manner",
    "choose_stage_modes",
    "close_for_everybody",
    "close_now",
    "close_overdue_time_controls",
    "close_time_control",
    "confirm_all",
    "confirm_entry",
    "confirm_who_is_here",
    "create_rally",
    "draw_start_list",
    "drop_out",
    "enter_for",
    "enter_for_everybody",
    "enter_rally",
    "games_for_everybody",
    "give_penalty",
    "give_to_codriver",
    "join_late",
    "leave_out",
    "make_rally_for_everybody",
    "mark_newcomer",
    "mark_result_seen",
    "move_to_hours",
    "move_to_seconds",
    "only_by_decision",
    "open_practice",
    "pause_after_restore",
    "pause_as_agreed",
    "pause_rally",
    "penalise_miss",
    "published_penalties",
    "record_back_after_stage",
    "record_imported_rally",
    "record_stage_handed_over",
    "record_stage_time",
    "record_stage_times",
    "refuse_entry",
    "remove_imported_rallies",
    "replace_driver",
    "require_may_hand_over",
    "resume_as_agreed",
    "resume_rally",
    "seed_by_standing",
    "set_driven_by",
    "set_evening_pace",
    "set_evening_rules",
    "set_ledgers",
    "start_next_stage",
    "start_rally",
    "submit_time_control",
    "withdraw_entry",
    "withdraw_penalty",
    "write_start_list",
    "write_to_entrants",
]
