"""The lessons beside a practice stage."""

from __future__ import annotations

from typing import Any

from django import template
from django.conf import settings
from django.template import Context

from championship.runs.watch.practice import Taught, own_result, taught, week_of

register = template.Library()


@register.simple_tag(takes_context=True)
def lessons_driven(context: Context) -> Taught | None:
    """Return the lessons of the driver of a practice stage; None on other stages and for other viewers."""
    return taught(context["page"], context.get("plan") or "")


@register.inclusion_tag("runs/practice.html", takes_context=True)
def practice_lessons(context: Context) -> dict[str, Any]:
    """The lessons for the driver of a practice stage, or what it means to drive the open stage of a week out of
    competition; nothing on other stages or for other viewers.
    """
    page = context["page"]
    guest = getattr(context.get("user"), "is_guest", False)
    return {
        "taught": context["taught"],
        "week": week_of(page),
        "guest_days": round(settings.RETENTION_DAYS["guests"]),
        "guest": guest,
        "result": own_result(page) if guest else "",
        "run": page.run,
        "may_drive": page.my_turn is not None,
        "csrf_token": context.get("csrf_token"),
    }
