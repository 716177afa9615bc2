"""The tables that a club's archive contains, row for row, and those that it does not, each with the reason.

An archive leaves out what is not over. Of a stage that is being driven it contains only the start list, so that nothing
sealed, and no secret of future random draws, leaves the server.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.db.models import Model, Q, QuerySet

from championship import catalogue
from championship.audit.models import Record
from championship.clubs.models import Club, Holiday, Logo, Membership
from championship.deadlines.terms import EARLIER
from championship.evenings.models import Word
from championship.moments.models import Cheer, Comment
from championship.rallies.control.control_cards import CLOSED
from championship.rallies.desk.messages import Message
from championship.rallies.entries.driver_changes import CrewChange
from championship.rallies.models import (
    Entry,
    Exclusion,
    Pause,
    Penalty,
    PenaltyWithdrawal,
    PublishedResult,
    Rally,
    SpecialStage,
    StageTime,
    StartPlace,
    TimeByHand,
    TimeControlCard,
)
from championship.runs.models import Event, Phrase, Post, Run, Seal, Seat, SentAhead, Turn
from championship.seasons.models import (
    Adjustment,
    Championship,
    DivisionRules,
    Nomination,
    Registration,
    Renewal,
    Reserve,
    Round,
    SharedDrive,
    Team,
    Transfer,
)
from championship.stages.models import Chunk, Rating, StageDesign
from championship.stewards.models import Decision, PointsRule, Protest, Statement, Terms
from championship.tabletop.models import Roll, Score

Row = dict[str, Any]
OVER = (SpecialStage.Status.TIME_CONTROL, SpecialStage.Status.DONE)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of `model` that belong to a club. `club` is the lookup that leads to the club, `only` selects the rows, and
    `adjust` changes a row before it is written, so that a restored club does not continue what was under way.
    """

    model: type[Model]
    club: str
    only: Q = field(default_factory=Q)
    adjust: Callable[[Row], Row] | None = None

    @property
    def name(self) -> str:
        """The name of its file in the archive."""
        return self.model._meta.label_lower

    def rows_of(self, club: Club) -> QuerySet[Any]:
        """Return the club's rows, oldest first."""
        return self.model._default_manager.filter(self.only, **{self.club: club.pk}).order_by("pk")


def _not_yet_driven(row: Row) -> Row:
    """Return a stage that is being driven as it was before it opened, because it will be driven again."""
    if row["status"] != SpecialStage.Status.RUNNING:
        return row
    return {**row, "status": SpecialStage.Status.PLANNED.value, "opened_at": None, "closes_at": None}


def _starts_by_hand(row: Row) -> Row:
    """Remove the start time of a rally, so that a restored rally is started by its organisers and not at once by the
    clock. The clock of a season is not in archives, so entries that wait for it are open. An evening is over.
    """
    return {**row, "starts_at": None, "entries_open_at": None, "entries_opened": True, "evening_since": None}


def _dated_by_hand(row: Row) -> Row:
    """Remove the start that the clock of a season has given to a round: archives contain no clocks."""
    return {**row, "clock_start": None}


def _without_earlier_drivers(row: Row) -> Row:
    """Remove from a turn what drivers who were replaced had left: it names people by their keys in this database, and
    matters only as long as the turn is open.
    """
    terms = row.get("terms")  # in a damaged archive it may be anything
    if not isinstance(terms, dict) or EARLIER not in terms:
        return row
    return {**row, "terms": {key: value for key, value in terms.items() if key != EARLIER}}


def _over(path: str) -> Q:
    return Q(**{f"{path}status__in": OVER})


def _driven(path: str) -> Q:
    """Select rows of a finished run on a stage that is over."""
    stage = Q(**{f"{path}special_stage__status__in": OVER})
    return stage & Q(**{f"{path}status": Run.Status.FINISHED})


TABLES: tuple[Table, ...] = (
    Table(Club, "pk"),
    Table(Logo, "club"),
    Table(Membership, "club"),
    Table(Holiday, "club"),
    Table(StageDesign, "club"),
    Table(Rating, "design__club", Q(rated_at__isnull=False)),
    Table(Chunk, "rating__design__club", Q(rating__rated_at__isnull=False)),
    Table(Rally, "club", adjust=_starts_by_hand),
    Table(SpecialStage, "rally__club", adjust=_not_yet_driven),
    Table(Entry, "rally__club"),
    Table(PublishedResult, "entry__rally__club"),
    Table(StartPlace, "special_stage__rally__club"),
    Table(StageTime, "special_stage__rally__club", _over("special_stage__")),
    Table(TimeControlCard, "special_stage__rally__club", CLOSED),
    Table(
        Penalty,
        "rally__club",
        ~Q(missed_turn__isnull=False, special_stage__status=SpecialStage.Status.RUNNING),
    ),
    Table(
        PenaltyWithdrawal,
        "penalty__rally__club",
        ~Q(penalty__missed_turn__isnull=False, penalty__special_stage__status=SpecialStage.Status.RUNNING),
    ),
    Table(Exclusion, "entry__rally__club"),
    Table(TimeByHand, "special_stage__rally__club", _over("special_stage__")),
    Table(Pause, "rally__club"),
    Table(CrewChange, "entry__rally__club"),
    Table(Message, "rally__club"),
    Table(
        Seal,
        "special_stage__rally__club",
        _over("special_stage__") & ~Q(special_stage__runs__status=Run.Status.RUNNING),
    ),
    Table(Phrase, "special_stage__rally__club"),
    Table(Run, "special_stage__rally__club", _driven("")),
    Table(Seat, "special_stage__rally__club", _driven("run__")),
    Table(Turn, "run__special_stage__rally__club", _driven("run__"), adjust=_without_earlier_drivers),
    Table(Post, "run__special_stage__rally__club", _driven("run__")),
    Table(Event, "run__special_stage__rally__club", _driven("run__")),
    Table(SentAhead, "seat__special_stage__rally__club", _driven("seat__run__")),
    Table(Score, "special_stage__rally__club", _over("special_stage__")),
    Table(
        Roll,
        "special_stage__rally__club",
        _over("special_stage__") & ~Q(special_stage__runs__status=Run.Status.RUNNING),
    ),
    Table(Championship, "club"),
    Table(Team, "championship__club"),
    Table(Registration, "championship__club"),
    Table(Round, "championship__club", adjust=_dated_by_hand),
    Table(Adjustment, "championship__club"),
    Table(Transfer, "championship__club"),
    Table(Nomination, "registration__championship__club"),
    Table(SharedDrive, "entry__rally__club"),
    Table(DivisionRules, "championship__club"),
    Table(Renewal, "championship__club"),
    Table(Reserve, "championship__club"),
    Table(Terms, "rally__club"),
    Table(Protest, "rally__club"),
    Table(Decision, "rally__club"),
    Table(Statement, "protest__rally__club"),
    Table(PointsRule, "championship__club"),
    Table(Word, "run__special_stage__rally__club", _driven("run__")),
    Table(Comment, "club"),
    Table(Cheer, "club"),
    *(Table(apps.get_model(kept.model), kept.club) for kept in catalogue.kept()),
    Table(Record, "club_id"),
)

LEFT_OUT = {
    "accounts.user": "told as people: the name, and the mail address of members only",
    "accounts.closing": "belongs to a person who leaves",
    "accounts.formername": "belongs to a person",
    "legal.text": "belongs to the installation",
    "clubs.ban": "keeps a person out of the club here",
    "clubs.joinrequest": "a person's request to the club here",
    "clubs.report": "what members report is for stewards and the operator here",
    "accounts.signin": "where a person is signed in",
    "accounts.entranceletter": "a person's letters",
    "accounts.mailserver": "belongs to the installation",
    "deadlines.unexcusedoutage": "belongs to the installation",
    "failures.failure": "belongs to the installation",
    "failures.claim": "belongs to the installation",
    "notices.notice": "a person's letters",
    "notices.switch": "a person's own choice",
    "notices.preferences": "a person's own choice",
    "notices.pushsubscription": "reaches a person's browser",
    "notices.webhook": "its address and its secret let others speak in the club's name",
    "notices.keypair": "belongs to the installation",
    "notices.sentmail": "belongs to the installation",
    "clubs.invitation": "its link would still let people in",
    "runs.draft": "a plan that nobody else may read",
    "stages.stagedraft": "a stage that somebody has begun and not yet given to the club",
    "runs.keptledger": "made of the events, and made again from them",
    "runs.keptaccounts": "made of the events, and made again from them",
    "seasons.titleforecast": "it was for spectators while the season was driven",
    "runs.forecast": "it was for spectators while the stage was driven",
    "runs.practice": "belongs to the person who learns",
    "runs.scenedone": "belongs to the person who learns",
    "tabletop.evening": "its links would still let people in",
    "tabletop.table": "its link would still let people in",
    "tabletop.signon": "who was at which table matters only that evening",
    "evenings.question": "asked in an evening here",
    "evenings.agreement": "an answer in an evening here",
    "evenings.checkinhour": "by when drivers check in here",
    "evenings.checkin": "who came to an evening here",
    "evenings.unseen": "a person's own choice",
    "evenings.driverpause": "it matters only in an evening here",
    "evenings.stop": "when an evening here ends; what it did is in the results",
    "openstage.week": "open stages belong to no club",
    "puzzles.searched": "puzzles are looked for again",
    "puzzles.puzzle": "found again in the finished runs",
    "puzzles.answer": "belongs to the person who answered",
    "puzzles.solver": "belongs to the person who answers",
    "puzzles.turnagain": "belongs to the person who learns",
    "puzzles.driveon": "belongs to the person who drives on",
    "profiles.publicprofile": "a person's own choice",
    "deadlines.sweep": "belongs to the installation",
    "health.clockjump": "belongs to the installation",
    "health.finishedbackup": "belongs to the installation",
    "health.machineclock": "belongs to the installation",
    "lineage.lineage": "belongs to the installation",
    "rallies.awaitedcard": "made again for the cards that are missing",
    "moments.highlight": "chosen again from the events of the stage",
    "moments.stagetold": "highlights are chosen again",
    "seasons.seasonclock": "a season moved here waits until its organisers let it run by itself again",
    "seasons.roundact": "what the clock of a season has done in rounds",
    "seasons.checkin": "answers to a question of the clock of a season",
    "seasons.placeoffer": "an offer that waits for an answer here",
    "seasons.seasontemplate": "it names courses by their keys in this database",
    "papers.keptpaper": "made of the results, and made again from them",
    "papers.bigfile": "made of a season, and made again from it",
    "seasons.seasondraft": "a plan that nobody else may read",
    "lists.listdraft": "a list that somebody has brought and not imported yet",
    "lists.alias": "said again for the next list",
    "lists.listimport": "what was imported is in the archive; a club that is restored starts afresh",
    "lists.columns": "said again for the next list of that shape",
    "archive.archive": "an archive of archives",
    "archive.part": "an archive of archives",
    "archive.upload": "an archive of archives",
    "archive.uploadpart": "an archive of archives",
    "archive.archivedmember": "waits here for people in an earlier archive",
    "api.token": "its digest would let a program in",
    "api.keptanswer": "answers to a person's program, kept for a day",
}
"""Models that are in no archive, by label, with the reason."""

BY_NAME = {table.name: table for table in TABLES}
