"""The independent check of potts, in NumPy. It shares no code with the engine, and has its own Philox.

    oracle.py loop FIRST.npy LAST.npy STEPS SEED    takes STEPS steps with the default parameters; prints the numbers of
                                                    sites that differ from LAST and from FIRST
    oracle.py measure FILE.npy                      prints the number of cells, their least, mean and largest volume, and
                                                    the pairs of neighbouring sites that are dark and light, dark and
                                                    medium, light and medium
"""
import sys
import numpy as np

MEDIUM, DARK, LIGHT = range(3)
J = np.array([[0, 16, 16], [16, 2, 11], [16, 11, 14]])
TARGET, STIFFNESS, TEMPERATURE, CELLS = 40, 1, 10, 1024
AROUND = [(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if (y, x) != (0, 0)]


def philox(seed, stream, blocks):
    """Words 0 and 1 of Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC11) for counters (block, stream), the key `seed`."""
    low = np.uint64(0xFFFFFFFF)
    half = np.uint64(32)
    c0, c1 = blocks & low, blocks >> half
    c2, c3 = (np.full_like(blocks, part) for part in (stream & 0xFFFFFFFF, stream >> 32))
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        a, b = c0 * np.uint64(0xD2511F53), c2 * np.uint64(0xCD9E8D57)
        c0, c1, c2, c3 = b >> half ^ c1 ^ np.uint64(key[0]), b & low, a >> half ^ c3 ^ np.uint64(key[1]), a & low
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c0, c1


def types(cells):
    return np.where(cells == 0, MEDIUM, np.where(cells % 2 == 0, DARK, LIGHT))


def neighbour(cells, way):
    return np.roll(cells, (-way[0], -way[1]), (0, 1))


def adhesion(cells, of):
    """The sum of J over the pairs of each site with its neighbours, if the site had the number `of`."""
    return sum(np.where(of == other, 0, J[types(of), types(other)]) for other in (neighbour(cells, way) for way in AROUND))


def volume_term(volumes):
    return STIFFNESS * (volumes - TARGET) ** 2


def step(cells, number, seed):
    direction, chance = philox(seed, 2**40 + number, np.arange(cells.size, dtype=np.uint64))
    direction = (direction >> np.uint64(29)).astype(int).reshape(cells.shape)
    chance = (chance >> np.uint64(8)).reshape(cells.shape) / 2**24
    new = np.choose(direction, [neighbour(cells, way) for way in AROUND])
    volumes = np.bincount(cells.ravel(), minlength=CELLS)
    gain = np.where(new > 0, volume_term(volumes[new] + 1) - volume_term(volumes[new]), 0)
    loss = np.where(cells > 0, volume_term(volumes[cells] - 1) - volume_term(volumes[cells]), 0)
    energy = np.clip(adhesion(cells, new) - adhesion(cells, cells) + gain + loss, 0, 4095)
    accepted = np.ones(cells.shape, np.float32)
    for bit in range(12):
        accepted *= np.where(energy >> bit & 1, np.float32(np.exp(-(2**bit) / TEMPERATURE)), np.float32(1))
    y, x = np.indices(cells.shape)
    return np.where((x % 2 + 2 * (y % 2) == number % 4) & (chance < accepted), new, cells)


def measure(cells):
    volumes = np.bincount(cells.ravel(), minlength=CELLS)[1:]
    volumes = volumes[volumes > 0]
    pairs = np.zeros((3, 3), int)
    for way in AROUND[4:]:
        np.add.at(pairs, (types(cells), types(neighbour(cells, way))), 1)
    pairs += pairs.T
    print(len(volumes), volumes.min(), volumes.mean(), volumes.max(), pairs[DARK, LIGHT], pairs[DARK, MEDIUM],
          pairs[LIGHT, MEDIUM])


cells = np.load(sys.argv[2]).astype(int)
if sys.argv[1] == "measure":
    measure(cells)
else:
    first, last = cells, np.load(sys.argv[3])
    for number in range(int(sys.argv[4])):
        cells = step(cells, number, int(sys.argv[5]))
    print(np.count_nonzero(cells != last), np.count_nonzero(first != last))
