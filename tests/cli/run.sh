#!/bin/bash
# engine run: its streams, its files, its folder, and the same hash for every way to run it.
. "$(dirname "$0")/common"
go() { # go FOLDER [OPTION]…
    run "$ENGINE" run "$TMP/good.ini" --set "run.output=$TMP/$1" "${@:2}"
}

# ---- Streams
go plain
expect_equal 'status 0' "$status" 0
for word in life2d-bit/ steps rate population hash cells-0000000004.npy metrics.csv; do
    expect_stdout_has "$word"
done
expect 'a short time is not 0' grep -q '^  steps *4 in [0-9.e-]*[1-9][0-9.e-]* s$' "$TMP/stdout"
expect 'the summary is on stdout alone' test ! -s "$TMP/stderr"
expect 'no escape sequences where stderr is no terminal' sh -c "! grep -q \"\$(printf '\\033')\" '$TMP/stderr'"

go quiet --quiet
expect_equal '--quiet: status 0' "$status" 0
expect '--quiet: nothing on stdout' test ! -s "$TMP/stdout"
expect '--quiet: nothing on stderr' test ! -s "$TMP/stderr"

go json --json --quiet
expect_equal '--json: status 0' "$status" 0
expect '--json: one value on stdout, and nothing else' json "$TMP/stdout"
expect '--json --quiet: nothing on stderr' test ! -s "$TMP/stderr"
cp "$TMP/stdout" "$TMP/run.json"
for key in plugin implementation backend device steps seconds rate rate_unit hash metrics outputs; do
    expect "--json: has $key" json "$TMP/run.json" "{$key}"
done
expect_equal '--json: plugin' "$(json "$TMP/run.json" '{plugin}')" life2d-bit
expect_equal '--json: backend' "$(json "$TMP/run.json" '{backend}')" cpu
expect_equal '--json: steps' "$(json "$TMP/run.json" '{steps}')" 4
expect_equal '--json: unit' "$(json "$TMP/run.json" '{rate_unit}')" 'cell updates/s'
expect '--json: hash is of 32 hexadecimal digits' sh \
    -c "echo '$(json "$TMP/run.json" '{hash}')' | grep -qE '^[0-9a-f]{32}\$'"
json "$TMP/run.json" '{outputs}' >"$TMP/outputs"
expect '--json: every output is there' sh -c "while read -r file; do test -s \"\$file\" || exit 1; done <'$TMP/outputs'"
expect_equal '--json: and every file is among the outputs' \
    "$(find "$TMP/json" -type f ! -name config.ini ! -name summary.json | sort)" "$(sort "$TMP/outputs")"
expect_same "$TMP/json/summary.json" "$TMP/run.json"

go loud --json
expect '--json with messages: stdout is the same, but for times' json "$TMP/stdout"
expect_stderr_has hash

# The hash is what xxh128sum says of the cells: the file without its header of 128 bytes or so.
file=$TMP/json/cells-0000000004.npy
header=$((10 + $(od -An -tu2 -j8 -N2 "$file")))
if use_hash; then
    expect_equal 'the hash is XXH3-128 of the cells' "$(tail -c +$((header + 1)) "$file" | hash_of)" \
        "$(json "$TMP/run.json" '{hash}')"
else
    skip 'the hash is XXH3-128 of the cells' 'there is neither xxh128sum nor xxhash.h'
fi
expect_equal 'a .npy file holds a byte a cell' "$(($(stat -c %s "$file") - header))" 200
expect_equal 'its header fills 64 bytes or a multiple' $((header % 64)) 0
expect 'its shape is (y, x)' grep -qaF "'shape': (10, 20)" "$file"
expect_equal 'the population is the number of ones' "$(tail -c +$((header + 1)) "$file" | tr -d '\000' | wc -c)" \
    "$(json "$TMP/run.json" '{metrics}{population}')"

# ---- The same hash
hash=$(json "$TMP/run.json" '{hash}')
count=0
for set in run.implementation=cpu run.implementation=cpu-serial run.threads=1 run.threads=2 run.threads=5 \
    life2d-bit.instructions=plain run.implementation=auto output.every=1 output.every=3; do
    count=$((count + 1))
    go "same$count" --json --quiet --set "$set"
    expect_equal "the same hash with $set" "$(json "$TMP/stdout" '{hash}')" "$hash"
done
go other --json --quiet --set init.seed=43
expect_not 'another seed gives another hash' test "$(json "$TMP/stdout" '{hash}')" = "$hash"
go other --json --quiet --force --set run.steps=5
expect_not 'another step gives another hash' test "$(json "$TMP/stdout" '{hash}')" = "$hash"

# ---- What is written when
go every --quiet --set output.every=3 --set run.steps=7 --set 'output.formats=npy rle png'
expect_equal 'every third step, the first and the last' "$(cd "$TMP/every" && ls | tr '\n' ' ')" \
    "$(for s in 0 3 6 7; do printf 'cells-%010d.npy cells-%010d.png cells-%010d.rle ' $s $s $s; \
    done)config.ini metrics.csv summary.json "
expect_equal 'metrics.csv has a row for each' "$(cut -d, -f1 "$TMP/every/metrics.csv" | tr '\n' ' ')" 'step 0 3 6 7 '
expect 'a .png is one' sh \
    -c "head -c 8 '$TMP/every/cells-0000000007.png' | od -An -tx1 | grep -q '89 50 4e 47 0d 0a 1a 0a'"
go none --quiet --set run.steps=0
go rows --quiet --set output.metrics_every=2 --set output.every=5 --set run.steps=7 --set output.formats=npy
expect_equal 'rows of metrics between the outputs' "$(cut -d, -f1 "$TMP/rows/metrics.csv" | tr '\n' ' ')" \
    'step 0 2 4 5 6 7 '
expect_equal 'and no states there' "$(cd "$TMP/rows" && ls | tr '\n' ' ')" \
    'cells-0000000000.npy cells-0000000005.npy cells-0000000007.npy config.ini metrics.csv summary.json '
expect_equal 'no steps: the first state' "$(cd "$TMP/none" && ls | tr '\n' ' ')" \
    'cells-0000000000.npy config.ini metrics.csv summary.json '
go three --quiet --set run.steps=3
expect_same "$TMP/every/cells-0000000003.npy" "$TMP/three/cells-0000000003.npy"
expect_same "$TMP/every/cells-0000000000.npy" "$TMP/none/cells-0000000000.npy"

# ---- The folder
go plain
expect_equal 'a folder that holds files is not written to' "$status" 6
expect_stderr_has "$TMP/plain: holds the files of an earlier run; use --force to replace them"
expect_stderr_has "\`engine resume $TMP/plain\` continues that run"
echo mine >"$TMP/plain/mine"
go plain --force --quiet --set run.steps=5
expect_equal '--force writes there' "$status" 0
expect '--force leaves other files alone' grep -q mine "$TMP/plain/mine"
expect 'and writes its own' test -s "$TMP/plain/cells-0000000005.npy"

# The files of an earlier run are not left among those of the new one.
go twice --quiet --set output.every=1 --set 'output.formats=npy png apng'
echo mine >"$TMP/twice/mine-0000000001.log"
go twice --force --quiet --set run.steps=2 --set output.formats=rle
expect_equal 'after --force the folder holds the files of the new run and those of others' \
    "$(cd "$TMP/twice" && ls | tr '\n' ' ')" \
    'cells-0000000002.rle config.ini metrics.csv mine-0000000001.log summary.json '
go killed --quiet --set output.every=1
rm "$TMP/killed/summary.json"
go killed --force --quiet --set run.steps=2
expect_equal 'also those of a run without a summary' "$(cd "$TMP/killed" && ls | tr '\n' ' ')" \
    'cells-0000000002.npy config.ini metrics.csv summary.json '
go killed --force --quiet --set init.source=file --set "init.file=$TMP/killed/cells-0000000002.npy"
expect_equal 'a run that reads a file of the earlier one: status 0' "$status" 0
expect 'and keeps it' test -s "$TMP/killed/cells-0000000002.npy"
mkdir "$TMP/strange"
echo mine >"$TMP/strange/cells-0000000001.npy"
go strange
expect_stderr_has "$TMP/strange: holds files, but none of an earlier run; use --set run.output=FOLDER"
go strange --force --quiet
expect 'a folder that holds no run keeps all its files' test -s "$TMP/strange/cells-0000000001.npy"

mkdir "$TMP/empty"
go empty --quiet
expect_equal 'an empty folder is fine' "$status" 0
go deep/er/still --quiet
expect_equal 'folders on the way are made' "$status" 0
go run.json/x
expect_equal 'a file on the way is not' "$status" 6
expect_stderr_has run.json
expect 'no temporary files are left' sh \
    -c "! find '$TMP' -path '*/plain/*' -name '*tmp*' -o -path '*/plain/*' -name '.*' | grep -q ."
(cd "$TMP" && "$ENGINE" run good.ini --quiet)
expect 'the default folder is out/ and the name of the configuration' test -s "$TMP/out/good/cells-0000000004.npy"

# ---- stdout that cannot be written
if [ -e /dev/full ]; then
    "$ENGINE" run "$TMP/good.ini" --json --quiet --set "run.output=$TMP/full" >/dev/full 2>"$TMP/stderr"
    expect_equal 'a full stdout is status 6' $? 6
    expect_stderr_has 'standard output'
fi

# ---- Stopped
"$ENGINE" run "$TMP/good.ini" --quiet --set run.steps=1000000000000000 --set "run.output=$TMP/long" 2>"$TMP/stderr" &
long=$!
sleep 1
kill -TERM $long
wait $long
expect_equal 'stopped by a signal: status 128 + 15' $? 143
expect 'the state at that step is saved' sh -c "ls '$TMP'/long/checkpoint-*.snapshot | grep -q ."
expect_stderr_has 'stopped by signal 15; step'
expect_stderr_has "engine resume $TMP/long"

# check lists what is unusual: not the tuning parameters that have their defaults.
run "$ENGINE" check "$TMP/good.ini" --set life2d-bit.bands=2
expect 'check: a parameter of the rule' grep -q 'rule = B3/S23' "$TMP/stdout"
expect 'check: a tuning parameter that was set' grep -q 'bands = 2' "$TMP/stdout"
expect_not 'check: no tuning parameter that has its default' grep -q 'strip_rows' "$TMP/stdout"
expect_equal 'check: a reason stands once for all implementations that have it' \
    "$(sed -n 's/^ *[a-z, -]*: //p' "$TMP/stdout" | grep -v usable | sort | uniq -d)" ''

# Warnings are marked, and errors are not.
printf '[run]\nplugin = life2d-bit\n[grid]\nsize = 8 8\n' >"$TMP/empty.ini"
run "$ENGINE" run "$TMP/empty.ini" --set "run.output=$TMP/warned"
expect 'a warning is marked' grep -q '^engine: warning: ' "$TMP/stderr"
run "$ENGINE" run "$TMP/good.ini" --set run.steps=x
expect_equal 'a key that was set is named once' "$(<"$TMP/stderr")" \
    'engine: --set: [run] steps = x: expected a whole number'
expect_not 'an error is no warning' grep -q warning "$TMP/stderr"

# The place in a plugin's source is for its author.
if [ -e "$BUILD/plugins/pairs.so" ]; then
    printf '[run]\nplugin = pairs\n[particles]\ncount = 2\nbox = 10 10 10\n[init]\nsource = fcc\n[pairs]\ndt = 10\ntemperature = 100\n' \
        >"$TMP/far.ini"
    expect_status 2 "$ENGINE" run "$TMP/far.ini" --set "run.output=$TMP/far"
    expect_stderr_hasnt 'solver.c'
    expect_status 2 "$ENGINE" run "$TMP/far.ini" --force --verbose --set "run.output=$TMP/far"
    expect_stderr_has 'the plugin failed at plugins/pairs/solver.c:'
fi
plan
