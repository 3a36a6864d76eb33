#!/bin/bash
# pairs in two dimensions: LAMMPS, the reference, the same bits, the hexagonal lattice, temperatures and refusals.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../npy.sh"
[ -e "$BUILD/plugins/pairs.so" ] || skip_all 'pairs was not built'
golden=tests/plugins/pairs-flat.txt
printf '[run]\nplugin = pairs\nthreads = 2\n[pairs]\ndimensions = 2\nshift = no\n' >"$TMP/flat.ini"

# go FOLDER [KEY=VALUE]…
go() {
    local settings=() setting
    for setting in "${@:2}"; do settings+=(--set "$setting"); done
    run "$ENGINE" run "$TMP/flat.ini" --quiet --force --set run.output="$TMP/$1" "${settings[@]}"
}
# near A B TOLERANCE: relative to B
near() { perl -e 'exit !(abs($ARGV[0] - $ARGV[1]) <= $ARGV[2] * abs $ARGV[1])' -- "$@"; }
below() { perl -e 'exit !($ARGV[0] < $ARGV[1])' -- "$@"; }
# metric FOLDER COLUMN ROW: 2 kinetic, 3 potential, 4 energy, 5 temperature, 6 pressure, 7 virial
metric() { sed -n "$(($3 + 1))p" "$TMP/$1/metrics.csv" | cut -d, -f"$2"; }
# triples FIRST: columns FIRST and the next one of the golden, and 0
triples() { awk -v at="$1" '$1 == "atom" { printf "%s %s 0 ", $at, $(at + 1) }' $golden; }
# worst FILE FIRST: the largest difference from the golden, relative to its largest number
worst() {
    perl -e 'open my $file, "<", shift or die; binmode $file; local $/; my @is = unpack "d<*", substr <$file>, 128;
        my @should = split " ", shift; my ($error, $most) = (0, 0);
        for (0 .. $#should) { my $e = abs($is[$_] - $should[$_]); $error = $e if $e > $error;
            $most = abs $should[$_] if abs $should[$_] > $most }
        print @is == @should ? $error / $most : 9' "$TMP/lammps/$1-0000000001.npy" "$(triples "$2")"
}

# ---- LAMMPS

# shellcheck disable=SC2046 # words are numbers
npy "$TMP/position.npy" '<f8' '60, 3' d $(triples 2) && npy "$TMP/velocity.npy" '<f8' '60, 3' d $(triples 4)
given=(init.source=arrays init.position="$TMP/position.npy" init.velocity="$TMP/velocity.npy" particles.count=60)
for implementation in cpu-serial cpu; do
    tolerance=$([ $implementation = cpu ] && echo 2e-6 || echo 1e-12)
    go lammps run.implementation=$implementation run.steps=1 output.metrics_every=1 "${given[@]}" \
        particles.box='7.2084342424 10.4044786257 0'
    expect_equal "$implementation: exit status" "$status" 0
    for pair in 'position 6' 'velocity 8' 'force 10'; do
        # shellcheck disable=SC2086 # two words
        set -- $pair
        expect "$implementation: $1 is that of LAMMPS" below "$(worst "$1" "$2")" "$tolerance"
    done
    row=1
    while read -r _ potential kinetic pressure temperature; do
        expect "$implementation: energy" near "$(metric lammps 3 $row)" "$(perl -e "print 60 * $potential")" "$tolerance"
        expect "$implementation: kinetic" near "$(metric lammps 2 $row)" "$(perl -e "print 60 * $kinetic")" "$tolerance"
        expect "$implementation: pressure" near "$(metric lammps 6 $row)" "$pressure" "$tolerance"
        expect "$implementation: temperature" near "$(metric lammps 5 $row)" "$temperature" "$tolerance"
        row=$((row + 1))
    done < <(grep '^state' $golden)
done
expect 'the correction for the cutoff, by hand: pi 60^2 / area times the integral of r U' near \
    "$(go tail run.steps=1 output.metrics_every=1 pairs.dt=0 pairs.tail=yes "${given[@]}" particles.box='7.2084342424 10.4044786257 3' &&
        metric tail 3 1)" "$(perl -e 'print 60 * -2.392784072148594 + 3.14159265358979 * 3600 / (7.2084342424 * 10.4044786257) * 4 * (2.5 ** -10 / 10 - 2.5 ** -4 / 4)')" 1e-7

# ---- The reference, and the same bits however the work is done

moved() { cat "$TMP/$1"/position-*.npy "$TMP/$1"/velocity-*.npy | cksum; }
hot=(init.source=hex particles.count=400 pairs.density=0.7 pairs.temperature=1)
for integrator in verlet langevin; do
    expect_status 0 "$ENGINE" verify "$TMP/flat.ini" --steps 10 --set init.source=hex --set particles.count=400 \
        --set pairs.integrator=$integrator
    go bits run.steps=60 pairs.integrator=$integrator "${hot[@]}"
    go other run.steps=60 pairs.integrator=$integrator "${hot[@]}" run.threads=1 pairs.skin=0.1 pairs.instructions=plain \
        output.metrics_every=7
    expect_equal "$integrator: no skin, thread or instruction changes a bit" "$(moved bits)" "$(moved other)"
done
expect 'z stays 0' perl -e 'my @v = split " ", shift; my $sum = 0; $sum += abs $v[3 * $_ + 2] for 0 .. 399; exit !(@v == 1200 && $sum == 0)' -- \
    "$(numbers "$TMP/other/velocity-0000000060.npy" d)"

# ---- Generators. A hexagonal lattice of density rho has neighbours at sqrt(2 / sqrt(3) / rho), six for each particle.

go hex run.steps=0 init.source=hex particles.count=480 particles.box='24 17.320508075688775 0' pairs.displacement=0
expect 'hex: each particle has six neighbours at the distance of the lattice' perl -e '
    my @x = split " ", shift; my ($near, @edge) = (0, 24, 17.320508075688775); my $a = sqrt(2 / sqrt(3) * $edge[0] * $edge[1] / 480);
    for my $i (0 .. 479) { for my $j (0 .. 479) { my $s = 0;
        for my $c (0, 1) { my $d = $x[3 * $i + $c] - $x[3 * $j + $c]; $d -= $edge[$c] * sprintf "%.0f", $d / $edge[$c]; $s += $d ** 2 }
        $near++ if $i != $j && abs(sqrt($s) - $a) < 0.05 * $a } } exit !($near == 6 * 480)' "$(numbers "$TMP/hex/position-0000000000.npy" d)"
go cold run.steps=1 output.metrics_every=1 pairs.dt=0 init.source=hex particles.count=9000 pairs.temperature=0.6
expect "the generator's temperature counts 2 N - 2 degrees of freedom" near "$(metric cold 5 1)" 0.6 1e-12
expect 'the box is a square of the usual density' grep -q '^box = 103\.25[0-9]* 103\.25[0-9]* 0 0 0 0$' "$TMP/cold/config.ini"
go gas run.steps=0 init.source=random-gas particles.count=500 pairs.density=0.02
expect_equal 'random-gas: exit status' "$status" 0
go warm run.steps=1500 pairs.integrator=langevin "${hot[@]}" pairs.temperature=0.7 pairs.friction=5 output.metrics_every=10
mean=$(awk -F, 'NR > 50 { sum += $5; count++ } END { print sum / count }' "$TMP/warm/metrics.csv")
expect "langevin has the temperature, 0.7 and not $mean" near "$mean" 0.7 0.015

# ---- Refusals

refused() { # TEXT SETTING…
    go refused "${@:2}"
    expect_equal "refused: $1: exit status" "$status" 2
    expect_stderr_has "$1"
}
refused 'dimensions = 2: expected [init] source = hex or random-gas' init.source=fcc particles.count=100
refused 'dimensions = 3: expected [init] source = fcc or random-gas' init.source=hex particles.count=100 pairs.dimensions=3
refused 'expected at least twice the largest cutoff, 5' init.source=hex particles.count=100 particles.box='20 4 20'
refused 'along z; expected 0 in two dimensions' init.source=random particles.count=10 particles.box='20 20 1'
plan
