"""What rallies do when something happens in the apps below: to the times of people, to their accounts, and to clubs."""

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.clubs.models import Club
from championship.platform.refusals import Refused
from championship.rallies.control.services.awaited_cards import follow_person
from championship.rallies.desk.services.preparing import cancel_for
from championship.rallies.entries.services.changing_drivers import set_driven_by
from championship.rallies.entries.services.entering import withdraw_entry
from championship.rallies.models import Entry, Rally


class CardsOfPeople:
    """Time controls that wait for cards, whose deadlines depend on the drivers."""

    def person_timed(self, person: User) -> None:
        """Update the deadlines of time controls that wait for the person's card, after the commit."""
        person_id = person.pk
        transaction.on_commit(lambda: follow_person(person_id=person_id), robust=True)


class CarsOfPeople:
    """Cars that people have entered."""

    def account_closing(self, person: User) -> None:
        """Withdraw the person's entries in rallies that have not started, and hand the cars in running rallies to their
        codrivers.

        Cars on an open stage stay there until it closes, because no codriver drives on it. Closed clubs are skipped,
        because nothing in them may change.
        """
        mine = Entry.objects.filter(driver=person, status__in=Entry.Status.entered(), rally__club__closed_at=None)
        mine = mine.select_related("rally").order_by("rally_id", "pk")
        for entry in mine.filter(rally__status=Rally.Status.ENTRIES):
            withdraw_entry(by=person, entry=entry)
        for entry in mine.filter(
            rally__status=Rally.Status.RUNNING, rally__for_everybody=False, status=Entry.Status.CONFIRMED
        ):
            set_driven_by(by=person, entry=entry, driven_by=Entry.DrivenBy.CODRIVER, leaves_cards=False)


class RalliesOfClubs:
    """Rallies of clubs."""

    def club_closing(self, club: Club, *, by: User, reason: str) -> None:
        """Cancel the club's rallies that take entries, and notify their entrants.

        Raises: Refused when a rally is under way: it has to finish first, or organisers have to cancel it.
        """
        not_over = Rally.objects.filter(
            club=club, status__in=[Rally.Status.ENTRIES, Rally.Status.RUNNING], practice=False
        )
        rallies = list(not_over.select_for_update(of=("self",)).select_related("club").order_by("pk"))
        for rally in rallies:
            if rally.status == Rally.Status.RUNNING:
                raise Refused(_("%s is under way. Let it finish, or cancel it, then close the club.") % rally.name)
        for rally in rallies:
            cancel_for(by, rally, _("The club is closed: %s") % reason)
