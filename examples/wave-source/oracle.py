"""The independent check of wave-source, in NumPy.

    oracle.py loop HEIGHT.npy STEPS SPEED LENGTH    a loop in single precision on the torus, the source in the middle;
                                                    prints the number of cells that differ
    oracle.py theory HEIGHT.npy STEPS SPEED LENGTH  the solution in the plane; prints the largest difference and the
                                                    largest height, more than 5 cells from the source, and the largest
                                                    height where no wave can be yet
"""
import sys
import numpy as np


def pulse(time, length, number=float):
    t = number(2 / length) * number(time) - number(1)
    rest = np.maximum(number(1) - t * t, number(0))
    return rest * rest * rest * (number(1) - number(9) * t * t)


def loop(shape, steps, speed, length):
    height, velocity = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    for step in range(steps):
        around = (np.roll(height, 1, 1) + np.roll(height, -1, 1)) + (np.roll(height, 1, 0) + np.roll(height, -1, 0))
        push = np.zeros(shape, np.float32)
        push[shape[0] // 2, shape[1] // 2] = pulse(step, length, np.float32)
        velocity += np.float32(speed**2) * (around - np.float32(4) * height) + push
        height += velocity
    return height


def theory(distance, time, speed, length):
    """Height = 1 / (2 pi c^2) times the integral of s(time - r / c cosh(x)) over x from 0 on: the source s folded with
    the Green's function of the plane, 1 / (2 pi c^2 sqrt(t^2 - r^2 / c^2))."""
    end = np.arccosh(np.maximum(speed * time / distance, 1))
    x = (np.arange(4000) + 0.5) / 4000 * end[:, None]
    late = time - distance[:, None] / speed * np.cosh(x)
    return pulse(late, length, np.asarray).mean(1) * end / (2 * np.pi * speed**2)


what, found = sys.argv[1], np.load(sys.argv[2])
steps, speed, length = int(sys.argv[3]), float(sys.argv[4]), float(sys.argv[5])
if what == "loop":
    print(np.count_nonzero(loop(found.shape, steps, speed, length) != found), abs(found).max())
else:
    y, x = np.indices(found.shape)
    r = np.hypot(y - found.shape[0] // 2, x - found.shape[1] // 2)
    grid = np.arange(4, r.max() + 1, 0.1)
    right = np.interp(r, grid, theory(grid, steps, speed, length))
    print(abs(found - right)[r > 5].max(), abs(right)[r > 5].max(), abs(found)[r > speed * steps + 5].max())
