"""The seasons app, and its acts in the audit log."""

from dataclasses import fields

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

ACTS = {
    "championship made": _("made the championship"),
    "championship changed": _("changed the championship"),
    "round added": _("added a round"),
    "rally deleted": _("deleted the rally"),
    "championship deleted": _("deleted the championship"),
    "driver registered": _("registered a driver for the season"),
    "registration changed": _("changed a registration for the season"),
    "drivers registered again": _("registered the drivers of a season before"),
    "calendar changed": _("changed the calendar"),
    "registration withdrawn": _("withdrew a registration for the season"),
    "teams named": _("named the teams"),
    "season clock changed": _("changed the clock of the season"),
    "season act done": _("a step of the season is done"),
    "season act stopped": _("a step of the season has stopped"),
    "season act held": _("held a step of the season"),
    "season act released": _("released a step of the season"),
    "season act left out": _("left a step of the season out"),
    "points given by hand": _("gave or took points by hand"),
    "points by hand withdrawn": _("withdrew points given by hand"),
    "points of rounds changed": _("changed what rounds count"),
    "rounds nominated": _("nominated rounds for a driver"),
    "shared cars named": _("said who shared a car"),
    "season template saved": _("saved a template of a season"),
    "season template deleted": _("deleted a template of a season"),
    "divisions changed": _("changed the divisions"),
    "drivers put into divisions": _("put drivers into divisions"),
    "next season made": _("made the next season"),
    "reserve listed": _("put a driver on the list of reserves"),
    "reserve moved": _("moved a driver on the list of reserves"),
    "reserve removed": _("took a driver off the list of reserves"),
    "place offered": _("offered a place in a division"),
    "place offer over": _("an offer of a place was not answered in time"),
    "place offer taken back": _("took back the offer of a place"),
    "place accepted": _("accepted a place in a division"),
    "place declined": _("declined a place in a division"),
}
DETAILS = {
    "championship": _("championship"),
    "rallies": _("rallies"),
    "driver": _("driver"),
    "car_class": _("car class"),
    "team": _("team"),
    "teams": _("teams"),
    "drivers": _("drivers"),
    "classes": _("car classes"),
    "calendar": _("calendar"),
    "clock": _("clock of the season"),
    "act": _("step"),
    "given_points": _("points"),
    "author_takes_part": _("its author takes part in this season"),
    "divisions": _("divisions"),
    "template": _("template"),
    "division": _("division"),
    "rules": _("rules of divisions"),
}


NOTICES = {
    "do you come": (_("%(rally)s: do you come?"), _("A round asks whether I come")),
    "season act stopped": (
        _("%(rally)s: the season waits for you"),
        _("A season that I organise cannot go on by itself"),
    ),
    "points by hand": (
        _("%(season)s: points by hand"),
        _("Points are given to me or my team, or taken, by hand"),
    ),
    "your division": (
        _("%(season)s: your division is %(division)s"),
        _("I am put into a division of a season"),
    ),
    "place offered": (
        _("%(season)s: a place in %(division)s is free for you"),
        _("A place in a division is offered to me"),
    ),
    "place gone": (
        _("%(season)s: the place in %(division)s is no longer offered to you"),
        _("A place that was offered to me is gone"),
    ),
}
"""The kinds of notices: the subject, and the label of the switch. The body is in notices/mail, in a file of that name.
"""


class SeasonsConfig(AppConfig):
    name = "championship.seasons"
    label = "seasons"
    verbose_name = _("championships")

    def ready(self) -> None:
        from championship.audit import actions
        from championship.deadlines.services import scheduled_actions
        from championship.notices import kinds
        from championship.papers import occasions
        from championship.rallies import front
        from championship.rallies.entries import registered_drivers, start_groups
        from championship.rallies.entries.services import seeding
        from championship.rallies.followers import start_followers
        from championship.runs.watch import my_turns
        from championship.seasons import finished, selectors
        from championship.seasons.away import files
        from championship.seasons.clock import selectors as clock_selectors
        from championship.seasons.clock.services import SeasonClocks, SeasonStarts, question_stands
        from championship.seasons.divisions import selectors as division_selectors
        from championship.seasons.divisions.services import DivisionGroups
        from championship.seasons.divisions.services.offers import offer_stands
        from championship.seasons.models import Championship
        from championship.seasons.schemes import Scheme
        from championship.seasons.selectors import ChampionshipStandings

        seeding.register_standings(ChampionshipStandings())
        occasions.register(selectors.occasion_of)
        files.register_all()
        registered_drivers.register(selectors.registered_drivers, selectors.classes_of_season)
        start_followers.register(SeasonStarts())
        scheduled_actions.register(SeasonClocks())
        wanted = {"do you come": question_stands, "place offered": offer_stands}
        for kind, (subject, switch) in NOTICES.items():
            template = f"notices/mail/{kind.replace(' ', '_')}.txt"
            urgent = kind in wanted
            kinds.register(
                kind,
                subject=subject,
                body_template=template,
                still_wanted=wanted.get(kind),
                switch=switch,
                urgent=urgent,
            )
        front.BESIDE.register("season round", selectors.rounds_of_page)
        my_turns.BESIDE.register("recent results", finished.recent_of_page)
        my_turns.BESIDE.register("rounds that ask", clock_selectors.questions_of_page)
        my_turns.BESIDE.register("places offered", division_selectors.offers_of_page)
        start_groups.register(DivisionGroups())
        for action, label in ACTS.items():
            actions.register(action, label)
        for detail, label in DETAILS.items():
            actions.register_detail(detail, label)
        of_scheme = {each.name for each in fields(Scheme)}
        for column in Championship._meta.fields:
            if column.name in of_scheme:
                actions.register_detail(column.name, column.verbose_name)
