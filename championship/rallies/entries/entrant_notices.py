"""Kinds of notice to entrants about acts of organisers and officials, except starts and pauses."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from championship.notices import kinds


def register() -> None:
    """Register these kinds of notice."""
    words = (
        ("entry moved up", _("%(rally)s: there is a place for you"), _("I move up from a waiting list"), True),
        ("car taken over", _("%(rally)s: you drive car %(start_number)s"), _("I take over somebody's car"), True),
        ("car given away", _("%(rally)s: somebody else drives your car"), _("Somebody else drives my car"), False),
        (
            "penalty given",
            _("%(rally)s: a penalty or bonus from the officials"),
            _("Officials give me a penalty or bonus"),
            False,
        ),
        (
            "penalty withdrawn",
            _("%(rally)s: the officials withdraw a penalty or bonus"),
            _("Officials withdraw a penalty or bonus of mine"),
            False,
        ),
        ("rally cancelled", _("%(rally)s is cancelled"), _("A rally that I entered is cancelled"), False),
        (
            "message to entrants",
            _("%(rally)s: a message from the organisers"),
            _("Organisers write to the entrants"),
            False,
        ),
    )
    for kind, subject, switch, urgent in words:
        template = f"notices/mail/{kind.replace(' ', '_')}.txt"
        kinds.register(kind, subject=subject, body_template=template, switch=switch, urgent=urgent)
