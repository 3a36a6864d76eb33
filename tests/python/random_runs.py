"""Random configurations and random uses of runs, compared with plain NumPy.

Each case draws a rule, a grid, edges, tuning parameters, threads, parts, and a series of uses: steps in calls of any
length, writes of boxes, and snapshots that another implementation takes over. `python3 tests/python/random_runs.py
FIRST LAST [WORD]` tries the cases FIRST to LAST with the implementations whose names begin with WORD.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import engine
import numpy as np

Step = Callable[[np.ndarray], np.ndarray]

TUNING = {
    "life2d-bit": {"settled": ["yes", "no"], "instructions": ["avx512", "avx2", "plain"], "steps_per_pass": [1, 3, 8, 64]},
    "life2d-lut": {"table": ["6x3", "4x4", "sums"]},
    "generations": {},
}


def padded(cells: np.ndarray, edges: tuple[str, str], value: int) -> np.ndarray:
    """The cells with those beyond the edges of y and x."""
    for axis, word in enumerate(edges):
        width = [(0, 0), (0, 0)]
        width[axis] = (1, 1)
        how = {"torus": "wrap", "mirror": "symmetric"}.get(word, "constant")
        beyond = {"constant_values": value if word == "fixed" else 0} if how == "constant" else {}
        cells = np.pad(cells, width, how, **beyond)
    return cells


def counts(alive: np.ndarray) -> np.ndarray:
    """The live neighbours of each cell; `alive` has those beyond the edges."""
    height, width = alive.shape[0] - 2, alive.shape[1] - 2
    windows = [alive[y : y + height, x : x + width].astype(int) for y in range(3) for x in range(3) if (y, x) != (1, 1)]
    return sum(windows[1:], windows[0])


class Case:
    """What one case computes, and how NumPy computes it."""

    def __init__(self, seed: int) -> None:
        self.dice, self.numbers = random.Random(seed), np.random.default_rng(seed)
        dice = self.dice
        self.plugin = dice.choice(["life2d-bit", "life2d-bit", "life2d-lut", "generations"])
        self.states = 2 if self.plugin != "generations" else dice.choice([2, 3, 4, 5, 17, 256])
        self.size = tuple(max(1, dice.choice([1, 8, 32, 64, 128]) + dice.choice([-1, 0, 1, 9])) for _ in "xy")
        words = ["torus", "dead", "mirror", dice.choice(["fixed", "torus"])]
        self.edges = dice.choice([("torus", "torus"), ("dead", "dead"), (dice.choice(words), dice.choice(words))])
        if set(self.edges) == {"dead", "fixed"}:  # the value of a corner would be open
            self.edges = ("fixed", "fixed")
        self.value = self.states - 1 if "fixed" in self.edges else 0
        self.born = {n for n in range(0 if dice.random() < 0.2 else 1, 9) if dice.random() < 0.35}
        self.stay = {n for n in range(9) if dice.random() < 0.35}

    def settings(self, implementation: str) -> dict[str, Any]:
        born, stay = ("".join(map(str, sorted(numbers))) for numbers in (self.born, self.stay))
        rule = f"{stay}/{born}/{self.states}" if self.plugin == "generations" else f"B{born}/S{stay}"
        chosen = {
            "run.plugin": self.plugin,
            "run.implementation": implementation,
            "run.threads": self.dice.choice([1, 2, 3]),
            "grid.size": self.size,
            "grid.edges": " ".join(self.edges),
            f"{self.plugin}.rule": rule,
        }
        if "fixed" in self.edges:
            chosen["grid.edge_value"] = self.value
        if self.dice.random() < 0.3:
            chosen["run.parts"] = self.dice.choice([2, 3, 5])
        for name, values in TUNING[self.plugin].items():
            if self.dice.random() < 0.5:
                chosen[f"{self.plugin}.{name}"] = self.dice.choice(values)
        return chosen

    def step(self, cells: np.ndarray) -> np.ndarray:
        count = counts(padded(cells, self.edges[::-1], self.value) == 1)
        older = np.where(cells == 0, 0, (cells.astype(int) + 1) % self.states)
        alive = np.isin(count, list(self.born)) & (cells == 0) | np.isin(count, list(self.stay)) & (cells == 1)
        return np.where(alive, 1, older).astype(np.uint8)

    def soup(self, shape: tuple[int, ...]) -> np.ndarray:
        cells = self.numbers.integers(0, self.states, shape)
        return (cells * (self.numbers.random(shape) < self.dice.choice([0, 0.02, 0.3, 0.6]))).astype(np.uint8)

    def opened(self, names: list[str]) -> tuple[engine.Run | None, dict[str, Any]]:
        """A run of one of these implementations, or None if none can run the case."""
        for _ in range(8):
            settings = self.settings(self.dice.choice(names))
            try:
                return engine.run(settings), settings
            except engine.Error:  # it takes no such size, edges, table or number of parts
                continue
        return None, {}


def difference(seed: int, word: str = "cpu") -> str | None:
    """Runs a case. Returns what differs from NumPy, and None if nothing does."""
    case = Case(seed)
    names = [about["name"] for about in engine.plugins()[case.plugin]["implementations"]]
    names = [name for name in names if name.startswith((word, "hashlife" if word == "cpu" else word))]
    run, settings = case.opened(names)
    if run is None:
        return None
    cells = case.soup(case.size[::-1])
    run["cells"] = cells
    history = [str(settings)]
    for _ in range(case.dice.randint(2, 5)):
        steps = case.dice.choice([0, 1, 2, 3, 5, 8, 13, 30])
        history.append(f"{steps} steps")
        run.advance(steps)
        for _ in range(steps):
            cells = case.step(cells)
        if not np.array_equal(run["cells"], cells):
            return ", ".join(history)
        use = case.dice.choice(["write", "save", "nothing"])
        if use == "write":
            box = tuple(slice(case.dice.randrange(extent), None) for extent in cells.shape)
            cells = cells.copy()
            cells[box] = case.soup(cells[box].shape)
            run[("cells", *box)] = cells[box]
            history.append(f"write {box}")
        elif use == "save":
            other, settings = case.opened(names)
            if other is not None:
                with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_SCRATCH")) as folder:
                    run.save(Path(folder) / "a.snapshot")
                    other.restore(Path(folder) / "a.snapshot")
                run = other
                history.append(f"taken over by {settings}")
    return None


if __name__ == "__main__":
    for number in range(int(sys.argv[1]), int(sys.argv[2]) + 1):
        found = difference(number, *sys.argv[3:])
        if found:
            print(f"case {number}: {found}", flush=True)
