"""The mail switches as a part of the profile page, which belongs to an app that knows nothing of notices."""

from typing import Any

from django import template

from championship.accounts.models import User
from championship.notices import kinds
from championship.notices.forms import SwitchesForm

register = template.Library()


@register.inclusion_tag("notices/parts/switches.html", takes_context=True)
def mail_switches(context: dict[str, Any], user: User) -> dict[str, Any]:
    """A form that posts to its own page; nothing at all when no kind of mail can be switched off."""
    form = SwitchesForm(person=user) if kinds.switchable() else None
    return {"form": form, "csrf_token": context.get("csrf_token")}
