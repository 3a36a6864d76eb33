"""engine.view: what the page of a notebook is told, and what it changes."""

from __future__ import annotations

import unittest

import engine
import numpy as np
from engine._page import Page
from reference import life, soup


class Pages(unittest.TestCase):
    def setUp(self):
        self.cells = soup(37, 61)
        self.run = engine.Grid("life2d-bit", cells=self.cells)
        self.page = Page(self.run)

    def tearDown(self):
        self.page.close()
        self.run.close()

    def ask(self, do, **members):
        head, data = self.page.answer({"do": do, **members})
        self.assertNotIn("error", head)
        return head, data

    def shown(self):
        head, data = self.ask("frame", field=0, box=[0, 0, 0, 61, 37, 1], columns=61, rows=37)
        self.assertEqual((head["columns"], head["rows"], head["block"]), (61, 37, 1))
        return np.frombuffer(data, np.uint8).reshape(37, 61) // 255

    def test_pictures_are_the_cells(self):
        np.testing.assert_array_equal(self.shown(), self.cells)
        self.ask("step", count=3)
        expected = life(life(life(self.cells)))
        np.testing.assert_array_equal(self.shown(), expected)
        head, data = self.ask("frame", field=0, box=[5, 7, 0, 20, 18, 1], columns=99, rows=99, measure=True)
        np.testing.assert_array_equal(np.frombuffer(data, np.uint8).reshape(11, 15) // 255, expected[7:18, 5:20])
        self.assertEqual(head["metrics"], [expected.sum()])

    def test_it_plays_while_it_is_asked(self):
        self.ask("play", playing=True, speed=0)
        self.ask("frame", field=0)
        self.assertGreater(self.run.step, 0)
        self.ask("play", playing=False)
        step = self.run.step
        self.assertTrue(self.ask("frame", field=0, seen=self.ask("frame", field=0)[0]["state"])[0]["same"])
        self.assertEqual(self.run.step, step)

    def test_drawing_and_going_back(self):
        head, _ = self.ask("draw", field=0, cells=[3, 4, 0, 60, 36, 0], value=1)
        self.assertEqual(head["edited"], 0)
        expected = self.cells.copy()
        expected[4, 3] = expected[36, 60] = 1
        np.testing.assert_array_equal(self.run["cells"], expected)
        self.ask("fill", field=0, box=[10, 11, 0, 13, 15, 1], value=1)
        expected[11:15, 10:13] = 1
        np.testing.assert_array_equal(self.run["cells"], expected)
        head, _ = self.ask("back", id=head["marks"][0]["id"])
        self.assertIsNone(head["edited"])
        np.testing.assert_array_equal(self.run["cells"], self.cells)

    def test_what_is_refused(self):
        for request in ({"do": "open"}, {"do": "draw", "cells": [61, 0, 0], "value": 1}, {"do": "draw"}, {}, {"do": "frame", "field": 9},
                        {"do": "fill", "box": [1, 1, 0, 1, 5, 1], "value": 1}, {"do": "back", "id": 77}):
            self.assertIn("error", self.page.answer(request)[0], request)
        page = Page(self.run, read_only=True)
        self.assertIn("only shows", page.answer({"do": "fill", "value": 1})[0]["error"])
        page.close()

    def test_particles(self):
        positions = np.linspace(-1, 1, 300).reshape(100, 3)
        with engine.Grid("nbody", position=positions, mass=np.arange(1.0, 101)) as run:
            page = Page(run)
            hello, _ = page.answer({"do": "hello"})
            field = [f["name"] for f in hello["fields"]].index("position")
            head, data = page.answer({"do": "points", "field": field, "most": 40})
            self.assertEqual((head["count"], head["of"], head["masses"]), (34, 100, True))
            points = np.frombuffer(data, "<f4").reshape(-1, 4)
            np.testing.assert_allclose(points[:, :3], run["position"][::3])
            np.testing.assert_allclose(points[:, 3], run["mass"][::3])
            self.assertAlmostEqual(head["low"][0], -1)
            page.close()
