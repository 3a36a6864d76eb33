#!/bin/bash
# pairs: energies, virials, pressures and corrections for the cutoff of NIST's configurations of Lennard-Jones particles,
# and those of LAMMPS to the last digits. tests/plugins/pairs-nist.txt has the numbers and their sources.
. "$(dirname "$0")/../lib.sh"
[ -e "$BUILD/plugins/pairs.so" ] || skip_all 'pairs was not built'
golden=tests/plugins/pairs-nist.txt
cp tests/plugins/nist-lj/*.xyz "$TMP"
awk 'NR > 2 && (NR - 2) % 5 == 0 { sub(/A/, "B") } { print }' "$TMP/2.xyz" >"$TMP/21.xyz" # mix 1

# go IMPLEMENTATION CONFIGURATION CUTOFF TAIL MIX: a row of metrics.csv
go() {
    printf '[run]\nplugin = pairs\nsteps = 1\nimplementation = %s\n[init]\nfile = %s.xyz\n' \
        "$1" "${2/%/${5#0}}" >"$TMP/nist.ini"
    printf '[output]\nmetrics_every = 1\n[pairs]\ndt = 0\nshift = no\ncutoff = %s\ntail = %s\n' "$3" "$4" >>"$TMP/nist.ini"
    [ "$5" = 0 ] || printf 'species = 2\nepsilon = 1 1.5 0.5\nsigma = 1 0.8 0.88\n' >>"$TMP/nist.ini"
    run "$ENGINE" run "$TMP/nist.ini" --quiet --force --set run.output="$TMP/out"
    expect_equal "$*: exit status" "$status" 0
    metrics=$(tail -n 1 "$TMP/out/metrics.csv")
}
# near A B TOLERANCE: relative to B
near() { perl -e 'exit !(abs($ARGV[0] - $ARGV[1]) <= $ARGV[2] * abs $ARGV[1])' -- "$@"; }
column() { cut -d, -f"$1" <<<"$metrics"; }

# check IMPLEMENTATION TOLERANCE CONFIGURATION CUTOFF TAIL MIX ENERGY VIRIAL PRESSURE
check() {
    go "$1" "$3" "${4/%/$([ "$6" = 0 ] || echo ' 2.5 2.5')}" "$5" "$6"
    expect "$1 $3 $4 $5 $6: energy $(column 3)" near "$(column 3)" "$7" "$2"
    expect "$1 $3 $4 $5 $6: virial $(column 7)" near "$(column 7)" "$8" "$2"
    expect "$1 $3 $4 $5 $6: pressure $(column 6)" near "$(column 6)" "$9" "$2"
}

# With its integers, cpu has distances in units of 2^-32 of the box.
declare -A energy virial
while read -r _ configuration cutoff tail mix rest; do
    # shellcheck disable=SC2086 # words are numbers
    check cpu-serial 2e-13 "$configuration" "$cutoff" "$tail" "$mix" $rest
    energy[$configuration$cutoff$tail${mix#0}]=$(column 3) virial[$configuration$cutoff$tail${mix#0}]=$(column 7)
    # shellcheck disable=SC2086
    [ "$cutoff$tail" = 3no ] || check cpu 1e-7 "$configuration" "$cutoff" "$tail" "$mix" $rest
done < <(grep '^lammps' $golden)
while read -r _ configuration cutoff pairs of_pairs correction; do
    key=$configuration$cutoff
    expect "NIST $key: energy" near "${energy[${key}no]}" "$pairs" 5e-5
    expect "NIST $key: virial" near "${virial[${key}no]}" "$of_pairs" 5e-5
    expect "NIST $key: correction" near "$(perl -e "print ${energy[${key}yes]} - ${energy[${key}no]}")" "$correction" 5e-5
done < <(grep '^nist' $golden)

# The last run of cpu-serial was the mixture. Its forces are those of LAMMPS, relative to the largest one.
go cpu-serial 2 '3 2.5 2.5' yes 1
expect 'forces of the mixture in double precision' perl -e '
    open my $file, "<", shift or die; binmode $file; local $/; my @is = unpack "d<*", substr <$file>, 128;
    my @should = map { split } grep { s/^force // } split /\n/, shift; my ($error, $most) = (0, 0);
    for (0 .. $#should) { my $e = abs($is[$_] - $should[$_]); $error = $e if $e > $error;
        $most = abs $should[$_] if abs $should[$_] > $most }
    exit !(@is == 600 && @should == 600 && $error < 1e-13 * $most)' "$TMP/out/force-0000000001.npy" "$(cat $golden)"

# ---- What has no correction

# refused TEXT SETTING…
refused() {
    local settings=() setting
    for setting in "${@:2}"; do settings+=(--set "pairs.$setting"); done
    expect_status 2 "$ENGINE" check "$TMP/nist.ini" "${settings[@]}"
    expect_stderr_has "tail = yes: expected $1"
}
refused 'shift = no or auto' shift=yes
refused 'potential = lj or yukawa' potential=wca
refused 'a kappa above 0' potential=yukawa kappa=0
expect_status 0 "$ENGINE" check "$TMP/nist.ini" --set pairs.shift=auto

# The correction of Yukawa particles, by Simpson's rule over r^2 U and over -r^3 dU/dr from 3 to 43.
tail_of() {
    go cpu-serial 4 3 "$1" 0
    expect_status 0 "$ENGINE" run "$TMP/nist.ini" --quiet --force --set run.output="$TMP/out" \
        --set pairs.potential=yukawa --set pairs.kappa=1.5
    metrics=$(tail -n 1 "$TMP/out/metrics.csv")
}
tail_of no
least_energy=$(column 3) least_virial=$(column 7)
tail_of yes
read -r more_energy more_virial < <(perl -e 'my ($n, @sum) = (40000, 0, 0);
    for (0 .. $n) { my $r = 3 + $_ / 1000; my $w = ($_ == 0 || $_ == $n ? 1 : $_ % 2 ? 4 : 2) / 3000; my $u = exp(-1.5 * $r) / $r;
        $sum[0] += $w * $r ** 2 * $u; $sum[1] += $w * $r ** 3 * $u * (1 / $r + 1.5) }
    printf "%.15g %.15g", map { 2 * 3.14159265358979 * 900 / 512 * $_ } @sum')
expect 'yukawa: correction of the energy' near "$(perl -e "print $(column 3) - $least_energy")" "$more_energy" 1e-9
expect 'yukawa: correction of the virial' near "$(perl -e "print $(column 7) - $least_virial")" "$more_virial" 1e-9
plan
