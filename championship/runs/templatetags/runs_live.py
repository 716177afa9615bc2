"""Template tags about a stage on the road, for pages of its rally and its club."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from django import template
from django.contrib.auth.models import AnonymousUser
from django.utils.functional import SimpleLazyObject

from championship.rallies.club_front import UnderWay
from championship.rallies.models import SpecialStage
from championship.runs.watch import live, story
from championship.runs.watch.live import Live
from championship.runs.watch.story import Told

register = template.Library()


@register.simple_tag
def live_stage(stage: SpecialStage) -> Live | None:
    """Return what spectators see of a stage on the road; None for any other stage. It is read when something asks for
    it: ask for it in parts that are rendered once for each version of the page. Six queries at most, for any number of
    cars, and the caches.
    """
    running = stage.status == SpecialStage.Status.RUNNING
    return cast(Live, SimpleLazyObject(lambda: live.of_stage(stage))) if running else None


@register.simple_tag
def told_of(driven: Sequence[UnderWay]) -> list[Told]:
    """Return what happened last on the stages of these rallies, as a spectator may know. Four queries at most, one more
    for each stage whose draws are shared, and the cache.
    """
    return story.latest([each.stage for each in driven if each.on_the_road], AnonymousUser(), live.MOST_TOLD)
