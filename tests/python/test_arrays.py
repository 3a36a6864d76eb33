"""Arrays in, results out: engine.rdf, engine.forces and engine.gravity, compared with sums over all pairs in NumPy."""

from __future__ import annotations

import itertools
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock
from collections.abc import Callable, Iterator
from typing import Any, Optional

import engine
import numpy as np
from engine import _rdf
from engine._fed import Fed

R_MAX, BINS = 3.0, 24
ORTHOGONAL = np.diag([8.0, 9.0, 7.0])
SKEWED = np.array([[8.0, 0, 0], [2.5, 9, 0], [-1.5, 3, 7]])
LENGTHS_ANGLES = (8, 9, 7.5, 75, 100, 60)  # of a triclinic cell
IMAGES = np.array(list(itertools.product((-2, -1, 0, 1, 2), repeat=3)))


def particles(count: int = 120, edge: float = 9, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).random((count, 3)) * edge


def cell(lengths_angles: tuple[float, ...]) -> np.ndarray:
    """The matrix of lengths and angles, from the scalar products of its rows."""
    lengths, cosines = np.array(lengths_angles[:3]), np.cos(np.radians(lengths_angles[3:]))
    products = np.outer(lengths, lengths)
    for (i, j), cosine in zip(((1, 2), (0, 2), (0, 1)), cosines):
        products[i, j] = products[j, i] = products[i, j] * cosine
    return np.linalg.cholesky(products)


def separations(positions: np.ndarray, rows: Optional[np.ndarray]) -> np.ndarray:
    """The vectors between all particles, each the shortest of many images. An open axis has a row of zeros."""
    vectors = positions[None] - positions[:, None]
    if rows is None or not rows.any():
        return vectors
    shifts = IMAGES @ rows
    vectors = vectors - np.rint(vectors @ np.linalg.pinv(rows)) @ rows
    images = vectors[:, :, None] + shifts
    nearest = (images**2).sum(-1).argmin(-1)
    return np.take_along_axis(images, nearest[:, :, None, None], 2)[:, :, 0]


def distances(positions: np.ndarray, rows: Optional[np.ndarray]) -> np.ndarray:
    return np.sqrt((separations(np.asarray(positions, float), rows) ** 2).sum(-1))


class Arrays(unittest.TestCase):
    def refused(self, text: str, function: Callable[..., object], *words: Any, **keys: Any) -> None:
        with self.assertRaises(engine.UsageError) as caught:
            function(*words, **keys)
        self.assertIn(text, str(caught.exception))

    def counted(self, counts: np.ndarray, expected: list[np.ndarray]) -> None:
        """The counts are those of the distances, but for distances within rounding of the edge of a bin."""
        all_distances = np.concatenate([d.ravel() for d in expected])
        edges = np.arange(1, len(counts) + 1) * R_MAX / BINS
        low, high = ((all_distances[:, None] < edges + shift).sum(0) for shift in (-1e-5, 1e-5))
        self.assertGreater(high[-1], 20)
        self.assertLess((high - low).sum(), 5)
        sums = np.cumsum(counts.astype(int))
        self.assertTrue(np.all((low <= sums) & (sums <= high)), (low, sums, high))


def triangle(matrix: np.ndarray) -> np.ndarray:
    return matrix[np.triu_indices(len(matrix), 1)]


def analyse(positions: Any, box: Any = None, **keys: Any) -> engine.RDFResult:
    return engine.rdf(positions, box, r_max=R_MAX, bins=BINS, **keys)


class Boxes(Arrays):
    def same(self, positions: np.ndarray, box: Any, rows: Optional[np.ndarray], **keys: Any) -> engine.RDFResult:
        result = analyse(positions, box, **keys)
        self.counted(result.counts, [triangle(distances(positions, rows))])
        return result

    def test_g_and_n_are_those_of_the_counts(self) -> None:
        positions = particles()
        result = self.same(positions, (8, 9, 7), ORTHOGONAL)
        np.testing.assert_allclose(result.bins, np.linspace(0, R_MAX, BINS + 1))
        np.testing.assert_allclose(result.r, (result.bins[1:] + result.bins[:-1]) / 2)
        shells = 4 / 3 * np.pi * np.diff(result.bins**3)
        np.testing.assert_allclose(result.g, result.counts / (120 * 119 / 2 / (8 * 9 * 7) * shells))
        np.testing.assert_allclose(result.n, np.cumsum(result.counts) / 60)
        self.assertEqual((result.frames, result.pairs, result.counts.dtype), (1, (), np.dtype("u8")))
        self.assertIn("24 bins to 3, 1 frames", repr(result))

    def test_a_box_is_lengths_angles_or_a_matrix(self) -> None:
        positions = particles()
        self.same(positions, 8, np.diag([8.0] * 3))
        self.same(positions, [8, 9, 7, 90, 90, 90], ORTHOGONAL)
        self.same(positions, ORTHOGONAL, ORTHOGONAL)
        self.same(positions, LENGTHS_ANGLES, cell(LENGTHS_ANGLES))
        self.same(positions, SKEWED, SKEWED)

    def test_a_matrix_may_be_turned_mirrored_or_unreduced(self) -> None:
        positions = particles()
        turn, _ = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))
        for rows in SKEWED @ turn, SKEWED[[1, 0, 2]], SKEWED * [[1], [1], [-1]], SKEWED + [[0] * 3, [24, 0, 0], [-8, 0, 0]]:
            self.same(positions, rows, rows)

    def test_space_may_be_open(self) -> None:
        positions = particles()
        result = self.same(positions, None, None, volume=729)
        shells = 4 / 3 * np.pi * np.diff(result.bins**3)
        np.testing.assert_allclose(result.g, result.counts / (120 * 119 / 2 / 729 * shells))
        self.same(positions, (0, 0, 0), None)
        self.same(positions, (8, 0, 7), np.diag([8.0, 0, 7]))
        slab = np.array([[8.0, 0, 0], [3, 9, 0], [0, 0, 0]])
        turn, _ = np.linalg.qr(np.random.default_rng(4).normal(size=(3, 3)))
        self.same(positions, slab, slab)
        self.same(positions, slab @ turn, slab @ turn)

    def test_angles_of_90_degrees_give_no_tilt(self) -> None:
        with unittest.mock.patch.object(_rdf, "Fed", side_effect=Fed) as made:
            analyse(particles(), np.array([8, 9, 7, 90, 90, 90], np.float32))
        self.assertEqual(made.call_args.args[1].box, (8, 9, 7, 0, 0, 0))

    def test_positions_may_be_far_outside(self) -> None:
        positions = particles()
        for rows in ORTHOGONAL, SKEWED:
            far = positions + np.random.default_rng(2).integers(-(10**6), 10**6, (120, 3)) @ rows
            np.testing.assert_array_equal(analyse(far, rows).counts, self.same(positions, rows, rows).counts)
            self.refused("expected numbers up to 1e+18", analyse, positions * 1e30, rows)

    def test_boxes_that_are_wrong(self) -> None:
        positions = particles()
        for text, box in {
            "box has the shape (4,), expected lengths (3,)": (8, 9, 7, 90),
            "box of frame 0: the vectors (8 0 0), (16 0 0), (0 0 7) are singular": ((8, 0, 0), (16, 0, 0), (0, 0, 7)),
            "box of frame 0: the angles 30 30 120 are those of no cell": (8, 9, 7, 30, 30, 120),
            "box of frame 0: the lengths are 8 -9 7; expected 0 (open) or more": (8, -9, 7),
            "box of frame 0 has a number that is not finite": (8, np.nan, 7),
            "box has elements of <U5": "cubic",
            "r_max = 3 is more than half of the smallest edge of the box; expected r_max = 2.5": (8, 5, 7),
            "box: there are more boxes than the 1 frames": np.ones((2, 6)) * [8, 9, 7, 90, 90, 90],
        }.items():
            self.refused(text, analyse, positions, box)


class Frames(Arrays):
    def setUp(self) -> None:
        self.frames = np.stack([particles(seed=seed) for seed in range(1, 6)])
        self.lengths = [(8 + 0.1 * k, 9, 7) for k in range(5)]
        self.expected = [triangle(distances(p, np.diag(box))) for p, box in zip(self.frames, self.lengths)]

    def same(self, positions: Any, box: Any) -> None:
        result = analyse(positions, box)
        self.counted(result.counts, self.expected)
        self.assertEqual(result.frames, 5)
        pairs = sum(120 * 119 / 2 / np.prod(box) for box in self.lengths)
        np.testing.assert_allclose(result.g * pairs, result.counts / (4 / 3 * np.pi * np.diff(result.bins**3)))

    def test_each_frame_has_its_box(self) -> None:
        lengths = np.array(self.lengths)
        angles = np.column_stack([lengths, np.full((5, 3), 90)])
        for boxes in lengths, angles, [np.diag(box) for box in self.lengths], iter(self.lengths):
            self.same(self.frames, boxes)

    def test_frames_are_an_array_a_list_or_a_generator(self) -> None:
        for positions in self.frames.tolist(), list(self.frames), (p for p in self.frames), self.frames.astype("f4"):
            self.same(positions, self.lengths)

    def test_a_choice_of_frames(self) -> None:
        for positions in self.frames, list(self.frames), iter(self.frames):
            result = analyse(positions, (8, 9, 7), frames=slice(1, None, 2))
            self.assertEqual(result.frames, 2)
            np.testing.assert_array_equal(result.counts, analyse(self.frames[1::2], (8, 9, 7)).counts)

    def test_an_analysis_adds_frames_up_and_makes_one_run(self) -> None:
        analysis = engine.RDF(R_MAX, BINS)
        self.refused("no frame has been counted", lambda: analysis.result)
        with unittest.mock.patch.object(_rdf, "Fed", side_effect=Fed) as made:
            for positions, box in zip(self.frames, self.lengths):
                self.assertIs(analysis.compute(positions, box, reset=False), analysis)
            self.counted(analysis.result.counts, self.expected)
            before = analysis.result
            analysis.compute(self.frames[2], self.lengths[2])  # reset
        self.assertEqual((made.call_count, before.frames, analysis.result.frames), (1, 5, 1))
        self.counted(analysis.result.counts, self.expected[2:3])

    def test_the_number_of_particles_may_change(self) -> None:
        sizes = (120, 90, 120, 60)
        frames = [self.frames[0][:size] for size in sizes]
        result = analyse(frames, (8, 9, 7), blocks=2)
        self.counted(result.counts, [triangle(distances(p, ORTHOGONAL)) for p in frames])
        np.testing.assert_allclose(result.fields["ideal"], sum(n * (n - 1) / 2 / 504 for n in sizes))
        np.testing.assert_allclose(result.n, np.cumsum(result.counts) / (sum(sizes) / 2))
        self.refused("frame 1: q_bins: the frames have different numbers", analyse, frames, (8, 9, 7), q_bins=10)

    def test_other_outputs_are_asked_for_by_parameters(self) -> None:
        result = analyse(self.frames, (8, 9, 7), blocks=4, q_bins=7, exclude_block=3)
        self.assertEqual({name: array.shape for name, array in result.fields.items()},
                         {"ideal": (1,), "centres": (1,), "g_error": (BINS,), "q": (7,), "s": (7,)})
        self.assertGreater(result.fields["g_error"].max(), 0)

    def test_bad_frames_are_named(self) -> None:
        for number, (text, change) in enumerate({
            "positions of frame 3: the position of particle 7 is nan": lambda p: np.where(np.arange(120)[:, None] == 7, np.nan, p),
            "positions of frame 3 has no particles": lambda p: p[:0],
            "positions of frame 3 has the shape (120, 2), expected (particles, 3)": lambda p: p[:, :2],
            "positions of frame 3 has elements of complex128, expected real numbers": lambda p: p * 1j,
        }.items()):
            frames = [change(p) if k == 3 else p for k, p in enumerate(self.frames)]
            analysis = engine.RDF(R_MAX, BINS)
            self.refused(text, analysis.compute, frames, (8, 9, 7))
            self.assertEqual(analysis.result.frames, 3)
        self.refused("frame 1: rdf: check: r_max = 3 is more than half", analyse, self.frames[:2], [(8, 9, 7), (8, 9, 5)])
        self.refused("frame 1: box: the frame is open along z, and the frame before it has", analyse, self.frames[:2],
                     [(8, 9, 7), (8, 9, 0)])
        self.refused("box: there are 2 boxes, and more frames", analyse, self.frames, iter(self.lengths[:2]))
        self.refused("is a matrix or the lengths of three boxes", analyse, self.frames[:3], self.lengths[:3])
        self.refused("positions has no frames", analyse, iter(()), (8, 9, 7))

    def test_bad_arguments_are_named(self) -> None:
        positions = self.frames[0]
        self.refused("positions is 7, expected an array", analyse, 7)
        self.refused("positions is 'x.xyz', expected an array", analyse, "x.xyz")
        self.refused("positions is no array of numbers", analyse, [[1, 2, 3], [4, 5]])
        self.refused("r_max is 'long', expected a number", engine.rdf, positions, r_max="long")
        self.refused("r_max is -1, expected a finite number more than 0", engine.rdf, positions, r_max=-1)
        self.refused("r_max is inf, expected a finite number more than 0", engine.rdf, positions, r_max=np.inf)
        self.refused("bins is 0, expected 1", engine.rdf, positions, r_max=1, bins=0)
        self.refused("bins is 2.5, expected a whole number", engine.rdf, positions, r_max=1, bins=2.5)
        self.refused("frames is 3, expected a slice", analyse, self.frames, (8, 9, 7), frames=3)
        self.refused("settings: 'rdf.bins=7' is an argument of its own, bins", analyse, positions, settings={"rdf": {"bins": 7}})
        self.refused("unknown key 'excludeblock'", analyse, positions, excludeblock=3)


class Species(Arrays):
    LABELS = np.array(["O", "H1", "H2"] * 40)

    def same(self, result: engine.RDFResult, pairs: dict[str, tuple[list[str], list[str]]], labels: Any = LABELS) -> None:
        between = distances(particles(), ORTHOGONAL)
        self.assertEqual(result.pairs, tuple(pairs))
        for row, (a, b) in enumerate(pairs.values()):
            of_a, of_b = np.isin(labels, a), np.isin(labels, b)
            rows = between[np.ix_(of_a, of_b)]
            self.counted(result.counts[row], [triangle(rows) if a == b else rows])
            np.testing.assert_allclose(result.n[row], np.cumsum(result.counts[row]) / (of_a.sum() / (2 if a == b else 1)))

    def test_pairs_have_names(self) -> None:
        both = {"O-O": (["O"], ["O"]), "O-H1": (["O"], ["H1"])}
        for between in "O-O, O-H1", [("O", "O"), "O H1"]:
            self.same(analyse(particles(), (8, 9, 7), species=self.LABELS, between=between), both)
        one = analyse(particles(), (8, 9, 7), species=list(self.LABELS), between=["H1-O"])
        self.assertEqual(one.g.shape, (1, BINS))
        for between in "H1-O", ("H1", "O"):
            alone = analyse(particles(), (8, 9, 7), species=self.LABELS, between=between)
            np.testing.assert_array_equal(alone.g, one.g[0])

    def test_a_star_makes_a_group(self) -> None:
        result = analyse(particles(), (8, 9, 7), species=self.LABELS, between="O-H*, H*-H*")
        self.same(result, {"O-H*": (["O"], ["H1", "H2"]), "H*-H*": (["H1", "H2"], ["H1", "H2"])})

    def test_groups_of_an_index_file(self) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".ndx") as file:
            for name, words in ("O", ["O"]), ("some-H", ["H1", "H2"]):
                numbers = np.flatnonzero(np.isin(self.LABELS, words)) + 1
                print(f"[ {name} ]", *numbers, sep="\n", file=file, flush=True)
            result = analyse(particles(), (8, 9, 7), index=file.name, between="O O, O some-H")
            self.same(result, {"O-O": (["O"], ["O"]), "O-some-H": (["O"], ["H1", "H2"])})
            one = analyse(particles(), (8, 9, 7), index=file.name, between=("O", "some-H"))
            np.testing.assert_array_equal(one.counts, result.counts[1])
            self.refused("has no group 'C'", analyse, particles(), (8, 9, 7), index=file.name, between="O-C")
            self.refused("index: between has no pairs of groups", analyse, particles(), (8, 9, 7), index=file.name)
            self.refused("leave out species or index", analyse, particles(), (8, 9, 7), index=file.name, between="O-O",
                         species=self.LABELS)

    def test_pairs_with_the_same_label_may_be_left_out(self) -> None:
        between = distances(particles(), ORTHOGONAL)
        residues = np.random.default_rng(7).integers(0, 20, 120)
        other = residues[:, None] != residues
        result = analyse(particles(), (8, 9, 7), exclude_same=residues.astype(str))
        self.counted(result.counts, [between[np.triu(other, 1)]])
        np.testing.assert_allclose(result.fields["ideal"] * 504, np.triu(other, 1).sum())
        group = types.SimpleNamespace(positions=particles(), dimensions=[8, 9, 7, 90, 90, 90], names=self.LABELS,
                                      resindices=residues)
        oxygen, hydrogen = self.LABELS == "O", self.LABELS == "H1"
        result = analyse(group, between="O-H1", exclude_same="residue")
        pairs = np.outer(oxygen, hydrogen)
        self.counted(result.counts, [between[pairs & other]])
        analysis = engine.RDF(R_MAX, BINS, between="O-H1", exclude_same="resindices")
        for _ in range(3):
            analysis.compute(group, reset=False)
            group.resindices = np.roll(group.resindices, 5)
        labels = [np.roll(residues, 5 * k) for k in range(3)]
        self.counted(analysis.result.counts, [between[pairs & (one[:, None] != one)] for one in labels])
        self.refused("exclude_same has the shape (7,), expected (120,)", analyse, particles(), exclude_same=range(7))
        self.refused("exclude_same: positions has no residue", analyse, particles(), exclude_same="residue")
        self.refused("leave out one of them", analyse, particles(), exclude_same=residues, exclude="a.txt")

    def test_particles_near_to_a_species(self) -> None:
        between, hydrogen = distances(particles(), ORTHOGONAL), self.LABELS == "H1"
        near = (self.LABELS == "O") & (between[:, hydrogen].min(1) <= 1.2)
        result = analyse(particles(), (8, 9, 7), species=self.LABELS, between="O-O, H1-O", within="1.2 H1")
        self.counted(result.counts[0], [triangle(between[np.ix_(near, near)])])
        self.counted(result.counts[1], [between[np.ix_(near, hydrogen)]])
        np.testing.assert_array_equal(result.fields["centres"], [near.sum() / 2, 40])
        self.refused("no particle has the species 'X'", analyse, particles(), (8, 9, 7), species=self.LABELS, between="O-O",
                     within="1 X")
        self.refused("is not a distance above 0 and a group", analyse, particles(), (8, 9, 7), species=self.LABELS,
                     between="O-O", within="O")
        self.refused("within: between is all", analyse, particles(), (8, 9, 7), within="1 O")

    def test_each_pair(self) -> None:
        for keys in {}, {"between": "each"}:
            result = analyse(particles(), (8, 9, 7), species=np.arange(120) % 2, **keys)
            self.same(result, {"0-0": ([0], [0]), "0-1": ([0], [1]), "1-1": ([1], [1])}, np.arange(120) % 2)
        everything = analyse(particles(), (8, 9, 7), species=self.LABELS, between="all")
        np.testing.assert_array_equal(everything.counts, analyse(particles(), (8, 9, 7)).counts)

    def test_each_frame_may_have_its_species(self) -> None:
        analysis = engine.RDF(R_MAX, BINS, between="O-H1")
        orders = [np.roll(self.LABELS, k) for k in range(3)]
        for labels in orders:
            analysis.compute(particles(), (8, 9, 7), species=labels, reset=False)
        between = distances(particles(), ORTHOGONAL)
        self.counted(analysis.result.counts, [between[np.ix_(labels == "O", labels == "H1")] for labels in orders])

    def test_a_later_frame_may_lack_a_species(self) -> None:
        analysis = engine.RDF(R_MAX, BINS, between="O-H1")
        for count in 120, 60:
            labels = self.LABELS[:count] if count == 120 else ["O"] * count
            analysis.compute(particles()[:count], (8, 9, 7), species=labels, reset=False)
        rows = distances(particles(), ORTHOGONAL)
        self.counted(analysis.result.counts, [rows[np.ix_(self.LABELS == "O", self.LABELS == "H1")]])
        self.assertEqual(analysis.result.frames, 2)

    def test_species_that_are_wrong(self) -> None:
        positions = particles()
        for text, species, between in [
            ("between: no particle has the species 'C'; the first frame has H1 H2 O", self.LABELS, "O-C"),
            ("between: the species 'H1' is in the groups 'H*' and 'H1'", self.LABELS, "H*-H*, H1-H1"),
            ("between: 'O' is no pair of species", self.LABELS, "O"),
            ("between has no pairs of species", self.LABELS, []),
            ("between is 3, expected pairs of species", self.LABELS, 3),
            ("between: 3 is no pair of species", self.LABELS, [3]),
            ("between: 7260 pairs of species are more than 64; choose pairs, or 'all'", range(120), "each"),
            ("species has the shape (3,), expected (120,)", self.LABELS[:3], "all"),
            ("species has the shape (3,), expected (120,)", self.LABELS[:3], "O-O"),
            ("positions has none; give species=, a label for each particle", None, "O-O"),
        ]:
            self.refused(text, analyse, positions, (8, 9, 7), species=species, between=between)


# ---- Objects that only look like those of MDAnalysis, ASE, CuPy and PyTorch -----------------------------------------


class Trajectory:
    def __init__(self, count: int) -> None:
        self.frame, self.count = 0, count

    def __getitem__(self, which: Any) -> Any:
        if isinstance(which, slice):
            return (self[k] for k in range(*which.indices(self.count)))
        self.frame = which
        return self


class Group:
    """As an AtomGroup."""

    def __init__(self, universe: Any, chosen: Any = slice(None)) -> None:
        self.universe, self._chosen = universe, chosen

    @property
    def positions(self) -> np.ndarray:
        return self.universe.all_positions[self.universe.trajectory.frame][self._chosen].astype("f4")

    @property
    def dimensions(self) -> Optional[np.ndarray]:
        return self.universe.all_boxes[self.universe.trajectory.frame]

    @property
    def names(self) -> np.ndarray:
        return Species.LABELS.astype(object)[self._chosen]

    @property
    def types(self) -> np.ndarray:
        return np.array([name[0] for name in self.names], object)


class Universe:
    def __init__(self, frames: int) -> None:
        self.all_positions = [particles(seed=seed + 1) for seed in range(frames)]
        self.all_boxes: list[Optional[np.ndarray]] = [np.array([8, 9, 7 + 0.1 * k, 90, 90, 90], "f4") for k in range(frames)]
        self.trajectory = Trajectory(frames)
        self.atoms = Group(self)

    def distances(self, chosen: slice = slice(None)) -> Iterator[np.ndarray]:
        for positions, box in zip(self.all_positions, self.all_boxes):
            yield triangle(distances(positions[chosen].astype("f4"), None if box is None else np.diag(box[:3])))


def atoms(positions: np.ndarray, cell: Any, pbc: Any = True, symbols: Any = None) -> Any:
    """As Atoms of ASE."""
    symbols = ["O", "H", "H"] * (len(positions) // 3) if symbols is None else symbols
    return types.SimpleNamespace(positions=positions, cell=np.asarray(cell), pbc=np.broadcast_to(pbc, 3), symbols=symbols)


class Objects(Arrays):
    def test_a_universe_is_all_its_frames(self) -> None:
        universe = Universe(4)
        universe.trajectory[2]
        for source in universe, universe.atoms:
            result = analyse(source)
            self.counted(result.counts, list(universe.distances()))
            self.assertEqual((result.frames, universe.trajectory.frame), (4, 2))
        self.assertEqual(analyse(universe, frames=slice(0, 4, 2)).frames, 2)

    def test_a_group_is_its_present_frame_where_frames_are_added_up(self) -> None:
        universe, analysis = Universe(4), engine.RDF(R_MAX, BINS)
        group = Group(universe, slice(0, None, 2))
        for _ in universe.trajectory[:]:
            analysis.compute(group, reset=False)
        self.counted(analysis.result.counts, list(universe.distances(slice(0, None, 2))))
        self.assertEqual(analysis.result.frames, 4)

    def test_a_group_has_names(self) -> None:
        universe = Universe(1)
        rows = distances(universe.all_positions[0], np.diag([8, 9, 7]))
        names = analyse(universe, between="O-H1")
        self.counted(names.counts, [rows[np.ix_(Species.LABELS == "O", Species.LABELS == "H1")]])
        kinds = analyse(universe, species="types")
        self.assertEqual(kinds.pairs, ("O-O", "O-H", "H-H"))
        self.counted(kinds.counts[1], [rows[np.ix_(Species.LABELS == "O", Species.LABELS != "O")]])
        self.assertEqual(analyse(universe).pairs, ())
        self.refused("species: positions has no masses", analyse, universe, species="masses")

    def test_objects_of_other_packages_are_known_without_their_modules(self) -> None:
        code = "import sys, engine; print(*{name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names))"
        found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
        self.assertIn("numpy", found)
        self.assertFalse({"MDAnalysis", "ase", "scipy", "pandas", "torch", "cupy", "matplotlib", "PIL", "IPython"} & set(found), found)

    def test_a_group_may_have_no_box(self) -> None:
        universe = Universe(2)
        universe.all_boxes = [None, None]
        self.counted(analyse(universe).counts, list(universe.distances()))
        self.counted(analyse(universe, (8, 9, 7)).counts, [triangle(distances(p, ORTHOGONAL)) for p in universe.all_positions])

    def test_atoms_have_a_cell_and_symbols(self) -> None:
        positions = particles()
        turn, _ = np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))
        for rows in SKEWED, SKEWED @ turn:
            self.counted(analyse(atoms(positions, rows)).counts, [triangle(distances(positions, rows))])
            open_rows = rows * [[1], [1], [0]]
            self.counted(analyse(atoms(positions, rows, (True, True, False))).counts, [triangle(distances(positions, open_rows))])
            self.counted(analyse(atoms(positions, rows, False)).counts, [triangle(distances(positions, None))])
        oxygen = np.arange(120) % 3 == 0
        result = analyse([atoms(positions, SKEWED), atoms(positions[::-1], SKEWED, symbols=["H", "H", "O"] * 40)], between="O-H")
        rows = distances(positions, SKEWED)[np.ix_(oxygen, ~oxygen)]
        self.counted(result.counts, [rows, rows])
        self.refused("are singular", analyse, atoms(positions, np.zeros((3, 3))))

    def test_tensors_of_a_device_are_copied_if_the_run_is_on_the_host(self) -> None:
        class Array:
            """As an array of CuPy."""

            def __init__(self, values: np.ndarray) -> None:
                self.values, self.shape, self.dtype = values, values.shape, values.dtype
                self.__cuda_array_interface__ = {"typestr": values.dtype.str}

            def __dlpack_device__(self) -> tuple[int, int]:
                return 2, 0

            def __array__(self, *_: Any) -> np.ndarray:
                raise TypeError("implicit conversion to a NumPy array is not allowed")

            def __getitem__(self, which: Any) -> Array:
                return Array(self.values[which])

            def __len__(self) -> int:
                return len(self.values)

            def get(self) -> np.ndarray:
                return self.values

        Array.__module__ = "cupy"
        library = types.SimpleNamespace(isfinite=lambda array: np.isfinite(array.values))
        with unittest.mock.patch.dict(sys.modules, {"cupy": library}):
            frames = Array(np.stack([particles(seed=1), particles(seed=2)]).astype("f4"))
            result = engine.rdf(frames, Array(np.array([8.0, 9, 7])), r_max=R_MAX, bins=BINS, settings={"run.implementation": "cpu"})
            np.testing.assert_array_equal(result.counts, analyse(frames.values, (8, 9, 7)).counts)

    def test_tensors_without_their_gradient(self) -> None:
        class Tensor:
            def __array__(self, *_: Any) -> np.ndarray:
                raise RuntimeError("Can't call numpy() on Tensor that requires grad.")

            def detach(self) -> np.ndarray:
                return particles()

        np.testing.assert_array_equal(analyse(Tensor(), (8, 9, 7)).counts, analyse(particles(), (8, 9, 7)).counts)


# ---- Forces ---------------------------------------------------------------------------------------------------------


def lattice(seed: int = 1) -> np.ndarray:
    """216 particles that do not overlap, in a box of (8, 9, 7.5)."""
    sites = np.stack(np.meshgrid(*[np.arange(6.0)] * 3, indexing="ij"), -1).reshape(-1, 3)
    return (sites + np.random.default_rng(seed).random(sites.shape) * 0.2) * (np.array([8, 9, 7.5]) / 6)


BOX = np.array([8, 9, 7.5])
SERIAL = {"run.implementation": "cpu-serial"}


def pair_sums(positions: np.ndarray, box: np.ndarray, cutoff: Any, term: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
              ) -> tuple[np.ndarray, float, float]:
    """Forces, energy and virial of U(r) and F(r) = -dU/dr, shifted to 0 at the cutoff."""
    vectors = positions[:, None] - positions[None]
    vectors -= box * np.rint(vectors / box)
    r = np.sqrt((vectors**2).sum(-1)) + np.eye(len(positions)) * 1e3
    near = r < cutoff
    energy, force = term(r)
    energy, force = np.where(near, energy - term(np.broadcast_to(cutoff, r.shape))[0], 0), np.where(near, force, 0)
    return (force / r)[:, :, None].__mul__(vectors).sum(1), energy.sum() / 2, (force * r).sum() / 2


def lennard_jones(epsilon: Any = 1.0, sigma: Any = 1.0) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
    def term(r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        six = (sigma / r) ** 6
        return 4 * epsilon * (six * six - six), 24 * epsilon * (2 * six * six - six) / r

    return term


class PairForces(Arrays):
    def same(self, found: engine.Forces, expected: tuple[np.ndarray, float, float], tolerance: float) -> None:
        forces, energy, virial = expected
        np.testing.assert_allclose(found.forces, forces, rtol=0, atol=tolerance * np.abs(forces).max())
        np.testing.assert_allclose([found.energy, found.virial], [energy, virial], rtol=max(tolerance, 1e-12))

    def test_lennard_jones(self) -> None:
        for seed in 1, 2:  # the second call uses the run of the first
            positions = lattice(seed)
            expected = pair_sums(positions, BOX, 2.5, lennard_jones())
            self.same(engine.forces(positions, BOX, settings=SERIAL), expected, 1e-12)
            self.same(engine.forces(positions - 20 * BOX, BOX), expected, 1e-5)
            alone = engine.forces(positions, BOX, energy=False)
            self.assertEqual((alone.energy, alone.virial), (None, None))
            np.testing.assert_array_equal(alone.forces, engine.forces(positions, BOX).forces)

    def test_each_call_may_have_its_box(self) -> None:
        for scale in 1, 1.1, 1.05:
            expected = pair_sums(lattice(), BOX * scale, 2.5, lennard_jones())
            for settings in SERIAL, {**SERIAL, "run.parts": 2}:
                self.same(engine.forces(lattice(), BOX * scale, settings=settings), expected, 1e-12)
            self.same(engine.forces(lattice(), BOX * scale), expected, 1e-5)

    def test_species_have_parameters(self) -> None:
        for shift in 0, 1:
            species = (np.arange(216) + shift) % 3 == 0
            pair = np.add.outer(species.astype(int), species.astype(int))
            term = lennard_jones(np.array([1, 1.5, 0.5])[pair], np.array([1, 0.9, 0.8])[pair])
            expected = pair_sums(lattice(), BOX, np.array([2.5, 2.2, 2.0])[pair], term)
            found = engine.forces(lattice(), BOX, species=species.astype(int), epsilon=(1, 1.5, 0.5), sigma=(1, 0.9, 0.8),
                                  cutoff=(2.5, 2.2, 2.0), settings=SERIAL)
            self.same(found, expected, 1e-12)

    def test_other_potentials(self) -> None:
        yukawa = lambda r: (np.exp(-2 * r) / r, np.exp(-2 * r) * (1 / r**2 + 2 / r))
        self.same(engine.forces(lattice(), BOX, potential="yukawa", kappa=2, cutoff=3, settings=SERIAL),
                  pair_sums(lattice(), BOX, 3, yukawa), 1e-12)
        self.same(engine.forces(lattice(), BOX, potential="wca", sigma=1.2, settings=SERIAL),
                  pair_sums(lattice(), BOX, 1.2 * 2 ** (1 / 6), lennard_jones(sigma=1.2)), 1e-12)

    def test_bonds_of_chains(self) -> None:
        """A bond takes the place of the other force between neighbours in a chain of 12."""
        row = np.arange(216)
        bonded = (abs(np.subtract.outer(row, row)) == 1) & (row[:, None] // 12 == row // 12)
        lj, length = lennard_jones(), 3.0

        def term(r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            energy, force = lj(r)
            short, x = r < 2 ** (1 / 6), np.where(bonded & (r < length), (r / length) ** 2, 0)
            return (np.where(bonded, np.where(short, energy + 1, 0) - 20 / 2 * length**2 * np.log(1 - x), energy),
                    np.where(bonded, np.where(short, force, 0) - 20 * r / (1 - x), force))

        found = engine.forces(lattice(), BOX, chain=12, bond_strength=20, bond_length=length, settings=SERIAL)
        self.same(found, pair_sums(lattice(), BOX, np.where(bonded, length, 2.5), term), 1e-12)

    def test_bonds_of_branched_molecules(self) -> None:
        # Trees of six particles, each of which is bonded to one of the three before it, and rings.
        random = np.random.default_rng(9)
        bonds = [(i, i - 1 - int(random.integers(min(i % 6, 3)))) for i in range(216) if i % 6] + [(3, 0), (4, 1)]
        bonds = [pair for pair in dict.fromkeys(tuple(sorted(pair)) for pair in bonds)]
        bonded = np.zeros((216, 216), bool)
        for a, b in bonds:
            bonded[a, b] = bonded[b, a] = True
        lj, length = lennard_jones(), 5.0

        def term(r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            energy, force = lj(r)
            short, x = r < 2 ** (1 / 6), np.where(bonded & (r < length), (r / length) ** 2, 0)
            return (np.where(bonded, np.where(short, energy + 1, 0) - 30 / 2 * length**2 * np.log(1 - x), energy),
                    np.where(bonded, np.where(short, force, 0) - 30 * r / (1 - x), force))

        expected = pair_sums(lattice(), 12.0, np.where(bonded, length, 2.5), term)
        shuffled = random.permutation(np.array(bonds)[:, ::-1])
        for settings, tolerance in ((SERIAL, 1e-12), (None, 1e-5)):
            found = engine.forces(lattice(), 12.0, bonds=shuffled, bond_length=length, settings=settings)
            self.same(found, expected, tolerance)
        self.refused("(bonds, 2) integers", engine.forces, lattice(), BOX, bonds=[1, 2])
        self.refused("line 2 is no bond; expected the numbers of two particles, from 0 to 215", engine.forces, lattice(), BOX,
                     bonds=[[0, 1], [3, 216]])
        self.refused("line 1 is no bond", engine.forces, lattice(), BOX, bonds=[[7, 7]])
        self.refused("particles 2 and 1 are bonded twice", engine.forces, lattice(), BOX, bonds=[[1, 2], [2, 1]])
        self.refused("particle 5 has 17 bonds; expected at most 16", engine.forces, lattice(), BOX,
                     bonds=[(5, j) for j in range(10, 27)])
        self.refused("expected one of them", engine.forces, lattice(), BOX, bonds=[(5, 6)], chain=2)
        self.refused("no-such: No such file", engine.forces, lattice(), BOX, bonds="no-such")

    def test_a_turned_box_gives_turned_forces(self) -> None:
        turn, _ = np.linalg.qr(np.random.default_rng(6).normal(size=(3, 3)))
        forces, energy, virial = pair_sums(lattice(), BOX, 2.5, lennard_jones())
        found = engine.forces(atoms(lattice() @ turn, np.diag(BOX) @ turn), settings=SERIAL)
        self.same(found, (forces @ turn, energy, virial), 1e-10)

    def test_what_is_wrong_is_named(self) -> None:
        self.refused("box is open; forces of pairs need a periodic box", engine.forces, lattice())
        self.refused("the box is 4 long along x; expected at least twice the largest cutoff", engine.forces, lattice(), 4)
        leaning = [[10, 0, 0], [20, 10, 0], [0, 0, 10]]
        self.refused("the box is 4.47214 long along x, from face to face", engine.forces, lattice(), leaning)
        self.refused("species has elements of float64, expected whole numbers", engine.forces, lattice(), BOX, species=np.ones(216))
        self.refused("species has the shape (2,), expected (216,)", engine.forces, lattice(), BOX, species=[0, 1])
        self.refused("species of particle 3 is -1", engine.forces, lattice(), BOX, species=np.where(np.arange(216) == 3, -1, 0))
        self.refused("positions has 2 frames, expected one", engine.forces, [lattice(), lattice()], BOX)
        self.refused("positions of frame 0: the position of particle 0 is nan", engine.forces, lattice() * np.nan, BOX)
        self.refused("did you mean 'cutoff'?", engine.forces, lattice(), BOX, cutof=3)
        engine.forces(lattice(), BOX)  # an error leaves no trace
        self.refused("expected at least twice", engine.forces, lattice(), 4)
        self.same(engine.forces(lattice(), BOX), pair_sums(lattice(), BOX, 2.5, lennard_jones()), 1e-5)


class BodyForces(Arrays):
    def same(self, positions: np.ndarray, masses: Any, tolerance: float, softening: float = 0.0, **keys: Any) -> None:
        found = engine.gravity(positions, masses, softening=softening, **keys)
        weights = np.broadcast_to(masses, len(positions))
        vectors = positions[None].astype(float) - positions[:, None]
        r = np.sqrt((vectors**2).sum(-1) + softening**2)
        np.fill_diagonal(r, np.inf)
        g = keys.get("g", 1.0)
        expected = g * (weights[None, :, None] * vectors / r[:, :, None] ** 3).sum(1)
        np.testing.assert_allclose(found.accelerations, expected, rtol=0, atol=tolerance * np.abs(expected).max())
        assert found.energy is not None
        self.assertAlmostEqual(found.energy / (-g / 2 * (np.outer(weights, weights) / r).sum()), 1, delta=max(tolerance, 1e-12))

    def test_gravity_is_the_sum_over_all_pairs(self) -> None:
        masses = np.random.default_rng(7).random(200)
        for seed in 1, 2:  # the second call uses the run of the first
            self.same(particles(200, seed=seed), masses, 1e-12, g=3.5)
            self.same(particles(200, seed=seed), masses[::-1] * seed, 1e-12, 0.1)
            self.same(particles(200, seed=seed), 2.0, 1e-12)
            self.same(particles(200, seed=seed).astype("f4"), masses, 1e-5, 0.1)
        self.assertEqual(engine.gravity(particles().astype("f4")).accelerations.dtype, np.float32)
        self.same(particles(300), 1.0, 1e-2, plugin="nbody-tree", softening=0.1)

    def test_what_is_wrong_is_named(self) -> None:
        twice = np.concatenate([particles(20), particles(20)])
        self.refused("are at the same position", engine.gravity, twice)
        engine.gravity(particles(40))  # a run that the next call uses
        self.refused("are at the same position", engine.gravity, twice)
        near = np.array([[0, 0, 0], [1e-15, 0, 0]], "f4")
        self.refused("an acceleration is out of the range of its type", engine.gravity, near)
        self.refused("an acceleration is out of the range of its type", engine.gravity, near)
        self.same(particles(40), 1.0, 1e-12)
        self.refused("masses of body 1 is -2, expected 0 or more", engine.gravity, particles(2), [1, -2])
        self.refused("masses has the shape (3,), expected (2,)", engine.gravity, particles(2), [1, 2, 3])
        self.assertIsNone(engine.gravity(particles(40), energy=False).energy)


if __name__ == "__main__":
    unittest.main()
