"""What counts as a name people may type: one line of printable text."""

import unicodedata

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _


def one_line(value: str) -> None:
    """Refuse text with line breaks, control or unassigned characters; raises ValidationError."""
    if any(unicodedata.category(character) in {"Cc", "Cs", "Cn", "Zl", "Zp"} for character in value):
        raise ValidationError(_("Use one line of ordinary characters, without control characters."), code="one_line")
