#!/usr/bin/env python3
"""Makes trajectories of this folder with MDAnalysis and netCDF4, which the tests do not need:

    pip install MDAnalysis==2.11.0 netCDF4==1.7.5.1.post1
    python3 tests/formats/make_trajectories.py tests/formats

The text beside each file has what the package reads from it: `frame N time`, the lengths and angles of the cell, and
positions, velocities and forces."""
import sys
import netCDF4
import numpy as np
import MDAnalysis as mda

out = sys.argv[1]
rng = np.random.default_rng(11)


def note(text, frame, time, cell, columns):
    print('frame', frame, repr(float(time)), file=text)
    if cell is not None:
        print('cell', *['%.9g' % c for c in cell], file=text)
    for row in np.concatenate(columns, axis=1):
        print(*['%.9g' % c for c in row], file=text)


def empty():
    return mda.Universe.empty(5, trajectory=True, velocities=True, forces=True)


# CDF-2, as MDAnalysis writes it
u = empty()
with mda.Writer(f'{out}/mdanalysis.nc', 5, velocities=True, forces=True) as writer:
    for frame in range(3):
        u.atoms.positions = rng.random((5, 3)) * 20
        u.atoms.velocities = rng.normal(size=(5, 3))
        u.atoms.forces = rng.normal(size=(5, 3)) * 41.84
        u.dimensions = [20 + frame, 21, 22, 80, 75, 60]
        u.trajectory.ts.time = 0.5 * frame
        writer.write(u.atoms)
u = mda.Universe.empty(5, trajectory=True)
u.load_new(f'{out}/mdanalysis.nc', convert_units=False)
with open(f'{out}/mdanalysis-nc.txt', 'w') as text:
    for ts in u.trajectory:
        note(text, ts.frame, ts.time, ts.dimensions, [ts.positions, ts.velocities, ts.forces])

# CDF-1 and CDF-5 with the scale factor of Amber, and with variables of replica exchange, whose records have padding
for kind, name in ('NETCDF3_CLASSIC', 'cdf1'), ('NETCDF3_64BIT_DATA', 'cdf5'):
    with netCDF4.Dataset(f'{out}/{name}.nc', 'w', format=kind) as file:
        file.Conventions = 'AMBER'
        file.createDimension('frame', None)
        file.createDimension('atom', 3)
        file.createDimension('spatial', 3)
        exchange = file.createVariable('remd_dimtype', 'i1', ('frame',))
        position = file.createVariable('coordinates', 'f4', ('frame', 'atom', 'spatial'))
        velocity = file.createVariable('velocities', 'f4', ('frame', 'atom', 'spatial'))
        velocity.scale_factor = 20.455
        time = file.createVariable('time', 'f4', ('frame',))
        for frame in range(3):
            exchange[frame] = frame
            position[frame] = rng.random((3, 3)) * 20
            velocity[frame] = rng.normal(size=(3, 3))
            time[frame] = 0.5 * frame
    with netCDF4.Dataset(f'{out}/{name}.nc') as file, open(f'{out}/{name}-nc.txt', 'w') as text:
        for frame in range(3):
            note(text, frame, file['time'][frame], None, [file['coordinates'][frame], file['velocities'][frame]])
