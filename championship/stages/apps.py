from django.apps import AppConfig


class StagesConfig(AppConfig):
    name = "championship.stages"
    label = "stages"
