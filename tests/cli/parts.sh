#!/bin/bash
# [run] parts: a divided run gives the files, metrics, hash and checkpoints of the undivided one, or is refused with a
# reason.
. "$(dirname "$0")/common"
umask 022
export OMP_WAIT_POLICY=passive # waiting threads that spin would take the cores of others

# configure PLUGIN SIZE [LINES]: a short run with files of every step that is a multiple of 7.
configure() {
    printf '[run]\nplugin = %s\nsteps = 30\nthreads = 2\n[grid]\nsize = %s\n[init]\nsource = random\n%b' \
        "$1" "$2" "[output]\nevery = 7\nmetrics_every = 1\n${3:-}" >"$TMP/run.ini"
}

# go NAME ARGUMENT…: runs into $TMP/NAME.
go() {
    run "$ENGINE" run "$TMP/run.ini" --set "run.output=$TMP/$1" --force --json "${@:2}"
    expect_equal "$1: ${*:2}" "$status" 0
    mv "$TMP/stdout" "$TMP/$1.json"
}

# expect_like_whole NAME: the files, the metrics and the hash are those of the run `whole`.
expect_like_whole() {
    expect_equal "$1: hash" "$(member "$1" hash)" "$(member whole hash)"
    for file in "$TMP"/whole/*.{npy,csv,png,vti}; do
        [ -e "$file" ] && expect_same "$TMP/$1/$(basename "$file")" "$file"
    done
}

# Every plugin that can be divided, with each of its implementations on the CPU: odd sizes, parts of one row or plane,
# and margins that are deeper than the parts and than the whole grid. cuts_like_whole PLUGIN SIZE CUT…: a cut is the
# parts and the margin.
cuts_like_whole() {
    local plugin=$1 size=$2 impl cut
    shift 2
    for impl in cpu-serial cpu; do
        configure "$plugin" "$size"
        go whole --set run.implementation=$impl
        for cut in "$@"; do
            go "parts" --set run.implementation=$impl --set run.parts="${cut%:*}" --set run.margin="${cut#*:}"
            expect_equal "$plugin/$impl $cut: hash" "$(member parts hash)" "$(member whole hash)"
            expect_same "$TMP/parts/metrics.csv" "$TMP/whole/metrics.csv"
        done
    done
}
for plugin in life2d-bit life2d-lut; do cuts_like_whole $plugin '67 13' 2:0 3:1 5:20 13:2; done
for plugin in life3d-naive life3d-shared life3d-packed; do cuts_like_whole $plugin '35 6 7' 2:0 3:1 7:9; done

# Grids that are no torus: the outer parts end at the edges. The whole grid is the reference.
for plugin in life2d-bit life2d-lut life3d-packed generations; do
    edges='dead,torus dead' size='67 13'
    [ $plugin != life3d-packed ] || edges='dead,torus torus dead' size='35 6 7'
    configure $plugin "$size"
    for sweep in "cpu-serial,cpu=$edges" cpu-serial=mirror; do
        expect_status 0 "$ENGINE" verify "$TMP/run.ini" --set init.density=0.4 --steps 12 --impl "${sweep%%=*}" \
            --sweep run.parts:run.margin='2:0,3:1,5:20' --sweep "grid.edges=${sweep#*=}"
        expect_equal "$plugin: edges = ${sweep#*=} in parts" \
            "$(grep -c '^  cpu.* bit-equal after 1, 2, 7, 12 ' "$TMP/stdout")" \
            "$([ "${sweep#*=}" = mirror ] && echo 3 || echo 12)"
    done
done
configure life2d-bit '67 13' '[grid]\nedges = twisted torus\n'
expect_status 2 "$ENGINE" check "$TMP/run.ini" --set run.parts=2
expect_stderr_has 'a grid whose edges are twisted or shifted, or a sphere, cannot be cut; leave the key out'

# Files of several formats, among them those with notes about the origin of a state.
configure life2d-bit '67 31' 'formats = npy png vti\n'
go whole
go parts --set run.parts=4
expect_like_whole parts
expect_equal 'the summary names the parts' "$(member parts parts)" 4
expect_equal 'an undivided one has none' "$(member whole parts)" none
expect_status 0 "$ENGINE" run "$TMP/run.ini" --set run.parts=4 --set "run.output=$TMP/parts" --force
expect_stdout_has ', 2 threads, 4 parts with margins of 7'
expect_stdout_has '  exchanges      '
expect_status 0 "$ENGINE" check "$TMP/run.ini" --set run.parts=4 --set run.margin=3
expect_stdout_has 'parts           4 along y, with 3 cells of the neighbours on each side'

# Counts in bit planes, by the stencil headers.
read -r -a cc <<<"${CC:-cc}"
expect 'brians-brain compiles' "${cc[@]}" -std=c11 -O2 -fvisibility=hidden -fPIC -shared -Iinclude \
    examples/brians-brain/plugin.c -o "$TMP/brians-brain.so"
configure brians-brain '67 13'
go whole --plugins "$TMP"
for cut in 2:0 3:1 4:2 5:20 13:2; do
    go parts --plugins "$TMP" --set run.parts=${cut%:*} --set run.margin=${cut#*:}
    expect_like_whole parts
done

# Real numbers: gray-scott's means are sums of floating-point numbers, equal to the last digit.
expect 'gray-scott compiles' "${cc[@]}" -std=c11 -O2 -ffp-contract=off -fvisibility=hidden -fPIC -shared -Iinclude \
    examples/gray-scott/plugin.c -lm -o "$TMP/gray-scott.so"
configure gray-scott '71 45'
go whole --plugins "$TMP" --set init.source=square
for cut in 2:0 3:1 7:30 45:2; do
    go parts --plugins "$TMP" --set init.source=square --set run.parts=${cut%:*} --set run.margin=${cut#*:}
    expect_like_whole parts
done

# Checkpoints: a run goes on in another number of parts, and the files are those of a run that was never stopped. A
# snapshot of a divided run is a start like any other.
configure life3d-packed '40 9 11' 'formats = npy snapshot\n[checkpoint]\nevery = 10\n'
go whole
for next in 1 4; do
    go parts --set run.parts=3 --set run.steps=13
    expect_status 0 "$ENGINE" resume "$TMP/parts" --set run.steps=30 --set run.parts=$next --json
    mv "$TMP/stdout" "$TMP/parts.json"
    expect_equal 'it was resumed' "$(member parts first_step)" 13
    expect_equal "hash in $next parts" "$(member parts hash)" "$(member whole hash)"
    expect_same "$TMP/parts/metrics.csv" "$TMP/whole/metrics.csv"
    expect_same "$TMP/parts/cells-0000000030.npy" "$TMP/whole/cells-0000000030.npy"
done
go parts --set run.parts=3 --set run.steps=14
expect_status 0 "$ENGINE" convert "$TMP/parts/cells-0000000014.snapshot" "$TMP/from-parts.npy"
expect_same "$TMP/from-parts.npy" "$TMP/whole/cells-0000000014.npy"

# An analysis reads a copy of the cells of all parts. It adds up the populations of every third step.
cat >"$TMP/count.c" <<'C'
#include <engine/plugin.h>
static int advance(void *self, struct engine_call *call)
{
    const struct engine_buffer *cells = engine_field_buffer(call, 0), *alive = engine_field_buffer(call, 1);
    (void) self;
    for (uint64_t z = 0; z < cells->shape->extent[2]; z++)
        for (uint64_t y = 0; y < cells->shape->extent[1]; y++)
            for (uint64_t x = 0; x < cells->shape->extent[0]; x++)
                ((uint64_t *) alive->origin[0])[0] +=
                    ((const uint8_t *) engine_row(cells, call->current, (int64_t) y, (int64_t) z))[x];
    return ENGINE_OK;
}
static int shape(const struct engine_host *host, const struct engine_plan *plan, uint32_t field, uint64_t step,
                 struct engine_shape *shape)
{
    (void) host, (void) plan, (void) step;
    if (field == 1)
        shape->extent[0] = 1;
    return ENGINE_OK;
}
static const struct engine_field fields[] = {{ENGINE_GRID_FIELD("cells", "", ENGINE_INPUT, ENGINE_U8, 3), .values = 2},
                                             {ENGINE_BIN_FIELD("alive", "", ENGINE_U64)}};
static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu", "", 1, ENGINE_EXACT | ENGINE_REFERENCE), .advance = advance}};
ENGINE_EXPORT const struct engine_plugin engine_plugin = {ENGINE_PLUGIN("count", "1", "counts"),
                                                          .fields = ENGINE_ARRAY(fields),
                                                          .impls = ENGINE_ARRAY(impls), .shape = shape};
C
expect 'the analysis compiles' "${cc[@]}" -std=c11 -fPIC -shared -Iinclude "$TMP/count.c" -o "$TMP/count.so"
configure life3d-naive '40 9 11' 'formats = csv\nfields = alive\n[analyse]\nplugin = count\nevery = 3\n'
go whole --plugins "$TMP" --set run.implementation=cpu-serial
go parts --plugins "$TMP" --set run.implementation=cpu-serial --set run.parts=3
expect_same "$TMP/parts/count.csv" "$TMP/whole/count.csv"
expect_equal 'the sum of the populations' "$(tail -n 1 "$TMP/parts/count.csv")" \
    "$(awk -F, 'NR > 1 && $1 % 3 == 0 { sum += $2 } END { print sum }' "$TMP/whole/metrics.csv")"

# verify compares the parts with the undivided reference, and bench with undivided rows.
expect_status 0 "$ENGINE" verify configs/gosper-gun.ini --set run.parts=3
expect_stdout_has 'life2d-bit in 3 parts against cpu-serial undivided'
expect_stdout_has 'cpu-serial     bit-equal after 1, 2, 7, 100 steps'
expect_status 0 "$ENGINE" bench configs/gosper-gun.ini --impl cpu --sweep run.parts=1,2,5 --repeats 1 --steps 50
expect_stdout_hasnt 'differ'
expect_stdout_has '| speed-up | efficiency | exchange | check |'
expect_status 0 "$ENGINE" bench configs/gosper-gun.ini --impl cpu --devices 1 --weak --repeats 1 --steps 50
expect_stdout_has '| 256 192:1 '
expect_stdout_hasnt 'efficiency'
expect_status 2 "$ENGINE" bench configs/gosper-gun.ini --weak
expect_stderr_has '--weak: give numbers of GPUs with --devices, such as 1,2,4'
expect_status 2 "$ENGINE" bench configs/nbody-3072.ini --weak --devices 1,2
expect_stderr_has '--weak: give the grid of one device in [grid] size'

# A part that fails is named.
cat >"$TMP/second.c" <<'C'
#define ENGINE_MINOR 5
#include <engine/plugin.h>
static int advance(void *self, struct engine_call *call)
{
    (void) self;
    if (call->plan->part.index == 1 && call->first_step >= 4)
        return ENGINE_FAIL(call->host, ENGINE_INTERNAL, "rows %u to %u are too cold", (unsigned) call->begin[1],
                           (unsigned) call->end[1]);
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
expect_status 4 "$ENGINE" run "$TMP/run.ini" --plugins "$TMP" --set run.parts=3 --set run.margin=2 \
    --set "run.output=$TMP/none" --force
expect_stderr_has 'part 2 of 3: second/cpu: advance: rows 2 to 5 are too cold'

# What cannot be divided, and why.
configure life2d-bit '5 3'
expect_status 2 "$ENGINE" run "$TMP/run.ini" --set run.parts=4 --set "run.output=$TMP/none"
expect_stderr_has '[run] parts = 4: the grid has 3 cells along y, where it is cut; give at most 3'
expect_status 2 "$ENGINE" check "$TMP/run.ini" --set run.parts=-1
expect_status 2 "$ENGINE" check "$TMP/run.ini" --set run.parts=2 --set run.devices=3
expect_stderr_has '[run] parts: fewer than the 3 devices of [run] devices; leave the key out'
expect_status 4 "$ENGINE" check "$TMP/run.ini" --set run.devices=2 --set run.implementation=cpu-serial
expect_stderr_has \
    '[run] devices = 2: the implementation computes in host memory; choose one for CUDA devices, or give [run] parts'
if ! [ -e /dev/nvidiactl ]; then
    expect_status 5 "$ENGINE" check "$TMP/run.ini" --set run.devices=2
    expect_equal 'no GPU: one sentence' "$(grep -o '; ' "$TMP/stderr" | wc -l) $(grep -c 'without GPUs' "$TMP/stderr")" '1 1'
fi
expect_status 0 "$ENGINE" check "$TMP/run.ini" --set run.margin=2
expect_stderr_has '[run] margin: nothing uses this key, because the run is not divided'
printf '[run]\nplugin = count\nparts = 2\n[grid]\nsize = 4 4 4\n' >"$TMP/count.ini"
expect_status 2 "$ENGINE" check "$TMP/count.ini" --plugins "$TMP"
expect_stderr_has \
    '[run] parts = 2: no implementation of count shares its work among parts, and field alive is neither a grid'
expect_status 4 "$ENGINE" check configs/transpose.ini --set run.parts=2 --set matrix.columns=1000 \
    --set run.implementation=cpu-in-place
expect_stderr_has '[run] parts = 2: the implementation does not state that its work can be divided'
sed 's/ENGINE_DIVISIBLE/0u/' include/engine/stencil.h >"$TMP/stencil.h" # a plugin that states nothing
mkdir -p "$TMP/silent/engine" && cp include/engine/*.h "$TMP/silent/engine" && cp "$TMP/stencil.h" "$TMP/silent/engine"
expect 'a plugin that states nothing compiles' "${cc[@]}" -std=c11 -ffp-contract=off -fvisibility=hidden -fPIC -shared \
    -I"$TMP/silent" examples/gray-scott/plugin.c -lm -o "$TMP/gray-scott.so"
configure gray-scott '71 45'
expect_status 4 "$ENGINE" run "$TMP/run.ini" --plugins "$TMP" --set run.parts=2 --set run.implementation=cpu \
    --set "run.output=$TMP/none"
expect_stderr_has 'the implementation does not state that its work can be divided'
expect_status 4 "$ENGINE" run "$TMP/run.ini" --plugins "$TMP" --set run.parts=2 --set "run.output=$TMP/none"
expect_stderr_has 'no implementation can run this; cpu: [run] parts = 2: the implementation does not state'
plan
