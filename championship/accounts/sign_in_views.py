"""Signing up, in and out by e-mail code: allauth's flow with our fields, our texts and correct status codes.

Nobody is ever asked for a password; allauth's password pages are not routed.
"""

from http import HTTPStatus
from typing import Any

from allauth.account import forms as allauth_forms
from allauth.account import views as allauth_views
from allauth.account.fields import EmailField as AddressField
from allauth.account.internal.flows.manage_email import sync_user_email_address
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import IntegrityError
from django.forms import CharField, Form
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.decorators import method_decorator
from django.utils.translation import gettext_lazy as _

from championship.accounts import rate_limit_answers, services, zones
from championship.accounts.forms import ReaderForm
from championship.accounts.models import User
from championship.accounts.reauthentication import ReauthenticationRequired, note_code
from championship.accounts.requests import is_signed_in
from championship.accounts.services.sessions import one_at_a_time

EMAIL_LENGTH = User._meta.get_field("email").max_length
Saved = tuple[User | None, HttpResponse | None]
"""The account if one was created, else the response."""
CODE_LENGTH = 40
"""Length of the longest text that is accepted as a code; far longer than any real code."""


class LoginForm(allauth_forms.LoginForm):
    """The address to which a code is sent."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _address(self, "login")

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean()  # type: ignore[no-untyped-call]  # allauth
        if self.user is not None:
            # An account from the command line has no confirmed address yet. Its first code confirms it.
            sync_user_email_address(self.user)
        return cleaned


class SignupForm(ReaderForm, allauth_forms.SignupForm):  # type: ignore[misc]  # allauth's `clean` has no types
    """Address, name, language and zone. The account is created, unconfirmed, before the person types the code."""

    field_order = ["email", "name", "language", "time_zone"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _address(self, "email")
        language = (translation.get_language() or "en").split("-")[0]
        self.fields["language"].initial = language if language in User.Language.values else "en"
        self.fields["time_zone"].initial = zones.guess(language)

    def try_save(self, request: HttpRequest) -> Saved:
        """Create the complete account in one transaction. Two forms at once for one address create one account."""
        try:
            made: Saved = services.make_account(lambda: super(SignupForm, self).try_save(request))
        except IntegrityError:
            self.account_already_exists = True
            made = super().try_save(request)
        return made

    def custom_signup(self, request: HttpRequest, user: AbstractBaseUser) -> None:
        assert isinstance(user, User)
        profile = services.update_profile(
            user=user,
            name=self.cleaned_data["name"],
            language=self.cleaned_data["language"],
            time_zone=self.cleaned_data["time_zone"],
        )
        user.name, user.language, user.time_zone = profile.name, profile.language, profile.time_zone


class AddEmailForm(allauth_forms.AddEmailForm):
    """A new address for an account."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _address(self, "email")
        self.fields["email"].label = _("New e-mail address")


class ConfirmLoginCodeForm(allauth_forms.ConfirmLoginCodeForm):
    """The code from the mail, at sign-in."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _code(self)


class ConfirmAddressCodeForm(allauth_forms.ConfirmEmailVerificationCodeForm):
    """The code from the mail, at sign-up or at a change of address."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _code(self)


def _address(form: Form, name: str) -> None:
    """Give an address field our label, and the length that the database accepts."""
    form.fields[name] = AddressField(label=_("E-mail address"), max_length=EMAIL_LENGTH)
    form.fields[name].widget.attrs.pop("placeholder", None)


def _code(form: Form) -> None:
    field = form.fields["code"]
    assert isinstance(field, CharField)
    field.label = _("Code")
    field.max_length = CODE_LENGTH
    field.widget.attrs = {
        "autocomplete": "one-time-code",
        "autocapitalize": "characters",
        "maxlength": CODE_LENGTH,
    }


class Unprocessable:
    """Mixin: an invalid form is shown again with status 422 and what was typed; with 429 where a limit is reached."""

    request: HttpRequest

    def form_invalid(self, form: Form) -> HttpResponse:
        response: HttpResponse = super().form_invalid(form)  # type: ignore[misc]
        if rate_limit_answers.was_reached(self.request):
            response.status_code = HTTPStatus.TOO_MANY_REQUESTS
            response["Retry-After"] = str(rate_limit_answers.wait(self.request))
        elif response.status_code == HTTPStatus.OK:
            response.status_code = HTTPStatus.UNPROCESSABLE_ENTITY
        return response


class LoginView(Unprocessable, allauth_views.LoginView):
    pass


class SignupView(Unprocessable, allauth_views.SignupView):
    pass


class EmailView(ReauthenticationRequired, Unprocessable, allauth_views.EmailView):
    pass


@method_decorator(one_at_a_time, name="dispatch")
class ConfirmLoginCodeView(Unprocessable, allauth_views.ConfirmLoginCodeView):
    pass


@method_decorator(one_at_a_time, name="dispatch")
class ConfirmAddressCodeView(Unprocessable, allauth_views.ConfirmEmailVerificationCodeView):
    def form_valid(self, form: Form) -> HttpResponse:
        """A code that signs a person in proves who they are. A code to a further address proves nothing new."""
        comes_in = self.request.user.is_anonymous
        answer: HttpResponse = super().form_valid(form)
        request: HttpRequest = self.request
        if comes_in and is_signed_in(request):
            note_code(request, request.user.email)
        return answer
