from django.apps import AppConfig


class RunsConfig(AppConfig):
    name = "championship.runs"
    label = "runs"
