#!/usr/bin/env python3
"""Makes rdf-mixture.gro, a frame of water, methanol and ions in a triclinic box, and prints what MDAnalysis counts without
the pairs of one residue, as rdf-mixture.txt has it: the pair of names, and pairs in bins of 0.25 angstrom to 5. The last
four pairs are those of the groups of rdf-mixture.ndx, which MDAnalysis writes too.

    pip install MDAnalysis==2.11.0
    python3 tests/plugins/rdf-mixture.py tests/plugins >tests/plugins/rdf-mixture.txt"""
import sys
import warnings
import numpy as np
import MDAnalysis as mda
from MDAnalysis.analysis.rdf import InterRDF

warnings.simplefilter('ignore')
rng = np.random.default_rng(5)
kinds = {'SOL': ['OW', 'HW1', 'HW2'], 'MET': ['C', 'OW', 'HO'], 'NA': ['NA'], 'CL': ['CL']}
molecules = rng.permutation(['SOL'] * 14 + ['MET'] * 8 + ['NA'] * 3 + ['CL'] * 3)
names = [name for molecule in molecules for name in kinds[molecule]]
residues = [k for k, molecule in enumerate(molecules) for _ in kinds[molecule]]
u = mda.Universe.empty(len(names), len(molecules), atom_resindex=residues, trajectory=True)
u.add_TopologyAttr('names', names)
u.add_TopologyAttr('resnames', list(molecules))
u.add_TopologyAttr('resids', np.arange(len(molecules)) + 1)
centres = rng.random((len(molecules), 3)) * 12
u.atoms.positions = centres[residues] + rng.normal(size=(len(names), 3)) * 0.7
u.dimensions = [12, 13, 14, 80, 75, 70]
u.atoms.write(f'{sys.argv[1]}/rdf-mixture.gro')

u = mda.Universe(f'{sys.argv[1]}/rdf-mixture.gro')
groups = {'Solvent': 'resname SOL MET and not name HO', 'Cation': 'resname NA', 'Some-OW': 'resname MET and name HO or resname CL'}
with mda.selections.gromacs.SelectionWriter(f'{sys.argv[1]}/rdf-mixture.ndx', mode='w', numterms=15) as index:
    index.write(u.atoms, name='System')
    for name, words in groups.items():
        index.write(u.select_atoms(words), name=name)
groups.update((name, f'name {name}') for name in ('OW', 'HW1', 'C', 'HO', 'NA'))
pairs = [('OW', 'OW'), ('OW', 'HW1'), ('C', 'HO'), ('OW', 'NA')]
pairs += [('Solvent', 'Solvent'), ('Solvent', 'Cation'), ('Solvent', 'Some-OW'), ('Some-OW', 'Some-OW')]
for a, b in pairs:
    rdf = InterRDF(*map(u.select_atoms, (groups[a], groups[b])), nbins=20, range=(0, 5), exclude_same='residue')
    rdf.run()
    print(f'{a} {b}', *(rdf.results.count / (2 if a == b else 1)).astype(int))
