#!/bin/bash
# The formats of HDF5 files: files of other programs, which tests/formats/make_h5md.py made; files of the engine, read by
# h5py and VTK; files that are damaged; units, frames and runs.
. "$(dirname "$0")/common"
umask 022
cd "$TMP" || exit 1
files=$ROOT/tests/formats
[ -e "$BUILD/plugins/h5md.format.so" ] || skip_all 'built without libhdf5; tools/setup --tests installs libhdf5-dev'

# ---- H5MD -----------------------------------------------------------------------------------------------------------

expect_status 0 "$ENGINE" conform h5md
frames_of() { # a file of xyz, as make_h5md.py prints frames
    perl -ne '
        if (/Lattice="([^"]*)".* step=(\d+) time=(\S+)/) {
            printf "frame %d %g\nbox %s\n", $2, $3, join " ", map { sprintf "%.9g", $_ } split " ", $1 }
        elsif (/^[A-Z]/) { my @word = split; print join(" ", map { sprintf "%.9g", $_ } @word[1 .. 3]), "\n" }' "$1"
}
for name in mdanalysis pyh5md; do
    expect_status 0 "$ENGINE" convert "$files/$name.h5md" "$name.xyz" --quiet
    # pyh5md's box has three lengths, the last of an axis that is not periodic; XYZ has the bounds of the particles there
    expect_equal "$name.h5md as h5py reads it" "$(frames_of "$name.xyz" | sed 's/^\(box 3 0 0 0 4 0 0 0\) .*/\1 0/')" \
        "$(sed 's/^box 3 4 5$/box 3 0 0 0 4 0 0 0 0/' "$files/$name-h5md.txt")"
    expect_status 0 "$ENGINE" convert "$files/$name.h5md" "again-$name.h5md" --quiet
    expect_status 0 "$ENGINE" convert "again-$name.h5md" "again-$name.xyz" --quiet
    expect_same "$name.xyz" "again-$name.xyz"
done
expect_status 0 "$ENGINE" convert "$files/pyh5md.h5md" open.xyz
expect_stderr_has "all that $files/pyh5md.h5md has: the bounds of open axes"
expect 'names of an enumeration, and charges' grep -q '^OW .* -0.8000' pyh5md.xyz
expect_status 0 "$ENGINE" convert "$files/hoomd.gsd" hoomd.h5md --quiet --frames :3
expect_status 0 "$ENGINE" convert hoomd.h5md again.gsd --quiet
expect_status 0 "$ENGINE" convert "$files/hoomd.gsd" hoomd.gsd --quiet --frames :3
expect_same hoomd.gsd again.gsd
expect_status 0 "$ENGINE" convert mdanalysis.xyz frames.h5md --frames 1::
expect_status 0 "$ENGINE" convert frames.h5md frames.xyz --frames 1:
expect_equal 'frames of frames' "$(grep -o 'step=.*' frames.xyz)" 'step=20 time=1'

expect_status 0 "$ENGINE" convert "$files/water.xtc" water.h5md
expect_not 'a unit is kept' grep -q unit stderr
expect_status 0 "$ENGINE" convert water.h5md again.xtc
expect_same "$files/water.xtc" again.xtc
expect_status 0 "$ENGINE" convert water.h5md water.pdb --quiet
expect_status 0 "$ENGINE" convert "$files/water.xtc" direct.pdb --quiet
expect_same direct.pdb water.pdb
printf '2\nspecies=1\nX 0 0 0\nX 1 1 1\n1\n\nX 0 0 0\n' >varies.xyz
refused 'frames of several sizes' 6 'a frame differs from the first one in its size or its arrays' "$ENGINE" convert varies.xyz varies.h5md
printf '1\nProperties=species:S:1:pos:R:3 step=1\nO 0 0 0\n1\nProperties=species:S:1:pos:R:3 step=2\nH 0 0 0\n' >species.xyz
refused 'species that change' 6 'species differs between frames' "$ENGINE" convert species.xyz species.h5md

refused 'an HDF5 file that is no H5MD file' 3 'plain.h5: has no groups h5md and particles' \
    "$ENGINE" convert "$files/plain.h5" plain.xyz
head -c 20000 "$files/mdanalysis.h5md" >cut.h5md
refused 'a file that is cut short' 3 'cut.h5md: libhdf5 cannot open the file: ' "$ENGINE" convert cut.h5md cut.xyz
cp water.h5md damaged.h5md
printf '\377' | dd of=damaged.h5md bs=1 seek=60 conv=notrunc status=none
# libhdf5 1.10 may print a line of its own when the program ends
expect_status 3 "$ENGINE" convert damaged.h5md damaged.xyz
expect_stderr_has 'damaged.h5md: libhdf5 cannot read the groups of the file: '

# ---- VTKHDF ---------------------------------------------------------------------------------------------------------

expect_status 0 "$ENGINE" conform vtkhdf
expect_status 0 "$ENGINE" convert hoomd.gsd points.vtkhdf --quiet
cat >life.ini <<INI
[run]
plugin = life2d-bit
steps = 4
output = life
[grid]
size = 40 30
[init]
source = random
seed = 3
[output]
every = 4
formats = vtkhdf npy
region = 4:24 6:9
INI
expect_status 0 "$ENGINE" run life.ini --quiet
expect 'a file for each output' test -s life/cells-0000000000.vtkhdf -a -s life/cells-0000000004.vtkhdf
refused 'VTKHDF files are not read' 3 'has no known format' "$ENGINE" convert points.vtkhdf points.xyz

# The files have no times of their own. All of this took longer than a second.
expect_status 0 "$ENGINE" convert "$files/water.xtc" water2.h5md
expect_same water.h5md water2.h5md

# ---- A file that cannot be written ------------------------------------------------------------------------------------

for name in full.h5md full.vtkhdf; do
    expect_status 6 sh -c "ulimit -f 1; exec '$ENGINE' convert '$files/water.xtc' $name"
    expect_equal "$name: the sentence says why" "$(cat stderr)" \
        "engine: $name: cannot be written: File too large"
    expect "$name: nothing is left" sh -c '! ls -A | grep -q -e full -e "^\.tmp"'
done

# ---- A libhdf5 that is not safe for threads ---------------------------------------------------------------------------

# It says so, and a second thread in H5Dread ends the program.
cat >unsafe.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <hdf5.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
static atomic_int inside;
herr_t H5is_library_threadsafe(hbool_t *safe)
{
    *safe = 0;
    return 0;
}
herr_t H5Dread(hid_t set, hid_t type, hid_t here, hid_t there, hid_t list, void *out)
{
    herr_t (*next)(hid_t, hid_t, hid_t, hid_t, hid_t, void *);
    *(void **) &next = dlsym(RTLD_NEXT, "H5Dread");
    if (atomic_fetch_add(&inside, 1) > 0)
        abort();
    usleep(3000);
    const herr_t code = next(set, type, here, there, list, out);
    atomic_fetch_sub(&inside, 1);
    return code;
}
C
cat >frames.ini <<'INI'
[run]
plugin = rdf
implementation = cpu
threads = 2
[init]
file = again-mdanalysis.h5md
frames = ::
[rdf]
r_max = 1
[ensemble]
sweep = rdf.bins=10,20,30,40
at_once = 2
INI
hdf5=hdf5
pkg-config --exists hdf5 || hdf5=hdf5-serial
if [ -n "${SANITIZE:-}" ]; then
    skip 'one thread at a time calls it' 'the sanitizers must be loaded first'
else
    read -ra flags <<<"$(pkg-config --cflags "$hdf5") -Wl,--no-as-needed $(pkg-config --libs "$hdf5")"
    expect 'a libhdf5 without support for threads' "${CC:-cc}" -shared -fPIC unsafe.c -o unsafe.so "${flags[@]}" -ldl
    expect_status 0 env LD_PRELOAD="$PWD/unsafe.so" "$ENGINE" run frames.ini --quiet
    # the format that writes asks for elements, which the other one reads; it would wait for itself
    for name in nested.h5md nested.vtkhdf; do
        expect_status 0 env LD_PRELOAD="$PWD/unsafe.so" timeout -s KILL 60 "$ENGINE" convert again-mdanalysis.h5md \
            $name --quiet
    done
fi
expect_equal 'all formats of HDF5 files have the same lock' \
    "$(nm -D "$BUILD/plugins/"{h5md,vtkhdf}.format.so | grep -c ' u engine_hdf5_lock')" 2

# ---- Other programs read the files ------------------------------------------------------------------------------------

# python_with WORD CODE: sets $python to a Python in which the code runs.
python_with() {
    for python in ${PYTHON:+"$PYTHON"} python3 /usr/bin/python3; do
        "$python" -c "$1" 2>/dev/null && return 0
    done
    return 1
}
if python_with 'import h5py, numpy'; then
    # A file of two dimensions, with a box at more steps than the positions and no boundary, and species as real numbers;
    # one whose last frame has a position and no step; and one with the vectors of the axes y, z, x.
    cat >others.py <<'PY'
import h5py, numpy as np
def begin(name):
    f = h5py.File(name, 'w')
    f.create_group('h5md').attrs['version'] = [1, 1]
    return f, f.create_group('particles/all')
f, g = begin('plane.h5md')
g.create_group('box').attrs['dimension'] = 2
g['box/edges/step'] = [0, 5, 10, 15]
g['box/edges/value'] = [[3., 4.], [30., 40.], [5., 6.], [50., 60.]]
g['position/step'] = [0, 10]
g['position/value'] = [[[1., 2.]], [[3., 4.]]]
g['species'] = [7.]
f.close()
f, g = begin('short.h5md')
g['position/step'] = [0, 10]
g['position/value'] = np.arange(9.).reshape(3, 1, 3)
f.close()
f, g = begin('turned.h5md')
g.create_group('box').attrs['boundary'] = ['periodic'] * 3
g['box/edges'] = [[0., 3., 0.], [0., 0., 4.], [5., 0., 0.]]
g['position'] = [[1., 2., 3.]]
g['velocity'] = [[10., 20., 30.]]
f.close()
PY
    "$python" others.py
    expect_status 0 "$ENGINE" convert plane.h5md plane.lammpstrj
    expect_equal 'two dimensions, species as real numbers, a box with its own steps' \
        "$(grep -A1 -e BOUNDS -e ITEM:.ATOMS plane.lammpstrj | grep -v -e ITEM -e -- | xargs)" '0 3 1 8 1 2 0 0 5 1 8 3 4 0'
    expect 'a box without boundary is periodic' grep -q '^ITEM: BOX BOUNDS pp pp ff' plane.lammpstrj
    expect_status 3 "$ENGINE" convert short.h5md short.xyz # its last frame has no step
    expect_stderr_has 'to use the frames before frame 2, counted from 0, give --frames 0:2'
    expect_status 0 "$ENGINE" convert short.h5md short.xyz --frames 0:2
    expect_equal 'the frames before it' "$(grep '^X' short.xyz | xargs)" 'X 0 1 2 X 3 4 5'
    expect_status 0 "$ENGINE" convert turned.h5md turned.xyz
    expect_stderr_has 'turned.h5md: the first vector of the cell is not along x'
    expect_equal 'vectors that are rotated' "$(grep -o '"3 0 0 0 4 0 0 0 5"' turned.xyz) $(grep '^X' turned.xyz)" \
        '"3 0 0 0 4 0 0 0 5" X 2 3 1 20 30 10'
    cat >h5.py <<'PY'
import h5py, numpy as np
with h5py.File('again-pyh5md.h5md') as f:
    g = f['particles/all']
    kind = h5py.check_enum_dtype(g['species'].dtype) if hasattr(h5py, 'check_enum_dtype') else {}
    print(g['species'][:], sorted(kind.items()), g['position/step'][:], g['position/time'][:])
    print(g['box'].attrs['boundary'], g['charge/value'][1])
    with h5py.File('SOURCE/pyh5md.h5md') as old:
        print(np.array_equal(g['position/value'], old['particles/water/position/value']))
    print(f['particles/all/box/edges/step'] == f['particles/all/position/step'])
with h5py.File('water.h5md') as f:
    print(f['particles/all/position/value'].attrs['unit'], f['particles/all/position/value'].dtype)
with h5py.File('points.vtkhdf') as f:
    v = f['VTKHDF']
    print(v.attrs['Type'], v['Points'].shape, v['Steps/Values'][:], v['Steps/PointOffsets'][:], v['PointData/mass'][:3])
with h5py.File('life/cells-0000000004.vtkhdf') as f:
    v = f['VTKHDF']
    print(v.attrs['WholeExtent'], v.attrs['Origin'], np.array_equal(v['CellData/cells'], np.load('life/cells-0000000004.npy')))
PY
    sed -i "s|SOURCE|$files|" h5.py
    expect_equal 'h5py reads the files' "$("$python" h5.py)" "[0 1 1] [('HW', 1), ('OW', 0)] [100 105 110 115] [0.   0.25 0.5  0.75]
[b'periodic' b'periodic' b'none'] [-0.8  0.4  0.4]
True
True
nm float32
b'PolyData' (15, 3) [  0. 250. 500.] [ 0  5 10] [16.  1.  1.]
[ 0 20  0  3  0  0] [4. 6. 0.] True"
else
    skip 'h5py reads the files' 'no Python here has h5py; tools/setup --tests installs python3-h5py'
fi

# Where a Python has VTK. Versions before 9.4, such as that of Debian 12, do not know frames and may crash.
if python_with 'import vtkmodules.vtkCommonCore as c; v = c.vtkVersion; assert (v.GetVTKMajorVersion(), v.GetVTKMinorVersion()) >= (9, 4)'; then
    cat >vtk_reads.py <<'PY'
from vtkmodules.vtkIOHDF import vtkHDFReader
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as pipeline
from vtkmodules.util.numpy_support import vtk_to_numpy as array
for name in 'points.vtkhdf', 'life/cells-0000000004.vtkhdf':
    reader = vtkHDFReader()
    reader.SetFileName(name)
    reader.UpdateInformation()
    about = reader.GetOutputInformation(0)
    times = [about.Get(pipeline.TIME_STEPS(), i) for i in range(about.Length(pipeline.TIME_STEPS()))]
    reader.UpdateTimeStep(times[-1]) if times else reader.Update()
    data = reader.GetOutputDataObject(0)
    print(data.GetClassName(), times, data.GetNumberOfPoints(), data.GetNumberOfCells())
    if data.IsA('vtkPolyData'):
        print(*['%.6g' % x for x in array(data.GetPoints().GetData())[4]], *array(data.GetPointData().GetArray('mass')))
    else:
        print(data.GetOrigin(), *array(data.GetCellData().GetArray('cells')), sep='')
PY
    "$ENGINE" convert hoomd.gsd last.xyz --frames 2: --quiet
    expect_equal 'VTK reads the files' "$("$python" vtk_reads.py)" "vtkPolyData [0.0, 250.0, 500.0] 5 5
$(tail -n 1 last.xyz | perl -ane 'print join " ", map { sprintf "%.6g", $_ } @F[1 .. 3]') 16.0 1.0 1.0 16.0 1.0
vtkImageData [] 84 60
(4.0, 6.0, 0.0)$(tail -c 60 life/cells-0000000004.npy | od -An -tu1 -v | tr -d ' \n')"
fi
plan
