#!/bin/bash
# pairs in skewed boxes: LAMMPS, boxes that are the same lattice as a cube, the reference, and the same bits.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../npy.sh"
[ -e "$BUILD/plugins/pairs.so" ] || skip_all 'pairs was not built'
golden=tests/plugins/pairs-skewed.txt
printf '[run]\nplugin = pairs\nthreads = 2\n[pairs]\n' >"$TMP/skewed.ini"

# go FOLDER [KEY=VALUE]…
go() {
    local settings=() setting
    for setting in "${@:2}"; do settings+=(--set "$setting"); done
    run "$ENGINE" run "$TMP/skewed.ini" --quiet --force --set run.output="$TMP/$1" "${settings[@]}"
}
# near A B TOLERANCE: relative to B
near() { perl -e 'exit !(abs($ARGV[0] - $ARGV[1]) <= $ARGV[2] * abs $ARGV[1])' -- "$@"; }
# metric FOLDER COLUMN ROW: 2 kinetic, 3 potential, 4 energy, 5 temperature, 6 pressure, 7 virial
metric() { sed -n "$(($3 + 1))p" "$TMP/$1/metrics.csv" | cut -d, -f"$2"; }
# columns FIRST: three columns of the golden
columns() { awk -v at="$1" '$1 == "atom" { printf "%s %s %s ", $at, $(at + 1), $(at + 2) }' $golden; }

# ---- LAMMPS

# shellcheck disable=SC2046 # words are numbers
npy "$TMP/position.npy" '<f8' '160, 3' d $(columns 2) && npy "$TMP/velocity.npy" '<f8' '160, 3' d $(columns 5)
for implementation in cpu-serial cpu; do
    tolerance=$([ $implementation = cpu ] && echo 2e-6 || echo 1e-12)
    go lammps run.implementation=$implementation run.steps=1 output.metrics_every=1 pairs.tail=yes \
        init.source=arrays init.position="$TMP/position.npy" init.velocity="$TMP/velocity.npy" \
        particles.count=160 particles.box='6.4 6.1 5.9 2.3 -1.7 1.4'
    expect_equal "$implementation: exit status" "$status" 0
    row=1
    while read -r _ energy kinetic pressure virial; do
        expect "$implementation: energy" near "$(metric lammps 3 $row)" "$energy" "$tolerance"
        expect "$implementation: kinetic" near "$(metric lammps 2 $row)" "$kinetic" "$tolerance"
        expect "$implementation: pressure" near "$(metric lammps 6 $row)" "$pressure" "$tolerance"
        expect "$implementation: virial" near "$(metric lammps 7 $row)" "$virial" "$tolerance"
        row=$((row + 1))
    done < <(grep '^state' $golden)
    expect "$implementation: forces are those of LAMMPS" perl -e '
        open my $file, "<", shift or die; binmode $file; local $/; my @is = unpack "d<*", substr <$file>, 128;
        my @should = split " ", shift; my ($error, $most) = (0, 0);
        for (0 .. $#should) { my $e = abs($is[$_] - $should[$_]); $error = $e if $e > $error;
            $most = abs $should[$_] if abs $should[$_] > $most }
        exit !(@is == @should && $error < $most * shift)' "$TMP/lammps/force-0000000001.npy" "$(columns 8)" "$tolerance"
done

# ---- With a tilt of a whole edge, the lattice of images is that of the cube. The energy of NIST's configuration 1 is
# that of pairs_nist.sh, and its particles go the same ways.

cube=(init.source=file init.file="$PWD/tests/plugins/nist-lj/1.xyz" pairs.cutoff=3 pairs.shift=no run.steps=8 pairs.dt=0.004
    output.metrics_every=8)
go cube "${cube[@]}" run.implementation=cpu-serial
for tilts in '10 0 0' '0 -10 0' '0 0 10' '-10 0 0'; do
    for implementation in cpu-serial cpu; do
        tolerance=$([ $implementation = cpu ] && echo 1e-5 || echo 1e-11)
        go other "${cube[@]}" run.implementation=$implementation particles.box="10 10 10 $tilts"
        expect "$implementation, tilts $tilts: NIST's energy" near "$(metric other 3 1)" -4351.540194543878 1e-7
        expect "$implementation, tilts $tilts: energy after 8 steps" near "$(metric other 3 2)" "$(metric cube 3 2)" "$tolerance"
        expect "$implementation, tilts $tilts: virial after 8 steps" near "$(metric other 7 2)" "$(metric cube 7 2)" \
            "${tolerance/11/10}"
    done
done

# ---- The reference, and the same bits however the work is done

moved() { cat "$TMP/$1"/position-*.npy "$TMP/$1"/velocity-*.npy | cksum; }
melt=(init.source=fcc particles.count=500 particles.box='9 8.5 8 3 -2 2.5' pairs.dt=0.002)
verify() { expect_status 0 "$ENGINE" verify "$TMP/skewed.ini" --steps 10 --set init.source=fcc --set particles.count=500 \
    --set particles.box='9 8.5 8 3 -2 2.5' "$@"; }
verify --set pairs.integrator=langevin
verify --set pairs.potential=yukawa --set pairs.species=2 --set 'pairs.composition=4 1' --set 'pairs.sigma=1 0.8'
verify --set pairs.potential=wca --set pairs.chain=10 --set init.source=chains
verify --set pairs.dimensions=2 --set init.source=hex --set particles.box='24 17.4 0 -7 0 0' --set particles.count=300
for integrator in verlet langevin; do
    go bits run.steps=60 pairs.integrator=$integrator "${melt[@]}"
    go other run.steps=60 pairs.integrator=$integrator "${melt[@]}" run.threads=1 pairs.skin=0.1 \
        pairs.instructions=plain output.metrics_every=7 run.parts=2
    expect_equal "$integrator: no skin, thread, instruction or part changes a bit" "$(moved bits)" "$(moved other)"
done
go long run.steps=400 "${melt[@]}" output.metrics_every=100 pairs.temperature=2
expect 'velocity Verlet keeps the energy' perl -e 'exit !(abs($ARGV[0] - $ARGV[1]) < 2)' -- "$(metric long 4 2)" "$(metric long 4 5)"
expect 'all particles are in the cell' perl -e 'my @x = split " ", shift; my $in = 0;
    for (0 .. 499) { my ($x, $y, $z) = @x[3 * $_ .. 3 * $_ + 2]; my $c = $z / 8; my $b = ($y - 2.5 * $c) / 8.5; my $a = ($x - 3 * $b + 2 * $c) / 9;
        $in += $a > -1e-7 && $a < 1 + 1e-7 && $b > -1e-7 && $b < 1 + 1e-7 && $c > -1e-7 && $c < 1 + 1e-7 }
    exit !($in == 500)' -- "$(numbers "$TMP/long/position-0000000400.npy" d)"
go refused init.source=hex particles.count=300 pairs.dimensions=2 particles.box='24 17.4 5 0 1 0'
expect_equal 'a tilt of z in two dimensions: exit status' "$status" 2
expect_stderr_has 'the box has the tilts 1 and 0 of z; expected 0 in two dimensions'
plan
