"""The paper of an evening, A4, black on white: the code for the wall, the start order, a blank list of results for each
table, a time card for each car with the code of its pad, and the rally sheets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import urljoin

from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from championship.papers import occasions
from championship.papers.pdf_pages import Column, Paper, Row
from championship.papers.pdf_papers import put_sheets
from championship.rallies.models import Entry, SpecialStage
from championship.rallies.results import measures
from championship.rallies.results.selectors import Results
from championship.rallies.results.sheet import sheets_of
from championship.rallies.selectors import start_list
from championship.tabletop import links
from championship.tabletop.models import Evening, SignOn

CODE = 38.0
"""The side of the code on a time card, in millimetres: a phone reads it from a table."""
NAME = 104.0
"""The width of a name on a time card."""
CARD = 128.0
"""The height of a time card: two of them on a page."""
POSTER = 120.0


def evening_pdf(results: Results, evening: Evening, site: str) -> bytes:
    """The paper of an evening. `site`: the address of the service, before all links."""
    rally = results.rally
    paper = Paper(
        title=rally.name,
        about=f"{_('Evening at the table')} · {rally.club.name}",
        occasion=occasions.in_words(rally),
        author=rally.club.name,
        at=evening.opened_at,
        plain=True,
    )
    _put_poster(paper, evening, site)
    paper.add_page(orientation="portrait")
    _put_start_order(paper, results)
    tables = list(evening.tables.all())
    seated = list(evening.sign_ons.select_related("entry", "table").order_by("entry__start_number"))
    for table in tables:
        table.evening = evening
        paper.add_page(orientation="portrait")
        here = [each.entry for each in seated if each.table_id == table.pk]
        _put_table(paper, results, str(table), urljoin(site, links.table_path(table)), here)
    _put_cards(paper, results, evening, site, {each.entry_id: each for each in seated})
    paper.add_page(orientation="landscape")
    put_sheets(paper, results, sheets_of(results))
    return bytes(paper.output())


def matrix_of(address: str) -> list[list[bool]]:
    """The QR code of an address, as rows of dark and light modules with the quiet edge around them."""
    import qrcode

    code = qrcode.QRCode(border=3)
    code.add_data(address)
    code.make(fit=True)
    return [list(map(bool, row)) for row in code.get_matrix()]


def _put_poster(paper: Paper, evening: Evening, site: str) -> None:
    paper.say(_("Sign on here"), size=34)
    paper.say(_("Scan the code, tap your name. You need no account."), size=20)
    left = (paper.w - POSTER) / 2
    paper.put_code(matrix_of(urljoin(site, links.wall_path(evening))), left, paper.y + 10, POSTER)
    paper.set_xy(paper.l_margin, paper.y + POSTER + 18)
    until = date_format(localtime(evening.ends_at), "DATETIME_FORMAT")
    paper.say(_("This code works until %(until)s.") % {"until": until}, size=14)


def _put_start_order(paper: Paper, results: Results) -> None:
    stage = _next_stage(results)
    places = start_list(stage, results)
    entries = [place.entry for place in places] or list(results.entries.values())
    paper.heading(_("Start order: %(stage)s") % {"stage": stage.title} if places else _("Entries"))
    columns = [
        Column(_("Start"), 14, "R"),
        Column(_("No."), 12, "R"),
        Column(str(results.rally.words.crew), 90, lines=2),
        Column(_("Car class"), 30),
        Column("", 45),
    ]
    rows = (
        Row((str(number), str(entry.start_number), entry.crew, entry.car_class, ""))
        for number, entry in enumerate(entries, 1)
    )
    paper.put_table(columns, rows, size=11, ruled=True)


def _next_stage(results: Results) -> SpecialStage:
    over = (SpecialStage.Status.DONE, SpecialStage.Status.CANCELLED)
    return next((stage for stage in results.stages if stage.status not in over), results.stages[-1])


def _put_table(paper: Paper, results: Results, name: str, address: str, cars: Sequence[Entry]) -> None:
    paper.heading(name)
    top = paper.y + 2
    paper.put_code(matrix_of(address), paper.w - paper.r_margin - CODE, top, CODE)
    paper.put_text(_("The marshal's pad of this table"), paper.l_margin, top + 4, 120, size=12, bold=True)
    paper.put_text(_("This code enters results for this table."), paper.l_margin, top + 12, 130, size=10)
    paper.set_xy(paper.l_margin, top + CODE + 2)
    stages = list(results.stages)
    columns = [
        Column(_("No."), 12, "R"),
        Column(str(results.rally.words.crew), 52, lines=2),
        *(Column(results.rally.stage_called(stage.number), 24, "C") for stage in stages),
    ]
    blank = ("",) * len(stages)
    lines = [(str(entry.start_number), entry.crew) for entry in cars] or [("", "")] * 8
    paper.put_table(columns, (Row((number, crew, *blank)) for number, crew in lines), size=15, ruled=True)


def _put_cards(paper: Paper, results: Results, evening: Evening, site: str, seated: dict[int, SignOn]) -> None:
    """Draw a time card for each car, two on a page, with a line to cut along."""
    for place, entry in enumerate(results.entries.values()):
        if place % 2 == 0:
            paper.add_page(orientation="portrait")
            top = paper.y
        sign_on = seated.get(entry.pk)
        serial = sign_on.serial if sign_on else 0
        where = "" if sign_on is None else str(sign_on.table)
        address = urljoin(site, links.car_path(evening, entry, serial))
        _put_card(paper, results, entry, address, where, top + (place % 2) * CARD)


def _put_card(paper: Paper, results: Results, entry: Entry, address: str, where: str, top: float) -> None:
    left, right = paper.l_margin, paper.w - paper.r_margin
    paper.set_draw_color(0)
    paper.rect(left, top, right - left, CARD - 6)
    paper.put_text(_("Time card"), left + 4, top + 4, 60, size=10)
    paper.put_text(f"{entry.start_number}", left + 4, top + 11, 30, size=34, bold=True)
    paper.put_name(entry.crew, left + 34, top + 13, NAME, size=18, smaller=13)
    paper.put_text(" · ".join(each for each in (entry.car_class, where) if each), left + 34, top + 27, 100, size=11)
    paper.put_code(matrix_of(address), right - CODE - 2, top + 2, CODE)
    paper.set_xy(left, top + CODE + 4)
    columns = [
        Column(str(results.rally.words.one_stage), 40, lines=2),
        Column(measures.result_head(results.rally.measure), 34, "C"),
        Column(_("Time control"), 34, "C"),
        Column(_("Damage and notes"), 50, "C"),
        Column(_("Marshal"), 26, "C"),
    ]
    paper.put_table(columns, _card_rows(results), size=_size_of_rows(len(results.stages)), ruled=True)


def _size_of_rows(stages: int) -> float:
    """The size of the rows of a card: as large as they fit, since people write in them."""
    return next((size for most, size in ((4, 19.0), (6, 14.0), (8, 11.0)) if stages <= most), 6.5)


def _card_rows(results: Results) -> Iterator[Row]:
    for stage in results.stages[:12]:
        yield Row((results.rally.stage_called(stage.number), "", "", "", ""))
