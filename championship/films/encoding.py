"""Writes pictures as a silent film: H.264 in MP4, which chats, phones and browsers play.

Only the worker that makes a film imports the encoder.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image

A_SECOND = 12
"""Pictures a second."""
STANDING = A_SECOND // 2
"""A picture that stands is written again after so many, so that players can jump and draw."""
MOST_BYTES = 2_000_000
"""A film is written in one go with so few bits a second that it is not larger. One that is so all the same is written
again, coarser.
"""
SPARE = 0.85
"""The part of MOST_BYTES that the pictures may fill. The rest is for the index, and for what the encoder exceeds."""
BUFFERED = 4
"""For how many seconds the encoder may save up bits."""
QUALITIES = ("27", "33", "40")
"""The constant rate factors that are tried, the finest first."""
ROOM = 48_000
"""The bytes that are reserved for the index at the beginning of the file, so that it plays while it loads."""
Picture = tuple["Image.Image", int]
"""A picture, and how many A_SECOND parts of a second it stands."""


def film(pictures: Iterable[Picture], length: int, quality: str = QUALITIES[0]) -> bytes:
    """Return the film of these pictures, all of one size with even sides. `length`: how long they all stand together,
    in A_SECOND parts of a second.
    """
    import av
    from av.video.reformatter import VideoReformatter

    colours = VideoReformatter()  # one for all pictures: each prepares tables, which takes longer than a picture
    most = int(MOST_BYTES * SPARE * 8 * A_SECOND / max(length, A_SECOND))
    written = io.BytesIO()
    with av.open(written, "w", format="mp4", options={"moov_size": str(ROOM)}) as container:
        stream = container.add_stream("libx264", rate=A_SECOND)
        stream.pix_fmt = "yuv420p"
        stream.codec_context.time_base = Fraction(1, A_SECOND)
        stream.codec_context.thread_count = 1
        stream.codec_context.options = {
            "preset": "veryfast",
            "tune": "animation",
            "crf": quality,
            "profile": "main",
            "rc-lookahead": "4",
            "refs": "1",
            "bf": "0",
            "me_method": "dia",
            "subq": "1",
            "sc_threshold": "0",
            "g": str(A_SECOND * 10),
            "maxrate": str(most),
            "bufsize": str(most * BUFFERED),
        }
        at = 0
        for picture, stands in pictures:
            if not at:
                stream.width, stream.height = picture.size
            frame = colours.reformat(av.VideoFrame.from_image(picture), format="yuv420p")
            frame.time_base = Fraction(1, A_SECOND)
            for begun in range(0, stands, STANDING):
                frame.pts = at + begun
                container.mux(stream.encode(frame))
            at += stands
        container.mux(stream.encode(None))
    return written.getvalue()
