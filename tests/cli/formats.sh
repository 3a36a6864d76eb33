#!/bin/bash
# File formats that are libraries: how they are found, refused and listed; files of other programs, which
# tests/formats/make.py made; units of length; trajectories of an analysis; a new format; `engine conform` of formats.
. "$(dirname "$0")/common"
umask 022 # files of a format may not be writable by others
cd "$TMP" || exit 1
files=$ROOT/tests/formats
read -r -a cc <<<"${CC:-cc}"

# ---- Finding and refusing -------------------------------------------------------------------------------------------

expect_status 0 "$ENGINE" list --formats
expect_stdout_has "read and written, all frames, lengths in nm, .xtc, $BUILD/plugins/xtc.format.so"
expect_stdout_has 'part of the engine'
"$ENGINE" list --formats --json >list.json
expect_equal 'a library in the list' "$(perl -MJSON::PP -e 'local $/; my ($xtc) = grep { $_->{name} eq "xtc" } @{decode_json(<STDIN>)};
    print "$xtc->{length_unit} $xtc->{endings} $xtc->{reads} $xtc->{writes}"' <list.json)" 'nm .xtc 1 1'
expect_not 'formats are no plugins' grep -q format.so <("$ENGINE" list)

# build_format NAME [FLAG]…: a library of the template, with other macros.
expect_status 0 "$ENGINE" new-format tiny source
build_format() {
    "${cc[@]}" -std=c11 -O1 -Wall -Wextra -Wpedantic ${WERROR:+-Werror} ${SANITIZE:+-fsanitize=address,undefined} -I"$ROOT/include" \
        -fPIC -shared "${@:2}" source/format.c -o "$1.format.so"
}
mkdir libraries && cd libraries || exit 1
cp -r ../source .
expect 'the template is built' build_format tiny
printf '2\n\nX 0.5 1 -2\nX 3 4 5.25\n' >two.xyz
expect_status 0 "$ENGINE" convert two.xyz two.tiny --plugins .
expect_stderr_has 'two.tiny: two.xyz states no unit of lengths; its numbers are taken as nm, the unit of tiny files'
expect_equal 'the file of the new format' "$(cat two.tiny)" $'particles 2\n0.5 1 -2\n3 4 5.25'
cp two.tiny two.other
expect_status 0 "$ENGINE" convert two.other back.xyz --plugins . # recognised by its content
expect 'and read back' grep -q '^X 3 4 5.25$' back.xyz
printf '[run]\nplugin = nbody\nplugins = .\nsteps = 0\noutput = out\n[init]\nfile = two.other\n[output]\nformats = tiny\n' >own.ini
if [ -e "$BUILD/plugins/nbody.so" ]; then
    expect_status 0 "$ENGINE" run own.ini --quiet # the folder of [run] plugins has formats, too
    expect_same out/position-0000000000.tiny two.tiny
    expect_status 0 "$ENGINE" resume out --quiet --set run.steps=1
    rm -r out
fi
refused 'a file that no format reads' 3 ' snapshot g96 gro ' "$ENGINE" convert two.other none.xyz
refused 'without the library' 2 'its ending is not the name of a format' "$ENGINE" convert two.xyz three.tiny
printf 'particles 2\n0.5 1 -2\n3 x 5\n' >bad.tiny
refused 'a damaged line' 3 "bad.tiny:3: '3 x 5' is not a position; expected three numbers" \
    "$ENGINE" convert bad.tiny bad.xyz --plugins .
printf 'particles 2\n0.5 1 -2\n' >bad.tiny
refused 'a missing line' 3 'bad.tiny:2: the file ends after 1 of 2 particles of a frame' \
    "$ENGINE" convert bad.tiny bad.xyz --plugins .

# refused_library TEXT FLAG…: a library that is not loaded, and why.
refused_library() {
    build_format tiny "${@:2}" && refused "a library: $1" 4 "$1" "$ENGINE" convert two.xyz other.tiny --plugins .
}
sed -i 's/ENGINE_FILE_FORMAT("tiny".*/.abi = {ENGINE_FORMAT_MAGIC, MAJOR, MINOR, SIZE, sizeof(void *)}, .name = "tiny",\n    .version = "1", .summary = "s", .endings = ENDINGS,/; s/\.flags = /&MORE_FLAGS | /' source/format.c
right=(-DMAJOR=1 -DMINOR=0 -DMORE_FLAGS=0 '-DSIZE=sizeof(struct engine_file_format)' '-DENDINGS=".tiny"')
expect 'the same with macros' build_format tiny "${right[@]}"
expect 'a descriptor of interface 1.4, without seek' build_format tiny "${right[@]}" -UMINOR -DMINOR=4 -USIZE -DSIZE=192
expect_status 0 "$ENGINE" convert two.xyz before.tiny --plugins .
expect_equal 'it is read and written as before' "$("$ENGINE" convert before.tiny before.xyz --plugins . --quiet; tail -n 1 before.xyz)" \
    'X 3 4 5.25'
refused_library 'built for format interface 2, this engine has 1' "${right[@]}" -UMAJOR -DMAJOR=2
refused_library 'needs format interface 1.9, this engine has 1.5' "${right[@]}" -UMINOR -DMINOR=9
refused_library 'its descriptor has 24 bytes' "${right[@]}" -USIZE -DSIZE=24
refused_library 'claims 4096 bytes' "${right[@]}" -USIZE -DSIZE=4096
flags_of() {
    printf '%s' "its flags $2 are not in format interface 1.$1, the version that it asks for; write #define ENGINE_FORMAT_NEEDS"
}
refused_library "$(flags_of 0 0x10)" "${right[@]}" -UMORE_FLAGS -DMORE_FLAGS=ENGINE_FORMAT_UNITS
refused_library "$(flags_of 1 0x20)" "${right[@]}" -UMINOR -DMINOR=1 -UMORE_FLAGS '-DMORE_FLAGS=ENGINE_FORMAT_UNITS | ENGINE_FORMAT_PACKED'
refused_library "$(flags_of 2 0x1000)" "${right[@]}" -UMINOR -DMINOR=2 -UMORE_FLAGS '-DMORE_FLAGS=ENGINE_FORMAT_AXIS | 1u << 12'
refused_library "$(flags_of 3 0x2000)" "${right[@]}" -UMINOR -DMINOR=3 -UMORE_FLAGS '-DMORE_FLAGS=ENGINE_FORMAT_PICTURE | 1u << 13'
refused_library "$(flags_of 4 0x2000)" "${right[@]}" -UMINOR -DMINOR=4 -UMORE_FLAGS '-DMORE_FLAGS=ENGINE_FORMAT_PICTURE | 1u << 13'
refused_library "its endings 'tiny' are not words" "${right[@]}" -UENDINGS '-DENDINGS="tiny"'
refused_library 'a format that converts a film needs encode' "${right[@]}" -UMINOR -DMINOR=3 -DENGINE_FORMAT_NEEDS=3 \
    -UENDINGS '-DENDINGS=".tiny", .film = "apng"'
refused_library 'exports no symbol engine_file_format: is this a file format?' "${right[@]}" -Dengine_file_format=other_name
build_format other "${right[@]}"
refused 'a library with another name' 4 "the file of format 'tiny' must be called tiny.format.so" \
    "$ENGINE" convert two.xyz two.other --plugins . --force
rm other.format.so
sed -i 's/^\( *\)(void) file, (void) self, (void) number, (void) frame;/&\n\1FRAME/' source/format.c
build_format tiny "${right[@]}" -UMINOR -DMINOR=2 -DENGINE_FORMAT_NEEDS=2 \
    '-DFRAME=static const struct engine_file_content other; frame->content = &other;'
refused 'frames that differ' 4 'two.tiny: format tiny breaks its interface: frames that differ need the flag ENGINE_FORMAT_RANGES' \
    "$ENGINE" convert two.tiny other.xyz --plugins .
build_format tiny "${right[@]}" -DFRAME=
chmod o+w tiny.format.so
refused 'a library that others can write' 4 tiny.format.so "$ENGINE" convert two.xyz other.tiny --plugins .
cd ..

# ---- Files of other programs ----------------------------------------------------------------------------------------

# Prints a trajectory as tests/formats/make.py does, from a file of lammpstrj or xyz.
frames_of() {
    perl -ne '
        if (/^\d+$/) { $left = $_ + 1 }
        elsif (/Lattice="([^"]*)".* step=(\d+) time=(\S+)/) {
            printf "frame %d %g\nbox %s\n", $2, $3, join " ", map { sprintf "%g", $_ } split " ", $1 }
        else { my @word = split; printf "%.9g %.9g %.9g\n", @word[1 .. 3] }' "$1"
}
expected_of() {
    perl -ne 'my ($kind, @number) = split;
        if ($kind eq "frame") { printf "frame %d %g\n", @number }
        elsif ($kind eq "box") { print "box ", join(" ", map { sprintf "%g", $_ } @number), "\n" }
        else { print }' "$1"
}
for name in water three chain wide; do
    expect_status 0 "$ENGINE" convert "$files/$name.xtc" "$name.xyz" --quiet
    expect_equal "$name.xtc as mdtraj reads it" "$(frames_of "$name.xyz" | cksum)" "$(expected_of "$files/$name.txt" | cksum)"
done
# Positions below 2^24 thousandths of a nanometre are rounded to the same numbers again, and so give the same bits.
for name in water three chain; do
    expect_status 0 "$ENGINE" convert "$files/$name.xtc" "again-$name.xtc"
    expect_same "$files/$name.xtc" "again-$name.xtc"
done
expect_status 0 "$ENGINE" convert "$files/mdtraj.trr" mdtraj.trr.xyz --quiet
expect_equal 'mdtraj.trr with velocities and forces as mdtraj reads it' \
    "$(grep '^X' mdtraj.trr.xyz | cut -c 3-)" "$(grep -v '^[fb]' "$files/mdtraj-trr.txt")"
expect_status 0 "$ENGINE" convert "$files/mdtraj.trr" again.trr
expect_same "$files/mdtraj.trr" again.trr
head -c 700 "$files/water.xtc" >cut.xtc
refused 'a trajectory that is cut short' 3 \
    'cut.xtc: byte 700: the file ends within frame 3, counted from 0, which begins at byte' "$ENGINE" convert cut.xtc cut.xyz
expect_status 0 "$ENGINE" convert "$files/mdtraj.gro" mdtraj.xyz --quiet
expect_equal 'frames, names and times of mdtraj' "$(grep -c '^HW1 ' mdtraj.xyz) $(grep -c 'time=2' mdtraj.xyz)" '8 1'
expect_status 0 "$ENGINE" convert "$files/mdanalysis.gro" mdanalysis.xyz --quiet
expect 'velocities, residues and a box of MDAnalysis' grep -q \
    'Lattice="2 0 0 0 2 0 1 1 1.41421".*residue:I:1:velo:R:3' mdanalysis.xyz
for name in mdtraj mdanalysis; do
    expect_status 0 "$ENGINE" convert "$files/$name.gro" "$name.gro" --quiet
    expect_equal "$name.gro: the numbers are the same" "$(sed -n '3,$p' "$name.gro" | cut -c 1-5,9- | grep -v written | sed 's/^.\{5\}.\{2\}//' | head -n 4 | cut -c 12-)" \
        "$(sed -n '3,$p' "$files/$name.gro" | cut -c 1-5,9- | sed 's/^.\{5\}.\{2\}//' | head -n 4 | cut -c 12-)"
done

# The same atoms as GRO and PDB, in nm and in angstrom.
for name in mdtraj mdanalysis; do
    expect_status 0 "$ENGINE" convert "$files/$name.pdb" "$name-pdb.xyz" --quiet
    expect_equal "$name: angstrom of PDB are tenths of the nm of GRO" \
        "$(awk '/^[OH]/ { printf "%.3f %.3f %.3f\n", $2 / 10, $3 / 10, $4 / 10 }' "$name-pdb.xyz")" \
        "$(awk '/^[OH]/ { printf "%.3f %.3f %.3f\n", $2, $3, $4 }' "$name.xyz")"
    expect_status 0 "$ENGINE" convert "$files/$name.pdb" "$name-pdb.gro" --quiet
    expect_equal "$name: converted to nm" "$(sed '1,2d' "$name-pdb.gro" | cut -c 21-44 | head -n 6)" \
        "$(sed '1,2d' "$files/$name.gro" | cut -c 21-44 | head -n 6)"
done
expect_equal 'the box of the unit cell' "$(tail -n 1 mdanalysis-pdb.gro)" "$(tail -n 1 "$files/mdanalysis.gro")"
expect_equal 'models' "$(grep -c '^12$' mdtraj-pdb.xyz)" 2
expect_equal 'the one unit cell of mdtraj is that of both models' \
    "$(grep -c CRYST1 "$files/mdtraj.pdb") $(grep -o 'Lattice="[^"]*"' mdtraj-pdb.xyz | uniq -c | tr -s ' ')" \
    '1  2 Lattice="20 0 0 0 20 0 0 0 20"'

# GSD files, of two versions and two precisions. Chunks that a frame lacks are those of frame 0.
gsd_frames() {
    perl -ne '
        if (/Lattice="([^"]*)".* step=(\d+)/) {
            printf "frame %d\nbox %s\n", $2, join " ", map { sprintf "%.9g", $_ } split " ", $1 }
        elsif (/^([A-Z]\w+) (.*)/) { my @n = split " ", $2; print join(" ", $1, map { sprintf "%.9g", $_ } @n[0 .. 6]), "\n" }' "$1"
}
single() { # frames in single precision, which the engine writes
    perl -pe 's/\S+\.\S+/sprintf "%.6g", unpack "f", pack "f", $&/ge' "$1"
}
for name in hoomd hoomd-1; do
    expect_status 0 "$ENGINE" convert "$files/$name.gsd" "$name.xyz" --quiet
    expect_equal "$name.gsd as the package gsd reads it" "$(gsd_frames "$name.xyz")" "$(cat "$files/$name-gsd.txt")"
    expect_status 0 "$ENGINE" convert "$files/$name.gsd" "again-$name.gsd" --quiet
    expect_status 0 "$ENGINE" convert "again-$name.gsd" "again-$name.xyz" --quiet
    expect_equal "$name.gsd: written and read again" "$(gsd_frames "again-$name.xyz" | single -)" "$(single "$files/$name-gsd.txt")"
done
expect_status 0 "$ENGINE" convert "$files/hoomd.gsd" frames.xyz --frames 1::2
expect_equal 'every other frame of a GSD file' "$(grep -o 'step=[0-9]*' frames.xyz | xargs)" 'step=250 step=750 step=1250'
expect_stderr_has 'hoomd.gsd has: log/md/energy, particles/image'
head -c 6000 "$files/hoomd.gsd" >cut.gsd
refused 'a GSD file that is cut short' 3 'is not within the file' "$ENGINE" convert cut.gsd cut.xyz
printf 'LATTICE\n' >text.gsd
refused 'a file that is no GSD file' 3 'text.gsd: has no known format' "$ENGINE" convert text.gsd cut.xyz
# The message ends with the formats that are read, among them libraries, only if the format is the reason.
expect 'and the formats that are read' grep -q ' snapshot g96 gro gsd .*trr xtc$' stderr
named='a: has no known format; the engine reads.gz'
printf '\x93NUMPY' | gzip >"$named"
refused 'a file whose name has the words of another error' 3 'gunzip it first' "$ENGINE" convert "$named" cut.xyz
expect 'no formats are listed behind it' grep -q 'gunzip it first$' "$TMP/stderr"
python3 -c 'import zipfile; zipfile.ZipFile("bomb.zip", "w", 8).writestr("a.rle", "x = 3, y = 3\n" + "b" * 80000000)'
run "$ENGINE" convert bomb.zip bomb.npy
expect_equal 'a bomb in an archive is refused with its sizes' "$status $(sed 's/from [0-9]* to/from N to/' "$TMP/stderr")" \
    "3 engine: bomb.zip: a.rle unpacks from N to 80000013 bytes, which is more than 64 MiB and 200 times its size and looks \
like damage or malice; if that is intended, unzip it first"
printf '1\n\nX 1e60 0 0\n' >huge.xyz
refused 'a position that does not fit' 6 'huge.gsd: particles/position of particle 0 is 1e+60, which single precision cannot hold' \
    "$ENGINE" convert huge.xyz huge.gsd

# The package gsd reads what the engine writes.
python=
for candidate in ${PYTHON:+"$PYTHON"} python3 /usr/bin/python3; do
    "$candidate" -c 'import gsd.hoomd' 2>/dev/null && python=$candidate && break
done
if [ -z "$python" ]; then
    skip 'the package gsd reads a file of the engine' 'no Python here has gsd; tools/setup --tests installs python3-gsd'
else
    cat >read-gsd.py <<'PY'
import sys, gsd.hoomd
for frame in gsd.hoomd.open(sys.argv[1]):
    print('frame', frame.configuration.step)
    lx, ly, lz, xy, xz, yz = (float(x) for x in frame.configuration.box)
    print('box', *['%.9g' % x for x in (lx, 0, 0, xy * ly, ly, 0, xz * lz, yz * lz, lz)])
    p = frame.particles
    for i in range(p.N):
        print(p.types[p.typeid[i]], *['%.9g' % x for x in (*p.position[i], p.mass[i], *p.velocity[i])])
PY
    expect_equal 'the package gsd reads a file of the engine' "$("$python" read-gsd.py again-hoomd.gsd | single -)" \
        "$(single "$files/hoomd-gsd.txt")"
fi

# ---- Grids ----------------------------------------------------------------------------------------------------------

"${cc[@]}" -std=c11 -O1 -Wall -Wextra -Wpedantic ${WERROR:+-Werror} -I"$ROOT/include" -fPIC -shared "$files/grid.c" -o rawgrid.format.so
expect_status 0 "$ENGINE" conform ./rawgrid.format.so
printf '#C a glider\nx = 3, y = 3, rule = B3/S23\nbob$2bo$3o!\n' >glider.rle
expect_status 0 "$ENGINE" convert glider.rle glider.rawgrid --plugins .
expect_equal 'the cells of a grid' "$(tail -c 9 glider.rawgrid | od -An -tu1 | xargs)" '0 1 0 0 0 1 1 1 1'
expect_status 0 "$ENGINE" convert glider.rawgrid back.rle --plugins . --force
expect 'and read again' grep -q '^bo$2bo$3o!' back.rle
refused 'a format of grids gets no particles' 6 'format rawgrid cannot hold any of the arrays' \
    "$ENGINE" convert "$files/water.xtc" water.rawgrid --plugins . --frames :1
refused 'a format of particles gets no grid' 6 'format xtc cannot hold any of the arrays' "$ENGINE" convert glider.rle glider.xtc
sed 's/^size = .*/size = 40 30/; s/^steps = .*/steps = 6/' good.ini >grid.ini
cat >>grid.ini <<INI
[output]
every = 3
formats = rawgrid npy
region = 4:24 6:9
INI
expect_status 0 "$ENGINE" run grid.ini --quiet --set run.output=grid --plugins . --plugins "$BUILD/plugins"
expect_equal 'the file of a part says where it is' "$(od -An -tu8 -j 32 -N 80 -w80 grid/cells-0000000003.rawgrid | xargs)" \
    '20 3 1 4 6 0 1 1 1 1'
expect_equal 'and has its cells' "$(tail -c 60 grid/cells-0000000006.rawgrid | cksum)" "$(tail -c 60 grid/cells-0000000006.npy | cksum)"

# ---- Units, and an analysis -----------------------------------------------------------------------------------------

cat >rdf.ini <<INI
[run]
plugin = rdf
output = rdf
[init]
file = $files/water.xtc
frames = 1::2
[rdf]
r_max = 0.5
INI
expect_status 0 "$ENGINE" check rdf.ini
expect_stdout_has 'water.xtc, 2 frames'
expect_stdout_has 'lengths         nm, the unit of xtc files'
expect_status 0 "$ENGINE" check rdf.ini --set init.length_unit=angstrom --set rdf.r_max=5
expect_stdout_has 'lengths         angstrom, as [init] length_unit asks; converted from nm, the unit of xtc files'
expect_status 0 "$ENGINE" check rdf.ini --set init.length_unit=nm --set "init.file=$TMP/water.xyz"
expect_stdout_has 'lengths         nm, as [init] length_unit says; xyz files state no unit, and their numbers are taken as they are'
counts() {
    "$ENGINE" run rdf.ini --quiet --force --set output.formats=csv "$@" && cut -d, -f4 rdf/rdf.csv
}
nanometres=$(counts)
expect_equal 'the same pairs from the text' "$(counts --set "init.file=$TMP/water.xyz")" "$nanometres"
expect_equal 'and as many bins with counts in angstrom' "$(counts --set init.length_unit=angstrom --set rdf.r_max=5 | grep -vc '^0$')" \
    "$(grep -vc '^0$' <<<"$nanometres")"
expect_equal 'there are pairs' "$(grep -c '^[1-9]' <<<"$nanometres" | sed 's/^[1-9].*/some/')" some

# Frames that are not asked for are not decoded: damage in them is not found.
cp "$files/water.xtc" damaged.xtc
printf '\0\0\0\0' | dd of=damaged.xtc bs=1 seek=84 conv=notrunc status=none # of frame 0: the side of the small box
expect_equal 'frames that are skipped are not decoded' "$(counts --set "init.file=$TMP/damaged.xtc")" "$nanometres"
refused 'a frame that is read is' 3 'damaged.xtc: byte 0: the frame that begins here is damaged: the side of the small box' \
    "$ENGINE" convert damaged.xtc damaged.xyz

# ---- Outputs of a run -----------------------------------------------------------------------------------------------

cat >springs.ini <<'INI'
[run]
plugin = nbody
steps = 6
output = springs
[particles]
count = 40
[init]
source = plummer
[output]
every = 2
formats = xtc
[checkpoint]
every = 3
INI
expect_status 0 "$ENGINE" run springs.ini --quiet
expect_status 0 "$ENGINE" convert springs/position.xtc springs.xyz --quiet
expect_equal 'a run adds a frame at each output' "$(grep -o 'step=[0-9]*' springs.xyz | xargs)" 'step=0 step=2 step=4 step=6'
# The step stands in place of a time that nobody knows: gmx and MDAnalysis choose frames by it.
expect_equal 'times of xtc' "$(grep -o ' time=[0-9.]*' springs.xyz | xargs)" 'time=0 time=2 time=4 time=6'
expect_status 0 "$ENGINE" run springs.ini --quiet --set output.formats=trr --set run.output=trr
expect_status 0 "$ENGINE" convert trr/position.trr trr.xyz --quiet
expect_equal 'times of trr' "$(grep -o ' time=[0-9.]*' trr.xyz | xargs)" 'time=0 time=2 time=4 time=6'

# Frames are decoded ahead, two banks in turn. Each frame is what a conversion of this frame alone gives.
expect_status 0 "$ENGINE" run springs.ini --quiet --set run.steps=60 --set output.every=1 --set run.output=long
expect_status 0 "$ENGINE" convert long/position.xtc long.xyz --quiet
alone=
for frame in 0 1 2 3 17 18 40 59 60; do
    "$ENGINE" convert long/position.xtc alone.xyz --quiet --force --frames "$frame:$((frame + 1))"
    cmp -s alone.xyz <(sed -n "$((42 * frame + 1)),$((42 * frame + 42))p" long.xyz) || alone="$alone $frame"
done
expect_equal 'frames of a long file, one by one' "$alone" ''
for range in 0:61:3 5:60:7 2:4; do
    IFS=: read -r first end step <<<"$range"
    expect_status 0 "$ENGINE" convert long/position.xtc some.xyz --quiet --force --frames "$range"
    expect_equal "frames $range of a long file" "$(cksum <some.xyz)" "$(
        for ((frame = first; frame < end; frame += ${step:-1})); do sed -n "$((42 * frame + 1)),$((42 * frame + 42))p" long.xyz; done | cksum)"
done

# Species without names keep their numbers, and velocities that are wider than their columns are refused.
printf 'ITEM: TIMESTEP\n7\nITEM: NUMBER OF ATOMS\n3\nITEM: BOX BOUNDS pp pp pp\n0 9\n0 9\n0 9\nITEM: ATOMS id type x y z residue vx vy vz
1 1 1 2 3 5 0 0 -98.5\n2 2 1 2 4 5 0 0 998.5\n3 13 1 2 5 6 0 0 0\n' >unnamed.lammpstrj
expect_status 0 "$ENGINE" convert unnamed.lammpstrj unnamed.gro --quiet
expect_equal 'gro: names made of numbers' "$(sed -n '3,5p' unnamed.gro)" '    5MOL      X    1   1.000   2.000   3.000  0.0000  0.0000-98.5000
    5MOL     X1    2   1.000   2.000   4.000  0.0000  0.0000998.5000
    6MOL    X12    3   1.000   2.000   5.000  0.0000  0.0000  0.0000'
expect_status 0 "$ENGINE" convert unnamed.lammpstrj unnamed.pdb --quiet
expect_equal 'pdb: the same' "$(grep ^ATOM unnamed.pdb | cut -c 13-16,23-26)" $' X     5\n X1    5\n X12   6'
for velocity in -149.25 1000.5; do
    sed "s/998.5/$velocity/" unnamed.lammpstrj >fast.lammpstrj
    expect_status 6 "$ENGINE" convert fast.lammpstrj fast.gro --quiet
    expect_stderr_has "atom 2 has the velocity $velocity; expected -99 to 999 in nm and ps"
done

# A resumed run keeps the frames before its checkpoint, also if a film is its only output.
for format in xtc dcd gsd; do
    expect_status 0 "$ENGINE" run springs.ini --quiet --set "output.formats=$format" --set run.output=resumed --force
    expect_status 0 "$ENGINE" resume resumed --quiet --set run.steps=10
    expect_status 0 "$ENGINE" convert "resumed/position.$format" resumed.xyz --quiet --force
    expect_equal "$format: all frames of a resumed run" "$(grep -o 'step=[0-9]*' resumed.xyz | xargs)" \
        'step=0 step=2 step=4 step=6 step=8 step=10'
done
expect 'a run writes masses and velocities with the positions' grep -q 'pos:R:3:mass:R:1:velo:R:3' resumed.xyz

# ---- Conform --------------------------------------------------------------------------------------------------------

for name in xtc gro g96 trr pdb nc gsd mp4 gif; do
    expect_status 0 "$ENGINE" conform "$name"
done
expect_status 2 "$ENGINE" conform xtc --impl cpu
# conforms_not PROPERTY SED: the template with an error does not keep the promise.
conforms_not() {
    rm -rf broken && "$ENGINE" new-format tiny broken --quiet && sed -i "$2" broken/format.c
    expect_not "broken: $1" cmp -s broken/format.c source/format.c
    "${cc[@]}" -std=c11 -O1 -w -I"$ROOT/include" -fPIC -shared broken/format.c -o broken/tiny.format.so
    expect_status 1 "$ENGINE" conform broken/tiny.format.so
    expect "not ok: $1" grep -q "^not ok .* tiny: $1" stdout
}
conforms_not 'probe refuses files of other formats' 's/return count >= sizeof first/return count > 1 || count >= sizeof first/'
conforms_not 'probe takes files that were written' 's/"particles ";/"particels ";/'
conforms_not 'what is written is read again' 's/%.17g %.17g/%.2g %.17g/'
conforms_not 'what is written is read again' 's/reader->places\[number\].offset/reader->places[0].offset/'
conforms_not 'odd values are written or refused' 's/code = ENGINE_FAIL_FILE(file, "particle/abort(); ENGINE_FAIL_FILE(file, "particle/'
conforms_not 'files that are cut at any byte' 's/return ENGINE_FAIL_LINE(file, lines->number, "the file ends after/return (void) ENGINE_INVALID, 7; ENGINE_FAIL_LINE(file, lines->number, "the file ends after/'
conforms_not 'files with any damaged bit' 's/!engine_word_real(word, &position\[i\])/(!engine_word_real(word, \&position[i]) \&\& (abort(), 1))/'
conforms_not 'files that are cut at any byte' 's/^    struct reader \*reader = (struct reader \*) file->allocate.*/if (file->bytes == 0) __builtin_exit(1);&/'
conforms_not 'frames of different numbers of particles are refused' 's/particles != reader->particles/particles > reader->particles/'
# A file that had 18 frames keeps the bytes of a frame that was removed.
rm -rf broken && mkdir broken && cp "$ROOT"/formats/gsd/* broken
sed -i 's/^    if (code == 0 && back) {/    back = back \&\& cut->there != 18;\n&/' broken/write.c
expect_not 'gsd is broken' cmp -s broken/write.c "$ROOT/formats/gsd/write.c"
expect 'and compiles' "${cc[@]}" -std=c11 -D_GNU_SOURCE -O1 -w -I"$ROOT/include" -iquote "$ROOT/core" -iquote "$ROOT/lib" \
    -iquote "$ROOT/formats" -iquote "$ROOT" -fPIC -shared broken/*.c -lm -o broken/gsd.format.so
expect_status 1 "$ENGINE" conform broken/gsd.format.so
expect_stdout_has 'a file of 18 frames that is cut to'
expect_status 1 "$ENGINE" conform ./none.format.so

# ---- The engine's own formats ---------------------------------------------------------------------------------------

# own_as_library NAME FOLDER FILE…: compiles a format of the engine as a library. Only its name differs, because no library may
# have the name of a format of the engine. The FILEs are what the format shares with others; it needs nothing else.
own_as_library() {
    local name=$1 sources=("${@:3}")
    sed "s/ENGINE_FILE_FORMAT(\"$name\",/ENGINE_FILE_FORMAT(\"my$name\",/" "$ROOT/$2/$name.c" >"my$name.c"
    "${cc[@]}" -std=c11 -D_GNU_SOURCE -O1 ${SANITIZE:+-fsanitize=address,undefined} -I"$ROOT/include" -iquote "$ROOT/core" \
        -iquote "$ROOT/lib" -iquote "$ROOT" -DENGINE_MINOR=ENGINE_ABI_MINOR -DENGINE_FORMAT_NEEDS=ENGINE_FORMAT_MINOR \
        "-D${name}_file_format=engine_file_format" -fPIC -fvisibility=hidden -shared "${whole[@]}" "my$name.c" \
        "${sources[@]/#/$ROOT/}" -lm -o "my$name.format.so"
}
whole=() && [ -n "${SANITIZE:-}" ] || whole=(-Wl,-z,defs) # no other function is needed
mkdir own && cd own || exit 1
particles=(lib/files/particles.c formats/particles/particles_{row,frames,write}.c)
text=(core/base/{text,type}.c lib/files/{text_file,file_stream,common}.c)
expect 'xyz as a library' own_as_library xyz formats/particles formats/particles/xyz_write.c "${particles[@]}" "${text[@]}"
expect 'rle3 as a library' own_as_library rle3 formats/patterns formats/patterns/{rle,rle_header,rle_write,pattern,golly}.c "${text[@]}"
for name in xyz rle3; do
    expect_status 0 "$ENGINE" conform "./my$name.format.so"
    expect_stdout_has '7 promises hold, 0 do not'
done
printf '3D version=1 size=9 pos=1,2,3 gen=7\nx=2 y=2 z=2 rule=3D4,7/5,8\nbo$o/o!\n' >cells.rle3
cp cells.rle3 cells.myrle3
expect_status 0 "$ENGINE" convert cells.rle3 own.rle3
expect_status 0 "$ENGINE" convert cells.myrle3 out.myrle3 --plugins .
expect 'the library writes the bytes that the engine writes' cmp own.rle3 out.myrle3
printf '3D\n# a line\nx=1 y=2 z=2\nbo$o/o!\n' >odd.myrle3
expect_status 0 "$ENGINE" convert odd.myrle3 odd.vti --plugins .
expect_stderr_has 'odd.myrle3: the header says 1 x 2 x 2, the pattern has 2 x 2 x 2 cells'
expect 'the words of the author come from a library, too' grep -qa 'Comment: a line' odd.vti
printf '2\nLattice="4 0 0 1 5 0 0 0 6" step=3 time=0.5\nH 0.5 1 -2\nO 3 4 5.25\n' >two.xyz
gzip -k two.xyz && cp two.xyz.gz two.gz
expect_status 0 "$ENGINE" convert two.gz own.xyz
mv two.xyz two.myxyz
expect_status 0 "$ENGINE" convert two.myxyz out.myxyz --plugins .
expect 'and for particles' cmp own.xyz out.myxyz
cd ..
plan
