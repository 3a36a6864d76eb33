"""Runs in memory, compared with plain NumPy and with the program `engine`."""

from __future__ import annotations

import copy
import gc
import json
import logging
import os
import pickle
import signal
import sys
import threading
import types
import unittest
import unittest.mock
from collections.abc import Callable

import engine
import numpy as np
from engine import _context
from reference import BUILD, ROOT, life, scratch, soup
from reference import engine as program

BAD = BUILD / "tests" / "bad"


def empty(width: int = 64, height: int = 48, **settings: object) -> engine.Run:
    return engine.Grid("life2d-bit", (width, height), settings={k.replace("__", "."): v for k, v in settings.items()})


class Mapping(unittest.TestCase):
    def test_a_run_is_a_mapping_of_its_fields(self) -> None:
        with engine.Grid("nbody", position=np.eye(3)) as run:
            names = ["position", "velocity", "mass"]
            self.assertEqual(sorted(run), sorted(run.fields))
            self.assertEqual([list(run.keys()), len(run)], [list(run.fields), len(run.fields)])
            self.assertEqual([name in run for name in [*names, "x", 0, None]], [True, True, True, False, False, False])
            self.assertEqual(run._ipython_key_completions_(), list(run.fields))
            self.assertEqual({name: array.shape[0] for name, array in dict(run).items()}, dict.fromkeys(run.fields, 3))

    def test_a_run_is_no_array(self) -> None:
        with empty() as run:
            with self.assertRaisesRegex(TypeError, r"take one, as in run\['cells'\]"):
                np.asarray(run)

    def test_a_run_is_not_copied(self) -> None:
        with empty() as run:
            for function in copy.copy, copy.deepcopy, pickle.dumps:
                with self.assertRaisesRegex(TypeError, r"save its state with run.save\(path\)"):
                    function(run)

    def test_settings_and_parameters_are_read(self) -> None:
        with engine.run("gosper-gun.ini", {"run": {"steps": 7}, "life2d-bit.steps_per_pass": 3}) as run:
            self.assertEqual([run.settings[key] for key in ("run.plugin", "run.steps")], ["life2d-bit", "7"])
            self.assertEqual([run.parameters[key] for key in ("rule", "steps_per_pass")], ["B3/S23", 3])
        with engine.Grid("nbody", position=np.eye(3), dt=0.25) as run:
            self.assertEqual(run.parameters["dt"], 0.25)

    def test_counts_are_whole_numbers(self) -> None:
        with engine.Grid("life2d-bit", cells=np.eye(9, dtype=int)) as run:
            self.assertIs(type(run.metrics["population"]), int)
        with engine.Grid("nbody", position=np.eye(3)) as run:
            self.assertIs(type(run.metrics["kinetic"]), float)


class Arguments(unittest.TestCase):
    def refused(self, kind: type, text: str, function: Callable[..., object], *words: object, **keys: object) -> None:
        with self.assertRaises(kind) as caught:
            function(*words, **keys)
        self.assertIsInstance(caught.exception, engine.UsageError)
        self.assertIn(text, str(caught.exception))

    def test_the_number_of_particles_is_that_of_the_arrays(self) -> None:
        place = np.random.default_rng(1).random((7, 3))
        with engine.Grid("nbody", position=place, mass=1.0) as run:
            self.assertEqual(run["position"].shape, (7, 3))
            np.testing.assert_array_equal(run["mass"], np.ones(7, np.float32))
        self.refused(ValueError, "(7, 3)", engine.Grid, "nbody", position=place, settings={"particles.count": 5})

    def test_a_plugin_that_starts_sees_the_arrays(self) -> None:
        with engine.Grid("nbody", position=np.eye(3), softening=0) as run:
            run.advance()
        self.refused(ValueError, "are at the same position", engine.Grid, "nbody", position=np.zeros((3, 3)), softening=0)

    def test_a_key_that_is_an_argument_is_named(self) -> None:
        grid = ("life2d-bit", (64, 48))
        self.refused(ValueError, "give settings={'grid.edges': 'dead'}", engine.Grid, *grid, edges="dead")
        self.refused(ValueError, "settings={'run.implementation': 'cpu'}", engine.Grid, *grid, implementation="cpu")
        self.refused(ValueError, "did you mean 'rule'?", engine.Grid, *grid, ruel="B3/S23")
        self.refused(TypeError, "give settings={'run.steps': 10}", engine.run, "soup.ini", steps=10)
        self.refused(TypeError, "settings={'section.key': value}", engine.Run, "soup.ini", none=10)
        self.refused(TypeError, "size is 64, expected the cells along each axis", engine.Grid, "life2d-bit", size=64)
        self.refused(TypeError, "expected the name of a plugin", engine.Grid, (100, 100))

    def test_an_index_says_what_is_wrong(self) -> None:
        with empty() as run:
            self.refused(IndexError, "48 is not one of the 48 along y", run.__getitem__, ("cells", 48))
            for index in np.zeros((48, 64), bool), [1, 2], 1.5:
                self.refused(TypeError, "for a mask or a list, index the array", run.__getitem__, ("cells", index))

    def test_a_section_is_a_mapping(self) -> None:
        with engine.run({"run": {"plugin": "life2d-bit"}, "grid": {"size": (6, 5)}, "init.source": "random"}) as run:
            self.assertEqual(run["cells"].shape, (5, 6))

    def test_a_state_that_nobody_has_given_is_a_warning(self) -> None:
        keys = {"run.plugin": "life2d-bit", "grid.size": (6, 5)}
        with engine.run(keys) as run, self.assertLogs("engine", "WARNING") as logs:
            run.advance()
            run.advance()
        self.assertEqual(len(logs.output), 1)
        self.assertIn("[init] source is missing", logs.output[0])
        for given in {**keys, "init.source": "defaults"}, keys:
            with engine.run(given) as run, self.assertNoLogs("engine", "WARNING"):
                if given is keys:
                    run["cells"] = 1
                run.advance()

    def test_plugins_print_a_line_each(self) -> None:
        found = engine.plugins()
        self.assertEqual(len(repr(found).splitlines()), len(found))
        self.assertIn("radial distribution function", repr(found))


    def test_an_optional_input_is_given(self) -> None:
        place = np.random.default_rng(5).random((60, 3)).astype(np.float32)
        species = np.arange(60) % 3
        with engine.Grid("rdf", position=place, species=species, between="0 1", r_max=1.5, bins=6) as run:
            run.advance()
            distances = np.linalg.norm(place[species == 0, None] - place[None, species == 1], axis=-1)
            expected = np.histogram(distances, 6, (0, 1.5))[0]
            np.testing.assert_array_equal(run["counts"].ravel() * (expected.sum() / run["counts"].sum()), expected)
        with engine.Grid("rdf", species=species) as run:
            np.testing.assert_array_equal(run["position"], np.zeros((60, 3)))  # the plugin's initial value


class Fields(unittest.TestCase):
    def test_steps_of_life_are_those_of_numpy(self) -> None:
        cells = soup(31, 67)
        with engine.Grid("life2d-bit", cells=cells) as run:
            for step in range(1, 20):
                cells = life(cells)
                self.assertEqual(run.advance(), step)
                np.testing.assert_array_equal(run["cells"], cells)

    def test_a_rule_is_a_keyword(self) -> None:
        cells = soup(20, 33)
        with engine.Grid("life2d-bit", cells=cells, rule="B36/S23") as run:
            run.advance(3)
            for _ in range(3):
                cells = life(cells, born=(3, 6))
            np.testing.assert_array_equal(run["cells"], cells)

    def test_axes_of_a_volume_are_z_y_x(self) -> None:
        cells = soup(5, 7, 9)
        with engine.Grid("life3d-naive", cells=cells, rule="B6/S5..7") as run:
            self.assertEqual(run.fields["cells"].axes, ("z", "y", "x"))
            self.assertEqual(run.fields["cells"].shape, (5, 7, 9))
            run.advance(4)
            for _ in range(4):
                cells = life(cells, born=(6,), survive=(5, 6, 7))
            np.testing.assert_array_equal(run["cells"], cells)
            np.testing.assert_array_equal(run["cells", 1:3, 2, -4:], cells[1:3, 2, -4:])

    def test_size_is_width_and_height(self) -> None:
        with empty(64, 48) as run:
            self.assertEqual(run["cells"].shape, (48, 64))
            self.assertEqual(run["cells"].dtype, np.uint8)

    def test_a_box_is_a_part_of_the_array(self) -> None:
        cells = soup(31, 67)
        with engine.Grid("life2d-bit", cells=cells) as run:
            for index in np.s_[:, :], np.s_[3:5], np.s_[-2:, 60:], np.s_[7], np.s_[7, 9], np.s_[..., 66], np.s_[5:5]:
                part = index if isinstance(index, tuple) else (index,)
                np.testing.assert_array_equal(run[("cells", *part)], cells[index], str(index))

    def test_a_box_is_set(self) -> None:
        cells = soup(31, 67)
        with engine.Grid("life2d-bit", cells=cells) as run:
            for seed, index in enumerate([np.s_[3:5], np.s_[-2:, 60:], np.s_[7], np.s_[..., 66], np.s_[7, 9]]):
                part = index if isinstance(index, tuple) else (index,)
                value = soup(*cells[index].shape, seed=seed) if cells[index].ndim else 1
                run[("cells", *part)] = value
                cells[index] = value
                np.testing.assert_array_equal(run["cells"], cells)
            run["cells"] = 0
            self.assertEqual(run.metrics, {"population": 0})

    def test_arrays_that_are_not_contiguous_or_of_other_types_are_converted(self) -> None:
        cells = soup(67, 31)
        with empty(67, 31) as run:
            for array in cells.T, cells.T.astype(bool), cells.T.astype(np.int64), cells.T.tolist():
                run["cells"] = 0
                run["cells"] = array
                np.testing.assert_array_equal(run["cells"], cells.T)

    def test_particles_have_rows_of_components(self) -> None:
        points = np.random.default_rng(2).random((100, 3))
        settings = {"run.plugin": "nbody", "particles.count": 100, "init.source": "cube", "nbody.precision": "double"}
        with engine.run(settings) as run:
            field = run.fields["position"]
            self.assertEqual((field.shape, field.axes), ((100, 3), ("particle", "component")))
            self.assertEqual(run.fields["mass"].shape, (100,))
            run["position"] = points
            run["mass"] = 2
            np.testing.assert_array_equal(run["position"], points)
            np.testing.assert_array_equal(run["position", 20:30], points[20:30])
            np.testing.assert_array_equal(run["mass"], np.full(100, 2.0))

    def test_gravity_is_that_of_numpy(self) -> None:
        rng = np.random.default_rng(5)
        x, v, m, dt, soft = rng.random((50, 3)), rng.random((50, 3)), rng.random(50), 1e-3, 0.05
        settings = {"run.plugin": "nbody", "particles.count": 50, "init.source": "cube", "nbody.precision": "double",
                    "nbody.integrator": "euler", "nbody.dt": dt, "nbody.softening": soft}
        with engine.run(settings) as run:
            run["position"], run["velocity"], run["mass"] = x, v, m
            run.advance(10)
            for _ in range(10):
                d = x[None] - x[:, None]
                a = (m[None, :, None] * d / ((d**2).sum(-1) + soft**2)[..., None] ** 1.5).sum(1)
                v = v + dt * a
                x = x + dt * v
            np.testing.assert_allclose(run["position"], x, rtol=1e-12)

    def test_matrices_have_rows_and_columns(self) -> None:
        rng = np.random.default_rng(3)
        a, b = rng.random((2, 5, 7)).astype(np.float32)
        settings = {"run.plugin": "matrix", "matrix.rows": 5, "matrix.columns": 7, "matrix.element": "float32", "init.source": "random"}
        with engine.run(settings) as run:
            run["a"], run["b"] = a, b
            run.advance()
            np.testing.assert_array_equal(run["c"], a + b)
            np.testing.assert_array_equal(run["c", 1:3, 4:], (a + b)[1:3, 4:])

    def test_metrics_count_what_numpy_counts(self) -> None:
        cells = soup(31, 67)
        with engine.Grid("life2d-bit", cells=cells) as run:
            self.assertEqual(run.metrics, {"population": float(cells.sum())})

    def test_wrong_arrays_are_refused_and_change_nothing(self) -> None:
        cells = soup(31, 67)
        with engine.Grid("life2d-bit", cells=cells) as run:
            for value, sentence in [
                (np.zeros((67, 31), np.uint8), "field cells: the array has the shape (67, 31), expected (31, 67), [y, x]"),
                (np.zeros((31, 67)), "field cells: the array has elements of float64, expected uint8"),
                (1.5, "field cells: the array has elements of float64, expected uint8"),
                (np.full((31, 67), 300), "the array has elements from 300 to 300, but uint8 holds 0 to 255"),
                (np.full((31, 67), 2), "element 0 of the array is not one of its values, 0 to 1"),
            ]:
                with self.assertRaises(engine.UsageError) as caught:
                    run["cells"] = value
                self.assertIn(sentence, str(caught.exception))
            np.testing.assert_array_equal(run["cells"], cells)

    def test_wrong_boxes_are_refused(self) -> None:
        with empty(67, 31) as run:
            for part, sentence in [
                (np.s_[::2, :], "a box has no stride, but that along y is 2"),
                (np.s_[31, 0], "31 is not one of the 31 along y"),
                (np.s_[0, 0, 0], "the box has 3 axes, but the field has 2, [y, x]"),
                (("a", 0), "a box has slices and numbers, but no str"),
            ]:
                with self.assertRaises(engine.UsageError) as caught:
                    run[("cells", *part)]
                self.assertIn(sentence, str(caught.exception))

    def test_a_field_that_does_not_exist_has_a_hint(self) -> None:
        with empty() as run, self.assertRaisesRegex(engine.UsageError, "no field 'cels', did you mean 'cells'"):
            run["cels"]


class Configurations(unittest.TestCase):
    def test_a_pattern_that_comes_with_the_engine_is_found(self) -> None:
        path = scratch() / "gun.ini"
        path.write_text("[run]\nplugin = life2d-bit\n[grid]\nsize = 64 64\n[init]\nfile = gosper-gun.rle\n")
        keys = {"run.plugin": "life2d-bit", "grid.size": "64 64", "init.file": "patterns/gosper-gun.rle"}
        for config in path, keys:
            with engine.run(config) as run:
                self.assertEqual(run.metrics, {"population": 36})
        (path.parent / "gosper-gun.rle").write_text("x = 1, y = 1, rule = B3/S23\no!\n")  # a file of the user comes first
        with engine.run(path) as run:
            self.assertEqual(run.metrics, {"population": 1})
        with self.assertRaisesRegex(engine.InputError, "there is no file"):
            engine.run(keys, {"init.file": "nothing.rle"})

    def test_a_run_is_that_of_the_program(self) -> None:
        folder = scratch()
        summary = json.loads(program("run", ROOT / "configs/gosper-gun.ini", "--set", f"run.output={folder}/out", "--json"))
        with engine.run("gosper-gun.ini") as run:
            self.assertEqual(run.steps, 300)
            self.assertEqual(list(run.iterate(every=70)), [70, 140, 210, 280, 300])
            self.assertEqual(run.hash, summary["hash"])
            np.testing.assert_array_equal(run["cells"], np.load(folder / "out/cells-0000000300.npy"))

    def test_settings_have_types_of_python(self) -> None:
        for value, text in [(True, "yes"), (3, "3"), (0.25, "0.25"), ((64, 48), "64 48"), (np.float64(0.5), "0.5"),
                            (np.array([1, 2]), "1 2"), ("auto", "auto"), (ROOT, str(ROOT))]:
            self.assertEqual(_context.value_text(value), text)
        with engine.run("gosper-gun.ini", {"grid.size": (300, 200), "run.steps": np.int64(7)}) as run:
            self.assertEqual((run["cells"].shape, run.steps), ((200, 300), 7))

    def test_errors_are_exceptions_by_kind(self) -> None:
        folder = scratch()
        with empty() as run:
            for kind, act, sentence in [
                (engine.UsageError, lambda: engine.run({"run.plugin": "life2d-bit", "grid.size": "a"}), "[grid] size"),
                (engine.UsageError, lambda: engine.Grid("life2d-bit", (9, 9), rul="B3/S23"), "did you mean 'rule'"),
                (engine.UsageError, lambda: engine.run("no-such.ini"), "no-such.ini"),
                (engine.PluginError, lambda: engine.Grid("life2d-bt", (9, 9)), "did you mean 'life2d-bit'"),
                (engine.InputError, lambda: run.restore(folder / "none.snapshot"), "none.snapshot"),
                (engine.OutputError, lambda: run.save(folder / "none" / "x.snapshot"), "none"),
            ]:
                with self.assertRaises(kind) as caught:
                    act()
                self.assertIn(sentence, str(caught.exception))
                self.assertEqual(caught.exception.status, kind.status)
        self.assertTrue(issubclass(engine.UsageError, ValueError))

    def test_a_snapshot_continues_with_another_implementation(self) -> None:
        path = scratch() / "half.snapshot"
        with engine.Grid("life2d-bit", cells=soup(31, 67)) as run, empty(67, 31, run__implementation="cpu-serial") as other:
            self.assertEqual(other.implementation, "cpu-serial")
            run.advance(10)
            run.save(path)
            run.advance(10)
            other.restore(path)
            self.assertEqual(other.step, 10)
            other.advance(10)
            self.assertEqual(run.hash, other.hash)

    def test_a_state_is_written_as_a_file_and_converted(self) -> None:
        folder, cells = scratch(), soup(31, 67)
        with engine.Grid("life2d-bit", cells=cells) as run:
            run.write(folder / "cells.npy")
        np.testing.assert_array_equal(np.load(folder / "cells.npy"), cells)
        engine.convert(folder / "cells.npy", folder / "cells.rle")
        for name, looks in ("plain", {}), ("lines", {"lines": True}), ("captions", {"captions": True}):
            engine.convert(folder / "cells.npy", folder / f"{name}.png", scale=8, **looks)
        heights = [int.from_bytes((folder / f"{name}.png").read_bytes()[20:24], "big") for name in ("plain", "lines", "captions")]
        self.assertTrue(heights[0] == heights[1] < heights[2], heights)
        self.assertNotEqual((folder / "plain.png").read_bytes(), (folder / "lines.png").read_bytes())
        for depth in "near", (2, 1), (1, 2):  # the last one is for particles alone
            with self.assertRaisesRegex(engine.UsageError, "depth"):
                engine.convert(folder / "cells.npy", folder / "depth.png", depth=depth)
        engine.convert(folder / "cells.rle", folder / "again.npy")
        np.testing.assert_array_equal(np.load(folder / "again.npy"), cells)
        with self.assertRaises(engine.OutputError):
            engine.convert(folder / "cells.rle", folder / "again.npy")
        engine.convert(folder / "cells.rle", folder / "again.npy", force=True)
        engine.convert(folder / "cells.rle", folder / "cells.lif", target_format="life106")
        self.assertEqual((folder / "cells.lif").read_text().splitlines()[0], "#Life 1.06")
        with self.assertRaisesRegex(engine.UsageError, "did you mean 'life106'"):
            engine.convert(folder / "cells.rle", folder / "cells.txt", target_format="life16")
        with self.assertRaisesRegex(engine.InputError, "NUMPY"):
            engine.convert(folder / "cells.rle", folder / "other.rle", source_format="npy")

    def test_the_complete_frames_of_an_incomplete_file_are_read(self) -> None:
        folder = scratch()
        frame = "2\n\nA 0 0 0\nA {} 0 0\n"
        (folder / "cut.xyz").write_text(frame.format(1) + frame.format(2) + "2\n\nA 0 0 0\n")
        settings = {"run.plugin": "rdf", "init.file": str(folder / "cut.xyz"), "rdf.bins": 3, "rdf.r_max": 3}
        with self.assertRaisesRegex(engine.InputError, r"set \[init\] frames = 0:2"):
            engine.run(settings)
        with self.assertRaisesRegex(engine.InputError, "frames 0:2"):
            engine.convert(folder / "cut.xyz", folder / "whole.npy")
        with engine.run({**settings, "init.frames": "0:2"}) as run:
            run.advance(2)
            np.testing.assert_array_equal(run["counts"].ravel(), [0, 1, 1])
        engine.convert(folder / "cut.xyz", folder / "whole.npy", frames="0:2")
        np.testing.assert_array_equal(np.load(folder / "whole.npy")[:, 1, 0], [1, 2])

    def test_a_pattern_is_identified(self) -> None:
        glider = engine.identify("bo$2bo$3o!")
        self.assertEqual((glider["kind"], glider["speed"], glider["apgcode"]), ("spaceship", "c/4", "xq4_153"))
        self.assertIn("c/4 diagonal", str(glider))
        # Each cell of a block has three neighbours and dies by B3/S2, and no dead cell has three.
        self.assertEqual(engine.identify("2o$2o!", rule="B3/S2")["kind"], "dies")
        path = scratch() / "block.rle"
        path.write_text("x = 2, y = 2, rule = B3/S23\n2o$2o!\n")
        self.assertEqual(engine.identify(path)["apgcode"], "xs4_33")
        self.assertEqual(engine.identify(path, {"life2d-bit.rule": "B3/S2"})["kind"], "dies")
        with self.assertRaises(engine.UsageError):
            engine.identify(path, rule="B3/S2")
        with self.assertRaises(engine.InputError):
            engine.identify(path.with_name("none.rle"))

    def test_soups_are_counted(self) -> None:
        # The counts of apgsearch.
        lines = (ROOT / "tests/plugins/census.txt").read_text().splitlines()
        for rule, symmetry in ("B3/S23", "C1"), ("B368/S245", "C1"):
            name = f"{rule.lower().replace('/', '')} {symmetry} "
            words = next(line for line in lines if line.startswith(name)).split()
            root, soups, objects = words[2], int(words[3]), words[4:]
            found = engine.census(rule, symmetry, soups, root=root)
            counts = {code: count for code, count in found.counts.items() if code != "xs0_0"}
            self.assertEqual(counts, dict(zip(objects[::2], map(int, objects[1::2]))))
            self.assertEqual((found.soups, found.objects), (soups, sum(found.counts.values())))
            self.assertEqual([row.count for row in found], sorted((row.count for row in found), reverse=True))
        rare = engine.census(seeds=169)[-1]
        before, after = (engine.census(seeds=rare.soups[0] + more).counts for more in (0, 1))
        self.assertEqual((before.get(rare.code), after[rare.code]), (None, 1))
        self.assertIn("OTHERS", engine.census(seeds=50, bytes=1024).counts)
        for wrong in {"seeds": 0}, {"symmetry": "C3"}, {"rule": "B2-a/S12"}, {"soup": 3}:
            with self.assertRaises(engine.UsageError):
                engine.census(**wrong)

    def test_a_universe_of_a_snapshot_is_converted(self) -> None:
        folder = scratch()
        settings = {"run.plugin": "life2d-bit", "grid.size": (40, 20), "grid.batch": 3, "init.source": "random"}
        with engine.run(settings) as run:
            run.save(folder / "a.snapshot")
            engine.convert(folder / "a.snapshot", folder / "one.npy", universe=1)
            np.testing.assert_array_equal(np.load(folder / "one.npy"), run["cells"][1])

    def test_a_closed_run_says_so(self) -> None:
        run = empty()
        run.close()
        run.close()
        self.assertIn("closed", repr(run))
        for act in run.advance, lambda: run["cells"], lambda: run.metrics, lambda: run.step, lambda: run.view("cells"):
            with self.assertRaisesRegex(engine.UsageError, "the run is closed"):
                act()

    def test_a_lost_state_is_not_read(self) -> None:
        path = scratch() / "start.snapshot"
        with engine.run({"run.plugin": "losing_advance", "grid.size": (8, 8)}, plugins=BAD) as run:
            run.save(path)
            with self.assertRaisesRegex(engine.Error, "the state is lost"):
                run.advance(100)
            with self.assertRaises(engine.InputError):
                run.restore(path.with_name("none.snapshot"))
            for act in lambda: run["cells"], run.execute, run.advance, lambda: run.view("cells"), lambda: run.save(path):
                with self.assertRaisesRegex(engine.UsageError, "destroyed the state"):
                    act()
            run.restore(path)
            self.assertEqual(int(run["cells"].sum()), 0)

    def test_numbers_that_the_library_cannot_take_are_refused(self) -> None:
        path = scratch() / "a.npy"
        np.save(path, np.zeros((2, 3), np.uint8))
        with empty(3, 2) as run:
            for act in (
                lambda: run.advance(1 << 64),
                lambda: run.advance(-1),
                lambda: run.picture(0, 5),
                lambda: run.picture(5, 1 << 64),
                lambda: engine.convert(path, path.with_name("a.png"), scale=(1 << 32) + 4),
                lambda: engine.convert(path, path.with_name("b.npy"), universe=(1 << 32) - 1),
                lambda: engine.verify({"run.plugin": "life2d-bit", "grid.size": (3, 2)}, steps=1 << 64),
            ):
                with self.assertRaisesRegex(engine.UsageError, "expected [01] to "):
                    act()
            self.assertEqual(run.step, 0)

    def test_a_zero_byte_does_not_end_a_path(self) -> None:
        path = scratch() / "a.snapshot"
        with empty(3, 2) as run:
            for act in run.save, run.restore, run.write, engine.run:
                with self.assertRaisesRegex(engine.UsageError, "zero byte"):
                    act(f"{path}\0.rle")
        self.assertFalse(path.exists())

    def test_plugins_are_described(self) -> None:
        found = engine.plugins()
        self.assertIn("life2d-bit", found)
        self.assertEqual([p["name"] for p in found["life2d-bit"]["parameters"]][0], "rule")
        self.assertIn("liar", engine.plugins(BAD))

    def test_messages_go_to_logging(self) -> None:
        folder = scratch()
        settings = {"run.plugin": "nbody", "particles.count": 10, "init.source": "cube"}
        with engine.run(settings) as run:
            run.save(folder / "a.snapshot")
        with self.assertLogs("engine", logging.WARNING) as logs:
            engine.convert(folder / "a.snapshot", folder / "a.npy")
        self.assertIn("velocity", "\n".join(logs.output))


class Whole(unittest.TestCase):
    def settings(self, steps: int) -> dict:
        return {"run.plugin": "life2d-bit", "run.steps": steps, "grid.size": (67, 31), "init.source": "random",
                "run.output": str(self.folder), "output.formats": "npy"}

    def setUp(self) -> None:
        self.folder = scratch() / "out"

    def test_an_execution_writes_files_and_is_resumed(self) -> None:
        with engine.run(self.settings(20)) as run:
            summary = run.execute()
            self.assertEqual((summary["hash"], run.step), (run.hash, 20))
        again = engine.resume(self.folder)
        self.assertEqual(again["hash"], summary["hash"])
        final = engine.resume(self.folder, {"run.steps": 50})
        with engine.run(self.settings(50)) as run:
            run.advance(50)
            self.assertEqual(run.hash, final["hash"])
            np.testing.assert_array_equal(np.load(self.folder / "cells-0000000050.npy"), run["cells"])

    def test_a_condition_ends_an_execution(self) -> None:
        with engine.run({**self.settings(500), "run.until": "population < 0 or unchanged or repeats"}) as run:
            run.advance(1)
            self.assertIsNone(run.ended)
        row = np.zeros((31, 67), np.uint8)
        row[3, 20:23] = 1
        with engine.run({**self.settings(500), "run.until": "repeats", "run.until_every": 7}) as run:
            run["cells"] = row
            summary = run.execute()
            self.assertEqual(run.ended, "repeats: period 2, first seen at step 0")
            self.assertEqual((summary["ended"], summary["step"]), (run.ended, run.step))
            self.assertLess(run.step, 500)
        self.assertEqual(engine.resume(self.folder)["ended"], summary["ended"])

    def test_a_folder_with_files_is_kept_unless_it_is_forced(self) -> None:
        for force in False, False, True:
            with engine.run(self.settings(5)) as run:
                if self.folder.exists() and not force:
                    with self.assertRaises(engine.OutputError):
                        run.execute()
                else:
                    run.execute(force=force)


class Iteration(unittest.TestCase):
    def test_the_last_time_takes_what_remains(self) -> None:
        with empty() as run:
            self.assertEqual(list(run.iterate(10, 4)), [4, 8, 10])
            self.assertEqual(list(run.iterate(3)), [11, 12, 13])
            with self.assertRaises(engine.UsageError):
                next(run.iterate(3, 0))
            with self.assertRaises(engine.UsageError):
                run.advance(-1)

    def test_a_progress_bar_counts_the_steps(self) -> None:
        bars = []

        class Bar:
            def __init__(self, total: int, **_how: object) -> None:
                self.total, self.n, self.closed = total, 0, False
                bars.append(self)

            def update(self, steps: int) -> None:
                self.n += steps

            def close(self) -> None:
                self.closed = True

        modules = {"tqdm": types.ModuleType("tqdm"), "tqdm.auto": types.ModuleType("tqdm.auto")}
        modules["tqdm.auto"].tqdm = Bar
        with unittest.mock.patch.dict(sys.modules, modules), empty() as run:
            list(run.iterate(10, 4))
            list(run.iterate(10, 4, progress=False))
        self.assertEqual([(bar.total, bar.n, bar.closed) for bar in bars], [(10, 10, True)])

    def test_without_tqdm_there_is_no_bar(self) -> None:
        with unittest.mock.patch.dict(sys.modules, {"tqdm": None, "tqdm.auto": None}), empty() as run:
            self.assertEqual(list(run.iterate(2, progress=True)), [1, 2])


class Interruption(unittest.TestCase):
    """Ctrl-C while the library works. The runs would take years."""

    def interrupted(self, act: object) -> None:
        handler = signal.getsignal(signal.SIGINT)
        self.assertIs(handler, signal.default_int_handler)
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            act()
        timer.join()
        self.assertIs(signal.getsignal(signal.SIGINT), handler)

    def test_an_interrupted_run_can_go_on(self) -> None:
        cells = soup(31, 67)
        with engine.Grid("life2d-bit", cells=cells) as run:
            self.interrupted(lambda: run.advance(10**15))
            reached = run.step
            self.assertTrue(0 < reached < 10**15)
            run.advance(3)
            with engine.Grid("life2d-bit", cells=cells, settings={"run.implementation": "cpu"}) as other:
                other.advance(reached + 3)
                self.assertEqual(run.hash, other.hash)

    def test_an_interrupted_execution_writes_a_checkpoint(self) -> None:
        folder = scratch() / "out"
        settings = {"run.plugin": "life2d-bit", "run.steps": 10**15, "grid.size": (67, 31), "init.source": "random",
                    "run.output": str(folder)}
        with engine.run(settings) as run:
            self.interrupted(run.execute)
            reached, hashed = run.step, run.hash
        summary = engine.resume(folder, {"run.steps": reached})
        self.assertEqual(summary["hash"], hashed)

    def test_a_handler_of_the_program_stays(self) -> None:
        class Stopped(Exception):
            pass

        def handler(_number: int, _frame: object) -> None:
            raise Stopped

        before = signal.signal(signal.SIGINT, handler)
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        try:
            with empty() as run:
                timer.start()
                with self.assertRaises(Stopped):
                    run.advance(10**15)
                self.assertIs(signal.getsignal(signal.SIGINT), handler)
                run.advance(1)
        finally:
            timer.join()
            signal.signal(signal.SIGINT, before)

    def test_what_a_logger_raises_passes_through(self) -> None:
        class Refused(Exception):
            pass

        class Handler(logging.Handler):
            def emit(self, record: logging.LogRecord) -> None:
                raise Refused

        folder, handler = scratch(), Handler()
        with engine.run({"run.plugin": "nbody", "particles.count": 10, "init.source": "cube"}) as run:
            run.save(folder / "a.snapshot")
        logging.getLogger("engine").addHandler(handler)
        try:
            with self.assertRaises(Refused):
                engine.convert(folder / "a.snapshot", folder / "a.npy")
        finally:
            logging.getLogger("engine").removeHandler(handler)


class Threads(unittest.TestCase):
    def test_threads_use_runs_at_the_same_time(self) -> None:
        cells = soup(31, 67)
        hashes = []

        def work() -> None:
            with engine.Grid("life2d-bit", cells=cells) as run:
                for _ in run.iterate(200, 10):
                    pass
                hashes.append(run.hash)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((len(hashes), len(set(hashes))), (4, 1))

    def test_threads_take_turns_with_one_run(self) -> None:
        with empty() as run:
            threads = [threading.Thread(target=lambda: [run.advance(3) for _ in range(50)]) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(run.step, 600)

    def test_closed_runs_leave_no_threads_and_no_memory(self) -> None:
        def used() -> tuple:
            gc.collect()
            return len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd"))

        with engine.Grid("life2d-bit", (512, 512)) as run:
            run.advance(1)
        before = used()
        for _ in range(5):
            with engine.Grid("life2d-bit", (512, 512)) as run:
                run.advance(1)
        self.assertEqual(used(), before)
