#!/bin/bash
# engine conform finds every error of parity.c, which is built correctly and with one error at a time.
. "$(dirname "$0")/../lib.sh"

conform=("$ENGINE" conform)
export OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others
read -r -a cc <<<"${CC:-cc}"
sanitize=()
[ -n "${SANITIZE:-}" ] && sanitize=('-fsanitize=address,undefined' -fno-sanitize-recover=all)

# $1: how it is broken. Leaves the plugin in a folder of that name.
build_broken() {
    mkdir -p "$TMP/$1" && "${cc[@]}" -std=c11 -O2 -Wall -Wextra -Werror "${sanitize[@]}" -fPIC -shared -Iinclude \
        -DBREAK="$1" tests/conform/broken/parity.c -o "$TMP/$1/parity.so"
}

# $1: how; the rest: results that have to be failures, among others.
expect_caught() {
    local how=$1 result
    shift
    if ! build_broken "$how" 2>"$TMP/stderr"; then
        not_ok "$how is built" "$(cat "$TMP/stderr")"
        return
    fi
    run "${conform[@]}" --seconds 60 "$TMP/$how/parity.so"
    expect_equal "$how: conform fails" "$status" 1
    for result; do
        expect "$how: not ok: $result" grep -q -E "^not ok [0-9]+ - parity$result" "$TMP/stdout"
    done
    # Nothing else than the implementation that is broken.
    expect "$how: the reference stays right" sh -c "! grep -q '^not ok.*parity/reference' '$TMP/stdout'"
    expect "$how: as many results as planned" \
        test "$(grep -c -E '^(not )?ok ' "$TMP/stdout")" = "$(sed -n 's/^1\.\.//p' "$TMP/stdout")"
}

expect 'the sound plugin is built' build_broken NOTHING
expect_status 0 "${conform[@]}" "$TMP/NOTHING/parity.so"
expect_stdout_hasnt 'not ok'
expect 'nothing does not apply to it but what it says it does not do' sh -c \
    "! grep 'does not apply' '$TMP/stdout' | grep -v -e 'this is the reference' -e 'change its source' -e 'costs' -e 'measure' -e 'allocates nothing'"
expect_equal 'three implementations answer for 20 properties each, the plugin for 2' "$(grep -c -e '^ok ' -e '^# does not apply' "$TMP/stdout")" 62

expect_caught LAST_COLUMN '/cpu: equals the reference' '/cpu: is correct at every size' '/cpu: gives the same result everywhere' '/cpu: hashes'
expect_caught CORNER '/cpu: equals the reference' '/cpu: is correct at every size' '/cpu: gives the same result everywhere' '/cpu: hashes'
expect_caught WRITES_SOURCE '/cpu: does not change its source'
expect_caught BEYOND_GHOSTS '/cpu: memory around the cells'
expect_caught SHARED '/cpu: two instances that take turns' '/cpu: two instances at the same time'
expect_caught THREADS '/cpu: the number of threads does not'
expect_caught CLEAR_SCRATCH '/cpu: memory around the cells'
expect_caught CLEAR_RESULT '/cpu: memory around the cells' '/cpu: equals the reference'
expect_caught BEHIND_END '/cpu: is correct at every size'
expect_caught BEFORE_BEGIN '/cpu: is correct at every size'
expect_caught FEWER_STEPS '/cpu: equals the reference' '/cpu: calls of one step equal one call'
expect_caught STALE '/cpu: uses a state'
expect_caught OWN_COUNT '/cpu: continues from a saved state'
expect_caught NO_REASON '/cpu: gives a reason when'
expect_caught NO_MEMORY '/cpu: reports a lack of memory'
expect_caught MEASURE_WRONG '/cpu: metrics equal'
expect_caught MEASURE_WRITES '/cpu: metrics equal'
expect_caught CRASHES '/cpu: is correct at every size'
expect_caught TUNED '/cpu: tuning parameters do not change'
expect_caught SAYS_NOTHING '/cpu: is correct at every size'
expect_caught FORGETS_RESULT '/cpu: equals the reference'
expect_caught OWN_RANGES '/own: cells that are read and written in ranges'
expect_caught GENERATOR ': generators give the same'
expect_caught COST '/cpu: its cost is valid'
expect_caught NOT_DETERMINED '/cpu: gives the same result when it runs again'
expect_caught EXITS '/cpu: is correct at every size'

# One that hangs is ended, and said to hang.
expect 'HANGS is built' build_broken HANGS
expect_status 1 "${conform[@]}" --seconds 2 --impl cpu "$TMP/HANGS/parity.so"
expect 'HANGS: not ok: /cpu: is correct at every size' grep -q '^not ok.*parity/cpu: is correct at every size' "$TMP/stdout"
expect_stdout_has 'did not finish in 2 s'

# The broken plugins that other tests use.
for name in liar failing_advance losing_advance failing_create wrong_magic newer_major; do
    expect_status 1 "${conform[@]}" "$BUILD/tests/bad/$name.so"
done
run "${conform[@]}" "$BUILD/tests/bad/liar.so"
expect_stdout_has '- liar/cpu-wrong: equals the reference'
expect 'liar: its reference is right' sh -c "! grep -q '^not ok.*liar/cpu:' '$TMP/stdout'"

# Files that are no plugins, and words that conform does not know.
expect_status 1 "${conform[@]}" "$TMP/none.so"
expect_stdout_has 'not ok 1 - none: loads'
expect_stdout_has "$TMP/none.so: No such file"
expect_status 1 "${conform[@]}" "$TMP/life2d-bit.so"
expect_status 2 "${conform[@]}"
expect_status 1 "${conform[@]}" "$TMP/liar"
expect_status 2 "${conform[@]}" "$TMP/NOTHING/parity.so" --impl nobody
expect_status 2 "${conform[@]}" "$TMP/NOTHING/parity.so" --frobnicate
expect_stderr_has "--frobnicate"
expect_status 2 "${conform[@]}" "$TMP/NOTHING/parity.so" --impl cup
expect_stderr_has "did you mean 'cpu'?"

# From anywhere, by a path or by a name, as TAP or as JSON.
expect 'in the folder of the plugin, by its file' \
    sh -c "cd '$TMP/NOTHING' && '$ENGINE' conform parity.so --impl own | grep -qx '1..18'"
expect_status 0 "${conform[@]}" parity --impl own --plugins "$TMP/NOTHING" --json
expect_equal 'as JSON' "$(perl -MJSON::PP -e 'local $/; $_ = decode_json(<STDIN>); my ($skipped, $bad) = (0, 0);
    for (@{$_->{results}}) { $skipped++ if $_->{result} eq "does not apply"; $bad++ if $_->{result} eq "broken" }
    print join " ", $_->{plugin}, $_->{passed}, $_->{failed}, $bad, $_->{passed} + $skipped;' <"$TMP/stdout")" \
    'parity 18 0 0 22'
expect_status 1 "${conform[@]}" liar --plugins "$BUILD/tests/bad" --impl cpu-wrong --json
expect 'what is broken, and why' grep -q '"why":.* expected ' "$TMP/stdout"
plan
