"""The independent check of vicsek, in NumPy. It shares no code with the engine, computes in double precision with sines
and cosines, looks at all pairs, and has its own Philox.

    oracle.py POSITION HEADING STEPS EDGE NOISE SEED POSITION2 HEADING2   takes STEPS steps in a box of EDGE x EDGE;
                                                                          prints the largest difference from the second
                                                                          files, and the way of the particles
"""
import sys
import numpy as np

REACH, SPEED = 1, 0.03


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


def nearest(way, edge):
    return way - edge * np.round(way / edge)


def step(x, angle, number, edge, noise, seed):
    apart = nearest(x[:, None] - x[None], edge)
    near = (apart**2).sum(-1) < REACH**2
    words = philox(seed, 2**32 + number, np.arange(len(x), dtype=np.uint64)).astype(np.uint32).view(np.int32)
    mean = np.arctan2(near @ np.sin(angle), near @ np.cos(angle))
    return x + SPEED * np.stack([np.cos(angle), np.sin(angle)], 1), mean + noise * (words / 2**32)


first, heading, last, heading2 = (np.load(sys.argv[i])[:, :2].astype(float) for i in (1, 2, 7, 8))
steps, edge, noise, seed = int(sys.argv[3]), float(sys.argv[4]), float(sys.argv[5]), int(sys.argv[6])
x, angle = first, np.arctan2(heading[:, 1], heading[:, 0])
for number in range(steps):
    x, angle = step(x, angle, number, edge, noise, seed)
turned = np.stack([np.cos(angle), np.sin(angle)], 1)
print(max(abs(nearest(x - last, edge)).max(), abs(turned - heading2).max()), abs(x - first).max())
