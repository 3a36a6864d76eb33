"""Decodes pictures with zlib and NumPy, as the PNG standard says; for the suites of the shell."""

from __future__ import annotations

import struct
import sys
import zlib

import numpy as np


def frames_of(path: str) -> list[np.ndarray]:
    """The pictures of a file without filters, animated or not: rows, columns, and red, green and blue."""
    with open(path, "rb") as file:
        png = file.read()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, data = 8, []
    palette = np.repeat(np.arange(256, dtype=np.uint8)[:, None], 3, axis=1)
    while at < len(png):
        (size,) = struct.unpack(">I", png[at : at + 4])
        kind, content = png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            width, height, bits, colour = struct.unpack(">IIBB", content[:10])
        if kind == b"PLTE":
            palette = np.frombuffer(content, np.uint8).reshape(-1, 3)
        if kind == b"fcTL" or (kind == b"IDAT" and not data):
            data.append(b"")
        if kind in (b"IDAT", b"fdAT"):
            data[-1] += content[4 * (kind == b"fdAT") :]
        at += 12 + size
    return [pixels(zlib.decompress(part), width, height, bits, colour, palette) for part in data if part]


def pixels(raw: bytes, width: int, height: int, bits: int, colour: int, palette: np.ndarray) -> np.ndarray:
    rows = np.frombuffer(raw, np.uint8).reshape(height, -1)
    assert (rows[:, 0] == 0).all()
    if colour == 2:
        return rows[:, 1:].reshape(height, width, 3)
    if bits == 1:
        return palette[255 * np.unpackbits(rows[:, 1:], axis=1)[:, :width]]
    return palette[rows[:, 1:]]


def brightness(colours: np.ndarray) -> np.ndarray:
    """The luminance of Rec. 709, of 0 to 255."""
    return colours @ np.array([0.2126, 0.7152, 0.0722])


def check(holds: object, what: str) -> None:
    """Ends the program with what was found where something does not hold."""
    if not holds:
        sys.exit(what)
