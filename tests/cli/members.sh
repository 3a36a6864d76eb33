#!/bin/bash
# Ensembles under mpirun: the processes share the members, and the tables are those of one process, also after a process
# was killed.
. "$(dirname "$0")/common"
. "$(dirname "$0")/tables"
. "$(dirname "$0")/processes"
read -r -a cc <<<"${CC:-cc}"

cat >"$TMP/soup.ini" <<'INI'
[run]
plugin = life2d-bit
steps = 20
[grid]
size = 48 32
[init]
source = random
INI

# A plugin whose steps take two milliseconds. With SHOW_RANK in the environment, its metric is the number of the
# process.
cat >"$TMP/place.c" <<'C'
#define ENGINE_MINOR 5
#include <engine/plugin.h>
#include <stdlib.h>
#include <unistd.h>
static int advance(void *self, struct engine_call *call)
{
    (void) self;
    usleep(2000 * (unsigned) call->steps);
    return ENGINE_OK;
}
static int measure(void *self, const struct engine_call *call, double *values)
{
    const char *rank = getenv("SHOW_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : NULL;
    (void) self;
    values[0] = rank ? atoi(rank) : (double) call->first_step;
    return ENGINE_OK;
}
static const struct engine_field fields[] = {
    {ENGINE_GRID_FIELD("cells", "", ENGINE_STATE, ENGINE_U8, 2), .values = 2, .reach = {1, 1, 0}}};
static const struct engine_metric metrics[] = {{.name = "rank", .help = "its process"}};
static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu", "", 1, ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_IN_PLACE),
     .advance = advance, .measure = measure}};
ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("place", NUMBER, ""), .fields = ENGINE_ARRAY(fields), .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls)};
C
for number in 1 2; do
    mkdir "$TMP/$number-plugins"
    expect 'the plugin compiles' "${cc[@]}" -std=c11 -D_GNU_SOURCE -fPIC -shared -Iinclude "-DNUMBER=\"$number\"" \
        "$TMP/place.c" -o "$TMP/$number-plugins/place.so"
done
# ensemble FOLDER N ARGUMENT…: into $TMP/FOLDER, in one process without mpirun if N is 0.
ensemble() {
    local launch=("$ENGINE")
    [ "$2" = 0 ] || launch=(mpi "$2")
    run "${launch[@]}" run "$TMP/${config:-soup}.ini" --set "run.output=$TMP/$1" --force "${@:3}"
}

# expect_tables FOLDER N STATUS: its tables are those of the folder `whole`.
expect_tables() {
    local wrong=()
    [ "$status" = "$3" ] || wrong+=("exit status $status" "$(<"$TMP/stderr")")
    cmp -s <(without_seconds "$TMP/$1/ensemble.csv") <(without_seconds "$TMP/whole/ensemble.csv") ||
        wrong+=("ensemble.csv differs")
    cmp -s "$TMP/$1/metrics.csv" "$TMP/whole/metrics.csv" || wrong+=("metrics.csv differs")
    if [ ${#wrong[@]} = 0 ]; then ok "$1: the tables of one process, $2"; else not_ok "$1, $2" "${wrong[@]}"; fi
}

# ---- The same tables ----------------------------------------------------------------------------------------------

# Products, metrics over time, and members that fail: the sentence has the same place, a line of the file, in every
# process.
(cat "$TMP/soup.ini" && printf '[output]\nregion = 0:20 0:10\n') >"$TMP/region.ini"
config=region
printf 'x = 3, y = 1\n3o!\n' >"$TMP/blinker.rle"
words=(--sweep init.seed=1..15 --sweep run.steps=10,21,300 --sweep 'grid.size=48 32,16 8' --set output.metrics_every=7)
ensemble whole 0 "${words[@]}"
expect_equal 'half of the members fail' "$status $(column "$TMP/whole/ensemble.csv" state | sort | uniq -c | tr \
    -s ' \n' ' ')" \
    '2  45 done 45 failed '
expect_equal 'the sentence names the line' "$(grep -c 'region.ini:9: ' "$TMP/whole/ensemble.csv")" 45
cp "$TMP/stderr" "$TMP/whole.stderr"
for n in 1 2 3 4; do
    ensemble "$n" "$n" "${words[@]}"
    expect_tables "$n" "$n processes" 2
    expect_equal 'and the same sentence' \
        "$(sed "s|$TMP/$n|$TMP/whole|" "$TMP/stderr" | grep -v '^-\|^mpirun\|^Primary\|^$\|^a non\|^  ' | head -2)" \
        "$(head -2 "$TMP/whole.stderr")"
done
expect_equal 'ensemble.json names the processes' \
    "$(json "$TMP/4/ensemble.json" '{ranks}') $(json "$TMP/4/ensemble.json" '{failed}')" '4 45'

config=soup

# Members that write files; more processes than members; an ensemble of one member.
words=(--sweep init.file=blinker.rle,missing.rle --set init.source=file --set 'grid.size=12 12' --set run.until=repeats
    --set output.formats=npy)
ensemble whole 0 "${words[@]}"
ensemble 3 3 "${words[@]}"
expect_tables 3 'members with files' 3
expect 'the files of a member' diff -r -x '*.json' -x config.ini "$TMP/3/0001" "$TMP/whole/0001"
expect 'there are some' compgen -G "$TMP/3/0001/cells-*.npy"
ensemble files 3 --ensemble 6 --set checkpoint.every=10
expect_equal "no file tells which process executed a member" \
    "$(sed 's/^seed = .*//; s/^output = .*//' "$TMP"/files/*/config.ini | sort -u | grep -c '^device = ')" 0
ensemble whole 0 --ensemble 1
ensemble 2 2 --ensemble 1 --json
expect_tables 2 'one member' 0
expect_same "$TMP/stdout" "$TMP/2/ensemble.json"

# Every process executes members.
export SHOW_RANK=1
place=(--set run.plugin=place --set run.threads=1 --plugins "$TMP/1-plugins")
ensemble places 4 "${place[@]}" --set run.steps=10 --ensemble 60 --set ensemble.at_once=2
expect_equal 'all processes execute members' "$status $(column "$TMP/places/ensemble.csv" rank | sort -u | paste \
    -sd ' ')" '0 0 1 2 3'
most=$(column "$TMP/places/ensemble.csv" rank | sort | uniq -c | sort -n | tail -n 1 | awk '{ print $1 }')
expect "none of them more than half ($most of 60)" test "$most" -le 30
expect_stdout_has 'place/cpu on '
expect_stdout_has ', 2 at once in each of 4 processes, each on 1 thread'
# A process that has a long member gets no others meanwhile. A busy machine may hold up the other process, so that the long
# member ends first; the ensemble then runs again, with a longer one.
for long in 1500 6000 24000; do
    ensemble long 2 "${place[@]}" --sweep run.steps=300,$long,"$(printf '5,%.0s' {1..59})5" --set ensemble.at_once=1
    behind=$(sed 1d "$TMP/long/ensemble.csv" | awk -F, -v steps=$long \
        '$2 == steps { long = $6 } { n[$6] += $2 == 5 } END { print 0 + n[long] }')
    [ "$behind" -gt 5 ] || break
    rm -r "$TMP/long"
done
expect 'no member waits for a long one' test 5 -ge "$behind"
unset SHOW_RANK
expect_status 0 mpi 3 check "$TMP/soup.ini" --ensemble 7 --set ensemble.at_once=2
expect_stdout_has 'at once         2 in each of 3 processes, joined by '

# ---- Killed, stopped, and resumed in another number of processes -----------------------------------------------------

words=(--sweep init.seed=1..60 --set run.steps=30 --set ensemble.at_once=2 "${place[@]}" --set output.metrics_every=10)
ensemble whole 0 "${words[@]}"

# begin N SECONDS ARGUMENT…: starts the ensemble `killed` with `launch`, and waits until it has rows
begin() {
    rm -rf "$TMP/killed"
    launch "$1" "$2" "$ENGINE" run "$TMP/soup.ini" --set "run.output=$TMP/killed" "${words[@]}" "${@:3}"
    rows killed 3
}

# expect_resumed N: the ensemble goes on in N processes and ends with the tables of the whole one.
expect_resumed() {
    local launch=("$ENGINE") begun
    [ "$1" = 0 ] || launch=(mpi "$1")
    begun=$(column "$TMP/killed/ensemble.csv" state | grep -c done)
    [ "$begun" -lt 60 ] || not_ok 'the ensemble was interrupted before its end'
    run "${launch[@]}" resume "$TMP/killed" --plugins "$TMP/1-plugins"
    expect_stdout_has "$((60 - begun)) in "
    expect_tables killed "resumed in $1 processes" 0
}

for rank in 2 0; do
    begin 3 0
    kill -KILL "$(<"$TMP/pid.$rank")"
    finish
    expect_equal "process $rank is killed: mpirun ends by itself" "$((status != 0 && status != 124))" 1
    expect 'and all others end' gone
    expect_resumed $((rank ? 4 : 0))
done

begin 3 0 --set run.patience=2
kill -STOP "$(<"$TMP/pid.1")"
finish
expect_equal 'a stopped process: status 5' "$status" 5
expect_stderr_has 'engine: rank 1 has not answered for 2 seconds; look at the process there, or '
expect_equal 'one sentence says so' "$(grep -c 'not answered' "$TMP/stderr")" 1
expect 'a stopped process: all processes end' gone
expect_resumed 0

endless=(--sweep run.steps=5,1000000000000,1000000000000 --set ensemble.at_once=1)
rm -rf "$TMP/killed"
launch 2 3 "$ENGINE" run "$TMP/soup.ini" --set "run.output=$TMP/killed" "${endless[@]}"
rows killed 1
interrupt
if [ "$told" ]; then
    expect_stderr_has "engine: stopped by signal 15; 1 of 3 members are done; to run the others: engine resume $TMP/killed"
    expect_equal 'SIGTERM: the members that ran have rows' "$(column "$TMP/killed/ensemble.csv" state | paste -sd ' ')" \
        'done stopped stopped'
fi
expect_status 142 mpi 3 resume "$TMP/killed" --walltime 1s
expect_equal '--walltime ends all processes' "$(column "$TMP/killed/ensemble.csv" state | paste -sd ' ')" \
    'done stopped stopped'

# A member with a folder goes on from its checkpoint, in any process.
words=(--sweep init.seed=1..2 --set run.steps=1000000 --set checkpoint.every=10000 --set output.formats= \
    --set ensemble.at_once=1)
ensemble whole 0 "${words[@]}"
rm -rf "$TMP/killed"
launch 2 0 "$ENGINE" run "$TMP/soup.ini" --set "run.output=$TMP/killed" "${words[@]}"
for ((i = 0; i < 1000; i++)); do
    compgen -G "$TMP/killed/0002/checkpoint-*" >/dev/null && break
    sleep 0.01
done
kill -KILL "$(<"$TMP/pid.1")"
finish
gone
run "$ENGINE" resume "$TMP/killed"
expect_tables killed 'resumed from checkpoints' 0
expect 'a member continues from its checkpoint' grep -q 'member 2: .*continues from step [1-9]' "$TMP/stderr"

# ---- What ends all processes with one sentence -----------------------------------------------------------------------

# A table that cannot be written, perhaps with the results of another process.
mkdir "$TMP/disk"
if mount -t tmpfs -o size=64k none "$TMP/disk" 2>/dev/null; then
    run mpi 3 run "$TMP/soup.ini" --set "run.output=$TMP/disk/full" --set run.steps=1 --ensemble 2000
    expect_equal 'a full disk: exit status' "$status" 6
    expect_stderr_has "$TMP/disk/full/"
    expect_equal 'one sentence says so' "$(grep -c 'cannot write' "$TMP/stderr")" 1
    umount "$TMP/disk"
else
    skip 'a full disk' 'only root may mount a small disk'
fi

# Processes that differ.
different() {
    local command=("$ENGINE" "${words[@]}" --plugins)
    each "${command[@]}" "$1" : "${command[@]}" "$1" : "${command[@]}" "$2"
}
words=(run "$TMP/soup.ini" --set run.plugin=place --ensemble 3 --set "run.output=$TMP/none" --force)
expect_status 4 different "$TMP/1-plugins" "$TMP/2-plugins"
expect_stderr_has 'engine: rank 2: the checksum of the plugin is '
expect_equal 'once' "$(grep -c '^engine: rank' "$TMP/stderr")" 1
expect_status 4 different "$TMP/1-plugins" "$TMP/nowhere"
expect_stderr_has 'engine: rank 2: '

# Members write files, and a process sees another folder.
mkdir -p "$TMP/here" "$TMP/there/out"
apart() {
    each env -C "$TMP/here" "$ENGINE" "$@" : env -C "$TMP/there" "$ENGINE" "$@"
}
words=(run "$TMP/soup.ini" --set run.output=out --ensemble 4 --force)
expect_status 0 apart "${words[@]}"
expect_status 6 apart "${words[@]}" --set output.formats=npy
expect_stderr_has \
    'engine: rank 1: out: this process does not see the folder of rank 0 there, and the members write files; '
plan
