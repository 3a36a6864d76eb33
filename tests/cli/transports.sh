#!/bin/bash
# What carries margins between processes ([run] transport): shared memory gives the bits of messages and of one process,
# requests that cannot work are refused by one sentence, and a process that fails ends all others. GPUs are tested by
# tools/check-gpu.
. "$(dirname "$0")/common"
. "$(dirname "$0")/processes"
. "$(dirname "$0")/shared_runs"
read -r -a cc <<<"${CC:-cc}"

# expect_like_whole NAME TRANSPORT: the hash and the files are those of `whole`, and the summary names the transport.
expect_like_whole() {
    local wrong=() file
    [ "$(member "$1" hash)" = "$(member whole hash)" ] || wrong+=("hash $(member "$1" hash)")
    [ "$(member "$1" transport)" = "$2" ] || wrong+=("transport $(member "$1" transport)")
    for file in "$TMP"/whole/*.{npy,csv}; do
        cmp -s "$TMP/$1/${file##*/}" "$file" || wrong+=("${file##*/} differs")
    done
    if [ ${#wrong[@]} = 0 ]; then ok "$1 is like one process"; else not_ok "$1 is like one process" "${wrong[@]}"; fi
}

peer=(--set run.transport=peer)

# ---- The same bits ------------------------------------------------------------------------------------------------

# Margins that are deeper than parts and than the whole grid come from several processes; two processes have both
# margins from each other.
configure life2d-bit '67 13'
for n in 2 3 4; do
    expect_status 0 mpi $n verify "$TMP/run.ini" --steps 40 --impl cpu-serial,cpu "${peer[@]}" \
        --sweep run.margin=0,1,20 --sweep grid.size='67 13,64 4,5 31'
    expect_stdout_has "life2d-bit in $n parts against"
done
for plugin in generations life3d-packed; do
    [ $plugin = generations ] && size='67 31' || size='35 6 7'
    configure $plugin "$size"
    go whole 0
    for n in 2 3 4; do
        go ranks $n "${peer[@]}"
        expect_like_whole ranks peer
    done
    go ranks 2 "${peer[@]}" --set run.parts=5 --set run.margin=3
    expect_like_whole ranks peer
    go ranks 3 "${peer[@]}" --set run.parts=2
    expect_like_whole ranks peer
    go ranks 3 --set run.transport=auto
    expect_like_whole ranks host
done
configure life3d-packed '35 6 7'
go whole 0 --set grid.edges=dead
go ranks 3 --set grid.edges=dead "${peer[@]}"
expect_like_whole ranks peer

# Several fields of numbers, and a checkpoint that goes on with another transport.
expect 'gray-scott compiles' "${cc[@]}" -std=c11 -O2 -ffp-contract=off -fvisibility=hidden -fPIC -shared -Iinclude \
    examples/gray-scott/plugin.c -lm -o "$TMP/gray-scott.so"
configure gray-scott '71 45' '[checkpoint]\nevery = 10\n'
go whole 0 --plugins "$TMP" --set init.source=square
go ranks 3 --plugins "$TMP" --set init.source=square "${peer[@]}"
expect_like_whole ranks peer
go ranks 3 --plugins "$TMP" --set init.source=square --set run.steps=13
expect_status 0 mpi 2 resume "$TMP/ranks" --plugins "$TMP" --set run.steps=30 --json "${peer[@]}"
mv "$TMP/stdout" "$TMP/ranks.json"
expect_equal 'it was resumed' "$(member ranks first_step)" 13
expect_like_whole ranks peer

# A summary for people.
expect_status 0 mpi 3 run "$TMP/run.ini" --plugins "$TMP" --set "run.output=$TMP/ranks" --force "${peer[@]}"
expect_stdout_has ' between 3 processes (transport peer)'

# Nothing to carry: universes of a batch.
configure life2d-bit '21 9'
go whole 0 --set grid.batch=7
go ranks 3 --set grid.batch=7 "${peer[@]}"
expect_stderr_has \
    '[run] transport: nothing uses this key, because no cells go from one process to another; leave it out'
expect_equal 'the bits of one process' "$(member ranks hash)" "$(member whole hash)"

# ---- Refusals -----------------------------------------------------------------------------------------------------

# refused N SENTENCE ARGUMENT…
refused() {
    expect_status 2 mpi "$1" run "$TMP/run.ini" --set "run.output=$TMP/none" --force "${@:3}"
    expect_stderr_has "$2"
    expect_equal 'one process says so' "$(grep -c 'run. transport' "$TMP/stderr")" 1
}
refused 2 "[run] transport = pear: expected one of auto, peer, nccl, host, did you mean 'peer'?" \
    --set run.transport=pear
nccl='[run] transport = nccl: NCCL moves memory of GPUs, and cpu computes in host memory;'
refused 3 "$nccl choose an implementation for CUDA devices, or give peer, host or auto" --set run.transport=nccl
expect_status 2 mpi 2 check "$TMP/run.ini" --set run.transport=nccl
expect_stderr_has "$nccl"
expect_status 2 "$ENGINE" check "$TMP/run.ini" --set run.transport=host --set run.devices=2
expect_stderr_has \
    '[run] transport = host: the 2 devices of one process copy from each other; give peer or auto, or start a process for each device'
expect_status 0 "$ENGINE" run "$TMP/run.ini" --set "run.output=$TMP/none" --force "${peer[@]}"
expect_stderr_has '[run] transport: nothing uses this key'
printf '[run]\nplugin = nbody\nsteps = 3\nthreads = 1\n[particles]\ncount = 17\n[init]\nsource = plummer\n' \
    >"$TMP/run.ini"
refused 2 '[run] transport = peer: its processes exchange margins, and the parts of this run have none: they share their work; give host or auto' \
    "${peer[@]}"

# What is there. A library without the version of NCCL is not NCCL.
expect_status 0 "$ENGINE" list
expect_stdout_has 'margins between GPUs of several processes: peer (CUDA IPC), '
printf 'int nothing;\n' | "${cc[@]}" -shared -fPIC -x c - -o "$TMP/libnccl.so.2"
expect_status 0 env LD_LIBRARY_PATH="$TMP" "$ENGINE" list
expect_stdout_has 'nccl not available'
printf 'int ncclGetVersion(int *version) { *version = 22907; return 0; }\n' | "${cc[@]}" -shared -fPIC -x c - \
    -o "$TMP/libnccl.so.2"
expect_status 0 env LD_LIBRARY_PATH="$TMP" "$ENGINE" list
expect_stdout_has ', nccl 2.29.7, host'

# ---- Failures -----------------------------------------------------------------------------------------------------

printf '[run]\nplugin = life2d-bit\nsteps = 1000000000\nthreads = 1\ntransport = peer\n[grid]\nsize = 320 130\n%b' \
    '[init]\nsource = random\n[checkpoint]\nseconds = 0.2\n' >"$TMP/long.ini"

# A process that waits at the barrier answers the others, so the sentence names the one that was stopped.
expect_stopped 4 2
begin 3 0 --set run.patience=3
kill -KILL "$(<"$TMP/pid.1")"
finish
expect_equal 'a killed process: mpirun ends by itself' "$((status != 0 && status != 124))" 1
expect 'a killed process: all others end' gone

# A part that fails goes on exchanging, so that no other process waits for it.
cat >"$TMP/second.c" <<'C'
#define ENGINE_MINOR 5
#include <engine/plugin.h>
static int advance(void *self, struct engine_call *call)
{
    (void) self;
    if (call->plan->part.index == 1 && call->first_step >= 4)
        return ENGINE_FAIL(call->host, ENGINE_INTERNAL, "too cold");
    return ENGINE_OK;
}
static const struct engine_field fields[] = {
    {ENGINE_GRID_FIELD("cells", "", ENGINE_STATE, ENGINE_U8, 2), .values = 2, .reach = {1, 1, 0}}};
static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu", "", 1, ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_IN_PLACE | ENGINE_DIVISIBLE),
     .advance = advance}};
ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("second", "1", ""), .fields = ENGINE_ARRAY(fields), .impls = ENGINE_ARRAY(impls)};
C
expect 'the plugin compiles' "${cc[@]}" -std=c11 -fPIC -shared -Iinclude "$TMP/second.c" -o "$TMP/second.so"
configure second '9 9'
expect_status 4 mpi 3 run "$TMP/run.ini" --set run.margin=2 --set "run.output=$TMP/none" --force --plugins "$TMP" \
    "${peer[@]}"
expect_stderr_has 'rank 1: part 2 of 3: second/cpu: advance: too cold'
expect_equal 'one process says so' "$(grep -c 'too cold' "$TMP/stderr")" 1

# Cells of one axis have another order in each part, so they travel by messages.
sed -e 's/"second"/"line"/; s/.reach = {1, 1, 0}/.reach = {1, 0, 0}/; s/ENGINE_U8, 2/ENGINE_U8, 1/; s/>= 4/< 0/' \
    "$TMP/second.c" >"$TMP/line.c"
expect 'the plugin compiles' "${cc[@]}" -std=c11 -fPIC -shared -Iinclude "$TMP/line.c" -o "$TMP/line.so"
configure line 101
refused 3 '[run] transport = peer: it moves whole rows or planes, and the parts order their cells in different ways; give host or auto' \
    --plugins "$TMP" "${peer[@]}"
plan
