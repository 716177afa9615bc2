"""The shapes of the API's answers, field by field. They read models and the values of selectors; they run no query."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from urllib.parse import urljoin

from django.conf import settings
from rest_framework import serializers

from championship.api import lookup
from championship.api.scopes import Scope
from championship.seasons.scoring.values import as_number


class UtcDateTime(serializers.DateTimeField):
    """An instant in UTC: 2026-11-19T12:00:00Z."""

    def __init__(self, **how: Any) -> None:
        super().__init__(default_timezone=UTC, **{"allow_null": True, "read_only": True, **how})

    def to_representation(self, value: datetime) -> str:
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


class PointsField(serializers.FloatField):
    """Points of a season: a whole number, or one with at most two decimals."""

    def to_representation(self, value: Any) -> Any:
        return value if isinstance(value, int) else float(value)


class HundredthsField(PointsField):
    """A number that is stored in hundredths."""

    def to_representation(self, value: Any) -> Any:
        return super().to_representation(as_number(value))


class PersonName(serializers.CharField):
    """The public key of a person, from the row's id; that of a person or team with a line in a table, from the row."""

    def to_representation(self, value: Any) -> str:
        return lookup.of_person(value) if isinstance(value, int) else lookup.of_row(value)


class EntryName(serializers.CharField):
    """The public key of an entry, from the row's id."""

    def to_representation(self, value: Any) -> str:
        return lookup.of_entry(value)


class Address(serializers.CharField):
    """The full address of the page of an object."""

    def __init__(self, **how: Any) -> None:
        super().__init__(source="get_absolute_url", read_only=True, **how)

    def to_representation(self, value: Any) -> str:
        return urljoin(settings.SITE_URL, str(value() if callable(value) else value))


class Shape(serializers.Serializer[Any]):
    """A shape. Every field is always present; it is None when it has no value."""


class PersonShape(Shape):
    key = PersonName(source="pk")
    name = serializers.CharField()
    bot = serializers.BooleanField(source="is_bot")


class ClubShape(Shape):
    key = serializers.CharField(source="slug")
    name = serializers.CharField()


class MembershipShape(Shape):
    club = ClubShape()
    roles = serializers.ListField(child=serializers.CharField())
    joined_at = UtcDateTime()


class TokenShape(Shape):
    name = serializers.CharField()
    begins_with = serializers.CharField(source="prefix")
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=Scope.values))
    club = ClubShape(allow_null=True)
    expires_at = UtcDateTime()


class MeShape(Shape):
    person = PersonShape()
    token = TokenShape()


class MeasureShape(Shape):
    unit = serializers.CharField(help_text="seconds, points, places, or a unit of the game's own, such as turns")
    better = serializers.ChoiceField(choices=["fewest", "most"])


class CourseShape(Shape):
    key = serializers.CharField()
    title = serializers.CharField()
    game = serializers.CharField()
    designer = serializers.CharField(allow_blank=True)
    library_number = serializers.CharField(source="source", allow_blank=True)
    club = ClubShape(allow_null=True)
    created_at = UtcDateTime()
    address = Address()


class WholeCourseShape(CourseShape):
    course = serializers.JSONField(source="spec")


class ChampionshipShape(Shape):
    """`further`: the rest of the scheme, as in a season file (docs/seasons.md)."""

    key = serializers.CharField()
    name = serializers.CharField()
    points = serializers.ListField(child=PointsField())
    classes = serializers.ListField(child=serializers.CharField())
    drop = serializers.IntegerField()
    tie_breaks = serializers.ListField(child=serializers.CharField())
    further = serializers.JSONField()
    created_at = UtcDateTime()
    address = Address()


class RoundShape(Shape):
    """`factor` multiplies its points. `points` are a table of its own; empty for that of the scheme."""

    number = serializers.IntegerField()
    rally = serializers.CharField(source="rally.key")
    name = serializers.CharField(source="rally.name")
    status = serializers.CharField(source="rally.status")
    factor = HundredthsField()
    points = serializers.ListField(child=PointsField())


class WholeChampionshipShape(ChampionshipShape):
    club = ClubShape()
    rounds = RoundShape(many=True)


class ScoreShape(Shape):
    """`excluded`: officials have excluded the driver from the round. It counts with its points and is never dropped."""

    points = PointsField()
    place = serializers.IntegerField(allow_null=True)
    power = PointsField()
    bonus = PointsField()
    retired = serializers.BooleanField()
    dropped = serializers.BooleanField()
    excluded = serializers.BooleanField()


class WhoShape(Shape):
    """A driver, or a team, which is no bot."""

    key = PersonName(source="*")
    name = serializers.CharField()
    bot = serializers.BooleanField(source="is_bot", default=False)


class StandingShape(Shape):
    """`scores`: one for each round, None where there is none. `adjusted`: what officials gave or took by hand; the
    total counts it. `tie_break` put the line behind the one before, which has the same points. `starts_missing`: how
    many starts are missing; such a line is behind all others, whatever its points.
    """

    place = serializers.IntegerField()
    who = WhoShape()
    total = PointsField()
    adjusted = PointsField()
    tie_break = serializers.CharField(allow_null=True, source="deciding_tie_break")
    starts_missing = serializers.IntegerField()
    wins = serializers.IntegerField()
    scores = serializers.ListField(child=ScoreShape(allow_null=True))


class AdjustmentShape(Shape):
    """Points that officials gave or took (below 0) by hand. `round`: its number, where it belongs to one."""

    who = WhoShape()
    points = PointsField()
    round = serializers.IntegerField(allow_null=True)
    reason = serializers.CharField()
    at = UtcDateTime()


class ClassStandingsShape(Shape):
    name = serializers.CharField()
    drivers = StandingShape(many=True)


class MoveShape(Shape):
    """A driver who goes up or down after the season, by the tables as they are. `from` and `to`: the divisions."""

    who = WhoShape()
    to = serializers.CharField()

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {**super().get_fields(), "from": serializers.CharField(source="before")}


class StandingsShape(Shape):
    """`moves`: in a season with divisions, which are its classes."""

    championship = serializers.CharField()
    rounds = RoundShape(many=True)
    drivers = StandingShape(many=True)
    classes = ClassStandingsShape(many=True)
    teams = StandingShape(many=True)
    adjustments = AdjustmentShape(many=True)
    moves = MoveShape(many=True)


class NoticeShape(Shape):
    key = serializers.CharField(source="pk")
    kind = serializers.CharField()
    about = serializers.CharField(source="subject_key")
    address = serializers.CharField()
    created_at = UtcDateTime()
    channel = serializers.CharField()
    status = serializers.CharField()


class DoneShape(Shape):
    """That something was done, and where what came of it can be read."""

    done = serializers.CharField()
    read = serializers.CharField()
