"""The engine's random numbers, those of engine/random.h, as NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._context import whole
from ._errors import UsageTypeError

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def random(seed: int, stream: int = 0, begin: int = 0, count: int = 1) -> np.ndarray:
    """Words ``begin`` to ``begin + count - 1`` of a stream of random numbers, as uint32.

    They are the numbers that a plugin gets: of ``host->random(seed, stream, begin, count)``, and of
    ``engine_random_block``, which gives words 4 i to 4 i + 3 of block i. A word depends only on the seed, the stream and
    its number. The generator is Philox4x32-10.

    ``[init] source = random`` takes stream 0 for the first field, 1 for the second, and so on.
    """
    seed, stream = whole(seed, "seed"), whole(stream, "stream")
    begin, count = whole(begin, "begin", bits=66), whole(count, "count", bits=62)
    first = begin // 4
    blocks = np.uint64(first) + np.arange((begin + count + 3) // 4 - first, dtype=np.uint64)
    words = [blocks & _LOW, blocks >> _HALF, np.full_like(blocks, stream & 0xFFFFFFFF), np.full_like(blocks, stream >> 32)]
    keys = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        a, b = words[0] * np.uint64(0xD2511F53), words[2] * np.uint64(0xCD9E8D57)
        words = [b >> _HALF ^ words[1] ^ np.uint64(keys[0]), b & _LOW, a >> _HALF ^ words[3] ^ np.uint64(keys[1]), a & _LOW]
        keys = [(keys[0] + 0x9E3779B9) & 0xFFFFFFFF, (keys[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return np.stack(words, axis=1).astype(np.uint32).ravel()[begin - 4 * first :][:count]


def uniform(words: Any, dtype: Any = np.float32) -> np.ndarray:
    """Numbers in [0, 1) from words, as ``[init] source = random`` makes them: the upper 24 bits of a word as a float32,
    and all 32 bits as a float64."""
    words, dtype = np.asarray(words), np.dtype(dtype)
    if words.dtype != np.uint32 or dtype not in (np.float32, np.float64):
        raise UsageTypeError(f"uniform makes float32 or float64 of uint32, not {dtype} of {words.dtype}")
    if dtype == np.float32:
        return (words >> np.uint32(8)).astype(np.float32) * np.float32(2.0**-24)
    return words * 2.0**-32
