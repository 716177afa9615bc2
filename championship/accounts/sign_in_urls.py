"""The routes of allauth, under the names by which allauth looks them up. None of them asks for a password."""

from allauth.account import views as allauth_views
from allauth.mfa.webauthn import views as passkey_views
from django.urls import path
from django.views.generic import RedirectView

from championship.accounts import passkeys, reauthentication_views, sign_in_views

to_login = RedirectView.as_view(pattern_name="account_login")
to_passkeys = RedirectView.as_view(pattern_name="mfa_list_webauthn")

urlpatterns = [
    path("login/", sign_in_views.LoginView.as_view(), name="account_login"),
    path("login/code/", to_login, name="account_request_login_code"),
    path("login/code/confirm/", sign_in_views.ConfirmLoginCodeView.as_view(), name="account_confirm_login_code"),
    path("signup/", sign_in_views.SignupView.as_view(), name="account_signup"),
    path("confirm-email/", sign_in_views.ConfirmAddressCodeView.as_view(), name="account_email_verification_sent"),
    path("email/", sign_in_views.EmailView.as_view(), name="account_email"),
    path("fresh-code/", reauthentication_views.fresh_code, name="account_fresh_code"),
    path("fresh-passkey/", reauthentication_views.fresh_passkey, name="account_fresh_passkey"),
    path("logout/", allauth_views.logout, name="account_logout"),
    path("passkeys/", passkey_views.list_webauthn, name="mfa_list_webauthn"),
    path("passkeys/all/", to_passkeys, name="mfa_index"),
    path("passkeys/add/", passkeys.AddPasskeyView.as_view(), name="mfa_add_webauthn"),
    path("passkeys/login/", passkeys.LoginPasskeyView.as_view(), name="mfa_login_webauthn"),
    path("passkeys/<int:pk>/remove/", passkeys.RemovePasskeyView.as_view(), name="mfa_remove_webauthn"),
    path("inactive/", allauth_views.account_inactive, name="account_inactive"),
]
