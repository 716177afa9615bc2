"""The mail switches, and the demo's page of sent mail."""

from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from championship.notices import selectors, services
from championship.notices.forms import SwitchesForm

MAILS_ON_A_PAGE = 20


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def switches(request: HttpRequest) -> HttpResponse:
    """Show and change which mails one wants."""
    form = SwitchesForm(request.POST if request.method == "POST" else None, person=request.user)
    if request.method == "POST" and form.is_valid():
        services.set_switches(person=request.user, on=form.cleaned_data["on"])
        messages.success(request, _("Your mail switches are saved."))
        return redirect("accounts:me")
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "notices/switches.html", {"form": form}, status=status)


@require_safe
def sent_mail(request: HttpRequest) -> HttpResponse:
    """The mail the demo would have sent. Only routed in the demo: it shows everybody's sign-in codes."""
    page = Paginator(selectors.sent_mails(), MAILS_ON_A_PAGE).get_page(request.GET.get("page"))
    return render(request, "notices/sent_mail.html", {"page_obj": page})
