#!/bin/bash
# pairs with chains: bonds and exclusions as in LAMMPS, the reference, the same bits, also those of `cuda` on the host, a
# Kremer-Grest melt, and refusals.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../npy.sh"
[ -e "$BUILD/plugins/pairs.so" ] || skip_all 'pairs was not built'
golden=tests/plugins/pairs-chains.txt
printf '[run]\nplugin = pairs\nthreads = 2\n[pairs]\npotential = wca\nchain = 10\n' >"$TMP/chains.ini"

# go FOLDER [KEY=VALUE]…, with the plugins of ${plugins[@]}
plugins=()
go() {
    local settings=() setting
    for setting in "${@:2}"; do settings+=(--set "$setting"); done
    run "$ENGINE" run "$TMP/chains.ini" --quiet --force --set run.output="$TMP/$1" "${plugins[@]}" "${settings[@]}"
}
# near A B TOLERANCE: relative to B
near() { perl -e 'exit !(abs($ARGV[0] - $ARGV[1]) <= $ARGV[2] * abs $ARGV[1])' -- "$@"; }
# metric FOLDER COLUMN ROW: 2 kinetic, 3 potential, 4 energy, 5 temperature, 6 pressure, 7 virial
metric() { sed -n "$(($3 + 1))p" "$TMP/$1/metrics.csv" | cut -d, -f"$2"; }
# columns FIRST: three columns of the golden
columns() { awk -v at="$1" '$1 == "atom" { printf "%s %s %s ", $at, $(at + 1), $(at + 2) }' $golden; }

# ---- LAMMPS. The cutoff 2.5 shows that a bonded pair has no other force.

# shellcheck disable=SC2046 # words are numbers
npy "$TMP/position.npy" '<f8' '200, 3' d $(columns 2) && npy "$TMP/velocity.npy" '<f8' '200, 3' d $(columns 5)
for implementation in cpu-serial cpu; do
    tolerance=$([ $implementation = cpu ] && echo 1e-6 || echo 1e-12)
    for potential in lj wca; do
        go lammps run.implementation=$implementation run.steps=1 output.metrics_every=1 pairs.potential=$potential \
            pairs.shift=no init.source=arrays init.position="$TMP/position.npy" init.velocity="$TMP/velocity.npy" \
            particles.count=200 particles.box='6.17357918999 6.17357918999 6.17357918999'
        expect_equal "$implementation, $potential: exit status" "$status" 0
        row=1
        while read -r _ energy kinetic pressure virial; do
            expect "$implementation, $potential: energy" near "$(metric lammps 3 $row)" "$energy" "$tolerance"
            expect "$implementation, $potential: kinetic" near "$(metric lammps 2 $row)" "$kinetic" "$tolerance"
            expect "$implementation, $potential: pressure" near "$(metric lammps 6 $row)" "$pressure" "$tolerance"
            expect "$implementation, $potential: virial" near "$(metric lammps 7 $row)" "$virial" "$tolerance"
            row=$((row + 1))
        done < <(grep "^$potential" $golden)
    done
    expect "$implementation: forces are those of LAMMPS" perl -e '
        open my $file, "<", shift or die; binmode $file; local $/; my @is = unpack "d<*", substr <$file>, 128;
        my @should = split " ", shift; my ($error, $most) = (0, 0);
        for (0 .. $#should) { my $e = abs($is[$_] - $should[$_]); $error = $e if $e > $error;
            $most = abs $should[$_] if abs $should[$_] > $most }
        exit !(@is == @should && $error < $most * shift)' "$TMP/lammps/force-0000000001.npy" "$(columns 8)" "$tolerance"
done

# ---- The reference, and the same bits however the work is done

moved() { cat "$TMP/$1"/position-*.npy "$TMP/$1"/velocity-*.npy | cksum; }
melt=(init.source=chains particles.count=500 pairs.density=0.85)
for integrator in verlet langevin; do
    expect_status 0 "$ENGINE" verify "$TMP/chains.ini" --steps 10 --set init.source=chains --set particles.count=500 \
        --set pairs.integrator=$integrator --set pairs.potential=lj
    go bits run.steps=60 pairs.integrator=$integrator "${melt[@]}"
    go other run.steps=60 pairs.integrator=$integrator "${melt[@]}" run.threads=1 pairs.skin=0.1 \
        pairs.instructions=plain output.metrics_every=7
    expect_equal "$integrator: no skin, thread or instruction changes a bit" "$(moved bits)" "$(moved other)"
done
go parts run.steps=60 pairs.integrator=langevin "${melt[@]}" run.parts=3
expect_equal 'parts change no bit' "$(moved bits)" "$(moved parts)"

# Bonds of a file: those of chains in any order are chains.
perl -e 'print "# bonds\n"; print $_ % 2 ? "$_ " . ($_ + 1) . "\n" : ($_ + 1) . ", $_ # of a chain\n" for grep { $_ % 10 != 9 } reverse 0 .. 498' >"$TMP/bonds.txt"
perl -e 'print "$_ ", $_ - 1 - $_ % 2, "\n" for grep { $_ % 10 > 1 } 0 .. 499' >"$TMP/combs.txt"
go start run.steps=0 "${melt[@]}"
go file run.steps=60 "${melt[@]}" pairs.chain=0 pairs.bonds="$TMP/bonds.txt" init.source=arrays \
    init.position="$TMP/start/position-0000000000.npy" init.velocity="$TMP/start/velocity-0000000000.npy"
go bits run.steps=60 "${melt[@]}"
expect_equal 'bonds of a file have the bits of chains' "$(moved file)" "$(moved bits)"

# ---- cuda on the host: the bits of cpu, and the same errors

# both NAME SETTING…: with both implementations, the same fields, sums over pairs and messages
both() {
    local implementation
    for implementation in cpu cuda; do
        go $implementation run.implementation=$implementation run.steps=30 output.metrics_every=7 "${melt[@]}" "${@:2}"
        sed 's/^.*: advance: //; s/^.*: measure: //' "$TMP/stderr" >"$TMP/$implementation.said"
        cat "$TMP/$implementation"/{position,velocity,force}-*30.npy 2>/dev/null | cksum >"$TMP/$implementation.bits"
        cut -d, -f1,3,7 "$TMP/$implementation/metrics.csv" >>"$TMP/$implementation.bits"
    done
    expect "cuda, $1: the bits of cpu" cmp "$TMP/cuda.bits" "$TMP/cpu.bits"
    expect "cuda, $1: its messages" cmp "$TMP/cuda.said" "$TMP/cpu.said"
}
if [ -e "$BUILD/tests/plugins/emulated/pairs.so" ]; then
    plugins=(--plugins "$BUILD/tests/plugins/emulated")
    both wca
    expect_equal 'and the run succeeds' "$status" 0
    both 'new lists for each step' pairs.skin=0.01
    both 'in parts' run.parts=3
    both species pairs.potential=lj pairs.species=2 'pairs.composition=4 1' 'pairs.epsilon=1 1.5 0.5' 'pairs.sigma=1 0.8 0.88'
    both 'yukawa in a plane' pairs.potential=yukawa pairs.dimensions=2 pairs.density=0.7 pairs.chain=125
    both 'combs of a file' pairs.chain=0 pairs.bonds="$TMP/combs.txt" pairs.bond_length=3 pairs.dt=0.001 init.source=arrays \
        init.position="$TMP/start/position-0000000000.npy"
    expect_equal 'and the run succeeds' "$status" 0
    both 'a torn bond at the start' init.source=random-gas
    both 'a torn bond' pairs.dt=0.03 pairs.temperature=3
    expect_stderr_has 'pairs/cuda: advance: step 2: a bond of particle 380'
    both 'half the box' pairs.dt=9
    expect_stderr_has 'would cross half the box'
    plugins=()
else
    skip 'cuda on the host' 'it was not built: it needs a C++ compiler and no sanitizers'
fi

# ---- Kremer and Grest's melt: bonds of 0.97, and LAMMPS's chain benchmark has a pressure of 4.65 and 20.94 potential
# and bond energy a bead, at the temperature 0.973 (its log of 100-mers, bench/log.*.chain)

go melt run.steps=2500 pairs.integrator=langevin pairs.temperature=0.973 pairs.friction=0.5 pairs.dt=0.01 "${melt[@]}" \
    output.metrics_every=20 output.every=1000
expect_equal 'melt: exit status' "$status" 0
bond=$(perl -e 'my ($sum, $count) = (0, 0); local $/;
    for (@ARGV) { open my $file, "<", $_ or die; binmode $file; my @x = unpack "d<*", substr <$file>, 128; my $edge = (500 / 0.85) ** (1 / 3);
        for my $i (0 .. 498) { next if $i % 10 == 9; my $s = 0;
            for my $c (0 .. 2) { my $d = $x[3 * $i + 3 + $c] - $x[3 * $i + $c]; $d -= $edge * sprintf "%.0f", $d / $edge; $s += $d ** 2 }
            $sum += sqrt $s; $count++ } }
    print $sum / $count' "$TMP"/melt/position-000000[12]*.npy)
expect "the mean bond of the melt is 0.97 long, and not $bond" near "$bond" 0.97 0.01
energy=$(awk -F, 'NR > 50 { sum += $3; count++ } END { print sum / count / 500 }' "$TMP/melt/metrics.csv")
expect "and its energy a bead is 0.9 / 0.99 of 20.4945 and 0.4448, and not $energy" near "$energy" 19.076 0.01

# The generator puts neighbours in a chain at neighbouring sites, in two dimensions too.
go flat run.steps=0 pairs.dimensions=2 pairs.density=0.7 init.source=chains particles.count=360 pairs.chain=60 pairs.displacement=0
expect 'chains: all bonds are as long as the lattice is wide' perl -e 'open my $file, "<", shift or die; binmode $file; local $/;
    my @x = unpack "d<*", substr <$file>, 128; my @bond; my $wide = sqrt(1 / 0.7);
    for my $i (0 .. 358) { next if $i % 60 == 59; my $s = 0;
        $s += ($x[3 * $i + 3 + $_] - $x[3 * $i + $_]) ** 2 for 0 .. 2; push @bond, sqrt $s }
    exit !(@bond == 354 && !grep { abs($_ - $wide) > 0.06 } @bond)' "$TMP/flat/position-0000000000.npy"

# ---- Refusals

refused() { # TEXT SETTING…
    go refused "${@:2}"
    expect_equal "refused: $1: exit status" "$status" 2
    expect_stderr_has "$1"
}
refused '505 particles are not a whole number of chains' "${melt[@]}" particles.count=505
refused 'step 0: a bond of particle' "${melt[@]}" init.source=random-gas
refused 'is not shorter than bond_length, 1.5; set a smaller dt' "${melt[@]}" pairs.density=0.2
refused 'expected at least twice the largest cutoff and bond length, 3' "${melt[@]}" particles.box='10 2.5 10'
plan
