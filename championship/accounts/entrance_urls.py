"""Allauth's addresses by the names it looks them up with; none of them asks for a password."""

from allauth.account import views as allauth_views
from django.urls import path
from django.views.generic import RedirectView

from championship.accounts import entrance

urlpatterns = [
    path("login/", entrance.LoginView.as_view(), name="account_login"),
    path("login/code/", RedirectView.as_view(pattern_name="account_login"), name="account_request_login_code"),
    path("login/code/confirm/", entrance.ConfirmLoginCodeView.as_view(), name="account_confirm_login_code"),
    path("signup/", entrance.SignupView.as_view(), name="account_signup"),
    path("confirm-email/", entrance.ConfirmAddressCodeView.as_view(), name="account_email_verification_sent"),
    path("email/", entrance.EmailView.as_view(), name="account_email"),
    path("logout/", allauth_views.logout, name="account_logout"),
    path("inactive/", allauth_views.account_inactive, name="account_inactive"),
]
