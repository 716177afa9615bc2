from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class LegalConfig(AppConfig):
    name = "championship.legal"
    label = "legal"
    verbose_name = _("legal texts")

    def ready(self) -> None:
        from championship.audit import actions

        actions.register("legal text written", _("wrote a legal text"))
        actions.register("legal text removed", _("went back to the default of a legal text"))
