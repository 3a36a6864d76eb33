"""Random configurations and uses of runs, compared with plain NumPy."""

from __future__ import annotations

import subprocess
import unittest

import engine
import numpy as np
import random_runs
from reference import ROOT, scratch

# Counter, key and words of philox4x32-10 in the file kat_vectors of Random123.
PUBLISHED = (
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
)
HEADER = """
#include <engine/random.h>
#include <stdio.h>
int main(void)
{
    for (uint64_t block = 0; block < 9; block++) {
        uint32_t words[4];
        engine_random_block(UINT64_C(0x123456789abcdef0), 77, UINT64_C(0xfffffffe) + block, words);
        printf("%u %u %u %u\\n", words[0], words[1], words[2], words[3]);
    }
}
"""


class Words(unittest.TestCase):
    def test_words_are_the_published_ones(self) -> None:
        for counter, key, words in PUBLISHED:
            parts = [int(word, 16) for word in counter.split()]
            block, stream = parts[0] | parts[1] << 32, parts[2] | parts[3] << 32
            low, high = (int(word, 16) for word in key.split())
            found = engine.random(low | high << 32, stream, 4 * block, 4)
            self.assertEqual(" ".join(f"{word:08x}" for word in found), words)

    def test_words_are_those_of_the_header(self) -> None:
        folder = scratch()
        (folder / "words.c").write_text(HEADER)
        subprocess.run(["cc", f"-I{ROOT}/include", "-o", folder / "words", folder / "words.c"], check=True)
        wanted = np.array(subprocess.check_output([folder / "words"]).split(), np.uint32)
        first = 4 * 0xFFFFFFFE
        np.testing.assert_array_equal(engine.random(0x123456789ABCDEF0, 77, first, 36), wanted)
        for begin, end in (0, 0), (1, 2), (3, 30), (5, 36):
            part = engine.random(0x123456789ABCDEF0, 77, first + begin, end - begin)
            np.testing.assert_array_equal(part, wanted[begin:end])
            self.assertEqual(part.dtype, np.uint32)

    def test_a_random_state_is_made_of_them(self) -> None:
        settings = {"init.source": "random", "init.seed": 9, "init.density": 0.25}
        with engine.Grid("life2d-bit", (50, 40), settings=settings) as run:
            words = engine.random(9, count=50 * 40).reshape(40, 50)
            np.testing.assert_array_equal(run["cells"], words < 0.25 * 2**32)

    def test_numbers_of_words(self) -> None:
        words = np.array([0, 0xFF, 0x100, 0xFFFFFFFF, 1 << 31], np.uint32)
        np.testing.assert_array_equal(engine.uniform(words), np.float32([0, 0, 2**-24, 1 - 2**-24, 0.5]))
        np.testing.assert_array_equal(engine.uniform(words, "f8"), [0, 255 / 2**32, 2**-24, 1 - 2**-32, 0.5])
        with self.assertRaises(TypeError):
            engine.uniform(words.astype(np.int64))
        for call in (2**64,), (0, -1), (0, 0, 2**66), (0, 0, 0, -1):
            with self.assertRaises(engine.UsageError):
                engine.random(*call)


class Random(unittest.TestCase):
    def test_runs_are_those_of_numpy_whatever_is_done_with_them(self) -> None:
        for case in range(1, 81):
            self.assertIsNone(random_runs.difference(case), f"case {case}")


if __name__ == "__main__":
    unittest.main()
