"""Every service that writes data about stages being driven.

A turn is read in three files, in this order:

1. `playing`: `play_turn` locks the run, refuses what is out of date, and has the game carry out the orders. The run is
   an `AdvancingRun`, which gathers in its `changes` what is to be written.
2. `advancing`: `advance` ends and begins turns in memory, plays what needs no decision, and finishes the run.
3. `writing`: `flush` writes the changes, each once: turns, posts and events, the run, drafts, notices.

The clock takes the same way from `turn_deadlines`, and a stage that opens from `opening`.
"""

from championship.runs.play.changing_hands import FOR_GOOD, hand_car_over, replace_driver, take_car_back
from championship.runs.play.ending_early import (
    call_off,
    failing_cars,
    rallies_with_failing_cars,
    retire_late,
)
from championship.runs.play.evening_time import give_more
from championship.runs.play.forecasting import forecast_stages
from championship.runs.play.handing_over import hand_over_wheel
from championship.runs.play.keeping_ledgers import keep_missing_ledgers
from championship.runs.play.missed_deadlines import take_wheel
from championship.runs.play.nudging import extend_turn, nudge, nudge_all
from championship.runs.play.open_pages import note_open_page
from championship.runs.play.opening import open_own_run, open_runs
from championship.runs.play.orders_ahead import send_ahead, withdraw
from championship.runs.play.playing import Posted, play_turn
from championship.runs.play.practice_runs import (
    OtherUnderWay,
    begin_out_of_competition,
    begin_practice,
    end_forgotten,
    leave_practice,
    skip_lesson,
)
from championship.runs.play.rebuilding import check_snapshot, rebuild
from championship.runs.play.resealing import accept_without_loss, after_restore
from championship.runs.play.scenes_done import mark_done
from championship.runs.play.sealing import seal_stages, set_phrase
from championship.runs.play.turn_deadlines import act_on_deadlines, drive_codrivers, drive_due
from championship.runs.play.turn_drafts import (
    Changed,
    add_move,
    change_move,
    clear_draft,
    keep_draft,
    keep_orders,
    lead_to,
    take_back,
)

__all__ = [
    "FOR_GOOD",
    "Changed",
    "OtherUnderWay",
    "Posted",
    "accept_without_loss",
    "act_on_deadlines",
    "add_move",
    "after_restore",
    "begin_out_of_competition",
    "begin_practice",
    "call_off",
    "change_move",
    "check_snapshot",
    "clear_draft",
    "drive_codrivers",
    "drive_due",
    "end_forgotten",
    "extend_turn",
    "failing_cars",
    "forecast_stages",
    "give_more",
    "hand_car_over",
    "hand_over_wheel",
    "keep_draft",
    "keep_missing_ledgers",
    "keep_orders",
    "lead_to",
    "leave_practice",
    "mark_done",
    "note_open_page",
    "nudge",
    "nudge_all",
    "open_own_run",
    "open_runs",
    "play_turn",
    "rallies_with_failing_cars",
    "rebuild",
    "replace_driver",
    "retire_late",
    "seal_stages",
    "send_ahead",
    "set_phrase",
    "skip_lesson",
    "take_back",
    "take_car_back",
    "take_wheel",
    "withdraw",
]
