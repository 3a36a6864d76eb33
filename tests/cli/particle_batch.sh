#!/bin/bash
# A batch of particles: each universe is the run with its seed, for several plugins, implementations, numbers of threads
# and of parts; the table of universes; files that a batch starts from; checkpoints; and what is refused.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/tables"

cat >"$TMP/gas.ini" <<END
[run]
plugin = pairs
implementation = cpu
threads = 2
steps = 40
output = $TMP/out
[particles]
count = 107
batch = 3
[init]
source = fcc
seed = 7
[output]
formats = npy
END

# engine_run FOLDER [SECTION.KEY=VALUE…]: its output in $TMP/stdout
engine_run() {
    local folder=$1 settings=() setting
    shift
    for setting; do settings+=(--set "$setting"); done
    expect_status 0 "$ENGINE" run "$TMP/gas.ini" --force --set run.output="$TMP/$folder" "${settings[@]}"
}

hash_of() {
    sed -n 's/^ *hash *\([0-9a-f]*\).*/\1/p' "$TMP/stdout"
}

# same_as_alone [SECTION.KEY=VALUE…]: hashes and metrics in universes.csv are those of three runs.
same_as_alone() {
    local seed i=0
    engine_run batch "$@"
    head -n 1 "$TMP/batch/universes.csv" >"$TMP/alone.csv"
    for seed in 7 8 9; do
        engine_run alone "$@" particles.batch=1 run.parts=1 run.threads=1 init.seed=$seed
        echo "$i,$seed,$(hash_of),$(tail -n 1 "$TMP/alone/metrics.csv" | cut -d, -f2-)" >>"$TMP/alone.csv"
        i=$((i + 1))
    done
    expect_same "$TMP/batch/universes.csv" "$TMP/alone.csv"
    expect_equal 'the universes differ' "$(cut -d, -f3 "$TMP/alone.csv" | sort -u | wc -l)" 4
}

same_as_alone
same_as_alone run.threads=1 pairs.integrator=langevin
same_as_alone pairs.integrator=langevin run.parts=2 pairs.species=2 pairs.composition='2 1'
same_as_alone run.implementation=cpu-serial run.parts=3 run.threads=3 run.steps=10

# Components of nbody-tree and of nbody lie apart, and 33 floats are no multiple of a vector.
for plugin in nbody nbody-tree; do
    same_as_alone run.plugin=$plugin init.source=random particles.count=33
    same_as_alone run.plugin=$plugin init.source=random particles.count=33 run.parts=2 run.threads=3
done
same_as_alone run.plugin=nbody init.source=plummer particles.count=29 nbody.precision=double nbody.integrator=hermite

# Universes of several pieces of 65536 elements, and a piece of several universes.
same_as_alone particles.count=23011 run.steps=1 run.threads=3

# metrics.csv has the mean over the universes.
engine_run batch
mean=$(awk -F, 'NR > 1 {sum += $4} END {printf "%.17g", sum / (NR - 1)}' "$TMP/batch/universes.csv")
expect_equal 'metrics.csv has the mean' "$(tail -n 1 "$TMP/batch/metrics.csv" | cut -d, -f2)" "$mean"

# The array of the file is (batch, particle, axis), and its parts are those of the runs alone.
engine_run alone particles.batch=1 init.seed=8
expect 'the array has three axes' grep -a -q "'shape': (3, 107, 3)" "$TMP/batch/position-0000000040.npy"
bytes=$((107 * 3 * 8))
expect_same <(tail -c $((2 * bytes)) "$TMP/batch/position-0000000040.npy" | head -c $bytes) \
    <(tail -c $bytes "$TMP/alone/position-0000000040.npy")

# A batch starts from the files of a batch, and from those of one system, in which all universes start.
engine_run from init.source=arrays init.position="$TMP/batch/position-0000000040.npy" \
    init.velocity="$TMP/batch/velocity-0000000040.npy" particles.box='5.0 5.0 5.0' run.steps=0
expect_equal 'a batch starts from files of a batch' "$(cut -d, -f4 "$TMP/from/universes.csv")" \
    "$(cut -d, -f4 "$TMP/batch/universes.csv")"
mv "$TMP/alone/position-0000000040.npy" "$TMP/one.npy"
same_as_alone init.source=arrays init.position="$TMP/one.npy" particles.box='5.1 5.1 5.1' pairs.integrator=langevin

# universe-metrics.csv has the rows of the runs alone.
rows=(output.metrics_every=20 output.universe_metrics=yes)
engine_run rows "${rows[@]}"
for universe in 0 1 2; do
    engine_run alone particles.batch=1 output.metrics_every=20 init.seed=$((7 + universe))
    expect_same <(grep -E "^(step|[0-9]*,$universe)," "$TMP/rows/universe-metrics.csv" | cut -d, -f1,3-) \
        "$TMP/alone/metrics.csv"
done

# A checkpoint holds all universes, and says how long the tables are.
engine_run whole "${rows[@]}" run.steps=100 pairs.integrator=langevin
expect_status 0 "$ENGINE" run "$TMP/gas.ini" --force --set run.output="$TMP/cut" --set run.steps=50 \
    --set checkpoint.every=20 --set pairs.integrator=langevin --set "${rows[0]}" --set "${rows[1]}"
expect_status 0 "$ENGINE" resume "$TMP/cut" --set run.steps=100 --set run.parts=2
for table in universes.csv universe-metrics.csv metrics.csv; do expect_same "$TMP/cut/$table" "$TMP/whole/$table"; done
engine_run whole run.steps=1
expect_not 'the next run removes the table' test -e "$TMP/whole/universe-metrics.csv"
expect_status 2 "$ENGINE" resume "$TMP/cut" --set run.steps=200 --set particles.batch=4
expect_stderr_has 'particles.batch: a resumed run cannot change this key'

# convert writes the particles of universe 1 as the run with its seed would be written.
engine_run batch output.formats=snapshot
engine_run alone output.formats=snapshot particles.batch=1 init.seed=8
convert=("$ENGINE" convert "$TMP/batch/position-0000000040.snapshot")
expect_status 0 "${convert[@]}" "$TMP/one.xyz" --universe 1
expect_status 0 "$ENGINE" convert "$TMP/alone/position-0000000040.snapshot" "$TMP/eight.xyz"
expect_same "$TMP/one.xyz" "$TMP/eight.xyz"
expect_status 6 "${convert[@]}" "$TMP/all.xyz"
expect_stderr_has 'a xyz file holds one universe, and'

# refused SENTENCE [SECTION.KEY=VALUE…]
refused() {
    local sentence=$1 settings=() setting
    shift
    for setting; do settings+=(--set "$setting"); done
    expect_status 2 "$ENGINE" run "$TMP/gas.ini" --force "${settings[@]}"
    expect_stderr_has "$sentence"
}
for format in xyz dcd png; do
    refused "$format cannot hold any field of a batch of pairs; expected some of npy" output.formats=$format
done
refused 'the batch has 3 universes, and each part needs one; give at most 3' run.parts=4
refused '[particles] batch = 3: [analyse] takes a run of one universe' analyse.plugin=rdf
refused 'batch = 0: out of range, expected 1 to' particles.batch=0
expect_status 0 "$ENGINE" check "$TMP/gas.ini" --set particles.batch=1 --set grid.batch=4
expect_stderr_has '[grid] batch: nothing uses this key, because the plugin has no grid'
expect_status 0 "$ENGINE" check "$TMP/gas.ini" --set particles.batch=1 --set output.universe_metrics=yes
expect_stderr_has '[output] universe_metrics: nothing uses this key, because the run is no batch of a plugin with metrics'

# A plugin that takes all universes in a call: conform compares them with single runs, and an ensemble makes members the
# universes of batches.
read -r -a cc <<<"${CC:-cc}"
expect 'systems is built' "${cc[@]}" -std=c11 -O2 -Wall -Wextra -fPIC -shared -Iinclude tests/conform/broken/systems.c \
    -o "$TMP/systems.so"
expect_status 0 "$ENGINE" conform "$TMP/systems.so"
expect_stdout_has 'systems/cpu: a batch equals single runs'
expect_status 1 "$ENGINE" conform "$TMP/systems.so" --set systems.how=dense
expect 'it finds a wrong stride' grep -q '^not ok.*systems/cpu: a batch equals single runs' "$TMP/stdout"
same_as_alone run.plugins="$TMP" run.plugin=systems run.implementation=auto init.source=random run.parts=2
same_as_alone run.plugins="$TMP" run.plugin=systems run.implementation=seeded init.source=random
members=(--set run.plugins="$TMP" --set run.plugin=systems --set init.source=random --set particles.batch=1
    --set output.metrics_every=15 --set output.formats= --set ensemble.at_once=1 --force)

# batches_as_alone STATUS IMPLEMENTATION SWEEP…: the tables of an ensemble in batches are those of its members alone.
batches_as_alone() {
    local batch
    for batch in 1 4; do
        expect_status "$1" "$ENGINE" run "$TMP/gas.ini" "${members[@]}" --set run.implementation="$2" "${@:3}" \
            --set ensemble.batch=$batch --set run.output="$TMP/members-$batch"
    done
    expect_same <(without_seconds "$TMP/members-4/ensemble.csv") <(without_seconds "$TMP/members-1/ensemble.csv")
    expect_same "$TMP/members-4/metrics.csv" "$TMP/members-1/metrics.csv"
}
# Members whose steps depend on the seed begin together, if their seeds are consecutive.
batches_as_alone 0 cpu --sweep init.seed=1..11
batches_as_alone 0 seeded --sweep run.steps=20,40,33 --sweep init.seed=3..7
batches_as_alone 2 cpu --sweep init.seed=1,2,9000000000000000001,5
batches_as_alone 2 seeded --sweep init.seed=1,2,4,5,6,7,9000000000000000001,9,8
for sweeps in 'init.seed=1..11:4 members' 'run.steps=20,40 init.seed=1..5:4 members' 'init.seed=1..5 run.steps=20,40:at once         1, each'; do
    # shellcheck disable=SC2046 # two options
    expect_status 0 "$ENGINE" check "$TMP/gas.ini" "${members[@]:0:${#members[@]}-1}" --set ensemble.batch=4 \
        --set run.implementation=seeded $(printf -- '--sweep %s ' ${sweeps%:*})
    expect_stdout_has "${sweeps##*:}"
done

# Members of an ensemble have parameters of their own, and the hash and the rows of the run alone.
# members_as_alone SWEEP… SECTION.KEY=VALUE…: a sweep has a comma
members_as_alone() {
    local words=() settings=() word keys values value i=0 row rows=()
    for word; do if [[ $word == *,* ]]; then words+=(--sweep "$word") keys=${word%%=*} values=${word#*=}; else settings+=("$word"); fi; done
    expect_status 0 "$ENGINE" run "$TMP/gas.ini" --force --set run.output="$TMP/members" --set particles.batch=1 \
        --set run.threads=1 --set output.formats= --set output.metrics_every=20 "${words[@]}" \
        "${settings[@]/#/--set=}"
    for value in ${values//,/ }; do
        i=$((i + 1))
        IFS=: read -r -a rows <<<"$value"
        row=()
        for word in ${keys//:/ }; do row+=("$word=${rows[${#row[@]}]}"); done
        engine_run alone particles.batch=1 run.threads=1 output.metrics_every=20 "${settings[@]}" "${row[@]}"
        expect_equal "member $i has the hash of its run" "$(hash_of)" "$(column "$TMP/members/ensemble.csv" hash | sed -n ${i}p)"
        expect_same <(grep -E "^(member|$i)," "$TMP/members/metrics.csv" | cut -d, -f2-) "$TMP/alone/metrics.csv"
    done
}
members_as_alone pairs.integrator=langevin pairs.temperature:pairs.density:pairs.species:init.seed=0.7:0.5:1:3,1.2:0.8:2:4,2:0.3:1:3
members_as_alone run.plugin=nbody init.source=plummer nbody.dt:nbody.softening:init.seed=0.001:0.1:5,0.002:0.2:6

# Every implementation against the reference, and each universe of the reference against its run alone.
expect_status 0 "$ENGINE" verify "$TMP/gas.ini" --set particles.count=256 --impl cpu-serial,cpu \
    --sweep particles.batch=1,3 --set run.parts=2 --steps 7
expect_stdout_has 'position 256, batch of 3'
expect_stdout_has '; each universe = its run alone'
plan
