"""The lessons beside a practice stage."""

from __future__ import annotations

from typing import Any

from django import template
from django.template import Context

from championship.runs.practice import taught

register = template.Library()


@register.inclusion_tag("runs/practice.html", takes_context=True)
def practice_lessons(context: Context) -> dict[str, Any]:
    """What the driver of a practice stage learns now; nothing on other stages, and to others who look on."""
    page = context["page"]
    return {
        "taught": taught(page, context.get("plan") or ""),
        "run": page.run,
        "csrf_token": context.get("csrf_token"),
    }
