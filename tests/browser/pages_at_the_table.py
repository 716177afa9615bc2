"""The pages of an evening at the table, for `every_page`."""

from __future__ import annotations

from championship.accounts.models import User
from championship.clubs.models import Club
from championship.rallies import services as rallies
from championship.tabletop import links
from championship.tabletop.models import Evening
from championship.tabletop.services import opening
from championship.tabletop.services.rolling import roll
from tests.championship.rallies.factories import make_rally
from tests.championship.tabletop.factories import car_pass, fresh, guests, table_pass, table_path, token_of, writes

NOT_PAGES = {
    # Responses to a button or to a script, files, and codes.
    *("tabletop:act", "tabletop:card", "tabletop:roll_now", "tabletop:hand_in", "tabletop:decide", "tabletop:names"),
    *("tabletop:entries", "tabletop:state", "tabletop:worker"),
    *("tabletop:evening_pdf", "tabletop:wall_svg", "tabletop:table_svg"),
}


def pages(club: Club, olga: User) -> list[tuple[str, str, tuple[str, ...]]]:
    """Return the pages: a suffix for the title, the name of the URL, and the parts of the address. Two phones have
    entered different results for one car.
    """
    rally = make_rally(by=olga, club=club, name="At the table", stages=("1/1",), mode="at the table")
    evening: Evening = opening.open_evening(by=olga, rally=rally, tables=1)
    [ana, _bo] = guests(evening, "Xenia", "Yusuf")  # no names of members
    rallies.start_rally(by=olga, rally=rally)
    made = roll(by=car_pass(evening, ana), entry_id=ana.pk, thrown=["3", "brake"], asked="phone-0001")
    writes(table_pass(evening), ana, 205)
    writes(car_pass(evening, ana), ana, 199)
    car = links.car_path(fresh(evening), ana, evening.sign_ons.get(entry=ana).serial)
    return [
        ("", "tabletop:sign_on", (token_of(links.wall_path(fresh(evening))),)),
        ("of a table", "tabletop:pad", (token_of(table_path(evening)),)),
        ("of a car", "tabletop:pad", (token_of(car),)),
        ("", "tabletop:by_hand", (rally.key,)),
        ("", "tabletop:my_sign_on", (rally.key,)),
        ("", "tabletop:roll", (made.key,)),
        ("", "tabletop:evening", (rally.key,)),
    ]
