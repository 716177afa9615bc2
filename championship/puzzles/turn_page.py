"""A turn as a page on which it is tried: the map and the game's own panel, and after the answer what it is worth.

The turn is a page of a run whose rows are in memory only, as a scene of a school is. Nothing of a try is stored in a
run. An answer stands in the address, so its page is a function of the address.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from http import HTTPStatus
from math import isfinite
from typing import Any

from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.defaultfilters import floatformat
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_htmx.http import replace_url

from championship import catalogue
from championship.platform.refusals import Refusal, Refused
from championship.platform.web import htmx
from championship.puzzles.positions import required_puzzles
from championship.rallies.results.measures import unit_name
from championship.runs import draft_forms, run_pages
from championship.runs.models import Run
from championship.runs.pages.forms import PostForm
from championship.runs.pages.scene_views import laid_after
from championship.runs.pages.stage_page import in_place, sent_form, text
from championship.runs.run_pages import DraftShown
from championship.runs.watch import scene_pages
from championship.runs.watch.scenes import Driven, Opening, Scene, ScenePost
from championship.runs.watch.selectors import RunPage
from championship.runs.watch.turn_words import FASTEST, TURN_WORDS, Asking, TurnWords
from engine import registry
from engine.contract import Json, Question, RuleError, Scale, State, Weighed
from engine.puzzles import is_solved, loss

LONGEST = 2000
"""How long an answer in an address may be, in characters."""
SALT = "puzzles.answers"
NO_ORDERS: Mapping[str, Any] = {}
"""The orders of a reader who wants to see the best way."""
TENTH = 10
"""A tenth, in hundredths."""
MORE, LESS = "+", "\N{MINUS SIGN}"
"""What stands before an amount that is given up: seconds and turns are added, points are missing."""
MINE, BEST, OBVIOUS = "mine", "best", "obvious"
"""The ways that an answered page draws on the map."""
SHOWN = {MINE: gettext_lazy("Yours"), BEST: gettext_lazy("The best"), OBVIOUS: gettext_lazy("The obvious")}


@dataclass(frozen=True, slots=True)
class AskedTurn:
    """A turn at an address. `title` and `goal` are for its head. `question` and `prepared` are the game's. Where one
    drives on there is no question: `posts` are what was driven, `now` is the state after them.
    """

    run: Run
    state: State
    seat: str
    question: Question | None
    address: str
    title: str
    goal: str
    prepared: Json = None
    posts: tuple[ScenePost, ...] = ()
    now: State | None = None
    over: bool = False

    @property
    def game(self) -> str:
        return self.run.game

    @property
    def driven(self) -> Driven:
        seats = tuple(str(entrant["id"]) for entrant in self.run.entrants)
        return Driven(
            Opening(self.run.stage, self.run.options, self.state, self.seat, seats), self.now or self.state, self.posts
        )

    def page(self) -> RunPage:
        """Return the turn as a page of a run, without names."""
        driven = self.driven
        scene = Scene("", self.title, self.goal, "", (), lambda: driven.opening, lambda _driven: False)  # type: ignore[arg-type]
        return scene_pages.page_of(self.game, scene, driven, address=self.address, over=self.over)


@dataclass(frozen=True, slots=True)
class WayShown:
    """A way on an answered page: its name, in words, what it gives up in the game's unit, its chances in percent."""

    name: str
    title: str
    words: str
    loss: Decimal
    chances: list[tuple[str, Decimal]]
    address: str
    now: bool


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer: its orders, whether it solves the question, and what it gives up in hundredths. `shown_best`: the
    reader wanted to see the best way and gave no orders; then `loss` is that of the obvious way.
    """

    orders: Mapping[str, Any]
    weighed: Weighed
    solved: bool
    loss: int
    ways: list[WayShown] = field(default_factory=list)
    shown_best: bool = False


def scale_of(game: str) -> Scale:
    """Return what counts in the questions of a game that has them."""
    return required_puzzles(game).puzzle_scale


def asking_of(game: str) -> Asking:
    """Return how pages ask in a game."""
    words = TURN_WORDS.of(game)
    return words.ASKING if words else FASTEST


def judged(turn: AskedTurn, orders: Mapping[str, Any]) -> Judged:
    """Return what an answer is worth, by the engine's exact value.

    Raises: RuleError when the orders are illegal.
    """
    game, question = registry.get(turn.game), turn.question
    assert question is not None
    found = game.weighed(turn.state, turn.seat, orders, turn.prepared)  # type: ignore[attr-defined]
    scale = scale_of(turn.game)
    lost = loss(question, found.value, scale)
    return Judged(orders, found, is_solved(question, found.value, scale), lost)


def orders_in(request: HttpRequest, turn: AskedTurn) -> dict[str, Any]:
    """Return the orders of the panel's form.

    Raises: Refused when a field is missing or not valid.
    """
    sent_form(PostForm(request.POST))
    return run_pages.get(turn.game).read_orders(request.POST)


def posted(request: HttpRequest, turn: AskedTurn) -> Judged:
    """Return what the answer in the panel's form is worth; the best way, where the reader wants to see it.

    Raises: Refused when a field is missing or not valid. RuleError when the orders are illegal.
    """
    if "show_best" in request.POST:
        return _shown_best(turn)
    return judged(turn, orders_in(request, turn))


def _shown_best(turn: AskedTurn) -> Judged:
    """Return what stands for an answer where the reader gives none."""
    question = turn.question
    assert question is not None
    instead = question.obvious or question.second or question.best
    lost = loss(question, instead.value, scale_of(turn.game))
    return Judged(NO_ORDERS, question.best, solved=False, loss=lost, shown_best=True)


def written(orders: Mapping[str, Any]) -> str:
    """Return an answer as it stands in an address."""
    return signing.dumps(dict(orders), salt=SALT, compress=True)


def query(answer: Judged) -> str:
    """Return the query of the address of an answer."""
    return query_of(written(answer.orders))


def query_of(sent: str) -> str:
    """Return the same for an answer as it stands in an address."""
    return urlencode({"answer": sent[:LONGEST]})


def answer_at(request: HttpRequest, turn: AskedTurn) -> Judged | None:
    """Return the answer that the address holds; None for none, and for one that this service did not write."""
    sent = request.GET.get("answer", "")
    if not sent or len(sent) > LONGEST:
        return None
    try:
        orders = signing.loads(sent, salt=SALT)
        return judged(turn, orders) if orders != NO_ORDERS else _shown_best(turn)
    except (signing.BadSignature, RuleError):
        return None


def draft_step(request: HttpRequest, turn: AskedTurn, context: Mapping[str, Any]) -> HttpResponse:
    """Lay one step, as the page of a run does. The draft is kept in the address."""
    if request.method != "POST":
        return redirect(turn.address)
    try:
        laid = laid_after(turn, request.POST)
    except RuleError as error:
        return refused(request, turn, Refused(error.words(_), field="plan", rule=error.rule, move=error.move), context)
    except Refusal as refusal:
        return refused(request, turn, refusal, context)
    if laid is None:
        return HttpResponse(status=HTTPStatus.NO_CONTENT) if in_place(request) else redirect(turn.address)
    plan = draft_forms.written(laid)
    if not in_place(request):
        return redirect(f"{turn.address}?{urlencode({'plan': plan})}#panel")
    return shown(request, turn, context, draft=DraftShown(plan=plan, kept=True))


def refused(request: HttpRequest, turn: AskedTurn, refusal: Refusal, context: Mapping[str, Any]) -> HttpResponse:
    """Return the page after a refusal, with what was laid."""
    sent = {name: text(str(value)) for name, value in request.POST.items()}
    draft = DraftShown(plan=text(request.POST.get("plan", "")), sent=sent)
    return shown(request, turn, context, draft=draft, refusal=refusal)


def amounts(game: str) -> dict[str, Any]:
    """Return how a page shows what ways give up in a game: its unit, and two decimals where less than a tenth
    counts.
    """
    scale = scale_of(game)
    decimals = 0 if scale.measure.unit == "points" else 2 if scale.equal < TENTH else 1
    return {"unit": unit_name(scale.measure.unit), "decimals": decimals, "sign": LESS if most_wins(scale) else MORE}


def costly_words(game: str, hundredths: int) -> str:
    """Return what the list of own turns says of all of them: what they gave up together."""
    asking, shown = asking_of(game), amounts(game)
    if not hundredths:
        return str(asking.nothing)
    given_up = floatformat(Decimal(hundredths) / 100, shown["decimals"])
    return str(asking.costly) % {"sum": given_up, "unit": shown["unit"]}


def most_wins(scale: Scale) -> bool:
    """Return whether the most is the best."""
    return scale.measure.better == "most"


def draft_at(request: HttpRequest) -> DraftShown:
    """Return the draft that the address holds."""
    change = request.GET.get("change", "")
    return DraftShown(
        plan=text(request.GET.get("plan", "")),
        at=text(request.GET.get("at", "")),
        change=int(change) if change.isdecimal() and len(change) < 4 else 0,
        kept="plan" in request.GET,
    )


def shown(
    request: HttpRequest,
    turn: AskedTurn,
    context: Mapping[str, Any],
    *,
    draft: DraftShown | None = None,
    answer: Judged | None = None,
    refusal: Refusal | None = None,
) -> HttpResponse:
    """Return the page of a turn: the question, or what an answer is worth with the way that the reader looks at."""
    page, pages = turn.page(), run_pages.get(turn.game)
    ways = [] if answer is None else _ways(request, turn, answer)
    if answer is not None:
        way = dict(_weighed(turn, answer))[_looked_at(request, turn, answer)]
        draft = _laid(turn, way.orders)
    asks = turn.question is not None and answer is None
    now = pages.show(page, replace(draft or DraftShown(), asks=asks))
    problem, rule = (refusal.message, refusal.rule) if refusal else (now.problem, now.rule)
    if refusal and refusal.move:
        problem = _("Move %(move)d: %(said)s") % {"move": refusal.move, "said": refusal.message}
    words = TURN_WORDS.of(turn.game)
    full = {
        "turn": turn,
        "game": catalogue.get(turn.game),
        "run": page.run,
        "stage": page.run.special_stage,
        "rally": page.run.special_stage.rally,
        "page": page,
        "shown": now,
        "assets": catalogue.get(turn.game).assets,
        "words": catalogue.get(turn.game).words,
        "problem": problem,
        "rule": rule,
        "answer": answer,
        "ways": ways,
        "sent": "" if answer is None else written(answer.orders),
        "lost": None if answer is None else Decimal(answer.loss) / 100,
        **(amounts(turn.game) if turn.question else {}),
        "asking": asking_of(turn.game),
        "against": "" if not turn.question else str(asking_of(turn.game).against) % amounts(turn.game),
        "themes": [words.THEMES.get(each, each) for each in turn.question.themes] if words and turn.question else [],
        "post_key": secrets.token_urlsafe(12),
        "post_url": f"{turn.address}turn/",
        "draft_url": f"{turn.address}draft/",
        "at_url": f"{turn.address}at/",
        "ahead_url": "",
        "frame": "runs/fragment.html" if in_place(request) else "base.html",
        **context,
        **now.context,
    }
    status = refusal.status if refusal else HTTPStatus.OK
    response = render(request, "puzzles/turn.html", full, status=status)
    if request.method == "POST" and not refusal:
        query = {"answer": written(answer.orders)} if answer else {"plan": draft.plan} if draft and draft.plan else {}
        replace_url(response, f"{turn.address}?{urlencode(query)}" if query else turn.address)
    return response


def _laid(turn: AskedTurn, orders: Mapping[str, Any]) -> DraftShown:
    """Return a way as the draft that the map shows."""
    words = TURN_WORDS.of(turn.game)
    return words.laid(orders) if words else DraftShown(plan=str(orders.get("plan", "")), kept=True)


def _weighed(turn: AskedTurn, answer: Judged) -> list[tuple[str, Weighed]]:
    """Return the ways that an answered page compares, by name."""
    assert turn.question is not None
    found = [*([] if answer.shown_best else [(MINE, answer.weighed)]), (BEST, turn.question.best)]
    return found if turn.question.obvious is None else [*found, (OBVIOUS, turn.question.obvious)]


def _looked_at(request: HttpRequest, turn: AskedTurn, answer: Judged) -> str:
    asked = request.GET.get("show", "")
    return asked if asked in dict(_weighed(turn, answer)) else MINE if answer.solved else BEST


def _ways(request: HttpRequest, turn: AskedTurn, answer: Judged) -> list[WayShown]:
    words, scale = TURN_WORDS.of(turn.game), scale_of(turn.game)
    looked_at = _looked_at(request, turn, answer)
    sent, question = written(answer.orders), turn.question
    assert question is not None
    return [
        WayShown(
            name=name,
            title=str(SHOWN[name]),
            words=_in_words(turn, name, way.orders, answer),
            loss=Decimal(loss(question, way.value, scale)) / 100,
            chances=_chances(words, way),
            address=f"{turn.address}?{urlencode({'answer': sent, 'show': name})}",
            now=name == looked_at,
        )
        for name, way in _weighed(turn, answer)
    ]


def _chances(words: TurnWords | None, way: Weighed) -> list[tuple[str, Decimal]]:
    """Return the chances of a way in percent, in the order of the game's words: a database returns another one."""
    named = words.CHANCES if words else {}
    return [
        (str(named.get(each, each)), Decimal(way.chances[each]) / 10)
        for each in (*(name for name in named if name in way.chances), *sorted(set(way.chances) - set(named)))
    ]


def _in_words(turn: AskedTurn, name: str, orders: Mapping[str, Any], answer: Judged) -> str:
    """Return the steps of a way. Where it is the reader's own way, it says so and does not repeat them."""
    words = TURN_WORDS.of(turn.game)
    if words is None:
        return ""
    said = words.way(orders, turn.state, turn.seat)
    if name == MINE or answer.shown_best:
        return said
    return _("The same as yours.") if said == words.way(answer.orders, turn.state, turn.seat) else said


def place_at(request: HttpRequest, turn: AskedTurn, place: str = "") -> HttpResponse:
    """Show a place of the map, by its name or at the point `x`, `y`; 204 where there is nothing."""
    page, pages = turn.page(), run_pages.get(turn.game)
    if not place:
        try:
            x, y = (float(request.GET.get(axis, "")) for axis in "xy")
        except ValueError as error:
            raise Http404 from error
        if not (isfinite(x) and isfinite(y)):
            raise Http404
        place = pages.place_at(page, x, y)
    placed = pages.place(page, place) if place else None
    if placed is None:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    context = {
        "run": page.run,
        "stage": page.run.special_stage,
        "rally": page.run.special_stage.rally,
        "placed": placed,
        "assets": catalogue.get(turn.game).assets,
        "frame": "runs/bare_place.html" if htmx.details(request) else "base.html",
        "crumbs": [(turn.title, turn.address), (placed.title, None)],
        **placed.context,
    }
    return render(request, "runs/place.html", context)
