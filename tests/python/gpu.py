"""Views of device memory, on a machine with a GPU: CuPy and PyTorch see the bits that the file has.

    tools/check-gpu python        runs it; each result is a line of TAP

CuPy, PyTorch and Numba are used where they are installed. Without any of them there is one skip for each.
"""

from __future__ import annotations

import importlib
import tempfile
import unittest
import unittest.mock
from pathlib import Path
from typing import Any

import engine
import numpy as np
import random_runs
from engine import _fed

BODIES = {"run.plugin": "nbody", "run.implementation": "cuda", "particles.count": 1000, "init.source": "plummer"}
CELLS = {"run.implementation": "cuda"}
VOLUME = "life3d-naive"


def library(name: str) -> Any:
    """The module, or a skip."""
    try:
        module = importlib.import_module(name)
        if name == "torch" and not module.cuda.is_available():
            raise unittest.SkipTest("torch has no CUDA")
        return module
    except ImportError as problem:
        raise unittest.SkipTest(str(problem)) from None


def soup() -> np.ndarray:
    return (np.random.default_rng(1).random((20, 33, 47)) < 0.3).astype(np.uint8)


def volume(cells: np.ndarray) -> engine.Run:
    return engine.Grid(VOLUME, cells=cells, settings=CELLS)


class Device(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_a_view_is_of_device_memory(self) -> None:
        with engine.run(BODIES) as run:
            view = run.view("position")
            self.assertIsInstance(view, engine.View)
            self.assertEqual((view.memory, view.shape, view.__dlpack_device__()), ("cuda", (1000, 3), (2, view.device)))
            self.assertEqual(view.__cuda_array_interface__["stream"], view.stream)
            self.assertGreater(view.stream, 2)
            with self.assertRaises(engine.UsageError):
                np.asarray(view)

    def test_fields_are_copied_as_on_the_host(self) -> None:
        cells = soup()
        with volume(cells) as run, engine.Grid(VOLUME, cells=cells, settings={"run.implementation": "cpu"}) as host:
            for _ in range(3):
                run.advance(7)
                host.advance(7)
                np.testing.assert_array_equal(run["cells"], host["cells"])
                np.testing.assert_array_equal(run["cells", 3:9, -5:], host["cells"][3:9, -5:])
            self.assertEqual(run.hash, host.hash)

    def test_masses_that_change_after_the_start_attract_as_those_of_the_start(self) -> None:
        rng = np.random.default_rng(3)
        some = 1e-3 * rng.random(1000) * (rng.random(1000) < 0.5)  # half of them are 0
        equal, two = np.full(1000, 1e-3), np.repeat([1e-2, 1e-4], 500)
        for name in "nbody/cuda", "nbody/cuda-shared", "nbody/cuda-basic", "nbody-tree/cuda":
            plugin, implementation = name.split("/")
            for before, after in (equal, some), (some, two), (two, equal), (equal * 1e-30, equal):
                settings = {**BODIES, "run.plugin": plugin, "run.implementation": implementation}
                if name == "nbody/cuda":
                    settings["nbody.form"] = "pairs"
                with engine.run(settings) as run, engine.run(settings) as other:
                    start = self.folder / "start.snapshot"
                    run["mass"] = after
                    run.save(start)
                    run["mass"] = before
                    for _ in range(4):
                        run.advance(1)  # equal calls, which the engine records
                    run.restore(start)
                    for _ in range(4):
                        run.advance(1)
                    other["mass"] = after
                    position, mass = other["position"].astype(float), after
                    other.advance(1)
                    apart = position[None] - position[:, None]
                    cube = (np.square(apart).sum(-1) + 0.05**2) ** 1.5
                    force = (mass[None, :, None] * apart / cube[..., None]).sum(1)
                    size = (mass[None, :, None] * abs(apart) / cube[..., None]).sum(1).max(1)
                    # The acceleration is that at the new positions, which are close to the old ones.
                    error = abs(other["acceleration"] - force).max(1) / size
                    self.assertLess(np.median(error), 0.01)
                    other.advance(3)
                    self.assertEqual(run.hash, other.hash, name)

    def test_runs_are_those_of_numpy_whatever_is_done_with_them(self) -> None:
        for case in range(101, 141):
            self.assertIsNone(random_runs.difference(case, "cuda"), f"case {case}")

    def test_torch_sees_the_bits_of_the_file(self) -> None:
        torch = library("torch")
        with engine.run(BODIES) as run:
            for _ in range(3):
                run.advance(10)
                path = self.folder / f"{run.step}.npy"
                run.write(path)
                positions = np.load(path)
                for tensor in torch.from_dlpack(run.view("position")), torch.as_tensor(run.view("position"), device="cuda"):
                    self.assertEqual(tensor.data_ptr(), run.view("position").pointer)
                    np.testing.assert_array_equal(
                        tensor.cpu().numpy().view(np.uint32), np.ascontiguousarray(positions).view(np.uint32)
                    )

    def test_cupy_sees_the_bits_of_the_state(self) -> None:
        cupy = library("cupy")
        with volume(soup()) as run:
            for _ in range(3):
                run.advance(5)
                for array in cupy.from_dlpack(run.view("cells")), cupy.asarray(run.view("cells")):
                    self.assertEqual(array.data.ptr, run.view("cells").pointer)
                    np.testing.assert_array_equal(array.get(), run["cells"])

    def check_arrays(self, device: Any, host: Any) -> None:
        """engine.rdf, forces and gravity of arrays that `device` puts on the GPU. Only first frames go over the host."""
        rng = np.random.default_rng(4)
        frames = rng.random((5, 3000, 3)).astype(np.float32) * 20
        species = rng.integers(0, 2, 3000)
        for keys in {}, {"species": species}:
            with unittest.mock.patch.object(_fed, "host", side_effect=_fed.host) as copied:
                found = engine.rdf(device(frames), 20, r_max=8, bins=100, settings=CELLS, **keys)
            self.assertEqual(copied.call_count, 1)
            expected = engine.rdf(frames, 20, r_max=8, bins=100, settings={"run.implementation": "cpu"}, **keys)
            np.testing.assert_array_equal(found.counts, expected.counts)
        sites = np.stack(np.meshgrid(*[np.arange(12.0)] * 3), -1).reshape(-1, 3) * 1.2
        for _ in range(3):
            positions = sites + rng.random(sites.shape) * 0.1
            found = engine.forces(device(positions), 14.4, settings=CELLS)
            expected = engine.forces(positions, 14.4, settings={"run.implementation": "cpu"})
            self.assertIs(type(found.forces), type(device(positions)))
            np.testing.assert_array_equal(host(found.forces), expected.forces)
            self.assertAlmostEqual(found.energy / expected.energy, 1, places=6)
            self.assertAlmostEqual(found.virial / expected.virial, 1, places=6)
            found = engine.gravity(device(positions), softening=0.1, settings=CELLS)
            expected = engine.gravity(positions, softening=0.1, settings={"run.implementation": "cpu"})
            most = abs(expected.accelerations).max()
            np.testing.assert_allclose(host(found.accelerations), expected.accelerations, rtol=0, atol=1e-5 * most)
        bad = frames[0].copy()
        bad[7, 1] = np.nan
        with self.assertRaisesRegex(engine.UsageError, "the position of particle 7 is"):
            engine.rdf(device(bad), 20, r_max=8, settings=CELLS)

    def test_arrays_of_torch_are_read_on_the_device(self) -> None:
        torch = library("torch")
        self.check_arrays(lambda array: torch.from_numpy(array).cuda(), lambda tensor: tensor.cpu().numpy())

    def test_arrays_of_cupy_are_read_on_the_device(self) -> None:
        cupy = library("cupy")
        self.check_arrays(cupy.asarray, cupy.asnumpy)

    def test_arrays_of_numpy_are_copied_to_the_device(self) -> None:
        frames = np.random.default_rng(5).random((5, 3000, 3)) * 20
        for boxes in 20, [(20 + k, 21, 22, 90, 80, 70) for k in range(5)]:
            counts = [engine.rdf(frames, boxes, r_max=8, settings={"run.implementation": name}).counts for name in ("cuda", "cpu")]
            np.testing.assert_array_equal(*counts)
        for scale in 1, 1.1, 1.05:
            sites = np.stack(np.meshgrid(*[np.arange(12.0)] * 3), -1).reshape(-1, 3) * 1.2
            forces = [engine.forces(sites * scale + 0.05 * frames[0, :1728] / 20, 14.4 * scale,
                                    settings={"run.implementation": name}).forces for name in ("cuda", "cpu")]
            np.testing.assert_array_equal(*forces)

    def test_numba_sees_the_bits_of_the_state(self) -> None:
        cuda = library("numba.cuda")
        with volume(soup()) as run:
            run.advance(5)
            np.testing.assert_array_equal(cuda.as_cuda_array(run.view("cells")).copy_to_host(), run["cells"])

    def test_what_torch_writes_on_its_own_stream_is_the_state(self) -> None:
        torch = library("torch")
        cells, other = soup(), 1 - soup()
        with volume(cells) as run, volume(other) as expected:
            run.advance(4)
            stream = torch.cuda.Stream()
            with torch.cuda.stream(stream):
                tensor = torch.from_dlpack(run.view("cells", write=True))
                source = torch.from_numpy(other).cuda()
                torch.cuda._sleep(200_000_000)  # the copy below begins long after advance is called
                tensor.copy_(source)
            run.advance(3)
            expected.advance(3)
            np.testing.assert_array_equal(run["cells"], expected["cells"])

    def test_what_torch_reads_on_its_own_stream_is_not_overwritten(self) -> None:
        torch = library("torch")
        with volume(soup()) as run:
            run.advance(4)
            before = run["cells"]
            stream = torch.cuda.Stream()
            with torch.cuda.stream(stream):
                tensor = torch.from_dlpack(run.view("cells"))
                torch.cuda._sleep(200_000_000)
                copy = tensor.clone()
            del tensor
            run.advance(1)
            run.advance(1)
            torch.cuda.synchronize()
            np.testing.assert_array_equal(copy.cpu().numpy(), before)

    def test_memory_lives_as_long_as_a_tensor(self) -> None:
        torch = library("torch")
        run = volume(soup())
        run.advance(4)
        cells = run["cells"]
        tensor = torch.from_dlpack(run.view("cells"))
        closing = run._state._close
        run.close()
        del run
        self.assertTrue(closing.alive)
        np.testing.assert_array_equal(tensor.cpu().numpy(), cells)
        del tensor
        self.assertFalse(closing.alive)

    def test_streams_are_waited_for(self) -> None:
        with volume(soup()) as run:
            for stream in None, 1, 2, run.view("cells").stream:
                run.wait(stream)
