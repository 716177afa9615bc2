"""The app of the API: its notice, and how its acts appear in the log."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ApiConfig(AppConfig):
    name = "championship.api"
    label = "api"
    verbose_name = _("programs")

    def ready(self) -> None:
        from championship.accounts.followers import closed_followers
        from championship.api.scopes import Scope
        from championship.api.services import TokensOfPeople, delete_old_answers
        from championship.audit import actions
        from championship.notices import kinds
        from championship.platform import retention

        retention.register("kept answers", delete_old_answers)

        closed_followers.register(TokensOfPeople())

        kinds.register(
            "token made",
            subject=_("A token was made for your account"),
            body_template="api/mail/token_made.txt",
            urgent=True,
        )
        actions.register("token made", _("made a token for a program"))
        actions.register("token revoked", _("revoked a token"))
        actions.register("became a bot", _("let a program drive for this account"))
        actions.register_detail("token", _("by token"))
        actions.register_detail("scopes", _("scopes"), Scope.choices)
