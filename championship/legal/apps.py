from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class LegalConfig(AppConfig):
    name = "championship.legal"
    label = "legal"
    verbose_name = _("legal texts")

    def ready(self) -> None:
        from django.core import checks

        from championship.audit import actions
        from championship.legal.deploy_checks import operator_is_named

        checks.register(operator_is_named, deploy=True)
        actions.register("legal text written", _("wrote a legal text"))
        actions.register("legal text removed", _("went back to the default of a legal text"))
