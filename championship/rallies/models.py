"""The models of rallies. Rally, SpecialStage and Entry are defined here. Start lists, results, time-control cards,
penalties and the rest are in modules of their own; other code imports them from here.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from championship import catalogue
from championship.catalogue.words import Words
from championship.deadlines.counted_time import Away
from championship.platform import clock
from championship.platform.keys import new_key
from championship.rallies.clock.pauses import Pause as Pause
from championship.rallies.clock.pauses import pauses_of_many
from championship.rallies.clock.policy import ActingDates, Timekeeping
from championship.rallies.clock.rounds_together import supports_rounds_together
from championship.rallies.control.control_cards import AwaitedCard as AwaitedCard
from championship.rallies.control.control_cards import TimeControlCard as TimeControlCard
from championship.rallies.desk.messages import Message as Message
from championship.rallies.entries.driver_changes import CrewChange as CrewChange
from championship.rallies.knockout.plan import Knockout, part_called, plan_of
from championship.rallies.results.published import PublishedResult as PublishedResult
from championship.rallies.results.rulings import Exclusion as Exclusion
from championship.rallies.results.rulings import Penalty as Penalty
from championship.rallies.results.rulings import PenaltyWithdrawal as PenaltyWithdrawal
from championship.rallies.results.rulings import TimeByHand as TimeByHand
from championship.rallies.results.starts_and_times import StageTime as StageTime
from championship.rallies.results.starts_and_times import StartPlace as StartPlace
from engine import registry
from engine.contract import Career, Measure, Newcomers, offered

COLOURS = 10
OPEN_STAGE = "Open stage "
"""What the names of open stages begin with; the week follows."""
ON_PAPER = "on paper"
"""The version of the rules of a rally that was driven without an engine."""


UNIT_NAME = RegexValidator(r"^[a-z][a-z0-9_]*\Z")
"""The name of a unit of results."""


class Rally(ActingDates, Timekeeping):
    """A series of special stages that the entries of one club drive with one set of options.

    `entry_limit`: the maximum number of cars; later entries wait. `classes`: the car classes, each with `name` and
    `limit` (None: only the rally's limit); when it is empty, drivers type their own class. `seeded_by`: how the first
    stage's start list was made, empty while there is none. `unit` and `better`: the measure of its game when the rally
    was created. `for_everybody`: an open stage, which people may start until it closes
    (services/rallies_for_everybody.py). `knockout`: the plan of heats and a final (knockout/plan.py), empty where all
    drive every stage. `missed`: what a stage costs that a car has not finished; `missed_added`: what is added to it, in
    the rally's unit. `ledgers`: whether pages, papers and programs tell what drivers decided from what chance gave.
    `day_known`: what is known of the date of a rally that was driven on paper; of what is not known,
    `started_at` and `finished_at` only give the order.
    """

    class Mode(models.TextChoices):
        CONVOY = "convoy", _("Convoy: cars on the road together")
        OPEN_ROAD = "open road", _("Open road: every car alone against the clock")
        AT_TABLE = "at the table", _("At the table: with the printed game, results by hand")

    class Status(models.TextChoices):
        ENTRIES = "entries", _("Entries open")
        RUNNING = "running", _("Under way")
        FINISHED = "finished", _("Finished")
        CANCELLED = "cancelled", _("Cancelled")

    class Better(models.TextChoices):
        FEWEST = "fewest", _("the fewest win")
        MOST = "most", _("the most win")

    class DayKnown(models.TextChoices):
        DAY = "day", _("the day")
        YEAR = "year", _("the year")
        NOTHING = "no", _("nothing")

    class Seeding(models.TextChoices):
        DRAW = "draw", _("drawn by lot")
        STANDING = "standing", _("by the standing in the championship")
        HAND = "hand", _("written by hand")

    class Missed(models.TextChoices):
        GAME = "", _("as the game says")
        SLOWEST = "slowest", _("the worst result of all, and what is added")
        CLASS = "class", _("the worst result of its class, and what is added")

    key = models.CharField(max_length=24, unique=True, default=new_key, editable=False)
    club = models.ForeignKey("clubs.Club", on_delete=models.PROTECT, related_name="rallies")
    name = models.CharField(_("name"), max_length=80)
    game = models.CharField(_("game"), max_length=20)
    ruleset_version = models.CharField(_("version of the rules"), max_length=20)
    options = models.JSONField(_("options"), default=dict)
    unit = models.CharField(_("unit of results"), max_length=20, default="seconds", validators=[UNIT_NAME])
    better = models.CharField(_("who wins"), max_length=8, choices=Better.choices, default=Better.FEWEST)
    mode = models.CharField(_("mode"), max_length=12, choices=Mode.choices, default=Mode.CONVOY)
    status = models.CharField(_("status"), max_length=12, choices=Status.choices, default=Status.ENTRIES)
    auto_start = models.BooleanField(_("open the next stage at once"), default=True)
    entry_limit = models.PositiveSmallIntegerField(
        _("most cars"), null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(999)]
    )
    classes: models.JSONField[list[dict[str, Any]], list[dict[str, Any]]] = models.JSONField(
        _("car classes"), default=list, blank=True
    )
    seeded_by = models.CharField(_("start list"), max_length=10, choices=Seeding.choices, blank=True, editable=False)
    knockout: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(
        _("heats and a final"), default=dict, db_default=models.Value({}, models.JSONField()), blank=True
    )
    missed = models.CharField(
        _("who does not finish"), max_length=8, choices=Missed.choices, blank=True, default="", db_default=""
    )
    missed_added = models.PositiveSmallIntegerField(
        _("added"), default=0, db_default=0, validators=[MaxValueValidator(3600)]
    )
    cancel_reason = models.CharField(_("why it was cancelled"), max_length=200, blank=True)
    ledgers = models.BooleanField(_("tell decisions from chance"), default=True, db_default=True)
    practice = models.BooleanField(_("a practice stage"), default=False, editable=False)
    for_everybody = models.BooleanField(_("an open stage"), default=False, db_default=False, editable=False)
    day_known = models.CharField(
        _("what is known of its date"), max_length=4, choices=DayKnown.choices, default=DayKnown.DAY, db_default="day",
        editable=False,
    )  # fmt: skip
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    started_at = models.DateTimeField(_("started"), null=True, blank=True)
    finished_at = models.DateTimeField(_("finished"), null=True, blank=True)

    class Meta:
        verbose_name = _("rally")
        verbose_name_plural = _("rallies")
        ordering = ["-created_at", "-pk"]
        constraints = [
            *Timekeeping.Meta.constraints,
            models.CheckConstraint(
                condition=Q(turn_hours__gte=1, turn_hours__lte=720),
                name="rallies_turn_takes_an_hour_to_a_month",
            ),
            models.CheckConstraint(
                condition=Q(reminder_hours__lt=F("turn_hours")), name="rallies_reminder_within_the_turn"
            ),
            models.CheckConstraint(
                condition=~Q(status__in=["running", "finished"]) | Q(started_at__isnull=False),
                name="rallies_under_way_once_started",
            ),
            models.CheckConstraint(
                condition=~Q(status="finished") | Q(finished_at__isnull=False),
                name="rallies_finished_at_a_moment",
            ),
            models.CheckConstraint(
                condition=Q(entry_limit__isnull=True) | Q(entry_limit__gte=1, entry_limit__lte=999),
                name="rallies_room_for_1_to_999_cars",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        if self.for_everybody:
            return reverse("openstage:week", args=[self.week_name])
        return reverse("rallies:rally", args=[self.key])

    @property
    def week_name(self) -> str:
        """The week of an open stage: "2026-W47"."""
        return self.name.rpartition(" ")[2]

    @property
    def is_open_stage(self) -> bool:
        """Whether it is named after an open stage: it is one, or a guest drives it out of competition."""
        return self.name.startswith(OPEN_STAGE)

    def absences_since(self, moment: datetime) -> Sequence[Away]:
        """The rally's pauses that had not ended at that moment: one query."""
        return pauses_of_many([self.pk], moment).get(self.pk, ())

    @property
    def title(self) -> str:
        """The name for pages, in the reader's language.

        For an open stage, also out of competition, it contains the week. For a practice stage it is the word for
        practice, because `name` is in the language in which the practice began.
        """
        if self.for_everybody or (self.practice and self.is_open_stage):
            return gettext("Open stage %(week)s") % {"week": self.week_name}
        return gettext("Practice") if self.practice else self.name

    @property
    def measure(self) -> Measure:
        """The measure by which its stages are won. Penalties are in the same unit."""
        return Measure(self.unit, self.better)  # type: ignore[arg-type]  # the columns hold their choices

    @property
    def all_options(self) -> dict[str, Any]:
        """Its options by name. An option that the game added after the rally was created has its default value."""
        chosen: dict[str, Any] = self.options
        return {option.name: option.default for option in registry.get(self.game).options} | chosen

    @property
    def words(self) -> Words:
        """The game's own words for things; neutral words for an imported rally whose game is not installed."""
        return catalogue.words_of(self.game)

    def after(self, number: int) -> str:
        """The heading of its classification after so many stages; without a number for 0."""
        if number == 0:
            return gettext("Overall")
        return str(self.words.after) % {"number": number}

    def stage_called(self, number: int) -> str:
        """The game's name for the stage of that number: "Stage 2", "Race 2"; with heats "Race 2 (final)"."""
        called = str(self.words.stage) % {"number": number}
        plan = self.heats
        return called if plan is None else f"{called} ({part_called(plan, number)})"

    @property
    def heats(self) -> Knockout | None:
        """The plan of heats and a final; None where all drive every stage."""
        return plan_of(self.knockout) if self.knockout else None

    @property
    def on_paper(self) -> bool:
        """Whether it was driven on paper and imported afterwards."""
        return self.ruleset_version == ON_PAPER

    @property
    def at_table(self) -> bool:
        """Whether it is driven at the table with the printed game, so that no stage has a run."""
        return self.mode == self.Mode.AT_TABLE

    @property
    def together(self) -> bool:
        """Whether all cars of a round have one deadline: `rounds_together` is set, and mode, pace and game allow it. As
        a query: `rounds_together.drives_together`.
        """
        fits = self.mode == self.Mode.CONVOY and self.pace == self.pace_now == self.Pace.TURN
        return self.rounds_together and fits and supports_rounds_together(self.game)

    @property
    def newcomer_rule(self) -> str:
        """The number of the game's rule by which newcomers begin with something else here; "" where all are equal."""
        newcomers = offered(registry.get(self.game), Newcomers)
        return newcomers.newcomer_rule if newcomers and newcomers.newcomer_limit(self.all_options) else ""

    @property
    def class_names(self) -> list[str]:
        """The names of the car classes; empty when drivers type their own class."""
        return [each["name"] for each in self.classes]

    @property
    def class_limits(self) -> dict[str, int]:
        """The maximum number of cars by class, for classes with a limit of their own."""
        return {each["name"]: each["limit"] for each in self.classes if each["limit"] is not None}


class SpecialStage(models.Model):
    """One stage of a rally: a snapshot of a stage design, which every entry drives once.

    `mode`: how it is driven, where not as the rally. `struck_at`: since when stewards have struck it out. Its results
    stay readable, and count for nothing. `shortened_to`: the border, counted from 1, at which stewards have taken the
    results instead of at the finish. `list_by_hand`: organisers have chosen who drives a final or a semi-final.

    In an imported rally only the name of the course may be known. Then there is no design, and `spec` is empty.
    """

    class Status(models.TextChoices):
        PLANNED = "planned", _("Planned")
        RUNNING = "running", _("On the road")
        TIME_CONTROL = "time control", _("Time control")
        DONE = "done", _("Done")
        CANCELLED = "cancelled", _("Called off")

    rally = models.ForeignKey(Rally, on_delete=models.CASCADE, related_name="stages")
    number = models.PositiveSmallIntegerField(_("number"), validators=[MinValueValidator(1)])
    name = models.CharField(_("name"), max_length=80, blank=True)
    mode = models.CharField(_("mode"), max_length=12, choices=Rally.Mode.choices, blank=True, default="", db_default="")
    design = models.ForeignKey(
        "stages.StageDesign", on_delete=models.PROTECT, related_name="special_stages", null=True, blank=True
    )
    spec = models.JSONField(_("course as driven"))
    status = models.CharField(_("status"), max_length=12, choices=Status.choices, default=Status.PLANNED)
    opened_at = models.DateTimeField(_("opened"), null=True, blank=True)
    closed_at = models.DateTimeField(_("closed"), null=True, blank=True)
    closes_at = models.DateTimeField(_("closes"), null=True, blank=True)
    struck_at = models.DateTimeField(_("struck out"), null=True, blank=True, editable=False)
    shortened_to = models.PositiveSmallIntegerField(_("shortened to"), null=True, blank=True, editable=False)
    list_by_hand = models.BooleanField(_("start list by hand"), default=False, db_default=False, editable=False)
    control_opened_at = models.DateTimeField(_("time control opened"), null=True, blank=True)
    control_deadline = models.DateTimeField(_("time control closes"), null=True, blank=True, db_index=True)

    class Meta:
        verbose_name = _("special stage")
        verbose_name_plural = _("special stages")
        ordering = ["rally", "number"]
        constraints = [
            models.UniqueConstraint(fields=["rally", "number"], name="rallies_stage_number_once_per_rally"),
            models.CheckConstraint(condition=Q(number__gte=1), name="rallies_stage_numbers_from_one"),
            models.UniqueConstraint(
                fields=["rally"],
                condition=Q(status__in=["running", "time control"]),
                name="rallies_one_stage_open_at_a_time",
            ),
            models.CheckConstraint(
                condition=Q(status="planned") | Q(opened_at__isnull=False), name="rallies_driven_once_opened"
            ),
            models.CheckConstraint(
                condition=~Q(status="time control") | Q(control_deadline__isnull=False),
                name="rallies_time_control_has_a_deadline",
            ),
            models.CheckConstraint(
                condition=~Q(status="done") | Q(closed_at__isnull=False), name="rallies_done_at_a_moment"
            ),
        ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        if self.rally.for_everybody:
            return self.rally.get_absolute_url()
        return reverse("rallies:stage", args=[self.rally.key, self.number])

    @property
    def title(self) -> str:
        """ "Stage 2", with the name of a club's own design: "Stage 2: Forest"."""
        return f"{self.called}: {self.name}" if self.name else self.called

    @property
    def called(self) -> str:
        """ "Stage 2", in the game's words."""
        return self.rally.stage_called(self.number)

    @property
    def is_final(self) -> bool:
        """Whether it is the final of a rally with heats."""
        return self.rally.heats is not None and self.rally.heats.is_final(self.number)

    @property
    def driven_as(self) -> str:
        """The mode in which it is driven: its own, else that of the rally."""
        return self.mode or self.rally.mode

    @property
    def at_table(self) -> bool:
        """Whether everybody drives it at the table, so that it has no run."""
        return self.driven_as == Rally.Mode.AT_TABLE

    @property
    def after(self) -> str:
        """The heading of the rally's classification after this stage."""
        return self.rally.after(self.number)

    @property
    def service(self) -> bool:
        """Whether there is a service park at the end of this stage (F3)."""
        career = offered(registry.get(self.rally.game), Career) if self.spec else None
        return career is not None and career.has_service(self.spec)


class Entry(models.Model):
    """A driver in a rally, with start number, crew and car. `car` is the car's luggage between two stages.

    `driver` is the present driver; `crew_changes` holds the earlier ones. `asked_at`: when the driver requested the
    entry; the waiting list is in this order. `result_seen_at`: when the driver saw the result of the finished rally;
    until then the page of the driver's turns shows it. `team` is the name of the team for which the car drives, "" for
    none; where nobody has said, it is None, and that of the driver's registration counts. `at_table`: on the open road
    it drives at the table, while others drive runs. `starts_from`: the first stage that it starts on; None while its
    driver has dropped out of an evening. `late_added`: what is added to the worst result of each stage before that on
    which it has no result; None: it gets no result there.
    """

    class Status(models.TextChoices):
        REQUESTED = "requested", _("Requested")
        WAITING = "waiting", _("On the waiting list")
        CONFIRMED = "confirmed", _("Confirmed")
        REFUSED = "refused", _("Refused")
        WITHDRAWN = "withdrawn", _("Withdrawn")

        @classmethod
        def entered(cls) -> tuple[Entry.Status, ...]:
            """The states in which a driver has an entry: also on the waiting list."""
            return cls.REQUESTED, cls.WAITING, cls.CONFIRMED

        @classmethod
        def taking_places(cls) -> tuple[Entry.Status, ...]:
            """The states in which an entry takes one of the rally's places."""
            return cls.REQUESTED, cls.CONFIRMED

    class DrivenBy(models.TextChoices):
        PERSON = "person", _("Driver")
        CODRIVER = "codriver", _("Codriver")

    class Newcomer(models.TextChoices):
        BY_COUNT = "", _("by what they have driven")
        YES = "yes", _("a newcomer")
        NO = "no", _("no newcomer")

    rally = models.ForeignKey(Rally, on_delete=models.CASCADE, related_name="entries")
    driver = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="entries")
    driven_by = models.CharField(_("driven by"), max_length=10, choices=DrivenBy.choices, default=DrivenBy.PERSON)
    manner = models.CharField(_("manner of the codriver"), max_length=20, blank=True, default="", db_default="")
    status = models.CharField(_("status"), max_length=10, choices=Status.choices, default=Status.REQUESTED)
    start_number = models.PositiveSmallIntegerField(_("start number"), null=True, blank=True)
    crew = models.CharField(_("crew"), max_length=80)
    car_class = models.CharField(_("car class"), max_length=20, blank=True)
    team = models.CharField(_("team"), max_length=60, null=True, blank=True)
    colour = models.PositiveSmallIntegerField(_("colour"), default=0)
    car: models.JSONField[dict[str, Any] | None, Any] = models.JSONField(_("car"), null=True, blank=True)
    newcomer = models.CharField(
        _("newcomer"), max_length=3, choices=Newcomer.choices, blank=True, default="", db_default=""
    )
    bank_seconds = models.PositiveIntegerField(_("seconds left in the bank"), null=True, blank=True)
    at_table = models.BooleanField(_("drives at the table"), default=False, db_default=False, editable=False)
    starts_from = models.PositiveSmallIntegerField(_("starts from"), null=True, default=1, db_default=1, editable=False)
    late_added = models.PositiveSmallIntegerField(_("added for being late"), null=True, editable=False)
    created_at = models.DateTimeField(_("entered"), auto_now_add=True)
    asked_at = models.DateTimeField(_("asked"), default=clock.now)
    result_seen_at = models.DateTimeField(_("result looked at"), null=True, blank=True, editable=False)

    class Meta:
        verbose_name = _("entry")
        verbose_name_plural = _("entries")
        ordering = ["rally", F("start_number").asc(nulls_last=True), "created_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["rally", "driver"],
                condition=Q(status__in=["requested", "waiting", "confirmed"]),
                name="rallies_driver_once_per_rally",
            ),
            models.UniqueConstraint(
                fields=["rally", "start_number"],
                condition=Q(start_number__isnull=False),
                name="rallies_start_number_once_per_rally",
            ),
            models.CheckConstraint(
                condition=Q(start_number__isnull=True) | Q(start_number__gte=1, start_number__lte=999),
                name="rallies_start_numbers_1_to_999",
            ),
            models.CheckConstraint(
                condition=Q(status="confirmed", start_number__isnull=False)
                | (~Q(status="confirmed") & Q(start_number__isnull=True)),
                name="rallies_start_number_when_confirmed",
            ),
            models.CheckConstraint(condition=Q(colour__lt=COLOURS), name="rallies_colour_of_the_palette"),
        ]
        indexes = [
            models.Index(fields=["rally"], condition=Q(driven_by="codriver"), name="rallies_driven_by_codriver"),
        ]

    def __str__(self) -> str:
        return self.crew if self.start_number is None else f"#{self.start_number} {self.crew}"
