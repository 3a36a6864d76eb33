"""Views: the memory of a run without a copy, and how long it lives."""

from __future__ import annotations

import gc
import unittest
import unittest.mock

import engine
import numpy as np
from engine import _view
from reference import life, soup

VOLUME = {"run.implementation": "cpu-serial"}


def volume(cells: np.ndarray) -> engine.Run:
    """A run whose cells are bytes in rows."""
    return engine.Grid("life3d-naive", cells=cells, settings=VOLUME)


def raw(run: engine.Run, write: bool = False) -> engine.View:
    """The view itself, which run.view gives only for device memory."""
    return engine.View(run._use(), 0, 3, write)


class Host(unittest.TestCase):
    def test_a_view_is_the_memory_of_the_field(self) -> None:
        cells = soup(5, 7, 9)
        with volume(cells) as run:
            for _ in range(3):
                view = run.view("cells")
                np.testing.assert_array_equal(view, cells)
                self.assertFalse(view.flags.writeable)
                self.assertEqual(view.ctypes.data, raw(run).pointer)
                again = run.view("cells")
                self.assertEqual(again.ctypes.data, view.ctypes.data)
                run.advance()
                cells = life(cells, born=(6,), survive=(5, 6, 7))

    def test_bits_are_words(self) -> None:
        # The order of the bits is that of the implementation's layout.
        cells = soup(31, 67)
        for implementation, word, order in ("cpu-serial", np.uint8, "big"), ("cpu", np.uint64, "little"):
            with engine.Grid("life2d-bit", cells=cells, settings={"run.implementation": implementation}) as run:
                words = run.view("cells")
                self.assertEqual((words.dtype, len(words)), (word, 31))
                bytes_of_rows = np.ascontiguousarray(words).view(np.uint8)
                bits = np.unpackbits(bytes_of_rows, axis=1, bitorder=order)
                np.testing.assert_array_equal(bits[:, :67], cells)

    def test_particles_have_their_strides(self) -> None:
        settings = {"run.plugin": "nbody", "particles.count": 100, "init.source": "cube"}
        for implementation in "cpu", "cpu-serial":
            with engine.run({**settings, "run.implementation": implementation}) as run:
                np.testing.assert_array_equal(run.view("position"), run["position"])
                np.testing.assert_array_equal(run.view("mass"), run["mass"])

    def test_what_is_written_is_the_state(self) -> None:
        cells, other = soup(5, 7, 9), soup(5, 7, 9, seed=2)
        with volume(cells) as run, volume(other) as expected:
            run.advance(2)
            run.view("cells", write=True)[:] = other
            run.advance(3)
            expected.advance(3)
            np.testing.assert_array_equal(run["cells"], expected["cells"])

    def test_the_run_is_told_once_more_after_the_last_writer(self) -> None:
        with volume(soup(5, 7, 9)) as run:
            told = []
            with unittest.mock.patch.object(engine._context.lib, "engine_run_changed", told.append):
                view = run.view("cells", write=True)
                run.advance()
                run.advance()
                del view
                gc.collect()
                run.advance()
                run.advance()
            self.assertEqual(len(told), 3)

    def test_memory_lives_as_long_as_a_view(self) -> None:
        cells = soup(40, 50, 60)
        run = volume(cells)
        view = run.view("cells")
        state = run._state._close
        run.close()
        del run
        gc.collect()
        self.assertTrue(state.alive)
        np.testing.assert_array_equal(view, cells)
        part = view[3:5, 1:]
        del view
        gc.collect()
        self.assertTrue(state.alive)
        np.testing.assert_array_equal(part, cells[3:5, 1:])
        del part
        gc.collect()
        self.assertFalse(state.alive)

    def test_a_run_that_nothing_uses_is_closed_at_once(self) -> None:
        run = volume(soup(5, 7, 9))
        closing = run._state._close
        config, context = run._state._close.peek()[2][-1]._close, run._state.context._close
        gc.disable()
        try:
            del run
            self.assertFalse(closing.alive or config.alive or context.alive)
        finally:
            gc.enable()

    def test_a_divided_run_has_no_view(self) -> None:
        with engine.Grid("life2d-bit", (67, 31), settings={"run.parts": 3, "run.implementation": "cpu"}) as run:
            with self.assertRaisesRegex(engine.UsageError, "divided into 3 parts"):
                run.view("cells")


class Protocols(unittest.TestCase):
    def test_numpy_takes_a_view_by_dlpack(self) -> None:
        cells = soup(5, 7, 9)
        with volume(cells) as run:
            taken = np.from_dlpack(raw(run))
            np.testing.assert_array_equal(taken, cells)
            self.assertEqual(taken.ctypes.data, raw(run).pointer)
            self.assertEqual(len(_view._held), 1)
            closing = run._state._close
        del run
        gc.collect()
        self.assertTrue(closing.alive)
        np.testing.assert_array_equal(taken, cells)
        del taken
        gc.collect()
        self.assertFalse(closing.alive)
        self.assertEqual(_view._held, {})

    def test_a_capsule_that_nobody_takes_is_freed(self) -> None:
        with volume(soup(5, 7, 9)) as run:
            capsule = raw(run).__dlpack__()
            self.assertEqual(len(_view._held), 1)
            del capsule
            self.assertEqual(_view._held, {})

    def test_a_view_of_an_earlier_step_is_refused(self) -> None:
        with volume(soup(5, 7, 9)) as run:
            view = raw(run)
            run.advance()
            for act in view.__dlpack__, lambda: view.__array_interface__:
                with self.assertRaisesRegex(engine.UsageError, "the run has changed since this view was taken"):
                    act()

    def test_what_a_view_cannot_do_is_refused(self) -> None:
        with volume(soup(5, 7, 9)) as run:
            view = raw(run)
            self.assertEqual(view.__dlpack_device__(), (1, 0))
            self.assertFalse(hasattr(view, "__cuda_array_interface__"))
            with self.assertRaises(BufferError):
                view.__dlpack__(copy=True)
            with self.assertRaises(BufferError):
                view.__dlpack__(dl_device=(2, 0))

    def test_device_memory_says_what_version_3_asks(self) -> None:
        # A machine without a GPU: the same memory, said to be on a device.
        with volume(soup(5, 7, 9)) as run:
            view = raw(run)
            view.memory, view.stream = "cuda", 77
            interface = view.__cuda_array_interface__
            self.assertEqual(interface["version"], 3)
            self.assertEqual((interface["shape"], interface["typestr"]), ((5, 7, 9), "|u1"))
            self.assertEqual((interface["data"], interface["stream"]), ((view.pointer, False), 77))
            self.assertEqual(view.__dlpack_device__(), (2, 0))
            with self.assertRaisesRegex(engine.UsageError, "device memory, which NumPy cannot read"):
                view.__array_interface__

    def test_the_run_waits_for_the_streams_of_consumers(self) -> None:
        with volume(soup(5, 7, 9)) as run:
            view = raw(run)
            view.memory = "cuda"
            waited = []

            def wait(_run: object, stream: object, _error: object) -> int:
                waited.append(stream)
                return 0

            with unittest.mock.patch.object(engine._context.lib, "engine_run_wait", wait):
                capsules = [view.__dlpack__(stream=stream) for stream in (None, 1, 2, 12345, -1)]
                self.assertEqual(waited, [None] * 4)  # the run's own stream, but for -1
                waited.clear()
                run.advance()
                self.assertEqual(waited, [1, 1, 2, 12345])
                waited.clear()
                capsules.clear()
                run.advance()
                self.assertEqual(waited, [1, 1, 2, 12345])  # work may have been under way when it was dropped
                waited.clear()
                run.advance()
                self.assertEqual(waited, [])

    def test_wait_returns_at_once_on_the_host(self) -> None:
        with volume(soup(5, 7, 9)) as run:
            run.wait()
            run.wait(1)
