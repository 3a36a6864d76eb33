"""What random soups become: the plugin census."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Optional

from ._context import PathLike, Settings, whole
from ._run import run


@dataclass(frozen=True)
class CensusRow:
    """A kind of object.

    Attributes:
        code: its apgcode, ``"xs4_33"``; ``"PATHOLOGICAL"``: soups that were given up; ``"OTHERS"``: objects for which the
            haul had no room.
        count: how many there are.
        soups: the numbers of the first soups that have left it, at most ten.
    """

    code: str
    count: int
    soups: tuple[int, ...]


class Census(Sequence[CensusRow]):
    """The objects that soups have left, the most frequent one first: a sequence of rows.

    Attributes:
        rows: one for each kind of object.
        counts: the number of objects by their codes.
        haul: the text of the haul, in the format of apgsearch.
        soups: how many have been run.
        objects: how many have been counted.
    """

    def __init__(self, haul: str) -> None:
        self.haul = haul
        head, table, samples = (part.splitlines() for part in haul.split("\n\n"))
        numbers = dict(line.split(" ", 1) for line in head)
        self.soups, self.objects = int(numbers["@NUM_SOUPS"]), int(numbers["@NUM_OBJECTS"])
        first = {code: tuple(map(int, soups)) for code, *soups in map(str.split, samples[1:])}
        self.counts = {code: int(count) for code, count in map(str.split, table[1:])}
        self.rows = [CensusRow(code, count, first[code]) for code, count in self.counts.items()]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index):  # type: ignore[no-untyped-def] # a row, or a list of them for a slice
        return self.rows[index]

    def __str__(self) -> str:
        return self.haul

    def __repr__(self) -> str:
        return f"<engine.Census of {self.soups} soups: {self.objects} objects of {len(self)} kinds>"


def census(
    rule: str = "B3/S23",
    symmetry: str = "C1",
    seeds: int = 1000,
    *,
    root: str = "l_census",
    settings: Optional[Settings] = None,
    plugins: Iterable[PathLike] = (),
    **parameters: int,
) -> Census:
    """Runs random soups to their end and counts the objects that they leave, as the plugin census does.

        found = engine.census("B3/S23", "C1", 10000)
        found.counts["xs4_33"]            # blocks
        pandas.DataFrame(found)           # a table with the columns code, count and soups

    Args:
        rule: a rule that counts eight neighbours, without births at 0 or 1.
        symmetry: of the soups, as apgsearch names it: ``"C1"``, ``"D8_4"``.
        seeds: how many soups. Soup n, from 0 on, is made from the SHA-256 of ``root`` and n.
        root: the text from which the soups are made. Roots that begin with ``l_`` give the soups of apgsearch.
        settings, plugins: as in ``engine.Grid``.
        parameters: others of the plugin: ``limit``, ``bytes``.

    Raises:
        UsageError: an argument is wrong.
    """
    keys = {"rule": rule, "symmetry": symmetry, "root": root, "soups": 1, **parameters}
    given = {f"census.{name}": value for name, value in keys.items()}
    count = whole(seeds, "seeds", least=1)
    with run({"run.plugin": "census", "run.steps": count, **given, **(settings or {})}, plugins=plugins) as soups:
        soups.advance(count)
        return Census(soups["haul"].tobytes().split(b"\0", 1)[0].decode())
