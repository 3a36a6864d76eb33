"""Simulations in memory: the engine from Python.

    import engine

    with engine.run("gosper-gun.ini", {"run.steps": 300}) as run:
        run.advance(100)
        cells = run["cells"]          # a NumPy array, cells[y, x]

``engine.run`` opens a run from a configuration, and ``engine.Grid`` one from arrays. ``engine.rdf``, ``engine.forces`` and
``engine.gravity`` take arrays and return results. ``engine.census`` counts the objects that soups of Life leave.
``engine.verify``, ``engine.bench`` and ``engine.conform`` compare, time and check implementations. Messages of the engine
and of plugins go to the logger "engine" of the module ``logging``. Errors are exceptions: ``engine.Error`` and its
classes.
"""

from ._census import Census, CensusRow, census
from ._errors import DeviceError, Error, InputError, OutputError, PluginError, UnverifiedError, UsageError
from ._files import convert, plugins
from ._forces import Forces, Gravity, forces, gravity
from ._identify import Identity, identify
from ._judge import Bench, BenchRow, Conformance, Property, Verification, bench, conform, verify
from ._native import lib as _lib
from ._page import view
from ._picture import Film
from ._random import random, uniform
from ._rdf import RDF, RDFResult, rdf
from ._run import Field, Grid, Run, resume, run
from ._view import View

__version__: str = _lib.engine_version().decode()
"""The version of the library, with the commit if it is known."""

__all__ = [
    "Bench",
    "BenchRow",
    "Census",
    "CensusRow",
    "Conformance",
    "DeviceError",
    "Error",
    "Field",
    "Film",
    "Forces",
    "Gravity",
    "Grid",
    "Identity",
    "InputError",
    "OutputError",
    "PluginError",
    "Property",
    "RDF",
    "RDFResult",
    "Run",
    "UnverifiedError",
    "UsageError",
    "Verification",
    "View",
    "bench",
    "census",
    "conform",
    "convert",
    "forces",
    "gravity",
    "identify",
    "plugins",
    "random",
    "rdf",
    "resume",
    "run",
    "uniform",
    "verify",
    "view",
]
