"""What patterns are."""

from __future__ import annotations

import ctypes
import json
import re
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Optional

from ._context import Context, PathLike, Settings, assignments, encoded, whole
from ._errors import UsageError
from ._native import JSON, TEXT, Question, c_void_p, lib, sized, texts


class Identity(dict[str, Any]):
    """What ``engine.identify`` found: the members of ``engine identify --json``. It prints the table."""

    def __init__(self, members: dict[str, Any], text: str) -> None:
        super().__init__(members)
        self.text = text

    def __str__(self) -> str:
        return self.text


def identify(
    pattern: PathLike,
    settings: Optional[Settings] = None,
    *,
    rule: Optional[str] = None,
    steps: int = 0,
    plugins: Iterable[PathLike] = (),
) -> Identity:
    """Says what a pattern is, as ``engine identify`` does: ``engine.identify("bo$2bo$3o!")["speed"]`` is ``"c/4"``.

    Args:
        pattern: the path of a pattern file, or cells in RLE, which end with ``!``.
        settings: keys of the configuration of the pattern's run.
        rule: the rule of cells in RLE, ``"B36/S23"``; None: Life. A file states its own rule.
        steps: the most steps; 0: 20000.
        plugins: folders that are searched first.
    """
    is_cells = isinstance(pattern, str) and pattern.rstrip().endswith("!")
    if rule is not None and not is_cells:
        raise UsageError("rule is for cells in RLE; the file of a pattern states its rule")
    if not is_cells:
        return _identify(pattern, settings, steps, plugins)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "cells.rle")
        path.write_text(f"{_header(pattern)}, rule = {rule or 'B3/S23'}\n{pattern}\n", encoding="utf-8")
        return _identify(path, settings, steps, plugins)


def _header(cells: str) -> str:
    """The size of cells in RLE: "x = 3, y = 3"."""
    widths = [0]
    for count, tag in re.findall(r"(\d*)([p-y]?[A-X]|[.bo$])", cells):
        if tag == "$":
            widths.extend([0] * int(count or 1))
        else:
            widths[-1] += int(count or 1)
    return f"x = {max(widths)}, y = {len(widths)}"


def _identify(
    path: PathLike, settings: Optional[Settings], steps: int, plugins: Iterable[PathLike]
) -> Identity:
    context, handle, assigned = Context(plugins), c_void_p(), assignments(settings)
    question = sized(
        Question, count=len(assigned), assignments=texts(assigned), steps=whole(steps, "steps")
    )
    try:
        context.call(
            lib.engine_identify, context.handle, encoded(path), ctypes.byref(question), ctypes.byref(handle)
        )
        found, text = (context.text(lib.engine_identity_print, handle, form) for form in (JSON, TEXT))
        return Identity(json.loads(found), text)
    finally:
        lib.engine_identity_close(handle)
