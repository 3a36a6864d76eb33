"""Random configurations and uses of runs, compared with plain NumPy."""

from __future__ import annotations

import unittest

import random_runs


class Random(unittest.TestCase):
    def test_runs_are_those_of_numpy_whatever_is_done_with_them(self) -> None:
        for case in range(1, 81):
            self.assertIsNone(random_runs.difference(case), f"case {case}")


if __name__ == "__main__":
    unittest.main()
