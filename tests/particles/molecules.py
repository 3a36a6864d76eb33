#!/usr/bin/env python3
"""Prints what MDAnalysis counts between the centres of the residues of rdf-mixture.gro, as molecules.txt has it: the kind
of centre, the names of the first atoms of two kinds of residues, and pairs in bins of 0.25 angstrom to 5.

    pip install MDAnalysis==2.11.0
    python3 tests/particles/molecules.py tests/plugins/rdf-mixture.gro >tests/particles/molecules.txt"""
import sys
import warnings
import numpy as np
import MDAnalysis as mda
from MDAnalysis.lib.distances import distance_array, self_distance_array

warnings.simplefilter('ignore')
u = mda.Universe(sys.argv[1])
masses = {'OW': 16, 'HW1': 1.008, 'HW2': 1.008, 'C': 12, 'HO': 1.008, 'NA': 23, 'CL': 35.5}
u.add_TopologyAttr('masses', [masses[name] for name in u.atoms.names])
u.add_TopologyAttr('bonds', [(a.ix, r.atoms[0].ix) for r in u.residues for a in r.atoms[1:]])
firsts = np.array([r.atoms[0].name for r in u.residues])
for kind in 'mass', 'geometry':
    of = u.atoms.center_of_mass if kind == 'mass' else u.atoms.center_of_geometry
    centres = of(compound='residues', unwrap=True).astype(np.float32)
    for a, b in ('OW', 'OW'), ('OW', 'C'), ('C', 'NA'):
        if a == b:
            r = self_distance_array(centres[firsts == a], box=u.dimensions)
        else:
            r = distance_array(centres[firsts == a], centres[firsts == b], box=u.dimensions)
        print(kind, a, b, *np.histogram(r, 20, (0, 5))[0])
