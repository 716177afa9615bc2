"""What the clock of a season does next, round by round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from championship.accounts.models import User
from championship.platform.prepared_queries import BoundQuery, prepared
from championship.rallies.models import Rally
from championship.seasons.clock.services.acting import next_act, rounds_ahead, times_of, token_for
from championship.seasons.clock.timetable import ACTS, ASK
from championship.seasons.models import Championship, CheckIn, Round, RoundAct, SeasonClock


@dataclass(frozen=True, slots=True)
class ActAhead:
    """An act of a round: its name and label, when it is due (None: not known yet), what became of it, why it stopped,
    and whether it is the next one.
    """

    act: str
    label: str
    due: datetime | None
    state: str
    reason: str
    is_next: bool

    @property
    def over(self) -> bool:
        """Whether nothing is left to do."""
        return self.state in (RoundAct.State.DONE, RoundAct.State.SKIPPED)

    @property
    def waits(self) -> bool:
        """Whether it does not happen before an organiser lets it."""
        return self.state in (RoundAct.State.HELD, RoundAct.State.STOPPED)

    @property
    def state_words(self) -> str:
        """What became of it, in words; "" for an act that is still to come."""
        return str(RoundAct.State(self.state).label) if self.state else ""


@dataclass(frozen=True, slots=True)
class RoundAhead:
    """A round that has not started, its acts in order, and how many drivers have said that they come or do not."""

    round: Round
    acts: Sequence[ActAhead]
    coming: int
    staying_away: int
    silent: int


def rounds_by_clock(championship: Championship, of: SeasonClock) -> list[RoundAhead]:
    """Return the rounds ahead of a season. Four queries."""
    rounds = list(rounds_ahead(championship.pk))
    answers: dict[int, list[bool | None]] = {}
    asked = CheckIn.objects.filter(entry__rally__in=[each.rally_id for each in rounds])
    for rally_id, coming in asked.values_list("entry__rally_id", "coming"):
        answers.setdefault(rally_id, []).append(coming)
    return [_ahead(each, of, answers.get(each.rally_id, [])) for each in rounds]


def _ahead(round: Round, of: SeasonClock, answers: Sequence[bool | None]) -> RoundAhead:
    written = {each.act: each for each in round.acts.all()}
    times, following = times_of(round, of), next_act(round, of)
    acts = []
    for act in ACTS:
        if act == ASK and not of.asks_hours:
            continue
        known = written.get(act)
        state, reason = (known.state, known.reason) if known else ("", "")
        acts.append(ActAhead(act, str(RoundAct.Act(act).label), times.get(act), state, reason, act == following))
    return RoundAhead(round, acts, answers.count(True), answers.count(False), answers.count(None))


@dataclass(frozen=True, slots=True)
class Question:
    """A round that asks a driver whether they come: the rally, and the token of the page that takes the answer."""

    rally: Rally
    token: str


def questions_for(driver: User) -> list[Question]:
    """Return the rounds that wait for an answer of a driver, the next start first. One query."""
    return questions(_asked(driver=driver.pk))


def questions_of_page(reader: int, **_known: Any) -> BoundQuery[CheckIn]:
    """Return the query of `questions_for`, for a page that reads it with all else."""
    return _asked.bind(driver=reader)


def questions(asked: Sequence[CheckIn]) -> list[Question]:
    """Return the rounds of these rows. No query."""
    return [Question(each.entry.rally, token_for(each.entry)) for each in asked]


@prepared
def _asked(driver: Any) -> QuerySet[CheckIn]:
    asked = CheckIn.objects.filter(
        entry__driver=driver, answered_at=None, entry__rally__status=Rally.Status.ENTRIES
    ).exclude(entry__status__in=("refused", "withdrawn"))
    return asked.select_related("entry__rally").order_by("entry__rally__starts_at")
