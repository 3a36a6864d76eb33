#!/usr/bin/env python3
"""Makes the files of this folder with mdtraj and MDAnalysis, which the tests do not need:

    pip install mdtraj==1.11.1.post2 MDAnalysis==2.11.0
    python3 tests/formats/make.py tests/formats

The text beside each file has what the same program reads from it: `frame N step time`, the box, and positions.

MDAnalysis also wrote ends.xtc: 20 atoms at random places up to 8000 nm. The change of the small box behind the last atom
leaves the table of its sides, which nothing uses. ends.txt has what MDAnalysis reads."""
import sys
import numpy as np
import mdtraj as md
import MDAnalysis as mda
from mdtraj.formats import TRRTrajectoryFile, XTCTrajectoryFile

out = sys.argv[1]
rng = np.random.default_rng(7)
angle = np.deg2rad(104.5)


def water(n):
    o = rng.random((n, 3)) * 2
    c = np.empty((3 * n, 3), np.float32)
    c[0::3] = o
    c[1::3] = o + [.0957, 0, 0]
    c[2::3] = o + [.0957 * np.cos(angle), .0957 * np.sin(angle), 0]
    return c


def write(name, frames, box):
    with XTCTrajectoryFile(f'{out}/{name}.xtc', 'w') as f:
        for i, x in enumerate(frames):
            f.write(x.astype(np.float32), np.float32(i * .5), step=i * 250, box=np.asarray(box, np.float32))
    with XTCTrajectoryFile(f'{out}/{name}.xtc') as f, open(f'{out}/{name}.txt', 'w') as text:
        for x, time, step, box in zip(*f.read()):
            print('frame', step, repr(float(time)), file=text)
            print('box', *[repr(float(b)) for b in box.flatten()], file=text)
            for p in x:
                print(*['%.9g' % c for c in p], file=text)


write('water', [water(8) for _ in range(4)], np.eye(3) * 2)
write('three', [rng.random((3, 3)) for _ in range(3)], [[2, 0, 0], [.5, 3, 0], [.25, .75, 4]])
chain = np.cumsum(rng.integers(-9, 10, size=(2, 40, 3)), 1) / 1000
write('chain', list(chain), np.eye(3) * 5)
wide = rng.random((20, 3)) * 30000
wide[5:15] = wide[5] + np.cumsum(rng.normal(size=(10, 3)) * .05, 0)
write('wide', [wide], np.eye(3) * 30000)

# mdtraj writes velocities and forces only through this function
with TRRTrajectoryFile(f'{out}/mdtraj.trr', 'w') as f:
    for i in range(3):
        f._write(rng.random((1, 5, 3)).astype(np.float32) * 3 - 1, time=np.array([i * .5], np.float32),
                 step=np.array([i * 10], np.int32), lambd=np.zeros(1, np.float32),
                 box=np.array([[[2, 0, 0], [.5, 3, 0], [.25, .75, 4]]], np.float32),
                 vel=rng.normal(size=(1, 5, 3)).astype(np.float32),
                 forces=rng.normal(size=(1, 5, 3)).astype(np.float32))
with TRRTrajectoryFile(f'{out}/mdtraj.trr') as f, open(f'{out}/mdtraj-trr.txt', 'w') as text:
    x, time, step, box, _, velocity, force = f._read(3, None, get_velocities=True, get_forces=True)
    for i in range(3):
        print('frame', step[i], repr(float(time[i])), file=text)
        print('box', *[repr(float(b)) for b in box[i].flatten()], file=text)
        for p in np.concatenate([x[i], velocity[i], force[i]], axis=1):
            print(*['%.9g' % c for c in p], file=text)

top = md.Topology()
chain = top.add_chain()
for _ in range(4):
    residue = top.add_residue('SOL', chain)
    for name, element in (('OW', 'O'), ('HW1', 'H'), ('HW2', 'H')):
        top.add_atom(name, md.element.get_by_symbol(element), residue)
md.Trajectory(np.stack([water(4), water(4)]), top, time=[0, 2], unitcell_lengths=np.full((2, 3), 2.),
              unitcell_angles=np.full((2, 3), 90.)).save_gro(f'{out}/mdtraj.gro')
md.load(f'{out}/mdtraj.gro').save_pdb(f'{out}/mdtraj.pdb')
u = mda.Universe.empty(6, n_residues=2, atom_resindex=[0, 0, 0, 1, 1, 1], trajectory=True, velocities=True)
u.add_TopologyAttr('names', ['OW', 'HW1', 'HW2'] * 2)
u.add_TopologyAttr('resnames', ['SOL', 'SOL'])
u.atoms.positions = water(2) * 10
u.atoms.velocities = rng.normal(size=(6, 3))
u.dimensions = [20, 20, 20, 60, 60, 90]
u.atoms.write(f'{out}/mdanalysis.gro')
u.atoms.write(f'{out}/mdanalysis.pdb')
