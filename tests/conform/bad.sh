#!/bin/bash
# engine conform finds every error of parity.c, which is built correctly and with one error at a time, and says what it
# could not check. With a configuration, it checks plugins that need sizes or states of their own, such as lattice.c.
. "$(dirname "$0")/../lib.sh"

conform=("$ENGINE" conform)
export OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others
read -r -a cc <<<"${CC:-cc}"
sanitize=()
[ -n "${SANITIZE:-}" ] && sanitize=('-fsanitize=address,undefined' -fno-sanitize-recover=all)

mapfile -t ways < <(sed -n '/^enum {/,/^};/{s/^    \([A-Z_0-9]\{3,\}\).*/\1/p;/^};/q}' tests/conform/broken/parity.c)

# $1: how it is broken. Leaves the plugin in a folder of that name. It is compiled once. Copies of the file have the number
# of the way, its place in the enumeration of parity.c.
build_broken() {
    local number
    [ -e "$TMP/parity.so" ] || "${cc[@]}" -std=c11 -O2 -Wall -Wextra ${WERROR:+-Werror} "${sanitize[@]}" -fPIC -shared -Iinclude \
        tests/conform/broken/parity.c -lm -pthread -o "$TMP/parity.so" || return 1
    for number in "${!ways[@]}"; do
        [ "${ways[number]}" != "$1" ] || break
    done
    mkdir -p "$TMP/$1" && sed "s/BREAK=000/BREAK=$(printf %03d "$number")/" "$TMP/parity.so" >"$TMP/$1/parity.so" &&
        [ "${ways[number]}" = "$1" ]
}

# examine HOW ARGUMENT…: conform of the plugin that is broken in this way, with these arguments.
examine() {
    run "${conform[@]}" --seconds 60 "${@:2}" "$TMP/$1/parity.so"
    expect_equal "$1: conform fails" "$status" 1
    expect "$1: as many results as planned" \
        test "$(grep -c -E '^(not )?ok ' "$TMP/stdout")" = "$(sed -n 's/^1\.\.//p' "$TMP/stdout")"
}

# Of these, all implementations are examined, and nothing else fails than the one that is broken.
alone='STALE_METRIC STEP_32_BITS MORE_THREADS LAST_COLUMN CRASHES PART_MARGINS'

# expect_caught HOW RESULT…: results that have to be failures, among others, of the implementation that is broken, which
# the first of them names.
expect_caught() {
    local how=$1 impl=${2%%:*} result properties
    shift
    properties=$(printf '%s,' "${@#*: }") # that it takes a step is checked before all others
    if ! build_broken "$how" 2>"$TMP/stderr"; then
        not_ok "$how is built" "$(cat "$TMP/stderr")"
        return
    fi
    if grep -qw "$how" <<<"$alone"; then
        examine "$how"
        expect_equal "$how: nothing else fails" "$(grep '^not ok' "$TMP/stdout" | grep -v "parity$impl: ")" ''
    else
        examine "$how" ${impl:+--impl "${impl#/}"} --property "${properties%,}"
    fi
    for result; do
        expect "$how: not ok: $result" grep -q -E "^not ok [0-9]+ - parity$result" "$TMP/stdout"
    done
}

expect 'the sound plugin is built' build_broken NOTHING
expect_status 0 "${conform[@]}" "$TMP/NOTHING/parity.so"
expect_stdout_hasnt 'not ok'
expect 'everything is checked but what it says it does not do' sh -c \
    "! grep 'not checked: parity' '$TMP/stdout' | grep -v -e 'this is the reference' -e 'change its source' -e 'costs' -e 'measure' -e 'allocates nothing' -e 'refuses none' -e 'divided' -e 'takes a batch' -e 'in tiles' -e 'a torus alone'"
expect_equal 'three implementations answer for 27 properties each, the plugin for 3' "$(grep -c -e '^ok ' -e '^# not checked' "$TMP/stdout")" 84
expect_equal 'the summary' "$(sed -n '/^1\.\./,$p' "$TMP/stdout")" '1..64
# parity: 64 promises hold, 0 do not, 20 were not checked:
#   3: it refuses none of the sizes
#   2: this is the reference
#   2: takes a torus alone: it wraps the grid along x itself, as a torus; the edges of this grid are: fixed mirror
#   2: declares that it may change its source
#   1: does not state that it can be divided
#   3: does not state that it takes a batch
#   2: does not state that its grid may lie in tiles
#   2: create allocates nothing through the engine
#   2: does not declare what its work costs
#   1: does not measure'

# Parts of names choose properties.
names() { sed -n 's/^\(not \)*ok [0-9]* - //p' "$TMP/stdout" | xargs -d '\n' printf '%s; '; }
expect_status 0 "${conform[@]}" --impl cpu --property 'every size,again' "$TMP/NOTHING/parity.so"
expect_equal 'those properties, and that it loads and takes a step' "$(names)" 'parity: loads; parity/cpu: takes a step; '\
'parity/cpu: is correct at every size; parity/cpu: gives the same result when it runs again; '
expect_status 0 "${conform[@]}" gro --property 'cut at any byte'
expect_equal 'also of a format' "$(names)" 'gro: loads; gro: files that are cut at any byte are refused or read; '
for text in sizes 'every size,' ''; do
    expect_status 2 "${conform[@]}" --property "$text" "$TMP/NOTHING/parity.so"
    expect_stderr_has "--property: no property has '${text#*,}' in its name"
done
expect_status 2 "${conform[@]}" --property parts --draws 3 "$TMP/NOTHING/parity.so"

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
expect_caught BAD_LAYOUT '/cpu: gives a reason when'
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
expect_caught EDGES '/cpu: honours the edges of the grid'
expect_caught TILES '/cpu: a grid in tiles equals the grid in an array'
expect_caught PART_PLACE '/cpu: a run in parts'
expect_caught PART_MARGINS '/cpu: a run in parts'
expect_stdout_has 'of the whole'
expect_caught OTHER_VALUE '/cpu: computes the values that its fields declare'
expect_stdout_has 'at step 1: field cells: cell 202 60 holds the value 2, and the plugin declares the values 0 to 1'
expect_caught PART_ALONE '/cpu: a run in parts'
expect_caught LATE_COUNT '/cpu: continues from a saved state'
expect_caught STALE_METRIC '/cpu: uses a state written from outside'
expect_stdout_has 'after the state was written from outside, and'
expect_caught LATE_SCRATCH '/cpu: takes a step' '/cpu: equals the reference'
expect_stdout_has 'expected host->scratch in create alone'
expect_equal 'a reason is shown once' "$(grep -c 'host->scratch in create' "$TMP/stdout")" 1
expect_stdout_has "# as for 'takes a step'"
expect_caught LATE_SOURCE '/cpu: does not change its source'
expect_caught ONE_STEP '/cpu: equals the reference'
expect_caught STEP_32_BITS '/cpu: continues from a saved state'
expect_stdout_has '3 steps from step 4294967302 on'
expect_caught WIDE '/cpu: is correct at every size'
expect_caught ONE_WIDTH '/cpu: is correct at every size'
expect_caught MORE_THREADS '/cpu: the number of threads does not'
expect_caught BEYOND_64 '/cpu: memory around the cells'
expect_caught FULL '/cpu: equals the reference'
for how in CLOCK RANDOM VARIABLE; do
    expect_caught $how '/cpu: gives the same result when it runs again'
done

# The words of a reason do not matter.
expect 'WORDY is built' build_broken WORDY
expect_status 0 "${conform[@]}" --seconds 60 "$TMP/WORDY/parity.so"
expect 'it refuses sizes with a reason' grep -q '^ok .*parity/cpu: gives a reason when' "$TMP/stdout"

# Work that is shared among parts: shares.c is built once, and its parameter says how it is broken.
expect 'shares is built' "${cc[@]}" -std=c11 -O2 -Wall -Wextra ${WERROR:+-Werror} "${sanitize[@]}" -fPIC -shared -Iinclude \
    tests/conform/broken/shares.c -lm -o "$TMP/shares.so"
expect_status 0 "${conform[@]}" "$TMP/shares.so"
expect_stdout_has 'shares/cpu: a run in parts equals the whole'
for how in forgets keeps first reals measures sizes calls early late ignores no-unit in-create other-result; do
    expect_status 1 "${conform[@]}" --seconds 60 --set particles.count=61 --set init.source=random \
        --set shares.how=$how "$TMP/shares.so"
    expect_equal "$how: one property fails" "$(grep -c '^not ok' "$TMP/stdout")" 1
    expect "$how: and it is this one" grep -q '^not ok.*shares/cpu: a run in parts equals the whole' "$TMP/stdout"
    [ $how != first ] || expect_stdout_has 'copy of part 2: high (0)'
done

# A batch: universes.c, in the same way. What is wrong with the universes alone is seen by other properties too.
expect 'universes is built' "${cc[@]}" -std=c11 -O2 -Wall -Wextra ${WERROR:+-Werror} "${sanitize[@]}" -fPIC -shared -Iinclude \
    tests/conform/broken/universes.c -o "$TMP/universes.so"
expect_status 0 "${conform[@]}" "$TMP/universes.so"
expect_stdout_has 'universes/cpu: a batch equals single runs'
for how in mixes first seeds measures last; do
    expect_status 1 "${conform[@]}" --seconds 60 --set universes.how=$how "$TMP/universes.so"
    expect_equal "$how: one property fails" "$(grep -c '^not ok' "$TMP/stdout")" 1
    expect "$how: and it is this one" grep -q '^not ok.*universes/cpu: a batch equals single runs' "$TMP/stdout"
done

# What a plugin shares with its process: $1: how it is changed, $2: the sentence about it. This depends on no size.
expect_noticed() {
    expect "$1 is built" build_broken "$1"
    expect_status 1 "${conform[@]}" --seconds 60 --impl "${3:-cpu}" --set grid.size='24 20' "$TMP/$1/parity.so"
    expect_stdout_has "$2"
}

ends='; a plugin leaves the process as it was'
expect_noticed ROUNDING "advance changes the rounding mode (fesetround)$ends"
expect_noticed TASK_ROUNDING "a task of host->parallel changes the rounding mode (fesetround)$ends"
expect_noticed FLUSHES 'advance changes whether denormal numbers are flushed to zero'
expect_noticed TRAPS "advance changes the floating-point traps (feenableexcept)$ends"
expect_noticed LOCALE "advance changes the locale (setlocale)$ends"
expect_noticed THREAD_LOCALE "advance changes the locale of the thread (uselocale)$ends"
expect_noticed BLOCKS_SIGNAL "advance changes the signals that are blocked (sigprocmask)$ends"
expect_noticed HANDLES_SIGNAL "advance changes how a signal is handled (sigaction, signal)$ends"
expect_noticed FILE_MODES "advance changes the mode mask of new files (umask)$ends"
expect_noticed FOLDER "advance changes the working folder (chdir)$ends"
expect_noticed ENVIRONMENT "advance changes the environment (setenv, putenv)$ends"
expect_noticed LIMIT "advance changes a resource limit (setrlimit)$ends"
# conform looks at the handlers after some calls alone, so the sentence does not say which call it was. In a property of 32
# calls, the look at the end finds it.
expect_noticed HANDLES_LATE "the last call, or a call before it, changes how a signal is handled (sigaction, signal)$ends"
expect_noticed PRINTS 'advance prints "a step"; a plugin passes text to host->message instead'
expect_noticed PRINTS_ERRORS 'advance prints "an error"; a plugin passes text to host->message instead'
expect_noticed CLOSES_INPUT "advance closes or redirects standard input$ends"
expect_noticed CLOSES_OUTPUT "advance closes or redirects standard output$ends"
expect_noticed REDIRECTS "advance closes or redirects standard error$ends"
[ "$(nproc)" = 1 ] || expect_noticed PROCESSORS "advance changes the processors that it may run on (sched_setaffinity)$ends"
[ "$(uname -m)" != x86_64 ] || expect_noticed X87 "advance changes the control word of the x87 (fldcw)$ends"
expect_noticed OPENMP "advance changes OpenMP's number of threads (omp_set_num_threads)$ends"
expect_noticed TIMER "advance sets a timer (setitimer, alarm)$ends"
expect_noticed MAKES_FILE 'creates, renames or removes a file at size 24x20; a plugin leaves files to the engine'
expect_noticed CHANGES_STEPS 'advance changes call->steps; it may change call->result alone'
expect_noticed CHANGES_PLAN 'advance changes the plan, which belongs to the engine'
expect_noticed DIRTY_CHECK "the check of a parameter changes the mode mask of new files (umask)$ends"
expect_noticed DIRTY_PACK "pack changes the mode mask of new files (umask)$ends" own
expect_noticed DIRTY_LOAD "loading it changes the rounding mode or the locale of the thread$ends"
expect_noticed EXITS_LOAD 'ended the program, with status 0'
expect_noticed ASSERTS 'crashed at size 24x20: Aborted'
expect_stderr_has 'parity.c: the cell is odd'

# Processes that the plugin leaves behind end with the property: this would otherwise wait for them.
expect_noticed FORKS "advance leaves a process behind (fork, posix_spawn, popen)$ends"
expect_noticed COPIES_ITSELF "advance leaves a process behind (fork, posix_spawn, popen)$ends"
expect_noticed STOPS 'stopped its process at size 24x20 (SIGSTOP); expected it to run on'

# What stays behind. The leak checker of the sanitizers finds memory itself, and mappings are theirs.
expect_noticed LEAKS_DESCRIPTOR '24 file descriptors stay behind after 24 instances that were created and destroyed'
expect_noticed LEAKS_THREAD '24 threads stay behind after 24 instances that were created and destroyed'
if [ -z "${SANITIZE:-}" ]; then
    expect_noticed LEAKS_HEAP 'bytes of the heap stay behind after 24 instances that were created and destroyed'
    expect_noticed LEAKS_FAILED 'bytes of the heap stay behind after 15 instances that failed for want of memory'
    expect_noticed LEAKS_MAPPING '98304 bytes of mapped memory stay behind after 24 instances that were created and destroyed'
fi

# One that hangs is ended, and said to hang.
expect 'HANGS is built' build_broken HANGS
expect_status 1 "${conform[@]}" --seconds 2 --impl cpu "$TMP/HANGS/parity.so"
expect 'HANGS: not ok: /cpu: is correct at every size' grep -q '^not ok.*parity/cpu: is correct at every size' "$TMP/stdout"
expect_stdout_has 'did not finish in 2 s at size 65x7; --seconds N gives each property more time'

# One that is slow breaks no promise.
expect 'SLOW is built' build_broken SLOW
expect_status 0 "${conform[@]}" --seconds 2 --impl cpu "$TMP/SLOW/parity.so"
expect_stdout_has 'not checked: parity/cpu: is correct at every size: did not finish in 2 s at size'

# Nor does one whose time nothing tells: sizes are those of which a step was quick. Particles are spread in a box.
expect 'crowd is built' "${cc[@]}" -std=c11 -O2 -Wall -Wextra -Werror "${sanitize[@]}" -fPIC -shared -Iinclude \
    tests/conform/broken/crowd.c -lm -o "$TMP/crowd.so"
expect_status 0 "${conform[@]}" "$TMP/crowd.so"
expect_stdout_hasnt 'did not finish'
expect_status 0 "${conform[@]}" "$TMP/crowd.so" --set particles.box='40 40 40' --set particles.count=300

# An instance may take many blocks of memory.
expect 'MANY_BLOCKS is built' build_broken MANY_BLOCKS
expect_status 0 "${conform[@]}" --impl cpu --set grid.size='24 20' "$TMP/MANY_BLOCKS/parity.so"

# A message of the plugin arrives once.
expect 'SPEAKS is built' build_broken SPEAKS
expect_status 0 "${conform[@]}" --impl cpu --set grid.size='24 20' "$TMP/SPEAKS/parity.so"
expect_equal 'its message' "$(<"$TMP/stderr")" 'engine: warning: parity: parity takes a step'

# Nothing that was tried is a failure, and so is a key that nobody knows.
expect 'REFUSES is built' build_broken REFUSES
expect_status 1 "${conform[@]}" "$TMP/REFUSES/parity.so"
for impl in reference cpu own; do
    expect "$impl takes no step" grep -q "^not ok.*parity/$impl: takes a step" "$TMP/stdout"
done
expect_stdout_has 'it refuses every size of the suite, such as 203x61: parity: check: a torus of glass is needed'
expect_stdout_has '# parity: 2 promises hold, 3 do not, 4 were not checked:'
expect_status 2 "${conform[@]}" "$TMP/NOTHING/parity.so" --set grid.sizes='5 5'
expect_stderr_has "grid.sizes"
expect_stderr_has "did you mean 'size'?"
expect_equal 'nothing was tried' "$(grep -c 'takes a step' "$TMP/stdout")" 0
expect_status 2 "${conform[@]}" "$TMP/NOTHING/parity.so" --set parity.blocks=3
expect_status 2 "${conform[@]}" "$TMP/NOTHING/parity.so" --set gird.size='5 5'
expect_status 2 "${conform[@]}" "$TMP/NOTHING/parity.so" --set grid.size=5
expect_stderr_has '[grid] size has 1 number'
expect_status 2 "${conform[@]}" "$TMP/NOTHING/parity.so" --set run.plugin=life2d-bit
expect_stderr_has "expected 'parity', the plugin that is checked"

# An implementation that cannot run here is a failure where it is named, or where there is no other.
mkdir "$TMP/absent" && "${cc[@]}" -std=c11 "${sanitize[@]}" -fPIC -shared -Iinclude -xc - -o "$TMP/absent/absent.so" <<'C'
#include <engine/plugin.h>
static const struct engine_field fields[] = {{.name = "cells", .help = "", .components = 1, .rank = 2}};
static const struct engine_impl impls[] = {{ENGINE_HOST_IMPL("cpu", "not compiled", 0, ENGINE_EXACT)}};
ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("absent", "1", ""), .fields = ENGINE_ARRAY(fields), .impls = ENGINE_ARRAY(impls)};
C
expect_status 1 "${conform[@]}" "$TMP/absent/absent.so"
expect_stdout_has 'absent: an implementation takes a step'
expect_status 1 "${conform[@]}" "$TMP/absent/absent.so" --impl cpu
expect_stdout_has 'not ok 2 - absent/cpu: what implementations promise'

# A size that the plugin needs.
expect 'ONE_SIZE is built' build_broken ONE_SIZE
expect_status 1 "${conform[@]}" "$TMP/ONE_SIZE/parity.so"
expect_stdout_has 'the grid must have 24 x 24 cells'
expect_stdout_has 'give conform a configuration that it takes; as in engine conform parity.so CONFIG'
printf '[run]\nplugin = parity\n[grid]\nsize = 24 24\n' >"$TMP/one.ini"
expect_status 0 "${conform[@]}" "$TMP/ONE_SIZE/parity.so" "$TMP/one.ini"
expect 'it is correct there' grep -q '^ok .* - parity/reference: is correct at every size' "$TMP/stdout"
expect_status 0 "${conform[@]}" "$TMP/ONE_SIZE/parity.so" --set grid.size='24 24' --impl cpu
expect_status 2 "${conform[@]}" "$TMP/ONE_SIZE/parity.so" "$TMP/one.ini" --set grid.size='24 25'
expect_stderr_has 'the grid must have 24 x 24 cells'
expect_status 2 "${conform[@]}" "$TMP/ONE_SIZE/parity.so" "$TMP/none.ini"
expect_status 3 "${conform[@]}" "$TMP/ONE_SIZE/parity.so" "$TMP/one.ini" --set init.file="$TMP/none.rle"
expect_stderr_has none.rle
run "${conform[@]}" "$TMP/CORNER/parity.so" --set grid.size='24 20' --impl cpu
expect_stdout_has '24x20 after 1 step in one call'
expect_stdout_has '(if the rule depends on the position of a cell, give --placed)'

# States that the plugin needs: from the configuration, or from the generator that it names.
lattice() {
    mkdir -p "$TMP/lattice$1" && "${cc[@]}" -std=c11 -O2 -Wall -Wextra ${WERROR:+-Werror} "${sanitize[@]}" -fPIC -shared -Iinclude \
        "${@:2}" tests/conform/broken/lattice.c -lm -o "$TMP/lattice$1/lattice.so"
}
expect 'lattice.c is built' lattice ''
expect_status 1 "${conform[@]}" "$TMP/lattice/lattice.so"
expect_stdout_has 'two particles overlap'
expect_stderr_has 'lattice uses one thread'
expect_status 0 "${conform[@]}" "$TMP/lattice/lattice.so" --set init.source=lattice
expect 'with a generator that it names' lattice -flagged -DFLAGGED
expect_status 0 "${conform[@]}" "$TMP/lattice-flagged/lattice.so"
expect_status 1 "${conform[@]}" "$TMP/lattice-flagged/lattice.so" --set init.source=random
expect 'with a box' lattice -box -DBOX
expect_status 1 "${conform[@]}" "$TMP/lattice-box/lattice.so" --set init.source=lattice
expect_stdout_has 'the box is open; give [particles] box'
cat >"$TMP/box.ini" <<'INI'
[run]
plugin = lattice
[particles]
count = 100
box = 200 200 200
[init]
source = lattice
INI
expect_status 0 "${conform[@]}" "$TMP/lattice-box/lattice.so" "$TMP/box.ini"
expect 'wrong in the last bit' lattice -wrong -DWRONG
expect_status 1 "${conform[@]}" "$TMP/lattice-wrong/lattice.so" "$TMP/box.ini" --set particles.count=1000
expect_stdout_has '# 1000 particles after 100 steps in one call: position (0, component 0) is 0.10000000000000009, expected 0.10000000000000007'
expect 'depends on the seed' lattice -seed -DFLAGGED -DODD_SEED
expect_status 1 "${conform[@]}" "$TMP/lattice-seed/lattice.so"
expect_stdout_has 'cpu: gives the same result when it runs again'
expect_stdout_has 'the same run with init.seed=43, and ENGINE_SEEDED is not declared: position (0, component 0) is'
expect_status 3 "${conform[@]}" "$TMP/lattice-box/lattice.so" "$TMP/box.ini" --set init.source= --set init.file="$TMP/none.xyz"

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
expect_stdout_has '# none: 0 promises hold, 1 does not, 0 were not checked'
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
    sh -c "cd '$TMP/NOTHING' && '$ENGINE' conform parity.so --impl own | grep -qx '1..22'"
expect_status 0 "${conform[@]}" parity --impl own --plugins "$TMP/NOTHING" --json
expect_equal 'as JSON' "$(perl -MJSON::PP -e 'local $/; $_ = decode_json(<STDIN>); my ($skipped, $bad) = (0, 0);
    for (@{$_->{results}}) { $skipped++ if $_->{result} eq "not checked"; $bad++ if $_->{result} eq "broken" }
    print join " ", $_->{plugin}, $_->{passed}, $_->{failed}, $bad, $_->{passed} + $skipped, $_->{skipped} == $skipped;' <"$TMP/stdout")" \
    'parity 22 0 0 30 1'
expect_status 1 "${conform[@]}" liar --plugins "$BUILD/tests/bad" --impl cpu-wrong --json
expect 'what is broken, and why' grep -q '"why":.* expected ' "$TMP/stdout"
plan
