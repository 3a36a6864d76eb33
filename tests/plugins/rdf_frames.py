"""Reads rdf-water.gro, in ångström, for the scripts beside it."""

import numpy as np


def read(path):
    """The names, the edge of the box, and the positions of each frame."""
    lines = open(path).read().split("\n")
    step = int(lines[1]) + 3
    names = np.array([line[10:15].strip() for line in lines[2 : step - 1]])
    frames = []
    for begin in range(0, len(lines) - 1, step):
        rows = lines[begin + 2 : begin + step - 1]
        frames.append([[10 * float(row[20 + 8 * k : 28 + 8 * k]) for k in range(3)] for row in rows])
    return names, 10 * float(lines[step - 1].split()[0]), np.array(frames, np.float32)
