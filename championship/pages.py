"""Pages that belong to no app: the landing page for those who have not signed in."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Signed-in people go to their turns, everybody else sees what this is."""
    if request.user.is_authenticated:
        return redirect("runs:mine")
    return render(request, "home.html")
