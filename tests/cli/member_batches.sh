#!/bin/bash
# Members of an ensemble that are the universes of one batch: their tables are those of members that run alone, whatever
# ends them, and also after the ensemble was killed.
. "$(dirname "$0")/common"
. "$(dirname "$0")/tables"
cat >"$TMP/soup.ini" <<'INI'
[run]
plugin = life2d-bit
steps = 3000
[grid]
size = 32 24
[init]
source = random
INI
ensemble() { # ensemble FOLDER [OPTION]…
    run "$ENGINE" run "$TMP/soup.ini" --set "run.output=$TMP/$1" --force --set run.threads=1 "${@:2}"
}

# expect_same_tables NAME BATCH OPTION…: in batches of so many members, the tables are those of members that run alone
expect_same_tables() {
    local name=$1 batch=$2 wrong=()
    ensemble alone "${@:3}" --set ensemble.batch=1 --set ensemble.at_once=2
    local before=$status
    ensemble batch "${@:3}" --set "ensemble.batch=$batch" --set ensemble.at_once=1
    [ "$status" = "$before" ] || wrong+=("exit status $status, expected $before" "$(<"$TMP/stderr")")
    cmp -s <(without_seconds "$TMP/batch/ensemble.csv") <(without_seconds "$TMP/alone/ensemble.csv") ||
        wrong+=("$(diff <(without_seconds "$TMP/batch/ensemble.csv") <(without_seconds "$TMP/alone/ensemble.csv") |
            head -4)")
    cmp -s "$TMP/batch/metrics.csv" "$TMP/alone/metrics.csv" || wrong+=("metrics.csv differs")
    if [ ${#wrong[@]} = 0 ]; then ok "$name"; else not_ok "$name" "${wrong[@]}"; fi
}

seeds=(--sweep init.seed=1..40)
expect_same_tables 'members that take all steps' 16 "${seeds[@]}" --set run.steps=70
expect_same_tables 'two threads for a batch' 40 "${seeds[@]}" --set run.threads=2
expect_same_tables 'a row every 25 steps' 16 "${seeds[@]}" --set run.steps=110 --set output.metrics_every=25
for every in 1 7 240; do
    expect_same_tables "members that repeat, with a look every $every steps" 16 "${seeds[@]}" --set run.until=repeats \
        --set "run.until_every=$every"
    expect_same_tables "members that do not change, with a look every $every steps" 6 --sweep init.seed=1..24 \
        --sweep init.density=0.03,0.3 --set run.until=unchanged --set "run.until_every=$every"
done
expect_equal 'some members did not change' "$(grep -c unchanged "$TMP/batch/ensemble.csv" |
    awk '{ print ($1 > 5 && $1 < 44) }')" 1
expect_same_tables 'either condition' 16 "${seeds[@]}" --set 'run.until=unchanged or repeats' --set run.until_every=1
expect_equal 'each condition ends members' "$(cut -d, -f8 "$TMP/batch/ensemble.csv" | grep -o 'unchanged\|repeats' | sort -u |
    paste -sd ' ')" 'repeats unchanged'
for steps in 130 700; do
    expect_same_tables "members that repeat, or take all of $steps steps" 16 "${seeds[@]}" --set "run.steps=$steps" \
        --set run.until=repeats --set run.until_every=10
done
expect_same_tables 'a glider, whose period is no multiple of the steps between two looks' 4 --sweep init.seed=106..110 \
    --set 'grid.size=64 64' --set run.steps=9000 --set run.until=repeats
expect_equal 'the period of a glider on a torus of 64 x 64 cells is 4 x 64' "$(grep -c '^4,109,.*period 256, first' \
    "$TMP/batch/ensemble.csv")" 1
expect_same_tables 'several groups of members' 8 --sweep 'grid.size=32 24,16 40' --sweep init.density=0.2,0.6 \
    --sweep init.seed=7..16 --set run.until=repeats --set grid.edges=dead
expect_same_tables 'seeds that are not consecutive, and another rule' 5 --sweep init.seed=9,3,4,5,9000000000,17,2 \
    --set life2d-bit.rule=B36/S23 --set run.until=repeats
expect_same_tables 'conditions of metrics' 16 "${seeds[@]}" --set 'run.until=population < 60 or repeats'
expect_same_tables 'members that fail' 4 --sweep init.density=0.4,2,0.5,0.6 --sweep init.seed=1..3 --set run.steps=20
expect_equal 'three of them' "$(column "$TMP/batch/ensemble.csv" state | sort | uniq -c | tr -s ' \n' ' ')" ' 9 done 3 failed '

expect_status 0 "$ENGINE" check "$TMP/soup.ini" --ensemble 100 --set ensemble.at_once=2 --set ensemble.batch=16
expect_stdout_has 'at once         2 batches of 16 members, each on'
expect_status 0 "$ENGINE" check "$TMP/soup.ini" --ensemble 1000 --set ensemble.at_once=2 --json
expect 'the engine chooses a batch' test "$(json "$TMP/stdout" '{ensemble}{batch}')" -gt 1
expect_status 0 "$ENGINE" check "$TMP/soup.ini" --ensemble 100 --set output.formats=npy --json
expect_equal 'members with files run alone' "$(json "$TMP/stdout" '{ensemble}{batch}')" 1

# Killed while batches run, and resumed.
long=(--sweep init.seed=1..24 --set run.steps=100000 --set ensemble.at_once=2 --set ensemble.batch=3)
ensemble whole "${long[@]}"
"$ENGINE" run "$TMP/soup.ini" --set "run.output=$TMP/killed" --set run.threads=1 "${long[@]}" >/dev/null 2>&1 &
pid=$!
rows killed 3
kill -9 $pid
wait $pid 2>/dev/null
expect 'the ensemble was killed before its end' test "$(wc -l <"$TMP/killed/ensemble.csv")" -lt 25
expect_status 0 "$ENGINE" resume "$TMP/killed" --set ensemble.batch=5
expect 'a killed ensemble ends with the same table' cmp <(without_seconds "$TMP/killed/ensemble.csv") \
    <(without_seconds "$TMP/whole/ensemble.csv")
expect_same "$TMP/killed/metrics.csv" "$TMP/whole/metrics.csv"

# Stopped.
"$ENGINE" run "$TMP/soup.ini" --set "run.output=$TMP/stopped" --sweep init.seed=1..8 --set run.steps=1000000000000 \
    --set ensemble.at_once=1 --set ensemble.batch=4 --walltime 1s >/dev/null 2>&1
expect_equal 'the time was up' $? 142
expect_equal 'the members of the batch were stopped' "$(column "$TMP/stopped/ensemble.csv" state | sort | uniq -c |
    tr -s ' \n' ' ')" ' 4 stopped '
plan
