"""Makes rdf-slab.txt from the frames of rdf-water.gro: counts and g in planes, layers and slabs, as other programs
compute them. A line is: case, row, bin, count, g, n.

    plane   counts of MDAnalysis, g of freud in a box of two dimensions
    layer   plane with 2.5 <= z < 6: counts of MDAnalysis; g by pairs / area of each frame
    slab    the same z: counts of MDAnalysis in a box that is so high that it has no images along z; g by the mean of the
            parts of a shell around 20000 points in the slab
    gmx     plane, and gmxl: layer; g and n of `gmx rdf -xy`, no counts. Its g of bin k is that of bins 2 k - 1 and 2 k of
            this plugin, and its n is that of bin 2 k + 1

    pip install MDAnalysis==2.11.0 freud-analysis==3.4.0
    python3 tests/plugins/rdf-slab.py tests/plugins       # with GROMACS 2022.5 in the PATH
"""

import subprocess
import sys
import tempfile
import warnings

import freud
import MDAnalysis as mda
import numpy as np
from MDAnalysis.lib.distances import distance_array, self_distance_array
from rdf_frames import read

BINS, R_MAX, LOW, HIGH = 30, 2.97, 2.5, 6.0  # ångström
EDGES = np.arange(BINS + 1) * R_MAX / BINS
warnings.filterwarnings("ignore")


def count(a, b, same, edge):
    """Pairs of each bin, and all that could be counted."""
    box = np.array([edge, edge, 1000, 90, 90, 90], np.float32)
    d = self_distance_array(a, box=box) if same else distance_array(a, b, box=box).ravel()
    assert np.abs(d[:, None] - EDGES).min() > 1e-5, "choose other bins: a pair is on an edge"
    return np.histogram(d, EDGES)[0], len(d)


def parts_of_shells():
    """The volume of each shell within the slab, averaged over 20000 centres: caps beyond the faces are cut off."""
    z = LOW + (np.arange(20000) + 0.5) / 20000 * (HIGH - LOW)

    def ball(r):
        cap = lambda far: np.where(far < r, np.pi * (r - far) ** 2 * (2 * r + far) / 3, 0)
        return (4 / 3 * np.pi * r**3 - cap(z - LOW) - cap(HIGH - z)).mean()

    return np.diff([ball(r) for r in EDGES])


def rows_of(names):
    oxygen, hydrogen = names == "OW", names != "OW"
    return (oxygen, oxygen, True), (oxygen, hydrogen, False)


def write(out, case, row, counts, g, n):
    for k in range(BINS):
        out.write(f"{case} {row} {k} {counts[k]} {g[k]:.9g} {n[k]:.9g}\n")


def write_case(out, case, names, edge, frames, shells, flat, layer):
    for row, (a, b, same) in enumerate(rows_of(names)):
        counts, ideal, centres = np.zeros(BINS, int), 0, 0
        for at in frames.copy():
            inside = (at[:, 2] >= LOW) & (at[:, 2] < HIGH) if layer else np.ones(len(at), bool)
            at[:, 2] *= not flat
            found, pairs = count(at[a & inside], at[b & inside], same, edge)
            counts += found
            ideal += pairs / edge**2 / (1 if flat else HIGH - LOW)
            centres += (a & inside).sum()
        write(out, case, row, counts, counts / (ideal * shells), np.cumsum(counts) * (2 if same else 1) / centres)


def check_freud(names, edge, frames, path):
    """freud's g in two dimensions is that of the case plane."""
    lines = [line.split() for line in open(path)]
    for row, (a, b, same) in enumerate(rows_of(names)):
        rdf = freud.density.RDF(BINS, R_MAX, normalization_mode="finite_size" if same else "exact")
        for at in frames * np.array([1, 1, 0], np.float32):
            box = freud.box.Box.square(edge)
            rdf.compute((box, box.wrap(at[a])), query_points=None if same else box.wrap(at[b]), reset=False)
        ours = [line for line in lines if line[0] == "plane" and line[1] == str(row)]
        assert all(int(x[3]) == c // (2 if same else 1) for x, c in zip(ours, rdf.bin_counts))
        assert np.allclose([float(x[4]) for x in ours], rdf.rdf, rtol=4e-6)


def write_gmx(out, case, path, layer):
    of = f" and z >= {LOW / 10} and z < {HIGH / 10}" if layer else ""
    with tempfile.TemporaryDirectory() as folder:
        selections = [f"name OW{of}", f"(name HW1 or name HW2){of}"]
        files = ["-f", path, "-s", path, "-o", f"{folder}/g.xvg", "-cn", f"{folder}/n.xvg"]
        bins = ["-bin", str(2 * R_MAX / BINS / 10), "-rmax", str(R_MAX / 10)]
        command = ["gmx", "rdf", "-xy", *files, *bins, "-ref", selections[0], "-sel", *selections]
        subprocess.run(command, check=True, capture_output=True)
        g, n = (np.loadtxt(f"{folder}/{name}.xvg", comments=["#", "@"]) for name in "gn")
    for row in range(2):
        for k in range(BINS // 2):
            out.write(f"{case} {row} {k} 0 {g[k, 1 + row]} {n[k, 1 + row]}\n")


def main(folder):
    path = f"{folder}/rdf-water.gro"
    names, edge, frames = read(path)
    rings = np.pi * np.diff(EDGES**2)
    with open(f"{folder}/rdf-slab.txt", "w") as out:
        write_case(out, "plane", names, edge, frames, rings, flat=True, layer=False)
        write_case(out, "layer", names, edge, frames, rings, flat=True, layer=True)
        write_case(out, "slab", names, edge, frames, parts_of_shells(), flat=False, layer=True)
        write_gmx(out, "gmx", path, layer=False)
        write_gmx(out, "gmxl", path, layer=True)
    check_freud(names, edge, frames, f"{folder}/rdf-slab.txt")


main(sys.argv[1])
