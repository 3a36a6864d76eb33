"""verify, bench and conform, on plugins that are right and on some that are wrong on purpose."""

from __future__ import annotations

import threading
import unittest

import engine
from reference import BUILD

BAD = BUILD / "tests" / "bad"
LIAR = {"run.plugin": "liar", "grid.size": (9, 7), "init.source": "random"}
GRID = {"grid.size": (67, 31), "init.source": "random"}


class Verify(unittest.TestCase):
    def test_implementations_that_keep_their_promises(self) -> None:
        found = engine.verify("gosper-gun.ini", impls=["cpu-serial", "cpu"], steps=10)
        self.assertTrue(found)
        self.assertIsNone(found.error)
        self.assertIs(found.check(), found)
        self.assertIn("bit-equal after", str(found))
        self.assertIn("bit-equal", found._repr_html_())

    def test_one_that_does_not(self) -> None:
        found = engine.verify(LIAR, steps=5, plugins=BAD)
        self.assertFalse(found)
        with self.assertRaises(engine.UnverifiedError):
            found.check()

    def test_sweeps_multiply(self) -> None:
        found = engine.verify({"run.plugin": "life2d-lut", **GRID}, steps=3, impls="cpu",
                              sweeps=["grid.size=9 7,64 64", "life2d-lut.rule=B3/S23,B36/S23"])
        self.assertEqual(str(found).count("life2d-lut against"), 4)

    def test_wrong_arguments(self) -> None:
        with self.assertRaises(engine.UsageError):
            engine.verify({"run.plugin": "life2d-lut", **GRID}, impls="cpu", sweeps="nonsense")


class Bench(unittest.TestCase):
    def test_rows_are_data(self) -> None:
        found = engine.bench({"run.plugin": "life2d-bit", **GRID}, impls="cpu-serial,cpu", repeats=3, steps=7,
                             sweeps="grid.size=67 31,128 64")
        self.assertEqual(len(found), 4)
        self.assertIsNone(found.error)
        self.assertEqual([row.implementation for row in found], ["cpu-serial", "cpu"] * 2)
        self.assertEqual(found[0].swept, {"grid.size": "67 31"})
        for row in found:
            self.assertEqual((len(row.seconds), row.steps, row.error), (3, 7, None))
            self.assertGreater(row.rate, 0)
            self.assertEqual(row.unit, "cell updates/s")
        self.assertEqual(found[0].hash, found[1].hash)
        self.assertNotEqual(found[0].hash, found[2].hash)
        self.assertEqual(len(found.csv.splitlines()), 5)
        self.assertTrue(found.svg.startswith("<svg") or "<svg" in found.svg)
        self.assertIn(">operations a byte of memory<", found.roofline)
        self.assertIn("cpu-serial", str(found))

    def test_states_that_differ_are_an_error(self) -> None:
        found = engine.bench(LIAR, repeats=1, steps=3, plugins=BAD)
        self.assertIsInstance(found.error, engine.UnverifiedError)

    def test_a_bench_that_cannot_be_configured(self) -> None:
        with self.assertRaises(engine.UsageError):
            engine.bench({"run.plugin": "life2d-bit", "grid.size": "x"})


class Conform(unittest.TestCase):
    def test_a_plugin_that_keeps_the_rules(self) -> None:
        # The program has another thread, and has computed with NumPy and the engine.
        stop = threading.Event()
        other = threading.Thread(target=stop.wait)
        other.start()
        try:
            found = engine.conform(BUILD / "plugins" / "life2d-lut.so", settings={"grid.size": (16, 9)}, impls="cpu-serial")
        finally:
            stop.set()
            other.join()
        self.assertTrue(found)
        self.assertGreater(len(found), 10)
        self.assertIs(found.check(), found)
        self.assertEqual({p.plugin for p in found}, {"life2d-lut"})
        self.assertIn("holds", {p.outcome for p in found})

    def test_some_properties(self) -> None:
        found = engine.conform("life2d-lut", impls="cpu-serial", properties=["every size", "again"])
        self.assertEqual(
            [p.property for p in found],
            ["loads", "takes a step", "is correct at every size", "gives the same result when it runs again"],
        )
        with self.assertRaises(engine.UsageError):
            engine.conform("life2d-lut", properties="no such")

    def test_a_plugin_that_lies(self) -> None:
        found = engine.conform(BAD / "liar.so", settings={"grid.size": (16, 9)})
        self.assertFalse(found)
        self.assertIn("cpu-wrong", {p.implementation for p in found.broken})
        self.assertIn("broken", str(found))
        with self.assertRaises(engine.UnverifiedError):
            found.check()

    def test_a_plugin_that_does_not_load_and_wrong_arguments(self) -> None:
        self.assertEqual([p.property for p in engine.conform(BAD / "wrong_magic.so").broken], ["loads"])
        with self.assertRaises(engine.UsageError):
            engine.conform("life2d-lut", impls="no-such")
        with self.assertRaises(engine.UsageError):
            engine.conform("life2d-lut", "no-such.ini")
