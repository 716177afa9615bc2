"""The Celery task of seasons: who is likely to win. It may run twice at a time or not at all."""

from championship.platform.task_dispatch import task


@task()
def forecast_titles() -> None:
    """Compute the forecasts of the rallies and seasons that have moved on."""
    from championship.seasons.chances import services

    services.forecast_titles()
