"""What a film shows: a stage with all its runs, or one run; all turns of it, those of one car, or some in a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Prefetch
from django.http import Http404
from django.utils.translation import gettext as _

from championship import catalogue
from championship.platform.bounded_input import whole_number
from championship.platform.refusals import Forbidden, Refused
from championship.rallies.models import SpecialStage
from championship.runs.models import SEAT_LENGTH, Run, Seat
from championship.runs.road_views import ROAD_VIEWS
from championship.runs.watch import proof, watching

MOST_CARS = 24
"""A stage with more cars has a film of each run only."""
DIGITS = 4
"""How many digits the number of a turn may have."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Part of a stage: `run` is the key of one run, 0 for all. `seat`: one car, "" for all. `first`, `last`: the turns
    of the run, counted as in its replay; 0 for its beginning and its end.
    """

    stage: int
    run: int = 0
    seat: str = ""
    first: int = 0
    last: int = 0

    @property
    def subject(self) -> str:
        """The name under which its film is kept, at most 40 characters."""
        return f"{self.stage}.{self.run}.{self.seat}.{self.first}.{self.last}"

    @property
    def query(self) -> dict[str, str]:
        """What the address of the film asks for."""
        asked = {"car": self.seat, "from": str(self.first or ""), "to": str(self.last or "")}
        return {name: value for name, value in asked.items() if value}

    def has(self, turn: int, seat: str | None) -> bool:
        """Return whether the film shows that turn of that seat."""
        return (not self.seat or seat == self.seat) and self.first <= turn and (not self.last or turn <= self.last)


def cut_named(subject: str) -> Cut:
    """Return the cut that is kept under that name."""
    stage, run, seat, first, last = subject.split(".")
    return Cut(int(stage), int(run), seat, int(first), int(last))


def cut_asked(stage: SpecialStage, run: Run | None, asked: Mapping[str, str], seats: Sequence[Seat]) -> Cut:
    """Return the cut that the fields of an address or of a form ask for: `car`, `from` and `to`.

    Raises: Refused with the field that is no car of the stage or no turn.
    """
    seat = asked.get("car", "")[: SEAT_LENGTH + 1]
    if seat and seat not in {each.name for each in seats}:
        raise Refused(_("No such car drove here. Choose one of the list."), field="car")
    first, last = (_turn(asked, name) if run else 0 for name in ("from", "to"))
    if first and last and first > last:
        raise Refused(_("The last turn comes before the first. Choose a later one."), field="to")
    return Cut(stage.pk, run.pk if run else 0, seat, first, last)


def _turn(asked: Mapping[str, str], name: str) -> int:
    text = asked.get(name, "").strip()
    number = whole_number(text, digits=DIGITS) if text else 0
    if number is None:
        raise Refused(_("Give the number of a turn, or leave the field empty."), field=name)
    return number


def has_film(game: str) -> bool:
    """Return whether a game draws its road, so that there are films of it."""
    return game in catalogue.names() and ROAD_VIEWS.of(game) is not None


def runs_of(stage: SpecialStage, run: int = 0) -> list[Run]:
    """Return the runs of a stage that its film shows, with their seats and entries; with the key of a run, that one.
    Two queries, and one for each run.

    Raises: Forbidden before all of them may be shown.
    Raises: Http404 where there is no film.
    """
    seats = Prefetch("seats", queryset=Seat.objects.select_related("entry__driver").order_by("position"))
    found = stage.runs.exclude(status=Run.Status.CANCELLED)
    runs = list((found.filter(pk=run) if run else found).prefetch_related(seats).order_by("number"))
    for each in runs:
        each.special_stage = stage
    cars = sum(len(each.seats.all()) for each in runs)
    if not cars or stage.rally.practice or not has_film(stage.rally.game) or (not run and cars > MOST_CARS):
        raise Http404(_("There is no film of it."))
    if (not run and watching.is_still_driven(stage.pk)) or not all(map(proof.may_show, runs)):
        raise Forbidden(_("This is shown when all cars have finished. Until then its draws must stay secret."))
    return runs
