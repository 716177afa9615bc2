"""Links to puzzles from other pages: a line about the puzzle of the day, and the way to one's own turns."""

from typing import Any

from django import template

from championship.accounts.models import User
from championship.accounts.requests import is_signed_in
from championship.puzzles import positions, selectors, services
from championship.puzzles.models import Puzzle
from championship.runs.models import Run, Seat

register = template.Library()


@register.inclusion_tag("puzzles/line.html", takes_context=True)
def puzzle_line(context: dict[str, Any]) -> dict[str, Any]:
    """A line that leads to the puzzle of the day, and to own turns that come back. Two queries at most; empty where
    there is neither. No query on the page of my turns.
    """
    today, request = services.today(), context.get("request")
    beside = getattr(context.get("mine"), "beside", {})
    if "puzzle" in beside:
        days, due = beside["puzzle"], beside["turns again"]
        return {"puzzle": Puzzle(day=days[0][0]) if days else None, "today": today, "due": due}
    found = selectors.newest(today=today)
    person = request.user if request is not None and is_signed_in(request) else None
    return {"puzzle": found, "today": today, "due": [] if person is None else selectors.due(person, today=today)}


@register.simple_tag
def has_turns_again(run: Run, person: User) -> bool:
    """Whether the reader, who drove in the run, may drive turns of it again. One query at most."""
    return person.is_authenticated and not person.is_guest and selectors.has_turns_again(run)


@register.simple_tag
def gave_nothing_up(run: Run, seat: Seat) -> bool:
    """Whether it is known that no decision of a seat gave anything up, so that no turn is asked. One query at most."""
    return positions.gave_nothing_up(run, seat.name)
