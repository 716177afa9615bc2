"""Passkeys: a quicker way to sign in besides the code by e-mail, never a second factor.

Allauth treats a key as a second factor; here a key alone is enough. Somebody who loses it asks for a code, so there are
no recovery codes either.
"""

import json
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn import forms as allauth_forms
from allauth.mfa.webauthn import views as allauth_views
from allauth.mfa.webauthn.internal.auth import begin_registration
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.forms import CharField, Form, HiddenInput, JSONField
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from championship.accounts.models import User
from championship.accounts.reauthentication import ReauthenticationRequired
from championship.accounts.sign_in_views import Unprocessable
from championship.accounts.text import one_line

NAME_LENGTH = 60
T = TypeVar("T")
MALFORMED = (AttributeError, LookupError, TypeError, ValueError)
"""What the WebAuthn library raises for data that no browser would send."""


class PasskeyAdapter(DefaultMFAAdapter):
    """Signing in never asks for a key on top of a code."""

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": _("This passkey was not accepted. Try again, or ask for a code by e-mail."),
        "unverified_email": _("Confirm your e-mail address first."),
    }

    def is_mfa_enabled(self, user: AbstractBaseUser, types: Iterable[str] | None = None) -> bool:
        return False

    def generate_authenticator_name(self, user: AbstractBaseUser, type: Authenticator.Type) -> str:
        number = Authenticator.objects.filter(user_id=user.pk, type=type).count() + 1
        return str(_("Passkey %d")) % number

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        return {**super().get_public_key_credential_rp_entity(), "name": "Parc Fermé"}


class CredentialField(JSONField):
    """A browser's response as JSON. JSON that is nested too deeply is not valid either."""

    def to_python(self, value: Any) -> Any:
        try:
            return super().to_python(value)
        except RecursionError as error:
            raise PasskeyAdapter().validation_error("incorrect_code") from error

    def bound_data(self, data: Any, initial: Any) -> Any:
        try:
            return super().bound_data(data, initial)
        except RecursionError:
            return None


def read_credential(clean: Callable[[], T]) -> T:
    """Returns the result of a form's `clean` for a browser's response about a key.

    Raises: ValidationError when the key is wrong, or the response is malformed.
    """
    try:
        return clean()
    except ValidationError:
        raise
    except MALFORMED as error:
        raise PasskeyAdapter().validation_error("incorrect_code") from error


class _CheckedCredential:
    """Turns every fault in a browser's response into a form error, so that it is no server error."""

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = read_credential(super().clean) or {}  # type: ignore[misc]
        if "\\u0000" in json.dumps(cleaned.get("credential", ""), default=str):
            raise PasskeyAdapter().validation_error("incorrect_code")
        return cleaned


class AddPasskeyForm(_CheckedCredential, allauth_forms.SignupWebAuthnForm):
    """The name of the new key, and the browser's response about it."""

    credential = CredentialField(widget=HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        name = self.fields["name"]
        assert isinstance(name, CharField)
        name.label, name.max_length = _("Name of the key"), NAME_LENGTH
        name.widget.attrs["maxlength"] = NAME_LENGTH
        name.help_text = _("Only for you, for example the device it is on.")

    def clean_name(self) -> str:
        name: str = super().clean_name()
        one_line(name)
        if len(name) > NAME_LENGTH:
            raise ValidationError(_("At most %d characters.") % NAME_LENGTH)
        return name


class LoginPasskeyForm(allauth_forms.LoginWebAuthnForm):
    """The browser's response about a key at sign-in."""

    credential = CredentialField(widget=HiddenInput)

    def clean_credential(self) -> Authenticator:
        return read_credential(super().clean_credential)


class AddPasskeyView(ReauthenticationRequired, Unprocessable, allauth_views.AddWebAuthnView):
    """Adds only discoverable keys (those that identify their owner without a user name). Others are of no use here."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = {"form": kwargs.get("form") or self.get_form(), "view": self}
        assert isinstance(self.request.user, User)  # ReauthenticationRequired has checked it
        context["js_data"] = {"creation_options": begin_registration(self.request.user, True)}
        return context

    def get_success_url(self) -> str:
        return reverse("mfa_list_webauthn")


class RemovePasskeyView(ReauthenticationRequired, allauth_views.RemoveWebAuthnView):
    pass


class LoginPasskeyView(allauth_views.LoginWebAuthnView):
    def form_invalid(self, form: Form) -> HttpResponse:
        """Redirect to the sign-in page, which shows the reason as a message."""
        if not form.errors.get("credential"):
            form.add_error("credential", PasskeyAdapter.error_messages["incorrect_code"])
        response: HttpResponse = super().form_invalid(form)
        return response
