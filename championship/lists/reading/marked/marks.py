"""Text that a chat, a terminal or a typesetter has marked, without these marks: a list as others are."""

from __future__ import annotations

import re
from collections import Counter
from html import unescape

MOST_TESTED = 400_000
"""Letters of a text in which marks are looked for."""
_SENT = re.compile(
    r"^[\u200e\u202a]*(?:"
    r"\[(?:\d{1,4}[./-]\d{1,2}[./-]\d{2,4},?[ ])?\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:[ \u202f][AaPp]\.?[Mm]\.?)?\][ ]*|"
    r"\d{1,4}[./-]\d{1,2}[./-]\d{2,4},?[ ]\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:[ \u202f][AaPp]\.?[Mm]\.?)?[ ]-[ ])"
    r"(?:<[^<>\n]{1,40}>|[^:\n<>]{1,40}:)[ ]",
    re.MULTILINE,
)
"""What a chat writes before a message when it is copied: "[12.05.26, 18:01:22] Olga: ", "5/12/26, 18:01 - Olga: "."""
_BARS = str.maketrans(dict.fromkeys("│┃║", "|"))
_DRAWN = re.compile(r"[─━═┄┈┌┐└┘├┤┬┴┼┏┓┗┛┣┫┳┻╋╔╗╚╝╠╣╦╩╬╒╓╕╖╘╙╛╜╞╟╡╢╤╥╧╨╪╫╭╮╯╰|+ -]+")
_TABLE = re.compile(r"\\begin\{(?:tabular[xy*]?|longtable|array|tabu)\}")
_RULES = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|centering|small|c(?:mid)?line(?:\([a-z]*\))?\{[^{}]{0,20}\})"
)
_WIDE = re.compile(r"\\multi(?:column|row)\{[^{}]{0,10}\}\{[^{}]{0,40}\}\{([^{}]{0,200})\}")
_STYLE = re.compile(r"\\(?:text[a-z]{2}|emph|underline|mathbf|textcolor\{[^{}]{0,40}\}|st|sout)\{([^{}]{0,200})\}")
_CAPTION = re.compile(r"\\(?:caption|section\*?|subsection\*?)\{([^{}]{1,200})\}")
_ITEM, _CELL = re.compile(r"<li[\s>]", re.IGNORECASE), re.compile(r"<t[dh][\s>]", re.IGNORECASE)
_WEB = re.compile(r"<(/?)(ol|ul|li|p|div|br|h[1-6])\b([^<>]{0,300})>|<[^<>]{1,300}>", re.IGNORECASE)
_WIDE_BLANK = re.compile(r"\t[ ]*|[ ]{2,}\t?[ ]*")


def without_marks(text: str) -> str:
    """Return a text without the marks of a chat, of a drawn table or of LaTeX."""
    head = text[:MOST_TESTED]
    if "\\" in head and _TABLE.search(head):
        return _of_typesetter(text)
    if _ITEM.search(head) and not _CELL.search(head):
        return _of_web_lists(text)
    if any(bar in head for bar in "│┃║"):
        text = _of_terminal(text)
    return _even_tabs(_of_chat(text))


def _of_web_lists(text: str) -> str:
    """Return the lists of a web page without a table, a line for each item; numbered ones have their numbers."""
    counts: list[int] = []

    def line(mark: re.Match[str]) -> str:
        closes, tag = bool(mark.group(1)), (mark.group(2) or "").lower()
        if tag in ("ol", "ul"):
            if closes and counts:
                counts.pop()
            elif not closes:
                counts.append(0 if tag == "ol" else -1)
        if tag == "li" and not closes and counts and counts[-1] >= 0:
            counts[-1] += 1
            return f"\n{counts[-1]}. "
        return "\n" if tag else ""

    return unescape(_WEB.sub(line, text))


def _of_chat(text: str) -> str:
    lines = [line for line in text[:MOST_TESTED].split("\n") if line.strip()]
    sent = sum(bool(_SENT.match(line)) for line in lines)
    most = (sent > 1 and sent >= len(lines) / 2) or (sent and _SENT.match(lines[0]))
    return _SENT.sub("", text) if most else text


def _of_terminal(text: str) -> str:
    """Return a drawn table with a | between its cells; lines of rules are blank."""
    return "\n".join("" if _DRAWN.fullmatch(line) else line for line in text.translate(_BARS).split("\n"))


def _of_typesetter(text: str) -> str:
    """Return the tables of a LaTeX text with tabs between their cells, and their captions as lines."""
    lines: list[str] = []
    inside = False
    for line in text.split("\n"):
        inside = inside or bool(_TABLE.search(line))
        caption = _CAPTION.search(line)
        kept = ""
        if caption:
            kept = caption.group(1)
        elif inside and "\\begin" not in line and "\\end" not in line:
            kept = _cells(line)
        inside = inside and "\\end{" not in line
        lines.append(kept)
    return "\n".join(lines)


def _cells(line: str) -> str:
    line = _RULES.sub("", re.sub(r"(?<!\\)%.*", "", line))
    for _depth in range(3):
        line = _STYLE.sub(r"\1", _WIDE.sub(r"\1", line))
    line = re.sub(r"\\\\(?:\[[^\[\]]{0,10}\])?", "", line)
    cells = [cell.strip().strip("$") for cell in re.split(r"(?<!\\)&", line)]
    return "\t".join(
        re.sub(r"\\([&%#_$])", r"\1", cell).replace("~", " ").replace("--", "–") for cell in cells
    ).rstrip()


def _even_tabs(text: str) -> str:
    """Return a text in which columns are kept apart by tabs here and blanks there with tabs alone, where all lines have
    as many cells then and have fewer without.
    """
    lines = [line.rstrip() for line in text.split("\n") if line.strip()]
    if "\t" not in text or len(lines) < 2 or len(text) > MOST_TESTED:
        return text
    even = Counter(len(_WIDE_BLANK.split(line.strip())) for line in lines)
    tabs = max(line.count("\t") + 1 for line in lines)
    if len(even) > 1 or max(even) <= tabs or any("\t\t" in line for line in lines):
        return text
    return "\n".join(_WIDE_BLANK.sub("\t", line.strip()) for line in text.split("\n"))
