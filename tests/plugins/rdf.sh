#!/bin/bash
# rdf: configurations that have no answer, what a run writes, and the configurations that come with it.
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
refused 2 "r_max = 2 is beyond half of the box's smallest edge" 'particles.box=9 3.9 9'
refused 2 'take r_max = 1.95 or less' 'particles.box=9 3.9 9'
refused 2 "'0' is neither 'all' nor pairs of species" rdf.between=0
refused 2 "'0 1,' is neither 'all' nor pairs of species" 'rdf.between=0 1,'
refused 2 "'0 -1' is neither 'all' nor pairs of species" 'rdf.between=0 -1'
refused 2 'volume = 7, but the box says 125: leave it out' 'particles.box=5 5 5' rdf.volume=7
expect_status 0 "$ENGINE" run "$TMP/rdf.ini" --quiet --force --set 'particles.box=9 4 9'
expect_status 0 "$ENGINE" run "$TMP/rdf.ini" --quiet --force --set 'particles.box=4 4 4 100 -30.5 7'

npy position '<f4' f '4, 3' 0 0 0 1 0 0 0 nan 0 1 1 0
refused 3 'infinite or not a number'
npy position '<f4' f '4, 3' 0 0 0 1 0 0 0 1 0 1 2e18 0
refused 2 'particle 3: its position is 1 2e+18 0; numbers up to 1e+18 are taken'
npy position '<f4' f '4, 2' 0 0 0 1 0 0 0 1
expect_status 3 "$ENGINE" run "$TMP/rdf.ini" --quiet --force

for config in configs/rdf-*.ini configs/bench/rdf.ini; do
    expect_status 0 "$ENGINE" check "$config"
done
small=(--set particles.count=1500 --steps 2)
expect_status 0 "$ENGINE" verify configs/rdf-44028.ini "${small[@]}"
expect_stdout_has 'cpu            bit-equal after 1, 2 steps'
expect_status 0 "$ENGINE" verify configs/rdf-water.ini "${small[@]}"
expect_stdout_has 'cpu            bit-equal after 1, 2 steps'
plan
