"""Notices of a rally to its club's webhook: the rally or a later stage has started, all results of a stage are in, the
rally is over.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext_lazy as _

from championship.notices import kinds
from championship.notices import services as notices
from championship.notices.selectors import club_listens
from championship.rallies.desk.promises import Promised, promises_of
from championship.rallies.models import Rally, SpecialStage
from championship.rallies.results.classification import Line, on_podium
from championship.rallies.results.selectors import results_of

STARTED, OPENED = "club: rally started", "club: stage opened"
TIMES_IN, OVER = "club: stage times in", "club: rally over"


def register() -> None:
    """Register these kinds of notice."""
    words = (
        (STARTED, _("%(rally)s has started"), "club_rally_started", _("A rally has started")),
        (OPENED, _("%(rally)s, %(stage)s has started"), "club_stage_opened", _("A later stage or race has started")),
        (TIMES_IN, _("%(rally)s, %(stage)s: results"), "club_stage_times", _("Results are in")),
        (OVER, _("%(rally)s is over"), "club_rally_over", _("A rally is over")),
    )
    for kind, subject, template, switch in words:
        body = f"notices/mail/{template}.txt"
        kinds.register(kind, subject=subject, body_template=body, switch=switch, public=True)


def announce_rally_started(rally: Rally, *, starters: int) -> None:
    """Announce that the rally has started, with the number of cars and the promises about the random draws."""
    if _listens(rally):
        context = {"starters": starters, "promises": promises_of(rally)}
        _announce(rally, STARTED, f"rally {rally.pk}", context, rally.get_absolute_url())


def announce_stage_opened(rally: Rally, stage: SpecialStage, promised: Promised) -> None:
    """Announce that a later stage has started, with the promise about its random draws."""
    if _listens(rally):
        context = {"stage": stage.number, "promises": [promised]}
        _announce(rally, OPENED, f"stage {stage.pk}", context, stage.get_absolute_url())


def announce_stage_results(rally: Rally, stage: SpecialStage) -> None:
    """Announce the best three of a stage when all results are in."""
    if _listens(rally):
        lines = _in_words(on_podium(results_of(rally, all_in=True).stage_lines(stage.number)))
        context = {"stage": stage.number, "lines": lines}
        _announce(rally, TIMES_IN, f"stage {stage.pk}", context, stage.get_absolute_url())


def announce_rally_over(rally: Rally) -> None:
    """Announce the podium when the rally is over."""
    if _listens(rally):
        lines = _in_words(on_podium(results_of(rally).overall))
        _announce(rally, OVER, f"rally {rally.pk}", {"lines": lines}, rally.get_absolute_url())


def _listens(rally: Rally) -> bool:
    return not rally.practice and club_listens(rally.club_id)


def _announce(rally: Rally, kind: str, subject_key: str, context: dict[str, object], link: str) -> None:
    if _listens(rally):
        about = {"rally": rally.name, "game": rally.game, **context}
        notices.announce(club=rally.club, kind=kind, subject_key=subject_key, context=about, link=link)


def _in_words(lines: Iterable[Line]) -> list[str]:
    return [f"{line.place}. {line.entry} {line.total_in_words}" for line in lines]
