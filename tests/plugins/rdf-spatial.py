"""Makes rdf-spatial.txt from the frames of rdf-water.gro: histograms of the displacements of O-O and O-H pairs up to
2.97, in a cube of 7 x 7 x 7 bins. A line is: case, 7 counts along x; y is the next axis. The displacements are those of
MDAnalysis. PMFTXYZ of freud counts the same, with orientations that do not turn anything.

    pip install MDAnalysis==2.11.0 freud-analysis==3.4.0
    python3 tests/plugins/rdf-spatial.py tests/plugins
"""

import sys

import freud
import numpy as np
from MDAnalysis.lib.distances import minimize_vectors
from rdf_frames import read

BINS, R_MAX = 7, 2.97  # ångström
EDGES = (np.arange(BINS + 1) * 2 / BINS - 1) * R_MAX


def histogram(a, b, same, edge):
    d = (b[None, :] - a[:, None])[~np.eye(len(a), dtype=bool)] if same else (b[None, :] - a[:, None]).reshape(-1, 3)
    d = minimize_vectors(d.astype(np.float32), np.array([edge, edge, edge, 90, 90, 90], np.float32))
    d = d[np.linalg.norm(d, axis=1) < R_MAX]
    assert np.abs(d[:, :, None] - EDGES).min() > 1e-5, "choose other bins"
    return np.histogramdd(d, [EDGES] * 3)[0].astype(int)


def check_freud(frames, a, b, same, edge, counts):
    pmft = freud.pmft.PMFTXYZ(R_MAX, R_MAX, R_MAX, BINS)
    identity = np.tile([1, 0, 0, 0], (len(frames[0]), 1))
    for at in frames:
        box = freud.box.Box.cube(edge)
        near = {"mode": "ball", "r_max": R_MAX, "exclude_ii": same}
        pmft.compute((box, box.wrap(at[b])), identity[a], query_points=box.wrap(at[a]), neighbors=near, reset=False)
    assert (pmft.bin_counts == counts).all()


def main(folder):
    names, edge, frames = read(f"{folder}/rdf-water.gro")
    oxygen, hydrogen = names == "OW", names != "OW"
    with open(f"{folder}/rdf-spatial.txt", "w") as out:
        for case, b, same in ("O-O", oxygen, True), ("O-H", hydrogen, False):
            counts = sum(histogram(at[oxygen], at[b], same, edge) for at in frames)
            check_freud(frames, oxygen, b, same, edge, counts)
            for row in counts.transpose(2, 1, 0).reshape(-1, BINS):
                out.write(f"{case} {' '.join(map(str, row))}\n")


main(sys.argv[1])
