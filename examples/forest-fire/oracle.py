"""The independent check of forest-fire, in NumPy. It shares no code with the engine, and has its own Philox.

    oracle.py FIRST.npy LAST.npy STEPS GROWTH LIGHTNING SEED   takes STEPS steps from FIRST; prints the number of cells
                                                               that differ from LAST, and how many of each state it has
"""
import sys
import numpy as np

EMPTY, TREE, BURNING = range(3)


def philox(seed, stream, blocks):
    """Word 0 of Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC11) for counters (block, stream) and the key `seed`."""
    low = np.uint64(0xFFFFFFFF)
    half = np.uint64(32)
    c0, c1 = blocks & low, blocks >> half
    c2, c3 = (np.full_like(blocks, part) for part in (stream & 0xFFFFFFFF, stream >> 32))
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        a, b = c0 * np.uint64(0xD2511F53), c2 * np.uint64(0xCD9E8D57)
        c0, c1, c2, c3 = b >> half ^ c1 ^ np.uint64(key[0]), b & low, a >> half ^ c3 ^ np.uint64(key[1]), a & low
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c0


def step(cells, number, growth, lightning, seed):
    words = philox(seed, 2**40 + number, np.arange(cells.size, dtype=np.uint64)).reshape(cells.shape)
    burning = cells == BURNING
    near = sum(np.roll(burning, way, axis) for axis in (0, 1) for way in (-1, 1)) > 0
    struck = near | (words < int(lightning * 2**32))
    grown = words < int(growth * 2**32)
    return np.where(burning, EMPTY, np.where(cells == TREE, np.where(struck, BURNING, TREE), np.where(grown, TREE, EMPTY)))


cells, last = np.load(sys.argv[1]), np.load(sys.argv[2])
for number in range(int(sys.argv[3])):
    cells = step(cells, number, float(sys.argv[4]), float(sys.argv[5]), int(sys.argv[6]))
print(np.count_nonzero(cells != last), *(np.count_nonzero(last == state) for state in range(3)))
