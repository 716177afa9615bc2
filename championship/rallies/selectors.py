"""What the pages of a rally show, each in a fixed number of queries (results.py, sheet.py hold the times)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Q, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.accounts.models import User
from championship.clubs.models import Club
from championship.clubs.selectors import roles_of
from championship.rallies.models import Entry, Penalty, Rally, SpecialStage, StartPlace
from championship.rallies.results import Results, results_of
from championship.rallies.waiting import missing_cards
from championship.stages.models import StageDesign
from engine import ruleset as rulesets

OPEN = (SpecialStage.Status.RUNNING, SpecialStage.Status.TIME_CONTROL)
Viewer = User | AnonymousUser


@dataclass(frozen=True)
class RallyPage:
    """A rally as one viewer sees it. `stage` is the one looked at, `start_list` and `lines` are its own.

    `card_waits`: time control waits for this viewer's card.
    """

    rally: Rally
    results: Results
    stage: SpecialStage
    start_list: Sequence[StartPlace]
    mine: Entry | None = None
    card_waits: bool = False
    roles: frozenset[str] = field(default_factory=frozenset)

    @property
    def organises(self) -> bool:
        return "organiser" in self.roles

    @property
    def may_enter(self) -> bool:
        gone = self.mine is None or self.mine.status == Entry.Status.WITHDRAWN
        return gone and "driver" in self.roles and self.rally.status == Rally.Status.ENTRIES


@dataclass(frozen=True, slots=True)
class NextStep:
    """What an organiser does next: what stands there, the desk's action with its button, and the stage it is for."""

    says: str
    action: str | None = None
    button: str = ""
    stage: int | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the open stage is: times and time-control cards in, of so many starters; whom time control waits for."""

    starters: int
    times: int
    cards: int
    missing: Sequence[Entry] = ()


def rally_by_key(key: str) -> Rally:
    """The rally of that key, with its club; Http404. The key is all a reader needs."""
    return get_object_or_404(Rally.objects.select_related("club"), key=key)


def rallies_of_club(club: Club) -> QuerySet[Rally]:
    """The club's rallies, newest first, with `confirmed` and `requested` entries and `stage_count` counted."""
    return club.rallies.annotate(
        stage_count=Count("stages", distinct=True),
        confirmed=Count("entries", filter=Q(entries__status=Entry.Status.CONFIRMED), distinct=True),
        requested=Count("entries", filter=Q(entries__status=Entry.Status.REQUESTED), distinct=True),
    )


def rally_page(rally: Rally, viewer: Viewer, *, number: int | None = None) -> RallyPage:
    """What the rally's pages share, in nine queries at most.

    number: the stage looked at, Http404 when there is none such; without it the one that is or comes next.
    """
    results = results_of(rally)
    stage = current_stage(results)
    if number is not None:
        if not 1 <= number <= len(results.stages):
            raise Http404
        stage = results.stages[number - 1]
    places = start_list(stage, results)
    if not isinstance(viewer, User):
        return RallyPage(rally, results, stage, places)
    mine = next((entry for entry in results.entries.values() if entry.driver_id == viewer.pk), None)
    mine = mine or rally.entries.filter(driver=viewer).first()
    at_control = mine is not None and stage.status == SpecialStage.Status.TIME_CONTROL
    waits = at_control and missing_cards(stage).filter(driver=viewer).exists()
    return RallyPage(rally, results, stage, places, mine, waits, roles_of(viewer, rally.club))


def current_stage(results: Results) -> SpecialStage:
    """The open stage, else the next planned one, else the last."""
    by_status = {stage.status: stage for stage in reversed(results.stages)}
    for status in (*OPEN, SpecialStage.Status.PLANNED):
        if status in by_status:
            return by_status[status]
    return results.stages[-1]


def start_list(stage: SpecialStage, results: Results) -> list[StartPlace]:
    """The stage's start list in order, its entries taken from the results; empty before it is drawn."""
    places = [place for place in stage.start_places.order_by("position") if place.entry_id in results.entries]
    for place in places:
        place.entry = results.entries[place.entry_id]
    return places


def stage_of(rally: Rally, number: int) -> SpecialStage:
    """The special stage of that number; Http404."""
    return get_object_or_404(rally.stages, number=number)


def all_entries(rally: Rally) -> list[Entry]:
    """Every entry with its driver: requested first, then by start number, then refused and withdrawn ones."""
    order = {Entry.Status.REQUESTED: 0, Entry.Status.CONFIRMED: 1}
    entries = rally.entries.select_related("driver").order_by("created_at", "pk")
    return sorted(entries, key=lambda entry: (order.get(Entry.Status(entry.status), 2), entry.start_number or 0))


def progress_of(stage: SpecialStage) -> Progress:
    """How far this stage is, in two queries, three at an open time control."""
    at_control = stage.status == SpecialStage.Status.TIME_CONTROL
    missing = list(missing_cards(stage).select_related("driver").order_by("start_number")) if at_control else []
    starters = stage.start_places.count()
    return Progress(starters, stage.times.count(), starters - len(missing) if at_control else 0, missing)


def next_step(rally: Rally, entries: Sequence[Entry], stage: SpecialStage, progress: Progress) -> NextStep:
    """The one thing that the rally waits for, in an organiser's words. `stage` is the current one; no queries."""
    number = {"number": stage.number}
    if rally.status == Rally.Status.CANCELLED:
        return NextStep(_("This rally was cancelled."))
    if rally.status == Rally.Status.FINISHED:
        return NextStep(_("The rally is over: the podium stands."))
    if rally.status == Rally.Status.ENTRIES:
        return _step_to_start(entries, progress)
    if stage.status == SpecialStage.Status.RUNNING:
        counted = {"times": progress.times, "starters": progress.starters, **number}
        return NextStep(_("Stage %(number)d is on the road: %(times)d of %(starters)d cars are in.") % counted)
    if stage.status == SpecialStage.Status.TIME_CONTROL:
        counted = {"cards": progress.cards, "starters": progress.starters}
        says = _("%(cards)d of %(starters)d time-control cards are in.") % counted
        return NextStep(says, "close-time-control", _("Close time control"), stage.number)
    says, button = _("The start list of stage %(number)d stands."), _("Start stage %(number)d")
    return NextStep(says % number, "next-stage", button % number, stage.number)


def _step_to_start(entries: Sequence[Entry], progress: Progress) -> NextStep:
    requested = sum(entry.status == Entry.Status.REQUESTED for entry in entries)
    confirmed = sum(entry.status == Entry.Status.CONFIRMED for entry in entries)
    if requested:
        says = ngettext("%(n)d entry to confirm.", "%(n)d entries to confirm.", requested) % {"n": requested}
        return NextStep(says, "confirm-all", ngettext("Confirm it", "Confirm all", requested))
    if not confirmed:
        return NextStep(_("No entries yet. Send your drivers the link to this rally."))
    if not progress.starters:
        says = ngettext(
            "%(n)d entry is confirmed; draw the start list.",
            "%(n)d entries are confirmed; draw the start list.",
            confirmed,
        )
        return NextStep(says % {"n": confirmed}, "draw", _("Draw the start list"))
    return NextStep(_("The start list is drawn; the road is clear."), "start", _("Start stage 1"))


@dataclass(frozen=True, slots=True)
class ReadyMade:
    """A ready-made rally: its number and its stage designs in order."""

    number: int
    designs: Sequence[StageDesign]


def ready_made(game: str) -> list[ReadyMade]:
    """The rallies of the library, by number; a design's source is "rally/stage"."""
    rallies: dict[int, list[StageDesign]] = {}
    for design in StageDesign.objects.filter(club=None, game=game, source__regex=r"^\d+/\d+$"):
        rallies.setdefault(int(design.source.split("/")[0]), []).append(design)
    return [
        ReadyMade(number, sorted(designs, key=lambda design: int(design.source.split("/")[1])))
        for number, designs in sorted(rallies.items())
    ]


def designs_for(club: Club, game: str) -> QuerySet[StageDesign]:
    """The stage designs that a rally of the club may use: the club's own, then the library's."""
    return StageDesign.objects.filter(Q(club=club) | Q(club=None), game=game).order_by("club", "source", "name", "pk")


@dataclass(frozen=True, slots=True)
class Control:
    """Time control as one driver meets it: their entry, whether their card is in, what is asked, how many are in."""

    entry: Entry
    handed_in: bool
    asked: tuple[rulesets.Decision, ...]
    cards: int
    starters: int


def time_control_of(stage: SpecialStage, driver: User) -> Control:
    """The driver's time control after this stage, in five queries; Http404 for who does not drive the stage.

    Nothing is asked (`asked` is empty) where time control is not open or the card is in.
    """
    entry = get_object_or_404(Entry, rally=stage.rally, driver=driver, start_places__special_stage=stage)
    handed_in = stage.cards.filter(entry=entry).exists()
    asked: tuple[rulesets.Decision, ...] = ()
    if stage.status == SpecialStage.Status.TIME_CONTROL and not handed_in:
        asked = _decisions(stage, entry)
    return Control(entry, handed_in, asked, stage.cards.count(), stage.start_places.count())


def _decisions(stage: SpecialStage, entry: Entry) -> tuple[rulesets.Decision, ...]:
    rally = stage.rally
    last = not rally.stages.filter(number__gt=stage.number).exists()
    return rulesets.get(rally.game).decisions(
        entry.car or {}, service=stage.service, options=rally.options, last_stage=last
    )


def penalties_of(rally: Rally) -> QuerySet[Penalty]:
    """What officials have given, oldest first."""
    return rally.penalties.select_related("entry", "special_stage", "given_by")


def options_in_words(rally: Rally, rules: rulesets.Ruleset) -> list[tuple[str, str]]:
    """The rules of this rally that an organiser chose: label and value; facts of the game are left out."""
    said = []
    for option in rules.options:
        if option.scope:
            continue
        value = rally.options.get(option.name, option.default)
        if option.type == "bool":
            said.append((_(option.label), _("yes") if value else _("no")))
        else:
            said.append((_(option.label), _(str(value)) if value else _("none")))
    return said
