"""engine.view: what the page of a notebook is told, and what it changes."""

from __future__ import annotations

import io
import unittest

import engine
import numpy as np
from engine._page import Page
from reference import life, soup

GLIDER = b"x = 3, y = 3, rule = B3/S23\nbob$2bo$3o!"


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

    def change(self, do, data, **members):
        head, data = self.page.answer({"do": do, **members}, data)
        self.assertNotIn("error", head)
        return head, data

    def test_pasting_wraps(self):
        self.ask("fill", field=0, value=0)
        head, _ = self.change("paste", GLIDER, x=60, y=35)
        self.assertEqual(head["box"], [60, 35, 0, 63, 38, 1])
        self.assertEqual({(x, y) for y, x in np.argwhere(self.run["cells"])}, {(0, 35), (1, 36), (60, 0), (0, 0), (1, 0)})
        self.ask("fill", field=0, value=1)
        self.change("paste", GLIDER, x=10, y=10, over=True, name="glider.rle")
        self.assertEqual(self.run["cells"].sum(), 61 * 37 - 4)

    def test_a_volume_is_pasted(self):
        with engine.Grid("life3d-packed", size=(9, 8, 7)) as run:
            page = Page(run)
            head, _ = page.answer({"do": "paste", "x": 8, "y": 7, "z": 6, "name": "two.rle3"}, b"3D version=1\nx=2 y=2 z=2 rule=3D4,5/5\nbo$2o/$bo!\n")
            self.assertEqual(head.get("box"), [8, 7, 6, 10, 9, 8], head)
            cells = {(x, y, z) for z, y, x in np.argwhere(run["cells"])}
            self.assertEqual(cells, {(0, 7, 6), (8, 0, 6), (0, 0, 6), (0, 0, 0)})
            page.close()

    def test_a_selection_is_saved(self):
        self.ask("fill", field=0, value=0)
        self.change("paste", GLIDER, x=20, y=10)
        self.assertIn("rle", [one["name"] for one in self.ask("hello")[0]["formats"]])
        head, saved = self.ask("save", format="rle", box=[20, 10, 0, 23, 13, 1])
        self.assertEqual(head["name"], "life2d-bit-0000000000.rle")
        lines = [line for line in saved.decode().splitlines() if not line.startswith("#")]
        self.assertEqual(lines, ["x = 3, y = 3, rule = B3/S23", "bo$2bo$3o!"])
        _, whole = self.ask("save", format="npy", box=None)
        np.testing.assert_array_equal(np.load(io.BytesIO(whole)), self.run["cells"])

    def test_a_parameter_changes_and_the_marks_stay(self):
        self.ask("step", count=4)
        fourth, view = self.run["cells"], self.run.view("cells", write=True)
        before = self.ask("hello")[0]
        self.assertEqual(before["parameters"][0]["key"], "rule")
        head, _ = self.ask("set", key="rule", value="B/S012345678")
        self.assertEqual((head["step"], head["edited"], [mark["step"] for mark in head["marks"]]), (4, 4, [0, 4]))
        self.assertNotEqual(head["scene"], before["scene"])
        self.assertEqual(self.run.settings["life2d-bit.rule"], "B/S012345678")
        view[:] = 0  # memory of what went before
        self.ask("step", count=3)
        np.testing.assert_array_equal(self.run["cells"], fourth)
        head, _ = self.ask("back", id=head["marks"][0]["id"])
        self.assertEqual((head["step"], head["edited"]), (0, 0))
        np.testing.assert_array_equal(self.run["cells"], self.cells)
        self.assertIn("error", self.page.answer({"do": "set", "key": "rule", "value": "nonsense"})[0])
        self.assertIn("error", self.page.answer({"do": "set", "key": "run.output", "value": "x"})[0])

    def test_the_implementation_changes(self):
        names = self.ask("hello")[0]["implementations"]
        self.assertIn("cpu-serial", names)
        head, _ = self.ask("set", key="run.implementation", value="cpu-serial")
        self.assertIsNone(head["edited"])
        self.assertEqual(self.run.implementation, "cpu-serial")
        self.ask("step", count=1)
        np.testing.assert_array_equal(self.run["cells"], life(self.cells))

    def test_a_pattern_and_a_snapshot_are_opened(self):
        _, snapshot = self.ask("save", format="snapshot", box=None)
        self.ask("step", count=2)
        head, _ = self.change("open", snapshot, name="state.snapshot")
        self.assertEqual((head["step"], head["edited"]), (0, 0))
        np.testing.assert_array_equal(self.run["cells"], self.cells)
        head, _ = self.change("open", GLIDER, name="../glider.rle")
        self.assertEqual((head["step"], head["edited"], len(head["marks"])), (0, None, 1))
        hello, _ = self.ask("hello")
        self.assertEqual(hello["title"], "glider.rle")
        self.assertEqual(self.run["cells"].sum(), 5)
        self.assertEqual(hello["fields"][0]["extent"][:2], [*self.run["cells"].shape[::-1]])
        self.ask("set", key="rule", value="B36/S23")  # the file is still there
        self.assertEqual(self.run["cells"].sum(), 5)

    def test_inputs_stay_when_a_parameter_changes(self):
        masses = np.arange(1.0, 101)
        with engine.Grid("nbody", position=np.linspace(-1, 1, 300).reshape(100, 3), mass=masses) as run:
            page = Page(run)
            run.advance(1)
            before = {name: run[name] for name in run}
            head, _ = page.answer({"do": "set", "key": "dt", "value": "0.25"})
            self.assertEqual((head.get("error"), head["edited"]), (None, 1))
            for name, array in before.items():
                np.testing.assert_array_equal(run[name], array)
            page.close()

    def test_what_is_refused(self):
        for name, data in (("x.ini", b"[run]"), ("x.so", b"x"), ("x.rle", b""), ("x.rle", b"[run]\nplugin = life2d-bit\n")):
            error = self.page.answer({"do": "open", "name": name}, data)[0]["error"]
            self.assertNotIn("/tmp", error)
        self.assertIn("0 to 1", self.page.answer({"do": "draw", "cells": [1, 1, 0], "value": 2})[0]["error"])
        for request in ({"do": "open"}, {"do": "paste"}, {"do": "save", "format": "nothing"}, {"do": "set", "key": "rule"},
                        {"do": "draw", "cells": [61, 0, 0], "value": 1}, {"do": "draw"}, {}, {"do": "frame", "field": 9},
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
