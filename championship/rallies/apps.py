from django.apps import AppConfig


class RalliesConfig(AppConfig):
    name = "championship.rallies"
    label = "rallies"
