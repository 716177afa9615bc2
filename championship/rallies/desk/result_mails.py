"""What a mail about results tells besides the reader's own result: the board with places, results and gaps, and the
winner. It is read when the mail is sent, as the reader may know it then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from championship.notices.details import Board, BoardRow, Details
from championship.notices.models import Notice
from championship.rallies.models import Rally, SpecialStage
from championship.rallies.results.classification import Line
from championship.rallies.results.selectors import results_of
from championship.stages.course_names import described

MOST_ROWS = 10
"""How many lines of a board are shown. The reader's own comes in any case."""


def details_of_stage(notice: Notice) -> Details:
    """Return the results of the stage that the notice is about, and the name and character of its road. Six queries."""
    stage = SpecialStage.objects.select_related("rally__club").filter(pk=notice.context.get("board_of")).first()
    if stage is None:
        return Details()
    lines = results_of(stage.rally, notice.recipient_id).stage_lines(stage.number)
    found = _told(lines, str(stage.title), notice, {line.entry.pk: _remark(line) for line in lines})
    return replace(found, context={**found.context, "road": described(stage.rally.game, stage.spec, stage.name)})


def details_of_rally(notice: Notice) -> Details:
    """Return the results of the rally that the notice is about. Six queries."""
    rally = Rally.objects.select_related("club").filter(pk=notice.context.get("board_of")).first()
    if rally is None:
        return Details()
    lines = results_of(rally, notice.recipient_id).overall
    return _told(lines, str(rally.title), notice, {line.entry.pk: line.retired_in_words for line in lines})


def _remark(line: Line) -> str:
    """Return that the entry retired from the stage, and why; "" when it has not."""
    return "; ".join(each.here for each in line.remarks.retired)


def _told(lines: Sequence[Line], title: str, notice: Notice, remarks: Mapping[int, str]) -> Details:
    """Return the board and the winner; nothing before there is a result. `remarks`: by entry, where one retired."""
    if not lines or lines[0].place is None:
        return Details()
    own = next((line for line in lines if line.entry.driver_id == notice.recipient_id), None)
    shown = list(lines[:MOST_ROWS])
    if own is not None and own not in shown:
        shown[-1] = own
    board = Board(
        title, [_row(line, remarks[line.entry.pk], mine=line is own) for line in shown], len(lines) - len(shown)
    )
    first, other = lines[0], lines[1] if len(lines) > 1 else None
    context = {
        "winner": first.crew_in_words,
        "won_with": first.total_in_words,
        "ahead_by": other.gap.lstrip("+−") if other is not None and other.place is not None and other.to_leader else "",
        "own_gap": own.gap if own is not None and own.place is not None else "",
        "is_winner": own is first,
    }
    return Details(context, board)


def _row(line: Line, remark: str, *, mine: bool) -> BoardRow:
    place = "–" if line.place is None else str(line.place)
    name = f"{line.crew_in_words} ({remark})" if remark else line.crew_in_words
    return BoardRow(place, name, line.total_in_words, line.gap, mine)
