"""Runs: simulations whose state is NumPy arrays."""

from __future__ import annotations

import ctypes
import html
import json
import operator
import os
from collections.abc import Iterable, Iterator, KeysView
from dataclasses import dataclass
from types import TracebackType
from typing import Any, NoReturn, Optional, Union

import numpy as np

from . import _native
from ._context import Config, ConfigLike, Context, PathLike, Settings, State, as_settings, assignments, encoded, whole
from ._errors import Error, UsageError, UsageIndexError, UsageTypeError
from ._native import HASH_SIZE, JSON, Box, c_void_p, lib, sized, texts
from ._picture import Film, enlarged, image_tag, png
from ._view import DTYPES, View, host_array

Key = Union[str, "tuple[Any, ...]"]  # a name, and for a box slices, numbers and Ellipsis

_AXES = {"grid": ("z", "y", "x"), "particles": ("particle",), "matrix": ("batch", "row", "column"), "bins": ("bin",)}
_COUNTS = ("cells", "particles")  # units of metrics that count
_PICTURE = 512  # pixels along a side in a notebook


_PARAMETER = (int, float, lambda text: text in ("yes", "true", "on", "1"), str, str)  # by ENGINE_PARAM_…


@dataclass(frozen=True)
class Field:
    """A field of a simulation: cells, positions, masses.

    Attributes:
        name: as in ``run[name]``.
        kind: ``"grid"``, ``"particles"``, ``"matrix"`` or ``"bins"``.
        role: ``"state"``, ``"input"`` or ``"output"``.
        dtype: the type of the elements.
        shape: the extents of the array ``run[name]``.
        axes: the names of its axes: ``("y", "x")``, ``("particle", "component")``.
        values: the elements are 0 to ``values - 1``; 0: all values of the type.
    """

    name: str
    kind: str
    role: str
    dtype: np.dtype
    shape: tuple[int, ...]
    axes: tuple[str, ...]
    values: int


class _FieldOfPlugin:
    """What the plugin says about a field, and its number."""

    def __init__(self, number: int, about: _native.Field) -> None:
        self.number = number
        self.name = about.name.decode()
        self.kind = _native.KINDS[about.kind]
        self.role = _native.ROLES[about.role]
        self.values = about.values


def _progress_bar(steps: int, shown: Optional[bool]) -> Any:
    """tqdm's progress bar where it is installed, and otherwise None. shown None: as tqdm decides."""
    if shown is False:
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(total=steps, unit="step", disable=None if shown is None else False)


def _planned(config: Config) -> State:
    handle = c_void_p()
    config.context.call(lib.engine_run_plan, config.handle, ctypes.byref(handle))
    return State(config, handle)


class Run:
    """A simulation in memory.

    The arrays of fields are canonical: they are the same for every implementation and device. A grid is
    ``cells[y, x]`` or ``cells[z, y, x]``, particles are ``position[particle, component]``, and a field of one
    component has no axis of components.

    A run is a mapping of its fields: ``list(run)`` are their names, and ``dict(run)`` copies all of them.

    Threads may use different runs at the same time. If several use one run, they wait for each other.

    Args:
        config: the path of a configuration, the name of one that comes with the engine, or a mapping of settings such
            as ``{"run.plugin": "nbody", "particles.count": 1000}`` or ``{"run": {"plugin": "nbody"}}``.
        settings: keys that replace those of the configuration, as ``{"run.steps": 300, "grid.size": (64, 48)}``.
        plugins: folders of plugins, which are searched first.

    Raises:
        UsageError: the configuration is wrong.
        Error: of another kind.
    """

    def __init__(
        self,
        config: ConfigLike = None,
        settings: Optional[Settings] = None,
        *,
        plugins: Iterable[PathLike] = (),
        **keys: NoReturn,
    ) -> None:
        self._state: Optional[State] = None
        for name in keys:
            raise UsageTypeError(f"a run has no argument {name}; {as_settings(name, keys[name])}")
        self._config = Config(Context(plugins), config, settings)
        self._fresh = True
        self._start(_planned(self._config))

    @staticmethod
    def _of(config: Config) -> Run:
        """The run of a configuration."""
        made = Run.__new__(Run)
        made._state, made._config, made._fresh = None, config, True
        made._start(_planned(config))
        return made

    def _go_on(self, config: Config, same: bool) -> None:
        """Goes on with the run of another configuration, which has the same plugin; with ``same``, from this state."""
        old, new = self._use(), _planned(config)
        if same:
            new.context.call(lib.engine_run_check_room, new.handle)
            new.context.call(lib.engine_run_prepare, new.handle, self.step)
        for number, field in enumerate(self.fields.values() if same else ()):
            array = np.ascontiguousarray(self[field.name]) if field.role == "input" else np.empty(0)
            if array.size:
                new.context.call(lib.engine_run_write, new.handle, number, None, array.ctypes.data, array.nbytes)
        new.context.call(lib.engine_run_start, new.handle)
        if same:
            new.context.call(lib.engine_run_copy, new.handle, old.handle)
        old.changes += 1
        self._config, self._fresh = config, False
        self._open(new)

    def _start(self, state: State) -> None:
        state.context.call(lib.engine_run_start, state.handle)
        self._open(state)

    def _open(self, state: State) -> None:
        self._state = state
        info = sized(_native.PluginInfo)
        lib.engine_run_plugin(state.handle, ctypes.byref(info))
        about = info.about.contents
        self._plugin: str = about.name.decode()
        self._implementation: str = lib.engine_run_impl(state.handle).contents.name.decode()
        self._fields = {f.name: f for f in map(_FieldOfPlugin, range(about.fields.count), about.fields.items(_native.Field))}
        self._metrics = [
            (metric.name.decode(), (metric.unit or b"").decode() in _COUNTS)
            for metric in about.metrics.items(_native.Metric)
        ]
        self._kinds = {param.name.decode(): param.type for param in about.params.items(_native.Param)}

    # ---- Life ----

    def _use(self) -> State:
        """The library's run, for a call that uses its state."""
        state = self._state
        if state is None:
            raise UsageError("the run is closed; open a new one")
        if state.uses:
            state.settle()
        return state

    def _call(self, function: Any, *arguments: Any) -> None:
        state = self._use()
        state.context.call(function, state.handle, *arguments)

    def _text(self, function: Any, form: int) -> str:
        state = self._use()
        return state.context.text(function, state.handle, form)

    def close(self) -> None:
        """Ends the run. Its memory is freed when no view of it is left."""
        self._state = None

    def __enter__(self) -> Run:
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], problem: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._state is None:
            return f"<engine.Run of {self._plugin}/{self._implementation}, closed>"
        return f"<engine.Run of {self._plugin}/{self._implementation} at step {self.step}>"

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("a run is neither copied nor pickled; save its state with run.save(path), and restore it in another run")

    # ---- A mapping of fields ----

    def keys(self) -> KeysView[str]:
        """The names of the fields."""
        return self._fields.keys()

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __contains__(self, name: object) -> bool:
        return name in self._fields

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._fields)

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError(f"a run has an array for each field: take one, as in run[{next(iter(self._fields))!r}]")

    # ---- Facts ----

    @property
    def plugin(self) -> str:
        """The name of the plugin."""
        return self._plugin

    @property
    def implementation(self) -> str:
        """The name of the chosen implementation: ``"cpu"``, ``"cuda"``."""
        return self._implementation

    @property
    def step(self) -> int:
        """The present step."""
        return lib.engine_run_step(self._use().handle)

    @property
    def steps(self) -> int:
        """The number of steps that the configuration asks for."""
        return lib.engine_run_steps(self._use().handle)

    @property
    def ended(self) -> Optional[str]:
        """The condition of ``run.until`` that ended ``execute`` before the last step, and what was found, such as
        ``"repeats: period 30, first seen at step 1103"``; None: no condition did."""
        text = lib.engine_run_ended(self._use().handle)
        return text.decode() if text else None

    @property
    def fields(self) -> dict[str, Field]:
        """The fields by name, with the types and shapes of this step."""
        return {name: self._field(name) for name in self._fields}

    @property
    def plan(self) -> dict[str, Any]:
        """What ``engine check --json`` prints: implementation, sizes, memory, files."""
        return json.loads(self._text(lib.engine_run_print_plan, JSON))

    @property
    def settings(self) -> dict[str, str]:
        """The keys that the configuration and the arguments give, as texts, such as ``{"run.steps": "100"}``."""
        return self._config.settings()

    @property
    def parameters(self) -> dict[str, Union[int, float, bool, str]]:
        """The parameters of the plugin by name, also those that have their default value."""
        given = self.plan.get("parameters", {})
        return {name: _PARAMETER[self._kinds[name]](text) for name, text in given.items() if name in self._kinds}

    @property
    def metrics(self) -> dict[str, float]:
        """The metrics of this step by name, such as ``{"population": 36}``. Those that count are whole numbers."""
        values = (ctypes.c_double * max(len(self._metrics), 1))()
        self._call(lib.engine_run_measure, values, len(self._metrics))
        return {
            name: int(value) if counts and value.is_integer() else value
            for (name, counts), value in zip(self._metrics, values)
        }

    @property
    def hash(self) -> str:
        """XXH3-128 of the canonical arrays of all states and outputs, in hexadecimal. All exact implementations give
        the same hash."""
        text = ctypes.create_string_buffer(HASH_SIZE)
        self._call(lib.engine_run_hash, text)
        return text.value.decode()

    # ---- Steps ----

    def advance(self, steps: int = 1) -> int:
        """Takes this number of steps and returns the present step. It writes no file.

        Ctrl-C stops it between two calls of the plugin and raises KeyboardInterrupt. The run then is at the step where
        the last call ended, and can go on.
        """
        steps = whole(steps, "steps")
        state = self._use()
        if self._fresh:
            self._fresh = False
            self._call(lib.engine_run_check_init)  # warns of a state that nobody has given
        state.changes += 1
        state.context.call(lib.engine_run_advance, state.handle, steps, None, None)
        return lib.engine_run_step(state.handle)

    def iterate(
        self, steps: Optional[int] = None, every: int = 1, *, progress: Optional[bool] = None
    ) -> Iterator[int]:
        """Advances, and yields the present step after each ``every`` steps.

        Args:
            steps: how many to take; None: up to the number that the configuration asks for.
            every: how many to take at a time. The last time takes what remains.
            progress: whether to show tqdm's progress bar where tqdm is installed; None: in terminals and notebooks.
        """
        if every < 1:
            raise UsageError(f"every is {every}, expected 1 or more")
        last = self.steps if steps is None else self.step + steps
        bar = _progress_bar(max(last - self.step, 0), progress)
        try:
            while self.step < last:
                before = self.step
                step = self.advance(min(every, last - before))
                if bar is not None:
                    bar.update(step - before)
                yield step
        finally:
            if bar is not None:
                bar.close()

    def execute(self, *, force: bool = False, progress: Optional[bool] = None) -> dict[str, Any]:
        """Takes all steps, and writes outputs, metrics and checkpoints as ``engine run`` does. Returns the summary.

        Ctrl-C writes a checkpoint and raises KeyboardInterrupt; ``engine.resume`` continues.

        Args:
            force: write into a folder that already holds files, and remove those of an earlier run.
            progress: as in ``iterate``.
        """
        state = self._use()
        self._fresh = False
        state.changes += 1
        _execute(state, _native.RUN_FORCE if force else 0, progress)
        return json.loads(self._text(lib.engine_run_print_summary, JSON))

    # ---- Fields ----

    def _number(self, name: str) -> _FieldOfPlugin:
        field = self._fields.get(name) if isinstance(name, str) else None
        if field is None:
            number = ctypes.c_uint32()
            self._call(lib.engine_run_field, encoded(str(name)), ctypes.byref(number))
            raise AssertionError(name)  # the library knows no such field either
        return field

    def _field(self, name: str) -> Field:
        field, shape = self._number(name), sized(_native.Shape)
        lib.engine_run_shape(self._use().handle, field.number, ctypes.byref(shape))
        extents, axes = tuple(shape.extent[: shape.rank])[::-1], _AXES[field.kind][-shape.rank :]
        if shape.components > 1:
            extents, axes = (*extents, shape.components), (*axes, "component")
        return Field(name, field.kind, field.role, DTYPES[shape.type], extents, axes, field.values)

    def __getitem__(self, key: Key) -> np.ndarray:
        """A copy of a field, ``run["cells"]``, or of a box of it, ``run["cells", 20:30, :5]``.

        The box has a slice without a stride, or a number, for each axis but that of components, in the order of the
        array.
        """
        name, part = _split(key)
        field = self._field(name)
        box, shape, picked = _box(field, part)
        out = np.empty(shape, field.dtype)
        if out.size:
            self._call(lib.engine_run_read, self._number(name).number, box, out.ctypes.data, out.nbytes)
        return out[picked]

    def __setitem__(self, key: Key, values: Any) -> None:
        """Sets a field, ``run["cells"] = array``, or a box of it, ``run["cells", 20:23, 10:13] = glider``.

        The array has the shape of the field or box, or it is one number. Integers are converted if the field's type
        holds them, and numbers are rounded to its precision. The run goes on from the new state.
        """
        name, part = _split(key)
        field = self._field(name)
        box, shape, picked = _box(field, part)
        array = _converted(field, np.asarray(values))
        wanted = np.empty(shape, np.void)[picked].shape if picked else shape
        if array.ndim and array.shape != wanted:
            raise UsageError(
                f"field {name}: the array has the shape {array.shape}, expected {wanted}, [{', '.join(field.axes)}]"
                + (" without the axes that a number picks" if picked else "")
            )
        self._fresh = False
        whole = np.ascontiguousarray(np.broadcast_to(array, wanted)).reshape(shape)
        if whole.size:
            self._call(lib.engine_run_write, self._number(name).number, box, whole.ctypes.data, whole.nbytes)

    def view(self, name: str, *, write: bool = False) -> Union[np.ndarray, View]:
        """The raw memory of a field, without a copy.

        In host memory it is a NumPy array with the strides of the memory. In device memory it is an ``engine.View``,
        which CuPy, PyTorch, JAX and Numba take as their own array. A field that is stored with one bit a cell has
        words, and one in an order of its own has bytes: see the plugin's page.

        A view shows the state of this step. When the run has advanced, its state may lie in another buffer: take a new
        view. An old one stays valid memory, even after the run is closed, but its content means nothing any more.

        Args:
            write: the array is for writing too. While it lives, the run expects that its state has changed. Device
                memory is always writable, but the run takes changes into account only with ``write=True``.

        Raises:
            UsageError: the field has no such memory, as in a run that ``[run] parts`` divides.
        """
        field = self._number(name)
        shape = sized(_native.Shape)
        state = self._use()
        self._fresh = self._fresh and not write
        lib.engine_run_shape(state.handle, field.number, ctypes.byref(shape))
        made = View(state, field.number, shape.rank, write)
        return host_array(made) if made.memory == "host" else made

    def wait(self, stream: Optional[int] = None) -> None:
        """Waits until the work on a CUDA stream is complete. None: the run's own stream.

        Call it if other work on a view's memory is on a stream that the run does not know: one that was not passed to
        ``__dlpack__`` and is not the legacy default stream.
        """
        self._call(lib.engine_run_wait, stream)

    # ---- Files ----

    def save(self, path: PathLike) -> None:
        """Writes the whole state to a snapshot file."""
        self._call(lib.engine_run_save, encoded(path))

    def restore(self, path: PathLike) -> None:
        """Reads a snapshot that ``save`` or the program wrote, with any implementation. A file that is not a snapshot of
        the run's fields leaves the state as it was. If the content of a field is damaged, the state is lost."""
        state = self._use()
        self._fresh = False
        state.changes += 1
        state.context.call(lib.engine_run_restore, state.handle, encoded(path))

    def write(self, path: PathLike) -> None:
        """Writes the state to a file of the format that the ending names: .rle, .npy, .png, .xyz. It replaces an
        existing file."""
        self._call(lib.engine_run_write_file, encoded(path))

    # ---- Pictures ----

    def picture(self, columns: int = _PICTURE, rows: int = _PICTURE) -> np.ndarray:
        """The state as shades, 0 black to 255 white, ``[y, x]``, at most this large. The pictures of a run have one
        scale of greys."""
        state = self._use()
        picture = state.picture
        with state.context.lock:
            picture.most_columns = picture.exact_columns = whole(columns, "columns", 1)
            picture.most_rows = picture.exact_rows = whole(rows, "rows", 1)
            state.context.call(lib.engine_run_picture, state.handle, ctypes.byref(picture))
            size = (picture.rows, picture.columns)
            return np.ctypeslib.as_array(picture.shades, shape=size).copy()

    def film(self, steps: int, every: int = 1, *, rate: float = 10, columns: int = 256, rows: int = 256) -> Film:
        """Advances, and takes a picture now and after each ``every`` steps.

        Args:
            steps: how many to take.
            every: steps from one picture to the next.
            rate: pictures a second.
            columns, rows: the largest size of a picture.
        """
        frames = [self.picture(columns, rows)]
        frames.extend(self.picture(columns, rows) for _ in self.iterate(steps, every))
        return Film(frames, rate)

    def _repr_png_(self) -> Optional[bytes]:
        try:
            return png([enlarged(self.picture(), _PICTURE)])
        except Error:  # closed, or a plugin whose fields no picture shows
            return None

    def _repr_html_(self) -> str:
        if self._state is None:
            return html.escape(repr(self))
        rows = {
            "plugin": self.plugin,
            "implementation": self.implementation,
            "step": str(self.step),
            **{f.name: f"{f.dtype} [{', '.join(f.axes)}] {f.shape}" for f in self.fields.values()},
        }
        try:
            rows.update((name, f"{value:.10g}") for name, value in self.metrics.items())
        except Error:  # the implementation does not measure
            pass
        table = "".join(f"<tr><th>{html.escape(k)}</th><td>{html.escape(v)}</td></tr>" for k, v in rows.items())
        picture = self._repr_png_()
        return (image_tag(picture) if picture else "") + f"<table>{table}</table>"


class Grid(Run):
    """A run from nothing: a plugin whose fields are arrays.

        run = engine.Grid("life2d-bit", size=(512, 512), rule="B36/S23", cells=array)

    Args:
        plugin: the name of the plugin.
        size: cells along x, y and z, as ``[grid] size`` has them: ``(width, height)``. None: that of the first array.
            Arrays of particles give their number in the same way.
        settings: further keys of the configuration, such as ``{"run.implementation": "cpu"}``.
        plugins: folders of plugins, which are searched first.
        values: the arrays of fields by name, with the axes ``[y, x]`` or ``[z, y, x]``, and the parameters of the
            plugin by name. Fields that are not given have the plugin's initial value.
    """

    def __init__(
        self,
        plugin: str,
        size: Optional[Iterable[int]] = None,
        *,
        settings: Optional[Settings] = None,
        plugins: Iterable[PathLike] = (),
        **values: Any,
    ) -> None:
        if not isinstance(plugin, str):
            raise UsageTypeError(f"plugin is {plugin!r}, expected the name of a plugin, as in Grid('life2d-bit', size=(64, 48))")
        context = Context(plugins)
        info = sized(_native.PluginInfo)
        context.call(lib.engine_plugin_find, context.handle, encoded(plugin), ctypes.byref(info))
        parameters = {param.name.decode() for param in info.about.contents.params.items(_native.Param)}
        fields = {field.name.decode(): field for field in info.about.contents.fields.items(_native.Field)}
        self._arrays = arrays = {name: np.asarray(value) for name, value in values.items() if name in fields}
        for name in values.keys() - fields.keys() - parameters:
            wanted = as_settings(name, values[name])
            if "section.key" not in wanted:  # otherwise the library knows a similar name
                raise UsageError(f"{name} is no field and no parameter of {plugin}; {wanted}")
        generators = [one.name.decode() for one in info.about.contents.generators.items(_native.Generator)]
        optional = any(fields[name].flags & _native.FIELD_OPTIONAL for name in arrays)
        given = any(text.startswith("init.") for text in assignments(settings))
        # Without [init], a run has no optional inputs. With a generator, it has all of them.
        source = {"init.source": generators[0]} if optional and generators and not given else {}
        self._initial = {name: field.initial for name, field in fields.items() if source and _native.ROLES[field.role] != "output"}
        keys = {"run.plugin": plugin, **source, **_sizes(size, [(fields[name], array) for name, array in arrays.items()])}
        keys.update((f"{plugin}.{name}", value) for name, value in values.items() if name not in fields)
        super().__init__(keys, settings, plugins=plugins)

    _first_step = 0

    def _start(self, state: State) -> None:
        """The plugin's instance sees the arrays when it is made: it may check them, or sort by them."""
        state.context.call(lib.engine_run_check_room, state.handle)
        state.context.call(lib.engine_run_prepare, state.handle, self._first_step)
        self._open(state)
        for name in self._initial.keys() - self._arrays.keys():
            self[name] = np.asarray(self._initial[name], self._field(name).dtype)
        for name in self._arrays:
            self[name] = self._arrays[name]
        self._arrays = {}
        state.context.call(lib.engine_run_start, state.handle)


def _sizes(size: Any, arrays: list[tuple[_native.Field, np.ndarray]]) -> dict[str, str]:
    """The keys of the sizes: as they are given, or those of the first array of a kind."""
    grids = [array.shape[: field.rank][::-1] for field, array in arrays if _native.KINDS[field.kind] == "grid"]
    particles = [len(array) for field, array in arrays if _native.KINDS[field.kind] == "particles" and array.ndim]
    if size is None:
        size = next(iter(grids), ())
    if not isinstance(size, Iterable):
        raise UsageTypeError(f"size is {size!r}, expected the cells along each axis, as in (64, 48)")
    keys = {"grid.size": " ".join(map(str, size)), "particles.count": str(next(iter(particles), ""))}
    return {key: text for key, text in keys.items() if text}


# ---- Boxes and arrays ---------------------------------------------------------------------------------------------------


def _split(key: Key) -> tuple[str, tuple[Any, ...]]:
    return (key[0], key[1:]) if isinstance(key, tuple) and key else (key, ())  # type: ignore[return-value]


def _box(field: Field, part: tuple[Any, ...]) -> tuple[Optional[Any], tuple[int, ...], tuple[Any, ...]]:
    """The library's box, the shape of its array, and the index that removes the axes with a number."""
    if not part:
        return None, field.shape, ()
    components = field.shape[len(field.shape) - 1 :] if field.axes[-1] == "component" else ()
    extents = field.shape[: len(field.shape) - len(components)]
    at = next((i for i, index in enumerate(part) if index is Ellipsis), None)
    if at is not None:
        part = (*part[:at], *[slice(None)] * (len(extents) - len(part) + 1), *part[at + 1 :])
    if len(part) > len(extents):
        raise UsageError(
            f"field {field.name}: the box has {len(part)} axes, but the field has {len(extents)}, "
            f"[{', '.join(field.axes[: len(extents)])}]; index the components of the array"
        )
    part = (*part, *[slice(None)] * (len(extents) - len(part)))
    ranges = [_range(field, axis, index, extent) for axis, index, extent in zip(field.axes, part, extents)]
    box = Box((0, 0, 0), (1, 1, 1))
    for number, (begin, end) in enumerate(reversed(ranges)):
        box.begin[number], box.end[number] = begin, end
    picked = tuple(0 if not isinstance(index, slice) else slice(None) for index in part)
    shape = tuple(end - begin for begin, end in ranges) + components
    return ctypes.byref(box), shape, picked if 0 in picked else ()


def _range(field: Field, axis: str, index: Any, extent: int) -> tuple[int, int]:
    """The cells along an axis that a slice or a number picks."""
    if isinstance(index, slice):
        begin, end, stride = index.indices(extent)
        if stride != 1:
            raise UsageError(f"field {field.name}: a box has no stride, but that along {axis} is {stride}; index the array")
        return begin, max(begin, end)
    try:
        at = operator.index(index)
    except TypeError:
        raise UsageTypeError(
            f"field {field.name}: a box has slices and numbers, but no {type(index).__name__}; for a mask or a list, index "
            f"the array: cells = run[{field.name!r}], cells[…] = …, run[{field.name!r}] = cells"
        ) from None
    if not -extent <= at < extent:
        raise UsageIndexError(f"field {field.name}: {at} is not one of the {extent} along {axis}")
    return at % extent, at % extent + 1


def _converted(field: Field, array: np.ndarray) -> np.ndarray:
    """The array with the type of the field. Refuses numbers that the type does not hold."""
    dtype, kinds = field.dtype, {"u": "bui", "i": "bui", "f": "buif", "c": "buifc"}[field.dtype.kind]
    if array.dtype.kind not in kinds:
        raise UsageError(f"field {field.name}: the array has elements of {array.dtype}, expected {dtype}")
    if dtype.kind in "ui" and array.size and not np.can_cast(array.dtype, dtype):
        limits, low, high = np.iinfo(dtype), int(array.min()), int(array.max())
        if low < limits.min or high > limits.max:
            raise UsageError(
                f"field {field.name}: the array has elements from {low} to {high}, but {dtype} holds {limits.min} to "
                f"{limits.max}"
            )
    return array.astype(dtype, copy=False)


# ---- Whole runs ---------------------------------------------------------------------------------------------------------


def _execute(state: State, flags: int, progress: Optional[bool]) -> None:
    execution, result = sized(_native.Execution, flags=flags), sized(_native.Result)
    bar = _progress_bar(lib.engine_run_steps(state.handle), progress)
    calls = state.context.calls
    if bar is not None:
        calls.watch = lambda: bar.update(lib.engine_run_step(state.handle) - bar.n)
    try:
        state.context.call(lib.engine_run_execute, state.handle, ctypes.byref(execution), ctypes.byref(result))
    finally:
        calls.watch = None
        if bar is not None:
            bar.update(result.step - bar.n)
            bar.close()


def run(
    config: ConfigLike = None,
    settings: Optional[Settings] = None,
    *,
    plugins: Iterable[PathLike] = (),
    **keys: NoReturn,
) -> Run:
    """Opens a run at step 0: ``engine.run("gosper-gun.ini", {"run.steps": 300})``. See ``engine.Run``."""
    return Run(config, settings, plugins=plugins, **keys)


def resume(
    folder: PathLike,
    settings: Optional[Settings] = None,
    *,
    plugins: Iterable[PathLike] = (),
    progress: Optional[bool] = None,
) -> dict[str, Any]:
    """Continues the run in a folder from its newest checkpoint to its end, as ``engine resume`` does. Returns the summary.

    Args:
        folder: the output folder of ``Run.execute`` or ``engine run``.
        settings: keys that change, such as ``{"run.steps": 20000}``.
    """
    context, handle, summary = Context(plugins), c_void_p(), c_void_p()
    given = assignments(settings)
    context.call(
        lib.engine_run_resume,
        context.handle,
        encoded(folder),
        texts(given),
        len(given),
        ctypes.byref(handle),
        ctypes.byref(summary),
    )
    if not handle:
        return json.loads(_native.take_text(summary))
    state = State(context, handle)
    _execute(state, 0, progress)
    return json.loads(context.text(lib.engine_run_print_summary, handle, JSON))
