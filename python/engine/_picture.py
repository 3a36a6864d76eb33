"""Pictures for notebooks: PNG of one state, animated PNG of a film."""

from __future__ import annotations

import base64
import os
import struct
import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from ._context import PathLike

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _rows(shades: np.ndarray) -> bytes:
    """The rows, each after the number of its filter: none."""
    return zlib.compress(np.insert(shades, 0, 0, axis=1).tobytes(), 6)


def enlarged(shades: np.ndarray, side: int) -> np.ndarray:
    """The picture with each pixel repeated, so that its longer side is close to ``side`` pixels, never over it."""
    factor = max(side // max(shades.shape), 1)
    return shades.repeat(factor, axis=0).repeat(factor, axis=1)


def png(frames: Sequence[np.ndarray], rate: float = 10) -> bytes:
    """Grey pictures of one size as a PNG file; several as an animated one, with ``rate`` pictures a second."""
    rows, columns = frames[0].shape
    parts = [_SIGNATURE, _chunk(b"IHDR", struct.pack(">IIBBBBB", columns, rows, 8, 0, 0, 0, 0))]
    numbers = iter(range(2 * len(frames)))
    if len(frames) > 1:
        parts.append(_chunk(b"acTL", struct.pack(">II", len(frames), 0)))
    for index, frame in enumerate(frames):
        content = _rows(frame)
        if len(frames) > 1:
            control = (next(numbers), columns, rows, 0, 0, round(1000 / rate), 1000, 0, 0)
            parts.append(_chunk(b"fcTL", struct.pack(">IIIIIHHBB", *control)))
        if index == 0:
            parts.append(_chunk(b"IDAT", content))
        else:
            parts.append(_chunk(b"fdAT", struct.pack(">I", next(numbers)) + content))
    return b"".join([*parts, _chunk(b"IEND", b"")])


def image_tag(content: bytes) -> str:
    """A PNG file as an element of HTML."""
    data = base64.b64encode(content).decode()
    return f'<img src="data:image/png;base64,{data}" style="image-rendering: pixelated; max-width: 100%">'


class Film(Sequence[np.ndarray]):
    """Pictures of a run at several steps. A notebook plays it; ``save`` writes an animated PNG.

    Attributes:
        frames: arrays of shades, 0 black to 255 white, ``[y, x]``.
        rate: pictures a second.
    """

    def __init__(self, frames: Sequence[np.ndarray], rate: float = 10) -> None:
        if not frames:
            raise ValueError("a film needs at least one frame")
        self.frames = list(frames)
        self.rate = rate

    def __len__(self) -> int:
        return len(self.frames)

    def __getitem__(self, index):  # type: ignore[no-untyped-def] # an array, or a list of them for a slice
        return self.frames[index]

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter(self.frames)

    def __repr__(self) -> str:
        rows, columns = self.frames[0].shape
        return f"<engine.Film of {len(self)} frames, {columns} x {rows} pixels, {self.rate:g} a second>"

    def _repr_png_(self) -> bytes:
        return png([enlarged(frame, 512) for frame in self.frames], self.rate)

    def _repr_html_(self) -> str:
        return image_tag(self._repr_png_())

    def save(self, path: PathLike) -> None:
        """Writes an animated PNG, which browsers play."""
        with open(os.fspath(path), "wb") as file:
            file.write(png(self.frames, self.rate))
