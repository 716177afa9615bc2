"""The pages that the law requires, and the page on which the operator writes them."""

from __future__ import annotations

from http import HTTPStatus

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from championship.accounts.models import User
from championship.accounts.requests import SignedInRequest
from championship.legal import services
from championship.legal.models import LONGEST, Topic
from championship.platform.markdown import as_html
from championship.platform.refusals import Refused


class TextForm(forms.Form):
    language = forms.ChoiceField(label=gettext_lazy("Language"), choices=User.Language.choices)
    body = forms.CharField(
        label=gettext_lazy("Text"),
        required=False,
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 20}),
        help_text=gettext_lazy(
            "An empty line between paragraphs, # before a heading, - before an item of a list. Without a "
            "text, the default is shown."
        ),
    )


@require_safe
def page(request: HttpRequest, topic: str) -> HttpResponse:
    """One of the four texts: the operator's own, or the default."""
    topic = _topic(topic)
    own = services.text_for(topic, _language())
    context = {
        "topic": topic,
        "topics": Topic.choices,
        "title": Topic(topic).label,
        "own": own,
        "html": as_html(own.body) if own else "",
        "default": f"legal/default/{topic}.html",
        "operator": settings.OPERATOR_NAME,
        "address": settings.OPERATOR_MAIL,
        "postal": settings.OPERATOR_ADDRESS,
        "days": {name.replace(" ", "_"): round(days) for name, days in settings.RETENTION_DAYS.items()},
    }
    return render(request, "legal/text.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: SignedInRequest, topic: str) -> HttpResponse:
    """The operator writes a text in one language (?language=de)."""
    topic = _topic(topic)
    if not request.user.is_staff:
        raise Http404
    language = request.GET.get("language", "")
    language = language if language in User.Language.values else _language()
    first = {"language": language, "body": services.own_text(topic, language)}
    form = TextForm(request.POST if request.method == "POST" else None, initial=first)
    if request.method == "POST" and form.is_valid():
        try:
            written = services.write(by=request.user, topic=topic, **form.cleaned_data)
        except Refused as refusal:
            form.add_error(refusal.field, str(refusal))
        else:
            messages.success(request, _("Your text is shown now.") if written else _("The default is shown now."))
            return redirect("legal:page", topic=topic)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    crumbs = [(str(Topic(topic).label), reverse("legal:page", args=[topic])), (_("Write"), None)]
    context = {"form": form, "topic": topic, "title": Topic(topic).label, "crumbs": crumbs, "now": language}
    return render(request, "legal/edit.html", {**context, "languages": User.Language.choices}, status=status)


def _topic(topic: str) -> str:
    if topic not in Topic.values:
        raise Http404
    return topic


def _language() -> str:
    return (get_language() or "en").split("-")[0]
