"""Reading legal texts."""

from __future__ import annotations

from championship.legal.models import Text


def text_for(topic: str, language: str) -> Text | None:
    """The operator's text in the reader's language, else in English, else in any; None where the default is shown.
    One query.
    """
    found = {text.language: text for text in Text.objects.filter(topic=topic).order_by("language")}
    return found.get(language) or found.get("en") or next(iter(found.values()), None)


def own_text(topic: str, language: str) -> str:
    """The operator's text in exactly that language; empty where there is none."""
    return Text.objects.filter(topic=topic, language=language).values_list("body", flat=True).first() or ""
