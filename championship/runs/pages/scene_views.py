"""A scene of a school: its page, and the forms of the game's panel on it.

The address holds the orders so far. So nothing is out of date: a form that is sent twice leads to the same page twice,
two tabs are two tries, and "back" takes a turn back.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from http import HTTPStatus
from math import isfinite
from typing import Any, Protocol

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import replace_url

from championship import catalogue
from championship.accounts import guests
from championship.accounts.requests import is_signed_in
from championship.accounts.services.guests import TooManyGuests
from championship.platform.refusals import Refusal, Refused
from championship.platform.web import htmx
from championship.runs import draft_forms, run_pages
from championship.runs import play as services
from championship.runs.models import PLAN_LENGTH
from championship.runs.pages.forms import DraftForm, PostForm
from championship.runs.pages.stage_page import in_place, sent_form, text
from championship.runs.run_pages import DraftShown
from championship.runs.watch import scene_pages, scenes
from championship.runs.watch.scenes import Driven, Scene
from championship.runs.watch.selectors import RunPage
from engine import registry
from engine.contract import Changing, Drafting, Reaching, RuleError, offered, required


class Tried(Protocol):
    """A turn that is tried and not stored in a run: its game, what was driven, and its page."""

    @property
    def game(self) -> str: ...

    @property
    def driven(self) -> Driven: ...

    def page(self) -> RunPage:
        """Return it as a page of a run."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A scene at an address: the posts in it and what they bring."""

    game: str
    scene: Scene
    given: list[tuple[str, dict[str, Any]]]
    driven: Driven
    so_far: str

    @property
    def over(self) -> bool:
        """Whether the scene has ended."""
        return scenes.is_over(self.game, self.scene, self.driven)

    def url(self, name: str = "scene", so_far: str = "") -> str:
        """Return the address of the scene, or of one of its forms, after these posts."""
        return reverse(f"runs:{name}", args=[self.game, self.scene.name, so_far or self.so_far])

    def page(self) -> RunPage:
        """Return the scene as a page of a run."""
        return scene_pages.page_of(self.game, self.scene, self.driven, address=self.url(), over=self.over)


def _visit(game: str, name: str, so_far: str) -> Visit | None:
    """Return the scene at an address; None where the address has become worthless, because the rules have changed.

    Raises: Http404 when there is no such scene.
    """
    scene, given = scenes.scene_of(game, name), scenes.given_in(so_far)
    now = None if given is None else scenes.after(game, scene, given)
    return None if given is None or now is None else Visit(game, scene, given, now, so_far)


def _from_the_beginning(game: str, name: str) -> HttpResponse:
    return redirect("runs:scene", game, name, scenes.NEW)


@require_safe
def scene(request: HttpRequest, game: str, name: str, so_far: str) -> HttpResponse:
    """Show a scene after these posts."""
    visit = _visit(game, name, so_far)
    if visit is None:
        return _from_the_beginning(game, name)
    change = request.GET.get("change", "")
    draft = DraftShown(
        plan=text(request.GET.get("plan", "")),
        at=text(request.GET.get("at", "")),
        change=int(change) if change.isdecimal() and len(change) < 4 else 0,
        kept="plan" in request.GET,
    )
    return _shown(request, visit, draft)


@require_http_methods(["GET", "HEAD", "POST"])
def turn(request: HttpRequest, game: str, name: str, so_far: str) -> HttpResponse:
    """Play orders in a scene. When it is done with them, that is remembered for the driver, who may be a guest."""
    visit = _visit(game, name, so_far)
    if visit is None:
        return _from_the_beginning(game, name)
    if request.method != "POST" or visit.over:
        return redirect(visit.url())
    try:
        key = sent_form(PostForm(request.POST))["key"]
        orders = _orders(visit, request.POST)
        given = [*visit.given, (key, orders)]
        longer = scenes.so_far(given)
        now = scenes.driven(game, visit.scene, given)
    except RuleError as error:
        refusal = Refused(error.words(_), field="plan", rule=error.rule, move=error.move)
        return _refused(request, visit, refusal)
    except Refusal as refusal:
        return _refused(request, visit, refusal)
    played = Visit(game, visit.scene, given, now, longer)
    kept = _remember(request, played)
    if not in_place(request):
        return redirect(f"{played.url()}#panel")
    return _shown(request, played, DraftShown(), said="" if kept else _("Your progress cannot be kept just now."))


def _orders(visit: Visit, data: QueryDict) -> dict[str, Any]:
    """Return the orders of a form: the chosen answer where the scene asks, else those of the game.

    Raises: Refused when a field is not valid.
    """
    if not visit.scene.answers:
        return run_pages.get(visit.game).read_orders(data)
    if data.get("answer") not in [name for name, _words in visit.scene.answers]:
        raise Refused(_("Choose one of the answers."), field="answer")
    return {"answer": data["answer"]}


def _remember(request: HttpRequest, played: Visit) -> bool:
    """Keep that a scene is done. Returns False where no more guests are taken; the scene is driven all the same."""
    if not (played.over and played.scene.done(played.driven)):
        return True
    try:
        by = request.user if is_signed_in(request) else guests.guest_for(request)
    except TooManyGuests:
        return False
    services.mark_done(by=by, game=played.game, scene=played.scene.name)
    return True


@require_http_methods(["GET", "HEAD", "POST"])
def draft(request: HttpRequest, game: str, name: str, so_far: str) -> HttpResponse:
    """Lay one step, as `runs:draft` does. The draft is kept in the address."""
    visit = _visit(game, name, so_far)
    if visit is None:
        return _from_the_beginning(game, name)
    if request.method != "POST" or visit.over:
        return redirect(visit.url())
    try:
        laid = laid_after(visit, request.POST)
    except RuleError as error:
        return _refused(request, visit, Refused(error.words(_), field="plan", rule=error.rule, move=error.move))
    except Refusal as refusal:
        return _refused(request, visit, refusal)
    if laid is None:
        if in_place(request):
            return HttpResponse(status=HTTPStatus.NO_CONTENT)
        return redirect(visit.url())
    plan = draft_forms.written(laid)
    if not in_place(request):
        return redirect(f"{visit.url()}?{urlencode({'plan': plan})}#panel")
    return _shown(request, visit, DraftShown(plan=plan, kept=True))


def laid_after(visit: Tried, data: QueryDict) -> Any:
    """Return the draft of a turn that is tried, after one step; None where no draft leads to the place.

    Raises: RuleError or Refused when the step is not legal.
    """
    sent, state, seat = sent_form(DraftForm(data)), visit.driven.state, visit.driven.opening.pupil
    drafting = required(registry.get(visit.game), Drafting)
    legal = drafting.legal(state, seat, draft_forms.read(visit.game, sent["plan"]))
    if sent["do"] == "undo":
        laid = drafting.undo(legal.draft)
    elif sent["do"] == "clear":
        laid = drafting.empty_draft()
    elif sent["to"]:
        reaching = offered(registry.get(visit.game), Reaching)
        laid = None if reaching is None else reaching.reach(state, seat, legal.draft, _place(visit, sent["to"]))
        if laid is None:
            return None
    elif sent["move"] and sent["change"]:
        changed = required(registry.get(visit.game), Changing).change(legal.draft, sent["change"], sent["move"])
        found = drafting.legal(state, seat, changed)
        return found.draft if (found.error and (found.error.move or 0) > sent["change"]) else _checked(found, changed)
    elif sent["move"]:
        laid = drafting.extend(legal.draft, sent["move"])
    else:
        laid = draft_forms.read(visit.game, sent["plan"])
    if len(draft_forms.written(laid)) > PLAN_LENGTH:
        raise Refused(_("That is longer than any plan."), field="plan")
    return _checked(drafting.legal(state, seat, laid), laid)


def _checked(found: Any, laid: Any) -> Any:
    """Return the draft.

    Raises: RuleError when it breaks a rule.
    """
    if found.error is not None:
        raise found.error
    return laid


def _place(visit: Tried, to: str) -> str:
    """Return the name of the place that a form means: the name itself, or what is at the point "x,y" of the map."""
    x, comma, y = to.partition(",")
    try:
        point = (float(x), float(y)) if comma else None
    except ValueError:
        return to
    if point is None or not all(map(isfinite, point)):
        return to
    return run_pages.get(visit.game).place_at(visit.page(), *point)


@require_safe
def at(request: HttpRequest, game: str, name: str, so_far: str) -> HttpResponse:
    """Show what is at the point `x`, `y` of the map, in the map's own units; 204 where there is nothing."""
    visit = _visit(game, name, so_far)
    try:
        x, y = (float(request.GET.get(axis, "")) for axis in "xy")
    except ValueError as error:
        raise Http404 from error
    if visit is None or not (isfinite(x) and isfinite(y)):
        raise Http404
    return _place_shown(request, visit, run_pages.get(game).place_at(visit.page(), x, y))


@require_safe
def place(request: HttpRequest, game: str, name: str, so_far: str, place: str) -> HttpResponse:
    """Show a place of the map by its name."""
    visit = _visit(game, name, so_far)
    if visit is None:
        raise Http404
    return _place_shown(request, visit, place)


def _place_shown(request: HttpRequest, visit: Visit, name: str) -> HttpResponse:
    page = visit.page()
    placed = run_pages.get(visit.game).place(page, name) if name else None
    if placed is None:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    context = {
        "run": page.run,
        "stage": page.run.special_stage,
        "rally": page.run.special_stage.rally,
        "placed": placed,
        "assets": catalogue.get(visit.game).assets,
        "frame": "runs/bare_place.html" if htmx.details(request) else "base.html",
        "crumbs": [*_crumbs(visit, linked=True), (placed.title, None)],
        **placed.context,
    }
    return render(request, "runs/place.html", context)


def _refused(request: HttpRequest, visit: Visit, refusal: Refusal) -> HttpResponse:
    """Return the page after a refusal, with what was laid."""
    sent = {name: text(str(value)) for name, value in request.POST.items()}
    return _shown(request, visit, DraftShown(plan=text(request.POST.get("plan", "")), sent=sent), refusal=refusal)


def _crumbs(visit: Visit, *, linked: bool = False) -> list[tuple[str, str | None]]:
    own = reverse("runs:scene", args=[visit.game, visit.scene.name, scenes.NEW]) if linked else None
    return [(_("Practice"), reverse("runs:practice")), (str(visit.scene.title), own)]


def _shown(
    request: HttpRequest, visit: Visit, draft: DraftShown, *, said: str = "", refusal: Refusal | None = None
) -> HttpResponse:
    page = visit.page()
    shown = run_pages.get(visit.game).show(page, draft)
    problem, rule = (refusal.message, refusal.rule) if refusal else (shown.problem, shown.rule)
    if refusal and refusal.move:
        problem = _("Move %(move)d: %(said)s") % {"move": refusal.move, "said": refusal.message}
    every, following = scenes.scene_school(visit.game).SCENES, scenes.scene_after(visit.game, visit.scene)
    context = {
        "game": catalogue.get(visit.game),
        "scene": visit.scene,
        "scene_number": every.index(visit.scene) + 1,
        "total": len(every),
        "following": following,
        "over": visit.over,
        "done": visit.over and visit.scene.done(visit.driven),
        "answered": dict(visit.scene.answers).get(visit.driven.answer, "") if visit.over else "",
        "compared": scenes.scene_school(visit.game).compared(visit.scene, visit.driven) if visit.over else "",
        "again_url": visit.url(so_far=scenes.NEW),
        "next_url": following and reverse("runs:scene", args=[visit.game, following.name, scenes.NEW]),
        "run": page.run,
        "stage": page.run.special_stage,
        "rally": page.run.special_stage.rally,
        "page": page,
        "shown": shown,
        "assets": catalogue.get(visit.game).assets,
        "words": catalogue.get(visit.game).words,
        "problem": problem,
        "rule": rule,
        "said": said,
        "post_key": secrets.token_urlsafe(12),
        "post_url": visit.url("scene_turn"),
        "draft_url": visit.url("scene_draft"),
        "ahead_url": "",
        "at_url": visit.url("scene_at"),
        "frame": "runs/fragment.html" if in_place(request) else "base.html",
        "crumbs": _crumbs(visit),
        **shown.context,
    }
    answer = render(request, "runs/scene.html", context, status=refusal.status if refusal else HTTPStatus.OK)
    if request.method == "POST":
        query = f"?{urlencode({'plan': draft.plan})}" if draft.plan and not refusal else ""
        replace_url(answer, f"{visit.url()}{query}")
    return answer
