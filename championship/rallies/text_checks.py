"""Checks of names and reasons that people type."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from championship.accounts.name_comparison import stored_form
from championship.accounts.text import one_line
from championship.platform.refusals import Refused


def checked_line(text: str, *, longest: int, field: str, needed: bool = True) -> str:
    """The text without spaces around it, in the form in which names are stored: one line of at most `longest`
    characters.

    Raises: Refused when the text is not valid; it names the field.
    """
    text = stored_form(text.strip())
    if needed and not text:
        raise Refused(_("This cannot be empty."), field=field)
    if len(text) > longest:
        raise Refused(_("At most %(n)d characters, please.") % {"n": longest}, field=field)
    try:
        one_line(text)
    except ValidationError as error:
        raise Refused(str(error.messages[0]), field=field) from error
    return text
