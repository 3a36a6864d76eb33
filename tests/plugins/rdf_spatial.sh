#!/bin/bash
# rdf's spatial distribution: the counts of MDAnalysis and freud in rdf-spatial.txt (rdf-spatial.py), excluded pairs,
# parts, resumed runs, files, and configurations that it refuses.
. "$(dirname "$0")/../lib.sh"
export OMP_WAIT_POLICY=passive
here=$(cd "$(dirname "$0")" && pwd)

cat >"$TMP/spatial.ini" <<END
[run]
plugin = rdf
output = $TMP/out
[init]
file = $here/rdf-water.gro
length_unit = angstrom
[output]
formats = npy csv vti
[rdf]
bins = 30
r_max = 2.97
between = OW-HW*
spatial_bins = 7
END

# spatial [SETTING…]: runs the configuration
spatial() {
    local setting settings=()
    for setting in "$@"; do settings+=(--set "$setting"); done
    expect_status 0 "$ENGINE" run "$TMP/spatial.ini" --quiet --force "${settings[@]}"
}

# values FIELD LETTER: all numbers of a file of 7^3
values() {
    perl -e 'binmode STDIN; local $/; print join " ", unpack "$ARGV[0]<343", substr <STDIN>, -343 * 8' "$2" \
        <"$TMP/out/$1-0000000006.npy"
}
expected() { grep "^$1 " "$here/rdf-spatial.txt" | cut -d' ' -f2- | tr '\n' ' ' | sed 's/ $//'; }

for implementation in cpu-serial cpu; do
    spatial run.implementation=$implementation
    expect_equal "$implementation: O-H, as MDAnalysis and freud count" "$(values spatial_counts Q)" "$(expected O-H)"
    # 6 frames of 8 O and 16 H in a cube of 6.208
    expect "$implementation: an ideal gas has 1" perl -e 'my @g = split " ", shift; my @counts = split " ", shift;
        my $even = 6 * 8 * 16 / 6.208 ** 3 * (2 * 2.97 / 7) ** 3;
        abs($g[$_] - $counts[$_] / $even) > 1e-6 * $g[$_] and exit 1 for 0 .. 342' "$(values spatial d)" \
            "$(expected O-H)"
    spatial run.implementation=$implementation rdf.between=OW-OW rdf.cells=yes
    expect_equal "$implementation: O-O, in both directions" "$(values spatial_counts Q)" "$(expected O-O)"
done
expect 'a volume for ParaView' grep -q 'WholeExtent="0 7 0 7 0 7"' "$TMP/out/spatial-0000000006.vti"
expect_equal 'no table' "$(ls "$TMP/out" | grep 'csv$' | tr '\n' ' ')" 'rdf-frames.csv rdf.csv '
cp "$TMP/out/spatial_counts-0000000006.npy" "$TMP/all.npy"
spatial rdf.between=OW-OW run.parts=2
expect_same "$TMP/all.npy" "$TMP/out/spatial_counts-0000000006.npy"
spatial rdf.between=OW-OW checkpoint.every=1 run.steps=4
expect_status 0 "$ENGINE" resume "$TMP/out" --quiet --set run.steps=6
expect_same "$TMP/all.npy" "$TMP/out/spatial_counts-0000000006.npy"

# Excluded pairs: those of the molecules, 2 O-H in each, 6 frames; the cube has as many pairs as the table.
sum() { values "$1" Q | tr ' ' '\n' | awk '{ n += $1 } END { print n }'; }
spatial
all=$(sum spatial_counts)
for implementation in cpu-serial cpu; do
    spatial rdf.exclude_block=3 run.implementation=$implementation
    expect_equal "$implementation: pairs of molecules are missing" "$(sum spatial_counts)" $((all - 6 * 8 * 2))
    for ((i = 0; i < 24; i += 3)); do printf '%d %d\n%d %d\n' $i $((i + 1)) $i $((i + 2)); done >"$TMP/bonds.txt"
    cp "$TMP/out/spatial_counts-0000000006.npy" "$TMP/molecules.npy"
    spatial rdf.exclude=bonds.txt run.implementation=$implementation
    expect_same "$TMP/molecules.npy" "$TMP/out/spatial_counts-0000000006.npy"
done

# All images and cells: the two implementations have the same bits.
for box in '10 12 14' '10 12 14 3 -4 5'; do
    expect_status 0 "$ENGINE" verify "$TMP/spatial.ini" --steps 2 --set init.file= --set init.source=uniform \
        --set init.length_unit=file --set particles.count=1500 --set "particles.box=$box" --set rdf.between=all \
        --set rdf.cells=yes --set rdf.r_max=2.5
    expect_stdout_has 'cpu            bit-equal after 1, 2 steps'
done

# refused TEXT SETTING…
refused() {
    local setting settings=()
    for setting in "${@:2}"; do settings+=(--set "$setting"); done
    expect_status 2 "$ENGINE" check "$TMP/spatial.ini" "${settings[@]}"
    expect_stderr_has "$1"
}
refused 'spatial_bins: the spatial distribution needs geometry = bulk' rdf.geometry=plane
refused 'spatial_bins: between has 2 pairs of species; expected one, because there is one cube' \
    'rdf.between=OW-OW, OW-HW1'
refused 'spatial_bins' rdf.spatial_bins=257
plan
