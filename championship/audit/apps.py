from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "championship.audit"
    label = "audit"
