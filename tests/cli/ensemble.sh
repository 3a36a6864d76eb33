#!/bin/bash
# engine run with [ensemble] or --sweep: its members, its tables, and what stops it.
. "$(dirname "$0")/common"
. "$(dirname "$0")/tables"
cat >"$TMP/soup.ini" <<'INI'
[run]
plugin = life2d-bit
steps = 20
[grid]
size = 48 32
[init]
source = random
INI
ensemble() { # ensemble FOLDER [OPTION]…
    run "$ENGINE" run "$TMP/soup.ini" --set "run.output=$TMP/$1" "${@:2}"
}
# lines COLUMN…: the columns of the last ensemble's table, joined
lines() {
    local name
    for name in "$@"; do column "$TMP/$folder/ensemble.csv" "$name" >"$TMP/column-$name"; done
    paste -d ' ' "${@/#/$TMP/column-}"
}

# ---- Products, pairs, ranges
folder=product
ensemble product --sweep init.seed=5..7 --sweep init.density=0.2,0.5
expect_equal 'products: status 0' "$status" 0
expect_equal 'products: every combination, the last sweep changes fastest' \
    "$(lines member init.seed init.density state steps | paste -sd ';')" \
    '1 5 0.2 done 20;2 5 0.5 done 20;3 6 0.2 done 20;4 6 0.5 done 20;5 7 0.2 done 20;6 7 0.5 done 20'
expect_stdout_has '6: 6 done, 0 failed'
expect 'nothing on stderr' test ! -s "$TMP/stderr"
expect_equal 'by default a member writes no files' "$(cd "$TMP/product" && echo ./*)" \
    './config.ini ./ensemble.csv ./ensemble.json ./metrics.csv'
singles=""
number=0
while read -r seed density; do
    run "$ENGINE" run "$TMP/soup.ini" --set "run.output=$TMP/single" --force --json --quiet \
        --set "init.seed=$seed" --set "init.density=$density" --set output.metrics_every=10
    cp "$TMP/stdout" "$TMP/single.json"
    singles+="$(member single hash) $(json "$TMP/single.json" '{metrics}{population}');"
    sed "1d;s/^/$((++number)),/" "$TMP/single/metrics.csv" >>"$TMP/single-metrics"
done < <(lines init.seed init.density)
expect_equal 'each member has the hash and the metrics of the single run' "$(lines hash population | paste -sd ';');" \
    "$singles"
ensemble often --sweep init.seed=5..7 --sweep init.density=0.2,0.5 --set output.metrics_every=10
sed 1d "$TMP/often/metrics.csv" >"$TMP/often-metrics"
expect_same "$TMP/often-metrics" "$TMP/single-metrics"
expect_equal 'metrics.csv has a column for the member' "$(head -1 "$TMP/often/metrics.csv")" 'member,step,population'

folder=pairs
ensemble pairs --sweep 'grid.size:run.steps=16 16:4,32 8:7' --sweep init.seed=3,8..9
expect_equal 'pairs change together, and lists may contain ranges' \
    "$(lines grid.size run.steps init.seed steps | paste -sd ';')" \
    '16 16 4 3 4;16 16 4 8 4;16 16 4 9 4;32 8 7 3 7;32 8 7 8 7;32 8 7 9 7'

folder=seeds
ensemble seeds --ensemble 3 --set init.seed=11
expect_equal '--ensemble N: seeds from that of the configuration on' "$(lines init.seed hash | head -1)" \
    "11 $(run "$ENGINE" run "$TMP/soup.ini" --set init.seed=11 --force --set "run.output=$TMP/single" --json --quiet &&
        json "$TMP/stdout" '{hash}')"
expect_equal '--ensemble N: N members' "$(lines init.seed | paste -sd ' ')" '11 12 13'

printf '[ensemble]\nsweep = init.seed=5..7 and init.density=0.2,0.5\nat_once = 1\n' | cat "$TMP/soup.ini" - \
    >"$TMP/section.ini"
expect_status 0 "$ENGINE" run "$TMP/section.ini" --set "run.output=$TMP/section" --json
expect 'one member at a time gives the same table as several' cmp <(without_seconds "$TMP/section/ensemble.csv") \
    <(without_seconds "$TMP/product/ensemble.csv")
expect_same "$TMP/section/metrics.csv" "$TMP/product/metrics.csv"
expect_same "$TMP/stdout" "$TMP/section/ensemble.json"
expect_stderr_has '6: 6 done, 0 failed'
expect_equal 'ensemble.json: rows' "$(json "$TMP/section/ensemble.json" '{rows}[5]{init.seed}') $(json \
    "$TMP/section/ensemble.json" '{done}')" '7 6'
expect_equal 'ensemble.json has the hashes of ensemble.csv' "$(json "$TMP/section/ensemble.json" '{rows}[5]{hash}')" \
    "$(column "$TMP/section/ensemble.csv" hash | tail -1)"
ensemble four --sweep init.seed=5..7 --sweep init.density=0.2,0.5 --set ensemble.at_once=4 --quiet
expect 'so do more members than cores' cmp <(without_seconds "$TMP/four/ensemble.csv") \
    <(without_seconds "$TMP/product/ensemble.csv")
expect '--quiet: nothing is printed' test ! -s "$TMP/stdout" -a ! -s "$TMP/stderr"
expect_status 0 "$ENGINE" bench "$TMP/soup.ini" --impl cpu --sweep run.threads=1..2 --steps 2 --repeats 1 --csv --quiet
expect_equal 'bench --sweep takes ranges, too' "$(cut -d, -f2 "$TMP/stdout" | paste -sd ' ')" 'run.threads 1 2'

# ---- Members that end by themselves
cat >"$TMP/blinker.rle" <<'RLE'
x = 3, y = 1
3o!
RLE
cat >"$TMP/glider.rle" <<'RLE'
x = 3, y = 3
bo$2bo$3o!
RLE
folder=ended
run "$ENGINE" run "$TMP/soup.ini" --set "run.output=$TMP/ended" --set init.source=file --set run.steps=1000 \
    --set run.until=repeats --set run.until_every=7 --set 'grid.size=12 12' --sweep init.file=blinker.rle,glider.rle
expect_equal 'a member that ends by itself: why, by published periods' "$(lines ended | paste -sd ';')" \
    'repeats: period 2, first seen at step 0;repeats: period 48, first seen at step 0'

# ---- check
expect_status 0 "$ENGINE" check "$TMP/section.ini"
expect_stdout_has 'ensemble        6 members'
expect_stdout_has 'init.seed: 3 values, 5 to 7'
expect_stdout_has 'at once         1 batch of 6 members, each on'
expect_status 0 "$ENGINE" check "$TMP/soup.ini" --ensemble 5 --set ensemble.at_once=3 --set run.threads=2 --json
expect_equal 'check --json' "$(for key in members at_once threads memory_bytes; do json "$TMP/stdout" \
    "{ensemble}{$key}"; done | paste -sd ' ')" \
    "5 3 2 $((3 * $(json "$TMP/stdout" '{memory_bytes}')))"
expect_status 5 "$ENGINE" check "$TMP/soup.ini" --ensemble 1000 --set 'grid.size=262144 262144' \
    --set ensemble.at_once=1000
expect_stderr_has '1000 members at once'

# ---- Files of members
folder=files
ensemble files --sweep init.seed=1,2 --set output.every=10 --set 'output.formats=npy rle'
expect_equal 'files of members' "$(cd "$TMP/files" && echo 000?/cells-0000000010.*)" \
    '0001/cells-0000000010.npy 0001/cells-0000000010.rle 0002/cells-0000000010.npy 0002/cells-0000000010.rle'
expect_equal 'metrics of members with files' "$(cut -d, -f1,2 "$TMP/files/metrics.csv" | paste -sd ' ')" \
    'member,step 1,0 1,10 1,20 2,0 2,10 2,20'
expect_equal 'a member is a run with a summary' "$(json "$TMP/files/0002/summary.json" '{hash}')" \
    "$(lines hash | tail -1)"
expect_status 0 "$ENGINE" run "$TMP/files/0002/config.ini" --set "run.output=$TMP/alone" --quiet
expect 'its configuration is that of one run' test -s "$TMP/alone/summary.json"

# ---- Members that fail
cp "$ROOT/configs/patterns/r-pentomino.rle" "$TMP/a.rle"
printf '[run]\nplugin = life2d-bit\nsteps = 10\n[grid]\nsize = 64 64\n' >"$TMP/files.ini"
folder=failing
(cd / && "$ENGINE" run "$TMP/files.ini" --set "run.output=$TMP/failing" --sweep 'init.file=missing.rle,a.rle' \
    >"$TMP/stdout" 2>"$TMP/stderr")
expect_equal 'a member that fails decides the exit status' $? 3
expect_equal 'a failed member is a row' "$(lines init.file state steps | paste -sd ';')" \
    "$TMP/missing.rle failed 0;$TMP/a.rle done 10"
expect 'with its sentence' sh -c "sed -n 2p '$TMP/failing/ensemble.csv' | grep -q 'missing.rle'"
expect_stderr_has '1 of 2 members failed; member 1: '
expect_stderr_has "engine resume $TMP/failing"
cp "$TMP/a.rle" "$TMP/missing.rle"
expect_status 0 "$ENGINE" resume "$TMP/failing"
expect_equal 'resume runs failed members again' "$(lines state hash | uniq | wc -l) $(lines state | sort -u)" '1 done'
expect_stdout_has '1 in '
cp "$TMP/failing/ensemble.csv" "$TMP/before.csv"
expect_status 0 "$ENGINE" resume "$TMP/failing"
expect_same "$TMP/failing/ensemble.csv" "$TMP/before.csv"

# ---- Killed and resumed
long=(--sweep init.seed=1..60 --set run.steps=4000 --set ensemble.at_once=2 --set ensemble.batch=1 --set run.threads=1)
folder=whole
ensemble whole "${long[@]}"
"$ENGINE" run "$TMP/soup.ini" --set "run.output=$TMP/killed" "${long[@]}" >/dev/null 2>&1 &
pid=$!
rows killed 3
refused 'another program writes there' 6 'another run writes there' "$ENGINE" resume "$TMP/killed"
kill -9 $pid
wait $pid 2>/dev/null
begun=$(wc -l <"$TMP/killed/ensemble.csv")
[ "$begun" -lt 60 ] || not_ok 'the ensemble was killed before its end'
printf '61,1,done,4000' >>"$TMP/killed/ensemble.csv" # a kill may leave a part of a row
expect_status 0 "$ENGINE" resume "$TMP/killed"
expect_stdout_has "$((61 - begun)) in "
expect 'a killed ensemble ends with the same table' cmp <(without_seconds "$TMP/killed/ensemble.csv") \
    <(without_seconds "$TMP/whole/ensemble.csv")
expect_same "$TMP/killed/metrics.csv" "$TMP/whole/metrics.csv"
sed -i 30q "$TMP/killed/metrics.csv" # as after a power failure
expect_status 0 "$ENGINE" resume "$TMP/killed" --set run.threads=2 --set ensemble.at_once=1
expect_stdout_has '31 in '
expect_same "$TMP/killed/metrics.csv" "$TMP/whole/metrics.csv"

# A table that cannot be written ends the ensemble; nothing that was written is lost.
cp "$TMP/whole/ensemble.csv" "$TMP/whole.csv"
(ulimit -f 2 && exec "$ENGINE" run "$TMP/soup.ini" --set "run.output=$TMP/full" "${long[@]}") >/dev/null 2>"$TMP/stderr"
expect_equal 'a file that cannot grow: exit status' $? 6
expect_stderr_has 'ensemble.csv: cannot write'
expect_stderr_has "engine resume $TMP/full"
expect_status 0 "$ENGINE" resume "$TMP/full" --quiet
expect 'the ensemble is resumed with more space' cmp <(without_seconds "$TMP/full/ensemble.csv") \
    <(without_seconds "$TMP/whole.csv")

# ---- Stopped
folder=stopped
"$ENGINE" run "$TMP/soup.ini" --set "run.output=$TMP/stopped" --sweep run.steps=5,1000000000000 \
    --set ensemble.at_once=2 \
    >"$TMP/stdout" 2>"$TMP/stderr" &
pid=$!
rows stopped 1
kill -TERM $pid
wait $pid
expect_equal 'SIGTERM: exit status' $? 143
expect_equal 'SIGTERM: the table has all members that had begun' "$(lines member state | paste -sd ';')" \
    '1 done;2 stopped'
expect_stderr_has "stopped by signal 15; 1 of 2 members are done; to run the others: engine resume $TMP/stopped"
expect_status 142 "$ENGINE" resume "$TMP/stopped" --walltime 1s
expect_equal 'a stopped ensemble can be resumed and stopped again' "$(lines member state | paste -sd ';')" \
    '1 done;2 stopped'

# A member with a folder continues from its checkpoint.
folder=saved
"$ENGINE" run "$TMP/soup.ini" --set "run.output=$TMP/saved" --sweep init.seed=1..2 --set ensemble.at_once=1 \
    --set run.steps=100000 --set checkpoint.every=5000 >/dev/null 2>&1 &
pid=$!
tries=0
until compgen -G "$TMP/saved/0001/checkpoint-*" >/dev/null; do
    tries=$((tries + 1))
    [ $tries -lt 1000 ] || { not_ok 'a checkpoint appears after a while'; break; }
    sleep 0.01
done
kill -9 $pid
wait $pid 2>/dev/null
expect_status 0 "$ENGINE" resume "$TMP/saved"
expect 'a member continues from its checkpoint' grep -q 'member 1: .*continues from step [1-9]' "$TMP/stderr"
expect_equal 'with the hash of the single run' "$(lines hash | head -1)" \
    "$(run "$ENGINE" run "$TMP/soup.ini" --set init.seed=1 --set run.steps=100000 --force \
    --set "run.output=$TMP/single" --json --quiet &&
        json "$TMP/stdout" '{hash}')"

# ---- Paths among the parameters of plugins: those of the configuration, defaults, swept ones, those of an analysis
if [ -e "$BUILD/plugins/ruletable.so" ] && [ -e "$BUILD/plugins/nbody.so" ] && [ -e "$BUILD/plugins/rdf.so" ]; then
    mkdir -p "$TMP/rules/b1" "$TMP/rules/b2"
    for births in 1 2; do # a cell is born with one live neighbour, or with two; live cells stay alive
        { printf '@RULE Mine\n@TABLE\nn_states:2\nneighborhood:Moore\nsymmetries:permute\n'
          printf '0,1,%s0,0,0,0,0,0,1\n' "$([ $births = 1 ] && echo 0, || echo 1,)"; } >"$TMP/rules/b$births/Mine.rule"
    done
    cp "$TMP/rules/b1/Mine.rule" "$TMP/rules/Mine.rule"
    printf '[run]\nplugin = ruletable\nsteps = 3\n[grid]\nsize = 16 16\n[init]\nsource = random\ndensity = 0.1\n[ruletable]\nrule = Mine\n' \
        >"$TMP/rules/mine.ini"
    # again NAME [OPTION]…: an ensemble whose last member is run by resume has the table of the whole one.
    again() {
        local name=$1
        folder=$1
        expect_status 0 "$ENGINE" run "$TMP/rules/mine.ini" --quiet --set "run.output=$TMP/$name" "${@:2}"
        cp "$TMP/$name/ensemble.csv" "$TMP/again.csv"
        sed -i '$d' "$TMP/$name/ensemble.csv"
        expect_status 0 "$ENGINE" resume "$TMP/$name" --quiet
        expect "$name: resume finds the same files" cmp <(without_seconds "$TMP/$name/ensemble.csv") \
            <(without_seconds "$TMP/again.csv")
    }
    again default-folder --sweep init.seed=1..3
    again given-folder --sweep init.seed=1..3 --set ruletable.folder=b2
    again swept-folder --sweep ruletable.folder=b1,b2
    expect_equal 'the rules of both folders are used' "$(lines hash | sort -u | wc -l)" 2
    expect_equal 'the swept folders are absolute' "$(lines ruletable.folder | paste -sd ' ')" \
        "$TMP/rules/b1 $TMP/rules/b2"
    printf '0 1\n' >"$TMP/rules/bonds.txt"
    printf '[run]\nplugin = nbody\n[particles]\ncount = 8\n[init]\nsource = cube\n[analyse]\nplugin = rdf\n[rdf]\nexclude = bonds.txt\n' \
        >"$TMP/rules/mine.ini"
    again analysis --sweep init.seed=1..2
    expect 'a path of the analysis is absolute' grep -qx "exclude = $TMP/rules/bonds.txt" "$TMP/analysis/config.ini"
fi

# ---- What is refused
sweep() { # sweep NAME TEXT SWEEP…
    refused "$1" 2 "$2" "$ENGINE" run "$TMP/soup.ini" --set "run.output=$TMP/out" "${@:3}"
}
sweep 'unknown keys' "unknown key 'sede' in [init], did you mean 'seed'?" --sweep init.sede=1..3
sweep 'unknown sections' 'unknown section [int], did you mean' --sweep int.seed=1,2
sweep 'unknown keys of [ensemble]' "unknown key 'atonce' in [ensemble]" --set ensemble.atonce=2
sweep 'empty ranges' 'the range 5..1 is empty; expected the smaller number first' --sweep init.seed=5..1
sweep 'ranges without an end' 'member 1: --set: [init] seed = 1..: expected a whole number' --sweep init.seed=1..
sweep 'ranges of reals' '0.1..0.5: expected a number' --sweep init.density=0.1..0.5
sweep 'ranges that are too long' 'more than 1000000 values' --sweep init.seed=1..1000001
sweep 'numbers that do not fit' 'expected a whole number' --sweep init.seed=1..99999999999999999999
sweep 'a key that is swept twice' 'this key is swept twice' --sweep init.seed=1..3 --sweep INIT.seed=4..6
sweep '--ensemble and a sweep of the seed' 'init.seed: this key is swept twice' --ensemble 3 --sweep init.seed=1,2
sweep 'too many combinations' 'more than 100000000 combinations' --sweep init.seed=1..1000000 --sweep run.steps=1..101
sweep 'keys without a section' 'expected section.key=v1,v2' --sweep seed=1..3
sweep 'pairs that lack a value' 'expected section.key=v1,v2' --sweep init.seed:run.steps=1:2,3
sweep 'the same folder for all' '--sweep run.output: all members of an ensemble have the same' --sweep run.output=a,b
sweep 'another plugin' '--sweep run.plugin: all members' --sweep run.plugin=life2d-bit,life2d-lut
sweep 'not a number of members' '--ensemble = many: expected a whole number' --ensemble many
refused 'verify: values that are too long' 2 'the value is longer than a line of a file can be' \
    "$ENGINE" verify "$TMP/soup.ini" --sweep "init.file=$(printf 'x%.0s' {1..1100}).rle"
printf '[ensemble]\nsweep = init.seed\n' | cat "$TMP/soup.ini" - >"$TMP/bad.ini"
refused 'errors of [ensemble] name their place' 2 'bad.ini:9: [ensemble] sweep: ' "$ENGINE" run "$TMP/bad.ini" \
    --set "run.output=$TMP/out"
refused 'a folder that holds files' 6 'holds the files of an earlier run; use --force to replace them' \
    "$ENGINE" run "$TMP/soup.ini" --ensemble 2 --set "run.output=$TMP/whole"
folder=whole
ensemble whole --ensemble 2 --force
expect_equal '--force replaces the ensemble' \
    "$status $(lines member | paste -sd ' ') $(wc -l <"$TMP/whole/metrics.csv")" '0 1 2 3'
refused 'resume: other results' 2 'a resumed ensemble cannot change this key' "$ENGINE" resume "$TMP/whole" \
    --set init.density=0.1
refused 'resume: another rule' 2 'life2d-bit.rule: a resumed ensemble cannot change this key' "$ENGINE" resume \
    "$TMP/whole" --set life2d-bit.rule=B36/S23
# The table with a member that resume runs with other keys is that of all members in one run.
cp "$TMP/whole/ensemble.csv" "$TMP/all.csv"
for set in life2d-bit.steps_per_pass=8 run.implementation=cpu-serial run.patience=10; do
    sed -i '$d' "$TMP/whole/ensemble.csv"
    expect_status 0 "$ENGINE" resume "$TMP/whole" --quiet --set "$set"
    expect "resume: $set changes no result" cmp <(without_seconds "$TMP/whole/ensemble.csv") <(without_seconds "$TMP/all.csv")
done
if [ -e "$BUILD/plugins/nbody.so" ]; then
    printf '[run]\nplugin = nbody\n[particles]\ncount = 10\n[init]\nsource = plummer\n' >"$TMP/bodies.ini"
    expect_status 0 "$ENGINE" run "$TMP/bodies.ini" --quiet --ensemble 2 --set "run.output=$TMP/bodies"
    for set in run.implementation=cpu-serial nbody.softening=0.1 nbody.form=pairs; do
        refused "resume: $set may give other bits" 2 'a resumed ensemble cannot change this key' "$ENGINE" resume \
            "$TMP/bodies" --set $set
    done
fi
refused 'resume: another folder' 2 'copy or move the folder' "$ENGINE" resume "$TMP/whole" --set run.output=elsewhere
refused 'report: an ensemble is not one run' 3 'such as' "$ENGINE" report "$TMP/whole"
cp -r "$TMP/whole" "$TMP/replaced"
expect_status 0 "$ENGINE" run "$TMP/soup.ini" --force --set "run.output=$TMP/replaced" --quiet
expect_equal 'a run replaces an ensemble' "$(cd "$TMP/replaced" && echo ./*)" \
    './cells-0000000020.npy ./config.ini ./metrics.csv ./summary.json'
mv "$TMP/whole" "$TMP/moved"
expect_status 0 "$ENGINE" resume "$TMP/moved" --quiet
sed -i 's/steps = 20/steps = 21/' "$TMP/moved/config.ini"
refused 'resume: a changed configuration' 2 'was changed since the ensemble began' "$ENGINE" resume "$TMP/moved"
sed -i 's/steps = 21/steps = 20/' "$TMP/moved/config.ini"
sed -i 's/^2,43/2,44/' "$TMP/moved/ensemble.csv"
refused 'resume: a row of other values' 3 'the values of member 2 are not those of this ensemble' \
    "$ENGINE" resume "$TMP/moved"
plan
