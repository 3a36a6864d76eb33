#!/bin/bash
# engine audit: what it prints, what it refuses, and that it goes on. tests/library/test_audit.c injects the faults.
. "$(dirname "$0")/common"
export XDG_STATE_HOME=$TMP/state

cat >"$TMP/soup.ini" <<INI
[run]
plugin = life2d-bit
steps = 400
output = $TMP/soup
[grid]
size = 333 200
[init]
source = random
[output]
hash_every = 10
metrics_every = 5
formats =
[checkpoint]
every = 20
keep = all
INI
expect_status 0 "$ENGINE" run "$TMP/soup.ini" --quiet

# copy NAME: a copy of the run, in $TMP/NAME.
copy() {
    rm -rf "${TMP:?}/$1"
    cp -r "$TMP/soup" "$TMP/$1"
}

# ---- A sound run
expect_status 0 "$ENGINE" audit "$TMP/soup" --segments 8 --seed 5
for text in 'computed by cpu, checked by ' 'segments       20, of at most 20 steps; 8 are checked, drawn with seed 5' \
    'record         20 states in files, 41 hashes, 81 rows of metrics' \
    'a single wrong segment with 60.0 %; --all checks every segment' 'for 160 steps, by the time of some of them' \
    'result         no difference'; do
    expect_stdout_has "$text"
done
expect_not 'another implementation than that of the run' grep -qE 'checked by cpu$' "$TMP/stdout"
expect 'no file of the audit is left' sh -c "! find '$TMP/state' -type f | grep -q ."
for count in 5 19; do # C(N - w, n) / C(N, n) with N = 20, w = 1
    expect_status 0 "$ENGINE" audit "$TMP/soup" --segments $count --json
    expect_equal "$count of 20 segments miss one of them" \
        "$(perl -e 'printf "%.9f", $ARGV[0]' "$(json "$TMP/stdout" '{misses_one}')")" \
        "$(perl -e 'printf "%.9f", 1 - $ARGV[0] / 20' $count)"
    expect_equal "$count are checked" "$(json "$TMP/stdout" '{begins}' | sort -u | wc -l)" $count
done
seed=$(json "$TMP/stdout" '{seed}')
json "$TMP/stdout" '{begins}' >"$TMP/begins"
expect_status 0 "$ENGINE" audit "$TMP/soup" --segments 19 --json --seed "$seed"
json "$TMP/stdout" '{begins}' >"$TMP/again"
expect_same "$TMP/again" "$TMP/begins"
expect_status 0 "$ENGINE" audit "$TMP/soup" --all --json
expect_equal '--all: hashes, metrics and states' \
    "$(for key in checked steps hashes metrics states; do json "$TMP/stdout" "{$key}"; done | xargs)" '20 400 61 100 39'
expect_equal 'no fault' "$(json "$TMP/stdout" '{faults}')" ''
for impl in cpu cpu-serial cpu-words; do
    expect_status 0 "$ENGINE" audit "$TMP/soup" --all --impl $impl
    expect_stdout_has "checked by $impl"
done
run "$ENGINE" audit "$TMP/soup" --impl cpu
expect_stderr_has 'the implementation is that of the run'
for set in run.parts=3 run.threads=1 grid.edges=dead 'grid.batch=4' life2d-bit.rule=B36/S23; do
    expect_status 0 "$ENGINE" run "$TMP/soup.ini" --quiet --set "run.output=$TMP/other" --force --set "$set"
    expect_status 0 "$ENGINE" audit "$TMP/other" --all
done

# ---- Faults
copy hash && sed -i 's/^130,./130,x/' "$TMP/hash/hashes.csv"
expect_status 1 "$ENGINE" audit "$TMP/hash" --all
expect_stdout_has 'hashes.csv:15: this line is not a row of the table'
copy hash && sed -i 's/^130,\(.*\)\(.\)$/130,\2\1/' "$TMP/hash/hashes.csv"
expect_status 1 "$ENGINE" audit "$TMP/hash" --all
expect_stdout_has 'steps 120 to 140: step 130: the hash is '
expect_stdout_has 'result         1 difference'
expect_stderr_has 'engine: steps 120 to 140: step 130: '
expect_status 1 "$ENGINE" audit "$TMP/hash" --all --json
expect 'the JSON has the fault' sh -c "grep -q 'steps 120 to 140: step 130' '$TMP/stdout'"
copy metric && sed -i -E 's/^135,([0-9]*)/135,1\1/' "$TMP/metric/metrics.csv"
expect_status 1 "$ENGINE" audit "$TMP/metric" --all
expect_stdout_has 'steps 120 to 140: step 135: population is '
copy column && sed -i '1s/population/popular/' "$TMP/column/metrics.csv"
expect_status 1 "$ENGINE" audit "$TMP/column" --all
expect_stdout_has 'metrics.csv:1: there is no column population'
copy cut && truncate -s -1 "$TMP/cut/hashes.csv"
expect_status 1 "$ENGINE" audit "$TMP/cut" --all
copy swapped && mv "$TMP/swapped/checkpoint-0000000100.snapshot" "$TMP/swapped/checkpoint-0000000101.snapshot"
expect_status 1 "$ENGINE" audit "$TMP/swapped" --all
expect_stdout_has 'checkpoint-0000000101.snapshot: holds step 100'
copy summary && sed -i -E 's/^( *"hash":").{32}/\10123456789abcdef0123456789abcdef/' "$TMP/summary/summary.json"
expect_status 1 "$ENGINE" audit "$TMP/summary" --all
expect_stdout_has 'in summary.json it is 0123456789abcdef0123456789abcdef'
copy rule && sed -i 's#^rule = .*#rule = B36/S23#' "$TMP/rule/config.ini"
expect_status 1 "$ENGINE" audit "$TMP/rule" --segments 1
copy seed && sed -i 's#^seed = .*#seed = 99#' "$TMP/seed/config.ini"
expect_status 1 "$ENGINE" audit "$TMP/seed" --all
expect_stdout_has 'steps 0 to 20: step 0: the hash is '

# ---- A run that goes on, was killed, or kept little
copy killed && rm "$TMP/killed/summary.json" && sed -i '/^38/,$d' "$TMP/killed/hashes.csv"
expect_status 0 "$ENGINE" audit "$TMP/killed" --all
expect_status 0 "$ENGINE" run "$TMP/soup.ini" --quiet --set "run.output=$TMP/few" --set checkpoint.keep=2
expect_status 0 "$ENGINE" audit "$TMP/few"
expect_stdout_has 'the next run needs [checkpoint] every and keep = all'
expect_stdout_has 'segments       2, of at most 380 steps; 2 are checked'
expect_stdout_has 'every segment is checked'
expect_status 0 "$ENGINE" run "$TMP/soup.ini" --quiet --set "run.output=$TMP/last" --set checkpoint.every=0 \
    --set output.hash_every=0
expect_status 0 "$ENGINE" audit "$TMP/last"
expect_stdout_has '[checkpoint] every and keep = all, and [output] hash_every'
rm "$TMP/last/summary.json" "$TMP/last/metrics.csv"
refused 'a run that kept nothing' 3 'the next run needs [output] hash_every, and [checkpoint] every with keep = all' \
    "$ENGINE" audit "$TMP/last"
copy moved
mv "$TMP/moved" "$TMP/soup.moved"
expect_status 0 "$ENGINE" audit "$TMP/soup.moved"
printf 'x = 3, y = 3\nbo$2bo$3o!\n' >"$TMP/glider.rle"
expect_status 0 "$ENGINE" run "$TMP/soup.ini" --quiet --set "run.output=$TMP/file" --set "init.file=$TMP/glider.rle" \
    --set init.source=file
mv "$TMP/glider.rle" "$TMP/other.rle"
refused 'an input file that is gone' 3 glider.rle "$ENGINE" audit "$TMP/file"
expect_status 0 "$ENGINE" audit "$TMP/file" --all --set "init.file=$TMP/other.rle"

# ---- An audit that is killed goes on, with the segments that it drew. It notes a difference at once.
expect_status 0 "$ENGINE" run "$TMP/soup.ini" --quiet --set "run.output=$TMP/long" --set grid.size='1000 1000'
sed -i -E 's/^10,(.*)(.)$/10,\2\1/' "$TMP/long/hashes.csv"
find "$TMP/long" -type f -exec md5sum {} + >"$TMP/before"
"$ENGINE" audit "$TMP/long" --all --impl cpu-serial >"$TMP/first" 2>&1 &
for ((i = 0; i < 600; i++)); do
    grep -qs '"done":[1-9]' "$TMP"/state/engine/audit-*.json && break
    sleep 0.1
done
kill -KILL $! 2>/dev/null
wait $! 2>/dev/null
if compgen -G "$TMP/state/engine/audit-*.json" >/dev/null; then
    expect_status 1 "$ENGINE" audit "$TMP/long" --all --impl cpu-serial
    expect_stdout_has ' segments, by an audit that was interrupted'
    expect_stdout_has 'steps 0 to 20: step 10: the hash is '
    expect_equal 'the same draw' "$(sed -n 's/.*drawn with //p' "$TMP/stdout")" \
        "$(sed -n 's/.*drawn with //p' "$TMP/first")"
    expect_stdout_has 'compared       20 segments'
else
    skip 'an audit that is killed' 'it had ended before'
fi
find "$TMP/long" -type f -exec md5sum {} + >"$TMP/after"
expect_same "$TMP/after" "$TMP/before"
printf '{"implementation":"cpu","segments":20,"drawn":20,"seed":1,"done":20,"faults":[]}\n' >"$TMP/hash/audit.json"
expect_status 1 "$ENGINE" audit "$TMP/hash" --all # a file in the folder decides nothing
expect_status 0 env XDG_STATE_HOME=/dev/null "$ENGINE" audit "$TMP/soup"
expect_status 0 env -u XDG_STATE_HOME -u HOME "$ENGINE" audit "$TMP/soup"

# ---- What it refuses
refused 'no run' 3 'holds no run' "$ENGINE" audit "$TMP"
refused 'no folder' 3 'there is no such folder' "$ENGINE" audit "$TMP/none"
refused 'an implementation that is none' 2 cpu-seral "$ENGINE" audit "$TMP/soup" --impl cpu-seral
expect_status 0 "$ENGINE" run "$TMP/good.ini" --quiet --ensemble 2 --set "run.output=$TMP/members" \
    --set output.hash_every=2
refused 'an ensemble' 3 'is the folder of an ensemble; audit that of a member' "$ENGINE" audit "$TMP/members"
expect_status 0 "$ENGINE" audit "$TMP/members/0002"
if [ -e "$BUILD/plugins/nbody.so" ]; then
    printf '[run]\nplugin = nbody\nsteps = 40\noutput = %s\n[particles]\ncount = 50\n[init]\nsource = plummer\n' \
        "$TMP/stars" >"$TMP/stars.ini"
    expect_status 0 "$ENGINE" run "$TMP/stars.ini" --quiet --set output.hash_every=5 --set checkpoint.every=10 \
        --set checkpoint.keep=all --set run.implementation=cpu
    refused 'a run without a promise of bits' 2 'promises no bits' "$ENGINE" audit "$TMP/stars"
    refused 'by another implementation' 2 'promises no bits' "$ENGINE" audit "$TMP/stars" --impl cpu-serial
    expect_status 0 "$ENGINE" audit "$TMP/stars" --impl cpu
    expect_stderr_has 'gives differences that are no faults'
fi

# ---- Two runs
copy same
expect_status 0 "$ENGINE" audit "$TMP/soup" "$TMP/same"
expect_stdout_has 'have the same hash in 41 rows, all that both have, up to step 400'
copy same && perl -i -pe 's/,(.)/$1 eq "f" ? ",e" : ",f"/e if /^(\d+),/ && $1 >= 170' "$TMP/same/hashes.csv"
expect_status 1 "$ENGINE" audit "$TMP/soup" "$TMP/same"
expect_stdout_has 'first differ at step 170; they are the same in 17 rows before it, up to step 160'
expect_status 1 "$ENGINE" audit "$TMP/soup" "$TMP/same" --json
expect_equal 'JSON' "$(json "$TMP/stdout" '{differs}') $(json "$TMP/stdout" '{equal}')" '170 160'
copy same && perl -i -pe 's/,(.)/$1 eq "f" ? ",e" : ",f"/e if /^170,/' "$TMP/same/hashes.csv"
expect_status 1 "$ENGINE" audit "$TMP/soup" "$TMP/same"
expect_stdout_has 'first differ at step 170' # also if they meet again
copy same && sed -i '/^200,/,$d' "$TMP/same/hashes.csv" && sed -i '2d' "$TMP/same/hashes.csv"
expect_status 0 "$ENGINE" audit "$TMP/soup" "$TMP/same"
expect_stdout_has "$TMP/same ends at step 190: what $TMP/soup has up to step 400 is not compared"
expect_status 0 "$ENGINE" run "$TMP/soup.ini" --quiet --set "run.output=$TMP/thirds" --set output.hash_every=30 \
    --set life2d-bit.rule=B36/S23
expect_status 1 "$ENGINE" audit "$TMP/soup" "$TMP/thirds"
expect_stdout_has 'first differ at step 30; they are the same in 1 row before it, up to step 0'
refused 'a run without hashes' 3 'this run recorded no hashes' "$ENGINE" audit "$TMP/soup" "$TMP/last"
copy same && sed -i '2,$d' "$TMP/same/hashes.csv"
refused 'nothing in common' 3 'have no step with a hash in both' "$ENGINE" audit "$TMP/soup" "$TMP/same"
plan
