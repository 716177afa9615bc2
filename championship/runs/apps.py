"""The runs app: its notice kinds, audit actions, and what it follows."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RunsConfig(AppConfig):
    name = "championship.runs"
    label = "runs"
    verbose_name = _("runs")

    def ready(self) -> None:
        from championship.accounts.followers import guest_followers, timing_followers
        from championship.audit import actions
        from championship.deadlines import customers
        from championship.notices import calendar_feed
        from championship.papers import headlines
        from championship.platform import retention
        from championship.platform.web import live_streams
        from championship.rallies import front, page_versions
        from championship.rallies.desk import long_rallies, promises
        from championship.rallies.followers import rally_followers
        from championship.runs import following, run_pages
        from championship.runs.models import Seat
        from championship.runs.pages.plain import PlainPages
        from championship.runs.play import guest_runs, turn_drafts
        from championship.runs.play.turn_deadlines import Turns
        from championship.runs.watch import live, wheels
        from championship.runs.watch.lengths import expected_length
        from championship.runs.watch.logged_promises import promises_of
        from championship.runs.watch.luck import forecasts
        from championship.runs.watch.my_turns import calendar_dates
        from championship.runs.watch.story import headlines_of

        run_pages.register_plain(PlainPages)
        retention.register("drafts", turn_drafts.delete_old_drafts)
        retention.register("guests", guest_runs.delete_forgotten)
        following.admit_guests()

        rally_followers.register(following.RunsOfRallies())
        timing_followers.register(following.TurnsOfPeople())
        guest_followers.register(following.DrivesOfGuests())
        customers.register(Turns())
        calendar_feed.register("runs", calendar_dates)
        promises.register(promises_of)
        long_rallies.register(expected_length)
        headlines.register(headlines_of)
        page_versions.register_on_the_road(live.version_query)
        front.BESIDE.register("wheel", wheels.own_seats)
        front.BESIDE_STAGE.register("runs", live.runs_of_stage)
        front.BESIDE_STAGE.register("forecast", forecasts.on_stage)
        live_streams.register(live.stream_versions)
        actions.register("stages sealed", _("sealed the random draws"))
        actions.register("stage opened", _("opened the stage"))
        actions.register("database accepted", _("accepted another database without a loss"))
        actions.register_detail("promises", _("SHA-256 of the seals"))
        actions.register_detail("seal_sha256", _("SHA-256 of the seal"))
        actions.register_detail("phrases_sha256", _("SHA-256 of the phrases"))
        actions.register("stage sealed anew", _("sealed the stage again after a restore from a backup"))
        actions.register("wheel taken back", _("took the wheel back from the codriver"))
        actions.register("driver nudged", _("reminded the driver"))
        actions.register("deadline extended", _("gave the driver more time"))
        actions.register_detail("more_hours", _("hours more"))
        actions.register_detail("how_long", _("for how long"), Seat.HandedOver.choices)
        _register_kinds()
        _register_kinds_after_restore()


def _register_kinds() -> None:
    """Register the kinds of notices to drivers."""
    from championship.notices import kinds
    from championship.runs.turn_mails import details_of
    from championship.runs.watch.selectors import orders_ahead_notice_still_needed, turn_not_begun, turn_still_waits

    kinds.register(
        "turn waits",
        subject=_("%(rally)s, %(stage)s: your turn"),
        body_template="notices/mail/turn_waits.txt",
        still_wanted=turn_not_begun,
        switch=_("A turn waits for me"),
        urgent=True,
        details=details_of,
    )
    kinds.register(
        "plan not driven",
        subject=_("%(rally)s, %(stage)s: your plan was not driven"),
        body_template="notices/mail/plan_not_driven.txt",
        still_wanted=orders_ahead_notice_still_needed,
        switch=_("A plan that I sent ahead could not be driven"),
        urgent=True,
    )
    kinds.register(
        "turn closes soon",
        subject=_("%(rally)s, %(stage)s: your turn closes soon"),
        body_template="notices/mail/turn_closes_soon.txt",
        still_wanted=turn_still_waits,
        switch=_("A turn that waits for me closes soon"),
        urgent=True,
        details=details_of,
    )
    kinds.register(
        "turn nudged",
        subject=_("%(rally)s, %(stage)s: the organisers remind you"),
        body_template="notices/mail/turn_nudged.txt",
        still_wanted=turn_still_waits,
        switch=_("An organiser reminds me of a turn"),
        urgent=True,
        details=details_of,
    )
    kinds.register(
        "turn extended",
        subject=_("%(rally)s, %(stage)s: more time for your turn"),
        body_template="notices/mail/turn_extended.txt",
        still_wanted=turn_still_waits,
        switch=_("An organiser gives me more time for a turn"),
    )
    kinds.register(
        "stage opened",
        subject=_("%(rally)s, %(stage)s has started"),
        body_template="notices/mail/stage_opened.txt",
        switch=_("A later stage or race of my rally has started"),
    )
    kinds.register(
        "turn driven for you",
        subject=_("%(rally)s, %(stage)s: the codriver drove for you"),
        body_template="notices/mail/turn_driven.txt",
        switch=_("The codriver has driven a turn for me"),
    )


def _register_kinds_after_restore() -> None:
    """Register the kinds of notices about a restored database. It concerns everybody, so they have no `switch`."""
    from championship.notices import kinds

    kinds.register(
        "draws sealed again",
        subject=_("%(rally)s: the random draws were sealed again"),
        body_template="notices/mail/draws_sealed_again.txt",
    )
    kinds.register(
        "database accepted",
        subject=_("%(rally)s: another copy of the database"),
        body_template="notices/mail/database_accepted.txt",
        urgent=True,
    )
