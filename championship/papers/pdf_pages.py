"""A4 pages as PDF, with a header and a footer, and tables whose heads are repeated on every page."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import get_language
from django.utils.translation import gettext as _
from fpdf import FPDF

from championship.papers import colours
from championship.papers.fonts import BOLD, REGULAR, others, runs, wrap

FONT, OTHER = "text", "other"
MARGIN = 10.0
FOOT = 11.0
LOGO = 11.0
"""Millimetres, as all lengths in this module."""
MM_PER_POINT = 25.4 / 72
LEADING = 1.2
PAD = 1.2
TAB, PATTERN = 2.4, 1.5
"""The width of a plate's colour, and the distance between the parts of its pattern."""
RISE = 0.34
"""The distance of the baseline below the middle of a line, as a fraction of the font size."""


@dataclass(frozen=True, slots=True)
class Plate:
    """A start-number plate: the number, and the driver's colour and pattern beside it."""

    number: int | None
    colour: int


Text = str | Plate


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its head, its share of the width, its alignment ("L", "C" or "R"), and the maximum number of
    lines in a cell.
    """

    head: Text
    width: float
    align: str = "L"
    lines: int = 1


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: its cells, whether it is bold, its background colour ("" for none), and whether its text is
    pale.
    """

    cells: tuple[Text, ...]
    bold: bool = False
    ground: str = ""
    pale: bool = False


class Paper(FPDF):
    """A document of one rally.

    The header of each page contains `title`, `about` beside it, `occasion` below, and the `logo`, a PNG. `at` is the
    creation date in the document; it is not the present time, so that the same results give the same bytes. `plain`:
    tables are black on white, for a printer without colours.
    """

    def __init__(
        self,
        *,
        title: str,
        about: str,
        author: str,
        at: datetime,
        occasion: str = "",
        across: bool = False,
        logo: bytes | None = None,
        plain: bool = False,
    ) -> None:
        super().__init__(orientation="landscape" if across else "portrait", unit="mm", format="A4")
        self.str_alias_nb_pages = ""  # no alias: fpdf would also replace it in a crew's name
        self.set_creation_date(at)
        self.set_lang(get_language() or "en")
        self.set_title(title)
        self.set_author(author)
        self.set_creator("Parc Fermé")
        self.add_font(FONT, fname=REGULAR)
        self.add_font(FONT, style="B", fname=BOLD)
        self.set_margins(MARGIN, MARGIN)
        self.set_auto_page_break(False)
        self.set_font(FONT, size=9)
        self._plain = plain
        self._title, self._about, self._occasion, self._logo = title, about, occasion, logo
        self._boxes: dict[tuple[str, float, int, str, float], list[str]] = {}  # a cache: many boxes have the same text
        self.add_page()

    def header(self) -> None:
        """Draw the rally's name, the subject of the paper, and the rally's occasion."""
        aside = 0.0
        if self._logo:
            self.image(io.BytesIO(self._logo), self.l_margin, self.y, LOGO, LOGO, keep_aspect_ratio=True)
            aside = LOGO + 3
        self.set_x(self.l_margin + aside)
        self.set_font(FONT, "B", 15)
        self._put(self.epw * 0.64 - aside, 7, self._title, "L")
        self.set_font(FONT, "", 9)
        self._put(self.epw * 0.36, 7, self._about, "R", last=True)
        if self._occasion:
            self.set_x(self.l_margin + aside)
            self.set_font(FONT, "", 8.5)
            self._put(self.epw - aside, 4, self._occasion, "L", last=True)
        elif self._logo:
            self.set_y(self.y + LOGO - 7)
        self.set_draw_color(*colours.rgb(colours.EARTH))
        self.set_line_width(0.7)
        self.line(self.l_margin, self.y + 0.8, self.w - self.r_margin, self.y + 0.8)
        self.set_line_width(0.2)
        self.set_y(self.y + 3)

    def footer(self) -> None:
        """Draw the page number and the name of the service."""
        self.set_y(-FOOT)
        self.set_font(FONT, "", 8)
        self.set_text_color(*colours.rgb(colours.EARTH_2))
        self._put(self.epw / 2, 5, "Parc Fermé", "L")
        self._put(self.epw / 2, 5, _("page %(number)d") % {"number": self.page_no()}, "R", last=True)
        self.set_text_color(0)

    @property
    def room(self) -> float:
        """The millimetres left on this page."""
        return float(self.h - FOOT - 2 - self.y)

    def heading(self, text: str, *, follows: float = 20) -> None:
        """Draw a heading. It starts a new page when less than `follows` millimetres would be left below it."""
        if self.room < follows + 9:
            self.add_page()
        self.set_y(self.y + 3)
        self.set_font(FONT, "B", 11)
        self._put(self.epw, 6, text, "L", last=True)

    def say(self, text: str, *, size: float = 9) -> None:
        """Draw a paragraph."""
        self.set_font(FONT, "", size)
        self.set_y(self.y + 1)
        for line in self.wrapped(text, self.epw, 20):
            if self.room < size * MM_PER_POINT * LEADING:
                self.add_page()
                self.set_font(FONT, "", size)
            self._put(self.epw, size * MM_PER_POINT * LEADING, line, "L", last=True, ready=True)

    def put_table(
        self, columns: Sequence[Column], rows: Iterable[Row], *, size: float = 9, ruled: bool = False
    ) -> None:
        """Draw a table as wide as the page. `ruled`: with lines on all sides of the cells, like a paper form."""
        share = self.epw / sum(column.width for column in columns)
        widths = [column.width * share for column in columns]
        head = Row(tuple(column.head for column in columns), bold=True, ground=colours.SUNK)
        self._row(columns, widths, head, size, ruled, most=3)
        for row in rows:
            if self.room < self._height(columns, widths, row, size):
                self.add_page()
                self._row(columns, widths, head, size, ruled, most=3)
            self._row(columns, widths, row, size, ruled)

    def wrapped(self, text: str, width: float, most: int) -> list[str]:
        """The text in at most `most` lines, none wider than `width` in the present font. Text that does not fit ends in
        an ellipsis.
        """
        box = (text, width, most, self.font_style, self.font_size_pt)
        if box not in self._boxes:
            self._boxes[box] = wrap(text, width, most, self._width_of)
        return self._boxes[box]

    def put_code(self, matrix: Sequence[Sequence[bool]], left: float, top: float, side: float) -> None:
        """Draw a QR code, given as rows of dark and light modules, as a square. The dark modules that touch in a row
        are one rectangle, so that no printer leaves a gap between them.
        """
        size = side / len(matrix)
        self.set_fill_color(0)
        for y, row in enumerate(matrix):
            x = 0
            while x < len(row):
                run = x
                while run < len(row) and row[run]:
                    run += 1
                if run > x:
                    self.rect(left + x * size, top + y * size, (run - x) * size, size, style="F")
                x = run + 1

    def put_text(self, text: str, left: float, top: float, width: float, *, size: float, bold: bool = False) -> None:
        """Draw one line of text at a place of the page."""
        self.set_font(FONT, "B" if bold else "", size)
        self.set_xy(left, top)
        self._write(width, size * MM_PER_POINT * LEADING, self.wrapped(text, width, 1)[0], "L")

    def put_name(self, name: str, left: float, top: float, width: float, *, size: float, smaller: float) -> None:
        """Draw a name at a place of the page: on one line, or smaller on two where it is too long for one."""
        self.set_font(FONT, "B", size)
        if len(self.wrapped(name, width, 2)) > 1:
            self.set_font(FONT, "B", smaller)
        leading = self.font_size * LEADING
        for number, line in enumerate(self.wrapped(name, width, 2)):
            self.set_xy(left, top + leading * number)
            self._write(width, leading, line, "L")

    # Boxes ----------------------------------------------------------------------------------------

    def _width_of(self, text: str) -> float:
        return sum(width for _font, _piece, width in self._pieces(text))

    def _pieces(self, line: str) -> list[tuple[int, str, float]]:
        """A legible line in pieces of one font each: which font it needs (fonts.runs), the piece, and its width."""
        told: list[tuple[int, str, float]] = []
        for font, piece in runs(line):
            with self._font_of(font):
                told.append((font, piece, float(self.get_string_width(piece))))
        return told

    @contextmanager
    def _font_of(self, number: int) -> Iterator[None]:
        """Set the nth of the other fonts inside the `with` block; 0 keeps the present one. A font is loaded at its
        first use.
        """
        if not number:
            yield
            return
        family, style, size = self.font_family, self.font_style, self.font_size_pt
        name = f"{OTHER}{number}"
        if name not in self.fonts:
            self.add_font(name, fname=others()[number - 1])
        self.set_font(name, "", size)
        yield
        self.set_font(family, style, size)

    def _write(self, width: float, height: float, line: str, align: str) -> None:
        """Draw a legible line in a box that begins at the present position."""
        pieces = self._pieces(line)
        room = width - sum(wide for _font, _piece, wide in pieces)
        left = self.x + {"L": 0.0, "C": room / 2, "R": room}[align]
        baseline = self.y + height / 2 + self.font_size * RISE
        for font, piece, wide in pieces:
            with self._font_of(font):
                self.text(left, baseline, piece)
            left += wide

    def _put(
        self, width: float, height: float, text: str, align: str, *, last: bool = False, ready: bool = False
    ) -> None:
        self._write(width, height, text if ready else self.wrapped(text, width, 1)[0], align)
        self.set_xy(*((self.l_margin, self.y + height) if last else (self.x + width, self.y)))

    def _lines(self, column: Column, width: float, text: Text, most: int) -> list[str]:
        return [] if isinstance(text, Plate) else self.wrapped(text, width - 2 * PAD, max(column.lines, most))

    def _height(self, columns: Sequence[Column], widths: Sequence[float], row: Row, size: float) -> float:
        self.set_font(FONT, "B" if row.bold else "", size)
        return max(
            self._tall(size, len(self._lines(column, width, text, 1)))
            for column, width, text in zip(columns, widths, row.cells, strict=True)
        )

    @staticmethod
    def _tall(size: float, lines: int) -> float:
        return size * MM_PER_POINT * LEADING * max(lines, 1) + PAD

    def _row(
        self, columns: Sequence[Column], widths: Sequence[float], row: Row, size: float, ruled: bool, most: int = 1
    ) -> None:
        self.set_font(FONT, "B" if row.bold else "", size)
        told = [self._lines(*each, most) for each in zip(columns, widths, row.cells, strict=True)]
        height = max(self._tall(size, len(lines)) for lines in told)
        left, top = self.l_margin, self.y
        if row.ground and not self._plain:
            self.set_fill_color(*colours.rgb(row.ground))
            self.rect(left, top, self.epw, height, style="F")
        self.set_text_color(*((120, 110, 100) if row.pale and not self._plain else (0, 0, 0)))
        self.set_draw_color(*((0, 0, 0) if self._plain else colours.rgb(colours.EARTH if ruled else colours.LINE)))
        for column, width, text, lines in zip(columns, widths, row.cells, told, strict=True):
            if ruled:
                self.rect(left, top, width, height)
            if isinstance(text, Plate):
                self._plate(text, left, top, size, height)
            for number, line in enumerate(lines):
                leading = size * MM_PER_POINT * LEADING
                self.set_xy(left + PAD, top + (height - leading * len(lines)) / 2 + leading * number)
                self._write(width - 2 * PAD, leading, line, column.align)
            left += width
        if not ruled:
            self.line(self.l_margin, top + height, self.w - self.r_margin, top + height)
        self.set_text_color(0)
        self.set_xy(self.l_margin, top + height)

    def _plate(self, plate: Plate, left: float, top: float, size: float, height: float) -> None:
        """Draw a start number as on the doors of the car."""
        tall = size * MM_PER_POINT * LEADING
        top += (height - tall) / 2
        self.set_fill_color(*colours.rgb(colours.DRIVERS[plate.colour]))
        self.set_draw_color(*colours.rgb(colours.EARTH))
        self.rect(left + PAD, top, TAB, tall, style="F")
        ink, shapes = colours.pattern(plate.colour, TAB, tall, PATTERN)
        self.set_fill_color(*colours.rgb(ink))
        for shape in shapes:
            self.polygon([(left + PAD + x, top + y) for x, y in shape], style="F")
        self.rect(left + PAD, top, TAB, tall)
        self.rect(left + PAD, top, 9.2, tall)
        self.set_xy(left + PAD + TAB, top)
        self.set_font(FONT, "B", size)
        self._write(9.2 - TAB, tall, "–" if plate.number is None else str(plate.number), "C")
        self.set_font(FONT, "", size)
