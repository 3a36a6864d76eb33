"""Rules in plain NumPy, which the tests compare with."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ENGINE_LIBRARY", ROOT / "build" / "x")).parent
ENGINE = os.environ.get("ENGINE", str(BUILD / "engine"))


def neighbours(cells: np.ndarray) -> np.ndarray:
    """The live cells around each cell of a torus with any number of axes."""
    total = np.zeros(cells.shape, int)
    for offset in np.ndindex(*(3,) * cells.ndim):
        total += np.roll(cells, tuple(o - 1 for o in offset), range(cells.ndim))
    return total - cells


def life(cells: np.ndarray, born: tuple = (3,), survive: tuple = (2, 3)) -> np.ndarray:
    """One step of a rule B…/S…."""
    count = neighbours(cells)
    return np.where(cells == 1, np.isin(count, survive), np.isin(count, born)).astype(np.uint8)


def soup(*shape: int, seed: int = 1) -> np.ndarray:
    """Random cells, a third of them alive."""
    return (np.random.default_rng(seed).random(shape) < 1 / 3).astype(np.uint8)


def scratch() -> Path:
    """An empty folder."""
    return Path(tempfile.mkdtemp(dir=os.environ.get("TEST_SCRATCH")))


def engine(*words: object) -> str:
    """What the program prints on stdout."""
    done = subprocess.run([ENGINE, *map(str, words)], capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    return done.stdout
