#!/bin/bash
# Particles from files of several arrays, and into such files. The engine finds fields by their names, the file states
# count and box, and missing fields take their defaults. A run that starts from the file of another run continues with
# the same bits.
. "$(dirname "$0")/common"
start=(--set "init.file=$TMP/start.xyz")

cat >"$TMP/start.xyz" <<'XYZ'
3
Lattice="4 0 0 0.5 5 0 0 0.25 6" Properties=species:S:1:pos:R:3:mass:R:1:velo:R:3:charge:R:1
Si 0   1 2    28 1 0  0 -1
O  0.1 1 2    16 0 1  0  1
O  0.3 3 2e-3 16 0 0 -1  1
XYZ
drift out "${start[@]}" --set 'output.formats=xyz lammpstrj npy'
expect_equal 'mass and species' "$(metric out mass) $(metric out species)" '60 2'
expect_equal 'edges' "$(metric out length_x) $(metric out length_y) $(metric out length_z)" '4 5 6'
expect_equal 'tilts' "$(metric out tilt_xy) $(metric out tilt_xz) $(metric out tilt_yz)" '0.5 0 0.25'
expect_equal 'one file a format, and an array a field' "$(cd "$TMP/out" && echo *)" \
    'config.ini metrics.csv position-0000000002.lammpstrj position-0000000002.npy position-0000000002.xyz summary.json velocity-0000000002.npy'
expect_equal 'XYZ' "$(sed 's/ Engine=.*//' "$TMP/out/position-0000000002.xyz")" '3
Lattice="4 0 0 0.5 5 0 0 0.25 6" pbc="T T T" Properties=species:S:1:type:I:1:pos:R:3:velo:R:3:mass:R:1 step=2
X 1 1 1 2 1 0 0 28
X 2 0.100000001 2 2 0 1 0 16
X 2 0.300000012 3 -0.998000026 0 0 -1 16'

# From either file, without a step, the same state; with two more, the same as four at once. The hash is of the states.
for format in xyz lammpstrj; do
    drift again --set "init.file=$TMP/out/position-0000000002.$format" --set run.steps=0
    for field in position velocity; do
        expect_same "$TMP/again/$field-0000000000.npy" "$TMP/out/$field-0000000002.npy"
    done
    expect_equal "$format: mass and species" "$(metric again mass) $(metric again species)" '60 2'
    expect_equal "$format: tilt" "$(metric again tilt_yz)" 0.25
done
run "$ENGINE" run "$TMP/drift.ini" --json --quiet --set "run.output=$TMP/one" "${start[@]}"
grep '"hash"' "$TMP/stdout" >"$TMP/hash"
run "$ENGINE" run "$TMP/drift.ini" --json --quiet --set "run.output=$TMP/two" "${start[@]}" --set output.formats=xyz
grep '"hash"' "$TMP/stdout" >"$TMP/hash2"
expect 'there is a hash' test -s "$TMP/hash"
expect_same "$TMP/hash" "$TMP/hash2"

# Double precision: every bit there too.
drift double "${start[@]}" --set drift.precision=double --set drift.dt=0.1 --set 'output.formats=xyz npy'
drift back --set "init.file=$TMP/double/position-0000000002.xyz" --set drift.precision=double --set run.steps=0
expect_same "$TMP/back/position-0000000000.npy" "$TMP/double/position-0000000002.npy"

# What the configuration says goes before what the file says.
drift box "${start[@]}" --set 'particles.box=10 20 30'
expect_equal 'the box of the configuration' "$(metric box length_x) $(metric box length_z) $(metric box tilt_xy)" \
    '10 30 0'
refused 'another number of particles' 3 "$TMP/start.xyz: contains 3 particles, but " "${start[@]}" \
    --set particles.count=4
expect_status 0 "$ENGINE" check "$TMP/drift.ini" "${start[@]}"
expect_stdout_has "velocity from $TMP/start.xyz"
expect_stdout_has 'charge is in the file too, but not used'

# Random positions are uniform in the box, along an open axis from 0 to 1. random-unit ignores the box, as older versions did.
random() { drift "$1" --set init.source="$2" --set particles.count=2000 --set 'particles.box=10 0 30 4 0 0' \
    --set run.steps=0 --set output.formats=npy; }
random uniform random
random unit random-unit
expect 'random positions in the box' perl -e 'my @box = (10, 1, 30); my @x = split " ", shift; my @unit = split " ", shift;
    for my $i (0 .. $#x) { exit 1 if abs($x[$i] - $unit[$i] * $box[$i % 3]) > 1e-5 || $x[$i] >= $box[$i % 3] }
    for my $c (0 .. 2) { my $sum = 0; $sum += $x[3 * $_ + $c] for 0 .. 1999; exit 1 if abs($sum / 2000 / $box[$c] - 0.5) > 0.03 }' \
    "$(numbers "$TMP/uniform/position-0000000000.npy" f)" "$(numbers "$TMP/unit/position-0000000000.npy" f)"
expect_equal 'and the velocities are those without a box' "$(numbers "$TMP/uniform/velocity-0000000000.npy" f | cut -c1-200)" \
    "$(numbers "$TMP/unit/velocity-0000000000.npy" f | cut -c1-200)"

# An axis with an edge of 0 is open.
drift slab --set init.source=random --set particles.count=5 --set 'particles.box=4 4 0' --set 'output.formats=lammpstrj xyz'
expect_equal 'an open axis: LAMMPS' "$(grep -o 'BOX BOUNDS.*' "$TMP/slab/position-0000000002.lammpstrj")" 'BOX BOUNDS pp pp ff'
expect_equal 'an open axis: XYZ' "$(grep -o 'pbc="[^"]*"' "$TMP/slab/position-0000000002.xyz")" 'pbc="T T F"'
expect_status 0 "$ENGINE" check "$TMP/drift.ini" --set init.source=random --set particles.count=5 --set 'particles.box=4 4 0'
expect_stdout_has 'box             4 4 0, periodic along x y, from [particles] box'
drift closed "${start[@]}" --set 'particles.box=0 0 0'
expect_equal 'no box at all, also if the file has one' "$(metric closed length_x) $(metric closed length_z)" '0 0'
expect_status 0 "$ENGINE" check "$TMP/drift.ini" "${start[@]}"
expect_stdout_has 'box             4 5 6 with the tilts 0.5 0 0.25, periodic along x y z, from the file'
expect_status 0 "$ENGINE" check "$TMP/drift.ini" --set init.source=random --set particles.count=5
expect_stdout_has 'box             none: open along x y z'
refused 'a negative edge' 2 "[particles] box: '4 -4 0' is not a box; expected Lx Ly Lz" --set init.source=random \
    --set particles.count=5 --set 'particles.box=4 -4 0'

# Positions alone: at rest, of mass 1.
printf '2\n\n1 0 0 0\n1 1 2 3\n' >"$TMP/plain.xyz"
drift plain --set "init.file=$TMP/plain.xyz"
expect_equal 'at rest' "$(numbers "$TMP/plain/position-0000000002.npy" f)" '0 0 0 1 2 3'
expect_equal 'of mass 1' "$(metric plain mass)" 2

# Fields that are inputs start from files too.
expect 'a plugin of inputs alone' "${cc[@]}" -DNAME='"still"' -DROLE=ENGINE_INPUT -fPIC -shared -Iinclude \
    tests/particles/drift.c \
    -o "$TMP/still.so"
drift still "${start[@]}" --set run.plugin=still --set output.formats=
expect_equal 'mass, species and box of inputs' "$(metric still mass) $(metric still species) $(metric still length_y)" \
    '60 2 5'

# One field of a file of several; another from elsewhere.
npy "$TMP/masses.npy" '<f8' '3,' d 1 2 4
drift mixed --set init.source=arrays --set "init.position=$TMP/start.xyz" --set "init.mass=$TMP/masses.npy"
expect_equal 'position from XYZ, at rest, box too' \
    "$(numbers "$TMP/mixed/position-0000000002.npy" f) $(metric mixed length_y)" \
    '0 1 2 0.100000001 1 2 0.300000012 3 0.00200000009 5'
expect_equal 'masses from elsewhere' "$(metric mixed mass)" 7
refused 'an array that the file has not' 3 "has no array named mass; it contains position species" \
    --set init.source=arrays --set "init.position=$TMP/start.xyz" --set "init.mass=$TMP/plain.xyz"

# Tipsy, big-endian: a dark particle and a star.
perl -e 'print pack("d> l>6", 0.5, 2, 3, 0, 1, 1, 0), pack("f>*", 2, 1 .. 6, 0, 0), pack("f>*", 3, 7 .. 12, 0, 0, 0, 0)' >"$TMP/t.std"
drift tipsy --set "init.file=$TMP/t.std"
expect_equal 'Tipsy' "$(numbers "$TMP/tipsy/position-0000000002.npy" f) $(metric tipsy mass)" '5 7 9 17 19 21 5'

# Convert: positions alone into .npy, all into the others.
expect_status 0 "$ENGINE" convert "$TMP/t.std" "$TMP/t.xyz"
expect_equal 'Tipsy to XYZ' "$(cat "$TMP/t.xyz")" '2
Properties=species:S:1:pos:R:3:velo:R:3:mass:R:1 step=0 time=0.5
X 1 2 3 4 5 6 2
X 7 8 9 10 11 12 3'
expect_status 0 "$ENGINE" convert "$TMP/t.xyz" "$TMP/t.npy"
expect_equal 'XYZ to .npy' "$(numbers "$TMP/t.npy" d)" '1 2 3 7 8 9'
expect_status 0 "$ENGINE" convert "$TMP/t.npy" "$TMP/t.lammpstrj.gz"
expect_equal '.npy to a gzip-ed dump' "$(gzip -dc "$TMP/t.lammpstrj.gz" | tail -n 2)" '1 1 1 2 3
2 1 7 8 9'
expect_status 6 "$ENGINE" convert configs/patterns/gosper-gun.rle "$TMP/gun.xyz"
expect_stderr_has 'format xyz cannot hold any of the arrays'

# Pictures show what fits the first state, so that they make a film: from 0 to 4 along x and 0 to 2 along y, a square of
# half-width 0.75 * 4 around the middle.
printf '2\n\nX 0 0 0 1 0 0\nX 4 2 1 0 0.5 0\n' >"$TMP/film.xyz"
film=(--set "init.file=$TMP/film.xyz" --set output.formats=png --set output.every=1)
drift film "${film[@]}"
drift bounds "${film[@]}" --set 'output.bounds=-1 5 -2 4'
for step in 0 1 2; do
    expect_same "$TMP/film/position-000000000$step.png" "$TMP/bounds/position-000000000$step.png"
done
expect_not 'the particles move' cmp "$TMP/film/position-0000000000.png" "$TMP/film/position-0000000001.png"
drift side "${film[@]}" --set output.axis=x --set output.bounds=3 --set output.pixels=64
drift same "${film[@]}" --set output.axis=x --set 'output.bounds=-3 3 -3 3' --set output.pixels=64
expect_same "$TMP/side/position-0000000002.png" "$TMP/same/position-0000000002.png"
for bounds in 0 -1 '1 2' '1 0 0 1' '0 1 1 1' '0 1 0 nan' '0 1 0 1e999' 1e999 '0 1 0 1 2' wide; do
    refused "bounds $bounds" 2 "[output] bounds: '$bounds' is not a rectangle" "${film[@]}" \
        --set "output.bounds=$bounds"
done

# A grid holds no particles, particles no grid.
"${cc[@]}" -std=c11 -O1 -fPIC -shared -Iinclude -DNAME='"flat"' -DROLE=ENGINE_STATE -DCOMPONENTS=2 tests/particles/drift.c \
    -o "$TMP/flat.so"
refused 'two components' 2 'png cannot hold any field of flat; expected some of npy snapshot; files and pictures of particles need positions of three components' \
    --set run.plugin=flat --set particles.count=3 --set init.source=random --set output.formats=png
refused 'RLE of particles' 2 'rle cannot hold any field of drift' "${start[@]}" --set output.formats=rle
printf '3\n\nX 0 0 0\nX 0 nan 0\nX 0 0 0\n' >"$TMP/nan.xyz"
refused 'no number' 3 "$TMP/nan.xyz:4: 'nan' is not a finite number" --set "init.file=$TMP/nan.xyz"
printf '1\n\nX 0 1e200 0\n' >"$TMP/huge.xyz"
refused 'beyond single precision' 3 'does not fit field position of type float32' --set "init.file=$TMP/huge.xyz"
printf '1\nProperties=species:S:1:pos:R:3:mass:I:1\nX 0 1 0 7\n' >"$TMP/whole.xyz"
drift whole --set "init.file=$TMP/whole.xyz"
expect_equal 'whole numbers for masses' "$(metric whole mass)" 7
printf '1\nProperties=species:S:1:pos:R:3:mass:R:2\nX 0 1 0 7 7\n' >"$TMP/two.xyz"
refused 'two masses a particle' 3 'is not an array for field mass: it is float64 (1, 2), expected float32 (1,)' \
    --set "init.file=$TMP/two.xyz"
plan
