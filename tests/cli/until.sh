#!/bin/bash
# [run] until: a run ends when a metric passes a number, or when its state repeats or stays unchanged. Periods and first
# steps are compared with published ones, with a plugin whose cycles are known, and with a search that keeps all states.
. "$(dirname "$0")/common"
bad=$BUILD/tests/bad
patterns=$ROOT/configs/patterns

# configure NAME PLUGIN STEPS UNTIL [LINE]…: $TMP/NAME.ini
configure() {
    printf '[run]\nplugin = %s\nsteps = %s\nuntil = %s\noutput = %s\n' "$2" "$3" "$4" "$TMP/out-$1" >"$TMP/$1.ini"
    printf '%s\n' "${@:5}" >>"$TMP/$1.ini"
}

# go NAME [OPTION]…: runs it; the summary is $TMP/NAME.json.
go() {
    run timeout -k 5 120 "$ENGINE" run "$TMP/$1.ini" --plugins "$bad" --force --json --quiet "${@:2}"
    cp "$TMP/stdout" "$TMP/$1.json"
}

# ended NAME: the reason and the step of the last run of that name
ended() {
    [ "$status" = 0 ] || echo "status $status: $(head -c 500 "$TMP/stderr")"
    echo "$(json "$TMP/$1.json" '{ended}') @ $(json "$TMP/$1.json" '{step}')"
}

# ---- A plugin whose tail and cycle have any length, and that adds up its steps in an output
configure counter counter 100000000 repeats '[particles]' 'count = 1' '[init]' 'source = defaults'
while read -r tail period every; do
    go counter --set "counter.tail=$tail" --set "counter.period=$period" --set "run.until_every=$every"
    expect_equal "tail $tail, period $period, every $every" "$(json "$TMP/counter.json" '{ended}')" \
        "repeats: period $period, first seen at step $tail"
    step=$(json "$TMP/counter.json" '{step}')
    expect_equal "… the steps of the search are not counted ($step)" "$(json "$TMP/counter.json" '{metrics}{taken}')" \
        "$step"
    value=$((step < tail ? step : tail + (step - tail) % period))
    expect_equal '… the state is that of the last step' "$(json "$TMP/counter.json" '{metrics}{value}')" "$value"
    expect_equal '… and so is the row of metrics' "$(tail -n 1 "$TMP/out-counter/metrics.csv")" "$step,$value,$step"
    expect_equal '… the run ends soon enough' "$((step <= 6 * every * (tail + period + every)))" 1
done <<'CASES'
0 1 1
0 1 240
1 1 1
3 1 5
0 2 1
5 7 1
5 7 14
63 64 1
64 63 1
1000 12 5
255 256 3
256 257 7
300 301 90
65537 65536 256
100000 12345 1000
CASES
go counter --set counter.tail=5 --set counter.period=7 --set run.until_every=1 --set run.steps=9
expect_equal 'no state repeats before the last step' "$(ended counter)" 'null @ 9'
expect_not 'nothing is left of the search' test -e "$TMP/out-counter/start.snapshot"
go counter --set counter.tail=41 --set run.until=unchanged --set run.until_every=1
expect_equal 'unchanged' "$(ended counter)" 'unchanged: the state is that of step 41 @ 42'
go counter --set counter.tail=41 --set run.until=unchanged --set run.until_every=10
expect_equal 'unchanged: two looks and one more step' "$(ended counter)" 'unchanged: the state is that of step 60 @ 61'
go counter --set counter.tail=4 --set counter.period=2 --set run.until=unchanged --set run.until_every=2 \
    --set run.steps=50
expect_equal 'a period of 2 is not unchanged' "$(ended counter)" 'null @ 50'
go counter --set run.implementation=cpu-number --set run.until_every=1
expect_equal 'steps that depend on their number: status' "$status" 4
expect 'steps that depend on their number: the reason' grep -qF \
    'the state of step 4 is that of step 3, but what follows differs' "$TMP/stderr"

# ---- Metrics
configure count counter 1000 'value > 10' '[particles]' 'count = 1' '[init]' 'source = defaults' '[counter]' \
    'tail = 500'
while read -r every step condition; do
    go count --set "run.until=$condition" --set "run.until_every=$every"
    expect_equal "$condition, every $every" "$(ended count)" "$condition: it is $step @ $step"
done <<'CASES'
1 11 value > 10
1 10 value >= 10
1 10 value == 1e1
7 14 value>10
7 14 taken > +9.5
1 0 value < 10
1 0 taken <= 0
3 3 value != 0
CASES
go count --set 'run.until=repeats or value >= 90 or value >= 12' --set run.until_every=1
expect_equal 'the first condition that holds' "$(ended count)" 'value >= 12: it is 12 @ 12'
go count --set 'run.until=value > 400' --set output.metrics_every=9
expect_equal 'metrics_every says how often to look' "$(ended count)" 'value > 400: it is 405 @ 405'
go count --set 'run.until=value > 400'
expect_equal 'without it, every 240 steps' "$(ended count)" 'value > 400: it is 480 @ 480'
run "$ENGINE" run "$TMP/count.ini" --plugins "$bad" --force --set run.until_every=1
expect_stdout_has 'ended          at step 11, value > 10: it is 11'
expect_equal 'the last file is that of the step where it ended' "$(cd "$TMP/out-count" && echo value-*.npy)" \
    value-0000000011.npy
if [ -e "$BUILD/plugins/nbody.so" ]; then
    configure energy nbody 60 'energy > 1e9' '[particles]' 'count = 64' '[init]' 'source = shell' '[nbody]' \
        'dt = 0.05' \
        'softening = 0.1' '[output]' 'metrics_every = 1' '[checkpoint]' 'every = 3'
    go energy
    expect_equal 'no metric passes the number' "$(ended energy)" 'null @ 60'
    cp "$TMP/out-energy/metrics.csv" "$TMP/energy.csv"
    # first EXPRESSION: the first step at which it holds, with the metrics of the first row as e0 and v0
    first() {
        awk -F, "NR == 1 { for (i = 1; i <= NF; i++) at[\$i] = i; next }
            { e = \$at[\"energy\"]; v = \$at[\"virial_ratio\"] }
            NR == 2 { e0 = e; v0 = v }
            $1 { print \$1; exit }" "$TMP/energy.csv"
    }
    limit=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "virial_ratio") c = i } NR == 30 { print $c }' \
        "$TMP/energy.csv")
    step=$(first "v > $limit")
    go energy --set "run.until=energy > 1e9 or virial_ratio > $limit"
    expect_equal 'nbody: a real number' "$(json "$TMP/energy.json" '{step}')" "$step"
    head -n $((step + 2)) "$TMP/energy.csv" >"$TMP/energy-head.csv"
    expect_same "$TMP/out-energy/metrics.csv" "$TMP/energy-head.csv"
    for limit in 1e-4 1e-3; do
        step=$(first "sqrt((e / e0 - 1) ^ 2) > $limit")
        expect 'the energy changes' test "$step" -gt 4
        go energy --set "run.until=energy_error > $limit" --set run.steps=4
        expect_status 0 "$ENGINE" resume "$TMP/out-energy" --quiet --set run.steps=60
        expect_equal "energy_error > $limit, resumed" "$(json "$TMP/out-energy/summary.json" '{step}')" "$step"
        go energy --set "run.until=energy_error > $limit"
        expect_equal "energy_error > $limit" "$(json "$TMP/energy.json" '{step}')" "$step"
        expect_equal '… with the same words' "$(json "$TMP/out-energy/summary.json" '{ended}')" \
            "$(json "$TMP/energy.json" '{ended}')"
    done
fi

# ---- Oscillators with published periods, and a glider, which returns after 4 n steps on a torus of n x n
pattern() { # pattern NAME: a file in $TMP with the lines of stdin
    cat >"$TMP/$1.rle"
}
printf 'x = 3, y = 1, rule = B3/S23\n3o!\n' | pattern blinker
printf 'x = 2, y = 2, rule = B3/S23\n2o$2o!\n' | pattern block
printf 'x = 8, y = 8, rule = B3/S23\n3b2o$2bo2bo$bo4bo$o6bo$o6bo$bo4bo$2bo2bo$3b2o!\n' | pattern octagon2
printf 'x = 22, y = 7, rule = B3/S23\n9bo$7bobo$6bobo$2o3bo2bo11b2o$2o4bobo11b2o$7bobo$9bo!\n' | pattern queen-bee
printf 'x = 8, y = 3, rule = B3/S23\n6bo$2o$bo3b3o!\n' | pattern diehard
cp "$patterns"/*.rle "$TMP"
configure life life2d-bit 100000 repeats '[grid]' 'size = 40 40' '[init]' 'file = blinker.rle'
while read -r name period size every; do
    go life --set "init.file=$TMP/$name.rle" --set "grid.size=${size/x/ }" --set "run.until_every=$every"
    expect_equal "$name on $size, every $every" "$(json "$TMP/life.json" '{ended}')" \
        "repeats: period $period, first seen at step 0"
done <<'CASES'
block 1 40x40 1
blinker 2 40x40 1
blinker 2 40x40 240
pulsar 3 40x40 1
pulsar 3 40x40 7
octagon2 5 40x40 1
pentadecathlon 15 40x40 1
pentadecathlon 15 40x40 100
queen-bee 30 60x60 1
queen-bee 30 60x60 64
glider 40 10x10 1
glider 400 100x100 1
glider 240 10x12 1
glider 240 10x12 240
glider 148 37x37 10
CASES
go life --set "init.file=$TMP/block.rle" --set 'run.until=unchanged or repeats'
expect_equal 'a block is unchanged' "$(ended life)" 'repeats: period 1, first seen at step 0 @ 240'
go life --set "init.file=$TMP/block.rle" --set run.until=unchanged
expect_equal 'a block is unchanged' "$(ended life)" 'unchanged: the state is that of step 240 @ 241'
go life --set "init.file=$TMP/diehard.rle" --set 'run.until=population == 0' --set run.until_every=1
expect_equal 'diehard dies after 130 generations' "$(ended life)" 'population == 0: it is 0 @ 130'
go life --set "init.file=$TMP/diehard.rle" --set run.until_every=1
expect_equal 'and nothing follows' "$(json "$TMP/life.json" '{ended}')" 'repeats: period 1, first seen at step 130'
go life --set "init.file=$TMP/r-pentomino.rle" --set 'grid.size=800 800' --set 'run.until=population == 116' \
    --set run.until_every=1103
expect_equal 'the r-pentomino has 116 cells after 1103 generations' "$(ended life)" \
    'population == 116: it is 116 @ 1103'

# ---- Small grids: all states are kept, and compared with each other
cat >"$TMP/search.c" <<'C'
/* search RULE WIDTH HEIGHT CELLS: the cycle of a grid, by comparing each state with all before it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { MOST = 8000 };
int main(int argc, char **argv)
{
    const int width = atoi(argv[2]), height = atoi(argv[3]), cells = width * height;
    const char *born = argv[1] + 1, *survives = strchr(argv[1], 'S') + 1;
    char *states = malloc((size_t) cells * (MOST + 1));
    (void) argc;
    memcpy(states, argv[4], (size_t) cells);
    for (int step = 1; step <= MOST; step++) {
        const char *from = states + (size_t) cells * (step - 1);
        char *to = states + (size_t) cells * step;
        for (int i = 0; i < cells; i++) {
            int count = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    if (dx || dy)
                        count += from[(i / width + dy + height) % height * width + (i % width + dx + width) % width] == 'o';
            const char *list = from[i] == 'o' ? survives : born, *end = strpbrk(list, "/");
            const char *found = strchr(list, '0' + count);
            to[i] = found && (!end || found < end) ? 'o' : 'b';
        }
        for (int before = 0; before < step; before++)
            if (memcmp(states + (size_t) cells * before, to, (size_t) cells) == 0)
                return printf("repeats: period %d, first seen at step %d\n", step - before, before) < 0;
    }
    return 1;
}
C
read -r -a cc <<<"${CC:-cc}"
expect 'the search is compiled' "${cc[@]}" -O2 -o "$TMP/search" "$TMP/search.c"
configure small life2d-bit 1000000 repeats '[grid]' 'size = 5 6' '[init]' 'file = small.rle' 'at = 0 0'
RANDOM=4711
wrong=() tried=0
for rule in B3/S23 B36/S23 B3/S12345 B2/S B1357/S1357 B34/S34 B368/S245; do
    for size in 5x6 7x4 9x8; do
        for every in 1 2 7; do
            width=${size%x*} height=${size#*x} cells='' lines=''
            for ((y = 0; y < height; y++)); do
                for ((x = 0; x < width; x++)); do ((RANDOM & 1)) && cells+=o || cells+=b; done
                lines+="${cells: -$width}\$"
            done
            printf 'x = %d, y = %d, rule = %s\n%s!\n' "$width" "$height" "$rule" "$lines" >"$TMP/small.rle"
            wanted=$("$TMP/search" "$rule" "$width" "$height" "$cells") || wanted='not found'
            go small --set "grid.size=$width $height" --set "run.until_every=$every"
            found=$(json "$TMP/small.json" '{ended}')
            [ "$found" = "$wanted" ] || wrong+=("$rule on $size every $every, $cells: '$found', expected '$wanted'")
            tried=$((tried + 1))
        done
    done
done
expect_equal "$tried small grids" "${wrong[*]:0:5}" ''

row() { printf '%s%*s' "$1" $((128 - ${#1})) '' | tr ' ' b; } # the R-pentomino, on a torus where a glider is left
cells=$(row boo)$(row oob)$(row bob)$(printf '%*s' $((125 * 128)) '' | tr ' ' b)
wanted=$("$TMP/search" B3/S23 128 128 "$cells")
expect_equal 'the period is that of a glider, 4 x 128' "${wanted%,*}" 'repeats: period 512'
run "$ENGINE" run configs/settling.ini --json --quiet --set "run.output=$TMP/settling" --set output.formats=npy
expect_equal 'configs/settling.ini' "$(json "$TMP/stdout" '{ended}')" "$wanted"

# ---- The same end for every way to run it
configure soup life2d-bit 20000 repeats '[grid]' 'size = 61 50' '[init]' 'source = random' '[checkpoint]' \
    'every = 150' \
    '[output]' 'every = 100' 'metrics_every = 10' 'formats = npy rle'
go soup
whole=$(ended soup) hash=$(json "$TMP/soup.json" '{hash}')
mv "$TMP/out-soup" "$TMP/whole"
expect_equal 'the soup settles' "${whole//[0-9]/}" 'repeats: period , first seen at step  @ '
for set in run.implementation=cpu-serial run.threads=1 run.parts=3 run.plugin=life2d-lut checkpoint.every=0; do
    go soup --set "$set"
    expect_equal "the same end with $set" "$(ended soup), $(json "$TMP/soup.json" '{hash}')" "$whole, $hash"
done
if [ -e "$BUILD/team-mpi.so" ] && command -v mpirun >/dev/null; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    run timeout -k 5 60 mpirun --oversubscribe -n 3 "$ENGINE" run "$TMP/soup.ini" --force --json --quiet
    cp "$TMP/stdout" "$TMP/soup.json"
    expect_equal 'the same end in three processes' "$(ended soup), $(json "$TMP/soup.json" '{hash}')" "$whole, $hash"
else
    skip 'the same end in three processes' 'there is no mpirun, or team-mpi.so was not built'
fi

# ---- Resumed runs end at the same place, with the same words and files
last=${whole##*@ }
expect_like_whole() {
    expect_equal "$1: the same end" "$(json "$TMP/out-soup/summary.json" '{ended}') @ $(json \
        "$TMP/out-soup/summary.json" '{step}')" "$whole"
    expect_equal "$1: the same files" "$(diff -r -x summary.json -x config.ini "$TMP/whole" "$TMP/out-soup" 2>&1 \
        | head -n 5)" ''
}
for step in 1 10 149 640 $((last / 2)) $((last - 10)) $((last - 1)); do
    go soup --set "run.steps=$step"
    expect_equal "to step $step" "$(ended soup)" "null @ $step"
    expect_status 0 "$ENGINE" resume "$TMP/out-soup" --quiet --set run.steps=20000
    expect_equal "resumed at step $step" "$(json "$TMP/out-soup/summary.json" '{ended}') @ $(json \
        "$TMP/out-soup/summary.json" '{step}')" "$whole"
done
# A run that looks at every step, so that it takes long enough to be stopped.
sed -i -e 's/^until = .*/&\nuntil_every = 1/' -e 's/^size = .*/size = 92 75/' "$TMP/soup.ini"
rm -rf "$TMP/whole" "$TMP/out-soup"
go soup
whole=$(ended soup)
mv "$TMP/out-soup" "$TMP/whole"
for signal in KILL INT KILL INT; do
    rm -rf "$TMP/out-soup"
    for ((i = 0; i < 4; i++)); do
        verb=(run "$TMP/soup.ini" --force)
        [ ! -e "$TMP/out-soup/config.ini" ] || verb=(resume "$TMP/out-soup")
        "$ENGINE" "${verb[@]}" --quiet 2>/dev/null &
        sleep 0.$((RANDOM % 3))$((RANDOM % 9 + 1))
        kill -"$signal" $! 2>/dev/null
        wait $! 2>/dev/null
    done
    [ -e "$TMP/out-soup/config.ini" ] || "$ENGINE" run "$TMP/soup.ini" --force --quiet
    "$ENGINE" resume "$TMP/out-soup" --quiet
    expect_like_whole "stopped by $signal"
done
run "$ENGINE" report "$TMP/out-soup"
expect 'the report says why the run ended' grep -q "ended by its condition ${whole%% @*}" "$TMP/out-soup/report.html"
expect 'the state of the start is kept with the checkpoints' test -e "$TMP/out-soup/start.snapshot"
run "$ENGINE" resume "$TMP/out-soup" --json
expect_equal 'a run that has ended: status' "$status" 0
expect_stderr_has "the run has ended at step ${whole##*@ }, ${whole%% @*}; --set run.until=… continues it"
expect_equal 'a run that has ended: its summary' "$(json "$TMP/stdout" '{ended}')" "${whole%% @*}"
expect_status 0 "$ENGINE" resume "$TMP/out-soup" --quiet --set run.until= --set "run.steps=$((${whole##*@ } + 20))"
expect_equal 'it goes on without the condition' \
    "$(json "$TMP/out-soup/summary.json" '{ended}') @ $(json "$TMP/out-soup/summary.json" '{step}')" \
    "null @ $((${whole##*@ } + 20))"

# ---- Conditions that a resumed run is given
resumed() { # resumed [OPTION]…: how the run of the counter in $TMP/out-counter ends
    run "$ENGINE" resume "$TMP/out-counter" --plugins "$bad" "$@"
    echo "$(json "$TMP/out-counter/summary.json" '{ended}') @ $(json "$TMP/out-counter/summary.json" '{step}')"
}
counting=(--set counter.tail=50 --set counter.period=9 --set checkpoint.every=10 --set run.until_every=1)
go counter "${counting[@]}" --set run.until= --set run.steps=20
expect_equal 'repeats is added: from there on' "$(resumed --set run.until=repeats --set run.steps=1000)" \
    'repeats: period 9, first seen at step 50 @ 60'
go counter "${counting[@]}" --set 'run.until=value < 0' --set run.steps=70
touch "$TMP/out-counter/start.snapshot" # of another run
expect_equal 'repeats is added: the cycle is older' "$(resumed --set run.until=repeats --set run.steps=1000)" \
    'repeats: period 9, first seen at step 70 @ 94'
go counter "${counting[@]}" --set run.steps=60
rm "$TMP/out-counter/start.snapshot"
expect_equal 'the start is missing' "$(resumed --set run.steps=1000)" 'repeats: period 9, first seen at step 60 @ 84'
expect 'a warning says so' grep -qF "start.snapshot is missing, so 'repeats' and 'settled' find no step before 60" "$TMP/stderr"
go counter "${counting[@]}" --set run.steps=60
head -c 100 "$TMP/out-counter/start.snapshot" >"$TMP/cut" && cp "$TMP/cut" "$TMP/out-counter/start.snapshot"
resumed --set run.steps=1000 >/dev/null
expect_equal 'the start is damaged: status' "$status" 3
expect 'the start is damaged: the message' grep -qF 'the start of the run, to find where the cycle began: ' \
    "$TMP/stderr"
for condition in repeats unchanged 'value >= 45'; do
    go counter "${counting[@]}" --set counter.period=1 --set "run.until=$condition" --set run.steps=1000
    rm "$TMP/out-counter/summary.json"
    expect_equal "$condition: killed just before the end" "$(resumed)" "$(ended counter)"
done
go counter "${counting[@]}" --set 'run.until=value >= 30' --set run.steps=1000
expect_equal 'another condition continues a run that has ended' "$(resumed --set 'run.until=value >= 40')" \
    'value >= 40: it is 40 @ 40'
expect_equal 'and none goes to the end' "$(resumed --set run.until= --set run.steps=44)" 'null @ 44'

# ---- An analysis and frames end there, too
if [ -e "$BUILD/plugins/nbody.so" ] && [ -e "$BUILD/plugins/rdf.so" ]; then
    configure analysis nbody 100 'kinetic >= 0' '[particles]' 'count = 50' '[init]' 'source = plummer' '[analyse]' \
        'plugin = rdf' 'from = 1' 'every = 0' '[rdf]' 'r_max = 2' 'volume = 5' '[nbody]' 'dt = 0.01'
    sed -i '/^from/d' "$TMP/analysis.ini"
    go analysis --set 'run.until=virial_ratio > -1' --set run.until_every=7
    expect_equal 'the analysis looks at the state where the run ends' \
        "$(json "$TMP/analysis.json" '{step}') $(json "$TMP/analysis.json" '{analysis}{frames}')" '0 1'
fi

# ---- The shape belongs to the state: zeros of 2 x 3 are not zeros of 3 x 2
if [ -e "$BUILD/plugins/transpose.so" ]; then
    configure transpose transpose 100 repeats '[matrix]' 'rows = 3' 'columns = 2' 'element = uint8' '[init]' \
        'source = defaults'
    go transpose --set run.until_every=1
    expect_equal 'a transposed matrix' "$(json "$TMP/transpose.json" '{ended}')" \
        'repeats: period 2, first seen at step 0'
    go transpose --set run.until_every=1 --set run.until=unchanged
    expect_equal 'it is never unchanged' "$(ended transpose)" 'null @ 100'
fi

# ---- Bad conditions
check() { # check TEXT CONDITION: refused with the place and the text
    cp "$TMP/good.ini" "$TMP/until.ini"
    sed -i "3a until = $2" "$TMP/until.ini"
    refused "until = $2" 2 "$1" "$ENGINE" check "$TMP/until.ini"
    expect_stderr_has 'until.ini:4: [run] until: '
}
check "'popultion' is not a metric of life2d-bit, did you mean 'population'?; its metrics are population; expected" \
    'popultion < 10'
check "'repeat' is not a metric of life2d-bit" 'repeat'
check "'repeats' is not a metric of life2d-bit" 'repeats > 3'
check "expected < <= > >= == or != and a number after 'population', found '= 3'" 'population = 3'
check "expected < <= > >= == or != and a number after 'population', found ''" 'population'
check "expected a number after 'population <', such as 10 or 1e-3, found 'ten'" 'population < ten'
check "expected a number after 'population <', such as 10 or 1e-3, found '10x'" 'population < 10x'
check "expected a number after 'population <', such as 10 or 1e-3, found 'inf'" 'population < inf'
check "expected 'or' and a further condition after 'population < 1', found 'and repeats'" 'population < 1 and repeats'
check "expected a condition, found ''" 'repeats or '
check "expected a condition, found '< 3'" '< 3'
check "more than 16 conditions" "$(printf 'repeats or %.0s' {1..16})repeats"
refused 'random steps' 2 'the steps of counter/cpu-random use random numbers' \
    "$ENGINE" check "$TMP/counter.ini" --plugins "$bad" --set run.implementation=cpu-random
refused 'no metrics' 2 'counter/cpu-silent does not measure metrics; choose another' \
    "$ENGINE" check "$TMP/count.ini" --plugins "$bad" --set run.implementation=cpu-silent
run "$ENGINE" check "$TMP/count.ini" --plugins "$bad" --set 'run.until=value > 10 or repeats'
expect_stdout_has 'until           value > 10 or repeats, every 240 steps'
run "$ENGINE" check "$TMP/good.ini" --set run.until_every=5
expect_stderr_has '[run] until_every: nothing uses this key, because the run has no [run] until'
plan
