"""Frames of particles: arrays and the objects of MDAnalysis and ASE, which are known by their attributes."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from ._errors import Error, UsageError, UsageTypeError

Box = tuple[float, float, float, float, float, float]
"""Lx Ly Lz xy xz yz, as the engine has a periodic box; 0: open along that axis."""

_BOXES = "lengths (3,), lengths and angles (6,), a matrix (3, 3), or one of these for each frame"
_LIBRARIES = ("cupy", "torch")  # whose arrays may lie in the memory of a GPU
_FARTHEST = 1e18  # a position that plugins accept; beyond it they refuse, as digits of the box are lost
_TINY = 1e-12  # a tilt that is rounding


@dataclass(frozen=True)
class Frame:
    """The particles of one frame.

    Attributes:
        number: which frame it is, counted from 0.
        positions: ``[particle, 3]``, in host memory or in that of a device.
        box: the periodic box. Its first edge lies along x, and its second one in the plane of x and y.
        rotation: the positions were turned: ``positions = original @ rotation``. None: they were not.
        source: the object that has the names of the particles.
    """

    number: int
    positions: Any
    box: Box
    rotation: Optional[np.ndarray]
    source: Any


# ---- Arrays ---------------------------------------------------------------------------------------------------------


def is_on_device(array: Any) -> bool:
    """Is it an array of CuPy or PyTorch in the memory of a GPU?"""
    return type(array).__module__.partition(".")[0] in _LIBRARIES and hasattr(array, "__cuda_array_interface__")


def module_of(array: Any) -> Any:
    """The module of a device array: cupy or torch."""
    return sys.modules[type(array).__module__.partition(".")[0]]


def _plain(value: Any) -> Any:
    """A tensor of PyTorch without its gradient, or the value itself."""
    return value.detach() if hasattr(value, "detach") else value


def host(value: Any) -> Any:
    """The same in host memory."""
    value = _plain(value)
    if not is_on_device(value):
        return value
    return value.get() if hasattr(value, "get") else value.cpu()


def real_array(value: Any, name: str) -> Any:
    """A NumPy or device array of real numbers."""
    value = _plain(value)
    if is_on_device(value):
        kind = value.__cuda_array_interface__["typestr"]
        return _check_kind(value, kind[1], kind, name)
    try:
        array = np.asarray(value)
    except (TypeError, ValueError) as problem:  # rows of several lengths, a type that NumPy lacks
        raise UsageTypeError(f"{name} is no array of numbers: {problem}") from None
    return _check_kind(array, array.dtype.kind, str(array.dtype), name)


def _check_kind(array: Any, kind: str, text: str, name: str) -> Any:
    if kind not in "fiu":
        raise UsageTypeError(f"{name} has elements of {text}, expected real numbers")
    return array


def check_positions(array: Any, name: str) -> Any:
    """Checks the shape, and that all numbers are finite."""
    shape = tuple(array.shape)
    if len(shape) != 2 or shape[1] != 3:
        raise UsageError(f"{name} has the shape {shape}, expected (particles, 3)")
    if shape[0] == 0:
        raise UsageError(f"{name} has no particles")
    finite = (module_of(array) if is_on_device(array) else np).isfinite(array)
    if not bool(finite.all()):
        wrong = int(np.flatnonzero(~np.asarray(host(finite)).all(axis=1))[0])
        values = " ".join(f"{x:g}" for x in np.asarray(host(array[wrong])).tolist())
        raise UsageError(f"{name}: the position of particle {wrong} is {values}; expected finite numbers")
    return array


# ---- Objects that hold frames ---------------------------------------------------------------------------------------


def _has_frame(source: Any) -> bool:
    """Is it an AtomGroup or a Timestep of MDAnalysis, or an Atoms object of ASE?"""
    return hasattr(source, "positions") and (hasattr(source, "dimensions") or hasattr(source, "cell"))


def _axes(source: Any) -> int:
    """The number of axes of an array or of a nested list, by its first elements."""
    if hasattr(source, "shape"):
        return len(source.shape)
    return 1 + _axes(source[0]) if isinstance(source, (list, tuple)) and len(source) else 0


def _trajectory(group: Any, frames: slice) -> Iterator[Any]:
    """The group at each frame of its trajectory, which then is at the frame where it was."""
    trajectory = group.universe.trajectory
    before = trajectory.frame
    try:
        for _ in trajectory[frames]:
            yield group
    finally:
        trajectory[before]


def _items(source: Any, frames: Optional[slice]) -> Iterator[Any]:
    """The frames of whatever holds some. frames None: an AtomGroup is its present frame alone."""
    if hasattr(source, "atoms") and hasattr(source, "trajectory"):  # a Universe
        source = source.atoms
    if frames is not None and hasattr(source, "universe") and _has_frame(source):
        yield from _trajectory(source, frames)
        return
    if _has_frame(source):
        items: Iterable[Any] = (source,)
    elif isinstance(source, (list, tuple)) and len(source) and (_has_frame(source[0]) or _axes(source) == 3):
        items = source
    elif isinstance(source, (list, tuple)) or hasattr(source, "__array__"):
        array = real_array(source, "positions")
        items = array if len(array.shape) == 3 else (array,)
    elif isinstance(source, Iterable) and not isinstance(source, (str, bytes)):
        items = source
    else:
        raise UsageTypeError(
            f"positions is {source!r}, expected an array [particles, 3] or [frames, particles, 3], frames one after "
            "another, or an object of MDAnalysis or ASE"
        )
    if frames is None or frames == slice(None):
        yield from items
    else:
        yield from (items if hasattr(items, "__getitem__") else list(items))[frames]


def _own_box(source: Any) -> tuple[Any, Any]:
    """The box of an object, and the axes along which it is periodic, if it says that."""
    if hasattr(source, "dimensions"):
        return source.dimensions, None
    if hasattr(source, "cell"):
        return np.asarray(source.cell), np.asarray(source.pbc, bool)
    return None, None


# ---- Boxes ----------------------------------------------------------------------------------------------------------


class _Boxes:
    """The boxes of the frames: one for all, or one for each."""

    def __init__(self, box: Any, count: Optional[int]) -> None:
        """count: the number of frames, if it is known. Then three rows for three frames are refused if they might be
        lengths; otherwise three rows are a matrix."""
        self._one: Any = None
        self._each: Optional[Iterator[Any]] = None
        if box is None:
            return
        if isinstance(box, Iterator):
            self._each = box
            return
        array = np.asarray(real_array(host(box), "box"), float)
        if array.ndim == 0 or array.shape in ((3,), (6,), (3, 3)):
            self._one = np.broadcast_to(array, 3) if array.ndim == 0 else array
            if array.shape == (3, 3) and count == 3 and np.any(np.triu(array, 1)):
                raise UsageError(
                    "box of the shape (3, 3) for 3 frames is a matrix or the lengths of three boxes; give lengths and "
                    "angles (3, 6), or matrices (3, 3, 3)"
                )
        elif array.ndim in (2, 3) and array.shape[1:] in ((3,), (6,), (3, 3)):
            self._each = iter(array)
        else:
            raise UsageError(f"box has the shape {array.shape}, expected {_BOXES}")

    def take(self, number: int) -> Any:
        if self._each is None:
            return self._one
        for box in self._each:
            return box
        raise UsageError(f"box: there are {number} boxes, and more frames; expected one box, or a box for each frame")

    def end(self, count: int) -> None:
        """Refuses boxes without a frame."""
        if self._each is not None and any(True for _ in self._each):
            raise UsageError(f"box: there are more boxes than the {count} frames; expected a box for each frame")


def _tilts(lengths: np.ndarray, angles: np.ndarray, name: str) -> Box:
    """The box of lengths and angles in degrees. An angle of 90 degrees gives a tilt of exactly 0."""
    if not np.any(lengths):
        return (0, 0, 0, 0, 0, 0)
    cosine = np.where(angles == 90, 0, np.cos(np.radians(angles)))
    square = 1 - cosine @ cosine + 2 * cosine.prod()
    if not (np.all(angles > 0) and np.all(angles < 180) and square > 1e-9):
        raise UsageError(f"{name}: the angles {' '.join(f'{a:g}' for a in angles)} are those of no cell")
    a, b, c = map(float, lengths)
    alpha, beta, gamma = map(float, cosine)
    sine = (1 - gamma * gamma) ** 0.5
    return (a, b * sine, c * float(square) ** 0.5 / sine, b * gamma, c * beta, c * (alpha - beta * gamma) / sine)


def _lower(rows: np.ndarray) -> Box:
    """The box of a matrix in lower triangular form. A tilt that is rounding is 0."""
    tilts = (rows[1, 0], rows[2, 0], rows[2, 1])
    edge = np.abs(rows).max()
    return (*map(float, np.diag(rows)), *(float(t) if abs(t) > _TINY * edge else 0.0 for t in tilts))  # type: ignore[return-value]


def _matrix(rows: np.ndarray, periodic: np.ndarray, name: str) -> tuple[Box, Optional[np.ndarray]]:
    """The box of three vectors, and the rotation that turns them to it. A vector along an open axis has no meaning."""
    rows = np.where(periodic[:, None], rows, 0.0)
    if not periodic.any():
        return (0, 0, 0, 0, 0, 0), None
    if not np.any(np.triu(rows, 1)) and np.all(np.diag(rows) >= 0) and np.all((np.diag(rows) > 0) == periodic):
        return _lower(rows), None
    _, sizes, spans = np.linalg.svd(rows)
    if np.count_nonzero(sizes > 1e-6 * sizes[0]) < np.count_nonzero(periodic):
        vectors = ", ".join("(" + " ".join(f"{x:g}" for x in row) + ")" for row in rows[periodic])
        raise UsageError(f"{name}: the vectors {vectors} are singular; expected vectors that span a cell")
    complete = rows.copy()
    complete[~periodic] = spans[np.count_nonzero(periodic) :]
    q, r = np.linalg.qr(complete.T)
    turned = r.T * np.sign(np.diag(r))
    return _lower(np.where(periodic[:, None], turned, 0.0)), q * np.sign(np.diag(r))


def _box_of(box: Any, periodic: Any, name: str) -> tuple[Box, Optional[np.ndarray]]:
    """The engine's box, and the rotation of the positions."""
    if box is None:
        return (0, 0, 0, 0, 0, 0), None
    array = np.asarray(real_array(host(box), name), float)
    array = np.broadcast_to(array, 3) if array.ndim == 0 else array
    if array.shape not in ((3,), (6,), (3, 3)):
        raise UsageError(f"{name} has the shape {array.shape}, expected {_BOXES}")
    if not np.isfinite(array).all():
        raise UsageError(f"{name} has a number that is not finite")
    if array.shape == (3, 3):
        return _matrix(array, np.asarray(array.any(axis=1) if periodic is None else periodic), name)
    if np.any(array[:3] < 0):
        raise UsageError(f"{name}: the lengths are {' '.join(f'{x:g}' for x in array[:3])}; expected 0 (open) or more")
    return _tilts(array[:3], array[3:] if len(array) == 6 else np.full(3, 90.0), name), None


def wrapped(positions: np.ndarray, box: Box) -> np.ndarray:
    """Positions far outside the box, moved into it in double precision: single precision would lose their digits."""
    edges, farthest = np.array(box[:3]), np.abs(positions).max()
    if not edges.any() or farthest <= 2 * edges.max() or farthest > _FARTHEST:
        return positions
    rows = np.array([[box[0], 0, 0], [box[3], box[1], 0], [box[4], box[5], box[2]]])
    moved = positions.astype(float)
    for axis in (2, 1, 0):
        if edges[axis] > 0:
            moved -= np.floor(moved[:, axis] / edges[axis])[:, None] * rows[axis]
    return moved


# ---- Frames ---------------------------------------------------------------------------------------------------------


def _frame(item: Any, number: int, box: Any) -> Frame:
    name = f"positions of frame {number}"
    source = item if _has_frame(item) else None
    positions = check_positions(real_array(item.positions if source is not None else item, name), name)
    own, periodic = (box, None) if box is not None else _own_box(source)
    found, rotation = _box_of(own, periodic, f"box of frame {number}")
    if rotation is not None:
        positions = np.asarray(host(positions), float) @ rotation
    if not is_on_device(positions) and positions.dtype != np.float32:
        positions = wrapped(positions, found)
    return Frame(number, positions, found, rotation, source)


def frames_of(positions: Any, box: Any, frames: Optional[slice] = None) -> Iterator[Frame]:
    """The frames of positions and boxes.

    Args:
        positions: an array ``[particles, 3]`` or ``[frames, particles, 3]`` of NumPy, CuPy or PyTorch, a list or a
            generator of frames, a Universe, AtomGroup or trajectory of MDAnalysis, or Atoms objects of ASE.
        box: one box, or a box for each frame; None: the object's own, and for arrays open space.
        frames: which frames; None: of an AtomGroup the present one, of everything else all.
    """
    many = isinstance(positions, (list, tuple)) and len(positions) and _has_frame(positions[0]) or _axes(positions) == 3
    boxes, number = _Boxes(box, len(positions) if many and frames in (None, slice(None)) else None), 0
    for item in _items(positions, frames):
        yield _frame(item, number, boxes.take(number))
        number += 1
    if number == 0:
        raise UsageError("positions has no frames")
    boxes.end(number)


def one_frame(positions: Any, box: Any) -> Frame:
    """The only frame of positions."""
    found = list(frames_of(positions, box))
    if len(found) != 1:
        raise UsageError(f"positions has {len(found)} frames, expected one: an array [particles, 3]")
    return found[0]


def at_frame(number: int, problem: Error) -> Error:
    """The error with the number of the frame in its sentence."""
    return type(problem)(f"frame {number}: {problem}")
