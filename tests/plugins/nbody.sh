#!/bin/bash
# nbody: initial states that it refuses, numbers of bodies, and the configurations that come with it.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../npy.sh"
export OMP_WAIT_POLICY=passive

cat >"$TMP/two.ini" <<END
[run]
plugin = nbody
steps = 3
output = $TMP/out
[particles]
count = 3
[init]
source = arrays
position = position.npy
velocity = velocity.npy
mass = mass.npy
[nbody]
softening = 0
END

# npy FILE SHAPE NUMBER…: little-endian floats.
npy() {
    perl -e 'my ($shape, @numbers) = @ARGV;
        my $header = "{\x27descr\x27: \x27<f4\x27, \x27fortran_order\x27: False, \x27shape\x27: ($shape), }";
        $header .= " " x (117 - length $header) . "\n";
        print "\x93NUMPY\x01\x00", pack("v", length $header), $header, pack("f<*", map { 0 + $_ } @numbers)' \
        "${@:2}" >"$TMP/$1.npy"
}

# start POSITIONS VELOCITIES MASSES
start() {
    # shellcheck disable=SC2086 # words are numbers
    npy position '3, 3' $1 && npy velocity '3, 3' $2 && npy mass '3,' $3
}

# refused WHAT TEXT [SETTING…]: by the implementations on the CPU, whatever their form
refused() {
    local what=$1 text=$2 setting settings=()
    for setting in "${@:3}"; do settings+=(--set "$setting"); done
    for implementation in cpu-serial cpu; do
        run "$ENGINE" run "$TMP/two.ini" --quiet --force --set run.implementation=$implementation "${settings[@]}"
        expect_equal "$implementation refuses $what: exit status" "$status" 2
        expect_stderr_has "$text"
    done
}

places='0 0 0  1 0 0  0 2 0'
rest='0 0 0  0 0 0  0 0 0'
start "$places" "$rest" '1 2 0'
expect_status 0 "$ENGINE" run "$TMP/two.ini" --quiet --force
start '0 0 0  1 nan 0  0 2 0' "$rest" '1 2 3'
expect_status 3 "$ENGINE" run "$TMP/two.ini" --quiet --force
expect_stderr_has 'element 4 of field position is infinite or not a number'
refused 'speeds beyond those of a float' 'body 0: component 0 of its velocity is' init.source=plummer init.position= \
    init.velocity= init.mass= nbody.g=1e30 nbody.size=1e-30 nbody.total_mass=1e30
start "$places" "$rest" '1 2 -3'
refused 'a negative mass' 'body 2: its mass is -3'
start '1 0 -0  5 5 5  1 0 0' "$rest" '1 2 3'
refused 'two bodies at one position' 'bodies 0 and 2 are at the same position, 1 0 '
expect_status 0 "$ENGINE" run "$TMP/two.ini" --quiet --force --set nbody.softening=0.1

# Bodies without mass may be there: they do not attract each other. The body of mass 4 attracts both with g m / d^2 = 1.
start '2 0 0  0 0 0  2 0 0' "$rest" '0 4 0'
for implementation in cpu-serial cpu; do
    for integrator in leapfrog hermite; do
        expect_status 0 "$ENGINE" run "$TMP/two.ini" --quiet --force --set run.implementation=$implementation \
            --set run.output="$TMP/massless" --set output.metrics_every=1 --set run.steps=1 --set nbody.dt=0 \
            --set nbody.g=1 --set nbody.integrator=$integrator
        expect_equal "$implementation, $integrator: bodies without mass at one position" \
            "$(numbers "$TMP/massless/acceleration-0000000001.npy" f) $(tail -n 1 "$TMP/massless/metrics.csv" | awk -F, '{ print $2 + $3 + $4 }')" \
            '-1 0 0 0 0 0 -1 0 0 0'
    done
done
if [ -e "$BUILD/plugins/nbody-tree.so" ]; then
    expect_status 0 "$ENGINE" run "$TMP/two.ini" --quiet --force --set run.plugin=nbody-tree --set run.output="$TMP/massless" \
        --set run.steps=1 --set nbody.softening= --set nbody-tree.softening=0 --set nbody-tree.dt=0
    expect_equal 'nbody-tree: bodies without mass at one position' \
        "$(numbers "$TMP/massless/acceleration-0000000001.npy" f)" '-1 0 0 0 0 0 -1 0 0'
fi
start '1 0 0  5 5 5  1 0 0' "$rest" '0 2 3'
refused 'a body without mass at the place of another' 'bodies 0 and 2 are at the same position, 1 0 0'

# Bodies that meet while it runs: the numbers end there, and so does the run.
start '-1 0 0  1 0 0  0 0 0' '1e38 0 0  0 0 0  0 0 0' '1 1 1'
for implementation in cpu-serial cpu; do
    run "$ENGINE" run "$TMP/two.ini" --quiet --force --set run.implementation=$implementation --set nbody.dt=10
    expect_equal "$implementation does not go on with infinite numbers: exit status" "$status" 2
    expect_stderr_has 'body 0: component 0 of its position is'
done

# Adaptive steps: what they need, and bodies that meet.
adaptive=(--set nbody.integrator=hermite --set nbody.time_step=adaptive)
expect_status 2 "$ENGINE" check "$TMP/two.ini" --set nbody.time_step=adaptive
expect_stderr_has 'time_step = adaptive needs integrator = hermite instead of leapfrog'
start '-1 0 0  1 0 0  0 0 0' "$rest" '1 1 0'
expect_status 2 "$ENGINE" run "$TMP/two.ini" --quiet --force "${adaptive[@]}" --set particles.count=3 --set nbody.dt=10
expect_stderr_has \
    'time_step = adaptive: bodies are so close that a step is shorter than dt / 2^20; set a softening, precision = double or a smaller dt'
expect_status 0 "$ENGINE" run "$TMP/two.ini" --force "${adaptive[@]}" --set init.source=plummer --set init.position= \
    --set init.velocity= --set init.mass= --set nbody.precision=double --set nbody.softening=0.1
expect_stdout_has 'substeps '

expect_status 2 "$ENGINE" check configs/nbody-texts.ini --set particles.count=0
expect_stderr_has '[particles] count is missing'
expect_status 2 "$ENGINE" check "$TMP/two.ini" --set nbody.softening=1e-20
expect_stderr_has 'softening = 1e-20 is too small for precision = float; expected 0, or at least 1e-12'
expect_status 2 "$ENGINE" check "$TMP/two.ini" --set nbody.softening=-1
expect_status 2 "$ENGINE" run configs/nbody-texts.ini --quiet --force --set run.output="$TMP/out" \
    --set init.source=orbit
expect_stderr_has 'orbit has two bodies; set [particles] count = 2 instead of 4096'

# One body alone moves on evenly; its own attraction is nothing.
npy position '1, 3' 1 2 3
npy velocity '1, 3' 1 0 -1
npy mass '1,' 5
run "$ENGINE" run "$TMP/two.ini" --quiet --force --json --set particles.count=1 --set nbody.dt=0.5 --set run.steps=4
expect_equal 'where a single body is after 4 steps of 0.5' \
    "$(perl -e 'binmode STDIN; local $/; print join " ", unpack "f<3", substr <STDIN>, -12' \
    <"$TMP/out/position-0000000004.npy")" \
    '3 2 1'

# A periodic box has no effect, which is not silent.
expect_status 0 "$ENGINE" run "$TMP/two.ini" --force --set particles.count=1 --set 'particles.box=4 4 4'
expect_stderr_has 'engine: warning: nbody: the periodic box 4 4 4 has no effect: bodies have no periodic images'
expect_status 0 "$ENGINE" run "$TMP/two.ini" --force --set particles.count=1 --set 'particles.box=0 0 0'
expect_stderr_hasnt 'periodic'

for config in configs/nbody-*.ini; do
    expect_status 0 "$ENGINE" check "$config"
done
expect_status 0 "$ENGINE" verify configs/nbody-texts.ini --steps 2
expect_stdout_has 'cpu            within its tolerance of 1e-05 in step 1, 2; 2 calls of one step = one call of 2 steps'
expect_status 0 "$ENGINE" verify configs/nbody-3072.ini --steps 1 --set nbody.precision=double
plan
