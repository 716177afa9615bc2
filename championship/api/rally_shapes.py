"""The shapes of rallies: entries, stages, start lists, results, gaps, rulings."""

from __future__ import annotations

from rest_framework import serializers

from championship.api.shapes import Address, ClubShape, EntryName, MeasureShape, PersonName, Shape, UtcDateTime
from championship.rallies.models import Entry, Rally, SpecialStage


class RallyShape(Shape):
    key = serializers.CharField()
    name = serializers.CharField(source="title")
    game = serializers.CharField()
    rules_version = serializers.CharField(source="ruleset_version")
    measure = MeasureShape()
    mode = serializers.ChoiceField(choices=Rally.Mode.values)
    status = serializers.ChoiceField(choices=Rally.Status.values)
    turn_hours = serializers.IntegerField()
    entry_limit = serializers.IntegerField(allow_null=True)
    created_at = UtcDateTime()
    started_at = UtcDateTime()
    finished_at = UtcDateTime()
    paused_at = UtcDateTime()
    address = Address()


class WholeRallyShape(RallyShape):
    club = ClubShape()
    options = serializers.DictField()
    classes = serializers.ListField(child=serializers.CharField(), source="class_names")
    knockout = serializers.DictField()
    missed = serializers.CharField(allow_blank=True)
    missed_added = serializers.IntegerField()


class ShortEntryShape(Shape):
    key = EntryName(source="pk")
    start_number = serializers.IntegerField(allow_null=True)
    crew = serializers.CharField()
    car_class = serializers.CharField(allow_blank=True)
    team = serializers.CharField(allow_null=True, allow_blank=True)
    bot = serializers.BooleanField(source="driver.is_bot")


class EntryShape(ShortEntryShape):
    driver = PersonName(source="driver_id")
    status = serializers.ChoiceField(choices=Entry.Status.values)
    driven_by = serializers.ChoiceField(choices=Entry.DrivenBy.values)
    asked_at = UtcDateTime()


class StageShape(Shape):
    number = serializers.IntegerField()
    title = serializers.CharField()
    status = serializers.ChoiceField(choices=SpecialStage.Status.values)
    opened_at = UtcDateTime()
    closed_at = UtcDateTime()
    closes_at = UtcDateTime()
    control_deadline = UtcDateTime()
    address = Address()


class WholeStageShape(StageShape):
    course = serializers.JSONField(source="spec")


class StartShape(Shape):
    position = serializers.IntegerField()
    heat = serializers.IntegerField(allow_null=True)
    entry = ShortEntryShape()


class RetirementShape(Shape):
    stage = serializers.IntegerField()
    why = serializers.CharField(allow_blank=True)


class LineShape(Shape):
    """A line of a classification; amounts are in the rally's unit.

    `part`: with heats, the last part that the car drove, in words. Gaps are those to cars of the same part. `codes`:
    the marks of results that were not driven to the finish: NT a notional result, H set by hand, SR a missed stage as
    the rally charges it, SH a shortened stage.
    """

    place = serializers.IntegerField(allow_null=True)
    entry = ShortEntryShape()
    total = serializers.IntegerField(allow_null=True)
    to_leader = serializers.IntegerField(allow_null=True)
    to_ahead = serializers.IntegerField(allow_null=True)
    control = serializers.IntegerField(source="remarks.control")
    penalties = serializers.IntegerField(source="remarks.penalties")
    set_by_hand = serializers.ListField(child=serializers.IntegerField(), source="remarks.by_hand")
    retired = RetirementShape(many=True, source="remarks.retired")
    excluded = serializers.BooleanField()
    part = serializers.CharField(source="remarks.part", allow_blank=True)
    codes = serializers.ListField(child=serializers.CharField(), source="remarks.codes")
    won = serializers.IntegerField(allow_null=True)


class ResultsShape(Shape):
    """`final`: nothing changes any more but by officials. `times_in`: how many results there are, hidden ones too."""

    measure = MeasureShape()
    through = serializers.IntegerField()
    final = serializers.BooleanField()
    times_in = serializers.IntegerField(allow_null=True)
    lines = LineShape(many=True)


class StagePodiumShape(Shape):
    stage = serializers.IntegerField()
    lines = LineShape(many=True)


class PodiumShape(Shape):
    measure = MeasureShape()
    final = serializers.BooleanField()
    overall = LineShape(many=True)
    stages = StagePodiumShape(many=True)


class TimeShape(Shape):
    measured = serializers.IntegerField()
    gap = serializers.IntegerField()


class CarGapsShape(Shape):
    run = serializers.CharField(source="run.key")
    entry = ShortEntryShape(source="seat.entry")
    times = serializers.ListField(child=TimeShape(allow_null=True))
    finish = TimeShape(allow_null=True)
    bonus = serializers.IntegerField()
    retired = serializers.BooleanField()


class GapsShape(Shape):
    measure = MeasureShape()
    borders = serializers.IntegerField()
    cars = CarGapsShape(many=True)


class ActShape(Shape):
    entry = ShortEntryShape()
    stage = serializers.IntegerField(allow_null=True)
    what = serializers.CharField()
    reason = serializers.CharField()
    at = UtcDateTime()
    lifted = serializers.BooleanField()
    why_lifted = serializers.CharField(allow_blank=True)
    author_drives = serializers.BooleanField(source="drove")


class DecisionShape(Shape):
    key = serializers.CharField()
    number = serializers.IntegerField()
    kind = serializers.CharField()
    entry = EntryName(source="entry_id", allow_null=True)
    stage = serializers.IntegerField(source="special_stage.number", allow_null=True, default=None)
    amount = serializers.IntegerField(allow_null=True)
    text = serializers.CharField()
    at = UtcDateTime()


class ProtestShape(Shape):
    key = serializers.CharField()
    status = serializers.CharField()
    by = EntryName(source="by_id")
    against = EntryName(source="against_id", allow_null=True)
    stage = serializers.IntegerField(source="special_stage.number", allow_null=True, default=None)
    text = serializers.CharField()
    filed_at = UtcDateTime()


class RulingsShape(Shape):
    acts = ActShape(many=True)
    decisions = DecisionShape(many=True)
    protests = ProtestShape(many=True)


class StageDocumentShape(Shape):
    stage = WholeStageShape()
    results = LineShape(many=True)
    runs = serializers.ListField(child=serializers.CharField())
    records = serializers.ListField(child=serializers.CharField())


class DocumentShape(Shape):
    """A finished rally as one document."""

    rally = WholeRallyShape()
    entries = EntryShape(many=True)
    stages = StageDocumentShape(many=True)
    overall = LineShape(many=True)
    rulings = RulingsShape()


class EnterShape(Shape):
    """How a driver asks to take part."""

    crew = serializers.CharField(max_length=80)
    car_class = serializers.CharField(max_length=20, required=False, allow_blank=True, default="")


class ConfirmShape(Shape):
    start_number = serializers.IntegerField(min_value=1, max_value=999, required=False, allow_null=True, default=None)


class CardShape(Shape):
    """What a driver decides at time control, by the names that the game asks for."""

    decision = serializers.DictField()


class ActShapeSent(Shape):
    """`stage`: the number of the stage that the organiser saw, for acts that are about one."""

    stage = serializers.IntegerField(min_value=1, max_value=99, required=False, allow_null=True, default=None)


class PenaltyShape(Shape):
    """`amount` is in the rally's unit, below zero for a bonus."""

    entry = serializers.CharField(max_length=40)
    amount = serializers.IntegerField(min_value=-100_000, max_value=100_000)
    reason = serializers.CharField(max_length=200)
    stage = serializers.IntegerField(min_value=1, max_value=99, required=False, allow_null=True, default=None)
