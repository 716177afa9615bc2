"""The operator's page of notices that were not sent."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from championship.notices import selectors, services
from championship.platform import clock

LETTERS_ON_A_PAGE = 50


@require_http_methods(["GET", "HEAD", "POST"])
def letters(request: HttpRequest) -> HttpResponse:
    """Show dead and unsure notices; send them again or let them go. For staff only; others get a 404."""
    if not (request.user.is_authenticated and request.user.is_staff):
        raise Http404
    if request.method == "POST":
        return _settle(request)
    now = clock.now()
    page = Paginator(selectors.for_the_operator(), LETTERS_ON_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "page_obj": page,
        "due": selectors.due_count(now),
        "overdue": selectors.overdue(now).count(),
        "stuck": selectors.stuck(now).count(),
        "dead": page.paginator.count,
        "without_mail": selectors.people_without_mail()[:LETTERS_ON_A_PAGE],
    }
    return render(request, "notices/letters.html", context)


def _settle(request: HttpRequest) -> HttpResponse:
    known = {str(pk) for pk in selectors.for_the_operator().values_list("pk", flat=True)}
    ids = known if request.POST.get("which") == "all" else known.intersection(request.POST.getlist("letter"))
    if known and not ids:
        messages.error(request, _("Tick the letters you mean, or choose all."))
    elif request.POST.get("do") == "again":
        count = services.retry_undelivered(ids=ids)
        messages.success(request, ngettext("%d letter is sent again.", "%d letters are sent again.", count) % count)
    elif request.POST.get("do") == "let go":
        count = services.drop_undelivered(ids=ids)
        messages.success(request, ngettext("%d letter is let go.", "%d letters are let go.", count) % count)
    return redirect("notices:letters")
