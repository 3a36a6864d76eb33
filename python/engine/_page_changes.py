"""What a page in a notebook changes in a run, reads from files and saves."""

from __future__ import annotations

import ctypes
import itertools
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional

import numpy as np

from . import _native
from ._context import Config, encoded
from ._errors import Error, UsageError
from ._native import lib, sized
from ._run import Run

_MARKS = 16

Answer = tuple[dict[str, Any], bytes]
Request = dict[str, Any]


class Changes:
    """The requests that change a run, and the states to which the viewer can go back."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._folder = tempfile.TemporaryDirectory()
        self._changes, self._scene = 0, 1
        self._begin(run.plugin)

    def _begin(self, title: str) -> None:
        """The state of this moment is the first one."""
        self._title, self._playing = title, False
        self._edited: Optional[int] = None
        self._drew_inputs = False
        self._first = self._influences()
        self._marks: list[dict[str, Any]] = []
        self._next_mark = 1
        self._mark("the begin")

    # ---- The plugin ----

    @property
    def _about(self) -> Any:
        info = sized(_native.PluginInfo)
        lib.engine_run_plugin(self.run._use().handle, ctypes.byref(info))
        return info.about

    def _flags(self, key: str) -> int:
        return lib.engine_key_flags(self._about, encoded(self.run.plugin), encoded(key))

    def _given(self, section: str) -> dict[str, str]:
        """The keys of a section."""
        return {key.split(".", 1)[1]: text for key, text in self.run.settings.items() if key.startswith(f"{section}.")}

    def _influences(self) -> tuple[Any, ...]:
        """What no mark holds, but changes results: parameters, and an implementation that is not exact."""
        given = self._given(self.run.plugin).items()
        exact = lib.engine_run_impl(self.run._use().handle).contents.flags & _native.EXACT
        return ([pair for pair in given if not self._flags(pair[0]) & _native.PARAM_TUNING],
                None if exact else self.run.implementation)

    # ---- Marks ----

    def _mark(self, name: str) -> None:
        if len(self._marks) == _MARKS:
            del self._marks[1]
        self.run.save(self._path(f"{self._next_mark}.snapshot"))
        self._marks.append({"id": self._next_mark, "step": self.run.step, "name": name, "edited": self._edited})
        self._next_mark += 1

    def _path(self, name: str) -> str:
        return os.path.join(self._folder.name, name)

    def _do_mark(self, _request: Request, _data: bytes) -> Answer:
        self._mark("marked")
        return {"marks": self._marks}, b""

    def _do_back(self, request: Request, _data: bytes) -> Answer:
        for mark in self._marks:
            if mark["id"] == request["id"]:
                self.run.restore(self._path(f"{mark['id']}.snapshot"))
                altered = self._drew_inputs or self._influences() != self._first
                self._playing = False
                self._edited = mark["step"] if mark["edited"] is None and altered else mark["edited"]
                self._changes += 1
                return {"marks": self._marks}, b""
        raise UsageError("there is no state of that number")

    # ---- Fields and boxes ----

    def _field(self, request: Request) -> tuple[int, str]:
        number = int(request.get("field", 0))
        return number, list(self.run.fields)[number] if 0 <= number < len(self.run.fields) else _no_field(number)

    def _extent(self, name: str) -> list[int]:
        shape = list(self.run.fields[name].shape)
        if self.run.fields[name].axes[-1] == "component":
            shape.pop()
        return (shape[::-1] + [1, 1, 1])[:3]

    def _box(self, request: Request, name: str) -> list[int]:
        extent = self._extent(name)
        numbers = request.get("box") or [0, 0, 0, *extent]
        box = [int(min(max(number, 0), extent[i % 3])) for i, number in enumerate(numbers)]
        if len(box) != 6 or any(box[i] >= box[i + 3] for i in range(3)):
            raise UsageError("the box has no cells of the grid")
        return box

    def _key(self, name: str, box: list[int]) -> tuple[Any, ...]:
        """The box as indices of the run."""
        axes = [axis for axis in self.run.fields[name].axes if axis != "component"]
        return (name, *(slice(box[i], box[i + 3]) for i in range(len(axes) - 1, -1, -1)))

    # ---- Edits ----

    def _begin_edit(self, name: str = "") -> None:
        self._drew_inputs |= bool(name) and self.run.fields[name].role == "input"
        if self._marks[-1]["step"] != self.run.step:
            self._mark("before an edit")

    def _end_edit(self) -> Answer:
        self._edited = self.run.step if self._edited is None else self._edited
        self._changes += 1
        return {"marks": self._marks}, b""

    def _do_draw(self, request: Request, _data: bytes) -> Answer:
        name = self._field(request)[1]
        cells = np.asarray(request["cells"], int).reshape(-1, 3)
        extent = self._extent(name)
        if not len(cells) or (cells < 0).any() or (cells >= extent).any():
            raise UsageError("a cell lies beyond the grid")
        self._begin_edit(name)
        low, high = cells.min(axis=0), cells.max(axis=0) + 1
        key = self._key(name, [*map(int, low), *map(int, high)])
        part = self.run[key]
        rank = len(key) - 1
        part[tuple((cells - low)[:, axis] for axis in range(rank - 1, -1, -1))] = request["value"]
        self.run[key] = part
        return self._end_edit()

    def _do_fill(self, request: Request, _data: bytes) -> Answer:
        name = self._field(request)[1]
        self._begin_edit(name)
        self.run[self._key(name, self._box(request, name))] = request["value"]
        return self._end_edit()

    def _do_set(self, request: Request, _data: bytes) -> Answer:
        key, value, before = str(request["key"]), str(request["value"]), self._influences()
        own = key in self.run._kinds and not self._flags(key) & _native.PARAM_PATH
        if not own and key != "run.implementation":
            raise UsageError(f"{key!r} is not a key that a view changes")
        section, _, name = key.rpartition(".")
        self.run._go_on(self.run._config.changed(section or self.run.plugin, {name: value}), True)
        self._scene += 1
        self._changes += 1
        if self._influences() == before:
            return {"marks": self._marks}, b""
        self._begin_edit()
        return self._end_edit()

    # ---- Files ----

    def _keep(self, request: Request, data: bytes) -> str:
        """Writes a file that the viewer brings, and returns its path."""
        name = re.sub(r"[^A-Za-z0-9_.-]", "", str(request.get("name") or "pattern.rle").split("/")[-1]).lstrip(".")[-99:]
        if not name or name.endswith((".ini", ".so")):
            raise UsageError("a view opens patterns, snapshots, particles and arrays, and no configuration or library")
        if not data:
            raise UsageError("the file is empty")
        folder = tempfile.mkdtemp(dir=self._folder.name)
        Path(folder, name).write_bytes(data)
        return os.path.join(folder, name)

    def _pattern(self, path: str) -> Config:
        """The configuration of a pattern that the run's plugin takes."""
        context = self.run._config.context
        return Config.made_by(context, lib.engine_config_of_pattern, context.handle, encoded(path), encoded(self.run.plugin))

    def _do_paste(self, request: Request, data: bytes) -> Answer:
        name = next(iter(self.run))
        pattern = Run._of(self._pattern(self._keep(request, data)))[name]
        live = np.argwhere(pattern)
        if not len(live):
            raise UsageError("the pattern has no live cell")
        pattern = pattern[tuple(map(slice, live.min(axis=0), live.max(axis=0) + 1))]
        extent, size = self._extent(name), [*pattern.shape[::-1], 1, 1][:3]
        first = [max(int(request.get(axis, 0)), 0) % length for axis, length in zip("xyz", extent)]
        if any(length > most for length, most in zip(size, extent)):
            raise UsageError("the pattern is larger than the grid")
        self._begin_edit(name)
        for piece in itertools.product(*map(_pieces, first[pattern.ndim - 1 :: -1], pattern.shape, extent[pattern.ndim - 1 :: -1])):
            key, cells = (name, *(place for place, _ in piece)), pattern[tuple(part for _, part in piece)]
            self.run[key] = cells if request.get("over") else np.where(cells, cells, self.run[key])
        return {"box": [*first, *(at + length for at, length in zip(first, size))], **self._end_edit()[0]}, b""

    def _do_open(self, request: Request, data: bytes) -> Answer:
        path = self._keep(request, data)
        if path.endswith(".snapshot"):
            self.run.restore(path)
            return self._end_edit()
        try:
            config = self._pattern(path)
        except Error:  # particles, an array, or a pattern of another plugin: the run's own reader says which
            config = self.run._config.changed("init", {"source": "file", "file": path})
        self.run._go_on(config, False)
        self._scene += 1
        self._changes += 1
        self._begin(os.path.basename(path))
        return {"marks": self._marks}, b""

    def _formats(self) -> Iterator[dict[str, str]]:
        """The formats that can be saved."""
        context, info = self.run._config.context, sized(_native.FormatInfo, format=sized(_native.Format))
        for number in itertools.count():
            name = lib.engine_format_name(context.handle, number)
            if not name:
                return
            try:
                context.call(lib.engine_format_find, context.handle, name, ctypes.byref(info))
            except Error:  # its library does not load
                continue
            if info.format.writes:
                yield {"name": name.decode(), "help": info.format.help.decode(), "endings": info.format.endings.decode()}

    def _cut_out(self, request: Request) -> Run:
        """A run whose grid is the box of the request, with its cells."""
        name = next(iter(self.run))
        if self.run.fields[name].kind != "grid":
            raise UsageError("only a part of a grid can be saved")
        key, config = self._key(name, self._box(request, name)), Config(self.run._config.context, None)
        cells = self.run[key]
        sizes = cells.shape[: len(key) - 1][::-1]
        sections = {"run": {"plugin": self.run.plugin}, self.run.plugin: self._given(self.run.plugin),
                    "grid": {"size": " ".join(map(str, sizes))}, "init": {"source": "defaults"}}
        for section, values in sections.items():
            config = config.changed(section, values)
        small = Run._of(config)
        small[name] = cells
        return small

    def _do_save(self, request: Request, _data: bytes) -> Answer:
        found = [one["endings"].split(" ")[0] for one in self._formats() if one["name"] == request["format"]]
        if not found:
            raise UsageError(f"the format {request['format']} is not written")
        name = f"{self.run.plugin}-{self.run.step:010}{found[0]}"
        path = os.path.join(tempfile.mkdtemp(dir=self._folder.name), name)
        (self._cut_out(request) if request.get("box") else self.run).write(path)
        saved = Path(path).read_bytes()
        os.remove(path)
        if request["format"] == "rle" and request.get("box"):  # a selection has no edges
            saved = re.sub(rb"(?m)^(x = [^:\n]*):.*$", rb"\1", saved, count=1)
        return {"name": name}, saved


def _pieces(first: int, length: int, extent: int) -> list[tuple[slice, slice]]:
    """Along an axis of a torus: cells of the grid, and of the pattern that lies there."""
    before = min(length, extent - first)
    both = [(slice(first, first + before), slice(0, before)), (slice(0, length - before), slice(before, length))]
    return both[: 1 + (before < length)]


def _no_field(number: int) -> str:
    raise UsageError(f"there is no field {number}")
