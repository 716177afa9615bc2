"""Pages for everybody who may see a rally: what was entered by hand, with every correction, and the proof of a roll."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import Resolver404, resolve, reverse
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.http import require_safe

from championship.catalogue.pads import pad_of
from championship.rallies import selectors as rallies
from championship.rallies.public_views import crumbs, page_context
from championship.runs.play.table_draws import proof_at_table
from championship.tabletop import selectors
from championship.tabletop.bg_stats import bg_stats_link
from championship.tabletop.models import Roll
from championship.tabletop.selectors import in_words


@require_safe
def by_hand(request: HttpRequest, key: str) -> HttpResponse:
    """Show what was entered by hand: who wrote it, when, what it replaced; and what phones have rolled."""
    page = rallies.rally_page(rallies.rally_by_key(key, request.user), request.user)
    found = selectors.by_hand(page.rally)
    context = {
        **page_context(page, "by hand"),
        "crumbs": crumbs(page, _("Entered by hand")),
        "scores": [
            (score, in_words(score, page.rally), in_words(score.seen, page.rally) if score.seen else "")
            for score in found.scores
        ],
        "rolls": found.rolls,
        "bg_stats": bg_stats_link(page.results),
    }
    return render(request, "tabletop/by_hand.html", context)


@require_safe
def roll(request: HttpRequest, key: str) -> HttpResponse:
    """Show a roll and its proof. Everybody with the address may see it; it cannot be guessed."""
    made = get_object_or_404(Roll.objects.select_related("entry", "special_stage__rally__club"), key=key)
    rally = made.special_stage.rally
    pad, proof = pad_of(rally.game, rally.all_options), proof_at_table(made.special_stage, made.entry.start_number or 0)
    lines = []
    for place, (name, shown) in enumerate(zip(made.thrown, made.shown, strict=True)):
        throw = pad.throw(name)
        faces = throw.faces if throw else ()
        words = made.words_of(place)
        again = proof.number(words, len(faces), salt=made.salt) if faces else None
        face = faces[shown] if shown < len(faces) else str(shown)
        lines.append((throw.label if throw else name, face, words, len(faces), shown, again))
    context = {
        "roll": made,
        "rally": rally,
        "stage": made.special_stage,
        "lines": lines,
        "proof": proof,
        "holds": bool(proof.secret) and all(shown == again for *_rest, shown, again in lines),
        "crumbs": [(rally.name, rally.get_absolute_url()), (pgettext("noun", "Roll"), None)],
        "back": _pad_before(request),
    }
    answer = render(request, "tabletop/roll.html", context)
    patch_vary_headers(answer, ["Referer"])
    return answer


def _pad_before(request: HttpRequest) -> str:
    """The address of the pad from which somebody comes who has just rolled; "" for others. A browser tells it to pages
    of the same site only, and the page does not contain it otherwise: the address is a secret.
    """
    try:
        before = urlsplit(request.headers.get("Referer", ""))
        found = resolve(before.path) if before.netloc == request.get_host() else None
    except (ValueError, Resolver404):
        return ""
    if found is None or found.view_name not in ("tabletop:pad", "tabletop:roll_now"):
        return ""
    return reverse("tabletop:pad", args=[found.kwargs["token"]])
