"""Parc Fermé: the Django project around the engine. One small app per topic, lowest first."""

__version__ = "0.1.0"

from championship.celery import app as celery_app

__all__ = ["__version__", "celery_app"]
