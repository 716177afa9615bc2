"""Links to public profiles, for pages that name a driver."""

from django import template

from championship.accounts.models import User
from championship.profiles.services import profile_of

register = template.Library()


@register.simple_tag
def profile_address(person: User) -> str:
    """Return the address of the person's public profile; "" where there is none. One query."""
    profile = profile_of(person)
    return profile.get_absolute_url() if profile else ""
