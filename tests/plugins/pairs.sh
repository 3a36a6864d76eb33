#!/bin/bash
# pairs: forces of LAMMPS, the reference, bits that do not depend on lists, threads or instructions, conservation of
# energy, temperatures, tables, and what it refuses.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../npy.sh"
export OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others
[ -e "$BUILD/plugins/pairs.so" ] || skip_all 'pairs was not built'
cat >"$TMP/melt.ini" <<END
[run]
plugin = pairs
threads = 2
[particles]
count = 500
[init]
source = fcc
[pairs]
temperature = 1.44
END

# go FOLDER [KEY=VALUE]…
go() {
    local folder=$1 settings=() setting
    for setting in "${@:2}"; do
        settings+=(--set "$setting")
    done
    run "$ENGINE" run "$TMP/melt.ini" --quiet --force --set run.output="$TMP/$folder" "${settings[@]}"
}

# metric FOLDER NAME ROW: a number of metrics.csv; row 1 is the first, -1 the last
metric() {
    perl -e 'my ($name, $row) = splice @ARGV, 0, 2; my @lines = <>; chomp @lines; my @names = split /,/, $lines[0];
        my ($column) = grep { $names[$_] eq $name } 0 .. $#names; print +(split /,/, $lines[$row])[$column]' \
        "$2" "$3" "$TMP/$1/metrics.csv"
}

# close_to A B DISTANCE
close_to() { perl -e 'exit !(abs($ARGV[0] - $ARGV[1]) <= $ARGV[2])' -- "$@"; }

same() { cmp -s "$TMP/$1/velocity-$3.npy" "$TMP/$2/velocity-$3.npy" && cmp -s "$TMP/$1/position-$3.npy" \
    "$TMP/$2/position-$3.npy"; }

# ---- LAMMPS

golden=tests/plugins/pairs-lammps.txt
# columns FIRST COUNT: of the golden
columns() { awk -v first="$1" -v count="$2" \
    '$1 == "atom" { for (i = first; i < first + count; i++) printf "%s ", $i }' $golden; }
# shellcheck disable=SC2046 # words are numbers
npy "$TMP/position.npy" '<f8' '256, 3' d $(columns 2 3) && npy "$TMP/velocity.npy" '<f8' '256, 3' d $(columns 5 3)
largest() { # FILE FIRST: the largest difference from three columns of the golden, divided by their largest number
    perl -e 'my @is = split " ", shift; my @should = split " ", shift; my ($error, $most) = (0, 0);
        for (0 .. $#should) { my $e = abs($is[$_] - $should[$_]); $error = $e if $e > $error;
            $most = abs $should[$_] if abs $should[$_] > $most }
        printf "%.3g", @is == @should ? $error / $most : 9' "$(numbers "$TMP/$1" d)" "$(columns "$2" 3)"
}
states=$(awk '$1 == "state" { print $2, $3, $4, $5 }' $golden)
for implementation in cpu-serial cpu; do
    go lammps run.implementation=$implementation run.steps=1 particles.count=256 \
        particles.box='6.7183847655300291 6.7183847655300291 6.7183847655300291' \
        init.source=arrays init.position="$TMP/position.npy" init.velocity="$TMP/velocity.npy" output.metrics_every=1
    expect_equal "$implementation starts where LAMMPS does: exit status" "$status" 0
    expect "$implementation: forces are those of LAMMPS to float precision" close_to \
        "$(largest lammps/force-0000000001.npy 11)" 0 2e-6
    expect "$implementation: velocities are those of LAMMPS" close_to "$(largest lammps/velocity-0000000001.npy 8)" 0 \
        1e-6
    step=1
    while read -r potential kinetic pressure temperature; do
        for pair in "potential $potential 256" "kinetic $kinetic 256" "pressure $pressure 1" \
            "temperature $temperature 1"; do
            read -r name value atoms <<<"$pair"
            expect "$implementation: $name at step $((step - 1)) is that of LAMMPS" \
                close_to "$(perl -e "print $(metric lammps "$name" $step) / $atoms")" "$value" 1e-6
        done
        step=$((step + 1))
    done <<<"$states"
done

# ---- The same bits, however the work is done. In 60 steps lists are made again several times.

go bits run.steps=60
for set in run.threads=1 pairs.skin=0.05 pairs.skin=1 pairs.instructions=plain; do
    go other run.steps=60 "$set"
    expect "$set changes no bit" same bits other 0000000060
done
go other run.steps=60 output.metrics_every=1
expect 'calls of one step with metrics in between change no bit' same bits other 0000000060
go bits run.steps=30 pairs.integrator=langevin
go other run.steps=30 pairs.integrator=langevin output.metrics_every=7 pairs.skin=0.1 run.threads=1
expect 'langevin draws the same numbers, however the work is done' same bits other 0000000030
# Particles that almost touch: their forces do not fit into 32 bits.
go bits run.steps=2 init.source=random-gas pairs.dt=1e-9
go other run.steps=2 init.source=random-gas pairs.dt=1e-9 pairs.skin=0.01 pairs.instructions=plain
expect 'huge forces have the same bits' same bits other 0000000002

# ---- The reference

verify() { expect_status 0 "$ENGINE" verify "$TMP/melt.ini" --steps 10 "$@"; }
verify
verify --set pairs.potential=wca --set pairs.integrator=langevin
verify --set pairs.potential=yukawa --set pairs.kappa=2
verify --set pairs.species=2 --set 'pairs.composition=4 1' --set 'pairs.epsilon=1 1.5 0.5' \
    --set 'pairs.sigma=1 0.8 0.88' \
    --set 'pairs.cutoff=2.5 2 2.2'
perl -e 'for (0 .. 1100) { my $r = 0.5 + $_ * 0.002; printf "%.9g %.15g %.15g\n", $r, 4 * ($r ** -12 - $r ** -6), 24 * (2 * $r ** -13 - $r ** -7) }' \
    >"$TMP/lj.txt"
verify --set pairs.potential=table --set pairs.table="$TMP/lj.txt"
go analytic output.metrics_every=20 run.steps=20
go table output.metrics_every=20 run.steps=20 pairs.potential=table pairs.table="$TMP/lj.txt" pairs.cutoff=2.5
expect 'a table of Lennard-Jones gives its energy' close_to "$(metric analytic potential -1)" \
    "$(metric table potential -1)" 0.01

# A table of U = (4 - r)^2 + 1 up to r = 4. At r = 3, U = 2 and F = 2, as LAMMPS and HOOMD-blue compute; the cutoff 2.5
# of older versions left nothing.
for ((i = 1; i <= 40; i++)); do perl -e 'my $r = shift() / 10; printf "%.3g %.15g %.15g\n", $r, (4 - $r) ** 2 + 1, 2 * (4 - $r)' $i; done \
    >"$TMP/square.txt"
printf '2\nLattice="20 0 0 0 20 0 0 0 20" Properties=species:S:1:pos:R:3\nA 0 0 0\nA 3 0 0\n' >"$TMP/two.xyz"
cat >"$TMP/two.ini" <<END
[run]
plugin = pairs
[init]
file = two.xyz
[output]
metrics_every = 1
[pairs]
potential = table
table = square.txt
dt = 0
END
# two ENERGY FORCE SETTING…
two() {
    local settings=() setting
    for setting in "${@:3}"; do settings+=(--set "$setting"); done
    for implementation in cpu-serial cpu; do
        run "$ENGINE" run "$TMP/two.ini" --force --set run.output="$TMP/two" --set run.implementation=$implementation \
            "${settings[@]}"
        expect "$implementation ${*:3}: energy" close_to "$(metric two potential 1)" "$1" 1e-5
        expect "$implementation ${*:3}: force" close_to "$(numbers "$TMP/two/force-0000000001.npy" d | cut -d' ' -f4)" "$2" 1e-5
    done
}
two 2 2
two 1 2 pairs.shift=Yes
two 0 0 pairs.cutoff=2.5
two 1 2 pairs.cutoff=4
two 2 2 pairs.cutoff=4 pairs.shift=no
two 2 2 pairs.cutoff=5
expect_stderr_has 'engine: warning: pairs: cutoff = 5: the table ends at the distance 4, from which on there is no force'
two 0 0 pairs.sigma=0.7
two 6.5 3.466666667 pairs.sigma=1.5 pairs.epsilon=1.3 # 1.3 U(2), 1.3 F(2) / 1.5
expect_status 0 "$ENGINE" run "$TMP/two.ini" --quiet --force --set run.output="$TMP/two" --set run.steps=2 \
    --set checkpoint.every=2
sed -i.was 's/^3 2 /3 2.5 /' "$TMP/square.txt"
expect_status 2 "$ENGINE" resume "$TMP/two" --quiet --set run.steps=4
expect_stderr_has '[pairs] checksum of the table: was '
{ echo '# the same numbers' && cat "$TMP/square.txt.was"; } >"$TMP/square.txt"
expect_status 0 "$ENGINE" resume "$TMP/two" --quiet --set run.steps=4
sed -i 's/^A 3/A 2.25/' "$TMP/two.xyz"
two 0.8125 3.5 pairs.cutoff=2.5 # (1.75^2 - 1.5^2), as before

# ---- Physics

go long run.steps=1000 output.metrics_every=1000
expect 'velocity Verlet keeps the energy' close_to "$(metric long energy 1)" "$(metric long energy -1)" 2
go warm run.steps=2000 pairs.integrator=langevin pairs.temperature=0.9 pairs.friction=5 output.metrics_every=10
mean=$(awk -F, 'NR > 50 { sum += $5; count++ } END { print sum / count }' "$TMP/warm/metrics.csv")
expect "langevin has the temperature, 0.9 and not $mean" close_to "$mean" 0.9 0.01

# BAOAB samples the positions of the temperature T, and velocities of T - dt^2 <F^2> / 12, up to the fourth power of dt
# (exact for harmonic forces). With a long step the two differ by more than the error of the mean.
go coarse run.steps=5000 particles.count=1000 init.seed=3 pairs.integrator=langevin pairs.temperature=0.72 \
    pairs.friction=2 \
    pairs.dt=0.02 output.every=250 output.metrics_every=20
mean=$(awk -F, 'NR > 51 { sum += $5; count++ } END { print sum / count }' "$TMP/coarse/metrics.csv")
lower=$(perl -e 'my ($sum, $count) = (0, 0); local $/;
    for (@ARGV) { open my $file, "<", $_ or die; binmode $file; my @f = unpack "d<*", substr <$file>, 128; $sum += $_ ** 2 for @f; $count += @f / 3 }
    print 0.72 - 0.02 ** 2 * $sum / $count / 12' "$TMP"/coarse/force-000000[1-5]*.npy)
expect "langevin with a long step: the temperature is the $lower of the theory, and not $mean" close_to "$mean" \
    "$lower" 0.006

# ---- Velocities. Those of many particles come from groups of 4096 or more; the numbers below do not depend on groups.

go velocities run.steps=0 particles.count=100000 init.seed=5
moments=$(perl -e 'open my $file, "<", shift or die; binmode $file; local $/; my @v = unpack "d<*", substr <$file>, 128;
    my ($n, $each, $squares, $fourth, $blocks, @sum, @block) = (@v / 3, 2000, 0, 0, 0);
    for (0 .. $#v) { $sum[$_ % 3] += $v[$_]; $block[3 * int($_ / 3 / $each) + $_ % 3] += $v[$_]; $squares += $v[$_] ** 2; $fourth += $v[$_] ** 4 }
    $blocks += $_ ** 2 for @block;
    printf "%.12f %.12f %.3f %.3f %d", abs($sum[0]) + abs($sum[1]) + abs($sum[2]), $squares / (3 * $n - 3),
        $fourth * @v / $squares ** 2, $blocks / @block / ($each * 1.44 * (1 - $each / $n)), $n' \
            "$TMP/velocities/velocity-0000000000.npy")
read -r momentum temperature fourth blocks number <<<"$moments"
expect_equal 'velocities: all were read' "$number" 100000
expect "velocities have no momentum, and not $momentum" close_to "$momentum" 0 1e-8
expect "velocities have the temperature 1.44, and not $temperature" close_to "$temperature" 1.44 1e-11
expect "velocities are Maxwell's: <v^4> / <v^2>^2 is 3, and not $fourth" close_to "$fourth" 3 0.03
expect "the momenta of blocks of particles have their variance in a gas without momentum: 1, and not $blocks" \
    close_to "$blocks" 1 0.25

# ---- The box. Nobody gives a box to particles from a plain file; a generator takes one from the density.

printf '2\n\nA 0 0 0\nA 6.1 0 0\n' >"$TMP/open.xyz"
go open particles.count=2 init.source=file init.file="$TMP/open.xyz"
expect_equal 'particles from a file without a box: exit status' "$status" 2
expect_stderr_has 'there is no periodic box: set [particles] box = Lx Ly Lz, or [pairs] density'
expect_status 2 "$ENGINE" check "$TMP/melt.ini" --set particles.count=2 --set init.source=file \
    --set init.file="$TMP/open.xyz"
go open particles.count=2 init.source=file init.file="$TMP/open.xyz" particles.box='20 20 20' pairs.dt=0 \
    output.metrics_every=1
expect_equal 'with a box they are too far apart' "$status $(metric open potential 1)" '0 0'
go open particles.count=2 init.source=file init.file="$TMP/open.xyz" pairs.density=0.002 'output.formats=xyz'
expect 'a density that the configuration gives makes a box, too' grep -q 'Lattice="10 0 0 0 10 0 0 0 10"' \
    "$TMP/open/position-0000000001.xyz"
go boxed particles.count=500 pairs.density=0.5 run.steps=1 'output.formats=xyz lammpstrj'
expect_equal 'a box from the density: xyz' "$(grep -o 'Lattice="[^"]*"' "$TMP/boxed/position-0000000001.xyz")" \
    'Lattice="10 0 0 0 10 0 0 0 10"'
expect_equal 'a box from the density: LAMMPS' \
    "$(grep -A3 'BOX BOUNDS' "$TMP/boxed/position-0000000001.lammpstrj" | tr '\n' ' ')" 'ITEM: BOX BOUNDS pp pp pp 0 10 0 10 0 10 '
expect_equal 'a box from the density: the configuration' "$(grep '^box' "$TMP/boxed/config.ini")" 'box = 10 10 10 0 0 0'
expect_status 0 "$ENGINE" check "$TMP/melt.ini" --set pairs.density=0.5
expect_stdout_has 'box             10 10 10, periodic along x y z, from pairs'
go boxed particles.count=500 pairs.density=0.5 run.steps=0 init.source=random
expect 'random positions are uniform in it' perl -e 'my @x = split " ", shift; my ($sum, $most) = (0, 0);
    for (@x) { $sum += $_; $most = $_ if $_ > $most } exit !(abs($sum / @x - 5) < 0.3 && $most > 9.9 && $most < 10)' \
    "$(numbers "$TMP/boxed/position-0000000000.npy" d)"
# A density that the box does not have is said. 20 particles in a cube of two cutoffs, 5, have the density 0.16.
dense() { expect_status 0 "$ENGINE" run "$TMP/melt.ini" --force --set run.output="$TMP/dense" --set run.steps=0 "$@"; }
dense --set particles.count=20 --set pairs.density=0.8442
expect_stderr_has 'density = 0.8442: the 20 particles have the density 0.16, because the box is the smallest one, a cube of two cutoffs'
dense --set particles.count=20
expect_equal 'nobody has asked for a density' "$(cat "$TMP/stderr")" ''
dense --set pairs.density=0.8442 --set particles.box='10 10 10'
expect_stderr_has 'density = 0.8442: the 500 particles have the density 0.5, because the box is given; leave out density'
dense --set pairs.density=0.7
expect_equal 'the density of the box' "$(cat "$TMP/stderr")" ''
expect_status 0 "$ENGINE" run "$TMP/dense/config.ini" --force --set run.output="$TMP/again"
expect_equal 'a run again, with its density and its box' "$(cat "$TMP/stderr")" ''
if [ -e "$BUILD/plugins/rdf.so" ]; then
    go seen particles.count=500 pairs.density=0.5 run.steps=1 analyse.plugin=rdf rdf.r_max=5
    expect 'an analysis sees it: g is near 1 at large distances' perl -e 'exit !(abs(shift() - 1) < 0.2)' \
        "$(numbers "$TMP/seen/g-0000000001.npy" d | awk '{ print ($400 + $420 + $440 + $460 + $480 + $500) / 6 }')"
fi

# ---- What it refuses

refused() { # TEXT SETTING…
    go refused "${@:2}"
    expect_equal "refused: $1: exit status" "$status" 2
    expect_stderr_has "$1"
}
refused 'expected at least twice the largest cutoff, 5' particles.box='10 4 10'
refused 'the box is 4.47214 long along x, from face to face; expected at least' particles.box='10 10 10 20 0 0'
refused 'expected one number, one for each of the 2 species, or 3' pairs.species=2 'pairs.epsilon=1 2 3 4'
refused 'cutoff = 2.5nm: expected numbers without a unit' pairs.cutoff=2.5nm
refused "shift = maybe: expected auto, yes or no" pairs.shift=maybe
refused 'composition = 1 1' 'pairs.composition=1 1'
refused 'potential = table needs the name of a file' pairs.potential=table
printf '1 2 3\n2 1\n' >"$TMP/bad.txt"
refused 'line 2 is not a row of a table' pairs.potential=table pairs.table="$TMP/bad.txt"
mkfifo "$TMP/pipe" && truncate -s 100G "$TMP/sparse"
for file in "$TMP/pipe" "$TMP/sparse" /dev/zero; do
    run timeout 20 "$ENGINE" check "$TMP/melt.ini" --set pairs.potential=table --set "pairs.table=$file"
    expect_equal "no table, and nobody waits for one: ${file##*/}" "$status $(grep -c 'expected a regular file of at most' "$TMP/stderr")" '2 1'
done
refused 'would cross half the box in one step; set a smaller dt' init.source=random-gas run.steps=50
plan
