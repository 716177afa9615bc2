"""Migrates a filled database back and forth, as `manage.py migrate` does, in a fraction of the time."""

from __future__ import annotations

from typing import Any

from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.migration import Migration
from django.db.migrations.state import ProjectState


class _UnrenderedState(ProjectState):
    """A state that builds its models only when they are needed, and not again after each operation of a migration that
    is not run.
    """

    def clone(self) -> ProjectState:
        copy = super().clone()
        copy.__class__ = _UnrenderedState
        return copy

    def reload_model(self, *args: Any, **kwargs: Any) -> None:
        self.__dict__.pop("apps", None)

    def reload_models(self, *args: Any, **kwargs: Any) -> None:
        self.__dict__.pop("apps", None)


class Executor(MigrationExecutor):
    """Django's executor. It does not rebuild all models for each migration that it only passes."""

    def _create_project_state(self, with_applied_migrations: bool = False) -> ProjectState:
        state: ProjectState = super()._create_project_state(with_applied_migrations)  # type: ignore[misc]
        state.__class__ = _UnrenderedState
        return state

    def apply_migration(
        self, state: ProjectState, migration: Migration, fake: bool = False, fake_initial: bool = False
    ) -> ProjectState:
        """Apply one migration with Django's own state."""
        state.__class__ = ProjectState
        after = super().apply_migration(state, migration, fake, fake_initial)
        after.__class__ = _UnrenderedState
        return after

    def unapply_migration(self, state: ProjectState, migration: Migration, fake: bool = False) -> ProjectState:
        """Take one migration back with Django's own state."""
        state.__class__ = ProjectState
        return super().unapply_migration(state, migration, fake)
