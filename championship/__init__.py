"""Parc Fermé: the Django project around the engine. One small app per topic, lowest first."""

from championship.celery import app as celery_app

__all__ = ["celery_app"]
