#!/bin/bash
# Runs of several processes under mpirun: the files, metrics, hash and checkpoints of one process; every failure ends
# all processes with one sentence and the right exit status.
. "$(dirname "$0")/common"
umask 022
. "$(dirname "$0")/processes"
. "$(dirname "$0")/shared_runs"
read -r -a cc <<<"${CC:-cc}"

# expect_like_whole NAME: the files, the metrics and the hash are those of the run `whole`; one result.
expect_like_whole() {
    local wrong=()
    [ "$(member "$1" hash)" = "$(member whole hash)" ] || wrong+=("hash $(member "$1" hash)")
    for file in "$TMP"/whole/*.{npy,csv,png,vti}; do
        [ ! -e "$file" ] || cmp -s "$TMP/$1/${file##*/}" "$file" || wrong+=("${file##*/} differs")
    done
    if [ ${#wrong[@]} = 0 ]; then ok "$1 is like one process"; else not_ok "$1 is like one process" "${wrong[@]}"; fi
}

# ---- The same bits ------------------------------------------------------------------------------------------------

# Every plugin that can be divided, with all its implementations on the CPU. verify compares the divided implementations
# with the undivided reference; margins are deeper than parts and than the whole grid.
for plugin in life2d-bit life2d-lut; do
    configure "$plugin" '67 13'
    [ $plugin = life2d-bit ] && counts='2 3 4' || counts=3
    for n in $counts; do
        expect_status 0 mpi $n verify "$TMP/run.ini" --steps 40 --impl cpu-serial,cpu \
            --sweep run.margin=0,1,20 --sweep grid.size='67 13,64 4,5 31'
        expect_stdout_has "$plugin in $n parts against"
    done
    go whole 0
    go ranks 3
    expect_like_whole ranks
done
go whole 0 --set grid.edges=dead
go ranks 3 --set grid.edges=dead
expect_like_whole ranks
for plugin in life3d-naive life3d-shared life3d-packed; do
    configure "$plugin" '35 6 7'
    for n in 2 4; do
        expect_status 0 mpi $n verify "$TMP/run.ini" --steps 20 --impl cpu-serial,cpu --sweep run.margin=0,1,9
    done
    go whole 0
    go ranks 3 --set run.implementation=cpu-serial
    expect_like_whole ranks
done

# A pattern in the place of a configuration, and an empty file. The process that asks which plugin takes the pattern does
# not end the others.
expect_status 0 "$ENGINE" run configs/patterns/acorn.rle --set grid.size='71 67' --set run.steps=10 --set run.output="$TMP/whole" \
    --force --json
cp "$TMP/stdout" "$TMP/whole.json"
expect_status 0 mpi 2 run configs/patterns/acorn.rle --set run.steps=10 --set run.output="$TMP/ranks" --force --json
cp "$TMP/stdout" "$TMP/ranks.json"
expect_like_whole ranks
: >"$TMP/empty.ini"
expect_status 0 mpi 2 verify "$TMP/empty.ini" --set run.plugin=life2d-bit --set init.source=random --set grid.size='67 13' \
    --impl cpu

# Files of several formats; more parts than processes, and fewer.
configure life2d-bit '67 31' 'formats = npy png vti\n'
go whole 0
go ranks 4
expect_like_whole ranks
expect_equal 'the summary names the processes' "$(member ranks ranks) $(member ranks parts)" '4 4'
expect_equal 'and their transport' "$(member ranks transport)" host
go ranks 2 --set run.parts=5
expect_like_whole ranks
expect_equal 'parts are shared out' "$(member ranks ranks) $(member ranks parts)" '2 5'
go ranks 3 --set run.parts=2 --set run.threads=2
expect_like_whole ranks
OMPI_MCA_btl=^tcp OMPI_MCA_pml='' go ranks 3 # with what Open MPI finds by itself
expect_like_whole ranks
go ranks 1
expect_like_whole ranks
expect_equal 'one process is not divided' "$(member ranks parts)" none
expect_status 0 mpi 3 run "$TMP/run.ini" --set run.margin=5 --set "run.output=$TMP/ranks" --force
expect_stdout_has ', 1 thread, 3 parts with margins of 5'
expect_stdout_has '% of the time, Open MPI'
expect_stdout_has ' between 3 processes (transport host)'
expect_status 0 mpi 2 check "$TMP/run.ini"
expect_stdout_has 'processes       2, joined by Open MPI'
expect_status 0 mpi 2 check "$TMP/run.ini" --set checkpoint.every=1
expect_stdout_has 'the run waits while its processes write a checkpoint of '

# A pattern from a file, which process 0 reads; the grid's size and the rule come from the file.
printf 'x = 3, y = 3, rule = B36/S23:T40,29\nbob$2bo$3o!\n' >"$TMP/glider.rle"
printf '[run]\nplugin = life2d-bit\nsteps = 100\n[init]\nfile = glider.rle\n' >"$TMP/run.ini"
go whole 0
go ranks 3
expect_like_whole ranks

# Real numbers: gray-scott's means are sums of floating-point numbers, equal to the last digit.
expect 'gray-scott compiles' "${cc[@]}" -std=c11 -O2 -ffp-contract=off -fvisibility=hidden -fPIC -shared -Iinclude \
    examples/gray-scott/plugin.c -lm -o "$TMP/gray-scott.so"
configure gray-scott '71 45'
go whole 0 --plugins "$TMP" --set init.source=square
for n in 2 4; do
    go ranks $n --plugins "$TMP" --set init.source=square
    expect_like_whole ranks
done

# A batch is divided between its universes; the table has those of all processes, also after a resumption.
configure life2d-bit '21 9' '[checkpoint]\nevery = 10\n'
batch=(--set grid.batch=7 --set init.seed=5)
go whole 0 "${batch[@]}"
go ranks 3 "${batch[@]}"
expect_like_whole ranks
go ranks 2 "${batch[@]}" --set run.parts=5 --set run.steps=13
expect_status 0 mpi 4 resume "$TMP/ranks" --set run.steps=30 --json
mv "$TMP/stdout" "$TMP/ranks.json"
expect_equal 'it was resumed' "$(member ranks first_step)" 13
expect_like_whole ranks
expect_status 2 mpi 4 run "$TMP/run.ini" --set "run.output=$TMP/none" --set grid.batch=3
expect_stderr_has \
    '4 processes share the run, each with one part: the batch has 3 universes, and each part needs one; start at most 3 of them'

# Matrices are cut between rows.
expect_status 0 mpi 3 verify configs/matrix.ini --steps 4 --impl cpu-serial,cpu --set 'run.threads=1'
expect_stdout_has 'matrix in 3 parts against'

# The processes exchange blocks of a matrix; several parts in a process, and more parts than processes.
expect_status 0 mpi 3 verify configs/transpose.ini --steps 3 --impl cpu-serial,cpu --set run.threads=1 \
    --sweep run.parts=2,3,7 --sweep matrix.columns=7,700 --sweep matrix.element=uint8,float32,complex128
expect_stdout_has 'transpose in 7 parts against cpu-serial undivided'
expect_status 2 mpi 4 check configs/transpose.ini --set matrix.columns=3
expect_stderr_has \
    '4 processes share the run, each with one part: the matrices are cut between their 3 rows after each odd step; start at most 3 of them'

# One axis: parts have no rows or planes, so the margins travel as canonical elements. An input travels, too, and its
# default comes from each process.
cat >"$TMP/line.c" <<'C'
#define ENGINE_MINOR 5
#include <engine/plugin.h>
static int advance(void *self, struct engine_call *call)
{
    const struct engine_buffer *cells = engine_field_buffer(call, 0), *add = engine_field_buffer(call, 1);
    const uint64_t n = cells->shape->extent[0];
    (void) self;
    for (uint64_t s = 0; s < call->steps; s++) {
        const uint32_t now = (call->current + s) % 2;
        const uint8_t *from = cells->origin[now], *more = add->origin[0];
        uint8_t *to = cells->origin[1 - now];
        for (uint64_t x = 0; x < n; x++)
            to[x] = (uint8_t) (from[(x + n - 1) % n] + 3 * from[(x + 1) % n] + more[x] + more[(x + 1) % n]);
    }
    call->result = (uint32_t) (call->current + call->steps) % 2;
    return ENGINE_OK;
}
static const struct engine_field fields[] = {
    {ENGINE_GRID_FIELD("cells", "", ENGINE_STATE, ENGINE_U8, 1), .reach = {1, 0, 0}},
    {ENGINE_GRID_FIELD("add", "", ENGINE_INPUT, ENGINE_U8, 1), .reach = {1, 0, 0}, .initial = 5}};
static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu", "", 1, ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_DIVISIBLE), .advance = advance}};
ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("line", "1", ""), .fields = ENGINE_ARRAY(fields), .impls = ENGINE_ARRAY(impls)};
C
expect 'the plugin compiles' "${cc[@]}" -std=c11 -fPIC -shared -Iinclude "$TMP/line.c" -o "$TMP/line.so"
configure line 101
for n in 2 4; do
    expect_status 0 mpi $n verify "$TMP/run.ini" --plugins "$TMP" --sweep run.margin=0,1,60 --sweep run.parts=4,7
done
printf '[run]\nplugin = line\nsteps = 28\n[grid]\nsize = 101\n[init]\nsource = random\n[output]\nevery = 7\n' \
    >"$TMP/run.ini"
go start 0 --plugins "$TMP"
printf '[run]\nplugin = line\nsteps = 30\n[grid]\nsize = 101\n[init]\nsource = arrays\n%s' \
    $'cells = start/cells-0000000028.npy\nadd = start/cells-0000000021.npy\n' >"$TMP/run.ini"
go whole 0 --plugins "$TMP"
go ranks 3 --plugins "$TMP"
expect_like_whole ranks

# Parts that share their work: few bodies and odd numbers of them, more processes than bodies, several parts in a
# process.
for count in 1 3 17 500; do
    printf '[run]\nplugin = nbody\nsteps = 3\nthreads = 1\n[particles]\ncount = %s\n[init]\nsource = plummer\n%b' \
        $count '[output]\nevery = 2\nmetrics_every = 1\nformats = npy xyz\n' >"$TMP/run.ini"
    go whole 0
    for n in $([ $count = 3 ] && echo 2 3 4 || echo 4); do
        go ranks "$n"
        expect_like_whole ranks
    done
done
go ranks 2 --set run.parts=5
expect_like_whole ranks
expect_equal 'the summary names the processes' "$(member ranks ranks) $(member ranks parts) $(member ranks transport)" \
    '2 5 host'
for kind in 'leapfrog double' 'hermite float'; do
    read -r integrator precision <<<"$kind"
    for impl in cpu-serial cpu; do
        words=(--set "nbody.integrator=$integrator" --set "nbody.precision=$precision" --set run.implementation=$impl)
        go whole 0 "${words[@]}"
        go ranks 3 "${words[@]}"
        expect_like_whole ranks
    done
done
expect_status 0 mpi 3 verify "$TMP/run.ini" --impl cpu-serial,cpu
expect_stdout_has 'nbody in 3 parts against cpu-serial undivided'
for count in 2 997; do
    printf '[run]\nplugin = rdf\nsteps = 2\nthreads = 1\n[particles]\ncount = %s\nbox = 3 4 5\n[init]\nsource = uniform\n%b' \
        $count '[output]\nformats = npy csv\n[rdf]\nr_max = 1\n' >"$TMP/run.ini"
    go whole 0
    for n in 3 4; do
        go ranks $n --set run.implementation="$([ $n = 3 ] && echo cpu-serial || echo cpu)"
        expect_like_whole ranks
    done
done

printf '[run]\nplugin = pairs\nsteps = 20\nthreads = 1\n[particles]\ncount = 600\n[init]\nsource = fcc\n%b' \
    '[output]\nmetrics_every = 10\nhash_every = 10\nformats = npy\n[pairs]\ntemperature = 1.44\nskin = 0.2\nintegrator = langevin\n' \
    >"$TMP/run.ini"
for impl in cpu-serial cpu; do
    go whole 0 --set run.implementation=$impl
    go ranks 3 --set run.implementation=$impl
    expect_like_whole ranks
done

# Process 0 reads the frames of a trajectory. Each frame has another box, of which all processes must know.
for step in 1 2 3; do
    printf '600\nLattice="%s 0 0 0 4 0 0 0 5" Properties=species:S:1:pos:R:3\n' $((2 + step))
    awk -v step=$step \
        'BEGIN { srand(step); for (i = 0; i < 600; i++) print i % 3 ? "H" : "O", rand() * 6, rand() * 6, rand() * 6 }'
done >"$TMP/frames.xyz"
printf '[run]\nplugin = rdf\nsteps = 3\nthreads = 1\n[init]\nfile = frames.xyz\n[output]\nevery = 1\nformats = npy\n%b' \
    '[rdf]\nbetween = O-H, O-O\nblocks = 2\nq_bins = 3\n' >"$TMP/run.ini"
go whole 0
go ranks 3
expect_like_whole ranks

# A run goes on in another number of processes; an analysis of the run is in process 0.
printf '[run]\nplugin = nbody\nsteps = 30\nthreads = 1\n[particles]\ncount = 300\n[init]\nsource = plummer\n%b' \
    '[output]\nevery = 10\nformats = npy\nmetrics_every = 1\nhash_every = 10\n[checkpoint]\nevery = 10\n' >"$TMP/run.ini"
words=(--set analyse.plugin=rdf --set analyse.every=10 --set rdf.r_max=1)
go whole 0 "${words[@]}"
go ranks 3 --set run.steps=13 "${words[@]}"
expect_status 0 mpi 2 resume "$TMP/ranks" --set run.steps=30 --json
mv "$TMP/stdout" "$TMP/ranks.json"
expect_equal 'it was resumed' "$(member ranks first_step)" 13
expect_like_whole ranks

# ---- Checkpoints --------------------------------------------------------------------------------------------------

configure life3d-packed '40 9 11' 'formats = npy snapshot\n[checkpoint]\nevery = 10\n'
go whole 0
for next in 0 4; do
    go ranks 3 --set run.steps=13
    launch=("$ENGINE")
    [ $next = 0 ] || launch=(mpi $next)
    expect_status 0 "${launch[@]}" resume "$TMP/ranks" --set run.steps=30 --json
    mv "$TMP/stdout" "$TMP/ranks.json"
    expect_equal 'it was resumed' "$(member ranks first_step)" 13
    expect_like_whole ranks
done
cp "$TMP/ranks/cells-0000000028.snapshot" "$TMP/from-ranks.snapshot"
expect_status 0 "$ENGINE" convert "$TMP/from-ranks.snapshot" "$TMP/from-ranks.npy"
expect_same "$TMP/from-ranks.npy" "$TMP/whole/cells-0000000028.npy"

# ---- Failures -----------------------------------------------------------------------------------------------------

cat >"$TMP/long.ini" <<'INI'
[run]
plugin = life2d-bit
steps = 1000000000
threads = 1
[grid]
size = 320 130
[init]
source = random
[checkpoint]
seconds = 0.2
signal = USR1
INI

begin 3 3
interrupt
[ -z "$told" ] || expect_stderr_has 'engine: stopped by signal 15; step'
expect 'all processes end after SIGTERM' gone
expect_goes_on 2

# The first process obeys signals, and the others leave them to it.
begin 3 0
kill -TERM "$(<"$TMP/pid.1")"
kill -TERM "$(<"$TMP/pid.0")"
finish
expect_equal 'SIGTERM to the first process: the exit status' "$status" 143
expect_equal 'one process says so' "$(grep -c 'engine: stopped by signal 15; step' "$TMP/stderr")" 1
expect 'SIGTERM to the first process: all processes end' gone
expect_goes_on 2

begin 2 0
kill -USR1 $(pgrep -P "$job")
finish
expect_equal 'the signal of [checkpoint] stops all' "$status" 138
expect_goes_on 0

begin 3 0
kill -KILL "$(<"$TMP/pid.1")"
finish
expect_equal 'a killed process: not success' "$((status != 0))" 1
expect_equal 'a killed process: mpirun ends by itself' "$((status != 124))" 1
expect 'a killed process: all others end' gone
expect_goes_on 4

expect_stopped 2 1
expect_stopped 4 2
expect_goes_on 0

# late PATIENCE COMMAND…: a second process, which never comes to the start or to the end of MPI, ends the first one.
late() {
    each "$ENGINE" run "$TMP/long.ini" --force --set "run.output=$TMP/late" --set run.steps=3 --set "run.patience=$1" \
        : "${@:2}"
}
expect_status 5 late 2 sleep 50
expect_stderr_has \
    'engine: MPI has not started in all processes for 2 seconds; look at the other processes, or give a larger [run] patience'
printf '#include <unistd.h>\nint MPI_Finalize(void) { return (int) sleep(50); }\n' | "${cc[@]}" -shared -fPIC -x c - \
    -o "$TMP/late.so"
expect_status 5 late 8 env LD_PRELOAD="$TMP/late.so" "$ENGINE" run "$TMP/long.ini" --set run.steps=3
expect_stderr_has 'engine: MPI has not ended in all processes for 8 seconds; look at the other processes'
expect_equal 'the run has ended' "$(json "$TMP/late/summary.json" '{step}')" 3

# The same for parts that share their work.
printf '[run]\nplugin = nbody\nsteps = 1000000000\nthreads = 1\n[particles]\ncount = 40\n[init]\nsource = plummer\n%b' \
    '[checkpoint]\nseconds = 0.2\n' >"$TMP/long.ini"
begin 3 0
kill -KILL "$(<"$TMP/pid.2")"
finish
expect_equal 'a killed process: mpirun ends by itself' "$((status != 0 && status != 124))" 1
expect 'a killed process: all others end' gone
expect_goes_on 2
expect_stopped 4 2

# A part that fails in another process; a part of process 0 that fails.
cat >"$TMP/second.c" <<'C'
#define ENGINE_MINOR 5
#include <engine/plugin.h>
#include <stdlib.h>
static int advance(void *self, struct engine_call *call)
{
    (void) self;
    if (call->plan->part.index == FAILS && call->first_step >= 4)
        return ENGINE_FAIL(call->host, ENGINE_INTERNAL, "rows %u to %u are too cold", (unsigned) call->begin[1],
                           (unsigned) call->end[1]);
    return ENGINE_OK;
}
static int layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                  struct engine_layout *layout)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    (void) host, (void) plan, (void) field;
    if (LAYOUT && rank && *rank == '1')
        layout->row_align = 64;
    return ENGINE_OK;
}
static const struct engine_field fields[] = {
    {ENGINE_GRID_FIELD("cells", "", ENGINE_STATE, ENGINE_U8, 2), .values = 2, .reach = {1, 1, 0}}};
static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu", "", 1, ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_IN_PLACE | ENGINE_DIVISIBLE),
     .advance = advance, .layout = layout}};
ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("second", "1", ""), .fields = ENGINE_ARRAY(fields), .impls = ENGINE_ARRAY(impls)};
C
# build FOLDER FAILS LAYOUT
build() {
    mkdir -p "$TMP/$1"
    expect 'the plugin compiles' "${cc[@]}" -std=c11 -D_GNU_SOURCE -fPIC -shared -Iinclude -DFAILS="$2" -DLAYOUT="$3" \
        "$TMP/second.c" -o "$TMP/$1/second.so"
}
build other 1 0
build first 0 0
build odd 9 1
configure second '9 9'
words=(run "$TMP/run.ini" --set run.margin=2 --set "run.output=$TMP/none" --force)
expect_status 4 mpi 3 "${words[@]}" --plugins "$TMP/other"
expect_stderr_has 'rank 1: part 2 of 3: second/cpu: advance: rows 2 to 5 are too cold'
expect_equal 'one process says so' "$(grep -c 'too cold' "$TMP/stderr")" 1
expect_status 4 mpi 3 "${words[@]}" --plugins "$TMP/first"
expect_stderr_has 'rank 0: part 1 of 3: second/cpu: advance: rows 2 to 5 are too cold'

# Wrong calls of the service, and a part that fails, end all processes with the sentences of one process.
expect 'shares compiles' "${cc[@]}" -std=c11 -O2 -fPIC -shared -Iinclude tests/conform/broken/shares.c -lm \
    -o "$TMP/shares.so"
printf '[run]\nplugin = shares\nsteps = 6\nthreads = 1\n[particles]\ncount = 23\n[init]\nsource = random\n' \
    >"$TMP/run.ini"

# wrong HOW N REASON
wrong() {
    expect_status 4 mpi "$2" run "$TMP/run.ini" --plugins "$TMP" --set "run.output=$TMP/none" --force \
        --set "shares.how=$1"
    expect_stderr_has "$3"
    expect_equal "$1: one process says so" "$(grep -c '^engine: ' "$TMP/stderr")" 1
}
go whole 0 --plugins "$TMP"
go ranks 4 --plugins "$TMP"
expect_like_whole ranks
failed="all parts must make the same calls"
wrong fails 2 'rank 1: part 2 of 2: shares/cpu: advance: part 2 finds wrong levels in step 3'
wrong fails 4 'rank 1: part 2 of 4: shares/cpu: advance: part 2 finds wrong levels in step 3'
wrong fails-all 3 'rank 0: part 1 of 3: shares/cpu: advance: all levels are wrong'
wrong sizes 3 "part 1 calls reduce with 1 number, and part 2 calls reduce with 2 numbers; $failed"
wrong calls 3 "part 1 calls reduce with 1 number, and part 2 calls gather with 16 bytes in units of 8; $failed"
wrong early 3 "part 2 has returned, and part 1 waits for it in reduce; $failed"
wrong late 3 "part 2 has returned, and part 1 waits for it in reduce; $failed"
wrong ignores 3 "the service 'team': part 2 has returned, and part 1 waits for it in reduce; $failed"

# Processes that differ.
configure second '9 9'
different() {
    each "$ENGINE" "${words[@]}" --plugins "$1" : "$ENGINE" "${words[@]}" --plugins "$2"
}
expect_status 4 different "$TMP/other" "$TMP/first"
expect_stderr_has 'rank 1: the checksum of the plugin second is '
expect_stderr_has ' on rank 0; install the same file on all hosts'
expect_status 4 different "$TMP/other" "$TMP/nowhere"
expect_stderr_has "rank 1: "
expect_stderr_has "second"
expect_status 4 mpi 2 "${words[@]}" --plugins "$TMP/odd"
expect_stderr_has 'rank 1: the layout of second/cpu is '

# Mistakes in the command line and the configuration: process 0 reports them, once.
configure life2d-bit '5 3'
expect_status 2 mpi 4 run "$TMP/run.ini" --set "run.output=$TMP/none"
expect_stderr_has \
    '4 processes share the run, each with one part: the grid has 3 cells along y, where it is cut; start at most 3 of them'
expect_equal 'once' "$(grep -c 'engine:' "$TMP/stderr")" 1
expect_status 2 mpi 2 run "$TMP/run.ini" --plugins "$TMP/nowhere"
expect_equal 'once' "$(grep -c 'engine:' "$TMP/stderr")" 1
expect_status 2 mpi 2 run "$TMP/run.ini" --sett
expect_equal 'once' "$(grep -c 'engine:' "$TMP/stderr")" 1

# A full disk.
configure life2d-bit '400 300' 'formats = vti\n'
mkdir "$TMP/disk"
if mount -t tmpfs -o size=64k none "$TMP/disk" 2>/dev/null; then
    expect_status 6 mpi 2 run "$TMP/run.ini" --set "run.output=$TMP/disk/vti" --set output.every=1
    expect_stderr_has "$TMP/disk/vti/"
    umount "$TMP/disk"
else
    skip 'a full disk' 'only root may mount a small disk'
fi

# Without the module: a sentence, and the verbs that do not share their work run as always.
mkdir "$TMP/bin" && cp "$ENGINE" "$TMP/bin/engine"
expect_status 4 env OMPI_COMM_WORLD_RANK=0 "$TMP/bin/engine" run "$TMP/run.ini" --set "run.output=$TMP/none"
expect_stderr_has 'engine: mpirun has started the program, but the module team-mpi.so was not built'
expect_status 0 "$ENGINE" list
expect_stdout_has "runs of several processes (mpirun): available, with team-mpi.so"
plan
