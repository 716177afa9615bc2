"""Why cars retired from a run, as its events and posts tell."""

from __future__ import annotations

from championship.rallies.retiring import Why
from championship.runs.models import Event, Run
from engine import ruleset


def why_retired(run: Run, result: ruleset.Result) -> dict[str, str]:
    """The reasons by driver; in one query, and none where everybody is in.

    Who gave up without having sent that had missed deadlines, outside practice. Of whom no event tells could not
    start.
    """
    retired = [finish.driver for finish in result.finishes if finish.retired]
    if not retired:
        return {}
    told = list(Event.objects.filter(run=run, kind="retire").values_list("data", "post__by"))
    reasons = ruleset.get(run.game).retirements(event for event, _by in told)
    by_the_clock = {event["driver"] for event, by in told if by is None}
    practice = run.special_stage.rally.practice

    def why(driver: str) -> str:
        reason = Why(reasons.get(driver, Why.NOT_STARTED))
        missed = reason == Why.GAVE_UP and driver in by_the_clock and not practice
        return Why.MISSED if missed else reason

    return {driver: str(why(driver)) for driver in retired}
