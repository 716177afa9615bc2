"""Films that a worker has made, and what a player finds in them."""

from __future__ import annotations

import io
from dataclasses import dataclass

import av

from championship.films.services import FILM
from championship.papers import big_files
from championship.papers.models import BigFile


@dataclass(frozen=True, slots=True)
class Played:
    """What a player finds: the codec, the size, the streams of sound, the length in seconds, the pictures."""

    codec: str
    size: tuple[int, int]
    sounds: int
    seconds: float
    pictures: int


def make_all() -> None:
    """Make the films that wait, as the worker does."""
    for pk in BigFile.objects.filter(kind=FILM).exclude(asked_for="").values_list("pk", flat=True):
        assert big_files.make(file_id=pk)


def played(content: bytes) -> Played:
    """Play a film to its end."""
    with av.open(io.BytesIO(content)) as film:
        stream = film.streams.video[0]
        pictures = sum(1 for _frame in film.decode(stream))
        assert film.duration is not None
        return Played(
            codec=stream.codec_context.name,
            size=(stream.width, stream.height),
            sounds=len(film.streams.audio),
            seconds=film.duration / 1_000_000,
            pictures=pictures,
        )
