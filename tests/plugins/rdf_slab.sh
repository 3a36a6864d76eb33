#!/bin/bash
# rdf in planes, layers and slabs: the numbers of MDAnalysis, freud and gmx rdf in rdf-slab.txt (rdf-slab.py), boxes
# that are open along z, and configurations that it refuses.
. "$(dirname "$0")/../lib.sh"
export OMP_WAIT_POLICY=passive
here=$(cd "$(dirname "$0")" && pwd)

cat >"$TMP/slab.ini" <<END
[run]
plugin = rdf
output = $TMP/out
[init]
file = $here/rdf-water.gro
length_unit = angstrom
[output]
formats = csv
[rdf]
bins = 30
r_max = 2.97
between = OW-OW, OW-HW*
geometry = plane
END

# slab [SETTING…]: runs the configuration
slab() {
    local setting settings=()
    for setting in "$@"; do settings+=(--set "$setting"); done
    expect_status 0 "$ENGINE" run "$TMP/slab.ini" --quiet --force "${settings[@]}"
}

# expect_case CASE: the table has its counts, g and n
expect_case() {
    expect "$1: counts, g and n" perl -e '
        my ($case, @files) = @ARGV;
        my ($table, $golden) = map { open my $file, "<", $_; [<$file>] } @files;
        my (undef, @rows) = map { [split /,/] } @$table;
        my $lines = 0;
        for (map { [split] } grep { /^$case / } @$golden) {
            my (undef, $row, $bin, $count, $g, $n) = @$_;
            my $is = $rows[$bin];
            $lines++;
            exit 1 if $is->[5 + $row] != $count;
            exit 1 if abs($is->[1 + $row] - $g) > 4e-6 * $g || abs($is->[3 + $row] - $n) > 1e-7 * $n;
        }
        exit($lines != 60)' "$1" "$TMP/out/rdf.csv" "$here/rdf-slab.txt"
}

# expect_gmx CASE AREA: n of the table is that of gmx. With an area, g is too: gmx divides the O-O pairs by N^2, and
# this plugin by N (N - 1). A bin of gmx is two of this plugin, and its n has half a bin more.
expect_gmx() {
    expect "$1: g and n of gmx rdf -xy" perl -e '
        my ($case, $area, @files) = @ARGV;
        my ($table, $golden) = map { open my $file, "<", $_; [<$file>] } @files;
        my (undef, @rows) = map { [split /,/] } @$table;
        my @pairs = (6 * 8 * 7 / 2, 6 * 8 * 16);
        my $lines = 0;
        for (map { [split] } grep { /^$case / } @$golden) {
            my (undef, $row, $k, undef, $g, $n) = @$_;
            next if $k == 0;
            $lines++;
            exit 1 if abs($rows[2 * $k + 1][3 + $row] - $n) > 0.0006;
            my $ring = 4 * atan2(1, 1) * ((2 * $k + 1) ** 2 - (2 * $k - 1) ** 2) * 0.099 ** 2;
            my $is = ($rows[2 * $k - 1][5 + $row] + $rows[2 * $k][5 + $row]) / ($pairs[$row] / ($area || 1) * $ring);
            exit 1 if $area && abs($is * ($row ? 1 : 7 / 8) - $g) > 0.0006;
        }
        exit($lines != 28)' "$1" "$2" "$TMP/out/rdf.csv" "$here/rdf-slab.txt"
}

for implementation in cpu-serial cpu; do
    slab run.implementation=$implementation
    expect_case plane
    expect_gmx gmx 38.539264 # 6.208^2
    slab run.implementation=$implementation rdf.z_min=2.5 rdf.z_max=6
    expect_case layer
    expect_gmx gmxl 0
    slab run.implementation=$implementation rdf.geometry=slab rdf.z_min=2.5 rdf.z_max=6
    expect_case slab
done
cp "$TMP/out/rdf.csv" "$TMP/slab.csv"
slab run.parts=2 rdf.geometry=slab rdf.z_min=2.5 rdf.z_max=6
expect_same "$TMP/out/rdf.csv" "$TMP/slab.csv"
expect_status 0 "$ENGINE" run "$TMP/slab.ini" --quiet --force --set rdf.geometry=slab --set rdf.z_min=2.5 \
    --set rdf.z_max=6 --set checkpoint.every=1 --set run.steps=4
expect_status 0 "$ENGINE" resume "$TMP/out" --quiet --set run.steps=6
expect_same "$TMP/out/rdf.csv" "$TMP/slab.csv"

# A box that is open along z: z may be negative, and a pair across the top and the bottom is no neighbour. In the plane
# of x and y the two particles are 0.5 apart.
printf '2\nLattice="4 0 0 0 4 0 0 0 4" pbc="T T F" Properties=species:S:1:pos:R:3\nA 1 1 -1.75\nA 1.5 1 1.75\n' \
    >"$TMP/open.xyz"
sed 's/T T F/T T T/' "$TMP/open.xyz" >"$TMP/closed.xyz"
# pairs BIN FILE SETTING…: expects the one pair in a bin of width 0.5, or none
pairs() {
    slab init.length_unit=file rdf.between=all rdf.bins=4 rdf.r_max=2 init.file="$TMP/$2.xyz" "${@:3}"
    expect_equal "$2 ${*:3}: the bin of the pair" "$(awk -F, 'NR > 1 && $4 > 0 { print NR - 2 }' "$TMP/out/rdf.csv")" \
        "$1"
}
pairs 1 closed rdf.geometry=bulk # 0.71 apart
pairs '' open rdf.geometry=bulk
pairs 1 open
pairs 1 closed
pairs 1 open rdf.z_min=-2 rdf.z_max=2
pairs '' open rdf.z_min=0 rdf.z_max=2
pairs '' open rdf.geometry=slab rdf.z_min=-2 rdf.z_max=2
pairs 1 closed rdf.geometry=slab rdf.z_min=1 rdf.z_max=3 # z is 2.25 and 1.75 in the box
pairs '' closed rdf.geometry=slab rdf.z_min=2 rdf.z_max=3

# refused TEXT SETTING…
refused() {
    local setting settings=()
    for setting in "${@:2}"; do settings+=(--set "$setting"); done
    expect_status 2 "$ENGINE" check "$TMP/slab.ini" "${settings[@]}"
    expect_stderr_has "$1"
}
refused 'z_min = 1 and z_max = 2 choose a layer; expected geometry = plane or slab' rdf.geometry=bulk rdf.z_min=1 \
    rdf.z_max=2
refused 'z_min = 2 is more than z_max = 1' rdf.z_min=2 rdf.z_max=1
refused 'geometry = slab: z_min = z_max = 0; expected the z of the two faces of the slab' rdf.geometry=slab
refused 'z_min = 1 and z_max = 7; expected numbers from 0 to 6.2' rdf.z_min=1 rdf.z_max=7
refused 'q_bins: the structure factor needs geometry = bulk' rdf.q_bins=10
refused 'volume = 7, but the area of the box is 38.5393; leave out volume' rdf.volume=7
refused 'the tilts xz and yz of the box are 0 and 1; expected 0 if geometry is not bulk' 'particles.box=7 7 7 0 0 1'
refused 'r_max = 3.2 is more than half of the smallest edge of the box' rdf.r_max=3.2
sed '2s/.*/Properties=species:S:1:pos:R:3/' "$TMP/open.xyz" >"$TMP/space.xyz"
refused 'geometry = slab: the box is open along x or y' rdf.geometry=slab rdf.z_min=1 rdf.z_max=2 \
    init.length_unit=file \
    rdf.between=all init.file="$TMP/space.xyz"
plan
