"""Times as a rally writes them: 3:52 for a stage, +0:12 for a gap. Whole seconds only."""

from django import template

register = template.Library()


def _clock(seconds: int) -> str:
    hours, rest = divmod(seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"


@register.filter
def stage_time(seconds: int | None) -> str:
    """Seconds as a stage time: 232 is 3:52, 3725 is 1:02:05, a bonus has a minus; nothing is a dash."""
    if seconds is None or seconds == "":
        return "–"
    return f"−{_clock(-seconds)}" if seconds < 0 else _clock(seconds)


@register.filter
def gap(seconds: int | None) -> str:
    """Seconds behind somebody, or of a penalty: 12 is +0:12, a bonus of 5 is −0:05; none is empty."""
    if seconds is None or seconds == "":
        return ""
    return f"−{_clock(-seconds)}" if seconds < 0 else f"+{_clock(seconds)}"
