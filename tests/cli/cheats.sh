#!/bin/bash
# engine bench and plugins that deceive it: no rate of a cheat is printed.
# shellcheck disable=SC2016 # perl has variables too
. "$(dirname "$0")/../lib.sh"

export OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others

printf '[run]\nplugin = lazy\nthreads = 1\n[particles]\ncount = 100\n[init]\nsource = random\n' >"$TMP/lazy.ini"

# Runs a bench of `lazy` beside `cpu`, which is the reference. The plugin's parameters say what lazy puts off.
try() {
    run "$ENGINE" bench "$TMP/lazy.ini" --plugins "$BUILD/tests/cheats" --impl lazy,cpu --repeats 3 --json "$@"
}

# $1: name, $2: perl expression about the rows $lazy and $cpu in stdout
rows() {
    if perl -MJSON::PP -e 'local $/; my ($lazy, $cpu) = @{decode_json(<STDIN>)->{rows}}; exit !do {'"$2"'};' \
        <"$TMP/stdout"; then ok "$1"; else not_ok "$1" "$2" "$(cat "$TMP/stdout")"; fi
}

# Work that is put off until a call that is not timed: by all instances, or by those after the first one, in which the
# number of steps is chosen.
for count in 64 30000; do
    for how in '' 'lazy.instance=2 lazy.calls=3' 'lazy.instance=2'; do
        # shellcheck disable=SC2046,SC2086 # words
        try --set particles.count=$count $(for word in $how; do echo --set $word; done)
        expect_equal "$count numbers, $how: status 1" "$status" 1
        rows "$count numbers, $how: no rate" '!exists $lazy->{rate} && $lazy->{error} =~ /hash/ && $cpu->{rate} > 0'
    done
    try --set particles.count=$count --set lazy.instance=2 --steps 64
    rows "$count numbers, 64 steps: no rate" '!exists $lazy->{rate} && $lazy->{error} =~ /after 65 steps/'
done

# Only long calls, or only late instances, after the run of a few steps: a rate that is printed was earned.
for how in least=100 least=10000 least=1000000 instance=5 instance=7 instance=9; do
    try --set lazy.$how
    rows "$how: an error, or the rate of cpu" '$lazy->{error} || $lazy->{rate} < 10 * $cpu->{rate}'
done

# An honest plugin passes, and what is compared is the end of its repeats.
try --set lazy.calls=0
expect_equal 'honest: status 0' "$status" 0
rows 'honest: compared after the first step and those of a repeat' \
    '!grep { $_->{error} || $_->{confirmed_step} != $_->{steps} + 1 || $_->{hash_step} != $_->{steps} + 1 } $lazy, $cpu'

# An implementation that is too fast to be followed is compared after as many steps as a slower one has taken, and the
# table says so.
run "$ENGINE" bench configs/gosper-gun.ini --impl cpu-serial,cpu --set grid.size="512 512" --set run.threads=1 --repeats 1
expect 'the last step that was compared, of those that were taken' \
    grep -Eq '^\| cpu  .*\| hash equal at step [0-9]+ of [0-9]+ \|' "$TMP/stdout"
plan
