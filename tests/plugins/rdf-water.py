"""Makes rdf-water.gro, six frames of eight molecules of water, and rdf-water.txt, the counts and g of all pairs of species
as MDAnalysis and freud compute them. A line is: row, bin, count, g of MDAnalysis, g of freud.

    pip install MDAnalysis==2.11.0 freud-analysis==3.4.0
    python3 tests/plugins/rdf-water.py tests/plugins
"""

import sys
import warnings

import freud
import MDAnalysis as mda
import numpy as np
from MDAnalysis.analysis.rdf import InterRDF
from rdf_frames import read

BINS, R_MAX = 30, 3.0  # ångström
warnings.filterwarnings("ignore")


def make(path):
    rng = np.random.default_rng(1)
    edge = 2 * 3.104
    lattice = np.stack(np.meshgrid(*[np.arange(2)] * 3, indexing="ij"), -1).reshape(-1, 3) * 3.104
    with open(path, "w") as out:
        for frame in range(6):
            oxygen = lattice + rng.normal(0, 0.6, lattice.shape)
            u = rng.normal(size=oxygen.shape)
            u /= np.linalg.norm(u, axis=1)[:, None]
            v = rng.normal(size=oxygen.shape)
            v -= (u * v).sum(1)[:, None] * u
            v /= np.linalg.norm(v, axis=1)[:, None]
            angle = np.deg2rad(109.47)
            atoms = np.stack([oxygen, oxygen + u, oxygen + np.cos(angle) * u + np.sin(angle) * v], 1)
            out.write(f"water t= {frame:.5f} step= {frame}\n{3 * len(oxygen):5d}\n")
            for i, at in enumerate((atoms % edge).reshape(-1, 3) / 10):
                name = ("OW", "HW1", "HW2")[i % 3]
                out.write(f"{i // 3 + 1:5d}SOL  {name:>5}{i + 1:5d}{at[0]:8.3f}{at[1]:8.3f}{at[2]:8.3f}\n")
            out.write(f"{edge / 10:10.5f}{edge / 10:10.5f}{edge / 10:10.5f}\n")


def main(folder):
    path = f"{folder}/rdf-water.gro"
    make(path)
    first = mda.Universe(path)
    _, _, frames = read(path)
    dimensions = first.dimensions
    universe = mda.Universe.empty(len(first.atoms), trajectory=False)
    universe.add_TopologyAttr("names", first.atoms.names)
    universe.load_new(frames, dimensions=dimensions)
    oxygen, hydrogen = universe.select_atoms("name OW"), universe.select_atoms("name HW*")
    with open(f"{folder}/rdf-water.txt", "w") as out:
        for row, (a, b) in enumerate(((oxygen, oxygen), (oxygen, hydrogen), (hydrogen, hydrogen))):
            same = a is b
            rdf = InterRDF(a, b, nbins=BINS, range=(0, R_MAX), exclusion_block=(1, 1) if same else None).run()
            other = freud.density.RDF(BINS, R_MAX, normalization_mode="finite_size" if same else "exact")
            for _ in universe.trajectory:
                box = freud.box.Box.from_box(dimensions[:3])
                points = None if same else b.positions
                other.compute((box, a.positions), query_points=points, reset=False)
            for k in range(BINS):
                count = int(rdf.results.count[k]) // (2 if same else 1)
                assert count == other.bin_counts[k] // (2 if same else 1), "choose another seed: a pair is on an edge"
                out.write(f"{row} {k} {count} {rdf.results.rdf[k]:.9g} {other.rdf[k]:.9g}\n")


main(sys.argv[1])
