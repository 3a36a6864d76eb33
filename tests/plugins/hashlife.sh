#!/bin/bash
# life2d-bit `hashlife`: its states have the hashes of `cpu`, whatever the size, the rule, the number of steps, and the
# memory. Patterns with known periods return after very many steps.
. "$(dirname "$0")/../lib.sh"

cat >"$TMP/life.ini" <<END
[run]
plugin = life2d-bit
output = $TMP/out
threads = 1
[grid]
size = 1 1
[output]
every = 0
END
soup=(--set init.source=random --set init.density=0.4 --set init.seed=3)

# of NAME IMPLEMENTATION OPTION…: runs, and keeps the summary as NAME.json.
of() {
    local name=$1 implementation=$2
    shift 2
    "$ENGINE" run "$TMP/life.ini" --json --quiet --force --set run.implementation="$implementation" "$@" \
        >"$TMP/$name.json" 2>"$TMP/stderr" </dev/null || echo '{"hash": "failed"}' >"$TMP/$name.json"
}

# same NAME OPTION…
same() {
    local name=$1
    shift
    of cpu cpu "$@"
    of hashlife hashlife "$@"
    local found
    found=$(member hashlife hash)
    [ "$found" != failed ] || found=$(cat "$TMP/stderr")
    expect_equal "$name" "$found" "$(member cpu hash)"
}

# Every number of steps per call, compared with the reference, and by calls of one step too.
expect_status 0 "$ENGINE" verify "$TMP/life.ini" --impl hashlife --steps 100 --set init.source=random \
    --sweep grid.size='8 8,64 64,256 256,1 1,2 256,1024 4' --sweep life2d-bit.rule=B3/S23,B2/S
expect_equal 'all are equal' "$(grep -c 'hashlife .*bit-equal after 1, 2, 7, 100 steps' "$TMP/stdout")" 12

# Rules that do not count neighbours, with and without B0.
squares() { # RULES OPTION…
    expect_status 0 "$ENGINE" verify "$TMP/life.ini" --impl hashlife --steps 100 --set init.source=random \
        --sweep life2d-bit.rule="$1" "${@:2}"
    expect_equal "$1: all are equal" "$(grep -c 'hashlife .*bit-equal after 1, 2, 7, 100 steps' "$TMP/stdout")" 2
}
squares B2-a/S12,MAP+EoZ02htVVFU+eX947sZPxrEP0q8uXz/uS2Q+Va/ORhgNZAEPbAzt+Z2SiaR25/gdGRoXgrfcgy4D+cDo81Lkg \
    --set grid.size='128 64'
squares B02/S135H,B02-a3e/S128 --set grid.size='1 16' --set life2d-bit.instructions=plain
squares B2/S013V,W110 --set grid.size='72 56' --set grid.edges=dead

# Dead edges: walls beside, behind and below the grid, in one leaf, in several, and in none.
expect_status 0 "$ENGINE" verify "$TMP/life.ini" --impl hashlife --steps 100 --set init.source=random \
    --sweep grid.size='8 8,16 8,24 40,64 64,72 56,640 24,256 256' --sweep life2d-bit.rule=B3/S23,B0/S8,B1357/S1357 \
    --set grid.edges=dead
expect_equal 'dead edges: all are equal' "$(grep -c 'hashlife .*bit-equal after 1, 2, 7, 100 steps' "$TMP/stdout")" 21
expect_status 0 "$ENGINE" verify "$TMP/life.ini" --impl hashlife --steps 100 --set init.source=random \
    --sweep grid.size:grid.edges='1 8:torus dead,2 24:torus dead,256 72:torus dead,32 320:torus dead,72 256:dead torus,320 1:dead torus'
expect_equal 'one dead axis: all are equal' "$(grep -c 'hashlife .*bit-equal after 1, 2, 7, 100 steps' "$TMP/stdout")" 6
for steps in 63 1000 4096 100000; do
    same "dead edges, $steps steps" "${soup[@]}" --set grid.size='136 200' --set grid.edges=dead --set run.steps="$steps"
    same "one dead axis, $steps steps" "${soup[@]}" --set grid.size='128 200' --set grid.edges='torus dead' --set run.steps="$steps"
done
same 'dead edges, 1 MiB' "${soup[@]}" --set grid.size='1000 1048' --set grid.edges=dead --set run.steps=1000 \
    --set life2d-bit.memory=1
same 'dead edges, plain' "${soup[@]}" --set grid.size='200 96' --set grid.edges=dead --set run.steps=203 \
    --set life2d-bit.rule=B36/S23 --set life2d-bit.instructions=plain
refused_size() {
    expect_status 4 "$ENGINE" run "$TMP/life.ini" --set run.implementation=hashlife "$@"
}
refused_size --set grid.size='100 64' --set grid.edges=dead
expect_stderr_has 'multiples of 8 between dead edges, not 100 x 64; 104 x 64 is the next larger grid'
refused_size --set grid.size='96 60' --set grid.edges='torus dead'
expect_stderr_has 'not 96 x 60; 128 x 64 is the next larger grid'

for size in '1 1' '2 2' '4 8' '8 8' '16 16' '32 32' '64 64' '128 128' '256 256' '512 512' '1024 32' '16 2048'; do
    for steps in 1 3 7 100 1023; do
        same "$size, $steps steps" "${soup[@]}" --set grid.size="$size" --set run.steps="$steps"
    done
done
for rule in B36/S23 B3678/S34678 B2/S B1357/S02468 B0/S8 B0123478/S01234678 B8/S7 B/S8; do
    for instructions in auto plain; do
        same "$rule, $instructions" "${soup[@]}" --set grid.size='256 128' --set run.steps=203 \
            --set life2d-bit.rule="$rule" --set life2d-bit.instructions="$instructions"
    done
done
same 'all dead' --set grid.size='128 128' --set run.steps=1000
same 'all alive' --set init.source=random --set init.density=1 --set grid.size='128 128' --set run.steps=9 \
    --set life2d-bit.rule=B3/S8
same 'a small torus, 2^20 steps' "${soup[@]}" --set grid.size='64 64' --set run.steps=1048576

# Memory that is full again and again.
same '1 MiB' "${soup[@]}" --set grid.size='1024 1024' --set run.steps=1000 --set life2d-bit.memory=1
collections=$(perl -MJSON::PP -e 'local $/; print decode_json(<STDIN>)->{notes}{nodes} =~ /(\d+) collections/' \
    <"$TMP/hashlife.json")
if [ "${collections:-0}" -ge 50 ]; then ok 'nodes were collected'; else
    not_ok 'nodes were collected' "${collections:-none} collections"
fi
of hashlife hashlife "${soup[@]}" --set grid.size='2048 2048' --set run.steps=1000 --set life2d-bit.memory=1
expect 'too little memory is an error' grep -q 'set life2d-bit.memory to more MiB' "$TMP/stderr"

# Several threads: the same states, and about as many squares: they take some that one thread needs not.
nodes() {
    perl -MJSON::PP -e 'local $/; print decode_json(<STDIN>)->{notes}{nodes} =~ /(\d+)/' <"$TMP/$1.json"
}
crowd=("${soup[@]}" --set grid.size='1024 1024')
of one hashlife "${crowd[@]}" --set run.steps=700
for threads in 2 3 16; do
    same "$threads threads" "${crowd[@]}" --set run.steps=700 --set run.threads="$threads"
    less=$(($(nodes hashlife) - $(nodes one)))
    if [ "$less" -gt -1000 ] && [ "$less" -lt 1000 ]; then ok "$threads threads make about as many squares"; else
        not_ok "$threads threads make about as many squares" "$(nodes one) $(nodes hashlife)"
    fi
    same "$threads threads, dead edges, 1 MiB" "${crowd[@]}" --set grid.size='1016 1400' --set grid.edges=dead \
        --set run.steps=500 --set run.threads="$threads" --set life2d-bit.memory=1
done
same '3 threads, a rule of one instruction set' "${crowd[@]}" --set run.steps=203 --set run.threads=3 \
    --set life2d-bit.rule=B36/S23 --set life2d-bit.instructions=plain
of hashlife hashlife "${soup[@]}" --set grid.size='2048 2048' --set run.steps=1000 --set life2d-bit.memory=1 \
    --set run.threads=3
expect 'too little memory is an error of threads too' grep -q 'set life2d-bit.memory to more MiB' "$TMP/stderr"

# Where memory is too small for all threads, one takes the call. Later calls try again, and the summary has their numbers.
same 'threads go on after memory was full' "${soup[@]}" --set grid.size='1024 1408' --set grid.edges=dead \
    --set run.steps=480 --set output.metrics_every=8 --set run.threads=6 --set life2d-bit.memory=1
read -r alone shared < <(perl -MJSON::PP -e 'local $/; my $note = decode_json(<STDIN>)->{notes}{threads} // "";
    print "$1 $2\n" if $note =~ /^a single thread finished (\d+) of (\d+) shared calls, because memory was full/' \
    <"$TMP/hashlife.json")
if [ "${alone:-0}" -gt 0 ] && [ "$shared" -gt "$alone" ]; then ok 'some calls had one thread, and some all'; else
    not_ok 'some calls had one thread, and some all' "${alone:-none} of ${shared:-none}"
fi

# Outputs between the calls: the grid holds each state. hashlife counts each square once, unless a collection drops it.
metrics() { # SIZE EDGES OPTION…
    local options=("${soup[@]}" --set grid.size="$1" --set grid.edges="$2" --set run.steps=200
        --set output.metrics_every=5 "${@:3}")
    same "$1, $2: outputs every 5 steps" "${options[@]}"
    cp "$TMP/out/metrics.csv" "$TMP/metrics-hashlife.csv"
    of cpu cpu "${options[@]}"
    expect_equal "$1, $2: the metrics of each" "$(cat "$TMP/metrics-hashlife.csv")" "$(cat "$TMP/out/metrics.csv")"
}
metrics '256 256' torus
metrics '16 64' torus
metrics '104 72' dead
metrics '64 200' 'torus dead'
metrics '1 1' torus --set init.density=1 --set life2d-bit.rule=B/S8
metrics '4 32' torus --set life2d-bit.rule=B36/S125
metrics '256 8' torus
metrics '2 40' 'torus dead'
metrics '1024 1024' torus --set life2d-bit.memory=1

# A glider crosses a torus of 2^n cells in 2^(n + 2) steps, so it returns after 2^40 of them; a pulsar has period 3 and
# 2^40 = 3 k + 1; the gun of the first configuration fills its torus with gliders, and 2^30 steps of it are too many for
# others.
glider=(--set init.file="$ROOT/configs/patterns/glider.rle" --set init.at='60 62' --set grid.size='64 64')
of start hashlife "${glider[@]}" --set run.steps=0
of end hashlife "${glider[@]}" --set run.steps=1099511627776
expect_equal 'a glider returns after 2^40 steps' "$(member end hash)" "$(member start hash)"
of off hashlife "${glider[@]}" --set run.steps=1099511627777
expect_not 'but not a step later' [ "$(member off hash)" = "$(member start hash)" ]
pulsar=(--set init.file="$ROOT/configs/patterns/pulsar.rle" --set init.at='30 30' --set grid.size='128 128')
of one hashlife "${pulsar[@]}" --set run.steps=1
of end hashlife "${pulsar[@]}" --set run.steps=1099511627776
expect_equal 'a pulsar has period 3' "$(member end hash)" "$(member one hash)"

# What it refuses, and that it is never chosen unasked.
expect_status 4 "$ENGINE" check "$TMP/life.ini" --set run.implementation=hashlife --set grid.size='100 64'
expect_stderr_has 'it takes powers of two along the axes of a torus, and multiples of 8 between dead edges, not 100 x 64; 128 x 64 is the next larger grid'
of auto auto "${soup[@]}" --set grid.size='64 64' --set run.steps=1
expect_not 'auto does not choose it' [ "$(member auto implementation)" = hashlife ]
plan
