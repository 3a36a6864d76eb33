"""Comparing, timing and checking implementations."""

from __future__ import annotations

import ctypes
import html
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Union

from . import _native
from ._context import Config, ConfigLike, Context, PathLike, Settings, assignments, encoded, whole
from ._errors import Error, UnverifiedError, error_of
from ._native import CSV, JSON, ROOFLINE, SVG, TEXT, Trial, c_void_p, lib, sized, texts

Names = Union[str, Sequence[str], None]


def _names(names: Names) -> Optional[bytes]:
    """Names of implementations with commas between them."""
    if names is None:
        return None
    return encoded(names if isinstance(names, str) else ",".join(names))


def _trial(config: Config, impls: Names, sweeps: Union[str, Sequence[str]], **members: Any) -> Trial:
    listed = [sweeps] if isinstance(sweeps, str) else list(sweeps)
    return sized(
        Trial, impls=_names(impls), sweeps=texts(listed), sweep_count=len(listed), **members
    )


def _status(context: Context, function: Any, handle: c_void_p) -> Optional[Error]:
    """The error that the results of a trial amount to."""
    error = _native.Error()
    status = function(handle, ctypes.byref(error))
    return error_of(status, error.text.decode() or "the states of implementations differ") if status else None


class _Shown:
    """What a notebook shows as the text that it prints."""

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


class Verification(_Shown):
    """What ``engine.verify`` found. It is true if every promise of an implementation holds.

    Attributes:
        results: what ``engine verify --json`` prints.
        text: what ``engine verify`` prints.
        error: the first mistake or failure; None: all promises hold.
    """

    def __init__(self, results: Any, text: str, error: Optional[Error]) -> None:
        self.results, self.text, self.error = results, text, error

    def __bool__(self) -> bool:
        return self.error is None

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<engine.Verification: {self.error or 'all promises hold'}>"

    def check(self) -> Verification:
        """Raises the error if there is one, and otherwise returns this object."""
        if self.error is not None:
            raise self.error
        return self


def verify(
    config: ConfigLike,
    settings: Optional[Settings] = None,
    *,
    impls: Names = None,
    steps: int = 0,
    sweeps: Union[str, Sequence[str]] = (),
    plugins: Iterable[PathLike] = (),
) -> Verification:
    """Compares every implementation with the plugin's reference, as ``engine verify`` does.

    Args:
        config, settings, plugins: as for ``engine.run``.
        impls: the implementations to compare; None: all that can run here.
        steps: the most steps; 0: 100.
        sweeps: ``"grid.size=64 64,128 128"``; every combination is tried.
    """
    owner = Config(Context(plugins), config, settings)
    context, handle = owner.context, c_void_p()
    trial = _trial(owner, impls, sweeps, steps=whole(steps, "steps"))
    try:
        context.call(lib.engine_verify, owner.handle, ctypes.byref(trial), ctypes.byref(handle))
        results, text = (context.text(lib.engine_verification_print, handle, form) for form in (JSON, TEXT))
        return Verification(json.loads(results), text, _status(context, lib.engine_verification_status, handle))
    finally:
        lib.engine_verification_close(handle)


@dataclass(frozen=True)
class BenchRow:
    """One implementation with one combination of swept values.

    Attributes:
        implementation: its name.
        swept: the values of the swept keys.
        error: why it did not run; None: it ran.
        seconds: the time of each repeat.
        steps: the steps of one repeat.
        rate: units of work that was done a second, by the median; 0: not known.
        unit: of the rate, such as ``"cell updates/s"``.
        limit: the limit of the machine that the rate is closest to: ``"copy"``, ``"logic"``; None: not known.
        share: the rate as a share of that limit.
        speedup: compared with the first row of the same problem.
        hash: of the state after the steps.
        effective: the rate with the work that the implementation skipped; None: it skipped none.
    """

    implementation: str
    swept: dict[str, str]
    error: Optional[str]
    seconds: tuple[float, ...]
    steps: int
    rate: float
    unit: str
    limit: Optional[str]
    share: Optional[float]
    speedup: float
    hash: Optional[str]
    effective: Optional[float]


def _bench_row(row: dict[str, Any]) -> BenchRow:
    return BenchRow(
        row["implementation"],
        row["swept"],
        row.get("error"),
        tuple(row.get("seconds", ())),
        row.get("steps", 0),
        row.get("rate", 0.0),
        row.get("rate_unit", ""),
        row.get("limit"),
        row.get("share"),
        row.get("speedup", 0.0),
        row.get("hash"),
        row.get("effective"),
    )


class Bench(_Shown, Sequence[BenchRow]):
    """The times of implementations, a sequence of rows. A notebook shows it as a table.

    Attributes:
        rows: one for each implementation and combination of swept values.
        results: what ``engine bench --json`` prints: the rows, the machine, its limits.
        text, csv, svg, roofline: the table, and the plots, as ``engine bench`` writes them.
        error: if states differ, or no row ran; otherwise None.
    """

    def __init__(self, results: Any, text: str, csv: str, svg: str, roofline: str, error: Optional[Error]) -> None:
        self.results, self.text, self.csv, self.svg, self.roofline = results, text, csv, svg, roofline
        self.error = error
        self.rows = [_bench_row(row) for row in results["rows"]]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index):  # type: ignore[no-untyped-def] # a row, or a list of them for a slice
        return self.rows[index]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<engine.Bench of {len(self)} rows>"


def bench(
    config: ConfigLike,
    settings: Optional[Settings] = None,
    *,
    impls: Names = None,
    repeats: int = 0,
    steps: int = 0,
    sweeps: Union[str, Sequence[str]] = (),
    plugins: Iterable[PathLike] = (),
) -> Bench:
    """Times implementations side by side, as ``engine bench`` does.

    Args:
        config, settings, plugins: as for ``engine.run``.
        impls: the implementations to time, also as ``"plugin:implementation"``; None: all that can run here.
        repeats: of each row; 0: that of ``[bench]``, or 5.
        steps: of one repeat; 0: that of ``[bench]``, or as many as take half a second.
        sweeps: ``"grid.size=64 64,128 128"``; every combination is timed.
    """
    owner = Config(Context(plugins), config, settings)
    context, handle = owner.context, c_void_p()
    trial = _trial(
        owner, impls, sweeps, repeats=whole(repeats, "repeats", bits=32), steps=whole(steps, "steps")
    )
    try:
        context.call(lib.engine_bench, owner.handle, ctypes.byref(trial), ctypes.byref(handle))
        numbers = (JSON, TEXT, CSV, SVG, ROOFLINE)
        forms = [context.text(lib.engine_bench_print, handle, form, None) for form in numbers]
        return Bench(json.loads(forms[0]), *forms[1:], _status(context, lib.engine_bench_status, handle))
    finally:
        lib.engine_bench_close(handle)


@dataclass(frozen=True)
class Property:
    """One rule of the interface, checked with one implementation.

    Attributes:
        plugin: its name.
        implementation: None: the rule is about the plugin as a whole.
        property: what holds: ``"equals the reference, whatever the steps of a call"``.
        outcome: ``"holds"``, ``"broken"`` or ``"not checked"``.
        reason: why it is broken or was not checked.
    """

    plugin: str
    implementation: Optional[str]
    property: str
    outcome: str
    reason: str


class Conformance(_Shown, Sequence[Property]):
    """The properties of a plugin, as ``engine.conform`` found them. It is true if none is broken."""

    def __init__(self, properties: Iterable[Property]) -> None:
        self.properties = list(properties)

    def __len__(self) -> int:
        return len(self.properties)

    def __getitem__(self, index):  # type: ignore[no-untyped-def] # a property, or a list of them for a slice
        return self.properties[index]

    def __iter__(self) -> Iterator[Property]:
        return iter(self.properties)

    def __bool__(self) -> bool:
        return not self.broken

    @property
    def broken(self) -> list[Property]:
        """The properties that do not hold."""
        return [checked for checked in self if checked.outcome == "broken"]

    def __str__(self) -> str:
        return "\n".join(
            f"{p.outcome:11} {p.plugin}{'/' + p.implementation if p.implementation else ''}: {p.property}"
            + (f" ({p.reason})" if p.reason else "")
            for p in self
        )

    def __repr__(self) -> str:
        return f"<engine.Conformance: {len(self)} properties, {len(self.broken)} broken>"

    def check(self) -> Conformance:
        """Raises UnverifiedError if a property is broken, and otherwise returns this object."""
        if self.broken:
            raise UnverifiedError("\n".join(f"{p.plugin}/{p.implementation}: {p.property}: {p.reason}" for p in self.broken))
        return self


_OUTCOMES = ("holds", "broken", "not checked")


def conform(
    plugin: PathLike,
    config: ConfigLike = None,
    settings: Optional[Settings] = None,
    *,
    impls: Names = None,
    properties: Names = None,
    placed: bool = False,
    seconds: int = 0,
    plugins: Iterable[PathLike] = (),
) -> Conformance:
    """Checks a plugin against every rule of the interface, as ``engine conform`` does.

    The checks run in a process of their own, because they make copies of it, and a copy has only one of the threads of
    this program.

    Args:
        plugin: a file such as ``"./my-rule.so"``, or a name.
        config, settings: the initial state, the box, the sizes and the parameters to try.
        impls: the implementations to check; None: all that can run here.
        properties: parts of names of the properties to check; None: all.
        placed: the rule depends on the place of a cell.
        seconds: the most for each property; 0: 120.
        plugins: folders of plugins, which are searched first.
    """
    from ._context import find_config

    base = None
    if isinstance(config, (str, os.PathLike)):
        base = find_config(config)
    elif config is not None:
        settings = {**config, **(settings or {})}
    folders = [plugins] if isinstance(plugins, (str, os.PathLike)) else plugins
    request = {
        "library": _native.library_path(),
        "plugin": os.fspath(plugin),
        "config": base,
        "assignments": assignments(settings),
        "impls": (_names(impls) or b"").decode(),
        "properties": (_names(properties) or b"").decode(),
        "placed": placed,
        "seconds": whole(seconds, "seconds", bits=32),
        "plugins": [os.fspath(folder) for folder in folders],
    }
    child = Path(__file__).with_name("_conform.py")
    done = subprocess.run(
        [sys.executable, str(child)], input=json.dumps(request), capture_output=True, text=True, check=False
    )
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        raise Error(f"the process that checks {plugin} ended with status {done.returncode}: {done.stderr.strip()}") from None
    if answer["status"]:
        raise error_of(answer["status"], answer["text"])
    return Conformance(Property(*found[:3], _OUTCOMES[found[3]], found[4]) for found in answer["properties"])
