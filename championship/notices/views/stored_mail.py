"""The demo's page of sent mail."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from championship.notices import selectors

MAILS_ON_A_PAGE = 20


@require_safe
def sent_mail(request: HttpRequest) -> HttpResponse:
    """The mail that the demo would have sent. Only the demo routes it: it shows everybody's sign-in codes."""
    page = Paginator(selectors.sent_mails(), MAILS_ON_A_PAGE).get_page(request.GET.get("page"))
    return render(request, "notices/sent_mail.html", {"page_obj": page})
