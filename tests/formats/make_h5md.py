#!/usr/bin/env python3
"""Makes the HDF5 files of this folder with MDAnalysis, pyh5md and h5py, which the tests do not need:

    pip install MDAnalysis==2.11.0 pyh5md==1.2.0 h5py==3.16.0
    python3 tests/formats/make_h5md.py tests/formats

The text beside a file has what h5py reads from it: `frame step time`, the box, and the positions."""
import sys
import warnings
import h5py
import MDAnalysis as mda
import numpy as np
import pyh5md

warnings.simplefilter('ignore')
out = sys.argv[1]
rng = np.random.default_rng(5)

u = mda.Universe.empty(6, n_residues=2, atom_resindex=[0, 0, 0, 1, 1, 1], trajectory=True, velocities=True)
u.trajectory.units = {'time': 'ps', 'length': 'Angstrom', 'velocity': 'Angstrom/ps', 'force': None}
with mda.Writer(f'{out}/mdanalysis.h5md', n_atoms=6, author='tests') as w:
    for i in range(3):
        u.atoms.positions = rng.random((6, 3)) * 20
        u.atoms.velocities = rng.normal(size=(6, 3))
        u.dimensions = [20, 21, 22 + i, 60, 60, 90]
        u.trajectory.ts.time = i * .5
        u.trajectory.ts.data['step'] = i * 10
        w.write(u)

# Steps and times that are one number; a box that does not change; species that are an enumeration; a charge.
with pyh5md.File(f'{out}/pyh5md.h5md', 'w', author='tests', creator='pyh5md') as f:
    g = f.particles_group('water')
    g.create_box(dimension=3, boundary=['periodic', 'periodic', 'none'], store='fixed', data=np.array([3., 4., 5.]))
    x = pyh5md.element(g, 'position', store='linear', data=rng.random((3, 3)), step=5, step_offset=100, time=.25)
    for _ in range(4):
        x.append(rng.random((3, 3)))
    kind = h5py.special_dtype(enum=('i', {'HW': 1, 'OW': 0}))
    g.create_dataset('species', data=np.array([0, 1, 1], 'i'), dtype=kind)
    pyh5md.element(g, 'charge', store='fixed', data=np.array([-.8, .4, .4]))

with h5py.File(f'{out}/plain.h5', 'w', libver='latest') as f:
    f['numbers'] = np.arange(3)

for name in 'mdanalysis', 'pyh5md':
    with h5py.File(f'{out}/{name}.h5md') as f, open(f'{out}/{name}-h5md.txt', 'w') as text:
        g = f['particles'][list(f['particles'])[0]]
        p, edges = g['position'], g['box/edges']
        for k in range(p['value'].shape[0]):
            step = p['step'][k] if p['step'].shape else p['step'].attrs.get('offset', 0) + k * p['step'][()]
            time = p['time'][k] if p['time'].shape else p['time'].attrs.get('offset', 0) + k * p['time'][()]
            box = edges['value'][k] if isinstance(edges, h5py.Group) else edges[()]
            print('frame %d %g' % (step, time), file=text)
            print('box', *['%.9g' % x for x in np.ravel(box)], file=text)
            for row in p['value'][k]:
                print(*['%.9g' % x for x in row], file=text)
