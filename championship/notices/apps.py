from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class NoticesConfig(AppConfig):
    name = "championship.notices"
    label = "notices"
    verbose_name = _("notices")

    def ready(self) -> None:
        from championship.notices import kinds, receivers  # noqa: F401

        kinds.register(
            "webhook off",
            subject=_("Your webhook is switched off"),
            body_template="notices/mail/webhook_off.txt",
            urgent=True,
        )
