"""A season of two divisions for tests, and what happens in it."""

from __future__ import annotations

from championship.seasons import selectors, services
from championship.seasons.divisions import selectors as shown_of
from championship.seasons.divisions import services as divisions
from championship.seasons.divisions.services import renewing
from championship.seasons.scoring import divisions as scoring
from championship.seasons.services import registering
from tests.championship.seasons.scenes import finished_rally, people
from tests.factories import make_club, make_user


class World:
    """A club of eight drivers and its season of two divisions of three places: three drivers in each, two in none."""

    def __init__(self) -> None:
        self.olga = make_user("Olga Organiser")
        self.club = make_club(owner=self.olga)
        self.drivers = people(self.club, 8)
        self.season = services.create_championship(by=self.olga, club=self.club, name="Cup 2026")
        self.rules(places=3)
        for driver in self.drivers[:6]:
            registering.register(by=self.olga, championship=self.season, driver=driver, crew=driver.name)
        self.put({at: "A" if at < 3 else "B" for at in range(6)})

    def rules(self, **changes):
        given = {"names": ["A", "B"], "up": 1, "down": 1, **changes}
        divisions.set_rules(by=self.olga, championship=self.season, **given)
        self.season.refresh_from_db()

    def put(self, divisions_of, *, seen=None):
        members = shown_of.members_of(self.season)
        by_driver = {each.driver: each.pk for each in members}
        return divisions.assign(
            by=self.olga,
            championship=self.season,
            divisions={by_driver[self.drivers[at]]: name for at, name in divisions_of.items()},
            seen=divisions.fingerprint(members) if seen is None else seen,
        )

    def stand(self, season=None):
        members = (season or self.season).registrations.filter(left_at=None).select_related("driver")
        return {each.driver.name[-2:]: each.car_class for each in members}

    def round(self, order, *, name="Round"):
        """A round that these drivers, by number, finish in this order, each in the own division."""
        stand = dict(self.season.registrations.values_list("driver_id", "car_class"))
        who = [self.drivers[at] for at in order]
        times = {driver: (200 + 10 * place,) for place, driver in enumerate(who)}
        classes = {driver: stand[driver.pk] for driver in who}
        rally = finished_rally(self.club, self.olga, times, name=name, classes=classes)
        return services.add_round(by=self.olga, championship=self.season, rally=rally)

    def proposed(self):
        return scoring.after(selectors.table(self.season).season)

    def renew(self, **changes):
        proposed = self.proposed()
        given = {
            "name": "Cup 2027",
            "divisions": {int(pk): name for pk, name in proposed.items()},
            "seen": renewing.fingerprint(proposed),
            **changes,
        }
        return renewing.make_next_season(by=self.olga, championship=self.season, **given)


def leave(world, at):
    member = world.season.registrations.get(driver=world.drivers[at])
    registering.withdraw_registration(by=world.drivers[at], registration=member)
