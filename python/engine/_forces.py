"""Forces and energies of arrays, for loops of other programs: the plugins pairs and nbody take a step of no length."""

from __future__ import annotations

import hashlib
import tempfile
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np

from ._context import PathLike, Settings, assignments
from ._errors import UsageError, UsageTypeError
from ._fed import Fed
from ._frames import Frame, host, is_on_device, one_frame, real_array

Value = Union[int, float, bool, str, "tuple[float, ...]", "list[float]"]

_RUNS_MAX = 4  # that stay open in a thread


class _Open(threading.local):
    """The runs of a thread, which the next call of the same kind uses again."""

    def __init__(self) -> None:
        self.runs: dict[Any, Fed] = {}
        self.folder: Optional[tempfile.TemporaryDirectory[str]] = None  # has the files of bonds


_open = _Open()


@dataclass(frozen=True, eq=False, repr=False)
class Forces:
    """What ``engine.forces`` returns.

    Attributes:
        forces: the force on each particle, ``[particle, 3]``.
        energy: the potential energy of all pairs; None: it was not asked for.
        virial: the sum of r · F over all pairs; the pressure is (2 kinetic energy + virial) / (3 volume); None: as above.
    """

    forces: Any
    energy: Optional[float]
    virial: Optional[float]

    def __repr__(self) -> str:
        return f"<engine.Forces on {len(self.forces)} particles, energy {self.energy}>"


@dataclass(frozen=True, eq=False, repr=False)
class Gravity:
    """What ``engine.gravity`` returns.

    Attributes:
        accelerations: of each body, ``[body, 3]``; the force is mass times acceleration.
        energy: the potential energy of all pairs; None: it was not asked for.
    """

    accelerations: Any
    energy: Optional[float]

    def __repr__(self) -> str:
        return f"<engine.Gravity of {len(self.accelerations)} bodies, energy {self.energy}>"


def _whole_numbers(values: Any, count: int, name: str) -> np.ndarray:
    array = np.asarray(real_array(host(values), name))
    if array.dtype.kind not in "iu":
        raise UsageTypeError(f"{name} has elements of {array.dtype}, expected whole numbers from 0 on")
    return _of_each(array, count, name, "particle")


def _of_each(array: np.ndarray, count: int, name: str, one: str) -> np.ndarray:
    if array.shape not in ((), (count,)):
        raise UsageError(f"{name} has the shape {array.shape}, expected ({count},), a number for each {one}")
    wrong = np.flatnonzero(~(np.isfinite(array) & (array >= 0)).ravel())
    if wrong.size:
        raise UsageError(f"{name} of {one} {wrong[0]} is {array.ravel()[wrong[0]]:g}, expected 0 or more")
    return np.broadcast_to(array, count)


def _run_for(
    plugin: str,
    frame: Frame,
    settings: dict[str, Any],
    plugins: Iterable[PathLike],
    inputs: dict[str, np.ndarray],
    checks: bool = False,
) -> Fed:
    """A run that has the positions, the box and the inputs. One that is open is used again. checks: its instance is made
    again, and checks the positions."""
    folders = tuple(map(str, [plugins] if isinstance(plugins, str) else plugins))
    axes = tuple(edge > 0 for edge in frame.box[:3])
    device = frame.positions.__dlpack_device__() if is_on_device(frame.positions) else None
    key = (plugin, len(frame.positions), axes, device, folders, tuple(sorted(assignments(settings))))
    run = _open.runs.pop(key, None)
    if run is None:
        run = Fed(plugin, frame, settings, folders, **inputs)
        run.kind = inputs
    else:
        run.set_box(frame.box)
        run.feed("position", frame.positions)
        for name, values in inputs.items():
            if checks or not np.array_equal(values, run.kind[name]):
                run[name] = values
        run.kind = inputs
    run.advance()
    _open.runs[key] = run
    if len(_open.runs) > _RUNS_MAX:
        del _open.runs[next(iter(_open.runs))]
    return run


def _bonds_file(bonds: Any) -> Path:
    """A file with these bonds. The name follows from them, so that a run with the same ones is used again."""
    array = np.asarray(host(bonds))
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise UsageError(f"bonds has the shape {array.shape} and elements of {array.dtype}, expected (bonds, 2) integers")
    _open.folder = _open.folder or tempfile.TemporaryDirectory(prefix="engine-bonds-")
    path = Path(_open.folder.name, hashlib.sha256(array.astype(np.int64).tobytes()).hexdigest())
    used = {path, *(run.bonds_file for run in _open.runs.values())}
    for old in set(path.parent.iterdir()) - used:
        old.unlink()
    if not path.exists():
        np.savetxt(path, array, "%d")
    return path


def _taken(run: Fed, name: str, frame: Frame) -> Any:
    """The vectors of an output, in the axes of the caller."""
    found = run.take(name, frame.positions)
    return found if frame.rotation is None else found @ frame.rotation.T


def forces(
    positions: Any,
    box: Any = None,
    *,
    potential: str = "lj",
    species: Any = None,
    bonds: Any = None,
    energy: bool = True,
    settings: Optional[Settings] = None,
    plugins: Iterable[PathLike] = (),
    **parameters: Value,
) -> Forces:
    """Short-range forces of one frame: Lennard-Jones, WCA, Yukawa or a table, in a periodic box.

        found = engine.forces(positions, (10, 10, 10), potential="lj", cutoff=2.5)
        velocities += dt * found.forces

    The plugin pairs is planned for the first call. Further calls of as many particles with the same parameters use it
    again. Its implementation ``cpu`` computes forces in single precision: the errors are some 10⁻⁶ of the largest
    force, and up to 10⁻⁵ of it if that is below 1;
    ``settings={"run.implementation": "cpu-serial"}`` computes all pairs in double precision.

    Args:
        positions: ``[particle, 3]``, of NumPy, CuPy or PyTorch, or an object of MDAnalysis or ASE.
        box: as in ``engine.rdf``; periodic along all axes. Opposite faces are at least two cutoffs apart. With
            ``dimensions=2``, z is 0, and its edge may be 0.
        potential: ``"lj"``, ``"wca"``, ``"yukawa"`` or ``"table"``.
        species: a whole number for each particle, from 0 on. None: all are 0.
        bonds: ``[bond, 2]``, the numbers of two bonded particles each, for molecules of any form; or the path of a file
            with two numbers in each line. A bond (FENE) takes the place of the other force between its particles.
        energy: compute energy and virial too.
        settings, plugins: as in ``engine.Grid``.
        parameters: those of the plugin: ``epsilon``, ``sigma``, ``cutoff`` (a number for all, for each species, or for
            each pair of species), ``shift``, ``tail``, ``kappa``, ``table``, ``dimensions``. With ``chain=n``,
            particles 0 … n − 1 are a chain, the next n particles another one, and so on. ``bond_strength`` and
            ``bond_length`` are those of all bonds.

    Raises:
        UsageError: an argument is wrong.
    """
    frame = one_frame(positions, box)
    count = len(frame.positions)
    if not all(frame.box[: int(parameters.get("dimensions", 3))]):  # type: ignore[arg-type]
        raise UsageError("box is open; forces of pairs need a periodic box, such as (10, 10, 10)")
    numbers = _whole_numbers(0 if species is None else species, count, "species").astype(np.int32)
    keys: dict[str, Any] = {"pairs.potential": potential, "pairs.dt": 0, "pairs.species": int(numbers.max()) + 1}
    keys.update({f"pairs.{name}": value for name, value in parameters.items()})
    bonds_file = _bonds_file(bonds) if bonds is not None and not isinstance(bonds, (str, Path)) else None
    if bonds is not None:
        keys["pairs.bonds"] = str(bonds_file or bonds)
    run = _run_for("pairs", frame, {**keys, **(settings or {})}, plugins, {"species": numbers})
    run.bonds_file = bonds_file
    found, values = _taken(run, "force", frame), run.metrics if energy else {}
    return Forces(found, values.get("potential"), values.get("virial"))


def gravity(
    positions: Any,
    masses: Any = 1.0,
    *,
    g: float = 1.0,
    softening: float = 0.0,
    energy: bool = True,
    plugin: str = "nbody",
    settings: Optional[Settings] = None,
    plugins: Iterable[PathLike] = (),
    **parameters: Value,
) -> Gravity:
    """The gravity between all bodies of one frame, in open space.

        found = engine.gravity(positions, masses, softening=0.01)
        velocities += dt * found.accelerations

    Arrays of single precision are computed in single precision, and all others in double precision.

    Args:
        positions: ``[body, 3]``, of NumPy, CuPy or PyTorch.
        masses: one for each body, or one for all.
        g: the gravitational constant.
        softening: a length e: the law of force has distance² + e² in place of distance².
        energy: compute the potential energy too. It is a sum over all pairs.
        plugin: ``"nbody"``, or ``"nbody-tree"``, which is faster for very many bodies, within its ``accuracy``.
        settings, plugins, parameters: as in ``engine.Grid``.

    Raises:
        UsageError: an argument is wrong, or bodies without softening are at the same place.
    """
    frame = one_frame(positions, (0, 0, 0))
    weights = _of_each(np.asarray(real_array(host(masses), "masses"), float), len(frame.positions), "masses", "body")
    single = str(frame.positions.dtype).rpartition(".")[2] in ("float32", "float16")
    keys: dict[str, Any] = {"dt": 0, "integrator": "euler", "precision": "float" if single else "double"}
    keys.update({"g": g, "softening": softening, **parameters})
    named = {f"{plugin}.{name}": value for name, value in keys.items()}
    run = _run_for(plugin, frame, {**named, **(settings or {})}, plugins, {"mass": weights}, softening == 0)
    found = _taken(run, "acceleration", frame)
    if not bool((abs(found) < np.inf).all()):
        _open.runs.clear()  # the run has velocities that are no numbers
        raise UsageError("positions: an acceleration is out of the range of its type; give a larger softening")
    potential = run.metrics["potential"] if energy else None
    return Gravity(found, potential)
