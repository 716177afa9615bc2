from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    name = "championship.accounts"
    label = "accounts"
    verbose_name = _("people")

    def ready(self) -> None:
        from championship.accounts import receivers  # noqa: F401
