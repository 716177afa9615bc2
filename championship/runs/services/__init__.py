"""Every write about stages being driven."""

from championship.runs.services.clock import act_on_deadlines, drive_codrivers, remind
from championship.runs.services.opening import open_runs
from championship.runs.services.playing import Posted, play_turn
from championship.runs.services.rebuilding import check_snapshot, rebuild
from championship.runs.services.sealing import say_phrase, seal_stages

__all__ = [
    "Posted",
    "act_on_deadlines",
    "check_snapshot",
    "drive_codrivers",
    "open_runs",
    "play_turn",
    "rebuild",
    "remind",
    "say_phrase",
    "seal_stages",
]
