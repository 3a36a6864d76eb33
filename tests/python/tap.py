"""Runs unittest's tests of a folder and prints TAP: tap.py FOLDER SCRATCH [PATTERN].

Tests find an empty folder for their files in the variable TEST_SCRATCH. It is removed by the caller.
"""

from __future__ import annotations

import os
import sys
import traceback
import unittest


class Tap(unittest.TestResult):
    """One line of TAP for each test."""

    results = 0

    def _print(self, test: unittest.TestCase, passed: bool, note: str = "") -> None:
        self.results += 1
        name = test.id().replace("#", "")
        print(f"{'ok' if passed else 'not ok'} {self.results} - {name}{note}", flush=True)

    def addSuccess(self, test: unittest.TestCase) -> None:
        self._print(test, True)

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        self._print(test, True, f" # SKIP {reason}")

    def _explain(self, test: unittest.TestCase, problem: tuple) -> None:
        self._print(test, False)
        for line in "".join(traceback.format_exception(*problem)).splitlines():
            print("#", line)

    def addFailure(self, test: unittest.TestCase, problem: tuple) -> None:
        super().addFailure(test, problem)
        self._explain(test, problem)

    def addError(self, test: unittest.TestCase, problem: tuple) -> None:
        super().addError(test, problem)
        self._explain(test, problem)

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, problem: tuple) -> None:
        super().addSubTest(test, subtest, problem)
        if problem is not None:
            self._explain(subtest, problem)


def main() -> int:
    folder, os.environ["TEST_SCRATCH"], *pattern = sys.argv[1:]
    suite = unittest.defaultTestLoader.discover(folder, *(pattern or ["test_*.py"]))
    outcome = Tap()
    suite.run(outcome)
    print(f"1..{outcome.results}", flush=True)
    return 0 if outcome.wasSuccessful() and outcome.results else 1


if __name__ == "__main__":
    sys.exit(main())
