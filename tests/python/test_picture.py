"""Pictures and films, decoded with zlib as the PNG standard says."""

from __future__ import annotations

import base64
import re
import struct
import unittest
import zlib

import engine
import numpy as np
from reference import life, scratch, soup


def frames_of(png: bytes) -> list[np.ndarray]:
    """The pictures of a grey PNG file without filters, animated or not."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, frames, sequence = 8, [], []
    while at < len(png):
        (size,) = struct.unpack(">I", png[at : at + 4])
        kind, content = png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
        assert struct.unpack(">I", png[at + 8 + size : at + 12 + size])[0] == zlib.crc32(kind + content)
        if kind == b"IHDR":
            columns, rows, *rest = struct.unpack(">IIBBBBB", content)
            assert rest == [8, 0, 0, 0, 0]
        if kind in (b"fcTL", b"fdAT"):
            sequence.append(struct.unpack(">I", content[:4])[0])
        if kind in (b"IDAT", b"fdAT"):
            raw = np.frombuffer(zlib.decompress(content[4:] if kind == b"fdAT" else content), np.uint8)
            raw = raw.reshape(rows, columns + 1)
            assert (raw[:, 0] == 0).all()
            frames.append(raw[:, 1:])
        if kind == b"acTL":
            count, plays = struct.unpack(">II", content)
            assert plays == 0
        at += 12 + size
    assert sequence == list(range(len(sequence)))
    assert len(frames) == 1 or len(frames) == count
    return frames


class Pictures(unittest.TestCase):
    def test_a_picture_shows_each_cell(self) -> None:
        cells = soup(31, 67)
        with engine.Grid("life2d-bit", cells=cells) as run:
            picture = run.picture()
            self.assertEqual(sorted(np.unique(picture)), [0, 255])
            np.testing.assert_array_equal(picture == picture[cells == 1][0], cells == 1)

    def test_a_large_state_gets_a_small_picture(self) -> None:
        with engine.Grid("life2d-bit", (1000, 600)) as run:
            self.assertTrue(max(run.picture(100, 100).shape) <= 100)

    def test_a_notebook_shows_a_run(self) -> None:
        cells = soup(31, 67)
        with engine.Grid("life2d-bit", cells=cells) as run:
            (shown,) = frames_of(run._repr_png_())
            self.assertEqual(shown.shape, (31 * 7, 67 * 7))
            np.testing.assert_array_equal(shown[3::7, 3::7], run.picture())
            page = run._repr_html_()
            for word in "life2d-bit", "population", str(cells.sum()), "[y, x]":
                self.assertIn(word, page)
        self.assertIn("closed", run._repr_html_())
        self.assertIsNone(run._repr_png_())

    def test_a_film_has_a_frame_for_each_moment(self) -> None:
        cells = soup(31, 67)
        with engine.Grid("life2d-bit", cells=cells) as run:
            film = run.film(10, every=5, rate=4)
            self.assertEqual((len(film), run.step), (3, 10))
            path = scratch() / "film.png"
            film.save(path)
            saved = frames_of(path.read_bytes())
            self.assertIn(struct.pack(">HH", 250, 1000), path.read_bytes())  # a quarter of a second
            for moment, frame in enumerate(saved):
                np.testing.assert_array_equal(frame, film[moment])
            first, later = saved[0], saved[1]
            live = first[cells == 1][0]
            for _ in range(5):
                cells = life(cells)
            np.testing.assert_array_equal(later == live, cells == 1)
            data = re.search(r"base64,([^\"]*)", film._repr_html_())[1]
            self.assertEqual(len(frames_of(base64.b64decode(data))), 3)

    def test_a_film_needs_a_frame(self) -> None:
        with self.assertRaises(ValueError):
            engine.Film([])
