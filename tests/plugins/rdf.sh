#!/bin/bash
# rdf: configurations that it refuses, the files that a run writes, and the configurations that come with it.
. "$(dirname "$0")/../lib.sh"
export OMP_WAIT_POLICY=passive

cat >"$TMP/rdf.ini" <<END
[run]
plugin = rdf
steps = 1
output = $TMP/out
[init]
file = position.npy
[rdf]
bins = 4
r_max = 2
END

# npy FILE TYPE LETTER SHAPE NUMBER…: little-endian.
npy() {
    perl -e 'my ($type, $letter, $shape, @numbers) = @ARGV;
        my $header = "{\x27descr\x27: \x27$type\x27, \x27fortran_order\x27: False, \x27shape\x27: ($shape), }";
        $header .= " " x (117 - length $header) . "\n";
        print "\x93NUMPY\x01\x00", pack("v", length $header), $header, pack("$letter<*", map { 0 + $_ } @numbers)' \
        "${@:2}" >"$TMP/$1.npy"
}

# numbers FILE LETTER: those at the end of a file of 4
numbers() {
    perl -e 'binmode STDIN; local $/; print join " ", unpack "$ARGV[0]<4", substr <STDIN>, -32' "$2" <"$1"
}

# Four on a square of side 1: four sides, bins 2; two diagonals, sqrt(2), bin 2 too; widths are 0.5.
npy position '<f4' f '4, 3' 0 0 0 1 0 0 0 1 0 1 1 0
for implementation in cpu-serial cpu; do
    expect_status 0 "$ENGINE" run "$TMP/rdf.ini" --quiet --force --set run.implementation=$implementation
    expect_equal "$implementation: six pairs" "$(numbers "$TMP/out/counts-0000000001.npy" Q)" '0 0 6 0'
    expect_equal "$implementation: three neighbours each" "$(numbers "$TMP/out/n-0000000001.npy" d)" '0 0 3 3'
    expect_equal "$implementation: the middles of bins" "$(numbers "$TMP/out/r-0000000001.npy" d)" '0.25 0.75 1.25 1.75'
done

# refused STATUS TEXT [SETTING…]
refused() {
    local wanted=$1 text=$2 setting settings=()
    for setting in "${@:3}"; do settings+=(--set "$setting"); done
    expect_status "$wanted" "$ENGINE" run "$TMP/rdf.ini" --quiet --force "${settings[@]}"
    expect_stderr_has "$text"
}

refused 2 'bins' rdf.bins=0
refused 2 'bins' rdf.bins=8193
refused 2 'r_max' rdf.r_max=0
refused 2 "r_max = 2 is more than half of the smallest edge of the box" 'particles.box=9 3.9 9'
refused 2 'expected r_max = 1.95 or less' 'particles.box=9 3.9 9'
refused 2 "'0' is neither 'all' nor pairs of species" rdf.between=0
refused 2 "'0 1,' is neither 'all' nor pairs of species" 'rdf.between=0 1,'
refused 2 "'0 -1' is neither 'all' nor pairs of species" 'rdf.between=0 -1'
refused 2 'volume = 7, but the volume of the box is 125; leave out volume' 'particles.box=5 5 5' rdf.volume=7
expect_status 0 "$ENGINE" run "$TMP/rdf.ini" --quiet --force --set 'particles.box=9 4 9'
expect_status 0 "$ENGINE" run "$TMP/rdf.ini" --quiet --force --set 'particles.box=4 4 4 100 -30.5 7'

npy position '<f4' f '4, 3' 0 0 0 1 0 0 0 nan 0 1 1 0
refused 3 'infinite or not a number'
npy position '<f4' f '4, 3' 0 0 0 1 0 0 0 1 0 1 2e18 0
refused 2 'particle 3: its position is 1 2e+18 0; expected numbers up to 1e+18'
npy position '<f4' f '4, 2' 0 0 0 1 0 0 0 1
expect_status 3 "$ENGINE" run "$TMP/rdf.ini" --quiet --force

# Where bodies lie, and from the file that they were written to: the same counts, whatever the layouts.
cat >"$TMP/bodies.ini" <<END
[run]
plugin = nbody
steps = 3
output = $TMP/bodies
[particles]
count = 700
[init]
source = cube
[analyse]
plugin = rdf
END
expect_status 0 "$ENGINE" run "$TMP/bodies.ini" --quiet --force --set rdf.r_max=0.5
expect_status 0 "$ENGINE" run "$TMP/rdf.ini" --quiet --force --set init.file="$TMP/bodies/position-0000000003.npy" \
    --set rdf.r_max=0.5 --set rdf.bins=512 --set run.implementation=cpu-serial
for field in counts g n; do
    expect_same "$TMP/bodies/$field-0000000003.npy" "$TMP/out/$field-0000000001.npy"
done

# Three frames in boxes of their own: pairs 1, across the seam 0.75, and 1 apart; volumes 64, 27 and 125.
frame() {
    printf '2\nLattice="%s 0 0 0 %s 0 0 0 %s" Properties=species:S:1:pos:R:3\n%s\n%s\n' "$1" "$1" "$1" "O 0 0 0" "H $2 0 0"
}
{ frame 4 1 && frame 3 2.25 && frame 5 1; } >"$TMP/frames.xyz"
for implementation in cpu-serial cpu; do
    expect_status 0 "$ENGINE" run "$TMP/rdf.ini" --quiet --force --set init.file="$TMP/frames.xyz" --set rdf.r_max=1.5 \
        --set run.steps=3 --set run.implementation=$implementation --set 'rdf.between=0 1' --set rdf.bins=4
    expect_equal "$implementation: pairs of three frames" "$(numbers "$TMP/out/counts-0000000003.npy" Q)" '0 0 3 0'
    expect_equal "$implementation: neighbours" "$(numbers "$TMP/out/n-0000000003.npy" d)" '0 0 1 1'
    # 3 / ((1/64 + 1/27 + 1/125) 4/3 pi (1.125^3 - 0.75^3))
    expect "$implementation: g by the volumes of all" perl -e \
        'my $is = (split " ", shift)[2]; exit(abs($is / 11.7833357 - 1) > 1e-6)' \
        "$(numbers "$TMP/out/g-0000000003.npy" d)"
done
refused 2 'r_max = 1.6 is more than half' init.file="$TMP/frames.xyz" rdf.r_max=1.6 run.steps=3

for config in configs/rdf-*.ini configs/bench/rdf.ini; do
    expect_status 0 "$ENGINE" check "$config"
done
small=(--set particles.count=1500 --steps 2)
expect_status 0 "$ENGINE" verify configs/rdf-44028.ini "${small[@]}"
expect_stdout_has 'cpu            bit-equal after 1, 2 steps'
expect_status 0 "$ENGINE" verify configs/rdf-water.ini "${small[@]}"
expect_stdout_has 'cpu            bit-equal after 1, 2 steps'
plan
