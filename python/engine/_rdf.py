"""The radial distribution function of arrays: the plugin rdf without files and configurations."""

from __future__ import annotations

import math
import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np

from ._context import PathLike, Settings, assignments, whole
from ._errors import Error, UsageError, UsageTypeError
from ._fed import Fed
from ._frames import Frame, at_frame, frames_of, host

Pair = Union[str, tuple[Any, Any]]
Between = Union[Pair, Sequence[Pair], None]
Value = Union[int, float, bool, str]

_SUMS = ("counts", "frames", "ideal", "centres", "block_counts", "block_ideal", "spatial_counts")
_CURVES = ("r", "g", "n", "counts", "frames")
_OWN = ("r_max", "bins", "between")  # the arguments that are keys of the plugin
_ROWS_MAX = 64  # pairs of species
_RUNS_MAX = 8  # numbers of particles for which a run stays open


@dataclass(frozen=True, eq=False, repr=False)
class RDFResult:
    """What ``engine.rdf`` returns.

    Attributes:
        bins: the edges of the bins, from 0 to r_max.
        r: the middle of each bin.
        g: the radial distribution function there. With several pairs of species ``[pair, bin]``.
        n: the mean number of neighbours up to the outer edge of each bin, of the same shape.
        counts: pairs of particles in each bin, each pair once, the sum over all frames, of the same shape.
        pairs: the names of the pairs of species, as ``"O-H"``; empty if all particles count.
        frames: the number of frames.
        fields: the other outputs of the plugin by name: ``ideal``, ``centres``, and what its parameters ask for:
            ``g_error`` with ``blocks``, ``q`` and ``s`` with ``q_bins``, ``spatial`` with ``spatial_bins``.
    """

    bins: np.ndarray
    r: np.ndarray
    g: np.ndarray
    n: np.ndarray
    counts: np.ndarray
    pairs: tuple[str, ...]
    frames: int
    fields: dict[str, np.ndarray]

    def __repr__(self) -> str:
        pairs = f", {' '.join(self.pairs)}" if self.pairs else ""
        return f"<engine.RDFResult: {len(self.r)} bins to {self.bins[-1]:g}, {self.frames} frames{pairs}>"


# ---- Pairs of species -----------------------------------------------------------------------------------------------


def _pair(pair: Any) -> tuple[str, str]:
    """The two words of "A-B", "A B" or (A, B)."""
    words = pair.split() if isinstance(pair, str) else [str(word) for word in (pair if isinstance(pair, Iterable) else [])]
    dash = words[0].find("-", 1) if len(words) == 1 else -1
    if dash > 0:
        words = [word for word in (words[0][:dash], words[0][dash + 1 :]) if word]
    if len(words) != 2:
        raise UsageError(f"between: {pair!r} is no pair of species; expected 'A-B', 'A B' or (A, B)")
    return words[0], words[1]


def _is_one_pair(between: Between) -> bool:
    return isinstance(between, tuple) or (isinstance(between, str) and "," not in between and between != "each")


def _pairs(between: Between, labels: np.ndarray) -> list[tuple[str, str]]:
    """The pairs of words. Labels are in the order in which they appear."""
    if between is None or between == "each":
        _, first = np.unique(labels, return_index=True)
        words = [str(label) for label in labels[np.sort(first)]]
        return [(a, b) for i, a in enumerate(words) for b in words[i:]]
    if isinstance(between, str):
        return [_pair(part) for part in between.split(",")]
    if not isinstance(between, Iterable):
        raise UsageTypeError(f"between is {between!r}, expected pairs of species, as 'O-H' or [('O', 'H'), ('O', 'O')]")
    return [_pair(between)] if isinstance(between, tuple) else [_pair(part) for part in between]


class _Indexed:
    """The groups of an index file that pairs name. The plugin reads the file."""

    def __init__(self, between: Between) -> None:
        if between is None or between == "each":
            raise UsageError("index: between has no pairs of groups of the file, as 'Protein Water' or ('Protein', 'Water')")
        pairs = _pairs(between, np.zeros(0))
        self.names = tuple(f"{a}-{b}" for a, b in pairs)
        self.between = ", ".join(f"{a} {b}" for a, b in pairs)


class _Groups:
    """The groups of species that pairs name, and their numbers. ``*`` in a word stands for any text."""

    def __init__(self, between: Between, labels: np.ndarray, within: str) -> None:
        """within: a distance and a species, or empty."""
        pairs = _pairs(between, labels)
        if not pairs:
            raise UsageError("between has no pairs of species")
        if len(pairs) > _ROWS_MAX:
            raise UsageError(f"between: {len(pairs)} pairs of species are more than {_ROWS_MAX}; choose pairs, or 'all'")
        self.names = tuple(f"{a}-{b}" for a, b in pairs)
        distance, _, near = within.strip().partition(" ")
        self._words = list(dict.fromkeys([word for pair in pairs for word in pair] + near.split()[:1]))
        self.between = ", ".join(f"{self._words.index(a)} {self._words.index(b)}" for a, b in pairs)
        self.within = f"{distance} {self._words.index(near.strip())}" if near.strip() in self._words else within
        self._patterns = [re.compile(".*".join(map(re.escape, w.split("*"))), re.DOTALL) for w in self._words]
        found = set(self.numbers(labels).tolist())
        for number, word in enumerate(self._words):
            if number not in found:
                have = " ".join(sorted(set(labels.tolist()))[:20])
                raise UsageError(f"between: no particle has the species {word!r}; the first frame has {have}")

    def _number(self, label: str) -> int:
        """The group of a species; one number more than there are groups: none."""
        of = [k for k, pattern in enumerate(self._patterns) if pattern.fullmatch(label)]
        if len(of) > 1:
            both = " and ".join(repr(self._words[k]) for k in of)
            raise UsageError(f"between: the species {label!r} is in the groups {both}; expected groups without a common one")
        return of[0] if of else len(self._words)

    def numbers(self, labels: np.ndarray) -> np.ndarray:
        unique, inverse = np.unique(labels, return_inverse=True)
        return np.array([self._number(str(label)) for label in unique], np.int32)[inverse]


class _Excluded:
    """Index files of GROMACS in a folder of their own, by which the plugin leaves out pairs with the same label."""

    def __init__(self, same: Any) -> None:
        self._same = same
        self._folder = tempfile.mkdtemp(prefix="engine-")
        weakref.finalize(self, shutil.rmtree, self._folder, True)
        self._files: dict[bytes, str] = {}

    def _labels(self, frame: Frame) -> np.ndarray:
        same = self._same
        if isinstance(same, str):
            found = getattr(frame.source, {"residue": "resindices", "segment": "segindices"}.get(same, same), None)
            if found is None:
                raise UsageTypeError(f"exclude_same: positions has no {same}; give a label for each particle")
            same = found
        labels = np.asarray(host(same))
        if labels.shape != (len(frame.positions),):
            raise UsageError(
                f"exclude_same has the shape {labels.shape}, expected ({len(frame.positions)},), a label for each particle"
            )
        return np.unique(labels, return_inverse=True)[1]

    def file(self, frame: Frame) -> str:
        """The file for the labels of a frame."""
        numbers = self._labels(frame)
        key = numbers.tobytes()
        if key not in self._files:
            order = np.argsort(numbers, kind="stable")
            groups = np.split(order + 1, np.flatnonzero(np.diff(numbers[order])) + 1)
            path = os.path.join(self._folder, f"{len(self._files)}.ndx")
            with open(path, "w", encoding="ascii") as file:
                file.writelines(f"[ {n} ]\n{' '.join(map(str, group))}\n" for n, group in enumerate(groups))
            self._files[key] = path
        return self._files[key]


def _labels(frame: Frame, species: Any) -> np.ndarray:
    """A label for each particle."""
    if species is None and frame.source is None:
        raise UsageTypeError("between names species, but positions has none; give species=, a label for each particle")
    if species is None or isinstance(species, str):
        attribute = species or ("names" if hasattr(frame.source, "dimensions") else "symbols")
        found = getattr(frame.source, attribute, None)
        if found is None:
            raise UsageTypeError(f"species: positions has no {attribute}; give species=, a label for each particle")
        species = list(found)
    labels = np.asarray(host(species))
    if labels.shape != (len(frame.positions),):
        raise UsageError(f"species has the shape {labels.shape}, expected ({len(frame.positions)},), a label for each particle")
    return labels


# ---- The analysis ---------------------------------------------------------------------------------------------------


def _real(value: Any, name: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise UsageTypeError(f"{name} is {value!r}, expected a number") from None
    if not 0 < number < math.inf:
        raise UsageError(f"{name} is {number:g}, expected a finite number more than 0")
    return number


class RDF:
    """The radial distribution function of frames that are given one after another.

        analysis = engine.RDF(r_max=10, bins=100)
        for positions, box in frames:
            analysis.compute(positions, box, reset=False)
        print(analysis.result.g)

    The plugin is planned and started once, for the first frame.

    Args:
        r_max: distances below it are counted. At most half of the smallest edge of a periodic box.
        bins: the number of bins between 0 and r_max.
        between: the pairs of species: ``"O-H"`` or ``("O", "H")`` is one pair; ``"O-O, O-H"`` or a list of pairs has a
            row of results for each; ``"each"``: all pairs. ``*`` in a name is any text, and the species that match are
            one group. None: all particles, or each pair of the species that ``compute`` gets.
        exclude_same: pairs with the same label are not counted: a label for each particle, or the name of an attribute
            of an AtomGroup; ``"residue"`` and ``"segment"`` are those of MDAnalysis.
        settings: keys of a configuration, as ``{"run.implementation": "cpu"}``.
        plugins: folders of plugins, which are searched first.
        parameters: further parameters of the plugin by name: ``within="5 Na"``, ``exclude_block=3``, ``finite_size=False``,
            ``geometry="plane"``, ``blocks=10``, or ``index="groups.ndx"``, a file of GROMACS whose groups ``between``
            then names. ``engine describe rdf`` lists them.
    """

    def __init__(
        self,
        r_max: float,
        bins: int = 512,
        *,
        between: Between = None,
        exclude_same: Any = None,
        settings: Optional[Settings] = None,
        plugins: Iterable[PathLike] = (),
        **parameters: Value,
    ) -> None:
        self._between: Between = None if between == "all" else between
        self._everything = between == "all"
        self._indexed = _Indexed(self._between) if parameters.get("index") else None
        self._parameters = {"r_max": _real(r_max, "r_max"), "bins": whole(bins, "bins", 1), **parameters}
        if exclude_same is not None and parameters.get("exclude"):
            raise UsageError("exclude_same: exclude is a file of such pairs; leave out one of them")
        self._excluded = None if exclude_same is None else _Excluded(exclude_same)
        self._settings, self._plugins = settings, plugins
        for key in assignments(settings or {}):
            if key.partition("=")[0] in [f"rdf.{own}" for own in _OWN]:
                raise UsageError(f"settings: {key!r} is an argument of its own, {key[4:].partition('=')[0]}")
        self._runs: dict[int, Fed] = {}
        self._forget()

    def _forget(self) -> None:
        self._run: Optional[Fed] = None
        self._groups: Union[_Groups, _Indexed, None] = self._indexed
        self._seen: Optional[np.ndarray] = None
        self._codes = np.zeros(0, np.int32)
        self._counted = False

    def compute(self, positions: Any, box: Any = None, *, species: Any = None, reset: bool = True) -> RDF:
        """Counts the pairs of one or several frames, and returns this analysis.

        Args:
            positions: ``[particle, 3]``, ``[frame, particle, 3]`` or an iterable of frames: arrays of NumPy, CuPy or
                PyTorch, a Universe, an AtomGroup (its present frame), or Atoms of ASE.
            box: lengths, lengths and angles in degrees, or a matrix whose rows are the vectors of the cell; one for all
                frames, or one for each. A length of 0 is an open axis. None: the object's own; for arrays open space.
            species: a label for each particle; or the name of an attribute of an AtomGroup, such as ``"types"``. None:
                the names of an AtomGroup, or the symbols of Atoms, if pairs of species are asked for.
            reset: forget the frames that were counted before.

        Raises:
            UsageError: an argument is wrong. The frames before the wrong one are counted.
        """
        return self._compute(frames_of(positions, box), species, reset)

    def _compute(self, frames: Iterable[Frame], species: Any, reset: bool) -> RDF:
        if reset:
            run = self._run
            self._forget()
            self._runs = {key: kept for key, kept in self._runs.items() if kept is run}
        for frame in frames:
            try:
                self._add(frame, species)
            except Error as problem:
                raise at_frame(frame.number, problem) from None
        return self

    def _add(self, frame: Frame, species: Any) -> None:
        numbers, changed = self._numbers(frame, species)
        run, fresh = self._run_of(frame, numbers)
        run.set_box(frame.box)
        if not fresh:
            run.feed("position", frame.positions)
            if numbers is not None and (changed or run is not self._run):
                run.feed("species", numbers)
        self._move_sums(run, fresh)
        run.advance()
        self._counted = True

    def _numbers(self, frame: Frame, species: Any) -> tuple[Optional[np.ndarray], bool]:
        """The group of each particle, and whether another frame had others."""
        if self._indexed and species is not None:
            raise UsageError("species: the groups are those of the file index; leave out species or index")
        if self._indexed or (species is None and self._between is None):
            return None, False
        labels = _labels(frame, species)
        if self._everything:
            return None, False
        labels = labels.astype(str)
        if self._seen is not None and np.array_equal(labels, self._seen):
            return self._codes, False
        if self._groups is None:
            self._groups = _Groups(self._between, labels, str(self._parameters.get("within", "")))
        assert isinstance(self._groups, _Groups)
        self._seen, self._codes = labels, self._groups.numbers(labels)
        return self._codes, True

    def _run_of(self, frame: Frame, numbers: Optional[np.ndarray]) -> tuple[Fed, bool]:
        """A run for as many particles, and whether it is new."""
        count = len(frame.positions)
        self._check_kind(frame)
        keys_of = {"between": self._groups.between if self._groups else "all"}
        if isinstance(self._groups, _Groups):
            keys_of["within"] = self._groups.within
        if self._excluded:
            keys_of["exclude"] = self._excluded.file(frame)
        run = self._runs.pop(count, None)
        fresh = run is None or run.kind != (keys_of, _axes(frame))
        if run is None or fresh:
            fields = {} if numbers is None else {"species": numbers}
            # With a generator, the run has the optional input `species`.
            keys = {"init.source": "uniform", **(self._settings or {})}
            run = Fed("rdf", frame, keys, self._plugins, **{**self._parameters, **keys_of, **fields})
            run.kind = (keys_of, _axes(frame))
        self._runs[count] = run
        if len(self._runs) > _RUNS_MAX:
            del self._runs[next(iter(self._runs))]
        return run, fresh

    def _check_kind(self, frame: Frame) -> None:
        before = self._run.kind[1] if self._run is not None and self._counted else _axes(frame)
        for axis, now, first in zip("xyz", _axes(frame), before):
            if now != first:
                kinds = ("is open", "has a periodic box")
                raise UsageError(
                    f"box: the frame {kinds[now]} along {axis}, and the frame before it {kinds[first]}; expected boxes of "
                    "one kind in all frames"
                )

    def _move_sums(self, run: Fed, fresh: bool) -> None:
        """Gives a run the sums of the frames before: those of the run that has them, or 0."""
        before = self._run if self._counted else None
        if before is not None and before is not run and self._parameters.get("q_bins", 0):
            raise UsageError("q_bins: the frames have different numbers of particles; expected one number for all")
        if before is not run and not (fresh and before is None):
            for name in _SUMS:
                field = run._field(name)
                run.feed(name, np.zeros(field.shape, field.dtype) if before is None else before[name])
        self._run = run

    @property
    def result(self) -> RDFResult:
        """The results of all frames since the last reset."""
        run = self._run
        if run is None or not self._counted:
            raise UsageError("no frame has been counted; call compute first")
        asked = {"g_error": "blocks", "q": "q_bins", "s": "q_bins", "spatial": "spatial_bins"}
        names = ["ideal", "centres"] + [name for name, key in asked.items() if self._parameters.get(key, 0)]
        curves = {name: run[name] for name in _CURVES}
        rows = self._groups.names if self._groups else ()
        if rows and not _is_one_pair(self._between):
            curves.update((name, curves[name].reshape(len(rows), -1)) for name in ("g", "n", "counts"))
        width = float(np.float32(self._parameters["r_max"] / self._parameters["bins"]))  # type: ignore[operator]
        return RDFResult(
            bins=np.arange(len(curves["r"]) + 1) * width,
            r=curves["r"],
            g=curves["g"],
            n=curves["n"],
            counts=curves["counts"],
            pairs=rows,
            frames=int(curves["frames"][0]),
            fields={name: run[name] for name in names},
        )


def _axes(frame: Frame) -> tuple[bool, ...]:
    """Along which axes the box of a frame is periodic."""
    return tuple(edge > 0 for edge in frame.box[:3])


def rdf(
    positions: Any,
    box: Any = None,
    *,
    r_max: float,
    bins: int = 512,
    species: Any = None,
    between: Between = None,
    exclude_same: Any = None,
    frames: slice = slice(None),
    settings: Optional[Settings] = None,
    plugins: Iterable[PathLike] = (),
    **parameters: Value,
) -> RDFResult:
    """The radial distribution function g(r) of one or many frames, which are in memory.

        result = engine.rdf(positions, (20, 20, 20), r_max=10, bins=100)
        result = engine.rdf(universe, r_max=10, between="OW-OW, OW-HW*", exclude_block=3)
        result = engine.rdf(atoms_objects, r_max=6, between=[("O", "H"), ("O", "O")], frames=slice(100, None))
        plt.plot(result.r, result.g)

    Args:
        positions, box, species: as in ``RDF.compute``, but a Universe and an AtomGroup are all frames of their
            trajectory.
        r_max, bins, between, exclude_same, settings, plugins, parameters: as in ``RDF``.
        frames: which frames count, as ``slice(0, 1000, 10)``.

    Raises:
        UsageError: an argument is wrong.
    """
    if not isinstance(frames, slice):
        raise UsageTypeError(f"frames is {frames!r}, expected a slice, as slice(0, 1000, 10)")
    analysis = RDF(
        r_max, bins, between=between, exclude_same=exclude_same, settings=settings, plugins=plugins, **parameters
    )
    return analysis._compute(frames_of(positions, box, frames), species, True).result
