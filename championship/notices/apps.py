from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class NoticesConfig(AppConfig):
    name = "championship.notices"
    label = "notices"
    verbose_name = _("notices")

    def ready(self) -> None:
        from championship.accounts.followers import closed_followers
        from championship.audit import actions
        from championship.notices import following, kinds
        from championship.notices.following import NoticesOfPeople

        following.register_expiry()
        closed_followers.register(NoticesOfPeople())

        actions.register("webhook set", _("set a webhook"))
        actions.register("webhook removed", _("removed a webhook"))
        actions.register("webhook secret changed", _("gave a webhook another secret"))
        actions.register("webhook post sent again", _("had a webhook's post sent again"))
        actions.register_detail("shape", _("shape"))
        kinds.register(
            "webhook off",
            subject=_("Your webhook is switched off"),
            body_template="notices/mail/webhook_off.txt",
            urgent=True,
        )
        kinds.register(
            "push off",
            subject=_("A browser no longer shows your notices"),
            body_template="notices/mail/push_off.txt",
            urgent=True,
        )
