#!/usr/bin/env python3
"""Makes hoomd.gsd and hoomd-1.gsd with the Python package gsd, which the tests do not need:

    pip install gsd==5.0.1 && python3 tests/formats/make_gsd.py tests/formats/hoomd.gsd double
    pip install gsd==1.10.0 'numpy<2' && python3 tests/formats/make_gsd.py tests/formats/hoomd-1.gsd single

The text beside the file has what the same program reads from it: `frame N`, the box, and for each particle the type, the
position, the mass and the velocity."""
import sys
import gsd.hoomd
import numpy as np

name, precision = sys.argv[1:]
old = not hasattr(gsd.hoomd, 'Frame')
rng = np.random.default_rng(11)
with gsd.hoomd.open(name, 'wb' if old else 'w') as file:
    for i in range(6):
        frame = gsd.hoomd.Snapshot() if old else gsd.hoomd.Frame()
        particles = frame.particles
        frame.configuration.step = 250 * i
        frame.configuration.box = [10, 9 + i, 8, .1, .2, -.3]
        particles.N = 5
        particles.types = ['OW', 'HW1']
        particles.typeid = [0, 1, 1, 0, 1] if i != 3 else [1, 1, 1, 0, 0]
        particles.mass = [16, 1, 1, 16, 1]
        particles.position = rng.random((5, 3)) * 8 - 4
        if i > 1:
            particles.velocity = rng.normal(size=(5, 3))
        particles.image = [[i, 0, 0]] * 5
        frame.log['md/energy'] = np.array([1.5 * i])
        if not old:
            file._precision = precision if i % 2 else 'single' # some frames have double precision
        file.append(frame)

with gsd.hoomd.open(name, 'rb' if old else 'r') as file, open(name.replace('.gsd', '-gsd.txt'), 'w') as text:
    for frame in file:
        print('frame', frame.configuration.step, file=text)
        lx, ly, lz, xy, xz, yz = (float(x) for x in frame.configuration.box)
        print('box', *['%.9g' % x for x in (lx, 0, 0, xy * ly, ly, 0, xz * lz, yz * lz, lz)], file=text)
        p = frame.particles
        for i in range(p.N):
            print(p.types[p.typeid[i]], *['%.9g' % x for x in (*p.position[i], p.mass[i], *p.velocity[i])], file=text)
