"""Plugins and files."""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Iterable
from typing import Any, Optional, Union

from ._context import Context, PathLike, encoded, whole
from ._errors import UsageError
from ._native import Conversion, lib, sized

_AXES = "zyx"


class Plugins(dict[str, dict[str, Any]]):
    """The descriptions of plugins by name. It prints a line for each, and ``dict(plugins)`` prints all of it."""

    def __repr__(self) -> str:
        return "\n".join(f"{name:16} {about.get('summary', '')}" for name, about in self.items())


def plugins(plugins: Iterable[PathLike] = ()) -> Plugins:
    """All plugins that load, by name, as ``engine describe --json`` describes them: fields, parameters, metrics,
    generators, implementations.

    Args:
        plugins: folders that are searched first.
    """
    context = Context(plugins)
    described = json.loads(context.text(lib.engine_plugin_json, context.handle, None))
    return Plugins((plugin["name"], plugin) for plugin in described)


def convert(
    source: PathLike,
    target: PathLike,
    *,
    force: bool = False,
    frames: Optional[str] = None,
    scale: int = 0,
    axis: str = "z",
    plane: Optional[int] = None,
    range: Optional[tuple[float, float]] = None,
    component: int = 0,
    universe: Optional[int] = None,
    lines: bool = False,
    captions: bool = False,
    depth: Union[str, tuple[float, float], None] = None,
    source_format: Optional[str] = None,
    target_format: Optional[str] = None,
) -> None:
    """Reads a file and writes it in the format that the ending of ``target`` names, as ``engine convert`` does.

    Args:
        source, target: paths.
        force: replace an existing file.
        frames: which frames, ``"first:end:stride"``; None: all.
        scale: png: pixels along a side of a cell; 0: the engine chooses.
        axis: png of three axes: the axis to look along, ``"z"``, ``"y"`` or ``"x"``.
        plane: png of three axes: show this plane alone; None: all live cells.
        range: png of grids: the darkest and the brightest value; None: as the file says.
        component: png of several components: the one to show, from 1; 0: none.
        universe: of a batch: the one to write, from 0; None: all.
        lines: png of grids: draw lines between cells of 8 pixels or more.
        captions: png: add a strip below, with a bar of a known length and the step.
        depth: png of a volume or of particles: ``"auto"``: nearer cells or particles are brighter and hide others;
            ``(low, high)``: the same, of those in this range along the axis; None: no depth.
        source_format, target_format: the names of the formats, such as ``"rle"``; None: the content of ``source`` and
            the ending of ``target`` say them.
    """
    if axis not in _AXES or len(axis) != 1:
        raise UsageError(f"{axis!r} is not an axis; expected x, y or z")
    if not (depth is None or depth == "auto" or isinstance(depth, tuple) and len(depth) == 2 and depth[0] < depth[1]):
        raise UsageError(f"depth is {depth!r}, expected 'auto' or (low, high)")
    how = sized(
        Conversion,
        force=force,
        scale=whole(scale, "scale", bits=32),
        axis=_AXES.index(axis),
        slice=plane is not None,
        plane=-1 if plane is None else whole(plane, "plane", -1, 63),
        range=tuple(range or (0.0, 0.0)),
        frames=encoded(frames) if frames else None,
        component=whole(component, "component", bits=32),
        universe=0 if universe is None else whole(universe + 1, "universe + 1", 1, 32),
        lines=lines,
        captions=captions,
        deep=depth is not None,
        depth=tuple(depth) if isinstance(depth, tuple) else (0.0, 0.0),
        **{
            "from": encoded(source_format) if source_format else None,
            "to": encoded(target_format) if target_format else None,
        },
    )
    context = Context()
    context.call(lib.engine_convert, context.handle, encoded(source), encoded(target), ctypes.byref(how))
