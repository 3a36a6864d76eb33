#!/bin/bash
# [output] hash_every writes hashes.csv, and [checkpoint] keep says how many checkpoints stay.
. "$(dirname "$0")/common"

cat >"$TMP/soup.ini" <<INI
[run]
plugin = life2d-bit
steps = 605
output = $TMP/soup
[grid]
size = 333 200
[init]
source = random
[output]
hash_every = 35
every = 70
[checkpoint]
every = 50
keep = all
INI

# steps_of FOLDER: the steps of its checkpoints.
steps_of() {
    (cd "$1" && echo checkpoint-*) | sed -E 's/checkpoint-0*([0-9]+)\.snapshot/\1/g'
}

# ---- The hashes are those of the cells
expect_status 0 "$ENGINE" run "$TMP/soup.ini" --quiet
expect_equal 'a row every 35 steps, and the final one' "$(cut -d, -f1 "$TMP/soup/hashes.csv" | xargs)" \
    "step $(seq -s ' ' 0 35 595) 605"
if use_hash; then
    for step in $(seq 0 70 560) 605; do
        expect_equal "step $step: what xxh128sum says of the cells" "$(sed -n "s/^$step,//p" "$TMP/soup/hashes.csv")" \
            "$(tail -c $((333 * 200)) "$TMP/soup/cells-$(printf %010d "$step").npy" | hash_of)"
    done
else
    skip 'the hashes of the cells' 'there is neither xxh128sum nor xxhash.h'
fi
for set in run.implementation=cpu-serial run.parts=3; do
    expect_status 0 "$ENGINE" run "$TMP/soup.ini" --quiet --set "run.output=$TMP/other" --set "$set"
    expect_same "$TMP/other/hashes.csv" "$TMP/soup/hashes.csv"
    rm -r "$TMP/other"
done
expect 'the summary lists the table' grep -q '/hashes.csv"' "$TMP/soup/summary.json"
expect_status 0 "$ENGINE" run "$TMP/soup.ini" --quiet --set "run.output=$TMP/none" --set output.hash_every=0
expect 'hash_every = 0: there is no table' test ! -e "$TMP/none/hashes.csv"
if [ -e "$BUILD/plugins/rdf.so" ]; then
    printf '[run]\nplugin = nbody\nsteps = 20\noutput = %s\n[particles]\ncount = 50\n[init]\nsource = plummer\n' \
        "$TMP/stars" >"$TMP/stars.ini"
    expect_status 0 "$ENGINE" run "$TMP/stars.ini" --quiet --set output.hash_every=10 --set analyse.plugin=rdf \
        --set rdf.r_max=2
    expect_equal 'with an analysis: the hash of the run' "$(sed -n 's/^20,//p' "$TMP/stars/hashes.csv")" \
        "$(json "$TMP/stars/summary.json" '{hash}')"
fi

# ---- A resumed run goes on with them, also where they begin or end there
expect_status 0 "$ENGINE" run "$TMP/soup.ini" --quiet --set "run.output=$TMP/late" --set output.hash_every=0 \
    --set run.steps=100
expect_status 0 "$ENGINE" resume "$TMP/late" --quiet --set run.steps=300 --set output.hash_every=35
expect_equal 'from the step where they are asked for' "$(cut -d, -f1 "$TMP/late/hashes.csv" | xargs)" \
    'step 105 140 175 210 245 280 300'
expect_status 0 "$ENGINE" resume "$TMP/late" --quiet --set run.steps=400 --set output.hash_every=0
expect_equal 'to the step where they are not' "$(tail -n 1 "$TMP/late/hashes.csv" | cut -d, -f1)" 280
expect_status 0 "$ENGINE" resume "$TMP/late" --quiet --set run.steps=605 --set output.hash_every=35
expect_equal 'and again' "$(sed -n '7,9p' "$TMP/late/hashes.csv")" "$(grep -E '^(280|420|455),' "$TMP/soup/hashes.csv")"
cp -r "$TMP/late" "$TMP/cut"
rm "$TMP/cut/summary.json"
sed -i 's/^steps = .*/steps = 700/' "$TMP/cut/config.ini"
truncate -s 100 "$TMP/cut/hashes.csv"
refused 'a table without rows that the checkpoint knows' 6 'put the run'"'"'s own file back' "$ENGINE" resume "$TMP/cut"
rm "$TMP/cut/hashes.csv" && ln -s "$TMP/late/hashes.csv" "$TMP/cut/hashes.csv"
refused 'a link' 6 hashes.csv "$ENGINE" resume "$TMP/cut"

# A run that is killed leaves rows that no summary lists.
cp -r "$TMP/soup" "$TMP/killed" && rm "$TMP/killed/summary.json"
expect_status 0 "$ENGINE" run "$TMP/soup.ini" --quiet --force --set "run.output=$TMP/killed" --set output.hash_every=0
expect '--force removes the hashes of an earlier run' test ! -e "$TMP/killed/hashes.csv"

# ---- The members of an ensemble have their own
expect_status 0 "$ENGINE" run "$TMP/good.ini" --quiet --ensemble 2 --set "run.output=$TMP/members" --set output.hash_every=2
expect_equal 'a table for each member' "$(cut -d, -f1 "$TMP/members/0002/hashes.csv" | xargs)" 'step 0 2 4'

# ---- [checkpoint] keep
expect_equal 'all' "$(steps_of "$TMP/soup")" "$(seq -s ' ' 50 50 600) 605"
for keep in 1 2 3 100; do
    expect_status 0 "$ENGINE" run "$TMP/soup.ini" --quiet --set "run.output=$TMP/whole" --set "checkpoint.keep=$keep"
    expect_equal "$keep" "$(steps_of "$TMP/whole")" \
        "$({ seq 50 50 600; echo 605; } | tail -n "$keep" | xargs)"
    expect_status 0 "$ENGINE" run "$TMP/soup.ini" --quiet --set "run.output=$TMP/parts" --set "checkpoint.keep=$keep" \
        --set run.steps=333
    expect_status 0 "$ENGINE" resume "$TMP/parts" --quiet --set run.steps=338
    expect_status 0 "$ENGINE" resume "$TMP/parts" --quiet --set run.steps=605
    expect_equal "$keep, and stops" "$(steps_of "$TMP/parts")" "$(steps_of "$TMP/whole")"
    rm -r "$TMP/whole" "$TMP/parts"
done
expect_status 0 "$ENGINE" run "$TMP/soup.ini" --quiet --set "run.output=$TMP/parts" --set run.steps=333
expect_status 0 "$ENGINE" resume "$TMP/parts" --quiet --set run.steps=400 --set checkpoint.every=200
expect_equal 'all: those of stops and of other intervals stay' "$(steps_of "$TMP/parts")" '50 100 150 200 250 300 333 400'
expect_status 0 "$ENGINE" resume "$TMP/parts" --quiet --set run.steps=450 --set checkpoint.keep=2
expect_equal 'until fewer are asked for' "$(steps_of "$TMP/parts")" '400 450'
for wrong in 0 -1 none 1.5 ''; do
    refused "keep = '$wrong'" 2 'not a number from 1 to 1000000, and not the word all' \
        "$ENGINE" check "$TMP/soup.ini" --set "checkpoint.keep=$wrong"
done
expect_status 0 "$ENGINE" check "$TMP/soup.ini" --set checkpoint.compression=none --set grid.size='4000 4000' --set output.formats= \
    --set output.every=0
expect_stdout_has 'disk            24.0 MB to ' # 12 checkpoints of 2 MB
plan
