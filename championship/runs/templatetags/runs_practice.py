"""The lessons beside a practice stage."""

from __future__ import annotations

from typing import Any

from django import template
from django.template import Context

from championship.runs.watch.practice import taught

register = template.Library()


@register.inclusion_tag("runs/practice.html", takes_context=True)
def practice_lessons(context: Context) -> dict[str, Any]:
    """The lessons for the driver of a practice stage; nothing on other stages or for other viewers."""
    page = context["page"]
    return {
        "taught": taught(page, context.get("plan") or ""),
        "run": page.run,
        "csrf_token": context.get("csrf_token"),
    }
