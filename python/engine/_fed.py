"""Runs whose particles come from arrays, frame after frame: the plan and the plugin's instance stay."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Optional

import numpy as np

from ._context import PathLike, Settings
from ._errors import UsageError
from ._frames import Box, Frame, host, is_on_device, module_of
from ._native import lib
from ._run import Grid, _converted


class Fed(Grid):
    """A plugin with particles in a box, and the frame that it has.

    Args:
        plugin: its name.
        frame: the first frame.
        settings, plugins: as in ``Grid``.
        values: further fields, and parameters.
    """

    _first_step = 1  # at step 0, rdf refuses species that no particle has; a later frame may lack some

    def __init__(
        self, plugin: str, frame: Frame, settings: Optional[Settings], plugins: Iterable[PathLike], **values: Any
    ) -> None:
        self._box_now = frame.box
        self.kind: Any = None
        """What the caller wants to know of the run."""
        self.bonds_file: Optional[Path] = None
        """A file that the caller made for the run. It stays as long as the run is open."""
        keys: dict[str, Any] = {"particles.box": frame.box} if any(frame.box) else {}
        if is_on_device(frame.positions):
            keys["run.device"] = frame.positions.__dlpack_device__()[1]
        keys.update(settings or {})
        super().__init__(plugin, settings=keys, plugins=plugins, position=np.asarray(host(frame.positions)), **values)

    def set_box(self, box: Box) -> None:
        """Gives the run another box. The plugin checks it."""
        if box != self._box_now:
            self._call(lib.engine_run_set_box, (ctypes.c_double * 6)(*box))
            self._box_now = box

    def feed(self, name: str, array: Any) -> None:
        """Sets a field, and keeps the instance. An array on the device of the run is copied there."""
        field = self._field(name)
        if tuple(array.shape) != field.shape:
            raise UsageError(f"{name} has the shape {tuple(array.shape)}, expected {field.shape}")
        number, count, address = self._number(name).number, 0, None
        if is_on_device(array) and self._is_on_device(name):
            module_of(array).from_dlpack(self.view(name))[...] = array
        else:
            values = np.ascontiguousarray(_converted(field, np.asarray(host(array))))
            count, address = values.size, values.ctypes.data
        self._call(lib.engine_run_feed, number, 0, count, address)

    def take(self, name: str, like: Any) -> Any:
        """A copy of a field: where the array ``like`` lies, if the run is on that device."""
        if not (is_on_device(like) and self._is_on_device(name)):
            return self[name]
        array = module_of(like).from_dlpack(self.view(name))
        return array.clone() if hasattr(array, "clone") else array.copy()

    def _is_on_device(self, name: str) -> bool:
        return not isinstance(self.view(name), np.ndarray)
