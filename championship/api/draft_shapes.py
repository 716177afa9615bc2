"""The shapes of drafts and of orders sent ahead. The content of a draft is the game's own JSON."""

from __future__ import annotations

from rest_framework import serializers

from championship.api.shapes import Shape, UtcDateTime
from championship.runs.play.sealing import SALT_LENGTH


class DraftShape(Shape):
    """`laid`: the draft as its game writes it. `orders`: those that it is to be carried out under."""

    laid = serializers.JSONField(allow_null=True)
    orders = serializers.DictField()
    version = serializers.IntegerField()
    updated_at = UtcDateTime()


class DraftSentShape(Shape):
    """`laid`: the `draft` of a way, or of the game's own. `version`: the one of the run that was read."""

    laid = serializers.JSONField()
    version = serializers.IntegerField(min_value=0, max_value=2**31 - 1)


class AheadShape(Shape):
    """Orders that wait for their turn, or have waited. `outlook`: what they meet, as their game tells it."""

    laid = serializers.JSONField(allow_null=True)
    orders = serializers.DictField()
    outlook = serializers.JSONField(allow_null=True)
    version = serializers.IntegerField()
    state = serializers.CharField()
    sent_at = UtcDateTime()


class AheadSentShape(DraftSentShape):
    """As a draft, with orders that leave nothing to decide, and the sender's salt."""

    orders = serializers.DictField(required=False, default=dict)
    salt = serializers.CharField(max_length=SALT_LENGTH, required=False, allow_blank=True, default="")
