from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    name = "championship.accounts"
    label = "accounts"
    verbose_name = _("people")

    def ready(self) -> None:
        from championship.accounts import adapter  # noqa: F401
        from championship.accounts.middleware import as_chosen
        from championship.accounts.services import closing, sign_in_mail
        from championship.platform import retention
        from championship.platform.web import polling

        polling.register_reader(as_chosen)

        retention.register("letters about signing in", sign_in_mail.delete_old)
        retention.register("closed accounts", lambda before: closing.finish_due(before=before))
