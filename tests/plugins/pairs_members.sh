#!/bin/bash
# Members of an ensemble of pairs that differ in parameters, boxes and seeds are the universes of one batch: their tables
# are those of members that run alone, and their hashes those of another implementation. So are those of members that
# exchange. `cuda` runs on the host.
. "$(dirname "$0")/../cli/common"
. "$(dirname "$0")/../cli/tables"
export OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others
[ -e "$BUILD/tests/plugins/emulated/pairs.so" ] || skip_all 'cuda on the host was not built: it needs a C++ compiler and no sanitizers'
plugins=(--plugins "$BUILD/tests/plugins/emulated")
cat >"$TMP/fluid.ini" <<END
[run]
plugin = pairs
implementation = cuda
steps = 12
threads = 1
[particles]
count = 10
[init]
source = fcc
[pairs]
potential = wca
END
ensemble() { # ensemble FOLDER BATCH [OPTION]…
    expect_status 0 "$ENGINE" run "$TMP/fluid.ini" "${plugins[@]}" --force --set "run.output=$TMP/$1" \
        --set ensemble.at_once=1 --set "ensemble.batch=$2" "${@:3}"
}
expect_same_tables() { # expect_same_tables FOLDER FOLDER
    expect_same <(without_seconds "$TMP/$1/ensemble.csv") <(without_seconds "$TMP/$2/ensemble.csv")
    expect_same "$TMP/$1/metrics.csv" "$TMP/$2/metrics.csv"
}
# The times of members that took their steps together are equal.
expect_batches() { # expect_batches FOLDER TEXT: how many members each batch has
    expect_equal "the members of the batches of $1" \
        "$(column "$TMP/$1/ensemble.csv" seconds | uniq -c | awk '{ print $1 }' | paste -sd ' ')" "$2"
}

# ---- Members

sweeps=(--sweep pairs.temperature=0.7,1.2 --sweep pairs.density=0.3,0.6 --sweep init.seed=4,9 --sweep pairs.epsilon=1,1.5)
ensemble together 16 "${sweeps[@]}" --set output.metrics_every=5
expect_batches together 16
ensemble alone 1 "${sweeps[@]}" --set output.metrics_every=5
expect_same_tables together alone
expect_equal 'all states differ' "$(column "$TMP/together/ensemble.csv" hash | sort -u | wc -l)" 16
ensemble cpu 0 "${sweeps[@]}" --set run.implementation=cpu
expect_equal 'the hashes are those of cpu' "$(column "$TMP/together/ensemble.csv" hash)" "$(column "$TMP/cpu/ensemble.csv" hash)"

sweeps=(--sweep pairs.dt:pairs.sigma=0.004:1,0.005:1.1 --sweep pairs.cutoff=1.5,2 --sweep init.seed=1..3)
ensemble together 0 "${sweeps[@]}" --set pairs.potential=lj --set pairs.integrator=langevin --set pairs.density=0.1
expect_batches together 12
ensemble alone 1 "${sweeps[@]}" --set pairs.potential=lj --set pairs.integrator=langevin --set pairs.density=0.1
expect_same_tables together alone

sweeps=(--sweep pairs.potential=wca,yukawa --sweep pairs.friction=1,2 --sweep init.seed=1..2)
ensemble together 8 "${sweeps[@]}" --set pairs.integrator=langevin --set pairs.density=0.1 --set pairs.cutoff=2
expect_batches together '4 4'
sweeps=(--sweep pairs.temperature=1,2 --sweep init.seed=1..2 --set init.source=random)
ensemble together 4 "${sweeps[@]}" --set pairs.density=1e-5 --set pairs.dt=1e-9
expect_batches together '2 2'
ensemble together 3 --sweep pairs.temperature=1,2 --sweep pairs.density=0.1,0.2
expect_batches together '3 1'

# ---- Members that exchange

exchange=(--set ensemble.exchange=5 --set run.steps=60 --set pairs.integrator=langevin --set pairs.density=0.5
    --sweep pairs.temperature:init.seed=0.5:1,0.55:7,0.6:3)
ensemble together 0 "${exchange[@]}"
expect_batches together 3
ensemble alone 1 "${exchange[@]}"
expect_same_tables together alone
expect_same "$TMP/together/exchanges.csv" "$TMP/alone/exchanges.csv"
expect 'some are accepted' grep -q '^[0-9]*,[0-9],[0-9],1' "$TMP/together/exchanges.csv"

# Killed ensembles continue from snapshots of their members or from one of all, as they have begun.
ensemble whole 0 "${exchange[@]}" --set run.steps=150
for batch in 0 1; do
    "$ENGINE" run "$TMP/fluid.ini" "${plugins[@]}" --quiet --set "run.output=$TMP/killed$batch" --set ensemble.at_once=1 \
        --set ensemble.batch=$batch "${exchange[@]}" --set run.steps=150 --set checkpoint.every=20 &
    pid=$!
    for ((tries = 0; tries < 500; tries++)); do
        [ ! -e "$TMP/killed$batch/exchange.state" ] || break
        sleep 0.02
    done
    kill -9 $pid
    wait $pid 2>/dev/null
    expect 'it was killed before its end' test "$(wc -l <"$TMP/killed$batch/ensemble.csv")" = 1
    expect_equal "ensemble.batch=$batch: the members that have a snapshot" \
        "$(find "$TMP/killed$batch" -name '*.snapshot' | sed 's/.*-//' | sort -u | wc -l)" $((1 + 2 * batch))
    expect_status 0 "$ENGINE" resume "$TMP/killed$batch" "${plugins[@]}" --set ensemble.batch=$((1 - batch))
    expect_same_tables killed$batch whole
    expect_same "$TMP/killed$batch/exchanges.csv" "$TMP/whole/exchanges.csv"
done
plan
